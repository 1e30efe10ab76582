use crate::Timestamp;

/// The brake that looks at outcomes: each failure in a row doubles the wait, to a cap, with jitter. A platform that is not even reached
/// is tried evenly for a while first: it may be back any second, and a refused connection costs it nothing.
///
/// It is cleared by a session that has been stable, never by a mere step forward such as a granted address or an open socket:
/// clearing it there turns "accepts, then closes" into a tight loop.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    base_ms: u64,
    max_ms: u64,
    flat_ms: u64,
    /// The row of failures, if one has begun.
    row: Option<Row>,
    /// Where jitter comes from, if there is any.
    chance: Option<fastrand::Rng>,
}

/// How far an attempt came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nobody answered.
    Unreached,
    /// The platform was there, and said no or broke off.
    Refused,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    began: Timestamp,
    doublings: u32,
}

impl Backoff {
    /// Waits that double from the first failure on, each plus or minus a quarter, so that many bots which lost the platform together do
    /// not come back together.
    pub(crate) fn new(base_ms: u64, max_ms: u64, seed: u64) -> Self {
        Self { base_ms, max_ms, flat_ms: 0, row: None, chance: Some(fastrand::Rng::with_seed(seed)) }
    }

    /// Waits without jitter, for what befalls one bot alone.
    pub(crate) fn even(base_ms: u64, max_ms: u64) -> Self {
        Self { base_ms, max_ms, flat_ms: 0, row: None, chance: None }
    }

    /// Lets doubling begin only this long after the first failure of a row while nobody is reached.
    pub(crate) fn set_flat(&mut self, flat_ms: u64) {
        self.flat_ms = flat_ms;
    }

    /// Counts a failure and says how long to wait, in ms.
    pub(crate) fn fail(&mut self, failure: Failure, now: Timestamp) -> u64 {
        let row = self.row.get_or_insert(Row { began: now, doublings: 0 });
        let wait_ms = self.base_ms.saturating_mul(1 << row.doublings.min(32)).min(self.max_ms);
        if failure == Failure::Refused || now.since(row.began) >= self.flat_ms {
            row.doublings += 1;
        }
        let quarter_ms = wait_ms / 4;
        self.chance.as_mut().map_or(wait_ms, |chance| wait_ms - quarter_ms + chance.u64(0..=quarter_ms * 2))
    }

    pub(crate) fn clear(&mut self) {
        self.row = None;
    }

    pub(crate) fn set_bounds(&mut self, base_ms: u64, max_ms: u64) {
        (self.base_ms, self.max_ms) = (base_ms, max_ms);
    }
}
