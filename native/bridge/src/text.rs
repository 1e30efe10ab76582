//! Repairs of text that other programs wrote.

use std::borrow::Cow;

/// The characters of an openid that may be shown: enough to tell groups apart, too few to address one.
const OPENID_CHARS_SHOWN: usize = 8;

/// Turns every escape of a lone surrogate (`\ud83d` without its other half) in JSON text into `\ufffd`.
///
/// A Java string may hold half a character, and JSON can escape it, but UTF-8 cannot say it, so a strict reader refuses the whole
/// text. Whole pairs, other escapes and everything outside them stay as they are.
pub fn mend_surrogates(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut mended: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        let Some(unit) = escaped_unit(bytes, at) else {
            at += 2;
            continue;
        };
        let is_high = (0xD800..0xDC00).contains(&unit);
        let is_low = (0xDC00..0xE000).contains(&unit);
        if is_high && escaped_unit(bytes, at + 6).is_some_and(|next| (0xDC00..0xE000).contains(&next)) {
            at += 12;
            continue;
        }
        if is_high || is_low {
            let out = mended.get_or_insert_with(String::new);
            out.push_str(&json[copied..at]);
            out.push_str("\\ufffd");
            copied = at + 6;
        }
        at += 6;
    }
    match mended {
        None => Cow::Borrowed(json),
        Some(mut out) => {
            out.push_str(&json[copied..]);
            Cow::Owned(out)
        }
    }
}

/// The number in an escape such as `\u00e9` that begins at `at`.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    if escape[0] != b'\\' || escape[1] != b'u' {
        return None;
    }
    escape[2..].iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}

/// The first characters of an openid, for logs and for members without a name.
pub fn short_openid(openid: &str) -> String {
    openid.chars().take(OPENID_CHARS_SHOWN).collect()
}
