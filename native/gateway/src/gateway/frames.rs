//! What the platform says on a live connection.

use super::Gateway;
use crate::payload::{DispatchPayload, Payload, Ready};
use crate::session::Session;
use crate::state::{Authentication, State};
use crate::{ConnId, Dispatch, Event, Timestamp};

impl Gateway {
    pub(super) fn on_frame(&mut self, conn: ConnId, text: &str, now: Timestamp) {
        if self.state.conn() != Some(conn) {
            return;
        }
        self.on_traffic(now);
        match Payload::read(text) {
            None => self.events.push_back(Event::UnreadableFrame { bytes: text.len() }),
            Some(Payload::Hello { interval_ms }) => {
                if matches!(self.state, State::AwaitingHello { .. }) {
                    self.on_hello(conn, interval_ms, now);
                }
            }
            // Nothing is answered before Hello: the platform speaks first, and the first word of ours is the authentication.
            Some(_) if matches!(self.state, State::AwaitingHello { .. } | State::Connecting { .. } | State::Stopping { .. }) => {}
            Some(Payload::Dispatch(dispatch)) => self.on_dispatch(dispatch, now),
            Some(Payload::HeartbeatRequest) => self.send_heartbeat(),
            Some(Payload::Reconnect) => self.on_reconnect(now),
            Some(Payload::InvalidSession { resumable }) => self.on_invalid_session(resumable, now),
            Some(Payload::HeartbeatAck | Payload::Unknown) => {}
        }
    }

    /// Any frame proves life.
    fn on_traffic(&mut self, now: Timestamp) {
        if let State::Authenticating { link, .. } | State::Ready { link, .. } = &mut self.state {
            link.heartbeat.on_traffic(now);
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
        self.session = ready.session_id.filter(|id| !id.is_empty()).map(|id| Session::new(id, now));
        if let (Some(session), Some(sequence)) = (&mut self.session, payload.sequence) {
            session.note(sequence);
        }
        self.become_ready(now);
        self.events.push_back(Event::Ready { bot_name: ready.user.and_then(|user| user.username) });
    }

    /// RESUMED comes after the replay; nothing in its body is needed (`d` is the empty string).
    fn on_resumed(&mut self, sequence: Option<u64>, now: Timestamp) {
        let replayed = match &self.state {
            State::Authenticating { by: Authentication::Resume { replayed }, .. } => *replayed,
            // A stray RESUMED says nothing.
            State::Authenticating { by: Authentication::Identify, .. }
            | State::AwaitingToken
            | State::AwaitingAddress { .. }
            | State::Waiting { .. }
            | State::Connecting { .. }
            | State::AwaitingHello { .. }
            | State::Ready { .. }
            | State::Halted { .. }
            | State::Stopping { .. }
            | State::Stopped => return,
        };
        if let (Some(session), Some(sequence)) = (&mut self.session, sequence) {
            session.note(sequence);
        }
        self.become_ready(now);
        self.events.push_back(Event::Resumed { replayed });
    }

    /// READY and RESUMED are equal successes: both clear the counters. The back-off is cleared by a stable session only.
    fn become_ready(&mut self, now: Timestamp) {
        self.resumes_unconfirmed = 0;
        self.identifies_refused = 0;
        self.reported = None;
        self.slow_lane.clear();
        match std::mem::replace(&mut self.state, State::AwaitingToken) {
            State::Authenticating { link, .. } | State::Ready { link, .. } => self.enter(State::Ready { link, since: now }, now),
            other @ (State::AwaitingToken
            | State::AwaitingAddress { .. }
            | State::Waiting { .. }
            | State::Connecting { .. }
            | State::AwaitingHello { .. }
            | State::Halted { .. }
            | State::Stopping { .. }
            | State::Stopped) => self.state = other,
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
            *deadline = now + self.config.pace.authenticate_ms_max;
        }
        self.events.push_back(Event::Dispatch(Dispatch {
            name: payload.name.into_owned(),
            event_id: payload.event_id.map(|id| id.into_owned()),
            sequence: payload.sequence,
            data: payload.data.map(ToOwned::to_owned),
        }));
    }
}
