//! What the platform is like before anything goes wrong.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::identity::openid;
use super::intent;

/// The platform's settings. Every rule of the public protocol that is uncertain is a field here, and says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The bot's AppID.
    pub app_id: String,
    /// The bot's AppSecret; also the seed of webhook signatures.
    pub secret: String,
    /// The bot's name, as READY and `/users/@me` give it.
    pub bot_name: String,
    /// The bot's guild-side numeric id, as READY gives it; not an openid.
    pub bot_id: String,
    /// Seed of every chance: ids, and which of two connections gets an event.
    pub seed: u64,
    /// Whether notices are made for a spectator. A simulation without one is a good deal faster without them.
    pub notices: bool,
    /// Unix time in milliseconds at the model's origin; message time stamps count from it. The front puts the clock's time here.
    pub epoch_unix_ms: u64,

    /// TCP port on 127.0.0.1 of the plain front; 0 takes any. Read by the front only.
    pub port: u16,
    /// TCP port on 127.0.0.1 of the TLS front; 0 takes any. Read by the front only.
    pub tls_port: u16,

    /// Life of an access token in seconds (QQ bot docs, dev-prepare/access-token, July 2026: 7200).
    pub token_life_s: u64,
    /// Seconds that the very first token has left; none for a whole life. Real first answers had 1222 or 4948.
    pub first_token_life_s: Option<u64>,
    /// Seconds before its end in which a token is renewed on request, both being valid meanwhile (same page: 60).
    pub token_overlap_s: u64,
    /// Whether `expires_in` is a JSON number. The docs' table says number, real answers are strings.
    pub expires_in_as_number: bool,
    /// Token requests in 60 s above which the answer is 100001. UNSURE: the real number is not published.
    pub token_requests_per_minute_max: usize,
    /// Whether revoking a token also closes live links with 4004. UNSURE: reports show both.
    pub revoke_closes_links: bool,

    /// Look-ups that fit into the burst of `/gateway` and `/gateway/bot`, each on its own (second-hand docs: 10).
    pub address_burst: u64,
    /// Look-ups gained a minute (second-hand docs: 2).
    pub address_per_minute: u64,
    /// Whether the address ends with a slash. The docs' sample does, real answers do not.
    pub address_trailing_slash: bool,
    /// Sessions that may be created in 24 h, as `/gateway/bot` says (docs 1000, seen 1500). Resume does not count, UNSURE.
    pub session_starts_per_day: usize,

    /// Interval that Hello announces, in milliseconds.
    pub heartbeat_interval_ms: u64,
    /// Intervals without a heartbeat after which the link is dropped without a close code; 0 never. UNSURE: reports show 60–90 s.
    pub heartbeat_intervals_missed_max: u64,
    /// Milliseconds after Hello until a link without Identify or Resume is dropped; none never. UNSURE: not documented.
    pub auth_timeout_ms: Option<u64>,
    /// Frames a client may send in 60 s before 4008; none for no limit. UNSURE: the number is not documented.
    pub frames_per_minute_max: Option<usize>,
    /// Milliseconds of a connection's life until op 7; none never (seen: 30 minutes).
    pub op7_interval_ms: Option<u64>,
    /// Milliseconds from op 7 until the platform closes with 4009 by itself ("at once or within a moment").
    pub op7_grace_ms: u64,
    /// How a wrong token in Identify or Resume is answered. UNSURE: SDKs know 4004.
    pub wrong_token: WrongToken,
    /// How an unknown session in Resume is answered.
    pub unknown_session: UnknownSession,
    /// How intents without permission are answered.
    pub unpermitted_intents: UnpermittedIntents,
    /// Intent bits the bot may ask for.
    pub permitted_intents: u64,
    /// What a second live connection of the same bot means for events. UNSURE: reports show both.
    pub overlap: Overlap,
    /// Milliseconds a session can be resumed after its link ended. UNSURE: docs say "a short time", an SDK trusts 5 minutes.
    pub session_resume_ms: u64,
    /// Milliseconds that an event stays in the replay buffer. UNSURE: 9 minutes were seen replayed.
    pub replay_age_ms: u64,
    /// Events that the replay buffer of a session holds. UNSURE.
    pub replay_events_max: usize,
    /// Age of a session from which Resume succeeds but no event comes any more; none never (seen after 3 days).
    pub session_silent_after_ms: Option<u64>,
    /// Whether a client's close with 1000 or 1001 ends its session. UNSURE.
    pub normal_close_ends_session: bool,

    /// The groups. A group that is not listed is unknown to the bot.
    pub groups: Vec<Group>,
    /// The people who have the bot as a friend.
    pub users: Vec<User>,
    /// Milliseconds in which a group message can be replied to (docs: 5 minutes).
    pub group_reply_window_ms: u64,
    /// Replies to one group message (docs: 5).
    pub group_replies_max: u32,
    /// Milliseconds in which a single-chat message can be replied to (docs: 60 minutes; one field row says 5).
    pub user_reply_window_ms: u64,
    /// Replies to one single-chat message (docs 2026: 4, 2025: 5).
    pub user_replies_max: u32,
    /// Whether the bot may send without `msg_id` at all (docs July 2026: yes; 2025: no).
    pub proactive_allowed: bool,
    /// Proactive messages in 60 s over all groups or all users (docs: 30 uncertified, 60 certified).
    pub proactive_per_minute: usize,
    /// Proactive messages in 60 s to one group or user (docs: 20).
    pub proactive_per_minute_each: usize,
    /// Proactive messages in 24 h to one group or user (docs: 1000).
    pub proactive_per_day_each: usize,
    /// Messages a second over all groups, or over all users (docs: 100).
    pub sends_per_second_max: usize,
    /// Whether URLs, length and emptiness of text are judged.
    pub text_rules: bool,
    /// Characters of a text. UNSURE: not published; SDKs cut at 4000 to 5000.
    pub text_chars_max: usize,
    /// Host names registered in the console, which text may contain.
    pub registered_hosts: Vec<String>,
    /// Whether business failures are answered with HTTP 200 and `err_code` alone. UNSURE: logs show 400 with both numbers.
    pub failures_as_http_200: bool,
    /// Milliseconds until a message can no longer be recalled (docs: 2 minutes).
    pub recall_window_ms: u64,
    /// Milliseconds until an audit ends with MESSAGE_AUDIT_PASS. UNSURE.
    pub audit_ms: u64,

    /// Seconds a `file_info` lives; 0 for ever (docs' sample: 300).
    pub file_ttl_s: u64,
    /// Bytes of a block of a chunked upload (docs: 5 MB).
    pub upload_block_bytes: u64,
    /// Index of the first block: docs say 0, SDKs also meet 1.
    pub upload_first_index: u64,
    /// Hard limit of a file in bytes (docs: 200 MB).
    pub file_bytes_max: u64,

    /// Where events are posted besides the WebSocket; none for nowhere.
    pub webhook_url: Option<String>,
    /// Whether a webhook takes the events away from the WebSocket. UNSURE.
    pub webhook_replaces_websocket: bool,
    /// Milliseconds until a refused webhook push is repeated. UNSURE: not documented.
    pub webhook_retry_ms: u64,
    /// How often one webhook push is tried. UNSURE: not documented.
    pub webhook_tries_max: u32,
}

