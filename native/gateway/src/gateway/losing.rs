//! The way back: a connection ends once, with one verdict, and yields exactly one next attempt.

use super::Gateway;
use super::progress::RESUMES_UNCONFIRMED_MAX;
use crate::backoff::Failure;
use crate::session::Session;
use crate::state::{Authentication, State};
use crate::token_keeper::REFUSED_ON_THE_WAY_MS;
use crate::{
    CODE_FINAL, CODE_RESUMING, Close, CloseVerdict, ConnId, ConnectFailure, Effect, Event, HaltReason, LossCause, Timestamp, close_verdict,
};

/// Identifies refused in a row (op 9 or 4903, neither names a cause) after which only the operator can find the reason.
const IDENTIFIES_REFUSED_MAX: u32 = 5;
/// First pause after op 9; doubles while it repeats. The official SDK waits 3 s; a quarter second is enough to not be a loop.
const INVALID_SESSION_PAUSE_MS: u64 = 250;
/// Wait for the close frame behind an op 9 that answers the authentication. In the field it comes 50 to 100 ms later, and alone names the
/// reason (4924, 4903).
const CLOSE_AFTER_OP_9_MS: u64 = 500;
/// Sessions in a row that end as invalid within [`CONTESTED_SESSION_MS_MAX`] of their beginning, after which somebody else is suspected.
const CONTESTED_SESSIONS: u32 = 3;
/// A session that lives longer than this was not cut short.
const CONTESTED_SESSION_MS_MAX: u64 = 300_000;

/// How soon the next attempt may come.
enum Pause {
    /// A planned cut, or the loss of a session that had been well.
    None,
    /// As the back-off says.
    Backoff,
    /// At least this long.
    Ms(u64),
}

impl Gateway {
    /// op 7: come back and resume.
    pub(super) fn on_reconnect(&mut self, now: Timestamp) {
        self.lose_by_plan(LossCause::Reconnect, now);
    }

    /// op 9: `d` says whether Resume may be tried again; else id and sequence are forgotten together.
    pub(super) fn on_invalid_session(&mut self, resumable: bool, now: Timestamp) {
        if let State::Authenticating { link, by, .. } = &self.state {
            let (link, by, deadline) = (link.clone(), *by, now + CLOSE_AFTER_OP_9_MS);
            self.enter(State::Refused { link, by, resumable, deadline }, now);
        } else {
            self.lose_session(resumable, now);
        }
    }

    /// A second op 9, before the close frame, takes the session that the first one left.
    pub(super) fn forbid_resume(&mut self) {
        if let State::Refused { resumable, .. } = &mut self.state {
            *resumable = false;
        }
    }

    /// No close frame named a stronger reason for the refusal.
    pub(super) fn conclude_refusal(&mut self, now: Timestamp) {
        let State::Refused { by, resumable, .. } = &self.state else { return };
        let (by, resumable) = (*by, *resumable);
        match by {
            Authentication::Identify => {
                if self.identify_was_refused(&LossCause::InvalidSession { resumable }, now) {
                    return;
                }
            }
            // Two such answers in a row, and the third try is an Identify.
            Authentication::Resume { .. } => self.resumes_unconfirmed += 2,
        }
        self.lose_session(resumable, now);
    }

    fn lose_session(&mut self, resumable: bool, now: Timestamp) {
        if !resumable {
            self.note_invalidated(now);
            self.forget_session();
        }
        // At most four are counted here; the fifth halts.
        let pause_ms = INVALID_SESSION_PAUSE_MS << self.identifies_refused.min(IDENTIFIES_REFUSED_MAX);
        let jittered_ms = pause_ms + self.pause_chance.u64(0..=pause_ms / 4);
        // A session that is called invalid soon after it began, again and again, is a failure like any other.
        let is_young = self.ready_for_ms(now).is_some_and(|ms| ms < self.config.pace.settled_ms);
        let wait_ms = if is_young { self.backoff.fail(Failure::Refused, now).max(jittered_ms) } else { jittered_ms };
        self.lose(LossCause::InvalidSession { resumable }, Pause::Ms(wait_ms), now);
    }

