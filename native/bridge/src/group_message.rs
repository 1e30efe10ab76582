//! A message of a group, read leniently: any field may be missing, and a number may stand for a text.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::clean::{self, shorten};
use crate::markup;
use crate::text::{mend_surrogates, short_openid};
use crate::words::Words;

/// Enough of a quoted message to know which one it was.
const QUOTE_CHARS_MAX: usize = 24;

/// Enough of a file's name to know which one it was.
const FILE_NAME_CHARS_MAX: usize = 40;

/// A message of a group.
#[derive(Debug)]
pub(crate) struct GroupMessage {
    /// `d.id`: what an answer refers to.
    pub(crate) id: Option<String>,
    /// The group's openid.
    pub(crate) group: String,
    /// What to call the author.
    pub(crate) member: String,
    /// Whether a bot wrote it.
    pub(crate) by_bot: bool,
    /// Whether it mentions this bot.
    pub(crate) mentioned: bool,
    /// What a reader would see, in words; not cleaned for any side.
    pub(crate) text: String,
}

/// Somebody who is mentioned.
#[derive(Debug)]
pub(crate) struct Mention {
    /// Every id by which the text may call them.
    pub(crate) ids: Vec<String>,
    /// The name shown.
    pub(crate) name: Option<String>,
    /// Whether it is this bot, called by itself and not with everyone.
    pub(crate) is_me: bool,
}

/// Reads the data of an event, mending lone surrogates.
///
/// # Errors
/// In words, without the data.
pub(crate) fn read_data(data: &RawValue) -> Result<Value, String> {
    serde_json::from_str(data.get())
        .or_else(|_| serde_json::from_str(&mend_surrogates(data.get())))
        .map_err(|error| format!("{:?} at line {} column {}", error.classify(), error.line(), error.column()))
}

/// The group that an event is about. `group_id` is the same and older (seen on the wire, 2025-09).
pub(crate) fn group_openid(data: &Value) -> Option<String> {
    string(data, "group_openid").or_else(|| string(data, "group_id"))
}

impl GroupMessage {
    /// Reads `GROUP_AT_MESSAGE_CREATE` (`is_at_event`) or `GROUP_MESSAGE_CREATE` (QQ bot docs, group message events, July 2026);
    /// `None` without a group.
    pub(crate) fn read(data: &Value, is_at_event: bool, words: &Words) -> Option<Self> {
        let author = &data["author"];
        let openid = string(author, "member_openid").or_else(|| string(author, "id")).unwrap_or_default();
        let mentions = mentions(data);
        Some(Self {
            id: string(data, "id"),
            group: group_openid(data)?,
            member: member(author, &openid, words),
            by_bot: flag(author, "bot"),
            mentioned: is_at_event || mentions.iter().any(|mention| mention.is_me),
            text: text(data, &mentions, words),
        })
    }
}

/// The name shown: the author's own if any of it can be seen, else the openid's beginning.
fn member(author: &Value, openid: &str, words: &Words) -> String {
    let shown = |name: &String| !clean::minecraft(name, usize::MAX).is_empty();
    let short = Some(short_openid(openid)).filter(shown);
    string(author, "username").filter(shown).or(short).unwrap_or_else(|| words.text("member"))
}

fn text(data: &Value, mentions: &[Mention], words: &Words) -> String {
    let content = string(data, "content").unwrap_or_default();
    let plain = markup::plain(&content, mentions, words);
    let mut parts = Vec::new();
    parts.extend(quote(data, mentions, words));
    match card(data, words) {
        Some(card) => parts.push(card),
        None => parts.push(plain.text.trim().to_owned()),
    }
    let mut stickers = plain.stickers;
    for attachment in list(data, "attachments") {
        let kind = string(attachment, "content_type").unwrap_or_default();
        if stickers > 0 && kind.starts_with("image") {
            stickers -= 1;
            continue;
        }
        parts.push(attachment_name(attachment, &kind, words));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

/// The message that this one answers, cut short.
fn quote(data: &Value, mentions: &[Mention], words: &Words) -> Option<String> {
    let quoted = list(data, "msg_elements").first()?;
    let content = string(quoted, "content").unwrap_or_default();
    let mut text = markup::plain(&content, mentions, words).text.trim().to_owned();
    if text.is_empty() {
        let attachment = list(quoted, "attachments").first()?;
        text = attachment_name(attachment, &string(attachment, "content_type").unwrap_or_default(), words);
    }
    let text = shorten(&text, QUOTE_CHARS_MAX);
    Some(match string(&quoted["author"], "username") {
        Some(member) => words.fill("quote-of", [("member", member.into()), ("text", text.into())]),
        None => words.fill("quote", [("text", text.into())]),
    })
}

/// The title of a card. `content` has a longer rendering, which stands when there is no title.
fn card(data: &Value, words: &Words) -> Option<String> {
    let card = data.get("ark_data")?;
    let title = string(&card["fields"], "title").or_else(|| string(card, "prompt")).or_else(|| string(&card["fields"], "desc"))?;
    Some(words.fill("card", [("title", title.into())]))
}

fn attachment_name(attachment: &Value, kind: &str, words: &Words) -> String {
    let (plain, named) = match kind.split('/').next().unwrap_or("") {
        "image" => ("image", "image-named"),
        "voice" | "audio" => ("voice", "voice-heard"),
        "video" => ("video", "video-named"),
        _ => ("file", "file-named"),
    };
    let name = if plain == "voice" {
        string(attachment, "asr_refer_text")
    } else {
        string(attachment, "filename").filter(|name| !is_digest(name)).map(|name| shorten(&name, FILE_NAME_CHARS_MAX))
    };
    match name {
        Some(name) => words.fill(named, [("name", name.into())]),
        None => words.text(plain),
    }
}

/// QQ names pictures from the clipboard by their digest, which tells a reader nothing.
fn is_digest(file_name: &str) -> bool {
    let stem = file_name.split('.').next().unwrap_or("");
    stem.len() >= 32 && stem.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

fn mentions(data: &Value) -> Vec<Mention> {
    list(data, "mentions")
        .iter()
        .map(|mention| Mention {
            ids: ["member_openid", "id", "user_openid"].iter().filter_map(|key| string(mention, key)).collect(),
            name: string(mention, "username"),
            is_me: flag(mention, "is_you") && string(mention, "scope").as_deref() != Some("all"),
        })
        .collect()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn string(value: &Value, key: &str) -> Option<String> {
    match value.get(key)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn flag(value: &Value, key: &str) -> bool {
    match value.get(key) {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::String(text)) => matches!(text.as_str(), "true" | "1"),
        Some(Value::Number(number)) => number.as_i64() == Some(1),
        Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => false,
    }
}
