//! What the platform wants done: the model's outputs.

use super::clock::Millis;
use super::record::ConnId;

/// A WebSocket message as it goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// A text message. The bytes need not be UTF-8: a misbehaving platform may send anything.
    Text(Vec<u8>),
    /// A binary message.
    Binary(Vec<u8>),
}

impl Frame {
    /// The text of a text message that is UTF-8.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(bytes) => std::str::from_utf8(bytes).ok(),
            Self::Binary(_) => None,
        }
    }
}

/// One thing for the driver to do. The order counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Send a message on a connection.
    Send {
        /// The connection.
        conn: ConnId,
        /// The message.
        frame: Frame,
    },
    /// Close a connection with a close frame. The model has forgotten the connection already.
    Close {
        /// The connection.
        conn: ConnId,
        /// The close code.
        code: u16,
        /// The reason in words.
        reason: String,
    },
    /// End a connection's TCP stream without a close frame. The model has forgotten the connection already.
    Cut {
        /// The connection.
        conn: ConnId,
    },
    /// Post a webhook push and hand the answer to `webhook_answer`.
    Webhook(Push),
}

/// A webhook push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Push {
    /// The push's number, the same when it is repeated.
    pub delivery: u64,
    /// Where to post it.
    pub url: String,
    /// Headers by name.
    pub headers: Vec<(&'static str, String)>,
    /// The body, whose bytes the signature covers.
    pub body: Vec<u8>,
}

/// How a WebSocket upgrade is met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upgrade {
    /// It is accepted after `delay_ms`.
    Accept {
        /// Milliseconds until the answer leaves.
        delay_ms: Millis,
    },
    /// It is refused with an HTTP answer.
    Refuse(super::answer::Answer),
}

/// What the operator of the platform can do at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Ends every connection without a close frame.
    Cut,
    /// Closes every connection with a code.
    Close(u16),
    /// Kills every access token.
    RevokeToken,
    /// Sends op 7 on every live connection; 4009 follows.
    Op7,
    /// Sends op 9 on every live connection and, unless it is resumable, forgets the sessions.
    Op9(super::faults::InvalidSession),
    /// Refuses look-ups for a number of seconds.
    RateLimitAddress {
        /// Seconds.
        seconds: u64,
    },
    /// Forgets every session; live connections are closed with 4009.
    ForgetSessions,
    /// Sends op 1 on every live connection.
    HeartbeatRequest,
    /// Turns every fault off and ends the look-up ban.
    Heal,
}

impl std::fmt::Display for Act {
    /// The name that the control API has for it.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cut => out.write_str("cut"),
            Self::Close(code) => write!(out, "close {code}"),
            Self::RevokeToken => out.write_str("revoke_token"),
            Self::Op7 => out.write_str("op7"),
            Self::Op9(d) => write!(out, "op9 {d}"),
            Self::RateLimitAddress { seconds } => write!(out, "rate_limit_address {seconds} s"),
            Self::ForgetSessions => out.write_str("forget_sessions"),
            Self::HeartbeatRequest => out.write_str("heartbeat_request"),
            Self::Heal => out.write_str("heal"),
        }
    }
}