impl Settings {
    /// These settings with every field that the JSON object `patch` names replaced: enums by their names in snake_case, a list as a whole.
    ///
    /// # Errors
    ///
    /// Says which field is unknown, or has a value that it cannot have.
    pub fn merged(self, patch: &Value) -> Result<Self, String> {
        let Value::Object(patch) = patch else {
            return Err("a JSON object of settings is expected".to_owned());
        };
        let mut merged = self;
        for (name, value) in patch {
            let mut all = serde_json::to_value(&merged).map_err(|error| error.to_string())?;
            if all.get(name).is_none() {
                return Err(format!("no setting is named {name}"));
            }
            all[name] = value.clone();
            merged = serde_json::from_value(all).map_err(|error| format!("{name}: {error}"))?;
        }
        if merged.heartbeat_interval_ms == 0 || merged.op7_interval_ms == Some(0) {
            return Err("heartbeat_interval_ms and op7_interval_ms are at least 1; null turns op 7 off".to_owned());
        }
        Ok(merged)
    }
}

/// A QQ group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The group's openid.
    pub openid: String,
    /// The group's name, for people; the control API takes it as well.
    pub name: String,
    /// The bot's own openid in this group.
    pub bot_openid: String,
    /// Whether the owner lets the bot read all messages (event GROUP_MESSAGE_CREATE).
    pub full_mode: bool,
    /// As which event a mention of the bot comes while the group is in full mode; outside of it always as the at event.
    /// UNSURE: reports show each of the three.
    pub mention_as: MentionAs,
    /// Whether the group takes proactive messages.
    pub proactive: bool,
    /// Whether the bot is muted here.
    pub muted: bool,
    /// Whether the bot is a member.
    pub bot_is_member: bool,
}

