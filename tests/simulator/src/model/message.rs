//! Messages as people write them, and the `d` of the events that carry them to the bot.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::clock::rfc3339_beijing;
use super::identity::openid;
use super::settings::{Group, MentionAs, User};

/// What a member says in a group, or a person to the bot alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Say {
    /// The speaker's name; the openid follows from it. Not used in a single chat.
    #[serde(default)]
    pub member: String,
    /// The text as the bot gets it, without the mention of the bot.
    pub text: String,
    /// Whether the speaker mentions the bot.
    #[serde(default)]
    pub at: bool,
    /// `attachments`, passed on as they are.
    #[serde(default)]
    pub attachments: Vec<Value>,
    /// `mentions` of other people, passed on as they are.
    #[serde(default)]
    pub mentions: Vec<Value>,
    /// `member`, `admin` or `owner`; `member` if none.
    #[serde(default)]
    pub role: Option<String>,
    /// Whether the speaker is another bot.
    #[serde(default)]
    pub bot: bool,
    /// As which event a mention comes; none for the group's own setting.
    #[serde(default)]
    pub mention_as: Option<MentionAs>,
    /// More fields of `d`, which replace those of the same name.
    #[serde(default)]
    pub extra: Map<String, Value>,
}

impl Say {
    /// A member says something to everyone.
    #[must_use]
    pub fn plain(member: &str, text: &str) -> Self {
        Self { member: member.to_owned(), text: text.to_owned(), ..Self::default() }
    }

    /// A member mentions the bot.
    #[must_use]
    pub fn at(member: &str, text: &str) -> Self {
        Self { at: true, ..Self::plain(member, text) }
    }
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    /// The message's id, `d.id` of its events.
    pub msg_id: String,
    /// The sequence number of the last event that carries it; none when it is in no session.
    pub s: Option<u64>,
    /// Whether the group's settings let the bot see it at all.
    pub visible: bool,
}

/// The message's fixed parts: id, time stamp, reference index.
#[derive(Debug)]
pub(super) struct Stamp {
    pub(super) id: String,
    pub(super) unix_ms: u64,
    pub(super) reference: String,
    /// Only the fields of the pages of 2023 to 2025.
    pub(super) minimal: bool,
}

/// `d` of GROUP_AT_MESSAGE_CREATE: the mention is cut out, its space stays (QQ bot docs, autogen/event, July 2026).
pub(super) fn group_at(group: &Group, say: &Say, stamp: &Stamp) -> String {
    group_message(group, say, stamp, format!(" {}", say.text), say.mentions.clone())
}

/// `d` of GROUP_MESSAGE_CREATE: a mention of the bot stays in the text, and `mentions` says `is_you`.
pub(super) fn group_full(group: &Group, say: &Say, stamp: &Stamp) -> String {
    if !say.at {
        return group_message(group, say, stamp, say.text.clone(), say.mentions.clone());
    }
    let bot = json!({"scope": "single", "id": group.bot_openid, "member_openid": group.bot_openid, "bot": true, "is_you": true});
    let mut mentions = vec![bot];
    mentions.extend(say.mentions.iter().cloned());
    group_message(group, say, stamp, format!("<@{}> {}", group.bot_openid, say.text), mentions)
}

/// `d` of C2C_MESSAGE_CREATE.
pub(super) fn user_message(user: &User, say: &Say, stamp: &Stamp) -> String {
    let mut d = json!({
        "id": stamp.id,
        "author": {"user_openid": user.openid},
        "content": say.text,
        "timestamp": rfc3339_beijing(stamp.unix_ms),
    });
    if !stamp.minimal {
        d["author"] = json!({"id": user.openid, "user_openid": user.openid, "union_openid": "", "username": "", "bot": false});
        add_newer_fields(&mut d, say, stamp);
    }
    with_extra(d, &say.extra)
}

fn group_message(group: &Group, say: &Say, stamp: &Stamp, content: String, mentions: Vec<Value>) -> String {
    let member = openid(&group.openid, &say.member);
    let mut d = json!({
        "id": stamp.id,
        "author": {"member_openid": member},
        "content": content,
        "group_openid": group.openid,
        "timestamp": rfc3339_beijing(stamp.unix_ms),
    });
    if !stamp.minimal {
        d["author"] = json!({
            "id": member, "member_openid": member, "member_role": say.role.as_deref().unwrap_or("member"),
            "username": say.member, "bot": say.bot, "union_openid": member,
        });
        d["group_id"] = json!(group.openid);
        d["mentions"] = Value::Array(mentions);
        add_newer_fields(&mut d, say, stamp);
    }
    with_extra(d, &say.extra)
}

fn add_newer_fields(d: &mut Value, say: &Say, stamp: &Stamp) {
    d["message_type"] = json!(0);
    d["message_scene"] = json!({"source": "default", "ext": [format!("msg_idx={}", stamp.reference)]});
    d["attachments"] = Value::Array(say.attachments.clone());
}

fn with_extra(mut d: Value, extra: &Map<String, Value>) -> String {
    if let Value::Object(fields) = &mut d {
        fields.extend(extra.clone());
    }
    d.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Group, Say, Stamp, group_at, group_full};

    fn stamp(minimal: bool) -> Stamp {
        Stamp { id: "ROBOT1.0_x!".to_owned(), unix_ms: 0, reference: "REFIDX_a==".to_owned(), minimal }
    }

    #[test]
    fn the_mention_is_cut_out_of_the_at_event_and_its_space_stays() {
        let group = Group::new("G", "g");
        let d: Value = serde_json::from_str(&group_at(&group, &Say::at("小明", "/list"), &stamp(false))).unwrap();
        assert_eq!(d["content"], " /list");
        assert_eq!(d["mentions"], json!([]));
        assert_eq!(d["author"]["username"], "小明");
        assert_eq!(d["group_id"], d["group_openid"]);
    }

    #[test]
    fn the_full_event_keeps_the_mention_and_says_is_you() {
        let group = Group::new("G", "g");
        let d: Value = serde_json::from_str(&group_full(&group, &Say::at("小明", "/list"), &stamp(false))).unwrap();
        assert_eq!(d["content"], format!("<@{}> /list", group.bot_openid));
        assert_eq!(d["mentions"][0]["is_you"], true);
    }

    #[test]
    fn the_oldest_form_has_five_fields() {
        let d: Value = serde_json::from_str(&group_at(&Group::new("G", "g"), &Say::at("a", "b"), &stamp(true))).unwrap();
        assert_eq!(d.as_object().unwrap().len(), 5);
    }
}
