use std::collections::VecDeque;

use auk_gateway::Timestamp;

/// The minute that the platform counts in; a window that slides holds wherever the platform's begins.
const WINDOW_MS: u64 = 60_000;

/// When the last active messages went out.
#[derive(Debug, Default)]
pub(crate) struct Pace(VecDeque<Timestamp>);

impl Pace {
    /// When the next message may go, at most `per_minute` in any minute; never for 0.
    pub(crate) fn free_at(&self, per_minute: u32, now: Timestamp) -> Option<Timestamp> {
        let per_minute = usize::try_from(per_minute).unwrap_or(usize::MAX);
        if per_minute == 0 {
            return None;
        }
        // The message that has to leave the window first, counted from the end.
        let Some(index) = self.0.len().checked_sub(per_minute) else {
            return Some(now);
        };
        self.0.get(index).map(|sent| now.max(*sent + WINDOW_MS))
    }

    /// Counts one message.
    pub(crate) fn take(&mut self, now: Timestamp) {
        while self.0.front().is_some_and(|sent| now.since(*sent) >= WINDOW_MS) {
            self.0.pop_front();
        }
        self.0.push_back(now);
    }
}
