/// Names one attempt to post; never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PostId(pub(crate) u64);

impl PostId {
    /// The number behind the name, for logs.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

/// A text message for a group: `POST /v2/groups/{group_openid}/messages` with `msg_type` 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// Comes back with [`Input::Posted`](crate::Input::Posted).
    pub id: PostId,
    /// The group.
    pub group_openid: String,
    /// The text, already cleaned.
    pub content: String,
    /// The message that this one answers; `None` makes it an active message.
    pub msg_id: Option<String>,
    /// The number of this answer to `msg_id`, from 1; present exactly when `msg_id` is.
    pub msg_seq: Option<u32>,
}

/// How an attempt to post ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The platform took the message.
    Delivered {
        /// The platform's id of the message, if it gave one.
        message_id: Option<String>,
    },
    /// The platform answered, and the answer is not a success. Also for 202 answers that wait for an audit.
    Refused {
        /// `err_code` of the answer, else `code`; `None` when the body had neither.
        code: Option<i64>,
        /// The HTTP status.
        status: u16,
        /// The platform's words. They may quote the message, so they are never logged.
        message: String,
        /// The `Retry-After` header in milliseconds, when there was one.
        retry_after_ms: Option<u64>,
    },
    /// The request certainly never left: no name, no route, no connection, no TLS session.
    Unreachable,
    /// Nobody knows: a time-out, or a connection that broke after the request began to leave.
    Unknown,
}
