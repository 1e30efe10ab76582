//! What the owner wants: new settings, an attempt at once, the end.

use super::Gateway;
use crate::state::State;
use crate::{CODE_FINAL, Event, GatewayConfig, Input, LossCause, Memo, Timestamp};

impl Gateway {
    pub(super) fn on_reload(&mut self, mut config: GatewayConfig, now: Timestamp) {
        config.pace = config.pace.within_reason();
        let is_other_bot = config.credentials != self.config.credentials;
        let is_other_session = is_other_bot || config.intents != self.config.intents;
        self.take_pace(&config);
        self.config = config;
        if is_other_bot {
            self.tokens.forget_credentials();
            self.remember(Memo::Token(None));
            self.addresses.forget();
            self.remember(Memo::Address(None));
        }
        self.tokens.retry_at_once(now);
        self.addresses.retry_at_once(&self.config.pace, now);
        self.backoff.clear();
        self.slow_lane.clear();
        self.reported = None;
        self.identifies_refused = 0;
        self.short_sessions = 0;
        match (self.state.conn().is_some(), is_other_session) {
            (true, true) => self.reconnect(now),
            (true, false) => {}
            // The answer under way is as good as a new one.
            (false, false) if matches!(self.state, State::AwaitingAddress { .. }) => {}
            (false, false) => self.advance(now),
            (false, true) => {
                self.forget_session();
                self.advance(now);
            }
        }
    }

    /// Asked twenty times, it makes one attempt: only a live session is given up, and an attempt under way is as good as a new one. How
    /// many there may be is the limiter's to say, as always.
    pub(super) fn on_reconnect_asked(&mut self, now: Timestamp) {
        if self.is_ready() {
            self.lose_by_plan(LossCause::Asked, now);
        } else {
            self.on_reload(self.config.clone(), now);
        }
    }

    fn take_pace(&mut self, config: &GatewayConfig) {
        let pace = &config.pace;
        self.connects.set_rate(pace.connects);
        self.identifies.set_rate(pace.identifies);
        self.tokens.set_pace(pace);
        self.backoff.set_bounds(pace.backoff_ms_base, pace.backoff_ms_max);
        self.backoff.set_flat(pace.backoff_flat_ms);
        self.slow_lane.set_bounds(pace.slow_lane_ms_base, pace.slow_lane_ms_max);
    }

    /// Leaves the connection of the old bot for one of the new.
    fn reconnect(&mut self, now: Timestamp) {
        self.give_link_up(CODE_FINAL);
        self.forget_session();
        self.last_loss = Some(LossCause::Reloaded);
        self.events.push_back(Event::Lost { cause: LossCause::Reloaded, retry_in_ms: 0, session_kept: false });
        self.advance(now);
    }

    /// `code` says whether the session is to live on.
    pub(super) fn on_stop(&mut self, code: u16, now: Timestamp) {
        if code == CODE_FINAL {
            self.forget_session();
        }
        let Some(conn) = self.state.conn() else { return self.finish(now) };
        self.give_link_up(code);
        if matches!(self.state, State::Connecting { .. }) {
            return self.finish(now);
        }
        self.enter(State::Stopping { conn, deadline: now + self.config.pace.stop_ms_max }, now);
    }

    /// Once the end has begun only the connection's own end matters.
    pub(super) fn on_input_at_the_end(&mut self, input: &Input, now: Timestamp) {
        if let (State::Stopping { conn, .. }, Input::Closed { conn: closed, .. }) = (&self.state, input)
            && conn == closed
        {
            self.finish(now);
        }
    }

    pub(super) fn finish(&mut self, now: Timestamp) {
        self.enter(State::Stopped, now);
        self.events.push_back(Event::Stopped);
    }
}
