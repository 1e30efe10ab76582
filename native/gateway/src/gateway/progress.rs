//! The way forward: token, address, brakes, connect, Hello, Identify or Resume.

use super::Gateway;
use crate::address::Target;
use crate::answer::{Denial, read_address};
use crate::backoff::Failure;
use crate::heartbeat::{Beat, Heartbeat};
use crate::session::Session;
use crate::state::{Authentication, Link, State};
use crate::token_keeper::REFUSED_ON_THE_WAY_MS;
use crate::{
    AccessToken, AddressEndpoint, AttemptKind, ConnId, Effect, Event, HttpAnswer, HttpFailure, LinkStep, LossCause, Memo, RequestId,
    SavedAddress, Setback, Timestamp, payload,
};

/// Resumes in a row without an answer after which the session is given up.
pub(super) const RESUMES_UNCONFIRMED_MAX: u32 = 3;

impl Gateway {
    /// Takes the next step towards a session. The one place that emits [`Effect::Connect`].
    pub(super) fn advance(&mut self, now: Timestamp) {
        let Some(token) = self.tokens.usable(now).cloned() else { return self.await_token(now) };
        self.drop_stale_session(now);
        let wants_look_up = !self.has_resumable_session() && self.identifies.wants_look_up(now);
        match self.addresses.target(&self.config.pace, wants_look_up, now) {
            Target::LookUp(endpoint) => self.look_up(token, endpoint, now),
            Target::Wait(until) => self.wait_behind(until, "address look-up limit", now),
            Target::Known(url) => match self.brake(now) {
                Some((until, brake)) => self.wait_behind(until, brake, now),
                None => self.connect(url, now),
            },
        }
    }

    /// Waits, and says so when it takes long: the allowance of new sessions may be spent for a day.
    fn wait_behind(&mut self, until: Timestamp, brake: &'static str, now: Timestamp) {
        let retry_in_ms = until.since(now);
        if retry_in_ms >= Setback::BRAKE_MS_MIN {
            self.set_back(Setback::Braked(brake), retry_in_ms);
        }
        self.enter(State::Waiting { until, brake }, now);
    }

    fn await_token(&mut self, now: Timestamp) {
        if let Some(halt) = self.tokens.halt()
            && let Some((until, _)) = self.tokens.deadline(true)
            && until > now
        {
            let (reason, detail) = (halt.reason, halt.detail.clone());
            self.report_halt(reason, detail, until.since(now));
            return self.enter(State::Halted { reason, until }, now);
        }
        if !matches!(self.state, State::AwaitingToken) {
            self.enter(State::AwaitingToken, now);
        }
        self.fetch_token_if_due(now);
    }

    pub(super) fn drop_stale_session(&mut self, now: Timestamp) {
        let age_ms_max = self.config.pace.session_age_ms_max;
        let is_stale = self.session.as_ref().is_some_and(|session| now.since(session.began) >= age_ms_max);
        if is_stale || self.resumes_unconfirmed >= RESUMES_UNCONFIRMED_MAX {
            self.forget_session();
        }
    }

    pub(super) fn forget_session(&mut self) {
        if self.session.take().is_some() {
            self.remember(Memo::Session(None));
        }
        self.resumes_unconfirmed = 0;
    }

    fn look_up(&mut self, token: AccessToken, endpoint: AddressEndpoint, now: Timestamp) {
        self.addresses.look_up_begins(now);
        self.remember_attempt(AttemptKind::LookUp, now);
        let request = RequestId(self.next_request);
        self.next_request += 1;
        self.effects.push_back(Effect::FetchAddress { request, token: token.clone(), endpoint });
        self.enter(State::AwaitingAddress { request, token, deadline: now + self.config.pace.exchange_ms_max }, now);
    }

    /// The brake that holds longest, if one holds: the outcome-blind limit on connects, and the allowance when an Identify is to come.
    fn brake(&self, now: Timestamp) -> Option<(Timestamp, &'static str)> {
        let connects = (self.connects.next_free(now), "connect limit");
        let identify_free = if self.has_resumable_session() { now } else { self.identifies.next_free(now) };
        let identifies = (identify_free, "allowance of new sessions");
        [connects, identifies].into_iter().filter(|(until, _)| *until > now).max_by_key(|(until, _)| *until)
    }

    fn connect(&mut self, url: String, now: Timestamp) {
        self.connects.take(now);
        self.remember_attempt(AttemptKind::Connect, now);
        let conn = ConnId(self.next_conn);
        self.next_conn += 1;
        self.effects.push_back(Effect::Connect { conn, url });
        self.enter(State::Connecting { conn, deadline: now + self.config.pace.connect_ms_max }, now);
    }

    pub(super) fn on_address_answer(&mut self, answered: RequestId, answer: HttpAnswer, now: Timestamp) {
        let State::AwaitingAddress { request, token, .. } = &self.state else { return };
        if *request != answered {
            return;
        }
        let token = token.clone();
        match read_address(answer) {
            Ok(grant) => {
                self.addresses.granted(&grant, now);
                self.remember(Memo::Address(Some(SavedAddress { url: grant.url, learned: now })));
                self.identifies.looked_up(grant.limit, now);
                self.remember_allowance();
                self.advance(now);
            }
            Err(denial) => self.on_address_denied(denial, &token, now),
        }
    }

