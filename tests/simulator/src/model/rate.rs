//! Rate limits and counters over sliding windows.

use std::collections::VecDeque;

use super::clock::Millis;

/// At most `count` events in any `window_ms`.
#[derive(Debug, Clone)]
pub(super) struct Window {
    count: usize,
    window_ms: u64,
    times: VecDeque<Millis>,
}

impl Window {
    pub(super) fn new(count: usize, window_ms: u64) -> Self {
        Self { count, window_ms, times: VecDeque::new() }
    }

    /// Whether one more fits at `now`.
    pub(super) fn has_room(&mut self, now: Millis) -> bool {
        self.room(now) > 0
    }

    /// How many more fit at `now`.
    pub(super) fn room(&mut self, now: Millis) -> usize {
        while self.times.front().is_some_and(|&at| at + self.window_ms <= now) {
            self.times.pop_front();
        }
        self.count.saturating_sub(self.times.len())
    }

    /// Milliseconds until the oldest one leaves the window; the whole of it when it is empty.
    pub(super) fn resets_in_ms(&self, now: Millis) -> u64 {
        self.times.front().map_or(self.window_ms, |&at| (at + self.window_ms).saturating_sub(now))
    }

    /// Counts one at `now`.
    pub(super) fn take(&mut self, now: Millis) {
        self.times.push_back(now);
    }

    /// Counts one at `now` if it fits, and says whether it did.
    pub(super) fn try_take(&mut self, now: Millis) -> bool {
        let fits = self.has_room(now);
        if fits {
            self.take(now);
        }
        fits
    }
}

/// A bucket that holds `burst` tokens and gains `per_minute` of them a minute.
#[derive(Debug, Clone)]
pub(super) struct Bucket {
    burst: u64,
    per_minute: u64,
    /// Tokens times 60 000, so that refilling stays exact in integers.
    level: u64,
    refilled_at: Millis,
}

const WHOLE: u64 = 60_000;

impl Bucket {
    pub(super) fn new(burst: u64, per_minute: u64) -> Self {
        Self { burst, per_minute, level: burst * WHOLE, refilled_at: 0 }
    }

    pub(super) fn try_take(&mut self, now: Millis) -> bool {
        let gained = now.saturating_sub(self.refilled_at).saturating_mul(self.per_minute);
        self.refilled_at = now;
        self.level = self.level.saturating_add(gained).min(self.burst * WHOLE);
        let fits = self.level >= WHOLE;
        if fits {
            self.level -= WHOLE;
        }
        fits
    }
}

/// How often something happened: in total and within the last minute.
#[derive(Debug, Clone, Default)]
pub(super) struct Counter {
    total: u64,
    recent: VecDeque<Millis>,
}

impl Counter {
    pub(super) fn count(&mut self, now: Millis) {
        self.total += 1;
        self.recent.push_back(now);
        self.forget_before(now);
    }

    pub(super) fn tally(&mut self, now: Millis) -> Tally {
        self.forget_before(now);
        Tally { total: self.total, last_minute: self.recent.len() as u64 }
    }

    fn forget_before(&mut self, now: Millis) {
        while self.recent.front().is_some_and(|&at| at + 60_000 <= now) {
            self.recent.pop_front();
        }
    }
}

/// A count in total and within the last 60 seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Tally {
    /// Since the platform started.
    pub total: u64,
    /// Within the last 60 seconds.
    pub last_minute: u64,
}

#[cfg(test)]
mod tests {
    use super::{Bucket, Counter, Window};

    #[test]
    fn a_bucket_of_ten_gains_two_a_minute() {
        let mut bucket = Bucket::new(10, 2);
        assert_eq!((0..12).filter(|_| bucket.try_take(0)).count(), 10);
        // Two a minute is one each 30 s.
        assert!(!bucket.try_take(29_999));
        assert!(bucket.try_take(30_000));
        assert!(!bucket.try_take(30_001));
        // A long pause fills the bucket to its burst, not above.
        assert_eq!((0..20).filter(|_| bucket.try_take(10_000_000)).count(), 10);
    }

    #[test]
    fn a_window_slides() {
        let mut window = Window::new(2, 1000);
        assert!(window.try_take(0));
        assert!(window.try_take(500));
        assert!(!window.try_take(999));
        assert!(window.try_take(1000));
        assert!(!window.try_take(1499));
    }

    #[test]
    fn a_counter_keeps_the_total_and_the_last_minute() {
        let mut counter = Counter::default();
        counter.count(0);
        counter.count(30_000);
        let tally = counter.tally(60_000);
        assert_eq!((tally.total, tally.last_minute), (2, 1));
    }
}
