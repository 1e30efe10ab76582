use std::collections::VecDeque;

use crate::answer::{Denial, TOKEN_LIFE_S_MAX, TokenGrant, read_token};
use crate::backoff::{Backoff, Failure};
use crate::limiter::Limiter;
use crate::{AccessToken, Credentials, Effect, GatewayConfig, HaltReason, HttpAnswer, Pace, RequestId, SavedToken, Setback, Timestamp};

/// Keeps a good token at hand: one request at a time, renewed ahead of its expiry, and never one that was refused.
///
/// Renewal is a loop without an end that never touches the connection: the old token serves as long as it lives.
pub(crate) struct TokenKeeper {
    lifecycle: Lifecycle,
    /// Tokens that the platform refused, newest last. The endpoint may hand them out again.
    pub(crate) refused: VecDeque<Refused>,
    halt: Option<Halt>,
    pub(crate) not_before: Timestamp,
    next_request: u64,
    pub(crate) limiter: Limiter,
    failure_backoff: Backoff,
    dead_token_backoff: Backoff,
    slow_lane: Backoff,
}

enum Lifecycle {
    Absent,
    Fetching { request: RequestId, deadline: Timestamp, held: Option<Held> },
    Held(Held),
}

#[derive(Clone)]
struct Held {
    token: AccessToken,
    expires: Timestamp,
    refresh: Timestamp,
}

/// A token that the platform refused.
pub(crate) struct Refused {
    token: AccessToken,
    since: Timestamp,
    lasts_ms: u64,
}

/// A refusal that only the operator can mend.
#[derive(Clone, Debug)]
pub(crate) struct Halt {
    pub(crate) reason: HaltReason,
    pub(crate) detail: String,
}

/// What an answer of the token endpoint came to.
#[derive(Debug)]
pub(crate) enum TokenOutcome {
    Granted,
    SetBack(Setback),
    Halted(Halt),
}

/// Refused tokens remembered. The endpoint knows at most two at a time, the current one and the one before.
const REFUSED_MAX: usize = 8;
/// Time for which a token is not used that was refused on the way to a live session. A token that is really dead does not come back to life,
/// but a refusal may have been some gateway's mistake, and the endpoint hands out the same token for up to two hours.
pub(crate) const REFUSED_ON_THE_WAY_MS: u64 = 600_000;
/// The same for one that any other call was refused for: well inside the five minutes in which a reply is passive (QQ bot docs, message
/// overview, July 2026), since a live session says that such a refusal may be a mistake.
pub(crate) const REFUSED_AT_A_CALL_MS: u64 = 120_000;
/// A new token is handed out when the current one has at most 60 s left (QQ bot docs, dev-prepare/access-token, 2026-08-10). 45 s is
/// inside that window, with room for a few tries while the old token lives.
const REFRESH_AHEAD_MS: u64 = 45_000;
/// Shortest wait before another try when the endpoint handed the same short-lived token out again.
const REFRESH_AGAIN_MS: u64 = 5_000;

impl Refused {
    fn stands(&self, now: Timestamp) -> bool {
        now.since(self.since) < self.lasts_ms
    }
}

impl TokenKeeper {
    pub(crate) fn new(config: &GatewayConfig) -> Self {
        let pace = &config.pace;
        Self {
            lifecycle: Lifecycle::Absent,
            refused: VecDeque::new(),
            halt: None,
            not_before: Timestamp::from_ms(0),
            next_request: 1,
            limiter: Limiter::new(pace.token_requests),
            failure_backoff: Backoff::new(pace.token_backoff_ms_base, pace.backoff_ms_max, config.seed ^ 0x746f_6b65),
            dead_token_backoff: Backoff::even(pace.token_backoff_ms_base, pace.backoff_ms_max),
            slow_lane: Backoff::new(pace.slow_lane_ms_base, pace.slow_lane_ms_max, config.seed ^ 0x736c_6f77),
        }
    }

    /// The token to use at `now`, if there is a live one.
    pub(crate) fn usable(&self, now: Timestamp) -> Option<&AccessToken> {
        self.held().filter(|held| now < held.expires).map(|held| &held.token)
    }

    fn held(&self) -> Option<&Held> {
        match &self.lifecycle {
            Lifecycle::Absent => None,
            Lifecycle::Fetching { held, .. } => held.as_ref(),
            Lifecycle::Held(held) => Some(held),
        }
    }

    /// Takes over what an earlier process knew.
    pub(crate) fn restore(&mut self, saved: Option<SavedToken>, requests: impl Iterator<Item = Timestamp> + Clone, now: Timestamp) {
        self.limiter.restore(requests, now);
        if let Some(SavedToken { token, expires }) = saved
            && expires > now
        {
            let life_ms = expires.since(now).min(TOKEN_LIFE_S_MAX * 1_000);
            self.grant(TokenGrant { token, life_ms }, None, now);
        }
    }