    /// Counts an Identify refused without a reason. Returns whether that was once too often, and the session halted. The count goes on in
    /// the slow lane, so that each further refusal there is once too often again.
    fn identify_was_refused(&mut self, cause: &LossCause, now: Timestamp) -> bool {
        self.identifies_refused += 1;
        if self.identifies_refused < IDENTIFIES_REFUSED_MAX {
            return false;
        }
        self.give_link_up(CODE_FINAL);
        self.forget_session();
        self.last_loss = Some(cause.clone());
        self.halt(HaltReason::IdentifyRefused, format!("{IDENTIFIES_REFUSED_MAX} in a row: {cause}"), now);
        true
    }

    pub(super) fn on_connect_failed(&mut self, failed: ConnId, failure: ConnectFailure, now: Timestamp) {
        if let State::Connecting { conn, .. } = &self.state
            && *conn == failed
        {
            self.addresses.connect_failed();
            self.lose_by_failure(LossCause::Transport(failure), now);
        }
    }

    pub(super) fn on_closed(&mut self, closed: ConnId, close: Close, now: Timestamp) {
        if self.state.conn() != Some(closed) {
            return;
        }
        match close {
            Close::Code(code) => match (&self.state, close_verdict(code)) {
                // The close frame behind an op 9 counts where it says more; what op 9 said of the session stands.
                (State::Refused { resumable, .. }, CloseVerdict::Halt(_) | CloseVerdict::RefreshToken) => {
                    if !resumable {
                        self.forget_session();
                    }
                    self.on_close_code(code, now);
                }
                (State::Refused { .. }, _) => self.conclude_refusal(now),
                (_, _) => self.on_close_code(code, now),
            },
            Close::Transport(_) if matches!(self.state, State::Refused { .. }) => self.conclude_refusal(now),
            Close::Transport(failure) => {
                self.note_unconfirmed();
                let mut cause = LossCause::Transport(failure);
                if let (true, LossCause::Transport(ConnectFailure::TooLarge { bytes })) = (self.is_resuming(), &cause) {
                    // The frame over the limit is met again at the same point of the replay: only a new session gets past it.
                    self.resumes_unconfirmed = RESUMES_UNCONFIRMED_MAX;
                    cause = LossCause::Oversized { bytes: *bytes, after: self.session.as_ref().and_then(Session::highest) };
                }
                self.lose_by_failure(cause, now);
            }
        }
    }

    pub(super) fn on_close_code(&mut self, code: Option<u16>, now: Timestamp) {
        let cause = LossCause::Closed(code);
        match close_verdict(code) {
            CloseVerdict::Resume => {
                self.note_unconfirmed();
                self.lose_by_failure(cause, now);
            }
            CloseVerdict::ResumeAtOnce => {
                self.note_unconfirmed();
                self.lose_by_plan(cause, now);
            }
            CloseVerdict::ResumeAfterPause => {
                self.note_unconfirmed();
                self.lose(cause, Pause::Ms(self.config.pace.flood_pause_ms), now);
            }
            CloseVerdict::RefreshToken => {
                self.note_unconfirmed();
                self.refuse_link_token(now);
                self.lose_by_failure(cause, now);
            }
            CloseVerdict::Identify => {
                let by_identify = matches!(self.state, State::Authenticating { by: Authentication::Identify, .. });
                if by_identify && code == Some(4903) && self.identify_was_refused(&cause, now) {
                    return;
                }
                self.note_invalidated(now);
                self.forget_session();
                self.lose_by_failure(cause, now);
            }
            CloseVerdict::Halt(reason) => {
                self.forget_session();
                self.last_loss = Some(cause.clone());
                self.halt(reason, cause.to_string(), now);
            }
        }
    }

    /// Counts sessions that are called invalid soon after they began. Nothing on the wire names the reason; the platform itself seldom
    /// does it thrice in a row, a second program with the same app id does it every time.
    fn note_invalidated(&mut self, now: Timestamp) {
        let Some(session) = &self.session else { return };
        let is_short = now.since(session.began) < CONTESTED_SESSION_MS_MAX;
        self.short_sessions = if is_short { self.short_sessions + 1 } else { 0 };
        if self.short_sessions == CONTESTED_SESSIONS {
            self.events.push_back(Event::Contested { sessions: self.short_sessions });
        }
    }

    fn refuse_link_token(&mut self, now: Timestamp) {
        let token = self.state.link().map(|link| &link.token).or_else(|| self.tokens.usable(now)).cloned();
        if let Some(token) = token {
            self.refuse_token(&token, REFUSED_ON_THE_WAY_MS, now);
        }
    }

