mod frames;
mod losing;
mod owner;
#[cfg(feature = "plants")]
pub(crate) mod plants;
mod progress;

use std::collections::VecDeque;

use crate::address::AddressBook;
use crate::backoff::Backoff;
use crate::identify_budget::IdentifyBudget;
use crate::limiter::Limiter;
use crate::session::Session;
use crate::state::State;
use crate::token_keeper::{REFUSED_AT_A_CALL_MS, TokenKeeper, TokenOutcome};
use crate::{
    AccessToken, AttemptKind, AttemptStatus, CODE_FINAL, CODE_RESUMING, DeadlineStatus, Effect, Event, GatewayConfig, HaltReason,
    HaltStatus, Input, Language, LossCause, Memo, Memory, SavedAttempt, SavedToken, Setback, Status, Timestamp,
};

/// The session of one bot. See the crate's documentation for how to drive it.
pub struct Gateway {
    config: GatewayConfig,
    state: State,
    entered: Timestamp,
    session: Option<Session>,
    tokens: TokenKeeper,
    addresses: AddressBook,
    backoff: Backoff,
    connects: Limiter,
    identifies: IdentifyBudget,
    slow_lane: Backoff,
    heartbeat_chance: fastrand::Rng,
    pause_chance: fastrand::Rng,
    next_conn: u64,
    next_request: u64,
    /// Resumes in a row that were neither confirmed nor refused.
    resumes_unconfirmed: u32,
    /// Identifies in a row that were refused without a reason.
    identifies_refused: u32,
    /// Sessions in a row that were called invalid soon after they began.
    short_sessions: u32,
    /// A live session's token could not be renewed, and that was told.
    renewal_failed: bool,
    /// The condition last reported, until a session is ready again.
    reported: Option<HaltReason>,
    last_loss: Option<LossCause>,
    effects: VecDeque<Effect>,
    events: VecDeque<Event>,
    #[cfg(feature = "plants")]
    planted: plants::Planted,
}

impl Gateway {
    /// Begins at once: the first effect asks for a token.
    pub fn new(config: GatewayConfig, now: Timestamp) -> Self {
        Self::restore(config, Memory::default(), now)
    }

    /// Begins at once, where an earlier process left off: with its session, its token and its address as far as they are still good, and
    /// within what its attempts leave free.
    pub fn restore(mut config: GatewayConfig, memory: Memory, now: Timestamp) -> Self {
        config.pace = config.pace.within_reason();
        let pace = config.pace;
        let mut gateway = Self {
            state: State::AwaitingToken,
            entered: now,
            session: memory.session.clone().map(|saved| Session::restore(saved, now)),
            tokens: TokenKeeper::new(&config),
            addresses: AddressBook::new(&pace),
            backoff: Backoff::new(pace.backoff_ms_base, pace.backoff_ms_max, config.seed ^ 0x6261_636b),
            connects: Limiter::new(pace.connects),
            identifies: IdentifyBudget::new(pace.identifies),
            slow_lane: Backoff::new(pace.slow_lane_ms_base, pace.slow_lane_ms_max, config.seed ^ 0x6c61_6e65),
            heartbeat_chance: fastrand::Rng::with_seed(config.seed ^ 0x6265_6174),
            pause_chance: fastrand::Rng::with_seed(config.seed ^ 0x7061_7573),
            next_conn: 1,
            next_request: 1,
            resumes_unconfirmed: 0,
            identifies_refused: 0,
            short_sessions: 0,
            renewal_failed: false,
            reported: None,
            last_loss: None,
            effects: VecDeque::new(),
            events: VecDeque::new(),
            #[cfg(feature = "plants")]
            planted: plants::Planted::default(),
            config,
        };
        gateway.backoff.set_flat(pace.backoff_flat_ms);
        gateway.connects.restore(memory.attempts_at(AttemptKind::Connect), now);
        gateway.identifies.restore(memory.allowance, memory.attempts_at(AttemptKind::Identify), now);
        gateway.addresses.restore(memory.address.clone(), memory.attempts_at(AttemptKind::LookUp), now);
        gateway.tokens.restore(memory.token.clone(), memory.attempts_at(AttemptKind::TokenRequest), now);
        gateway.advance(now);
        gateway
    }

    /// Takes one input. Drain afterwards. An input that names another connection or request than the current one changes nothing.
    pub fn handle_input(&mut self, input: Input, now: Timestamp) {
        #[cfg(feature = "plants")]
        let Some(input) = self.distort(input, now) else { return self.misbehave(now) };
        self.take(input, now);
        #[cfg(feature = "plants")]
        self.misbehave(now);
    }

    fn take(&mut self, input: Input, now: Timestamp) {
        if self.state.is_ending() {
            return self.on_input_at_the_end(&input, now);
        }
        match input {
            Input::TokenAnswered { request, answer } => {
                let outcome = self.tokens.handle_answer(request, answer, &self.config.pace, now);
                self.on_token_outcome(outcome, now);
            }
            Input::AddressAnswered { request, answer } => self.on_address_answer(request, answer, now),
            Input::TokenRefused { token } => self.on_token_refused(&token, now),
            Input::Opened { conn } => self.on_opened(conn, now),
            Input::ConnectFailed { conn, failure } => self.on_connect_failed(conn, failure, now),
            Input::Frame { conn, text } => self.on_frame(conn, text.as_str(), now),
            Input::Traffic { conn } => self.on_traffic(conn),
            Input::Closed { conn, close } => self.on_closed(conn, close, now),
            Input::Reload(config) => self.on_reload(*config, now),
            Input::Reconnect => self.on_reconnect_asked(now),
            Input::Stop => self.on_stop(CODE_FINAL, now),
            Input::Suspend => self.on_stop(CODE_RESUMING, now),
        }
    }

