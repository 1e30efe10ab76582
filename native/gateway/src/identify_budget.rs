use crate::answer::SessionStartLimit;
use crate::limiter::Limiter;
use crate::{Rate, SavedAllowance, Timestamp};

/// How many new sessions may still be begun: the platform's allowance, and a ceiling of our own that no server behaviour can raise.
#[derive(Clone, Debug)]
pub(crate) struct IdentifyBudget {
    announced: Option<SavedAllowance>,
    pub(crate) ceiling: Limiter,
    /// Earliest moment of the next Identify by `max_concurrency`.
    spaced_until: Timestamp,
    /// A look-up was granted since the last Identify: asking again would tell nothing new.
    asked: bool,
}

/// `max_concurrency` counts sessions begun in this span. Source: QQ bot docs, openapi/wss/shard_url_get, 2025-04-21.
const CONCURRENCY_SPAN_MS: u64 = 5_000;

/// The counter is a daily one; a later reset is not believed.
const RESET_MS_MAX: u64 = 24 * 3_600_000;

impl IdentifyBudget {
    pub(crate) fn new(rate: Rate) -> Self {
        Self { announced: None, ceiling: Limiter::new(rate), spaced_until: Timestamp::from_ms(0), asked: false }
    }

    /// A look-up was granted, with the allowance if the platform told it.
    pub(crate) fn looked_up(&mut self, limit: Option<SessionStartLimit>, now: Timestamp) {
        self.asked = true;
        if let Some(SessionStartLimit { remaining, reset_after, max_concurrency }) = limit {
            let (reset, max_concurrency) = (now + reset_after.min(RESET_MS_MAX), max_concurrency.max(1));
            self.announced = Some(SavedAllowance { remaining, reset, max_concurrency });
        }
    }

    /// Whether a look-up should come before the next Identify: what the platform allows is not known, or not any more.
    pub(crate) fn wants_look_up(&self, now: Timestamp) -> bool {
        !self.asked && self.announced.is_none_or(|announced| now >= announced.reset)
    }

    /// Takes over what an earlier process knew.
    pub(crate) fn restore(
        &mut self,
        announced: Option<SavedAllowance>,
        identifies: impl Iterator<Item = Timestamp> + Clone,
        now: Timestamp,
    ) {
        let max_concurrency = announced.map_or(1, |announced| announced.max_concurrency.max(1));
        self.announced =
            announced.map(|allowance| SavedAllowance { reset: allowance.reset.min(now + RESET_MS_MAX), max_concurrency, ..allowance });
        if let Some(last) = identifies.clone().last() {
            self.spaced_until = last.min(now) + CONCURRENCY_SPAN_MS / max_concurrency;
        }
        self.ceiling.restore(identifies, now);
    }

    /// What is known of the platform's allowance.
    pub(crate) fn announced(&self) -> Option<SavedAllowance> {
        self.announced
    }

    /// The earliest moment at which an Identify is allowed; `now` when it is allowed at once.
    pub(crate) fn next_free(&self, now: Timestamp) -> Timestamp {
        let spent_until = match self.announced {
            Some(SavedAllowance { remaining: 0, reset, .. }) => reset,
            Some(SavedAllowance { .. }) | None => now,
        };
        self.ceiling.next_free(now).max(self.spaced_until).max(spent_until)
    }

    /// Counts an Identify sent at `now`.
    pub(crate) fn take(&mut self, now: Timestamp) {
        self.ceiling.take(now);
        self.asked = false;
        let max_concurrency = self.announced.map_or(1, |announced| announced.max_concurrency);
        self.spaced_until = now + CONCURRENCY_SPAN_MS / max_concurrency;
        match &mut self.announced {
            // After its reset the counter is unknown until the next look-up.
            Some(announced) if now >= announced.reset => self.announced = None,
            Some(announced) => announced.remaining = announced.remaining.saturating_sub(1),
            None => {}
        }
    }

    pub(crate) fn set_rate(&mut self, rate: Rate) {
        self.ceiling.set_rate(rate);
    }
}
