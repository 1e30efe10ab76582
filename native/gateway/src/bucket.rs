use crate::{Rate, Timestamp};

/// A leaky bucket: in any span of `t` ms at most `burst + t / interval_ms` are taken from it.
///
/// Unlike a sliding window of an hour or a day it never answers a busy hour with a locked door, and its bound over any span is as firm.
#[derive(Clone, Debug)]
pub struct Bucket {
    rate: Rate,
    /// When the bucket will be empty again.
    empty_at: Timestamp,
}

impl Bucket {
    /// An empty bucket. A rate of nothing is one at a time, a millisecond apart.
    pub fn new(rate: Rate) -> Self {
        Self { rate: Rate { burst: rate.burst.max(1), interval_ms: rate.interval_ms.max(1) }, empty_at: Timestamp::from_ms(0) }
    }

    /// The earliest moment at which `count` more fit; `now` when they fit at once.
    pub fn free_at(&self, count: u32, now: Timestamp) -> Timestamp {
        let credit_ms = self.rate.interval_ms.saturating_mul(u64::from(self.rate.burst.saturating_sub(count)));
        Timestamp::from_ms(self.empty_at.as_ms().saturating_sub(credit_ms)).max(now)
    }

    /// Takes `count` at `now`.
    pub fn take(&mut self, count: u32, now: Timestamp) {
        self.empty_at = self.empty_at.max(now) + self.rate.interval_ms.saturating_mul(u64::from(count));
    }

    /// Takes what an earlier process took, oldest first. Times from the future count as now, and no clock that was set back can make the
    /// wait longer than one interval.
    pub(crate) fn restore(&mut self, taken: impl Iterator<Item = Timestamp>, now: Timestamp) {
        taken.for_each(|at| self.take(1, at.min(now)));
        self.empty_at = self.empty_at.min(now + self.rate.interval_ms.saturating_mul(u64::from(self.rate.burst)));
    }

    pub(crate) fn set_rate(&mut self, rate: Rate) {
        self.rate = rate;
    }
}
