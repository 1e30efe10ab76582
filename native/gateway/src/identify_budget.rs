use crate::answer::SessionStartLimit;
use crate::limiter::Limiter;
use crate::{Rate, Timestamp};

/// How many new sessions may still be begun: the platform's allowance, and a ceiling of our own that no server behaviour can raise.
#[derive(Clone, Debug)]
pub(crate) struct IdentifyBudget {
    announced: Option<Announced>,
    ceiling: Limiter,
    /// Earliest moment of the next Identify by `max_concurrency`.
    spaced_until: Timestamp,
}

#[derive(Clone, Copy, Debug)]
struct Announced {
    remaining: u64,
    reset: Timestamp,
    max_concurrency: u64,
}

/// `max_concurrency` counts sessions begun in this span. Source: QQ bot docs, openapi/wss/shard_url_get, 2025-04-21.
const CONCURRENCY_SPAN_MS: u64 = 5_000;

/// The counter is a daily one; a later reset is not believed.
const RESET_MS_MAX: u64 = 24 * 3_600_000;

impl IdentifyBudget {
    pub(crate) fn new(rate: Rate) -> Self {
        Self { announced: None, ceiling: Limiter::new(rate), spaced_until: Timestamp::from_ms(0) }
    }

    pub(crate) fn announce(&mut self, limit: SessionStartLimit, now: Timestamp) {
        let max_concurrency = limit.max_concurrency.max(1);
        self.announced = Some(Announced { remaining: limit.remaining, reset: now + limit.reset_after.min(RESET_MS_MAX), max_concurrency });
    }

    /// The earliest moment at which an Identify is allowed; `now` when it is allowed at once.
    pub(crate) fn next_free(&self, now: Timestamp) -> Timestamp {
        let spent_until = match self.announced {
            Some(Announced { remaining: 0, reset, .. }) => reset,
            Some(Announced { .. }) | None => now,
        };
        self.ceiling.next_free(now).max(self.spaced_until).max(spent_until)
    }

    /// Counts an Identify sent at `now`.
    pub(crate) fn take(&mut self, now: Timestamp) {
        self.ceiling.take(now);
        let max_concurrency = self.announced.map_or(1, |announced| announced.max_concurrency);
        self.spaced_until = now + CONCURRENCY_SPAN_MS / max_concurrency;
        match &mut self.announced {
            // After its reset the counter is unknown, and the ceiling alone holds until the next look-up.
            Some(announced) if now >= announced.reset => self.announced = None,
            Some(announced) => announced.remaining = announced.remaining.saturating_sub(1),
            None => {}
        }
    }

    pub(crate) fn set_rate(&mut self, rate: Rate) {
        self.ceiling.set_rate(rate);
    }
}