    /// What another process can go on with.
    pub(crate) fn saved(&self) -> Option<SavedToken> {
        let held = self.held()?;
        Some(SavedToken { token: held.token.clone(), expires: held.expires })
    }

    /// The refusal that stands in the way of a token, if one does and nothing is being asked.
    pub(crate) fn halt(&self) -> Option<&Halt> {
        self.halt.as_ref().filter(|_| !matches!(self.lifecycle, Lifecycle::Fetching { .. }))
    }

    /// When something is due here: the answer, the renewal, or the next try for a token that is wanted.
    pub(crate) fn deadline(&self, wanted: bool) -> Option<(Timestamp, &'static str)> {
        match &self.lifecycle {
            Lifecycle::Fetching { deadline, .. } => Some((*deadline, "token request")),
            Lifecycle::Held(held) => Some((held.refresh.max(self.not_before), "token renewal")),
            Lifecycle::Absent if wanted => Some((self.not_before, "next token request")),
            Lifecycle::Absent => None,
        }
    }

    /// Does what is due at `now`. A request that was never answered counts as a failure.
    pub(crate) fn handle_timeout(
        &mut self,
        wanted: bool,
        credentials: &Credentials,
        pace: &Pace,
        now: Timestamp,
    ) -> (Option<Effect>, Option<TokenOutcome>) {
        let outcome = match &self.lifecycle {
            Lifecycle::Fetching { deadline, request, .. } if *deadline <= now => {
                let answer = HttpAnswer::Failed(crate::HttpFailure::Timeout);
                self.handle_answer(*request, answer, pace, now)
            }
            Lifecycle::Fetching { .. } | Lifecycle::Held(_) | Lifecycle::Absent => None,
        };
        (self.fetch_if_due(wanted, credentials, pace, now), outcome)
    }

    /// Starts a request when one is due: there is no token and one is wanted, or the held one is to be renewed.
    pub(crate) fn fetch_if_due(&mut self, wanted: bool, credentials: &Credentials, pace: &Pace, now: Timestamp) -> Option<Effect> {
        let held = match &self.lifecycle {
            Lifecycle::Fetching { .. } => return None,
            Lifecycle::Absent if !wanted => return None,
            Lifecycle::Absent => None,
            Lifecycle::Held(held) if now < held.refresh => return None,
            Lifecycle::Held(held) => Some(held.clone()),
        };
        let free = self.limiter.next_free(now).max(self.not_before);
        if now < free {
            self.not_before = free;
            return None;
        }
        self.limiter.take(now);
        let request = RequestId(self.next_request);
        self.next_request += 1;
        self.lifecycle = Lifecycle::Fetching { request, deadline: now + pace.exchange_ms_max, held };
        Some(Effect::FetchToken { request, credentials: credentials.clone() })
    }

    /// Takes the endpoint's answer. `None` when it belongs to another request.
    pub(crate) fn handle_answer(&mut self, request: RequestId, answer: HttpAnswer, pace: &Pace, now: Timestamp) -> Option<TokenOutcome> {
        let held = match &mut self.lifecycle {
            Lifecycle::Fetching { request: current, held, .. } if *current == request => held.take().filter(|held| now < held.expires),
            Lifecycle::Fetching { .. } | Lifecycle::Held(_) | Lifecycle::Absent => return None,
        };
        Some(match read_token(answer) {
            Ok(grant) if self.is_refused(&grant.token, now) => {
                self.not_before = now + self.dead_token_backoff.fail(Failure::Refused, now);
                self.keep(held);
                TokenOutcome::SetBack(Setback::SameDeadToken)
            }
            Ok(grant) => {
                self.grant(grant, held, now);
                TokenOutcome::Granted
            }
            Err(denial) => {
                let outcome = self.deny(denial, pace, now);
                self.keep(held);
                outcome
            }
        })
    }

    /// Forgets a token that the platform refused, and does not use it for `lasts_ms` from its first refusal on.
    pub(crate) fn refuse(&mut self, token: &AccessToken, lasts_ms: u64, now: Timestamp) {
        if let Some(refused) = self.refused.iter_mut().find(|refused| refused.token == *token && refused.stands(now)) {
            refused.lasts_ms = refused.lasts_ms.max(lasts_ms);
        } else {
            self.refused.retain(|refused| refused.token != *token);
            self.refused.push_back(Refused { token: token.clone(), since: now, lasts_ms });
            if self.refused.len() > REFUSED_MAX {
                self.refused.pop_front();
            }
        }
        match &mut self.lifecycle {
            Lifecycle::Held(held) if held.token == *token => self.lifecycle = Lifecycle::Absent,
            Lifecycle::Fetching { held, .. } if held.as_ref().is_some_and(|held| held.token == *token) => *held = None,
            Lifecycle::Held(_) | Lifecycle::Fetching { .. } | Lifecycle::Absent => {}
        }
    }