impl Group {
    /// A group with the given openid and name, with all rights for the bot and in full mode.
    #[must_use]
    pub fn new(group_openid: &str, name: &str) -> Self {
        Self {
            openid: group_openid.to_owned(),
            name: name.to_owned(),
            bot_openid: openid(group_openid, "bot"),
            full_mode: true,
            mention_as: MentionAs::At,
            proactive: true,
            muted: false,
            bot_is_member: true,
        }
    }
}

/// The event that carries a mention of the bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MentionAs {
    /// GROUP_AT_MESSAGE_CREATE.
    At,
    /// GROUP_MESSAGE_CREATE, with `is_you` among its mentions.
    Full,
    /// Both, with one `d.id`.
    Both,
}

/// A person who has the bot as a friend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// The person's openid.
    pub openid: String,
    /// The person's name; the control API takes it as well.
    pub name: String,
    /// Whether the person takes messages of the bot.
    pub accepts: bool,
    /// Whether the person still has the bot as a friend.
    pub friend: bool,
}

/// The answer to a wrong token in Identify or Resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WrongToken {
    /// Close code 4004.
    Close4004,
    /// op 9 with `false`, the link stays.
    Op9,
}

/// The answer to a Resume of a session that the platform does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownSession {
    /// op 9 with `false`, the link stays.
    Op9,
    /// Close code 4006.
    Close4006,
}

/// The answer to an Identify with intents that the bot has no right to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnpermittedIntents {
    /// op 9 with `false`, then close code 4903 `create session error`.
    Op9Then4903,
    /// op 9 with `false`, then the end of the TCP stream.
    Op9ThenCut,
    /// Close code 4014.
    Close4014,
}

/// What two live connections of one bot and shard mean for events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// Each event reaches one of them, at random.
    Split,
    /// Each event reaches all of them.
    Broadcast,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            app_id: "102000001".to_owned(),
            secret: "simulator-secret-0001".to_owned(),
            bot_name: "海雀".to_owned(),
            bot_id: "1000000000000000042".to_owned(),
            seed: 1,
            notices: true,
            epoch_unix_ms: 1_789_869_600_000,
            port: 0,
            tls_port: 0,
            token_life_s: 7200,
            first_token_life_s: None,
            token_overlap_s: 60,
            expires_in_as_number: false,
            token_requests_per_minute_max: 60,
            revoke_closes_links: false,
            address_burst: 10,
            address_per_minute: 2,
            address_trailing_slash: false,
            session_starts_per_day: 1500,
            heartbeat_interval_ms: 45_000,
            heartbeat_intervals_missed_max: 2,
            auth_timeout_ms: None,
            frames_per_minute_max: None,
            op7_interval_ms: Some(30 * 60_000),
            op7_grace_ms: 1_000,
            wrong_token: WrongToken::Close4004,
            unknown_session: UnknownSession::Op9,
            unpermitted_intents: UnpermittedIntents::Op9Then4903,
            permitted_intents: intent::USUALLY_PERMITTED,
            overlap: Overlap::Split,
            session_resume_ms: 5 * 60_000,
            replay_age_ms: 10 * 60_000,
            replay_events_max: 10_000,
            session_silent_after_ms: None,
            normal_close_ends_session: false,
            groups: vec![Group::new("AB00000000000000000000000000C001", "海雀交流群")],
            users: vec![User {
                openid: "0F00000000000000000000000000A001".to_owned(),
                name: "小红".to_owned(),
                accepts: true,
                friend: true,
            }],
            group_reply_window_ms: 5 * 60_000,
            group_replies_max: 5,
            user_reply_window_ms: 60 * 60_000,
            user_replies_max: 4,
            proactive_allowed: true,
            proactive_per_minute: 30,
            proactive_per_minute_each: 20,
            proactive_per_day_each: 1000,
            sends_per_second_max: 100,
            text_rules: true,
            text_chars_max: 4500,
            registered_hosts: Vec::new(),
            failures_as_http_200: false,
            recall_window_ms: 2 * 60_000,
            audit_ms: 1_000,
            file_ttl_s: 300,
            upload_block_bytes: 5 * 1024 * 1024,
            upload_first_index: 0,
            file_bytes_max: 200 * 1024 * 1024,
            webhook_url: None,
            webhook_replaces_websocket: false,
            webhook_retry_ms: 1_000,
            webhook_tries_max: 3,
        }
    }
}
