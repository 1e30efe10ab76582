//! What the platform does of its own accord as time passes.

use serde_json::json;

use super::action::Action;
use super::clock::Millis;
use super::connection::Ending;
use super::platform::OpenPlatform;
use super::record::{ConnId, Seen};

impl OpenPlatform {
    /// Does everything that is due at `now`.
    pub fn tick(&mut self, now: Millis) -> Vec<Action> {
        let conns: Vec<ConnId> = self.connections.keys().copied().collect();
        for conn in conns {
            self.tick_connection(conn, now);
        }
        self.expire_sessions(now);
        self.release_held(now);
        self.finish_audits(now);
        self.repeat_pushes(now);
        self.take_actions()
    }

    /// When [`OpenPlatform::tick`] has something to do next; none while nothing is due.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Millis> {
        let connections = self.connections.values().filter_map(|connection| connection.next_deadline());
        let held = self.held_event.as_ref().map(|held| held.until);
        let frame = self.held_frame.as_ref().map(|(_, _, until)| *until);
        let audit = self.audits.front().map(|audit| audit.ends_at);
        let push = self.webhook.pending.values().filter_map(|push| push.retry_at).min();
        connections.chain([held, frame, audit, push].into_iter().flatten()).min()
    }

    fn tick_connection(&mut self, conn: ConnId, now: Millis) {
        self.say_hello(conn, now);
        self.ask_to_reconnect(conn, now);
        let Some(connection) = self.connections.get(&conn) else { return };
        let is_due = |at: Option<Millis>| at.is_some_and(|at| at <= now);
        if let Some((_, ending)) = connection.ends.as_ref().filter(|(at, _)| *at <= now) {
            match ending.clone() {
                Ending::Close { code, reason } => self.close(conn, code, reason, now),
                Ending::Cut { reason } => self.cut(conn, reason, now),
            }
        } else if is_due(connection.heartbeat_due) {
            self.cut(conn, "no heartbeat", now);
        } else if is_due(connection.auth_due) {
            self.cut(conn, "no Identify or Resume", now);
        }
    }

    fn say_hello(&mut self, conn: ConnId, now: Millis) {
        let Some(connection) = self.connections.get_mut(&conn) else { return };
        if connection.hello_at.is_none_or(|at| at > now) {
            return;
        }
        connection.hello_at = None;
        let plain = json!({"op": 10, "d": {"heartbeat_interval": connection.interval_ms}});
        let text = self.faults.hello_text.clone().unwrap_or_else(|| plain.to_string());
        self.records.note(now, Seen::Hello { conn });
        self.send(conn, text.into_bytes());
    }

    fn ask_to_reconnect(&mut self, conn: ConnId, now: Millis) {
        let due = self.connections.get(&conn).and_then(|connection| connection.op7_at);
        if due.is_some_and(|at| at <= now) {
            self.send_op7(conn, now);
        }
    }

    /// op 7; 4009 `Session timed out` follows shortly after if the client stays, and the session can be resumed.
    pub(super) fn send_op7(&mut self, conn: ConnId, now: Millis) {
        let grace_ms = self.settings.op7_grace_ms;
        let Some(connection) = self.connections.get_mut(&conn) else { return };
        connection.op7_at = None;
        let ending = Ending::Close { code: 4009, reason: "Session timed out" };
        connection.end_by(now + grace_ms, ending);
        self.records.note(now, Seen::Control { conn, op: 7 });
        self.send(conn, br#"{"op":7}"#.to_vec());
    }
}
