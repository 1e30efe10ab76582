//! The token book: which access tokens exist and until when each is good.

use super::clock::Millis;
use super::identity::IdSource;

/// The bot's tokens. Only the last `overlap_s` seconds of a token bring a new one (QQ bot docs, dev-prepare/access-token, July 2026).
#[derive(Debug)]
pub(super) struct TokenBook {
    life_ms: u64,
    overlap_ms: u64,
    next_life_ms: u64,
    tokens: Vec<Token>,
}

#[derive(Debug)]
struct Token {
    text: String,
    ends_at: Millis,
    revoked: bool,
}

/// A token as it is handed out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) token: String,
    pub(super) expires_in_s: u64,
}

/// What the platform thinks of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Good,
    /// It was good once: expired or revoked.
    Dead,
    /// It never was.
    Unknown,
}

impl TokenBook {
    pub(super) fn new(life_s: u64, first_life_s: Option<u64>, overlap_s: u64) -> Self {
        Self {
            life_ms: life_s * 1000,
            overlap_ms: overlap_s * 1000,
            next_life_ms: first_life_s.unwrap_or(life_s) * 1000,
            tokens: Vec::new(),
        }
    }

    /// The token to hand out at `now`: the current one, or a new one when the current is about to end or was revoked.
    pub(super) fn grant(&mut self, even_if_revoked: bool, ids: &mut IdSource, now: Millis) -> Grant {
        let fresh = self.tokens.last().filter(|token| token.ends_at > now + self.overlap_ms);
        if let Some(token) = fresh.filter(|token| even_if_revoked || !token.revoked) {
            return Grant { token: token.text.clone(), expires_in_s: (token.ends_at - now) / 1000 };
        }
        let token = Token { text: ids.token(), ends_at: now + self.next_life_ms, revoked: false };
        let grant = Grant { token: token.text.clone(), expires_in_s: self.next_life_ms / 1000 };
        self.next_life_ms = self.life_ms;
        self.tokens.push(token);
        grant
    }

    pub(super) fn judge(&self, text: &str, now: Millis) -> Verdict {
        match self.tokens.iter().find(|token| token.text == text) {
            Some(token) if !token.revoked && token.ends_at > now => Verdict::Good,
            Some(_) => Verdict::Dead,
            None => Verdict::Unknown,
        }
    }

    /// Kills every token before its time.
    pub(super) fn revoke_all(&mut self) {
        for token in &mut self.tokens {
            token.revoked = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{IdSource, TokenBook, Verdict};

    #[test]
    fn the_same_token_comes_back_until_its_last_minute_and_both_are_good_then() {
        let (mut book, mut ids) = (TokenBook::new(7200, Some(1222), 60), IdSource::new(1));
        let first = book.grant(false, &mut ids, 0);
        assert_eq!(first.expires_in_s, 1222);
        // 1222 s less 1161 s leaves 61 s: still the old one.
        let again = book.grant(false, &mut ids, 1_161_000);
        assert_eq!((&again.token, again.expires_in_s), (&first.token, 61));
        // One second on, 60 s are left: a new one with a whole life.
        let second = book.grant(false, &mut ids, 1_162_000);
        assert_eq!(second.expires_in_s, 7200);
        assert_ne!(second.token, first.token);
        assert_eq!(book.judge(&first.token, 1_221_999), Verdict::Good);
        assert_eq!(book.judge(&first.token, 1_222_000), Verdict::Dead);
        assert_eq!(book.judge(&second.token, 1_222_000), Verdict::Good);
        assert_eq!(book.judge("tok_x", 0), Verdict::Unknown);
    }

    #[test]
    fn a_revoked_token_is_replaced_unless_the_platform_insists_on_it() {
        let (mut book, mut ids) = (TokenBook::new(7200, None, 60), IdSource::new(1));
        let first = book.grant(false, &mut ids, 0);
        book.revoke_all();
        assert_eq!(book.judge(&first.token, 1), Verdict::Dead);
        assert_eq!(book.grant(true, &mut ids, 1000).token, first.token);
        assert_ne!(book.grant(false, &mut ids, 1000).token, first.token);
    }
}
