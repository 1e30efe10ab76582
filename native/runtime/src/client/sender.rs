use std::sync::Arc;
use std::time::Duration;

use auk_gateway::{AccessToken, BodyCodes, CallRefusal, HttpAnswer, HttpFailure, Input, RefusalKind, SavedToken, judge_call, judge_post};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::clock::Clock;
use super::rest::Rest;
use super::send_queue::SendQueue;

/// Limit on the wait for a token before a call, and for another one after a 401. An endpoint that hands out a dead token is asked three
/// times in the first 22.5 s.
const TOKEN_WAIT_MS_MAX: u64 = 30_000;

/// Posts messages with the session's token; cheap to clone.
#[derive(Clone)]
pub struct Sender {
    rest: Arc<Rest>,
    token: watch::Receiver<Option<SavedToken>>,
    clock: Clock,
    inputs: mpsc::UnboundedSender<Input>,
    queue: Arc<SendQueue>,
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
    /// Too many posts wait for their turn already. Nothing was sent.
    #[error("too many messages wait to be sent")]
    QueueFull,
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
    pub(super) fn new(
        rest: Arc<Rest>,
        token: watch::Receiver<Option<SavedToken>>,
        clock: Clock,
        inputs: mpsc::UnboundedSender<Input>,
        queue: Arc<SendQueue>,
    ) -> Self {
        Self { rest, token, clock, inputs, queue }
    }

    /// Posts a message to a group, when its turn comes: calls beyond the platform's rate wait in the order in which they were made. A 401
    /// forgets the token, waits for another and repeats the call once, which cannot double the message: it was refused.
    ///
    /// # Errors
    /// See [`SendError`].
    pub async fn post_group_message(&self, group_openid: &str, message: &GroupMessage) -> Result<Sent, SendError> {
        let body = serde_json::to_string(message).expect("a struct of texts and numbers is JSON");
        let token = self.token_other_than(None).await.ok_or(SendError::Unreachable)?;
        let first = self.try_post(&token, group_openid, body.clone()).await;
        let Err(Judged { blames_token: true, .. }) = first else { return first.map_err(|judged| judged.error) };
        let _ = self.inputs.send(Input::TokenRefused { token: token.clone() });
        match self.token_other_than(Some(&token)).await {
            Some(token) => self.try_post(&token, group_openid, body).await,
            None => first,
        }
        .map_err(|judged| judged.error)
    }

    async fn try_post(&self, token: &AccessToken, group_openid: &str, body: String) -> Result<Sent, Judged> {
        self.queue.turn().await?;
        let judged = judge(self.rest.post_group_message(token, group_openid, body).await);
        if let Err(Judged { error: SendError::Refused { status, code, retry_after_ms, .. }, .. }) = &judged
            && judge_post(*status, *code) == Some(RefusalKind::RateLimited)
        {
            self.queue.pause(*retry_after_ms);
        }
        judged
    }

    /// A token that lives. The one that was told last may have run out since, while it could not be renewed.
    async fn token_other_than(&self, refused: Option<&AccessToken>) -> Option<AccessToken> {
        let mut seen = self.token.clone();
        let is_good = |known: &SavedToken| self.clock.now() < known.expires && Some(&known.token) != refused;
        let wanted = seen.wait_for(|known| known.as_ref().is_some_and(is_good));
        let found = timeout(Duration::from_millis(TOKEN_WAIT_MS_MAX), wanted).await.ok()?.ok()?;
        found.as_ref().map(|known| known.token.clone())
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

/// Judges an answer by its numbers: any 2xx body with an error code is a refusal, except those that say "under audit".
/// Source: QQ bot docs, server-inter/message/post_messages, 2025-04-21.
fn judge(answer: HttpAnswer) -> Result<Sent, Judged> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Body {
        id: Value,
        message: Value,
    }
    let (status, body, retry_after_ms) = match answer {
        HttpAnswer::Received { status, body, retry_after_ms } => (status, body, retry_after_ms),
        HttpAnswer::Failed(HttpFailure::Unreachable) => return Err(SendError::Unreachable.into()),
        HttpAnswer::Failed(HttpFailure::Timeout | HttpFailure::TooLarge | HttpFailure::Other) => return Err(SendError::Unknown.into()),
    };
    let codes = BodyCodes::read(&body);
    let body: Body = serde_json::from_str(&body).unwrap_or_default();
    let code = codes.name();
    let under_audit = judge_post(status, code) == Some(RefusalKind::InAudit);
    if (200..300).contains(&status) && (code.is_none() || under_audit) {
        return Ok(Sent { id: body.id.as_str().map(ToOwned::to_owned) });
    }
    let message = body.message.as_str().unwrap_or_default().to_owned();
    let blames_token = judge_call(status, codes.code, codes.err_code) == CallRefusal::Token;
    Err(Judged { error: SendError::Refused { status, code, message, retry_after_ms }, blames_token })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_comes_as_text_is_read_like_any_other() {
        let dead = judge(received(401, r#"{"code":"11244","message":"x"}"#)).expect_err("a refusal");
        assert!(dead.blames_token);
        assert!(matches!(dead.error, SendError::Refused { code: Some(11244), .. }), "{:?}", dead.error);
        let elsewhere = judge(received(200, r#"{"id":"a","code":"11298","err_code":"40023002"}"#)).expect_err("a refusal");
        assert!(!elsewhere.blames_token);
        assert!(matches!(elsewhere.error, SendError::Refused { code: Some(40023002), .. }), "{:?}", elsewhere.error);
        assert!(judge(received(202, r#"{"code":"304023"}"#)).is_ok(), "under audit");
        assert!(judge(received(200, r#"{"id":"a","code":"0","err_code":0}"#)).is_ok(), "zero is no error");
    }

    fn received(status: u16, body: &str) -> HttpAnswer {
        HttpAnswer::Received { status, body: body.to_owned(), retry_after_ms: None }
    }
}
