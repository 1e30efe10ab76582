use std::collections::VecDeque;

use crate::bucket::Bucket;
use crate::{Rate, Timestamp};

/// The outcome-blind brake: spaces attempts by a [`Rate`], whatever came of the earlier ones, and counts them.
#[derive(Clone, Debug)]
pub(crate) struct Limiter {
    bucket: Bucket,
    /// Attempts of the last minute, for the status.
    recent: VecDeque<Timestamp>,
    total: u64,
}

const MINUTE_MS: u64 = 60_000;

impl Limiter {
    pub(crate) fn new(rate: Rate) -> Self {
        Self { bucket: Bucket::new(rate), recent: VecDeque::new(), total: 0 }
    }

    /// The earliest moment at which an attempt is allowed; `now` when it is allowed at once.
    pub(crate) fn next_free(&self, now: Timestamp) -> Timestamp {
        self.bucket.free_at(1, now)
    }

    /// Counts an attempt made at `now`.
    pub(crate) fn take(&mut self, now: Timestamp) {
        self.bucket.take(1, now);
        self.total += 1;
        self.forget_before_last_minute(now);
        self.recent.push_back(now);
    }

    /// Counts the attempts of an earlier process, oldest first.
    pub(crate) fn restore(&mut self, attempts: impl Iterator<Item = Timestamp> + Clone, now: Timestamp) {
        self.bucket.restore(attempts.clone(), now);
        self.recent.extend(attempts.map(|at| at.min(now)));
        self.forget_before_last_minute(now);
    }

    pub(crate) fn set_rate(&mut self, rate: Rate) {
        self.bucket.set_rate(rate);
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
