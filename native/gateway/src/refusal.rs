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
    let named = [code, err_code].into_iter().flatten();
    for number in named {
        match number {
            11_298 | 40_023_002 => return CallRefusal::Operator(HaltReason::AddressNotAllowed),
            11_251 | 11_261 | 11_275 => return CallRefusal::Operator(HaltReason::CredentialsRefused),
            11_265 | 11_700 => return CallRefusal::Operator(HaltReason::BotBanned),
            100_017 | 40_023_001 => return CallRefusal::RateLimited,
            11_241 | 11_243 | 11_244 | 11_245 => return CallRefusal::Token,
            _ => {}
        }
    }
    match status {
        429 => CallRefusal::RateLimited,
        // With another code a 401 is about a right or a trouble of the platform: a token that is dropped for it would be missed for long,
        // since the endpoint hands out the same one for up to two hours.
        401 if code.is_none() && err_code.is_none() => CallRefusal::Token,
        _ => CallRefusal::Other,
    }
}