    /// Does what is due at `now`. Calling it early or late is harmless.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        if !self.state.is_ending() {
            self.on_token_timeout(now);
        }
        if self.state.deadline().is_some_and(|(deadline, _)| deadline <= now) {
            self.on_deadline(now);
        }
        #[cfg(feature = "plants")]
        self.misbehave(now);
    }

    /// The next thing to do, in order.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// The next thing to tell, in order.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// When [`Gateway::handle_timeout`] is due. `None` only after the end.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let deadline = self.next_deadline().map(|(deadline, _)| deadline);
        #[cfg(feature = "plants")]
        let deadline = deadline.into_iter().chain(self.planted_deadline()).min();
        deadline
    }

    /// The token for other calls to the platform at `now`, if there is a live one.
    pub fn token(&self, now: Timestamp) -> Option<&AccessToken> {
        self.tokens.usable(now)
    }

    /// The same with its end.
    pub fn token_with_end(&self, now: Timestamp) -> Option<SavedToken> {
        self.tokens.saved().filter(|saved| now < saved.expires)
    }

    /// Whether the session is live.
    pub fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready { .. })
    }

    /// The state's stable word, as in [`Status::state`].
    pub fn state(&self) -> &'static str {
        self.state.name()
    }

    /// What a person would want to know.
    pub fn status(&self, language: Language, now: Timestamp) -> Status {
        let halt = if let State::Halted { reason, .. } = &self.state { Some(*reason) } else { None };
        // The state's own deadline is what a person waits for; where there is none, the token's is.
        let deadline = self.state.deadline().or_else(|| self.next_deadline());
        Status {
            state: self.state.name(),
            since_ms: now.since(self.entered),
            deadline: deadline.map(|(deadline, reason)| DeadlineStatus { reason, in_ms: deadline.since(now) }),
            attempts: AttemptStatus { last_minute: self.connects.taken_in_last_minute(now), total: self.connects.taken_in_total() },
            session: self.has_resumable_session(),
            halt: halt.map(|reason| HaltStatus { reason: reason.name(), advice: reason.advice(language) }),
            last_loss: self.last_loss.as_ref().map(|cause| cause.told(language)),
        }
    }

    fn next_deadline(&self) -> Option<(Timestamp, &'static str)> {
        if self.state.is_ending() {
            return self.state.deadline();
        }
        let token = self.tokens.deadline(self.state.wants_token());
        [self.state.deadline(), token].into_iter().flatten().min_by_key(|(deadline, _)| *deadline)
    }

    fn has_resumable_session(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.id.is_some())
    }

    fn enter(&mut self, state: State, now: Timestamp) {
        self.state = state;
        self.entered = now;
    }

    fn on_token_timeout(&mut self, now: Timestamp) {
        let wanted = self.state.wants_token();
        let (effect, outcome) = self.tokens.handle_timeout(wanted, &self.config.credentials, &self.config.pace, now);
        self.ask_for_token(effect, now);
        self.on_token_outcome(outcome, now);
    }

    fn on_token_outcome(&mut self, outcome: Option<TokenOutcome>, now: Timestamp) {
        let retry_in_ms = self.tokens.retry_in_ms(now);
        match outcome {
            None => return,
            Some(TokenOutcome::Granted) => self.on_token_granted(),
            Some(TokenOutcome::SetBack(setback)) => {
                self.renewal_failed = self.is_ready();
                self.set_back(setback, retry_in_ms);
            }
            // A live session outlives refused credentials, but not for long. Elsewhere `advance` halts and says so.
            Some(TokenOutcome::Halted(halt)) if self.is_ready() => {
                self.renewal_failed = true;
                self.set_back(Setback::Renewal(halt.reason, halt.detail), retry_in_ms);
            }
            Some(TokenOutcome::Halted(_)) => {}
        }
        if matches!(self.state, State::AwaitingToken) {
            self.advance(now);
        }
    }

    fn on_token_granted(&mut self) {
        self.remember(Memo::Token(self.tokens.saved()));
        if std::mem::take(&mut self.renewal_failed) && self.is_ready() {
            self.events.push_back(Event::Renewed);
        }
    }

    fn on_token_refused(&mut self, token: &AccessToken, now: Timestamp) {
        self.refuse_token(token, REFUSED_AT_A_CALL_MS, now);
        self.fetch_token_if_due(now);
    }

    /// Forgets a token that the platform refused, and lets the next process forget it too.
    fn refuse_token(&mut self, token: &AccessToken, lasts_ms: u64, now: Timestamp) {
        let was_held = self.tokens.saved().is_some();
        self.tokens.refuse(token, lasts_ms, now);
        if was_held && self.tokens.saved().is_none() {
            self.remember(Memo::Token(None));
        }
    }

    fn fetch_token_if_due(&mut self, now: Timestamp) {
        let wanted = self.state.wants_token();
        let effect = self.tokens.fetch_if_due(wanted, &self.config.credentials, &self.config.pace, now);
        self.ask_for_token(effect, now);
    }

    fn ask_for_token(&mut self, request: Option<Effect>, now: Timestamp) {
        if request.is_some() {
            self.remember_attempt(AttemptKind::TokenRequest, now);
        }
        self.effects.extend(request);
    }

    fn remember(&mut self, memo: Memo) {
        self.effects.push_back(Effect::Remember(memo));
    }

    /// Before the attempt itself, so that a process that dies of it has counted it.
    fn remember_attempt(&mut self, kind: AttemptKind, now: Timestamp) {
        self.remember(Memo::Attempt(SavedAttempt { kind, at: now }));
    }
}
