/// The brake that looks at outcomes: each failure in a row doubles the wait, to a cap, with jitter.
///
/// It is cleared by a session that has been stable, never by a mere step forward such as a granted address or an open socket:
/// clearing it there turns "accepts, then closes" into a tight loop.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    base_ms: u64,
    max_ms: u64,
    failures: u32,
    chance: fastrand::Rng,
}

impl Backoff {
    pub(crate) fn new(base_ms: u64, max_ms: u64, seed: u64) -> Self {
        Self { base_ms, max_ms, failures: 0, chance: fastrand::Rng::with_seed(seed) }
    }

    /// Counts a failure and says how long to wait, in ms: `base · 2^failures` up to the cap, plus or minus a quarter, so that many
    /// bots which lost the platform together do not come back together.
    pub(crate) fn fail(&mut self) -> u64 {
        let doublings = self.failures.min(32);
        self.failures += 1;
        let wait_ms = self.base_ms.saturating_mul(1 << doublings).min(self.max_ms);
        let quarter_ms = wait_ms / 4;
        wait_ms - quarter_ms + self.chance.u64(0..=quarter_ms * 2)
    }

    pub(crate) fn clear(&mut self) {
        self.failures = 0;
    }

    pub(crate) fn set_bounds(&mut self, base_ms: u64, max_ms: u64) {
        (self.base_ms, self.max_ms) = (base_ms, max_ms);
    }
}
