//! Everything that can be made to go wrong, as one set of switches.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

use super::settings::UnpermittedIntents;

/// Declares the switches once: field, type, default and the one line that the control API prints.
macro_rules! switches {
    ($($name:ident: $kind:ty, $line:literal;)*) => {
        /// The fault switches. Each is off by default; an `Option` is off at `None`.
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Faults {
            $(#[doc = $line] pub $name: $kind,)*
        }

        impl Faults {
            /// Every switch by name with the line that describes it.
            pub const LINES: &'static [(&'static str, &'static str)] = &[$((stringify!($name), $line),)*];
        }
    };
}

switches! {
    token_status: Option<u16>, "HTTP status of every token answer.";
    token_body: Option<String>, "Body of every token answer, verbatim.";
    token_code: Option<i64>, "Token answers are HTTP 200 with this error code (100001, 100007, 100016, 10004).";
    token_hang_ms: Option<u64>, "Token answers come this many milliseconds late.";
    same_dead_token: bool, "After revoke_token the same dead token is handed out again.";
    address_rate_limited: bool, "Look-ups answer 100017, rate limit exceeded.";
    address_unauthorized: bool, "Look-ups answer 401 with 11244, token expired.";
    address_hang_ms: Option<u64>, "Look-up answers come this many milliseconds late.";
    address_html: bool, "Look-ups answer HTTP 502 with an HTML page.";
    address_status: Option<u16>, "HTTP status of every look-up answer.";
    address_body: Option<String>, "Body of every look-up answer, verbatim.";
    address_url: Option<String>, "The WebSocket address that look-ups hand out.";
    whitelist_refuses: bool, "HTTP calls answer 401 with 11298, IP not in the whitelist; the WebSocket is untouched.";
    refuse_upgrade: Option<u16>, "The WebSocket upgrade is refused with this HTTP status.";
    upgrade_hang_ms: Option<u64>, "The WebSocket upgrade comes this many milliseconds late.";
    no_hello: bool, "No Hello is sent after the upgrade.";
    hello_delay_ms: Option<u64>, "Hello comes this many milliseconds late.";
    hello_interval_ms: Option<u64>, "Heartbeat interval that Hello announces.";
    hello_text: Option<String>, "Hello is this text, verbatim.";
    ignore_auth: bool, "Identify and Resume are not answered.";
    no_ack: bool, "Heartbeats are not acknowledged.";
    ack_but_no_events: bool, "Heartbeats are acknowledged, but no event is sent; events stay in the replay buffer.";
    next_identify_op9: Option<InvalidSession>, "The next Identify is answered with op 9 and this d (true, false or \"absent\").";
    next_resume_op9: Option<InvalidSession>, "The next Resume is answered with op 9 and this d (true, false or \"absent\").";
    every_identify_op9: Option<InvalidSession>, "Every Identify is answered with op 9 and this d.";
    every_resume_op9: Option<InvalidSession>, "Every Resume is answered with op 9 and this d.";
    next_auth_close: Option<u16>, "The next Identify or Resume is answered with this close code.";
    every_auth_close: Option<u16>, "Every Identify or Resume is answered with this close code.";
    close_now: Option<u16>, "Closes every live connection with this code at once; falls back to off by itself.";
    every_resume_close: Option<u16>, "Every Resume is answered with this close code (4006, 4007, 4902 are real ones); Identify works.";
    dead_sessions: bool, "Every Resume finds its session unknown.";
    silent_sessions: bool, "Resume succeeds, but no event comes in that session afterwards.";
    resumed_d: Option<String>, "The d of RESUMED as raw JSON text; \"absent\" leaves it out.";
    replay_again: Option<u64>, "Resume replays this many events more than was asked for.";
    duplicate_push: bool, "Every event is pushed twice with the same d.id.";
    reorder_pairs: bool, "Of each two events the second comes first; s still rises.";
    reorder_frames: bool, "Of each two dispatch frames the second comes first, with its higher s.";
    drop_every_nth: Option<u64>, "Every n-th event gets its s but is not sent; it stays in the replay buffer.";
    missing_fields: bool, "Messages have only the fields of the oldest protocol pages.";
    unknown_events: bool, "An event of an unknown name comes before each event.";
    unpermitted_intents: bool, "The bot has no right to the group and single-chat intent.";
    unpermitted_answer: Option<UnpermittedIntents>, "How intents without permission are answered: \"op9_then4903\", \"op9_then_cut\" or \"close4014\".";
    garbage_frames: bool, "A frame that is not JSON comes before each event.";
    huge_frame_bytes: Option<u64>, "The next event is preceded by a legal frame of about this size; falls back to off by itself.";
    fragment_bytes: Option<u64>, "Messages above this size are sent in fragments of it.";
    flap_after_ms: Option<u64>, "Every connection is cut this many milliseconds after it opened.";
    send_status: Option<u16>, "HTTP status of every answer to a post; nothing is posted.";
    send_body: Option<String>, "Body of every answer to a post, verbatim; nothing is posted.";
    send_code: Option<i64>, "Every post is refused with this error code.";
    send_hang_ms: Option<u64>, "Posts are not shown, and are answered with HTTP 504 this many milliseconds late.";
    send_delay_after_commit_ms: Option<u64>, "Posts are shown at once, but answered this many milliseconds late.";
    send_lost: bool, "Posts are answered with 200, but nobody sees them.";
    lose_sends_while_offline: bool, "Posts are answered with 200, but nobody sees them while the bot has no live session.";
    html_502: bool, "API calls answer HTTP 502 with an HTML page.";
    banned: bool, "The bot is banned: token 100007, HTTP 11265, close 4915.";
    delisted: bool, "The bot is delisted: posts answer 40054016, Identify and Resume close with 4914.";
    deleted: bool, "The bot is deleted: token 10004, HTTP 11700.";
    muted: bool, "The bot is muted in every group.";
    not_in_group: bool, "The bot is in no group.";
    audit_202: bool, "Posts answer HTTP 202 and wait for an audit, which passes.";
    webhook_bad_signature: bool, "Webhook pushes carry a wrong signature.";
}

impl Faults {
    /// Merges a JSON object of switches into these; `null` turns a switch off.
    ///
    /// # Errors
    ///
    /// Returns what is wrong when a name is unknown or a value does not fit; nothing changes then.
    pub fn merge(&mut self, patch: &Value) -> Result<(), String> {
        let Value::Object(patch) = patch else {
            return Err("a JSON object of fault switches is expected".to_owned());
        };
        let mut all = self.values();
        for (name, value) in patch {
            if !all.contains_key(name) {
                return Err(format!("no fault switch is named {name}"));
            }
            match value {
                Value::Null => all.remove(name),
                Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                    all.insert(name.clone(), value.clone())
                }
            };
        }
        *self = serde_json::from_value(Value::Object(all)).map_err(|error| error.to_string())?;
        Ok(())
    }

    /// Every switch with its value and the line that describes it.
    #[must_use]
    pub fn list(&self) -> Value {
        let mut values = self.values();
        let lines = Self::LINES.iter().map(|(name, line)| {
            let value = values.remove(*name).unwrap_or(Value::Null);
            ((*name).to_owned(), serde_json::json!({ "value": value, "about": line }))
        });
        Value::Object(lines.collect())
    }

    /// The switches that are on.
    #[must_use]
    pub fn active(&self) -> Map<String, Value> {
        let mut values = self.values();
        values.retain(|_, value| !matches!(value, Value::Null | Value::Bool(false)));
        values
    }

    fn values(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(values)) => values,
            other => unreachable!("the switches are plain fields, so they form an object: {other:?}"),
        }
    }
}

