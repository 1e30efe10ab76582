use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::body_codes::BodyCodes;
use crate::refusal::{CallRefusal, judge_call, judge_token_request};
use crate::{AccessToken, HaltReason};

/// What came of an HTTP exchange. A body may hold a token, so it does not print itself.
#[derive(Clone, PartialEq, Eq)]
pub enum HttpAnswer {
    /// An answer was received whole.
    Received {
        /// The HTTP status.
        status: u16,
        /// The body, at most as long as the driver's limit.
        body: String,
        /// The `Retry-After` header in ms, if there was one.
        retry_after_ms: Option<u64>,
    },
    /// No whole answer was received.
    Failed(HttpFailure),
}

impl fmt::Debug for HttpAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HttpAnswer::Received { status, body, .. } => write!(f, "Received(HTTP {status}, {} bytes)", body.len()),
            HttpAnswer::Failed(failure) => write!(f, "Failed({failure:?})"),
        }
    }
}

/// Why no whole answer was received. All of it is transient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpFailure {
    /// The host could not be reached: name, TCP, TLS or proxy.
    Unreachable,
    /// The exchange took longer than it may.
    Timeout,
    /// The body was larger than the limit.
    TooLarge,
    /// Anything else.
    Other,
}

impl fmt::Display for HttpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HttpFailure::Unreachable => "host not reached",
            HttpFailure::Timeout => "no answer in time",
            HttpFailure::TooLarge => "answer larger than the limit",
            HttpFailure::Other => "exchange broken",
        })
    }
}

/// Why a token or address was not granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Denial {
    /// The token that the call was made with is dead.
    TokenRefused,
    /// Called too often.
    RateLimited { retry_after_ms: Option<u64> },
    /// The operator must act.
    Operator { reason: HaltReason, detail: String },
    /// Anything else: try again later. The text is for the log.
    Transient(String),
}

/// A granted token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenGrant {
    pub(crate) token: AccessToken,
    pub(crate) life_ms: u64,
}

/// A granted address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AddressGrant {
    pub(crate) url: String,
    pub(crate) limit: Option<SessionStartLimit>,
}

/// The platform's allowance of new sessions. Source: QQ bot docs, openapi/wss/shard_url_get, 2025-04-21.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct SessionStartLimit {
    /// Identifies left.
    pub(crate) remaining: u64,
    /// Time until the counter is reset, in ms.
    pub(crate) reset_after: u64,
    /// Identifies allowed in 5 s.
    #[serde(default = "one")]
    pub(crate) max_concurrency: u64,
}

fn one() -> u64 {
    1
}

/// A life beyond this is not believed: the docs name 7,200 s as the longest.
pub(crate) const TOKEN_LIFE_S_MAX: u64 = 7_200;
/// Assumed when `expires_in` cannot be read: short, so that a mistake does not last.
const TOKEN_LIFE_S_UNREADABLE: u64 = 300;

/// A longer `Retry-After` is not believed: a mistake there would be a bot that is gone.
const RETRY_AFTER_MS_MAX: u64 = 3_600_000;

/// Reads the token endpoint's answer. A failure comes with status 200 and a `code`, so only a non-empty `access_token` counts.
/// Source: QQ bot docs, dev-prepare/access-token, 2026-08-10.
pub(crate) fn read_token(answer: HttpAnswer) -> Result<TokenGrant, Denial> {
    #[derive(Deserialize)]
    struct Body<'a> {
        #[serde(default)]
        access_token: Option<String>,
        #[serde(borrow, default)]
        expires_in: Option<&'a RawValue>,
    }
    let (status, body, retry_after_ms) = received(answer)?;
    let grant = serde_json::from_str::<Body<'_>>(&body).ok().filter(|_| (200..300).contains(&status));
    if let Some(Body { access_token: Some(token), expires_in }) = grant
        && !token.is_empty()
    {
        let life_s = expires_in.and_then(whole_seconds).unwrap_or(TOKEN_LIFE_S_UNREADABLE).clamp(1, TOKEN_LIFE_S_MAX);
        return Ok(TokenGrant { token: AccessToken::new(token), life_ms: life_s * 1_000 });
    }
    let refusal = Refusal::read(status, &body, retry_after_ms);
    Err(refusal.denial(judge_token_request(status, refusal.codes)))
}

/// `expires_in` is a number in the docs' table and text on the wire; both are read.
fn whole_seconds(raw: &RawValue) -> Option<u64> {
    let text = raw.get().trim_matches('"').trim();
    text.parse::<u64>().ok()
}

/// Reads an address look-up's answer.
pub(crate) fn read_address(answer: HttpAnswer) -> Result<AddressGrant, Denial> {
    #[derive(Deserialize)]
    struct Body {
        #[serde(default)]
        url: Option<String>,
        #[serde(default)]
        session_start_limit: Option<serde_json::Value>,
    }
    let (status, body, retry_after_ms) = received(answer)?;
    let refusal = Refusal::read(status, &body, retry_after_ms);
    if refusal.is_refusal() {
        return Err(refusal.denial(judge_call(status, refusal.codes.code, refusal.codes.err_code)));
    }
    let Ok(Body { url: Some(url), session_start_limit }) = serde_json::from_str::<Body>(&body) else {
        return Err(Denial::Transient(format!("HTTP {status} without an address")));
    };
    if !is_websocket_address(&url) {
        return Err(Denial::Transient("the answer's address is no WebSocket address".to_owned()));
    }
    let limit = session_start_limit.and_then(|limit| serde_json::from_value(limit).ok());
    Ok(AddressGrant { url, limit })
}

fn is_websocket_address(url: &str) -> bool {
    let host = url.strip_prefix("wss://").or_else(|| url.strip_prefix("ws://"));
    host.is_some_and(|host| !host.is_empty() && !host.starts_with('/') && !url.contains(char::is_whitespace))
}

fn received(answer: HttpAnswer) -> Result<(u16, String, Option<u64>), Denial> {
    match answer {
        HttpAnswer::Received { status, body, retry_after_ms } => Ok((status, body, retry_after_ms)),
        HttpAnswer::Failed(failure) => Err(Denial::Transient(failure.to_string())),
    }
}

/// An answer that grants nothing, by its numbers: `message` is worded differently from host to host and is never judged.
#[derive(Clone, Copy, Debug)]
struct Refusal {
    status: u16,
    codes: BodyCodes,
    retry_after_ms: Option<u64>,
}

impl Refusal {
    fn read(status: u16, body: &str, retry_after_ms: Option<u64>) -> Self {
        Self { status, codes: BodyCodes::read(body), retry_after_ms }
    }

    /// A 201 or 202 may carry an error in its body, and a 204 carries nothing.
    fn is_refusal(&self) -> bool {
        !(200..300).contains(&self.status) || self.codes != BodyCodes::default()
    }

    fn denial(self, refusal: CallRefusal) -> Denial {
        match refusal {
            CallRefusal::Token => Denial::TokenRefused,
            CallRefusal::RateLimited => Denial::RateLimited { retry_after_ms: self.retry_after_ms.map(|ms| ms.min(RETRY_AFTER_MS_MAX)) },
            CallRefusal::Operator(reason) => Denial::Operator { reason, detail: self.to_string() },
            CallRefusal::Other => Denial::Transient(self.to_string()),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BodyCodes { code, err_code } = self.codes;
        write!(f, "HTTP {}", self.status)?;
        if let Some(code) = code {
            write!(f, ", code {code}")?;
        }
        match err_code {
            Some(err_code) if code != Some(err_code) => write!(f, ", err_code {err_code}"),
            Some(_) | None => Ok(()),
        }
    }
}