    /// Counts a Resume that was neither confirmed nor refused.
    pub(super) fn note_unconfirmed(&mut self) {
        if self.is_resuming() {
            self.resumes_unconfirmed += 1;
        }
    }

    fn is_resuming(&self) -> bool {
        matches!(self.state, State::Authenticating { by: Authentication::Resume { .. }, .. })
    }

    /// A planned cut of a live session is followed by an attempt at once, however young the session: the platform recycles connections
    /// about every half hour. Before READY or RESUMED it is a failure like any other.
    pub(super) fn lose_by_plan(&mut self, cause: LossCause, now: Timestamp) {
        let pause = if self.ready_for_ms(now).is_some() { Pause::None } else { Pause::Backoff };
        self.lose(cause, pause, now);
    }

    /// A link that had been well for a while is replaced at once; one that never was backs off.
    pub(super) fn lose_by_failure(&mut self, cause: LossCause, now: Timestamp) {
        let settled = self.ready_for_ms(now).is_some_and(|ms| ms >= self.config.pace.settled_ms);
        self.lose(cause, if settled { Pause::None } else { Pause::Backoff }, now);
    }

    /// Gives a connection up for another one.
    fn lose(&mut self, cause: LossCause, pause: Pause, now: Timestamp) {
        self.note_stability(now);
        let (wait_ms, brake) = match pause {
            Pause::None => (0, "back-off"),
            Pause::Backoff => (self.backoff.fail(self.how_far(), now), "back-off"),
            Pause::Ms(ms) => (ms, "pause asked for by the platform"),
        };
        // Whoever the session is contested with is not fought: new ones are begun slowly.
        let is_contested = self.session.is_none() && self.short_sessions >= CONTESTED_SESSIONS;
        let wait_ms = if is_contested { wait_ms.max(self.contested_pause_ms()) } else { wait_ms };
        self.give_link_up(CODE_RESUMING);
        self.drop_stale_session(now);
        self.last_loss = Some(cause.clone());
        let told_before = self.events.len();
        if wait_ms == 0 {
            self.advance(now);
        } else {
            self.enter(State::Waiting { until: now + wait_ms, brake }, now);
        }
        let retry_in_ms = if let State::Waiting { until, .. } | State::Halted { until, .. } = &self.state {
            until.since(now)
        } else if matches!(self.state, State::AwaitingToken) {
            self.tokens.retry_in_ms(now)
        } else {
            0
        };
        // Told before whatever the next step had to say.
        self.events.insert(told_before, Event::Lost { cause, retry_in_ms, session_kept: self.has_resumable_session() });
    }

    /// The longest back-off, jittered, so that two sides do not keep meeting.
    fn contested_pause_ms(&mut self) -> u64 {
        let longest_ms = self.config.pace.backoff_ms_max;
        longest_ms - longest_ms / 4 + self.pause_chance.u64(0..=longest_ms / 2)
    }

    /// A session that was stable clears the back-off, however it ends.
    fn note_stability(&mut self, now: Timestamp) {
        if self.ready_for_ms(now).is_some_and(|ms| ms >= self.config.pace.stable_ms) {
            self.backoff.clear();
        }
    }

    /// Asks the driver to drop the socket. For one that is gone already that is nothing to do.
    pub(super) fn give_link_up(&mut self, code: u16) {
        if let Some(conn) = self.state.conn() {
            self.effects.push_back(Effect::Close { conn, code });
        }
    }

    /// How far the connection that is being lost had come.
    fn how_far(&self) -> Failure {
        if self.state.link().is_some() { Failure::Refused } else { Failure::Unreached }
    }

    fn ready_for_ms(&self, now: Timestamp) -> Option<u64> {
        if let State::Ready { since, .. } = &self.state { Some(now.since(*since)) } else { None }
    }

    /// Reports a condition that only the operator can mend, and enters the slow lane.
    pub(super) fn halt(&mut self, reason: HaltReason, detail: String, now: Timestamp) {
        self.note_stability(now);
        let wait_ms = self.slow_lane.fail(Failure::Refused, now);
        self.report_halt(reason, detail, wait_ms);
        self.enter(State::Halted { reason, until: now + wait_ms }, now);
    }

    pub(super) fn report_halt(&mut self, reason: HaltReason, detail: String, retry_in_ms: u64) {
        let repeated = self.reported == Some(reason);
        self.reported = Some(reason);
        self.events.push_back(Event::Halted { reason, detail, retry_in_ms, repeated });
    }
}
