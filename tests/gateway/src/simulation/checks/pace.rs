use auk_gateway::{LinkStep, LossCause};
use serde::Deserialize;

use super::super::violation::Promise;
use super::{Verdict, ensure};

/// How often and how soon, over all processes of one server.
pub(in super::super) struct Pace {
    attempts: Attempts,
    connects: Bucket,
    look_ups: Bucket,
    token_requests: Bucket,
    identifies: Bucket,
    allowance: Option<Allowance>,
    /// A look-up was refused as too frequent: none before this.
    quiet_until_ms: u64,
    /// No attempt before this.
    not_before_ms: u64,
    ready_since: Option<u64>,
    row: Row,
}

/// When each thing was attempted, in ms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Connections.
    pub connects: Vec<u64>,
    /// Address look-ups.
    pub look_ups: Vec<u64>,
    /// Token requests.
    pub token_requests: Vec<u64>,
    /// Identifies.
    pub identifies: Vec<u64>,
}

impl Attempts {
    /// Those that came after these.
    pub(in super::super) fn since(&self, before: &Self) -> Self {
        Self {
            connects: self.connects[before.connects.len()..].to_vec(),
            look_ups: self.look_ups[before.look_ups.len()..].to_vec(),
            token_requests: self.token_requests[before.token_requests.len()..].to_vec(),
            identifies: self.identifies[before.identifies.len()..].to_vec(),
        }
    }
}

/// Losses since a session was stable.
#[derive(Default)]
struct Row {
    began_ms: Option<u64>,
    /// Failures after the even span.
    late: u32,
    is_after_stable: bool,
}

/// In any span at most `burst + span / interval`.
struct Bucket {
    burst: u64,
    interval_ms: u64,
    empty_at_ms: u64,
}

struct Allowance {
    remaining: u64,
    reset_ms: u64,
}

impl Pace {
    pub(super) fn new() -> Self {
        let bucket = |burst, interval_ms| Bucket { burst, interval_ms, empty_at_ms: 0 };
        Self {
            attempts: Attempts::default(),
            // The stated bounds (`auk_gateway::Pace`), written down a second time on purpose.
            connects: bucket(35, 15_000),
            look_ups: bucket(2, 60_000),
            token_requests: bucket(3, 61_000),
            identifies: bucket(10, 90_000),
            allowance: None,
            quiet_until_ms: 0,
            not_before_ms: 0,
            ready_since: None,
            row: Row::default(),
        }
    }

    pub(in super::super) fn attempts(&self) -> &Attempts {
        &self.attempts
    }

    pub(super) fn token_request(&mut self, now_ms: u64) -> Verdict {
        self.attempts.token_requests.push(now_ms);
        self.token_requests.take(now_ms, Promise::TokenRequestsWithinBound)
    }

    pub(super) fn look_up(&mut self, now_ms: u64) -> Verdict {
        self.attempts.look_ups.push(now_ms);
        self.look_ups.take(now_ms, Promise::LookUpsWithinBound)?;
        let until_ms = self.quiet_until_ms;
        ensure(now_ms >= until_ms, Promise::QuietAfterRateLimit, || format!("not before {until_ms} ms"))
    }

    pub(super) fn connect(&mut self, now_ms: u64) -> Verdict {
        self.attempts.connects.push(now_ms);
        let not_before_ms = self.not_before_ms;
        self.connects.take(now_ms, Promise::ConnectsWithinBound)?;
        ensure(now_ms >= not_before_ms, Promise::BackoffHonoured, || format!("promised not before {not_before_ms} ms"))
    }

    pub(super) fn identify(&mut self, now_ms: u64) -> Verdict {
        self.attempts.identifies.push(now_ms);
        self.identifies.take(now_ms, Promise::IdentifiesWithinBound)?;
        match &mut self.allowance {
            Some(Allowance { remaining, reset_ms }) if now_ms < *reset_ms => {
                ensure(*remaining > 0, Promise::AllowanceRespected, || format!("none is left until {reset_ms} ms"))?;
                *remaining -= 1;
                Ok(())
            }
            Some(_) | None => {
                self.allowance = None;
                Ok(())
            }
        }
    }

