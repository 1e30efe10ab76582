use std::fmt;

use serde_json::value::RawValue;

use crate::{HaltReason, LossCause};

/// What the gateway tells its owner.
#[derive(Clone, Debug)]
pub enum Event {
    /// A new session began (READY).
    Ready {
        /// The bot's name, when the platform told it.
        bot_name: Option<String>,
    },
    /// The session goes on (RESUMED).
    Resumed {
        /// How many missed dispatches came before.
        replayed: u64,
    },
    /// Something happened in a group or chat.
    Dispatch(Dispatch),
    /// The connection, or an attempt to make one, ended and will be followed by another. One that ends in a halt or a stop is told by
    /// [`Event::Halted`] or [`Event::Stopped`] alone.
    Lost {
        /// Why.
        cause: LossCause,
        /// When the next attempt comes, in ms.
        retry_in_ms: u64,
        /// Whether the session was kept, so that nothing said meanwhile is lost.
        session_kept: bool,
    },
    /// A step towards the session failed and will be repeated by itself.
    SetBack {
        /// Which step, and why.
        setback: Setback,
        /// When it is tried again, in ms.
        retry_in_ms: u64,
    },
    /// The session stopped trying at its usual pace.
    Halted {
        /// The condition on the written list.
        reason: HaltReason,
        /// What the platform said, for the log: codes, never a secret.
        detail: String,
        /// When the slow lane asks again, in ms.
        retry_in_ms: u64,
        /// Whether the same condition was already reported since the last ready session.
        repeated: bool,
    },
    /// The live session's token can be renewed again, after an [`Event::SetBack`] had said that it could not.
    Renewed,
    /// Sessions of ours are called invalid soon after they begin, again and again, without a cause of ours: most likely another program
    /// runs with the same app id. Said once, until a session lives; new sessions are begun slowly meanwhile, so that neither side fights.
    Contested {
        /// How many sessions in a row.
        sessions: u32,
    },
    /// Hello announced no sane heartbeat interval; a default is used.
    OddHello,
    /// A frame could not be read. It changes nothing.
    UnreadableFrame {
        /// Its size.
        bytes: usize,
    },
    /// The session ended after [`Input::Stop`](crate::Input::Stop).
    Stopped,
}

/// A step that failed on the way to a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setback {
    /// No token was had.
    Token(String),
    /// The live session's token cannot be renewed until the operator acts; when the link ends, the session halts.
    Renewal(HaltReason, String),
    /// The endpoint handed out a token that was already refused.
    SameDeadToken,
    /// The address look-up failed.
    Address(String),
    /// The address look-up was refused as too frequent.
    AddressRateLimited,
    /// A brake of our own, or the platform's allowance, holds the next step back for longer than [`Setback::BRAKE_MS_MIN`].
    Braked(&'static str),
}

impl Setback {
    /// Shorter waits behind a brake are not worth telling, in ms.
    pub const BRAKE_MS_MIN: u64 = 10_000;
}

/// One dispatch (op 0). Its body is somebody's words, so it does not print itself.
#[derive(Clone)]
pub struct Dispatch {
    /// The event's name, such as `GROUP_AT_MESSAGE_CREATE`.
    pub name: String,
    /// The outer event id, which a passive reply may name as `event_id`.
    pub event_id: Option<String>,
    /// The sequence within the session.
    pub sequence: Option<u64>,
    /// The body, as it came.
    pub data: Option<Box<RawValue>>,
}

impl fmt::Debug for Dispatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dispatch({}, sequence {:?}, {} bytes)", self.name, self.sequence, self.data.as_ref().map_or(0, |data| data.get().len()))
    }
}
