use crate::HaltReason;

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

/// Judges a close code; `None` is a connection that ended without one (1005, 1006).
///
/// Codes 4001 to 4915: QQ bot docs, error-trace/websocket, 2025-04-21; 4003, 4004, 4005: the official Go SDK's list; 4924: field reports.
/// The table is repeated as text in `tests/vectors/close_codes.txt`, and a test compares both.
///
/// The docs resume after 4009 only; here every unknown code is tried with Resume first, since an Identify loses the messages of the gap
/// and a dead session answers with one more refusal.
pub fn close_verdict(code: Option<u16>) -> CloseVerdict {
    let Some(code) = code else { return CloseVerdict::Resume };
    match code {
        4001 | 4002 | 4010..=4012 => CloseVerdict::Halt(HaltReason::ProtocolRefused),
        4004 => CloseVerdict::RefreshToken,
        4000 | 4003 | 4005..=4007 => CloseVerdict::Identify,
        4008 => CloseVerdict::ResumeAfterPause,
        4009 => CloseVerdict::ResumeAtOnce,
        4013 | 4014 => CloseVerdict::Halt(HaltReason::IntentsRefused),
        4900..=4913 => CloseVerdict::Identify,
        4914 => CloseVerdict::Halt(HaltReason::BotDelisted),
        4915 => CloseVerdict::Halt(HaltReason::BotBanned),
        4924 => CloseVerdict::Halt(HaltReason::AddressNotAllowed),
        _ => CloseVerdict::Resume,
    }
}
