use std::fmt;

use crate::{AccessToken, Credentials, Memo};

/// One HTTP exchange that the gateway asked for. Ids only grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub(crate) u64);

/// One connection, from the attempt to its end. Ids only grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnId(pub(crate) u64);

/// Close code of the final stop, the only one after which the platform's half of the closing handshake is awaited.
pub const CODE_FINAL: u16 = 1000;
/// Close code when the session is to live on. 1000 and 1001 may read as a logout.
pub const CODE_RESUMING: u16 = 4000;

/// What the driver is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Ask the token endpoint; answer with [`Input::TokenAnswered`](crate::Input::TokenAnswered).
    FetchToken {
        /// Names the exchange.
        request: RequestId,
        /// What to ask with.
        credentials: Credentials,
    },
    /// Look the gateway's address up; answer with [`Input::AddressAnswered`](crate::Input::AddressAnswered).
    FetchAddress {
        /// Names the exchange.
        request: RequestId,
        /// The token to ask with.
        token: AccessToken,
        /// Which of the two calls to make.
        endpoint: AddressEndpoint,
    },
    /// Open a WebSocket; answer with [`Input::Opened`](crate::Input::Opened) or [`Input::ConnectFailed`](crate::Input::ConnectFailed).
    Connect {
        /// Names the connection.
        conn: ConnId,
        /// A `ws` or `wss` address.
        url: String,
    },
    /// Send a text frame.
    Send {
        /// The connection to send on.
        conn: ConnId,
        /// The frame.
        text: Outgoing,
    },
    /// Give the connection, or the attempt to make it, up: send this close code if it is open, and drop the socket without waiting.
    Close {
        /// The connection to end.
        conn: ConnId,
        /// [`CODE_FINAL`], or [`CODE_RESUMING`] when the session is to live on.
        code: u16,
    },
    /// Keep this for the next process, if it can be kept.
    Remember(Memo),
}

/// The two calls that answer with the gateway's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressEndpoint {
    /// `GET /gateway/bot`, with the session start limit.
    GatewayBot,
    /// `GET /gateway`, the fallback.
    Gateway,
}

impl AddressEndpoint {
    /// The path below the API base.
    pub fn path(self) -> &'static str {
        match self {
            AddressEndpoint::GatewayBot => "/gateway/bot",
            AddressEndpoint::Gateway => "/gateway",
        }
    }
}

/// A frame on its way to the platform. It may hold the token, so it does not print itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Outgoing(pub(crate) String);

impl Outgoing {
    /// The frame's text, for the socket only.
    pub fn into_text(self) -> String {
        self.0
    }

    /// The frame's text, for the socket only.
    pub fn as_text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} bytes>", self.0.len())
    }
}