/// The `d` of an op 9 frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidSession {
    /// `true`: Resume may be tried again.
    Resumable,
    /// `false`: only Identify helps.
    Dead,
    /// No `d` at all.
    Absent,
}

impl InvalidSession {
    /// Reads `true`, `false` or `absent`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "true" => Some(Self::Resumable),
            "false" => Some(Self::Dead),
            "absent" => Some(Self::Absent),
            _ => None,
        }
    }
}

impl std::fmt::Display for InvalidSession {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Resumable => "true",
            Self::Dead => "false",
            Self::Absent => "absent",
        })
    }
}

impl Serialize for InvalidSession {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Resumable => serializer.serialize_bool(true),
            Self::Dead => serializer.serialize_bool(false),
            Self::Absent => serializer.serialize_str("absent"),
        }
    }
}

impl<'de> Deserialize<'de> for InvalidSession {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Self::parse(&text).ok_or_else(|| de::Error::custom("true, false or \"absent\" is expected"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Faults, InvalidSession};

    #[test]
    fn a_patch_changes_only_what_it_names_and_null_turns_off() {
        let mut faults = Faults::default();
        faults.merge(&json!({"no_ack": true, "refuse_upgrade": 503})).unwrap();
        faults.merge(&json!({"refuse_upgrade": null, "next_resume_op9": "absent"})).unwrap();
        let expected = Faults { no_ack: true, next_resume_op9: Some(InvalidSession::Absent), ..Faults::default() };
        assert_eq!(faults, expected);
    }

    #[test]
    fn a_bad_patch_changes_nothing_and_says_what_is_wrong() {
        let mut faults = Faults::default();
        let error = faults.merge(&json!({"no_ack": true, "nonsense": 1})).unwrap_err();
        assert!(error.contains("nonsense"), "{error}");
        assert!(faults.merge(&json!({"refuse_upgrade": "soon"})).is_err());
        assert!(faults.merge(&json!([1])).is_err());
        assert_eq!(faults, Faults::default());
    }

    #[test]
    fn every_switch_has_a_line() {
        let list = Faults::default().list();
        assert!(list.as_object().unwrap().values().all(|entry| !entry["about"].as_str().unwrap().is_empty()));
        assert_eq!(list["no_hello"]["value"], json!(false));
    }
}
