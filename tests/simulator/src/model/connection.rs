//! One WebSocket connection: its stage and what is due on it.

use super::clock::Millis;
use super::rate::Window;

/// A connection in the platform's view.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) opened_at: Millis,
    /// The interval that Hello announced.
    pub(super) interval_ms: u64,
    pub(super) authenticated: bool,
    pub(super) frames: Option<Window>,
    /// When Hello goes out, while it has not.
    pub(super) hello_at: Option<Millis>,
    /// When op 7 goes out.
    pub(super) op7_at: Option<Millis>,
    /// When the link ends, whatever the client does, and how.
    pub(super) ends: Option<(Millis, Ending)>,
    /// When the link is cut unless a heartbeat comes.
    pub(super) heartbeat_due: Option<Millis>,
    /// When the link is cut unless Identify or Resume comes.
    pub(super) auth_due: Option<Millis>,
}

/// How the platform ends a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    Close { code: u16, reason: &'static str },
    Cut { reason: &'static str },
}

impl Connection {
    /// The moment at which something is due next.
    pub(super) fn next_deadline(&self) -> Option<Millis> {
        let ends = self.ends.as_ref().map(|(at, _)| *at);
        [self.hello_at, self.op7_at, ends, self.heartbeat_due, self.auth_due].into_iter().flatten().min()
    }

    /// Ends the link at `at` at the latest.
    pub(super) fn end_by(&mut self, at: Millis, ending: Ending) {
        if self.ends.as_ref().is_none_or(|(earlier, _)| at < *earlier) {
            self.ends = Some((at, ending));
        }
    }
}
