//! What the platform saw, with the time of each: requests, links, auth frames, heartbeats, closes.

use std::collections::VecDeque;

use serde::Serialize;

use super::clock::Millis;

/// Records kept; the oldest go first. Enough for hours of a storming client.
const RECORDS_MAX: usize = 200_000;

/// Number of a WebSocket connection; the driver chooses it and never uses one twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ConnId(pub u64);

/// One thing that the platform saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// When, in milliseconds since the platform's origin, on a clock that never goes back.
    pub at_ms: Millis,
    /// What.
    #[serde(flatten)]
    pub seen: Seen,
}

/// What a [`Record`] is about. In JSON the variant is the field `kind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Seen {
    /// `POST /app/getAppAccessToken`.
    TokenRequest {
        /// The AppID of the request, empty if unreadable.
        app_id: String,
        /// HTTP status of the answer.
        status: u16,
        /// Error number of the answer, 0 for success.
        code: i64,
    },
    /// `GET /gateway` or `GET /gateway/bot`.
    Lookup {
        /// Whether it was `/gateway/bot`.
        bot: bool,
        /// Header `Authorization`, verbatim.
        authorization: Option<String>,
        /// HTTP status of the answer.
        status: u16,
        /// Error number of the answer, 0 for success.
        code: i64,
    },
    /// Any other API call.
    Api {
        /// HTTP method.
        method: String,
        /// Path without the query.
        path: String,
        /// Header `Authorization`, verbatim.
        authorization: Option<String>,
        /// HTTP status of the answer.
        status: u16,
        /// Error number of the answer, 0 for success.
        code: i64,
    },
    /// A WebSocket upgrade was refused.
    UpgradeRefused {
        /// HTTP status of the refusal.
        status: u16,
    },
    /// A WebSocket connection opened.
    Connected {
        /// The connection.
        conn: ConnId,
    },
    /// Hello was sent.
    Hello {
        /// The connection.
        conn: ConnId,
    },
    /// op 2 came in.
    Identify {
        /// The connection.
        conn: ConnId,
        /// The frame's `token`, verbatim.
        token: String,
        /// The frame's intents.
        intents: u64,
    },
    /// op 6 came in.
    Resume {
        /// The connection.
        conn: ConnId,
        /// The frame's `token`, verbatim.
        token: String,
        /// The session asked for.
        session: String,
        /// The sequence asked for.
        seq: u64,
    },
    /// READY was sent.
    Ready {
        /// The connection.
        conn: ConnId,
        /// The new session.
        session: String,
    },
    /// RESUMED was sent.
    Resumed {
        /// The connection.
        conn: ConnId,
        /// The session.
        session: String,
        /// Events replayed before it.
        replayed: u64,
    },
    /// op 1 came in.
    Heartbeat {
        /// The connection.
        conn: ConnId,
        /// The frame's `d`; none for null or absent.
        seq: Option<u64>,
        /// Whether it was acknowledged.
        acked: bool,
    },
    /// Any other frame came in.
    Frame {
        /// The connection.
        conn: ConnId,
        /// The frame's text.
        text: String,
    },
    /// An event got a sequence number.
    Dispatched {
        /// The connection it was sent on; none when it only went into the replay buffer.
        conn: Option<ConnId>,
        /// The session.
        session: String,
        /// The sequence number.
        s: u64,
        /// The event's name, empty for a raw frame.
        event: String,
    },
    /// The platform sent a control frame of its own accord.
    Control {
        /// The connection.
        conn: ConnId,
        /// Its op code.
        op: u8,
    },
    /// A connection ended.
    Closed {
        /// The connection.
        conn: ConnId,
        /// Who ended it.
        by: ClosedBy,
        /// The close code, if there was one.
        code: Option<u16>,
        /// The reason in words.
        reason: String,
    },
    /// A webhook push was answered.
    Webhook {
        /// The push.
        delivery: u64,
        /// HTTP status; none when nobody answered.
        status: Option<u16>,
        /// Whether the bot took it.
        taken: bool,
    },
}

/// Who ended a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClosedBy {
    /// The client, with or without a close frame.
    Client,
    /// The platform, with a close frame.
    Platform,
    /// The platform, by ending TCP without a close frame.
    Cut,
}

/// The records, oldest first.
#[derive(Debug, Default)]
pub(super) struct RecordBook {
    records: VecDeque<Record>,
}

impl RecordBook {
    pub(super) fn note(&mut self, at_ms: Millis, seen: Seen) {
        if self.records.len() == RECORDS_MAX {
            self.records.pop_front();
        }
        self.records.push_back(Record { at_ms, seen });
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Record> {
        self.records.iter()
    }
}
