//! The WebSocket side: Hello, Identify, Resume, heartbeats, op 7, closes.

use serde_json::{Value, json};

use super::action::{Action, Frame, Upgrade};
use super::answer::{Answer, Failure};
use super::clock::Millis;
use super::connection::{Connection, Ending};
use super::faults::InvalidSession;
use super::intent;
use super::platform::OpenPlatform;
use super::rate::Window;
use super::record::{ClosedBy, ConnId, Seen};
use super::session::{Link, Session};
use super::settings::{UnknownSession, UnpermittedIntents, WrongToken};
use super::token::Verdict;

impl OpenPlatform {
    /// A client asks for `GET /websocket` with an upgrade.
    pub fn upgrade(&mut self, now: Millis) -> Upgrade {
        self.counters.connects.count(now);
        let delay_ms = self.faults.upgrade_hang_ms.unwrap_or(0);
        let Some(status) = self.faults.refuse_upgrade else {
            return Upgrade::Accept { delay_ms };
        };
        self.records.note(now, Seen::UpgradeRefused { status });
        let failure = Failure::with(status, i64::from(status), i64::from(status), "upgrade refused");
        Upgrade::Refuse(Answer::failure(&failure, false, self.ids.trace()).after(self.faults.upgrade_hang_ms))
    }

    /// A connection is open. Its number is the driver's choice and is never used twice.
    pub fn open(&mut self, conn: ConnId, now: Millis) -> Vec<Action> {
        self.records.note(now, Seen::Connected { conn });
        let interval_ms = self.faults.hello_interval_ms.unwrap_or(self.settings.heartbeat_interval_ms);
        let missed_max = self.settings.heartbeat_intervals_missed_max;
        let mut connection = Connection {
            opened_at: now,
            interval_ms,
            authenticated: false,
            frames: self.settings.frames_per_minute_max.map(|count| Window::new(count, 60_000)),
            hello_at: (!self.faults.no_hello).then_some(now + self.faults.hello_delay_ms.unwrap_or(0)),
            op7_at: self.settings.op7_interval_ms.map(|interval| now + interval),
            ends: None,
            heartbeat_due: (missed_max > 0).then(|| now.saturating_add(interval_ms.saturating_mul(missed_max))),
            auth_due: self.settings.auth_timeout_ms.map(|timeout| now + timeout),
        };
        if let Some(flap) = self.faults.flap_after_ms {
            connection.end_by(now + flap, Ending::Cut { reason: "flap" });
        }
        self.connections.insert(conn, connection);
        self.tick(now)
    }

    /// A text message came in. Anything that is not a frame of the protocol is answered as the docs' close codes say.
    pub fn frame(&mut self, conn: ConnId, text: &str, now: Millis) -> Vec<Action> {
        if self.connections.contains_key(&conn) {
            self.read_frame(conn, text, now);
        }
        self.take_actions()
    }

    /// A binary message came in; the protocol has none, so it is a payload that cannot be read (4002).
    pub fn binary_frame(&mut self, conn: ConnId, now: Millis) -> Vec<Action> {
        self.close(conn, 4002, "invalid payload", now);
        self.take_actions()
    }

    /// The connection ended from the client's side: with a close code, or without (end of TCP).
    pub fn closed(&mut self, conn: ConnId, code: Option<u16>, now: Millis) -> Vec<Action> {
        let normal = matches!(code, Some(1000 | 1001));
        if normal && self.settings.normal_close_ends_session {
            self.sessions.retain(|session| session.link != Link::Attached(conn));
        }
        if self.forget_connection(conn, now) {
            let seen = Seen::Closed { conn, by: ClosedBy::Client, code, reason: String::new() };
            self.records.note(now, seen);
        }
        self.take_actions()
    }

    fn read_frame(&mut self, conn: ConnId, text: &str, now: Millis) {
        if !self.frame_fits_rate(conn, now) {
            return self.close(conn, 4008, "payloads sent too fast", now);
        }
        let Ok(frame) = serde_json::from_str::<Value>(text) else {
            self.note_frame(conn, text, now);
            return self.close(conn, 4002, "invalid payload", now);
        };
        match frame.get("op").and_then(Value::as_u64) {
            Some(1) => self.heartbeat(conn, &frame, now),
            Some(2) => self.identify(conn, &frame, now),
            Some(6) => self.resume(conn, &frame, now),
            Some(_) => {
                self.note_frame(conn, text, now);
                self.close(conn, 4001, "invalid opcode", now);
            }
            None => {
                self.note_frame(conn, text, now);
                self.close(conn, 4002, "invalid payload", now);
            }
        }
    }