    fn on_address_denied(&mut self, denial: Denial, token: &AccessToken, now: Timestamp) {
        let try_other_endpoint = self.addresses.denied(&denial, &self.config.pace, now);
        match denial {
            Denial::TokenRefused => {
                // 401 on any call forgets the token; the next step fetches another.
                self.refuse_token(token, REFUSED_ON_THE_WAY_MS, now);
                self.set_back(Setback::Address("HTTP 401, the token is renewed".to_owned()), 0);
                self.advance(now);
            }
            Denial::Operator { reason, detail } => self.halt(reason, detail, now),
            Denial::RateLimited { .. } => {
                // The known address serves on if there is one; else `advance` waits for the look-up to be free.
                let retry_in_ms = if self.addresses.has_known() { 0 } else { self.addresses.next_look_up(now).since(now) };
                self.set_back(Setback::AddressRateLimited, retry_in_ms);
                self.advance(now);
            }
            // The other endpoint is tried, or the known address serves on; the look-up limiter bounds both.
            Denial::Transient(why) if try_other_endpoint || self.addresses.has_known() => {
                self.set_back(Setback::Address(why), 0);
                self.advance(now);
            }
            Denial::Transient(why) => {
                let wait_ms = self.backoff.fail(Failure::Unreached, now);
                self.set_back(Setback::Address(why), wait_ms);
                self.enter(State::Waiting { until: now + wait_ms, brake: "back-off" }, now);
            }
        }
    }

    pub(super) fn set_back(&mut self, setback: Setback, retry_in_ms: u64) {
        self.events.push_back(Event::SetBack { setback, retry_in_ms });
    }

    pub(super) fn on_opened(&mut self, opened: ConnId, now: Timestamp) {
        if let State::Connecting { conn, .. } = &self.state
            && *conn == opened
        {
            self.addresses.connect_worked();
            self.enter(State::AwaitingHello { conn: opened, deadline: now + self.config.pace.hello_ms_max }, now);
        }
    }

    /// Hello arrived: send the one authentication frame of this connection.
    pub(super) fn on_hello(&mut self, conn: ConnId, interval_ms: Option<u64>, now: Timestamp) {
        let pace = self.config.pace;
        let Some(token) = self.tokens.usable(now).cloned() else {
            return self.lose_by_failure(LossCause::TokenGone, now);
        };
        let (heartbeat, sane) = Heartbeat::begin(interval_ms, pace.ack_ms_max, now, &mut self.heartbeat_chance);
        if !sane {
            self.events.push_back(Event::OddHello);
        }
        let resumable = self.session.as_ref().and_then(|session| Some((session.id.as_deref()?, session.highest())));
        let (by, text) = match resumable {
            Some((id, sequence)) => (Authentication::Resume { replayed: 0 }, payload::resume(&token, id, sequence)),
            None => {
                self.identifies.take(now);
                self.remember_attempt(AttemptKind::Identify, now);
                self.remember_allowance();
                (Authentication::Identify, payload::identify(&token, self.config.intents))
            }
        };
        self.effects.push_back(Effect::Send { conn, text });
        let link = Link { conn, token, heartbeat };
        self.enter(State::Authenticating { link, by, deadline: now + pace.authenticate_ms_max }, now);
    }

    fn remember_allowance(&mut self) {
        if let Some(allowance) = self.identifies.announced() {
            self.remember(Memo::Allowance(allowance));
        }
    }

    pub(super) fn on_deadline(&mut self, now: Timestamp) {
        match &mut self.state {
            State::AwaitingToken | State::Stopped => {}
            State::AwaitingAddress { request, .. } => {
                let request = *request;
                self.on_address_answer(request, HttpAnswer::Failed(HttpFailure::Timeout), now);
            }
            State::Waiting { .. } | State::Halted { .. } => self.advance(now),
            State::Connecting { .. } => {
                self.addresses.connect_failed();
                self.lose_by_failure(LossCause::Deadline(LinkStep::Connect), now);
            }
            State::AwaitingHello { .. } => self.lose_by_failure(LossCause::Deadline(LinkStep::Hello), now),
            State::Authenticating { link, deadline, .. } if now < *deadline => {
                let beat = link.heartbeat.due(now);
                self.on_beat(beat, now);
            }
            State::Authenticating { .. } => {
                self.note_unconfirmed();
                self.lose_by_failure(LossCause::Deadline(LinkStep::Session), now);
            }
            State::Refused { .. } => self.conclude_refusal(now),
            State::Ready { link, .. } => {
                let beat = link.heartbeat.due(now);
                self.on_beat(beat, now);
            }
            State::Stopping { .. } => self.finish(now),
        }
    }

    fn on_beat(&mut self, beat: Option<Beat>, now: Timestamp) {
        match beat {
            Some(Beat::Send) => self.send_heartbeat(),
            Some(Beat::Dead) => {
                self.note_unconfirmed();
                self.lose_by_failure(LossCause::HeartbeatUnanswered, now);
            }
            None => {}
        }
    }

    pub(super) fn send_heartbeat(&mut self) {
        if let Some(conn) = self.state.conn() {
            let sequence = self.session.as_ref().and_then(Session::highest);
            // Between an Identify and its READY there is no session and the sequence is null.
            self.effects.push_back(Effect::Send { conn, text: payload::heartbeat(sequence) });
        }
    }
}