    /// Lets the next try come at once, and trusts every token again: the operator asked for it. The limiter stays.
    pub(crate) fn retry_at_once(&mut self, now: Timestamp) {
        self.halt = None;
        self.refused.clear();
        self.not_before = now;
        self.failure_backoff.clear();
        self.dead_token_backoff.clear();
        self.slow_lane.clear();
    }

    /// Forgets everything that belongs to the old credentials.
    pub(crate) fn forget_credentials(&mut self) {
        self.lifecycle = Lifecycle::Absent;
    }

    /// Takes over changed rates.
    pub(crate) fn set_pace(&mut self, pace: &Pace) {
        self.limiter.set_rate(pace.token_requests);
        self.failure_backoff.set_bounds(pace.token_backoff_ms_base, pace.backoff_ms_max);
        self.dead_token_backoff.set_bounds(pace.token_backoff_ms_base, pace.backoff_ms_max);
        self.slow_lane.set_bounds(pace.slow_lane_ms_base, pace.slow_lane_ms_max);
    }

    /// When the next request may come, for a report that says so; 0 while one is under way.
    pub(crate) fn retry_in_ms(&self, now: Timestamp) -> u64 {
        if matches!(self.lifecycle, Lifecycle::Fetching { .. }) {
            return 0;
        }
        self.limiter.next_free(now).max(self.not_before).since(now)
    }

    /// Lets the held token outlive its end.
    #[cfg(feature = "plants")]
    pub(crate) fn outlive(&mut self, now: Timestamp) {
        if let Lifecycle::Held(held) | Lifecycle::Fetching { held: Some(held), .. } = &mut self.lifecycle {
            (held.expires, held.refresh) = (now + TOKEN_LIFE_S_MAX * 1_000, now + TOKEN_LIFE_S_MAX * 1_000);
        }
    }

    fn grant(&mut self, grant: TokenGrant, held: Option<Held>, now: Timestamp) {
        let is_same = held.is_some_and(|held| held.token == grant.token);
        let ahead_ms = REFRESH_AHEAD_MS.min(grant.life_ms / 10 * 3);
        let wait_ms = grant.life_ms - ahead_ms;
        // The same one came back before the endpoint's last minute: its end is nearer than was thought.
        let again_ms = (grant.life_ms / 4 * 3).max(REFRESH_AGAIN_MS);
        let refresh = now + if is_same { again_ms } else { wait_ms.max(1_000) };
        self.lifecycle = Lifecycle::Held(Held { token: grant.token, expires: now + grant.life_ms, refresh });
        self.halt = None;
        self.not_before = now;
        self.failure_backoff.clear();
        self.dead_token_backoff.clear();
        self.slow_lane.clear();
    }

    fn is_refused(&self, token: &AccessToken, now: Timestamp) -> bool {
        self.refused.iter().any(|refused| refused.token == *token && refused.stands(now))
    }

    fn keep(&mut self, held: Option<Held>) {
        self.lifecycle = held.map_or(Lifecycle::Absent, Lifecycle::Held);
    }

    fn deny(&mut self, denial: Denial, pace: &Pace, now: Timestamp) -> TokenOutcome {
        match denial {
            Denial::Operator { reason, detail } => {
                self.not_before = now + self.slow_lane.fail(Failure::Refused, now);
                let halt = Halt { reason, detail };
                self.halt = Some(halt.clone());
                TokenOutcome::Halted(halt)
            }
            Denial::RateLimited { retry_after_ms } => {
                self.halt = None;
                self.not_before = now + retry_after_ms.unwrap_or(0).max(pace.rate_limited_ms);
                TokenOutcome::SetBack(Setback::Token("called too often".to_owned()))
            }
            // The token endpoint takes no token, so a 401 from it is some gateway's mood.
            Denial::TokenRefused => self.transient("HTTP 401".to_owned(), now),
            Denial::Transient(why) => self.transient(why, now),
        }
    }

    fn transient(&mut self, why: String, now: Timestamp) -> TokenOutcome {
        self.halt = None;
        self.not_before = now + self.failure_backoff.fail(Failure::Refused, now);
        TokenOutcome::SetBack(Setback::Token(why))
    }
}
