use std::fmt;

/// Everything a [`Gateway`](crate::Gateway) is told about its bot and its pace.
#[derive(Clone, Debug)]
pub struct GatewayConfig {
    /// Who the bot is.
    pub credentials: Credentials,
    /// The event classes to identify with, a bit mask. `1 << 25` is GROUP_AND_C2C_EVENT.
    /// Source: QQ bot docs, event-emit/payload, July 2026.
    pub intents: u32,
    /// How fast the session may act.
    pub pace: Pace,
    /// Where chance comes from (jitter of back-off and heartbeats). Two runs with one seed and the same inputs are identical.
    /// A driver replaces 0 by a number of its own.
    pub seed: u64,
}

impl GatewayConfig {
    /// The shipped settings for a bot that lives in groups.
    pub fn new(credentials: Credentials) -> Self {
        Self { credentials, intents: 1 << 25, pace: Pace::default(), seed: 0 }
    }
}

/// The bot's app id and client secret, checked to be usable in a request.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    app_id: String,
    secret: String,
}

/// Why an app id or secret cannot be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialsError {
    /// The app id is empty.
    #[error("the app id is empty")]
    AppIdMissing,
    /// The app id has a character that is neither a letter nor a digit.
    #[error("the app id has a character that is neither a letter nor a digit")]
    AppIdMalformed,
    /// The secret is empty.
    #[error("the secret is empty")]
    SecretMissing,
    /// The secret has white space or a control character in it, so it was not copied whole.
    #[error("the secret has white space or a control character in it")]
    SecretMalformed,
}

impl Credentials {
    /// Checks both parts.
    ///
    /// # Errors
    /// Names the part that cannot be right. Whether the platform accepts the pair only the platform can say.
    pub fn new(app_id: impl Into<String>, secret: impl Into<String>) -> Result<Self, CredentialsError> {
        let (app_id, secret) = (app_id.into(), secret.into());
        if app_id.is_empty() {
            return Err(CredentialsError::AppIdMissing);
        }
        if !app_id.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(CredentialsError::AppIdMalformed);
        }
        if secret.is_empty() {
            return Err(CredentialsError::SecretMissing);
        }
        if secret.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(CredentialsError::SecretMalformed);
        }
        Ok(Self { app_id, secret })
    }

    /// The app id, a number in text.
    pub fn app_id(&self) -> &str {
        &self.app_id
    }

    /// The body of a token request: `{"appId":…,"clientSecret":…}`, both strings.
    /// Source: QQ bot docs, dev-prepare/access-token, 2026-08-10.
    pub fn token_request_body(&self) -> String {
        serde_json::json!({ "appId": self.app_id, "clientSecret": self.secret }).to_string()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("app_id", &self.app_id).field("secret", &"<redacted>").finish()
    }
}

/// How often something may be attempted, whatever comes of it: in any span of `t` ms at most `burst + t / interval_ms` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Attempts that may follow each other at once after a quiet time.
    pub burst: u32,
    /// Time in which one further attempt becomes free, in ms.
    pub interval_ms: u64,
}

