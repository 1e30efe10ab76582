//! The people's side: what they say and what happens in groups, as control methods.

use serde_json::{Value, json};

use super::action::{Action, Frame};
use super::clock::Millis;
use super::intent;
use super::message::{Said, Say, Stamp, group_at, group_full, user_message};
use super::platform::{OpenPlatform, Outgoing};
use super::record::Seen;
use super::session::Template;
use super::settings::{Group, MentionAs};
use super::ticket::Scene;

/// Events whose outer id may be answered (QQ bot docs, server-inter/message pages, July 2026).
const REPLIABLE_EVENTS: &[&str] = &["INTERACTION_CREATE", "C2C_MSG_RECEIVE", "FRIEND_ADD", "GROUP_ADD_ROBOT", "GROUP_MSG_RECEIVE"];

/// Why a control call changed nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlError {
    /// No group, user or action has this name.
    NotFound(String),
    /// The request cannot be understood.
    Invalid(String),
    /// There is no live session to send to.
    Offline,
}

impl std::fmt::Display for ControlError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFound(what) => write!(out, "not found: {what}"),
            Self::Invalid(what) => write!(out, "invalid: {what}"),
            Self::Offline => write!(out, "the bot has no session with a live connection"),
        }
    }
}

impl std::error::Error for ControlError {}

impl OpenPlatform {
    /// A member says something in a group, given by openid or name.
    ///
    /// # Errors
    ///
    /// [`ControlError::NotFound`] for an unknown group, [`ControlError::Invalid`] without a member.
    pub fn say(&mut self, group: &str, say: &Say, now: Millis) -> Result<Said, ControlError> {
        let group = self.group(group).cloned().ok_or_else(|| ControlError::NotFound(format!("group {group}")))?;
        if say.member.is_empty() {
            return Err(ControlError::Invalid("member is empty".to_owned()));
        }
        let stamp = self.stamp(now);
        let (as_at, as_full) = events_of(&group, say);
        let scene = Scene::Group(group.openid.clone());
        let mut events = Vec::new();
        if as_at {
            events.push(("GROUP_AT_MESSAGE_CREATE", group_at(&group, say, &stamp)));
        }
        if as_full {
            events.push(("GROUP_MESSAGE_CREATE", group_full(&group, say, &stamp)));
        }
        self.notice(|| said_notice(&group, say, &stamp, now));
        Ok(self.push_message(&stamp, scene, &events, now))
    }

    /// A person who has the bot as a friend writes to it, given by openid or name.
    ///
    /// # Errors
    ///
    /// [`ControlError::NotFound`] for an unknown person.
    pub fn say_alone(&mut self, user: &str, say: &Say, now: Millis) -> Result<Said, ControlError> {
        let user = self.user(user).cloned().ok_or_else(|| ControlError::NotFound(format!("user {user}")))?;
        let stamp = self.stamp(now);
        let d = user_message(&user, say, &stamp);
        Ok(self.push_message(&stamp, Scene::User(user.openid), &[("C2C_MESSAGE_CREATE", d)], now))
    }

    /// Something happens that is not a message: any event by name, with its `d`. Returns its event id and sequence number.
    ///
    /// # Errors
    ///
    /// [`ControlError::Invalid`] when `d` is no object.
    pub fn emit(&mut self, name: &str, d: &Value, now: Millis) -> Result<(String, Option<u64>), ControlError> {
        if !d.is_object() || name.is_empty() {
            return Err(ControlError::Invalid("an event has a name and an object d".to_owned()));
        }
        let event_id = self.ids.event(name);
        let text = |key: &str| d.get(key).and_then(Value::as_str).map(str::to_owned);
        let user = || text("user_openid").or_else(|| text("openid")).map(Scene::User);
        if let Some(scene) = text("group_openid").map(Scene::Group).or_else(user) {
            self.tickets.issue(&event_id, scene, REPLIABLE_EVENTS.contains(&name), now);
        }
        let intent = match name {
            "INTERACTION_CREATE" => intent::INTERACTION,
            "MESSAGE_AUDIT_PASS" | "MESSAGE_AUDIT_REJECT" => intent::MESSAGE_AUDIT,
            _ => intent::GROUP_AND_C2C_EVENT,
        };
        if let Some(id) = text("id").filter(|_| intent == intent::INTERACTION) {
            self.interactions.insert(id, false);
        }
        let event = Outgoing { name: name.to_owned(), intent, template: Template::dispatch(name, &event_id, &d.to_string()) };
        let s = self.dispatch(event, now);
        Ok((event_id, s))
    }

