use std::fmt;

/// An access token of the platform. It does not print itself.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

impl AccessToken {
    /// Wraps a token as the platform handed it out.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// The token itself, for a store that keeps it over a restart.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The value for the `Authorization` header and for the `token` field of Identify and Resume: `QQBot {token}`, one space, this
    /// case. Source: QQ bot docs, dev-prepare/api-call-guide, 2026-08-10.
    pub fn authorization(&self) -> String {
        format!("QQBot {}", self.0)
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<redacted>")
    }
}
