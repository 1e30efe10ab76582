use crate::notice::HoldCause;
use auk_gateway::Timestamp;

/// A pause of a way to a group, which grows while the cause repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hold {
    /// Why.
    pub(crate) cause: HoldCause,
    /// The platform's code, if there was one.
    pub(crate) code: Option<i64>,
    /// When to try again.
    pub(crate) until: Timestamp,
    /// How often the same cause came before, in a row.
    repeats: u32,
}

impl Hold {
    /// The pause after one more `cause`, which the platform named by `code`. `least_ms` is what the platform itself asked for.
    pub(crate) fn after(previous: Option<Hold>, cause: HoldCause, code: Option<i64>, least_ms: Option<u64>, now: Timestamp) -> Self {
        let repeats = previous.filter(|hold| hold.cause == cause).map_or(0, |hold| hold.repeats.saturating_add(1));
        let (first_ms, max_ms) = length(cause);
        let ms = first_ms.saturating_mul(1 << repeats.min(16)).min(max_ms);
        Self { cause, code, until: now + ms.max(least_ms.unwrap_or(0).min(LEAST_MS_MAX)), repeats }
    }

    /// Whether this pause begins a row of the same cause.
    pub(crate) const fn is_first(&self) -> bool {
        self.repeats == 0
    }
}

/// A `Retry-After` beyond an hour is a mistake of somebody's, and a group should not be silent for it.
const LEAST_MS_MAX: u64 = 60 * 60 * 1000;

/// The first and the longest pause, in milliseconds.
const fn length(cause: HoldCause) -> (u64, u64) {
    const SECOND: u64 = 1_000;
    const MINUTE: u64 = 60 * SECOND;
    match cause {
        // Both may be over at once, and a minute is the longest that a group should wait after the trouble has ended.
        HoldCause::Network => (SECOND, MINUTE),
        HoldCause::RateLimited => (SECOND, MINUTE),
        HoldCause::PlatformTrouble => (3 * SECOND, MINUTE),
        // The driver has already asked for a new token once; another comes within a minute (QQ bot docs, access-token, 2026).
        HoldCause::Unauthorized => (10 * SECOND, 5 * MINUTE),
        // The quota counts by the minute and by the day (QQ bot docs, message overview, July 2026).
        HoldCause::ActiveQuota => (MINUTE, 15 * MINUTE),
        // A person has to do something; `reload` or the platform's own event ends the pause at once.
        HoldCause::ActiveForbidden | HoldCause::Muted | HoldCause::NotInGroup | HoldCause::BotDisabled => (2 * MINUTE, 30 * MINUTE),
    }
}
