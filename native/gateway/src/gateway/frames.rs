//! What the platform says on a live connection.

use super::Gateway;
use crate::payload::{DispatchPayload, Payload, Ready};
use crate::session::Session;
use crate::state::{Authentication, State};
use crate::{ConnId, Dispatch, Event, Memo, Timestamp};

impl Gateway {
    pub(super) fn on_frame(&mut self, conn: ConnId, text: &str, now: Timestamp) {
        if self.state.conn() != Some(conn) {
            return;
        }
        self.on_traffic(conn);
        match Payload::read(text) {
            None => self.events.push_back(Event::UnreadableFrame { bytes: text.len() }),
            Some(Payload::Hello { interval_ms }) => {
                if matches!(self.state, State::AwaitingHello { .. }) {
                    self.on_hello(conn, interval_ms, now);
                }
            }
            Some(Payload::InvalidSession { resumable: false }) if matches!(self.state, State::Refused { .. }) => self.forbid_resume(),
            // Nothing is answered before Hello: the platform speaks first, and the first word of ours is the authentication.
            Some(_) if matches!(self.state, State::AwaitingHello { .. } | State::Connecting { .. } | State::Refused { .. }) => {}
            Some(Payload::Dispatch(dispatch)) => self.on_dispatch(dispatch, now),
            Some(Payload::HeartbeatRequest) => self.on_heartbeat_request(now),
            Some(Payload::Reconnect) => self.on_reconnect(now),
            Some(Payload::InvalidSession { resumable }) => self.on_invalid_session(resumable, now),
            Some(Payload::HeartbeatAck | Payload::Unknown) => {}
        }
    }

    /// Anything that arrives proves life.
    pub(super) fn on_traffic(&mut self, conn: ConnId) {
        if let State::Authenticating { link, .. } | State::Ready { link, .. } = &mut self.state
            && link.conn == conn
        {
            link.heartbeat.on_traffic();
        }
    }

    fn on_heartbeat_request(&mut self, now: Timestamp) {
        if let State::Authenticating { link, .. } | State::Ready { link, .. } = &mut self.state
            && link.heartbeat.asked(now)
        {
            self.send_heartbeat();
        }
    }

    fn on_dispatch(&mut self, payload: DispatchPayload<'_>, now: Timestamp) {
        match payload.name.as_ref() {
            "READY" => self.on_ready(&payload, now),
            "RESUMED" => self.on_resumed(payload.sequence, now),
            _ => self.deliver(payload, now),
        }
    }

    /// READY opens a session; its own sequence is the first of it.
    fn on_ready(&mut self, payload: &DispatchPayload<'_>, now: Timestamp) {
        let ready = Ready::read(payload.data);
        let mut session = Session::new(ready.session_id.filter(|id| !id.is_empty()), now);
        if let Some(sequence) = payload.sequence {
            session.note(sequence);
        }
        self.remember(Memo::Session(session.saved()));
        self.session = Some(session);
        self.become_ready(now);
        self.events.push_back(Event::Ready { bot_name: ready.user.and_then(|user| user.username) });
    }

    /// RESUMED comes after the replay; nothing in its body is needed (`d` is the empty string).
    fn on_resumed(&mut self, sequence: Option<u64>, now: Timestamp) {
        if let (Some(session), Some(sequence)) = (&mut self.session, sequence) {
            session.note(sequence);
        }
        // A stray RESUMED says nothing.
        let State::Authenticating { by: Authentication::Resume { replayed }, .. } = &self.state else { return };
        let replayed = *replayed;
        self.become_ready(now);
        self.events.push_back(Event::Resumed { replayed });
    }

    /// READY and RESUMED are equal successes: both clear the counters. The back-off is cleared by a stable session only.
    fn become_ready(&mut self, now: Timestamp) {
        self.resumes_unconfirmed = 0;
        self.identifies_refused = 0;
        self.reported = None;
        self.slow_lane.clear();
        if let Some(mut link) = self.state.link().cloned() {
            link.heartbeat.ready(now);
            self.enter(State::Ready { link, since: now }, now);
        }
    }

    /// Delivers a dispatch once. A repeat (replay after a Resume, or the platform's own) is known by its sequence.
    fn deliver(&mut self, payload: DispatchPayload<'_>, now: Timestamp) {
        if let (Some(session), Some(sequence)) = (&mut self.session, payload.sequence)
            && !session.note(sequence)
        {
            return;
        }
        if let State::Authenticating { by: Authentication::Resume { replayed }, deadline, .. } = &mut self.state {
            *replayed += 1;
            // Each step of a replay may take its time, but not the whole for ever.
            let limit_ms = self.config.pace.authenticate_ms_max;
            *deadline = (now + limit_ms).min(self.entered + limit_ms * 4);
        }
        self.events.push_back(Event::Dispatch(Dispatch {
            name: payload.name.into_owned(),
            event_id: payload.event_id.map(|id| id.into_owned()),
            sequence: payload.sequence,
            data: payload.data.map(ToOwned::to_owned),
        }));
    }
}