    fn note_frame(&mut self, conn: ConnId, text: &str, now: Millis) {
        let text = text.to_owned();
        self.records.note(now, Seen::Frame { conn, text });
    }

    fn frame_fits_rate(&mut self, conn: ConnId, now: Millis) -> bool {
        let frames = self.connections.get_mut(&conn).and_then(|connection| connection.frames.as_mut());
        frames.is_none_or(|frames| frames.try_take(now))
    }

    /// The `d` of a heartbeat may be missing: a client in wide use leaves it out.
    fn heartbeat(&mut self, conn: ConnId, frame: &Value, now: Millis) {
        self.counters.heartbeats.count(now);
        let missed_max = self.settings.heartbeat_intervals_missed_max;
        if let Some(connection) = self.connections.get_mut(&conn).filter(|_| missed_max > 0) {
            let grace = connection.interval_ms.saturating_mul(missed_max);
            connection.heartbeat_due = Some(now.saturating_add(grace));
        }
        let seen = Seen::Heartbeat { conn, seq: frame.get("d").and_then(Value::as_u64), acked: !self.faults.no_ack };
        self.records.note(now, seen);
        if !self.faults.no_ack {
            self.send(conn, br#"{"op":11}"#.to_vec());
        }
    }

    fn identify(&mut self, conn: ConnId, frame: &Value, now: Millis) {
        self.counters.identifies.count(now);
        let token = frame.pointer("/d/token").and_then(Value::as_str).unwrap_or("").to_owned();
        let intents = frame.pointer("/d/intents").and_then(Value::as_u64);
        let seen = Seen::Identify { conn, token: token.clone(), intents: intents.unwrap_or(0) };
        self.records.note(now, seen);
        let op9 = self.faults.next_identify_op9.take().or(self.faults.every_identify_op9);
        if !self.auth_may_go_on(conn, &token, op9, now) {
            return;
        }
        let Some(intents) = intents else {
            return self.close(conn, 4002, "invalid payload", now);
        };
        if !shard_is_valid(frame.pointer("/d/shard")) {
            return self.close(conn, 4010, "invalid shard", now);
        }
        if intents & !intent::KNOWN != 0 {
            return self.close(conn, 4013, "invalid intent", now);
        }
        if intents & !self.permitted_intents() != 0 {
            return self.refuse_intents(conn, now);
        }
        if !self.session_starts.try_take(now) {
            self.send_op9(conn, InvalidSession::Dead, now);
            return self.close(conn, 4903, "create session error", now);
        }
        self.start_session(conn, intents, now);
    }

    fn permitted_intents(&self) -> u64 {
        if self.faults.unpermitted_intents {
            return self.settings.permitted_intents & !intent::GROUP_AND_C2C_EVENT;
        }
        self.settings.permitted_intents
    }

    fn refuse_intents(&mut self, conn: ConnId, now: Millis) {
        match self.faults.unpermitted_answer.unwrap_or(self.settings.unpermitted_intents) {
            UnpermittedIntents::Op9Then4903 => {
                self.send_op9(conn, InvalidSession::Dead, now);
                self.close(conn, 4903, "create session error", now);
            }
            UnpermittedIntents::Op9ThenCut => {
                self.send_op9(conn, InvalidSession::Dead, now);
                self.cut(conn, "intents not permitted", now);
            }
            UnpermittedIntents::Close4014 => self.close(conn, 4014, "intent无权限", now),
        }
    }

    fn start_session(&mut self, conn: ConnId, intents: u64, now: Millis) {
        let id = self.ids.uuid();
        let mut session = Session::new(id.clone(), intents, conn, now);
        let ready = json!({"op": 0, "s": session.next_s(), "t": "READY", "d": {
            "version": 1,
            "session_id": id,
            "user": {"id": self.settings.bot_id, "username": self.settings.bot_name, "bot": true},
            // The docs' sample has [0,0] whatever was asked for.
            "shard": [0, 0],
        }});
        self.sessions.push(session);
        self.authenticated(conn);
        self.send(conn, ready.to_string().into_bytes());
        self.records.note(now, Seen::Ready { conn, session: id.clone() });
        self.notice(|| json!({"type": "ready", "at_ms": now, "conn": conn, "session": id}));
    }

    fn resume(&mut self, conn: ConnId, frame: &Value, now: Millis) {
        self.counters.resumes.count(now);
        let text = |path| frame.pointer(path).and_then(Value::as_str).unwrap_or("").to_owned();
        let (token, id) = (text("/d/token"), text("/d/session_id"));
        let seq = frame.pointer("/d/seq").and_then(Value::as_u64);
        let seen = Seen::Resume { conn, token: token.clone(), session: id.clone(), seq: seq.unwrap_or(0) };
        self.records.note(now, seen);
        let op9 = self.faults.next_resume_op9.take().or(self.faults.every_resume_op9);
        if !self.auth_may_go_on(conn, &token, op9, now) {
            return;
        }
        if let Some(code) = self.faults.every_resume_close {
            return self.close(conn, code, "closed on resume", now);
        }
        let Some(seq) = seq.filter(|_| !id.is_empty()) else {
            return self.close(conn, 4002, "invalid payload", now);
        };
        self.expire_sessions(now);
        let place = self.sessions.iter().position(|session| session.id == id);
        let Some(place) = place.filter(|_| !self.faults.dead_sessions) else {
            return self.refuse_session(conn, now);
        };
        if seq > self.sessions[place].last_s() {
            return self.close(conn, 4007, "invalid seq", now);
        }
        if let Some(older) = self.sessions[place].conn() {
            // What becomes of the older link is not documented; two links of one session would split its events.
            self.cut(older, "its session was resumed elsewhere", now);
        }
        self.reattach(place, conn, seq, now);
    }

    fn refuse_session(&mut self, conn: ConnId, now: Millis) {
        match self.settings.unknown_session {
            UnknownSession::Op9 => self.send_op9(conn, InvalidSession::Dead, now),
            UnknownSession::Close4006 => self.close(conn, 4006, "session no longer valid", now),
        }
    }

    /// Replays what is above `seq`, then RESUMED: the documented order.
    fn reattach(&mut self, place: usize, conn: ConnId, seq: u64, now: Millis) {
        let again = self.faults.replay_again.unwrap_or(0);
        let silent_after = self.settings.session_silent_after_ms;
        let session = &mut self.sessions[place];
        session.link = Link::Attached(conn);
        let old = silent_after.is_some_and(|age| now >= session.created_at + age);
        session.silent = self.faults.silent_sessions || old;
        let frames = if session.silent { Vec::new() } else { session.replay(seq.saturating_sub(again), self.settings.replay_age_ms, now) };
        let resumed = resumed_frame(session.next_s(), self.faults.resumed_d.as_deref());
        let id = session.id.clone();
        let replayed = frames.len() as u64;
        self.authenticated(conn);
        for frame in frames {
            self.send(conn, frame);
        }
        self.send(conn, resumed.into_bytes());
        self.records.note(now, Seen::Resumed { conn, session: id.clone(), replayed });
        self.notice(|| json!({"type": "resumed", "at_ms": now, "conn": conn, "session": id, "replayed": replayed}));
    }

    /// The checks that Identify and Resume share. Answers by itself when the attempt ends here.
    fn auth_may_go_on(&mut self, conn: ConnId, token: &str, op9: Option<InvalidSession>, now: Millis) -> bool {
        if self.faults.ignore_auth {
            return false;
        }
        if self.connections.get(&conn).is_some_and(|connection| connection.authenticated) {
            self.close(conn, 4005, "already authenticated", now);
            return false;
        }
        if let Some(code) = self.faults.next_auth_close.take().or(self.faults.every_auth_close) {
            self.close(conn, code, "closed on authentication", now);
            return false;
        }
        if let Some(d) = op9 {
            self.send_op9(conn, d, now);
            return false;
        }
        if self.faults.banned || self.faults.deleted {
            self.close(conn, 4915, "bot banned", now);
            return false;
        }
        if self.faults.delisted {
            self.close(conn, 4914, "bot delisted", now);
            return false;
        }
        self.token_opens(conn, token, now)
    }

    /// Official SDKs send `QQBot` and the token, or the bare token; both work.
    fn token_opens(&mut self, conn: ConnId, token: &str, now: Millis) -> bool {
        let bare = token.strip_prefix("QQBot ").unwrap_or(token);
        if self.tokens.judge(bare, now) == Verdict::Good {
            return true;
        }
        match self.settings.wrong_token {
            WrongToken::Close4004 => self.close(conn, 4004, "authentication failed", now),
            WrongToken::Op9 => self.send_op9(conn, InvalidSession::Dead, now),
        }
        false
    }

    fn authenticated(&mut self, conn: ConnId) {
        if let Some(connection) = self.connections.get_mut(&conn) {
            connection.authenticated = true;
            connection.auth_due = None;
        }
    }

    pub(super) fn send_op9(&mut self, conn: ConnId, d: InvalidSession, now: Millis) {
        let frame = match d {
            InvalidSession::Resumable => r#"{"op":9,"d":true}"#,
            InvalidSession::Dead => r#"{"op":9,"d":false}"#,
            InvalidSession::Absent => r#"{"op":9}"#,
        };
        self.records.note(now, Seen::Control { conn, op: 9 });
        self.send(conn, frame.as_bytes().to_vec());
    }

    pub(super) fn send(&mut self, conn: ConnId, text: Vec<u8>) {
        let frame = Frame::Text(text);
        self.actions.push(Action::Send { conn, frame });
    }

    pub(super) fn close(&mut self, conn: ConnId, code: u16, reason: &str, now: Millis) {
        if !self.forget_connection(conn, now) {
            return;
        }
        let reason = reason.to_owned();
        let seen = Seen::Closed { conn, by: ClosedBy::Platform, code: Some(code), reason: reason.clone() };
        self.records.note(now, seen);
        self.actions.push(Action::Close { conn, code, reason });
    }

    pub(super) fn cut(&mut self, conn: ConnId, reason: &str, now: Millis) {
        if !self.forget_connection(conn, now) {
            return;
        }
        let seen = Seen::Closed { conn, by: ClosedBy::Cut, code: None, reason: reason.to_owned() };
        self.records.note(now, seen);
        self.actions.push(Action::Cut { conn });
    }

    /// Takes a connection out of the books; its session waits to be resumed. Says whether it was there.
    fn forget_connection(&mut self, conn: ConnId, now: Millis) -> bool {
        let there = self.connections.remove(&conn).is_some();
        for session in self.sessions.iter_mut().filter(|session| session.link == Link::Attached(conn)) {
            session.link = Link::Detached { since: now };
        }
        if there {
            self.notice(|| json!({"type": "closed", "at_ms": now, "conn": conn}));
        }
        there
    }

    /// Drops the sessions whose time to be resumed is over.
    pub(super) fn expire_sessions(&mut self, now: Millis) {
        let resume_ms = self.settings.session_resume_ms;
        self.sessions.retain(|session| match session.link {
            Link::Attached(_) => true,
            Link::Detached { since } => now < since + resume_ms,
        });
    }
}

/// `d` is the empty string (QQ bot docs, event-emit/websocket, July 2026) unless a fault says otherwise.
fn resumed_frame(s: u64, d: Option<&str>) -> String {
    match d {
        None => format!(r#"{{"op":0,"s":{s},"t":"RESUMED","d":""}}"#),
        Some("absent") => format!(r#"{{"op":0,"s":{s},"t":"RESUMED"}}"#),
        Some(raw) => format!(r#"{{"op":0,"s":{s},"t":"RESUMED","d":{raw}}}"#),
    }
}

/// A shard is missing or `[index, count]` with the index below the count.
fn shard_is_valid(shard: Option<&Value>) -> bool {
    let Some(shard) = shard else { return true };
    match shard.as_array().map(Vec::as_slice) {
        Some([index, count]) => index.as_u64().zip(count.as_u64()).is_some_and(|(index, count)| index < count),
        _ => false,
    }
}
