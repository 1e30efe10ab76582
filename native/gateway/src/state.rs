use crate::heartbeat::Heartbeat;
use crate::{AccessToken, ConnId, HaltReason, RequestId, Timestamp};

/// Where the session is. Each variant owns its data, so leaving it drops its timers with it.
///
/// ```text
///  AwaitingToken ─▶ AwaitingAddress ─▶ Connecting ─▶ AwaitingHello ─▶ Authenticating ─▶ Ready
///        ▲                 ▲               ▲                │                │            │
///        └──────────── Waiting ◀───────────┴────────────────┴────────────────┴────────────┘   any loss
///                      Halted  (slow lane, then as from Waiting)      Stopping ─▶ Stopped     any state
/// ```
#[derive(Debug)]
pub(crate) enum State {
    /// A token is on its way or its next request is due later; the token keeper holds the deadline.
    AwaitingToken,
    /// The address look-up is on its way.
    AwaitingAddress { request: RequestId, token: AccessToken, deadline: Timestamp },
    /// A brake holds. The text says which.
    Waiting { until: Timestamp, brake: &'static str },
    /// The socket is being opened.
    Connecting { conn: ConnId, deadline: Timestamp },
    /// The socket is open; the platform speaks first.
    AwaitingHello { conn: ConnId, deadline: Timestamp },
    /// Identify or Resume was sent.
    Authenticating { link: Link, by: Authentication, deadline: Timestamp },
    /// op 9 answered the authentication. The close frame behind it may name the reason, so it is waited for, briefly.
    Refused { link: Link, by: Authentication, resumable: bool, deadline: Timestamp },
    /// The session is live.
    Ready { link: Link, since: Timestamp },
    /// Only the operator can mend it; the slow lane asks again.
    Halted { reason: HaltReason, until: Timestamp },
    /// The final close was sent.
    Stopping { conn: ConnId, deadline: Timestamp },
    /// The end.
    Stopped,
}

/// A connection past its Hello.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) conn: ConnId,
    /// The token that it was authenticated with.
    pub(crate) token: AccessToken,
    pub(crate) heartbeat: Heartbeat,
}

/// How a connection was authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Authentication {
    Identify,
    Resume { replayed: u64 },
}

impl State {
    /// The connection that this state lives on, if any.
    pub(crate) fn conn(&self) -> Option<ConnId> {
        match self {
            State::Connecting { conn, .. } | State::AwaitingHello { conn, .. } | State::Stopping { conn, .. } => Some(*conn),
            State::Authenticating { link, .. } | State::Refused { link, .. } | State::Ready { link, .. } => Some(link.conn),
            State::AwaitingToken | State::AwaitingAddress { .. } | State::Waiting { .. } | State::Halted { .. } | State::Stopped => None,
        }
    }

    /// The connection past its Hello, if there is one.
    pub(crate) fn link(&self) -> Option<&Link> {
        match self {
            State::Authenticating { link, .. } | State::Refused { link, .. } | State::Ready { link, .. } => Some(link),
            State::AwaitingToken
            | State::AwaitingAddress { .. }
            | State::Waiting { .. }
            | State::Connecting { .. }
            | State::AwaitingHello { .. }
            | State::Halted { .. }
            | State::Stopping { .. }
            | State::Stopped => None,
        }
    }

    /// Whether the session is to end and nothing new may begin.
    pub(crate) fn is_ending(&self) -> bool {
        matches!(self, State::Stopping { .. } | State::Stopped)
    }

    /// When this state must be left or acted in, and why. Only the end has no deadline; [`State::AwaitingToken`] has the token keeper's.
    pub(crate) fn deadline(&self) -> Option<(Timestamp, &'static str)> {
        match self {
            State::AwaitingToken | State::Stopped => None,
            State::AwaitingAddress { deadline, .. } => Some((*deadline, "address look-up")),
            State::Waiting { until, brake } => Some((*until, brake)),
            State::Connecting { deadline, .. } => Some((*deadline, "connect")),
            State::AwaitingHello { deadline, .. } => Some((*deadline, "hello")),
            State::Authenticating { link, deadline, .. } if link.heartbeat.next() < *deadline => Some((link.heartbeat.next(), "heartbeat")),
            State::Authenticating { by: Authentication::Identify, deadline, .. } => Some((*deadline, "ready")),
            State::Authenticating { by: Authentication::Resume { .. }, deadline, .. } => Some((*deadline, "resumed")),
            State::Refused { deadline, .. } => Some((*deadline, "close code after invalid session")),
            State::Ready { link, .. } => Some((link.heartbeat.next(), "heartbeat")),
            State::Halted { until, .. } => Some((*until, "slow lane")),
            State::Stopping { deadline, .. } => Some((*deadline, "closing handshake")),
        }
    }

    /// Whether a token is needed to go on from here.
    pub(crate) fn wants_token(&self) -> bool {
        match self {
            State::AwaitingToken => true,
            // A live session renews its token by itself; after a refusal by some call it wants one for the calls to come.
            State::Authenticating { .. } | State::Ready { .. } => true,
            State::AwaitingAddress { .. }
            | State::Waiting { .. }
            | State::Connecting { .. }
            | State::AwaitingHello { .. }
            | State::Refused { .. }
            | State::Halted { .. }
            | State::Stopping { .. }
            | State::Stopped => false,
        }
    }

    /// A stable word for the status.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            State::AwaitingToken => "awaiting_token",
            State::AwaitingAddress { .. } => "awaiting_address",
            State::Waiting { .. } => "waiting",
            State::Connecting { .. } => "connecting",
            State::AwaitingHello { .. } => "awaiting_hello",
            State::Authenticating { .. } | State::Refused { .. } => "authenticating",
            State::Ready { .. } => "ready",
            State::Halted { .. } => "halted",
            State::Stopping { .. } => "stopping",
            State::Stopped => "stopped",
        }
    }
}