    /// A look-up's answer may tell the allowance, or ask for a pause. The body alone names the reason (100017).
    pub(super) fn address_answer_arrives(&mut self, body: &str, now_ms: u64) {
        if body.contains("100017") {
            self.quiet_until_ms = now_ms + 60_000;
        }
        #[derive(Deserialize)]
        struct Body {
            session_start_limit: Limit,
        }
        #[derive(Deserialize)]
        struct Limit {
            remaining: u64,
            reset_after: u64,
        }
        if let Ok(Body { session_start_limit: Limit { remaining, reset_after } }) = serde_json::from_str(body) {
            self.allowance = Some(Allowance { remaining, reset_ms: now_ms + reset_after });
        }
    }

    pub(super) fn ready(&mut self, now_ms: u64) {
        self.ready_since = Some(now_ms);
        self.not_before_ms = 0;
    }

    /// The next attempt is promised for later. Returns how long a session had been ready, if one was.
    pub(super) fn waits(&mut self, retry_in_ms: u64, now_ms: u64) -> Option<u64> {
        self.not_before_ms = now_ms + retry_in_ms;
        let ready_ms = self.ready_since.take().map(|since| now_ms - since);
        if ready_ms.is_some_and(|ms| ms >= 60_000) {
            self.row = Row { began_ms: None, late: 0, is_after_stable: true };
        }
        ready_ms
    }

    /// The platform refused: what fails next is not the first failure behind a stable session.
    pub(super) fn halted(&mut self, retry_in_ms: u64, now_ms: u64) {
        self.waits(retry_in_ms, now_ms);
        self.row.is_after_stable = false;
    }

    pub(super) fn lost(&mut self, cause: &LossCause, retry_in_ms: u64, now_ms: u64) -> Verdict {
        let ready_ms = self.waits(retry_in_ms, now_ms);
        let planned = matches!(cause, LossCause::Reconnect | LossCause::Asked | LossCause::Closed(Some(4009))) && ready_ms.is_some();
        let settled = ready_ms.is_some_and(|ms| ms >= 3_000);
        let own_pause = matches!(cause, LossCause::InvalidSession { .. } | LossCause::Reloaded | LossCause::Closed(Some(4008)));
        if own_pause {
            // A session that was called invalid may be one of a row that is contested, and then new ones are begun a minute apart.
            self.row.is_after_stable = false;
            if !settled && ready_ms.is_some() {
                // Soon after it began: that is a failure of its own, and the first of a row.
                self.row.began_ms.get_or_insert(now_ms);
            }
        }
        if planned || settled || own_pause {
            return Ok(());
        }
        let since = *self.row.began_ms.get_or_insert(now_ms);
        let unreached =
            matches!(cause, LossCause::Transport(_) | LossCause::Deadline(LinkStep::Connect | LinkStep::Hello)) && ready_ms.is_none();
        let first = since == now_ms && std::mem::take(&mut self.row.is_after_stable);
        // 1.4 s at first, doubled to a minute by each failure behind the even 45 s at least, each within a quarter.
        let least_ms = (1_400 << self.row.late.min(10)).min(60_000) * 3 / 4;
        self.row.late += u32::from(now_ms - since >= 45_000);
        ensure(retry_in_ms >= least_ms, Promise::BackoffHonoured, || format!("{retry_in_ms} ms after {cause}, not {least_ms}"))?;
        ensure(!(first && unreached) || retry_in_ms <= 1_750, Promise::BackoffCleared, || {
            format!("{retry_in_ms} ms after the first failure behind a stable session: {cause}")
        })
    }

    /// The operator asked for a try at once.
    pub(super) fn reloaded(&mut self) {
        self.not_before_ms = 0;
        self.quiet_until_ms = 0;
        self.row = Row::default();
    }

    pub(super) fn process_ended(&mut self) {
        self.ready_since = None;
        self.reloaded();
    }
}

impl Bucket {
    fn take(&mut self, now_ms: u64, promise: Promise) -> Verdict {
        self.empty_at_ms = self.empty_at_ms.max(now_ms) + self.interval_ms;
        let over = self.empty_at_ms - now_ms > self.burst * self.interval_ms;
        ensure(!over, promise, || format!("more than {} and one in {} ms", self.burst, self.interval_ms))
    }
}
