//! Names of things on the platform: openids, message ids, event ids, session ids.

/// The openid that stands for `name` within `scope` (a group, or the bot for users): 32 upper-case hex characters.
///
/// The same name in another scope has another openid, as QQ bot docs, dev-prepare/unique-id, 2025-04-21 say.
#[must_use]
pub fn openid(scope: &str, name: &str) -> String {
    let text = format!("{scope}\u{0}{name}");
    format!("{:016X}{:016X}", hash(&text, 1), hash(&text, 2))
}

/// Hands out ids that no one else gets, from a seed.
#[derive(Debug)]
pub(super) struct IdSource {
    rng: fastrand::Rng,
}

impl IdSource {
    pub(super) fn new(seed: u64) -> Self {
        Self { rng: fastrand::Rng::with_seed(seed) }
    }

    /// A message id: `ROBOT1.0_`, url-safe text with dots, and `!` at the end.
    pub(super) fn message(&mut self) -> String {
        let body = self.letters(40, b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789.-_");
        format!("ROBOT1.0_{body}!")
    }

    /// An event id: the event's name, a colon and lower-case text. It is what `event_id` of a reply takes.
    pub(super) fn event(&mut self, name: &str) -> String {
        format!("{name}:{}", self.letters(24, b"abcdefghijklmnopqrstuvwxyz0123456789"))
    }

    /// A random UUID (version 4), the form of session ids.
    pub(super) fn uuid(&mut self) -> String {
        let high = (self.rng.u64(..) & !0xf000) | 0x4000;
        let low = (self.rng.u64(..) & !(0b11 << 62)) | (0b10 << 62);
        format!("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xffff, low >> 48, low & 0xffff_ffff_ffff)
    }

    /// A trace id: 32 hex characters.
    pub(super) fn trace(&mut self) -> String {
        format!("{:032x}", self.rng.u128(..))
    }

    /// A reference index of a message.
    pub(super) fn reference(&mut self) -> String {
        format!("REFIDX_{}==", self.letters(22, b"abcdefghijklmnopqrstuvwxyz0123456789"))
    }

    /// An access token.
    pub(super) fn token(&mut self) -> String {
        format!("tok_{:032x}", self.rng.u128(..))
    }

    /// An evenly distributed index below `bound`, which is above zero.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.rng.usize(..bound)
    }

    fn letters(&mut self, count: usize, alphabet: &[u8]) -> String {
        (0..count).map(|_| char::from(alphabet[self.rng.usize(..alphabet.len())])).collect()
    }
}

/// FNV-1a, finished by a mix so that short names differ in every digit.
fn hash(text: &str, salt: u64) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64 ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let sum = text.bytes().fold(start, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (sum ^ (sum >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::{IdSource, openid};

    #[test]
    fn one_person_has_another_openid_in_another_group() {
        assert_eq!(openid("g1", "小明"), openid("g1", "小明"));
        assert_ne!(openid("g1", "小明"), openid("g2", "小明"));
        assert_eq!(openid("g1", "小明").len(), 32);
    }

    #[test]
    fn the_same_seed_gives_the_same_ids() {
        let (mut one, mut two) = (IdSource::new(7), IdSource::new(7));
        assert_eq!(one.message(), two.message());
        assert_eq!(one.uuid().len(), 36);
        assert_ne!(one.token(), one.token());
    }
}
