use super::fault::{Ending, Fault, Harshness};

/// Faults begin within this span.
const FAULTS_MS: u64 = 19_600_000;
/// After it everything is well again. With recovery and calm a run is six hours long.
const FAULTS_END_MS: u64 = 21_000_000;
/// A server that crashes again and again comes up this much later each time.
const CRASH_LOOP_MS: u64 = 20_000;

/// Which faults come when, in order.
pub(super) struct Plan {
    /// Soonest last, so that the next one can be popped.
    coming: Vec<(u64, Fault)>,
    end_ms: u64,
    harshest: Harshness,
}

impl Plan {
    /// Faults by chance, for five and a half hours.
    pub(super) fn draw(chance: &mut fastrand::Rng) -> Self {
        let mut coming = Vec::new();
        let mut harshest = Harshness::Transient;
        // Some runs are quiet for long, some have three faults at a time.
        let count = 1 << chance.u8(0..6);
        for _ in 0..count {
            let at = chance.u64(0..FAULTS_MS);
            let (fault, undo, harshness) = Fault::draw(chance);
            harshest = harshest.max(harshness);
            coming.push((at, fault));
            if let Some(undo) = undo {
                // From a second to three hours.
                let lasts_ms = 1_000 << chance.u8(0..14);
                coming.push((at + chance.u64(1_000..=lasts_ms), undo));
            }
        }
        if chance.u8(0..20) == 0 {
            let from = chance.u64(0..FAULTS_MS - 3_600_000);
            let crash = Fault::Restart { ending: Ending::Crash, down_ms: 1_000 };
            coming.extend((0..180).map(|number| (from + number * CRASH_LOOP_MS, crash.clone())));
        }
        Self::of(coming, FAULTS_END_MS, harshest)
    }

    /// These faults, each with its time, until `end_ms`.
    pub(super) fn of(mut coming: Vec<(u64, Fault)>, end_ms: u64, harshest: Harshness) -> Self {
        coming.retain(|(at, _)| *at < end_ms);
        coming.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        Self { coming, end_ms, harshest }
    }

    pub(super) fn next_ms(&self) -> Option<u64> {
        self.coming.last().map(|(at, _)| *at)
    }

    pub(super) fn take(&mut self) -> Fault {
        self.coming.pop().expect("it was due").1
    }

    pub(super) fn end_ms(&self) -> u64 {
        self.end_ms
    }

    /// The bound of the time to recover. What may stand in the way when the last fault ends, each at its longest: a back-off (60 s and a
    /// quarter), twice, since a look-up and a connection may each have one; the look-up limiter (60 s) and the platform's own limit
    /// (60 s); a token request that is just being waited for (15 s), its back-off (75 s) and its limiter (61 s); the Identify ceiling
    /// (90 s) and the pause of a contested session (75 s); steps of a handshake that time out (three of 15 s); a half-open link that is
    /// noticed last (65 s). A token that was refused is used again after 600 s, and the slow lane waits 600 s and a quarter.
    pub(super) fn recovery_ms_max(&self) -> u64 {
        let transient_ms = 2 * 75_000 + 60_000 + 60_000 + 15_000 + 75_000 + 61_000 + 90_000 + 75_000 + 45_000 + 65_000;
        transient_ms
            + match self.harshest {
                Harshness::Transient => 0,
                Harshness::Token => 600_000,
                Harshness::Operator => 600_000 + 750_000,
            }
    }
}
