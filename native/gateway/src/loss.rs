use std::fmt;

use crate::{ConnectFailure, Language};

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
    Deadline(LinkStep),
    /// There was no usable token left when Hello came.
    TokenGone,
    /// The settings changed, so the old connection was given up.
    Reloaded,
    /// The owner asked for another connection.
    Asked,
}

/// A step towards a live session that has a time of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkStep {
    /// TCP, TLS and the upgrade to a WebSocket.
    Connect,
    /// The platform's Hello.
    Hello,
    /// READY or RESUMED.
    Session,
}

impl LossCause {
    /// The cause in words for the operator.
    pub fn told(&self, language: Language) -> String {
        match language {
            Language::ZhCn => self.in_chinese(),
            Language::EnUs => self.to_string(),
        }
    }

    fn in_chinese(&self) -> String {
        match self {
            LossCause::Reconnect => "平台要求重新连接".to_owned(),
            LossCause::InvalidSession { resumable: true } => "平台不认可这次会话，但允许再次恢复".to_owned(),
            LossCause::InvalidSession { resumable: false } => "平台不认可这次会话，需要重新鉴权".to_owned(),
            LossCause::HeartbeatUnanswered => "连续两次心跳没有回应".to_owned(),
            LossCause::Closed(Some(code)) => format!("平台关闭了连接，代码 {code}"),
            LossCause::Closed(None) => "平台关闭了连接，没有给出代码".to_owned(),
            LossCause::Transport(failure) => failure.in_chinese(),
            LossCause::Oversized { bytes, after } => {
                let (bytes, after) = (bytes.unwrap_or(0), after.unwrap_or(0));
                format!("序号 {after} 之后的一帧有 {bytes} 字节，超过上限，已连同会话一起放弃")
            }
            LossCause::Deadline(step) => format!("等待{}超时", step.in_chinese()),
            LossCause::TokenGone => "平台发来 Hello 时没有可用的令牌".to_owned(),
            LossCause::Reloaded => "设置已重载".to_owned(),
            LossCause::Asked => "管理员要求重新连接".to_owned(),
        }
    }
}

impl LinkStep {
    fn in_chinese(self) -> &'static str {
        match self {
            LinkStep::Connect => "建立连接",
            LinkStep::Hello => "平台的 Hello",
            LinkStep::Session => "平台的鉴权结果",
        }
    }
}

impl fmt::Display for LinkStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LinkStep::Connect => "connect",
            LinkStep::Hello => "hello",
            LinkStep::Session => "ready or resumed",
        })
    }
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