/// The session's speed. Every field has a reason; the defaults are the shipped settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// First back-off after a failure. 1.4 s: the first half minute costs 25 attempts, and the way back is met 0.7 s late on average.
    pub backoff_ms_base: u64,
    /// Span from the first failure of a row in which the wait does not double while the platform is not even reached. 45 s: a router, a
    /// proxy or a platform that restarts is back within it, and the allowance of `connects` covers it.
    pub backoff_flat_ms: u64,
    /// Largest back-off. A minute: short enough that nobody restarts the server by hand, long enough to be unnoticed by the platform.
    pub backoff_ms_max: u64,
    /// First wait after a failed token request, and after one that was answered with a token known to be dead. 7.5 s, doubled: the three
    /// requests of a minute are spread over its first half.
    pub token_backoff_ms_base: u64,
    /// Time a session must have been ready before its loss clears the back-off.
    pub stable_ms: u64,
    /// Time a session must have been ready before its loss is followed by an attempt without back-off. 3 s: a platform that accepts
    /// and closes at once is slowed down like one that refuses.
    pub settled_ms: u64,
    /// Attempts to connect. 35 at once, then one in 15 s: at most 39 in any minute and 5,795 in any day, under any fault.
    pub connects: Rate,
    /// Address look-ups. The platform allows 2 a minute and a burst of 10 (QQ bot docs, `GET /gateway`, July 2026); at most 3 here.
    pub look_ups: Rate,
    /// Token requests. At most 3 in any minute, so that an endpoint that hands out a dead token is asked thrice soon, then now and then.
    pub token_requests: Rate,
    /// Identifies, below the platform's daily allowance of 1,000 (QQ bot docs, openapi/wss/shard_url_get): 10 + 960 a day.
    pub identifies: Rate,
    /// Limit on one HTTP exchange, from the request to the last byte of the answer.
    pub exchange_ms_max: u64,
    /// Limit on TCP, TLS and the WebSocket upgrade together.
    pub connect_ms_max: u64,
    /// Limit on the wait for Hello after the upgrade. 4 s: Hello is the platform's first word, and the round trips of TCP, TLS and the
    /// upgrade lie behind it.
    pub hello_ms_max: u64,
    /// Limit on the wait for READY or RESUMED. A long replay comes before RESUMED, so each dispatch of it begins the wait anew, up to
    /// four times this limit in all.
    pub authenticate_ms_max: u64,
    /// Time given to the platform for its half of the closing handshake when the session is stopped.
    pub stop_ms_max: u64,
    /// Pause after close code 4008, "payloads sent too fast". 5 s: the burst that caused it is over.
    pub flood_pause_ms: u64,
    /// Shortest wait after a rate-limited answer that names no time of its own.
    pub rate_limited_ms: u64,
    /// First wait of the slow lane, for conditions that only the operator can mend.
    pub slow_lane_ms_base: u64,
    /// Longest wait of the slow lane.
    pub slow_lane_ms_max: u64,
    /// Age at which an address is looked up again.
    pub address_age_ms_max: u64,
    /// Age at which a session is not resumed any more. After about three days a Resume was seen to succeed and deliver nothing.
    pub session_age_ms_max: u64,
    /// Longest wait for a sign of life after a heartbeat, before the link is asked a second time and after that given up. A quarter of
    /// the interval, but at most this.
    pub ack_ms_max: u64,
}

/// No pace is faster than this, whatever is asked for: a zero in the settings must not be a storm.
const WAIT_MS_MIN: u64 = 100;

impl Rate {
    fn within_reason(self) -> Self {
        Self { burst: self.burst.max(1), interval_ms: self.interval_ms.max(WAIT_MS_MIN) }
    }
}

impl Pace {
    /// The same with every wait raised to where it still is one.
    pub(crate) fn within_reason(self) -> Self {
        let backoff_ms_base = self.backoff_ms_base.max(WAIT_MS_MIN);
        let slow_lane_ms_base = self.slow_lane_ms_base.max(WAIT_MS_MIN);
        let token_backoff_ms_base = self.token_backoff_ms_base.max(WAIT_MS_MIN);
        Self {
            backoff_ms_base,
            backoff_ms_max: self.backoff_ms_max.max(backoff_ms_base),
            token_backoff_ms_base,
            slow_lane_ms_base,
            slow_lane_ms_max: self.slow_lane_ms_max.max(slow_lane_ms_base),
            connects: self.connects.within_reason(),
            look_ups: self.look_ups.within_reason(),
            token_requests: self.token_requests.within_reason(),
            identifies: self.identifies.within_reason(),
            ..self
        }
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            backoff_ms_base: 1_400,
            backoff_flat_ms: 45_000,
            backoff_ms_max: 60_000,
            token_backoff_ms_base: 7_500,
            stable_ms: 60_000,
            settled_ms: 3_000,
            connects: Rate { burst: 35, interval_ms: 15_000 },
            look_ups: Rate { burst: 2, interval_ms: 60_000 },
            token_requests: Rate { burst: 3, interval_ms: 61_000 },
            identifies: Rate { burst: 10, interval_ms: 90_000 },
            exchange_ms_max: 15_000,
            connect_ms_max: 15_000,
            hello_ms_max: 4_000,
            authenticate_ms_max: 15_000,
            stop_ms_max: 1_000,
            flood_pause_ms: 5_000,
            rate_limited_ms: 60_000,
            slow_lane_ms_base: 60_000,
            slow_lane_ms_max: 600_000,
            address_age_ms_max: 24 * 3_600_000,
            session_age_ms_max: 24 * 3_600_000,
            ack_ms_max: 10_000,
        }
    }
}
