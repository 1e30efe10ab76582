//! The way of an event: into a session, its replay buffer, and onto a link, with every disorder that is switched on.

use serde_json::json;

use super::clock::Millis;
use super::intent;
use super::platform::{Held, OpenPlatform, Outgoing};
use super::record::{ConnId, Seen};
use super::session::{Link, Template};
use super::settings::Overlap;

/// How long an event or a frame waits for the next one to overtake it.
const HOLD_MS: u64 = 1_000;

impl OpenPlatform {
    /// Pushes an event to the bot. Returns the last sequence number it got; none when no session takes it.
    pub(super) fn dispatch(&mut self, event: Outgoing, now: Millis) -> Option<u64> {
        if self.faults.unknown_events {
            let unknown = unknown_event(&mut self.ids);
            self.place(&unknown, now);
        }
        if !self.faults.reorder_pairs {
            return self.place_as_often_as_asked(&event, now);
        }
        let Some(held) = self.held_event.take() else {
            self.held_event = Some(Held { event, until: now + HOLD_MS });
            return None;
        };
        let s = self.place_as_often_as_asked(&event, now);
        self.place_as_often_as_asked(&held.event, now);
        s
    }

    /// Sends what was held back for too long.
    pub(super) fn release_held(&mut self, now: Millis) {
        if let Some(held) = self.held_event.take_if(|held| held.until <= now) {
            self.place_as_often_as_asked(&held.event, now);
        }
        if let Some((conn, frame, _)) = self.held_frame.take_if(|(_, _, until)| *until <= now) {
            self.send_if_open(conn, frame);
        }
    }

    fn place_as_often_as_asked(&mut self, event: &Outgoing, now: Millis) -> Option<u64> {
        let s = self.place(event, now);
        if self.faults.duplicate_push {
            return self.place(event, now);
        }
        s
    }

    /// Gives the event its sequence number in each session that it goes to.
    fn place(&mut self, event: &Outgoing, now: Millis) -> Option<u64> {
        if self.settings.webhook_url.is_some() {
            self.push_event(event, now);
            if self.settings.webhook_replaces_websocket {
                return None;
            }
        }
        self.expire_sessions(now);
        let places = self.places_for(event.intent);
        places.into_iter().map(|place| self.deliver(place, event, now)).last()
    }

    /// The sessions an event goes to: live ones as the overlap setting says, or else the one that lost its link last.
    pub(super) fn places_for(&mut self, intent: u64) -> Vec<usize> {
        let wants = |place: &usize| self.sessions[*place].intents & intent == intent;
        let live: Vec<usize> = (0..self.sessions.len()).filter(wants).filter(|place| self.sessions[*place].conn().is_some()).collect();
        if live.is_empty() {
            let lost_at = |place: &usize| match self.sessions[*place].link {
                Link::Detached { since } => since,
                Link::Attached(_) => 0,
            };
            return (0..self.sessions.len()).filter(wants).max_by_key(lost_at).into_iter().collect();
        }
        match self.settings.overlap {
            Overlap::Broadcast => live,
            Overlap::Split => vec![live[self.ids.below(live.len())]],
        }
    }

    fn deliver(&mut self, place: usize, event: &Outgoing, now: Millis) -> u64 {
        let events_max = self.settings.replay_events_max;
        let session = &mut self.sessions[place];
        let s = session.next_s();
        let frame = event.template.render(s);
        session.keep(s, frame.clone(), events_max, now);
        let id = session.id.clone();
        let conn = session.conn().filter(|_| !session.silent);
        self.events_sent += 1;
        let dropped = self.faults.drop_every_nth.is_some_and(|nth| nth > 0 && self.events_sent.is_multiple_of(nth));
        let conn = conn.filter(|_| !dropped && !self.faults.ack_but_no_events);
        let seen = Seen::Dispatched { conn, session: id, s, event: event.name.clone() };
        self.records.note(now, seen);
        self.notice(|| json!({"type": "dispatched", "at_ms": now, "event": event.name, "s": s, "sent": conn.is_some()}));
        if let Some(conn) = conn {
            self.send_dispatch(conn, frame, now);
        }
        s
    }

    fn send_dispatch(&mut self, conn: ConnId, frame: Vec<u8>, now: Millis) {
        if self.faults.garbage_frames {
            self.send(conn, b"\x7b not json \x01".to_vec());
        }
        if let Some(bytes) = self.faults.huge_frame_bytes.take() {
            let padding = "x".repeat(usize::try_from(bytes).unwrap_or(usize::MAX).min(1 << 28));
            self.send(conn, json!({"op": 0, "t": "SIMULATOR_HUGE", "d": {"padding": padding}}).to_string().into_bytes());
        }
        if !self.faults.reorder_frames {
            return self.send(conn, frame);
        }
        match self.held_frame.take() {
            None => self.held_frame = Some((conn, frame, now + HOLD_MS)),
            Some((held_conn, held, _)) => {
                self.send(conn, frame);
                self.send_if_open(held_conn, held);
            }
        }
    }

    fn send_if_open(&mut self, conn: ConnId, frame: Vec<u8>) {
        if self.connections.contains_key(&conn) {
            self.send(conn, frame);
        }
    }
}

fn unknown_event(ids: &mut super::identity::IdSource) -> Outgoing {
    let name = "SIMULATOR_UNKNOWN_EVENT".to_owned();
    let template = Template::dispatch(&name, &ids.event(&name), r#"{"news":[1,null,{"deep":true}]}"#);
    Outgoing { name, intent: intent::GROUP_AND_C2C_EVENT, template }
}