    /// Sends raw bytes to the live session, unread. `{{s}}` is replaced by the session's next sequence number, and only
    /// then the frame is kept for replay. Bytes that are not UTF-8 go out as a text message all the same, unless `binary`.
    /// Returns the sequence number.
    ///
    /// # Errors
    ///
    /// [`ControlError::Offline`] when no session could take it, or when a frame without a number finds no live link.
    pub fn push_raw(&mut self, bytes: &[u8], binary: bool, now: Millis) -> Result<Option<u64>, ControlError> {
        let template = Template::raw(bytes);
        self.expire_sessions(now);
        let places = self.places_for(0);
        let Some(&place) = places.first() else {
            return Err(ControlError::Offline);
        };
        let session = &mut self.sessions[place];
        let conn = session.conn();
        if !template.takes_number() {
            let conn = conn.ok_or(ControlError::Offline)?;
            let frame = if binary { Frame::Binary(bytes.to_vec()) } else { Frame::Text(bytes.to_vec()) };
            self.actions.push(Action::Send { conn, frame });
            return Ok(None);
        }
        let s = session.next_s();
        let frame = template.render(s);
        session.keep(s, frame.clone(), self.settings.replay_events_max, now);
        let seen = Seen::Dispatched { conn, session: session.id.clone(), s, event: String::new() };
        self.records.note(now, seen);
        if let Some(conn) = conn {
            let frame = if binary { Frame::Binary(frame) } else { Frame::Text(frame) };
            self.actions.push(Action::Send { conn, frame });
        }
        Ok(Some(s))
    }

    fn stamp(&mut self, now: Millis) -> Stamp {
        Stamp { id: self.ids.message(), unix_ms: self.unix_ms(now), reference: self.ids.reference(), minimal: self.faults.missing_fields }
    }

    fn push_message(&mut self, stamp: &Stamp, scene: Scene, events: &[(&str, String)], now: Millis) -> Said {
        if !events.is_empty() {
            self.tickets.issue(&stamp.id, scene, true, now);
        }
        let mut last_s = None;
        for (name, d) in events {
            let event = Outgoing {
                name: (*name).to_owned(),
                intent: intent::GROUP_AND_C2C_EVENT,
                template: Template::dispatch(name, &self.ids.event(name), d),
            };
            last_s = self.dispatch(event, now).or(last_s);
        }
        let said = Said { msg_id: stamp.id.clone(), s: last_s, visible: !events.is_empty() };
        let online = self.is_online();
        self.notice(
            || json!({"type": "delivery", "at_ms": now, "msg_id": said.msg_id, "s": said.s, "visible": said.visible, "online": online}),
        );
        said
    }
}

/// Whether a message comes as the at event and as the full event.
fn events_of(group: &Group, say: &Say) -> (bool, bool) {
    if !say.at {
        return (false, group.full_mode);
    }
    let usual = if group.full_mode { group.mention_as } else { MentionAs::At };
    match say.mention_as.unwrap_or(usual) {
        MentionAs::At => (true, false),
        MentionAs::Full => (false, true),
        MentionAs::Both => (true, true),
    }
}

fn said_notice(group: &Group, say: &Say, stamp: &Stamp, now: Millis) -> Value {
    json!({
        "type": "said", "at_ms": now, "group": group.openid, "group_name": group.name,
        "member": say.member, "text": say.text, "at": say.at, "msg_id": stamp.id,
        "attachments": say.attachments.len(),
    })
}
