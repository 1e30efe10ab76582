use auk_gateway::{HaltReason, LossCause};

use super::super::violation::Promise;
use super::{Verdict, ensure};

/// States and their ends.
#[derive(Default)]
pub(in super::super) struct Life {
    steps_in_this_ms: u32,
    state: &'static str,
    entered_ms: u64,
    awake_since_ms: u64,
    ready_count: u64,
    operator_faults: bool,
    token_killed: bool,
    calm_since: Option<u64>,
    stopping_since: Option<u64>,
}

/// More steps than this without time passing are a loop.
const STEPS_IN_ONE_MS_MAX: u32 = 200;
/// A link that froze before the calm is noticed in its first minutes.
const LATE_LOSS_MS: u64 = 120_000;
/// `stop_ms_max`, and the millisecond in which it ends.
const STOP_MS_MAX: u64 = 1_001;

impl Life {
    pub(super) fn time_passes(&mut self, now_ms: u64, next_ms: u64) -> Verdict {
        self.steps_in_this_ms = if next_ms > now_ms { 0 } else { self.steps_in_this_ms + 1 };
        let steps = self.steps_in_this_ms;
        ensure(steps < STEPS_IN_ONE_MS_MAX, Promise::NoBusyLoop, || format!("{steps} steps"))
    }

    /// No state is stayed in for longer than its deadline allows.
    pub(super) fn state(&mut self, state: &'static str, now_ms: u64) -> Verdict {
        if self.state != state {
            (self.state, self.entered_ms) = (state, now_ms);
        }
        let stayed_ms = now_ms.saturating_sub(self.entered_ms.max(self.awake_since_ms));
        let limit_ms = match state {
            // A look-up may be repeated at once at the other address.
            "awaiting_address" => 2 * 15_000,
            // A connection that is refused at once, and followed by another.
            "connecting" => 2 * 15_000,
            "awaiting_hello" => 4_000,
            // Four times the step, for a long replay, and half a second for a close frame behind op 9.
            "authenticating" => 60_500,
            "stopping" => STOP_MS_MAX,
            _ => return Ok(()),
        };
        ensure(stayed_ms <= limit_ms, Promise::StatesAreLeft, || format!("{state} for {stayed_ms} ms"))
    }

    pub(super) fn ready(&mut self) {
        self.ready_count += 1;
    }

    pub(in super::super) fn readies(&self) -> u64 {
        self.ready_count
    }

    /// What may happen from here on because the platform or the operator does it.
    pub(in super::super) fn allow(&mut self, halts: bool, token_killed: bool) {
        self.operator_faults |= halts;
        self.token_killed |= token_killed;
    }

    pub(super) fn halted(&self, reason: HaltReason) -> Verdict {
        ensure(self.operator_faults, Promise::HaltedForAReason, || format!("{reason}"))
    }

    pub(super) fn lost(&self, cause: &LossCause, now_ms: u64) -> Verdict {
        let Some(calm_since) = self.calm_since else { return Ok(()) };
        // The platform recycles connections, and then a token may turn out to be dead.
        let recycled = matches!(cause, LossCause::Reconnect | LossCause::Closed(Some(4009)));
        let token_found_dead = self.token_killed && *cause == LossCause::Closed(Some(4004));
        let expected = recycled || token_found_dead || now_ms - calm_since <= LATE_LOSS_MS;
        ensure(expected, Promise::StaysUp, || format!("{cause}"))
    }

    pub(in super::super) fn stop_asked(&mut self, now_ms: u64) {
        self.stopping_since = Some(now_ms);
    }

    pub(super) fn stopped(&mut self, now_ms: u64) -> Verdict {
        let took_ms = self.stopping_since.map(|since| now_ms.saturating_sub(since.max(self.awake_since_ms)));
        ensure(took_ms.is_some_and(|ms| ms <= STOP_MS_MAX), Promise::StopsInTime, || format!("{took_ms:?} ms"))
    }

    /// A stop that was asked for is over by now, or begins to be late.
    pub(in super::super) fn stop_is_not_late(&self, now_ms: u64) -> Result<(), (Promise, String)> {
        let took_ms = self.stopping_since.map_or(0, |since| now_ms.saturating_sub(since.max(self.awake_since_ms)));
        ensure(took_ms <= STOP_MS_MAX, Promise::StopsInTime, || format!("{took_ms} ms"))
    }

    pub(super) fn process_ended(&mut self) {
        self.stopping_since = None;
        self.state = "";
    }

    pub(super) fn sleeps_until(&mut self, ms: u64) {
        self.awake_since_ms = ms;
    }

    pub(super) fn calm_begins(&mut self, now_ms: u64) {
        self.calm_since = Some(now_ms);
    }
}
