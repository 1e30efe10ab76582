use std::fmt;

use crate::ConnectFailure;

/// Why a connection, or the attempt to make one, ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// The platform asked for a new connection (op 7).
    Reconnect,
    /// The platform does not know the session (op 9).
    InvalidSession {
        /// Whether it says that a Resume may be tried again.
        resumable: bool,
    },
    /// Two heartbeats in a row stayed without any sign of life.
    HeartbeatUnanswered,
    /// The platform closed with this code, or without one.
    Closed(Option<u16>),
    /// The connection could not be made, or broke below the WebSocket.
    Transport(ConnectFailure),
    /// A frame over the limit was met twice at the same point of a session, which is given up: what it still held is lost.
    Oversized {
        /// How large the frame is, where it is known.
        bytes: Option<u64>,
        /// The last sequence that came before it.
        after: Option<u64>,
    },
    /// A step took longer than it may.
    Deadline(&'static str),
    /// There was no usable token left when Hello came.
    TokenGone,
    /// The settings changed, so the old connection was given up.
    Reloaded,
    /// The owner asked for another connection.
    Asked,
}

impl fmt::Display for LossCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LossCause::Reconnect => f.write_str("the platform asked for a new connection"),
            LossCause::InvalidSession { resumable } => write!(f, "invalid session, resumable {resumable}"),
            LossCause::HeartbeatUnanswered => f.write_str("two heartbeats unanswered"),
            LossCause::Closed(Some(code)) => write!(f, "closed with code {code}"),
            LossCause::Closed(None) => f.write_str("closed without a code"),
            LossCause::Transport(failure) => write!(f, "{failure}"),
            LossCause::Oversized { bytes, after } => {
                let (bytes, after) = (bytes.unwrap_or(0), after.unwrap_or(0));
                write!(
                    f,
                    "a frame of {bytes} bytes behind sequence {after} is larger than the limit; it is given up, and the session with it"
                )
            }
            LossCause::Deadline(step) => write!(f, "no answer in time: {step}"),
            LossCause::TokenGone => f.write_str("no usable token when the platform said Hello"),
            LossCause::Reloaded => f.write_str("settings reloaded"),
            LossCause::Asked => f.write_str("another connection was asked for"),
        }
    }
}
