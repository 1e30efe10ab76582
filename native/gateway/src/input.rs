use std::fmt;

use crate::{AccessToken, ConnId, GatewayConfig, HttpAnswer, RequestId};

/// What the driver reports.
#[derive(Clone, Debug)]
pub enum Input {
    /// The token endpoint answered, or the exchange failed.
    TokenAnswered {
        /// The exchange.
        request: RequestId,
        /// What came of it.
        answer: HttpAnswer,
    },
    /// The address look-up was answered, or the exchange failed.
    AddressAnswered {
        /// The exchange.
        request: RequestId,
        /// What came of it.
        answer: HttpAnswer,
    },
    /// Some other call was refused with 401 because of this token.
    TokenRefused {
        /// The token that the call was made with.
        token: AccessToken,
    },
    /// The WebSocket is open.
    Opened {
        /// The connection.
        conn: ConnId,
    },
    /// The WebSocket could not be opened.
    ConnectFailed {
        /// The connection.
        conn: ConnId,
        /// Why.
        failure: ConnectFailure,
    },
    /// A text frame arrived.
    Frame {
        /// The connection.
        conn: ConnId,
        /// The frame, as it came.
        text: FrameText,
    },
    /// Something arrived that the driver has not read yet, because its owner is busy. It proves life like a frame.
    Traffic {
        /// The connection.
        conn: ConnId,
    },
    /// The connection ended without [`Effect::Close`](crate::Effect::Close) from here.
    Closed {
        /// The connection.
        conn: ConnId,
        /// How.
        close: Close,
    },
    /// New settings, or a wish to try at once.
    Reload(Box<GatewayConfig>),
    /// A wish for another connection: a live one is given up for the next, which resumes; without one the next attempt is made at once.
    Reconnect,
    /// End the session for good.
    Stop,
    /// End here, and leave the session to a process that is given the [`Memory`](crate::Memory).
    Suspend,
}

/// The text of a frame. It may be somebody's words, so it does not print itself.
#[derive(Clone, PartialEq, Eq)]
pub struct FrameText(String);

impl FrameText {
    /// The text, for reading only.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for FrameText {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for FrameText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} bytes>", self.0.len())
    }
}

/// How a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Close {
    /// With a close frame that names this code, or without any (`None`).
    Code(Option<u16>),
    /// By a failure below the WebSocket.
    Transport(ConnectFailure),
}

/// What went wrong below the gateway protocol. All of it is transient: an outage says nothing about credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectFailure {
    /// The address is none, or names a scheme that is not allowed here.
    BadAddress,
    /// The host name could not be resolved.
    Resolve,
    /// TCP refused, unreachable or reset.
    Refused,
    /// The TLS handshake failed.
    Tls,
    /// The upgrade was answered with this HTTP status.
    Upgrade(u16),
    /// A frame or message was larger than the limit.
    TooLarge {
        /// How large, where it is known.
        bytes: Option<u64>,
    },
    /// The proxy did not let us through.
    Proxy,
    /// Anything else.
    Other,
}

impl ConnectFailure {
    pub(crate) fn in_chinese(&self) -> String {
        match self {
            ConnectFailure::BadAddress => "连接地址不可用".to_owned(),
            ConnectFailure::Resolve => "域名解析失败".to_owned(),
            ConnectFailure::Refused => "连接被拒绝、被重置或无法到达".to_owned(),
            ConnectFailure::Tls => "TLS 握手失败".to_owned(),
            ConnectFailure::Upgrade(status) => format!("WebSocket 升级请求得到的回答是 HTTP {status}"),
            ConnectFailure::TooLarge { bytes: Some(bytes) } => format!("收到 {bytes} 字节的一帧，超过上限"),
            ConnectFailure::TooLarge { bytes: None } => "收到的一帧超过上限".to_owned(),
            ConnectFailure::Proxy => "代理拒绝了连接".to_owned(),
            ConnectFailure::Other => "连接中断".to_owned(),
        }
    }
}

impl fmt::Display for ConnectFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConnectFailure::BadAddress => f.write_str("unusable address"),
            ConnectFailure::Resolve => f.write_str("host name not resolved"),
            ConnectFailure::Refused => f.write_str("connection refused, reset or unreachable"),
            ConnectFailure::Tls => f.write_str("TLS handshake failed"),
            ConnectFailure::Upgrade(status) => write!(f, "WebSocket upgrade answered with HTTP {status}"),
            ConnectFailure::TooLarge { bytes: Some(bytes) } => write!(f, "frame of {bytes} bytes, larger than the limit"),
            ConnectFailure::TooLarge { bytes: None } => f.write_str("frame larger than the limit"),
            ConnectFailure::Proxy => f.write_str("proxy refused"),
            ConnectFailure::Other => f.write_str("connection broken"),
        }
    }
}
