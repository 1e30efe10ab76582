use crate::HaltReason;

/// What the refusal of an authenticated call says about the session's own means. What it says about the call's content is the caller's
/// affair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallRefusal {
    /// The token is dead: forget it, fetch another, repeat the call once.
    Token,
    /// Called too often.
    RateLimited,
    /// Only the operator can mend it.
    Operator(HaltReason),
    /// Nothing of these.
    Other,
}

/// Judges a refused call by its numbers: the HTTP status and the body's `code` and `err_code`, of which either may be missing. The words in
/// the body differ from host to host and are never judged.
///
/// Source: QQ bot docs, dev-prepare/api-call-guide, July 2026; the pairs of `code` and `err_code` as seen on the wire.
pub fn judge_call(status: u16, code: Option<i64>, err_code: Option<i64>) -> CallRefusal {
    match (code, err_code) {
        (Some(11_298), _) | (_, Some(40_023_002)) => CallRefusal::Operator(HaltReason::AddressNotAllowed),
        (Some(11_251 | 11_261 | 11_275), _) => CallRefusal::Operator(HaltReason::CredentialsRefused),
        (Some(11_265 | 11_700), _) => CallRefusal::Operator(HaltReason::BotBanned),
        (Some(100_017), _) | (_, Some(40_023_001)) => CallRefusal::RateLimited,
        (Some(11_241 | 11_243 | 11_244 | 11_245), _) => CallRefusal::Token,
        // "Could not check the token": the platform's trouble, with status 401 all the same.
        (Some(11_242 | 11_252), _) => CallRefusal::Other,
        _ if status == 401 => CallRefusal::Token,
        _ if status == 429 => CallRefusal::RateLimited,
        _ => CallRefusal::Other,
    }
}
