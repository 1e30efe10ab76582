//! The operator's side: faults and acts.

use serde_json::{Value, json};

use super::action::{Act, Action};
use super::clock::Millis;
use super::faults::{Faults, InvalidSession};
use super::platform::OpenPlatform;
use super::record::{ConnId, Seen};
use super::speak::ControlError;

impl OpenPlatform {
    /// The fault switches.
    #[must_use]
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Merges a JSON object into the fault switches.
    ///
    /// # Errors
    ///
    /// [`ControlError::Invalid`] with what is wrong; nothing changes then.
    pub fn patch_faults(&mut self, patch: &Value, now: Millis) -> Result<Vec<Action>, ControlError> {
        let mut faults = self.faults.clone();
        faults.merge(patch).map_err(ControlError::Invalid)?;
        Ok(self.set_faults(faults, now))
    }

    /// Replaces the fault switches.
    pub fn set_faults(&mut self, faults: Faults, now: Millis) -> Vec<Action> {
        self.faults = faults;
        if let Some(code) = self.faults.close_now.take() {
            self.close_all(code, now);
        }
        if let Some(flap_ms) = self.faults.flap_after_ms {
            for connection in self.connections.values_mut() {
                let ending = super::connection::Ending::Cut { reason: "flap" };
                connection.end_by((connection.opened_at + flap_ms).max(now), ending);
            }
        }
        let active = self.faults.active();
        self.notice(|| json!({"type": "faults", "at_ms": now, "active": active}));
        self.tick(now)
    }

    /// Does something at once.
    pub fn act(&mut self, act: &Act, now: Millis) -> Vec<Action> {
        match act {
            Act::Cut => self.all_conns().into_iter().for_each(|conn| self.cut(conn, "cut by the operator", now)),
            Act::Close(code) => self.close_all(*code, now),
            Act::RevokeToken => self.revoke_token(now),
            Act::Op7 => self.all_conns().into_iter().for_each(|conn| self.send_op7(conn, now)),
            Act::Op9(d) => self.invalidate(*d, now),
            Act::RateLimitAddress { seconds } => self.lookups_refused_until = now + seconds * 1000,
            Act::ForgetSessions => {
                self.sessions.clear();
                self.close_all(4009, now);
            }
            Act::HeartbeatRequest => self.ask_for_heartbeats(now),
            Act::Heal => {
                self.lookups_refused_until = 0;
                return self.set_faults(Faults::default(), now);
            }
        }
        self.notice(|| json!({"type": "act", "at_ms": now, "act": act.to_string()}));
        self.take_actions()
    }

    fn revoke_token(&mut self, now: Millis) {
        self.tokens.revoke_all();
        if self.settings.revoke_closes_links {
            self.close_all(4004, now);
        }
    }

    fn invalidate(&mut self, d: InvalidSession, now: Millis) {
        for conn in self.all_conns() {
            self.send_op9(conn, d, now);
            if let Some(connection) = self.connections.get_mut(&conn) {
                connection.authenticated = false;
            }
        }
        match d {
            InvalidSession::Resumable => self.detach_all(now),
            InvalidSession::Dead | InvalidSession::Absent => self.sessions.clear(),
        }
    }

    fn detach_all(&mut self, now: Millis) {
        for session in self.sessions.iter_mut().filter(|session| session.conn().is_some()) {
            session.link = super::session::Link::Detached { since: now };
        }
    }

    fn ask_for_heartbeats(&mut self, now: Millis) {
        for conn in self.all_conns() {
            self.records.note(now, Seen::Control { conn, op: 1 });
            self.send(conn, br#"{"op":1,"d":null}"#.to_vec());
        }
    }

    fn close_all(&mut self, code: u16, now: Millis) {
        self.all_conns().into_iter().for_each(|conn| self.close(conn, code, "closed by the operator", now));
    }

    fn all_conns(&self) -> Vec<ConnId> {
        self.connections.keys().copied().collect()
    }
}
