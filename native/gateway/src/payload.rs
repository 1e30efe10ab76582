use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{AccessToken, Outgoing};

/// Opcodes. Source: QQ bot docs, event-emit/payload, July 2026.
mod op {
    pub(super) const DISPATCH: u64 = 0;
    pub(super) const HEARTBEAT: u64 = 1;
    pub(super) const IDENTIFY: u64 = 2;
    pub(super) const RESUME: u64 = 6;
    pub(super) const RECONNECT: u64 = 7;
    pub(super) const INVALID_SESSION: u64 = 9;
    pub(super) const HELLO: u64 = 10;
    pub(super) const HEARTBEAT_ACK: u64 = 11;
}

/// A frame from the platform, read as far as the session needs it.
#[derive(Debug)]
pub(crate) enum Payload<'a> {
    Dispatch(DispatchPayload<'a>),
    /// The platform asks for a heartbeat.
    HeartbeatRequest,
    Reconnect,
    InvalidSession {
        resumable: bool,
    },
    Hello {
        interval_ms: Option<u64>,
    },
    HeartbeatAck,
    /// An opcode that this client does not know. New ones must not break old clients.
    Unknown,
}

#[derive(Debug)]
pub(crate) struct DispatchPayload<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) event_id: Option<Cow<'a, str>>,
    pub(crate) sequence: Option<u64>,
    pub(crate) data: Option<&'a RawValue>,
}

impl<'a> Payload<'a> {
    /// Reads a frame. The envelope is read apart from the body: a body of an unexpected shape (RESUMED has `d: ""`) never costs the
    /// sequence. `None` when it is no JSON object with an opcode.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        let envelope: Envelope<'a> = serde_json::from_str(text).ok()?;
        Some(match envelope.op.and_then(lenient_number)? {
            op::DISPATCH => Payload::Dispatch(DispatchPayload {
                name: envelope.t.0.unwrap_or_default(),
                event_id: envelope.id.0,
                sequence: envelope.s.and_then(lenient_number),
                data: envelope.d,
            }),
            op::HEARTBEAT => Payload::HeartbeatRequest,
            op::RECONNECT => Payload::Reconnect,
            // Absent or not a boolean reads as false: resuming a session that the platform gave up only costs another round.
            op::INVALID_SESSION => Payload::InvalidSession { resumable: envelope.d.is_some_and(|d| d.get() == "true") },
            op::HELLO => Payload::Hello { interval_ms: envelope.d.and_then(read_interval_ms) },
            op::HEARTBEAT_ACK => Payload::HeartbeatAck,
            _ => Payload::Unknown,
        })
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    op: Option<&'a RawValue>,
    #[serde(borrow, default)]
    s: Option<&'a RawValue>,
    #[serde(borrow, default)]
    t: LenientText<'a>,
    #[serde(borrow, default)]
    id: LenientText<'a>,
    #[serde(borrow, default)]
    d: Option<&'a RawValue>,
}

/// Text, or nothing when the value is of another kind.
#[derive(Default)]
struct LenientText<'a>(Option<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for LenientText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'a RawValue>::deserialize(deserializer)?;
        let borrowed: Option<&'a str> = serde_json::from_str(raw.get()).ok();
        Ok(Self(borrowed.map(Cow::Borrowed).or_else(|| serde_json::from_str(raw.get()).ok().map(Cow::Owned))))
    }
}

fn lenient_number(raw: &RawValue) -> Option<u64> {
    serde_json::from_str(raw.get()).ok()
}

fn read_interval_ms(d: &RawValue) -> Option<u64> {
    #[derive(Deserialize)]
    struct Hello<'a> {
        #[serde(borrow)]
        heartbeat_interval: &'a RawValue,
    }
    let hello: Hello<'_> = serde_json::from_str(d.get()).ok()?;
    lenient_number(hello.heartbeat_interval)
}

/// What READY says, as far as the session needs it.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Ready {
    #[serde(default)]
    pub(crate) session_id: Option<String>,
    #[serde(default)]
    pub(crate) user: Option<ReadyUser>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ReadyUser {
    #[serde(default)]
    pub(crate) username: Option<String>,
}

impl Ready {
    /// Reads READY's body. One that cannot be read is a session without an id: it works, but cannot be resumed.
    pub(crate) fn read(data: Option<&RawValue>) -> Self {
        data.and_then(|d| serde_json::from_str(d.get()).ok()).unwrap_or_default()
    }
}

/// Identify. `shard` is `[0,1]`: one connection for everything. Source: QQ bot docs, event-emit/websocket, July 2026.
pub(crate) fn identify(token: &AccessToken, intents: u32) -> Outgoing {
    let frame = serde_json::json!({
        "op": op::IDENTIFY,
        "d": { "token": token.authorization(), "intents": intents, "shard": [0, 1] },
    });
    Outgoing(frame.to_string())
}

/// Resume. Source: QQ bot docs, event-emit/websocket, July 2026.
pub(crate) fn resume(token: &AccessToken, session_id: &str, sequence: Option<u64>) -> Outgoing {
    let frame = serde_json::json!({
        "op": op::RESUME,
        "d": { "token": token.authorization(), "session_id": session_id, "seq": sequence.unwrap_or(0) },
    });
    Outgoing(frame.to_string())
}

/// Heartbeat: `d` is the last sequence received, null before the first dispatch. Source: QQ bot docs, event-emit/websocket, July 2026.
pub(crate) fn heartbeat(sequence: Option<u64>) -> Outgoing {
    Outgoing(serde_json::json!({ "op": op::HEARTBEAT, "d": sequence }).to_string())
}
