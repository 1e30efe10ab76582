use std::collections::VecDeque;

use crate::{Rate, Timestamp};

/// The outcome-blind brake: spaces attempts by a [`Rate`], whatever came of the earlier ones.
///
/// A leaky bucket: unlike a sliding window of an hour or a day it never answers a busy hour with a locked door, and its bound over any
/// span is as firm: `burst + span / interval_ms`.
#[derive(Clone, Debug)]
pub(crate) struct Limiter {
    rate: Rate,
    /// When the bucket will be empty again.
    empty_at: Timestamp,
    /// Attempts of the last minute, for the status.
    recent: VecDeque<Timestamp>,
    total: u64,
}

const MINUTE_MS: u64 = 60_000;

impl Limiter {
    pub(crate) fn new(rate: Rate) -> Self {
        Self { rate, empty_at: Timestamp::from_ms(0), recent: VecDeque::new(), total: 0 }
    }

    /// The earliest moment at which an attempt is allowed; `now` when it is allowed at once.
    pub(crate) fn next_free(&self, now: Timestamp) -> Timestamp {
        let credit_ms = self.rate.interval_ms.saturating_mul(u64::from(self.rate.burst.saturating_sub(1)));
        let free_at = Timestamp::from_ms(self.empty_at.as_ms().saturating_sub(credit_ms));
        free_at.max(now)
    }

    /// Counts an attempt made at `now`.
    pub(crate) fn take(&mut self, now: Timestamp) {
        self.empty_at = self.empty_at.max(now) + self.rate.interval_ms;
        self.total += 1;
        self.forget_before_last_minute(now);
        self.recent.push_back(now);
    }

    pub(crate) fn set_rate(&mut self, rate: Rate) {
        self.rate = rate;
    }

    pub(crate) fn taken_in_last_minute(&self, now: Timestamp) -> usize {
        self.recent.iter().filter(|taken| now.since(**taken) < MINUTE_MS).count()
    }

    pub(crate) fn taken_in_total(&self) -> u64 {
        self.total
    }

    fn forget_before_last_minute(&mut self, now: Timestamp) {
        while self.recent.front().is_some_and(|taken| now.since(*taken) >= MINUTE_MS) {
            self.recent.pop_front();
        }
    }
}
