//! The markup that the platform puts into the text of a message.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use crate::group_message::Mention;
use crate::text::{mend_surrogates, short_openid};
use crate::words::Words;

/// Real tags have about a hundred bytes; what is longer is text that happens to look like one.
const TAG_BYTES_MAX: usize = 4_096;

/// `faceType` of a picture that is also among the attachments.
const IMAGE_STICKER: &str = "6";

/// A text with its markup put into words.
#[derive(Debug, Default)]
pub(crate) struct Plain {
    /// The text.
    pub(crate) text: String,
    /// How many pictures among the attachments were already named.
    pub(crate) stickers: usize,
}

/// Puts faces and mentions into words and takes the bot's own mention out. Everything else stays, also `<` and `&lt;`.
pub(crate) fn plain(content: &str, mentions: &[Mention], words: &Words) -> Plain {
    let mut plain = Plain::default();
    let mut rest = content;
    while let Some(at) = rest.find('<') {
        plain.text.push_str(&rest[..at]);
        rest = &rest[at..];
        let tag = rest.find('>').filter(|end| *end < TAG_BYTES_MAX).map(|end| &rest[1..end]);
        match tag.and_then(Tag::read) {
            Some(known) => {
                plain.push(&known, mentions, words);
                rest = &rest[tag.map_or(1, |tag| tag.len() + 2)..];
            }
            None => {
                plain.text.push('<');
                rest = &rest[1..];
            }
        }
    }
    plain.text.push_str(rest);
    plain
}

/// Sources: QQ bot docs, message format, 2025-04-21 (`<@…>`, `<emoji:…>`); `<faceType=…>` as messages of groups have it.
enum Tag<'a> {
    Mention(&'a str),
    Face { kind: &'a str, ext: &'a str },
    Emoji,
}

impl<'a> Tag<'a> {
    /// Reads what stands between `<` and `>`.
    fn read(tag: &'a str) -> Option<Self> {
        if let Some(id) = tag.strip_prefix('@') {
            let id = id.strip_prefix('!').unwrap_or(id);
            let is_id = !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
            return is_id.then_some(Self::Mention(id));
        }
        if let Some(number) = tag.strip_prefix("emoji:") {
            return (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(Self::Emoji);
        }
        tag.starts_with("faceType=")
            .then(|| Self::Face { kind: attribute(tag, "faceType=").unwrap_or(""), ext: attribute(tag, "ext=").unwrap_or("") })
    }
}

impl Plain {
    fn push(&mut self, tag: &Tag<'_>, mentions: &[Mention], words: &Words) {
        match tag {
            Tag::Mention(id) => match mentions.iter().find(|mention| mention.ids.iter().any(|known| known == id)) {
                Some(mention) if mention.is_me => {}
                Some(Mention { name: Some(name), .. }) => {
                    self.text.push('@');
                    self.text.push_str(name);
                }
                Some(_) | None => {
                    self.text.push('@');
                    self.text.push_str(&short_openid(id));
                }
            },
            Tag::Emoji => self.text.push_str(&words.text("face")),
            Tag::Face { kind, ext } => {
                self.stickers += usize::from(*kind == IMAGE_STICKER);
                match face_name(ext) {
                    Some(name) => {
                        self.text.push('[');
                        self.text.push_str(&name);
                        self.text.push(']');
                    }
                    None => self.text.push_str(&words.text("face")),
                }
            }
        }
    }
}

/// The value after `key`, with or without quotation marks.
fn attribute<'a>(tag: &'a str, key: &str) -> Option<&'a str> {
    let (_, after) = tag.split_once(key)?;
    match after.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => after.split(',').next(),
    }
}

/// The name in `ext`: base64 of `{"text":"流泪"}`.
fn face_name(ext: &str) -> Option<String> {
    const LENIENT: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent).with_decode_allow_trailing_bits(true);
    let bytes = GeneralPurpose::new(&STANDARD, LENIENT).decode(ext).ok()?;
    let json = String::from_utf8(bytes).ok()?;
    let value: Value = serde_json::from_str(&mend_surrogates(&json)).ok()?;
    let name = value.get("text")?.as_str()?.trim().trim_start_matches(['/', '[']).trim_end_matches(']');
    (!name.is_empty()).then(|| name.to_owned())
}
