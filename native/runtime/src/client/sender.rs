use std::sync::Arc;
use std::time::Duration;

use auk_gateway::{AccessToken, CallRefusal, HttpAnswer, HttpFailure, Input, judge_call};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::rest::Rest;

/// Limit on the wait for a token before a call, and for another one after a 401.
const TOKEN_WAIT_MS_MAX: u64 = 10_000;

/// Posts messages with the session's token; cheap to clone.
#[derive(Clone)]
pub struct Sender {
    rest: Arc<Rest>,
    token: watch::Receiver<Option<AccessToken>>,
    inputs: mpsc::UnboundedSender<Input>,
}

/// A text message for a group. Source: QQ bot docs, server-inter/message/send-receive/send, July 2026.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupMessage {
    /// The text.
    pub content: String,
    /// 0: text.
    pub msg_type: u8,
    /// The message that this answers, `d.id` of its event: a passive reply. An active message without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub msg_id: Option<String>,
    /// Distinguishes answers to one message: the pair with `msg_id` must be new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub msg_seq: Option<u32>,
}

/// A message that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its id, if the platform named one. A message under audit has none yet.
    pub id: Option<String>,
}

/// Why a message did not, or may not have, arrived.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The platform refused it.
    #[error("refused with HTTP {status}, code {code:?}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// `err_code` of the body, or `code` where that is missing.
        code: Option<i64>,
        /// The platform's words. They differ from host to host: for the log only.
        message: String,
        /// `Retry-After`, if there was one, in ms.
        retry_after_ms: Option<u64>,
    },
    /// The request certainly never left: sending it again cannot double it.
    #[error("the platform could not be reached")]
    Unreachable,
    /// No answer came; the message may have arrived.
    #[error("no answer came, the message may have arrived")]
    Unknown,
}

impl GroupMessage {
    /// A text that answers a message, with `msg_seq` 1.
    pub fn reply(msg_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { content: content.into(), msg_type: 0, msg_id: Some(msg_id.into()), msg_seq: Some(1) }
    }
}

impl Sender {
    pub(super) fn new(rest: Arc<Rest>, token: watch::Receiver<Option<AccessToken>>, inputs: mpsc::UnboundedSender<Input>) -> Self {
        Self { rest, token, inputs }
    }

    /// Posts a message to a group. A 401 forgets the token, waits for another and repeats the call once, which cannot double the
    /// message: it was refused.
    ///
    /// # Errors
    /// See [`SendError`].
    pub async fn post_group_message(&self, group_openid: &str, message: &GroupMessage) -> Result<Sent, SendError> {
        let body = serde_json::to_string(message).expect("a struct of texts and numbers is JSON");
        let token = self.token_other_than(None).await.ok_or(SendError::Unreachable)?;
        let first = judge(self.rest.post_group_message(&token, group_openid, body.clone()).await);
        let Err(Judged { blames_token: true, .. }) = first else { return first.map_err(|judged| judged.error) };
        let _ = self.inputs.send(Input::TokenRefused { token: token.clone() });
        match self.token_other_than(Some(&token)).await {
            Some(token) => judge(self.rest.post_group_message(&token, group_openid, body).await),
            None => first,
        }
        .map_err(|judged| judged.error)
    }

    async fn token_other_than(&self, refused: Option<&AccessToken>) -> Option<AccessToken> {
        let mut seen = self.token.clone();
        let wanted = seen.wait_for(|token| token.is_some() && token.as_ref() != refused);
        let found = timeout(Duration::from_millis(TOKEN_WAIT_MS_MAX), wanted).await.ok()?.ok()?;
        found.clone()
    }
}

/// A failed call, and whether another token may help.
struct Judged {
    error: SendError,
    blames_token: bool,
}

impl From<SendError> for Judged {
    fn from(error: SendError) -> Self {
        Self { error, blames_token: false }
    }
}

/// Judges an answer by its numbers: any 2xx body with an error code is a refusal, except those that say "under audit" (304023, 304024).
/// Source: QQ bot docs, server-inter/message/post_messages, 2025-04-21.
fn judge(answer: HttpAnswer) -> Result<Sent, Judged> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Body {
        id: Value,
        code: Value,
        err_code: Value,
        message: Value,
    }
    let (status, body, retry_after_ms) = match answer {
        HttpAnswer::Received { status, body, retry_after_ms } => (status, body, retry_after_ms),
        HttpAnswer::Failed(HttpFailure::Unreachable) => return Err(SendError::Unreachable.into()),
        HttpAnswer::Failed(HttpFailure::Timeout | HttpFailure::TooLarge | HttpFailure::Other) => return Err(SendError::Unknown.into()),
    };
    let body: Body = serde_json::from_str(&body).unwrap_or_default();
    let number = |value: &Value| value.as_i64().filter(|code| *code != 0);
    let (legacy, current) = (number(&body.code), number(&body.err_code));
    let code = current.or(legacy);
    let under_audit = matches!(code, Some(304_023 | 304_024));
    if (200..300).contains(&status) && (code.is_none() || under_audit) {
        return Ok(Sent { id: body.id.as_str().map(ToOwned::to_owned) });
    }
    let message = body.message.as_str().unwrap_or_default().to_owned();
    let blames_token = judge_call(status, legacy, current) == CallRefusal::Token;
    Err(Judged { error: SendError::Refused { status, code, message, retry_after_ms }, blames_token })
}
