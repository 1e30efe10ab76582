use crate::catalogue::{Advice, CATALOGUE};
use crate::{HaltReason, Language};

/// What a close code says about the way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseVerdict {
    /// The session lives: Resume.
    Resume,
    /// A planned cut: Resume at once, it is no failure.
    ResumeAtOnce,
    /// The session lives, but the platform asks for a pause first.
    ResumeAfterPause,
    /// The token is bad: fetch another, then Resume (an Identify would lose what was said meanwhile).
    RefreshToken,
    /// The session is over: Identify.
    Identify,
    /// Only the operator can mend it.
    Halt(HaltReason),
}

/// Judges a close code; `None` is a connection that ended without one.
///
/// The docs resume after 4009 only; here every unknown code is tried with Resume first, since an Identify loses the messages of the gap
/// and a dead session answers with one more refusal.
pub fn close_verdict(code: Option<u16>) -> CloseVerdict {
    code.and_then(|code| CATALOGUE.close.kind(code.into())).unwrap_or(CloseVerdict::Resume)
}

/// What the person who runs the server should know or do about a connection that was closed so.
pub fn close_advice(code: Option<u16>, language: Language) -> &'static str {
    let row = code.and_then(|code| CATALOGUE.close.find(code.into()));
    row.map_or(CloseVerdict::Resume.words().in_language(language), |row| row.advice(language))
}

impl CloseVerdict {
    pub(crate) const fn words(self) -> Advice {
        match self {
            CloseVerdict::Resume => Advice::new(
                "连接意外断开，会自动恢复，期间的消息会补收；若频繁发生，请检查本机网络和代理。",
                "The connection ended early. It is resumed by itself and catches up; if that happens often, look at this machine's network and proxy.",
            ),
            CloseVerdict::ResumeAtOnce => Advice::new(
                "平台定期更换连接，约半小时一次。会立即自动恢复，无需处理。",
                "The platform renews connections every half hour or so. This one is resumed at once by itself; nothing to do.",
            ),
            CloseVerdict::ResumeAfterPause => Advice::new(
                "平台认为发送得太快，暂停片刻后自动恢复；若反复出现，请报告此问题。",
                "Too much was sent in a short time. The connection is resumed by itself after a pause; if it comes back, please report this.",
            ),
            CloseVerdict::RefreshToken => Advice::new(
                "平台不接受当前的访问令牌，会自动更换后恢复；若反复出现，请在 QQ 开放平台核对密钥是否已重置。",
                "The token was not accepted. Another is fetched by itself; if it comes back, see in the QQ open platform's console whether the secret was reset.",
            ),
            CloseVerdict::Identify => Advice::new(
                "平台结束了这次会话，会自动重新上线，无需处理；间隙里的消息可能丢失。",
                "The platform ended the session. A new one begins by itself, nothing to do; messages of the gap may be missing.",
            ),
            CloseVerdict::Halt(reason) => reason.words(),
        }
    }
}
