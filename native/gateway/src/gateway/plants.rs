//! Defects that tests plant to prove that the simulation would see them. Only built with the feature `plants`; nothing else in the crate
//! knows of a single one of them: they twist what goes in, what comes out, and the state in between.

use std::collections::{BTreeMap, BTreeSet};

use super::Gateway;
use crate::heartbeat::Heartbeat;
use crate::limiter::Limiter;
use crate::session::Session;
use crate::state::State;
use crate::{
    AddressEndpoint, Close, ConnId, Effect, Event, HaltReason, HttpAnswer, Input, LossCause, Memo, Outgoing, RequestId, Timestamp,
};

/// A defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plant {
    /// A 401 at the address look-up, or any other refusal, leaves the dead token where it is.
    DeadTokenKept,
    /// Nothing keeps attempts single: a watchdog adds a chain of them every 30 s without a session.
    WatchdogChains,
    /// The end of a connection that was given up here is taken for the loss of the one after it.
    OwnCloseTakenForLoss,
    /// A granted address clears the back-off.
    BackoffClearedByAddress,
    /// A look-up that was refused as too frequent is repeated like any other.
    CoolDownIgnored,
    /// Each reason to reconnect opens a connection of its own.
    ReasonsMultiply,
    /// The flag of op 9 is read the wrong way round.
    InvalidSessionFlagFlipped,
    /// Failures are followed by no wait.
    BackoffIgnored,
    /// A stable session does not clear the back-off.
    BackoffNeverCleared,
    /// Connects are not limited.
    ConnectsUnlimited,
    /// Address look-ups are not limited.
    LookUpsUnlimited,
    /// Token requests are not limited.
    TokenRequestsUnlimited,
    /// Identifies have no ceiling.
    IdentifiesUnlimited,
    /// The announced allowance of new sessions is not looked at.
    AllowanceIgnored,
    /// The authentication goes out before Hello.
    HelloNotAwaited,
    /// The authentication is sent twice.
    AuthenticatesTwice,
    /// Resume asks from one before the last dispatch.
    ResumesOneBehind,
    /// What op 9 calls invalid is resumed.
    InvalidSessionKept,
    /// Repeated dispatches are delivered again.
    RepeatsDelivered,
    /// Each heartbeat is sent twice.
    HeartbeatsDoubled,
    /// Unanswered heartbeats are not counted.
    SilenceIgnored,
    /// The link is called dead right after it became ready.
    SilenceJudgedAtOnce,
    /// Frames and closes of old connections are believed.
    OldConnectionsBelieved,
    /// Hello is waited for without end.
    HelloWaitEndless,
    /// READY is waited for without end.
    ReadyWaitEndless,
    /// A token is used for two hours beyond its end.
    ExpiredTokenUsed,
    /// A refused token is trusted again at once.
    RefusedTokenTrusted,
    /// A close without a known code stops everything.
    HaltsOnTrouble,
    /// The slow lane never asks again.
    SlowLaneEndless,
    /// A stop is not heard.
    StopIgnored,
    /// A reload does not end a halt.
    ReloadIgnored,
    /// The next process does not learn what was attempted.
    AttemptsForgotten,
    /// The final close leaves the waiting time out, and goes on for ever.
    StopNeverEnds,
}

impl Plant {
    /// Every plant.
    pub const ALL: [Plant; 33] = [
        Plant::CoolDownIgnored,
        Plant::ReasonsMultiply,
        Plant::DeadTokenKept,
        Plant::WatchdogChains,
        Plant::OwnCloseTakenForLoss,
        Plant::BackoffClearedByAddress,
        Plant::InvalidSessionFlagFlipped,
        Plant::BackoffIgnored,
        Plant::BackoffNeverCleared,
        Plant::ConnectsUnlimited,
        Plant::LookUpsUnlimited,
        Plant::TokenRequestsUnlimited,
        Plant::IdentifiesUnlimited,
        Plant::AllowanceIgnored,
        Plant::HelloNotAwaited,
        Plant::AuthenticatesTwice,
        Plant::ResumesOneBehind,
        Plant::InvalidSessionKept,
        Plant::RepeatsDelivered,
        Plant::HeartbeatsDoubled,
        Plant::SilenceIgnored,
        Plant::SilenceJudgedAtOnce,
        Plant::OldConnectionsBelieved,
        Plant::HelloWaitEndless,
        Plant::ReadyWaitEndless,
        Plant::ExpiredTokenUsed,
        Plant::RefusedTokenTrusted,
        Plant::HaltsOnTrouble,
        Plant::SlowLaneEndless,
        Plant::StopIgnored,
        Plant::ReloadIgnored,
        Plant::AttemptsForgotten,
        Plant::StopNeverEnds,
    ];

    /// The four of the original report.
    pub const ORIGINAL: [Plant; 4] =
        [Plant::DeadTokenKept, Plant::WatchdogChains, Plant::OwnCloseTakenForLoss, Plant::BackoffClearedByAddress];
}

/// What is planted, and what it needs to remember.
#[derive(Default)]
pub(super) struct Planted {
    plants: BTreeSet<Plant>,
    /// Chains that wait: when each asks next, its number, and its wait after the next failure.
    waiting: BTreeMap<(Timestamp, u64), u64>,
    /// Chains that have asked, with their waits.
    asking: BTreeMap<RequestId, u64>,
    chains_made: u64,
    next_watchdog: Option<Timestamp>,
    /// When the end of a connection that was given up here is taken for a loss.
    false_loss: Option<Timestamp>,
    address_was_granted: bool,
    session_before: Option<Session>,
    was_ready: bool,
}

/// The watchdog of the original report.
const WATCHDOG_MS: u64 = 30_000;
/// Each chain knows nothing of the others and waits 1 s after a failure, doubled to 28 s.
const CHAIN_WAIT_MS: (u64, u64) = (1_000, 28_000);
/// The end of the old socket is heard this much later.
const FALSE_LOSS_MS: u64 = 1_000;
const FAR_MS: u64 = 1_000 * 24 * 3_600_000;

impl Gateway {
    /// Plants a defect, for good.
    pub fn plant(&mut self, plant: Plant) {
        self.planted.plants.insert(plant);
    }

    fn has(&self, plant: Plant) -> bool {
        self.planted.plants.contains(&plant)
    }

    /// What the defects make of an input; `None` when they swallow it.
    pub(super) fn distort(&mut self, input: Input, now: Timestamp) -> Option<Input> {
        self.planted.session_before = self.session.clone();
        let is_reason = match &input {
            Input::Frame { text, .. } => text.as_str() == r#"{"op":7}"#,
            Input::Closed { .. } | Input::Reload(_) => true,
            Input::TokenAnswered { .. }
            | Input::AddressAnswered { .. }
            | Input::TokenRefused { .. }
            | Input::Opened { .. }
            | Input::ConnectFailed { .. }
            | Input::Traffic { .. }
            | Input::Reconnect
            | Input::Stop
            | Input::Suspend => false,
        };
        if is_reason && self.has(Plant::ReasonsMultiply) && !self.state.is_ending() {
            self.connect_once_more();
        }
        let current = self.state.conn();
        let other = |conn: ConnId| if self.has(Plant::OldConnectionsBelieved) { current.unwrap_or(conn) } else { conn };
        match input {
            Input::AddressAnswered { request, answer } => self.distort_address(request, answer, now),
            Input::TokenRefused { .. } if self.has(Plant::DeadTokenKept) => None,
            Input::Closed { close: Close::Code(Some(4004)), conn } if self.has(Plant::DeadTokenKept) => {
                Some(Input::Closed { conn, close: Close::Code(None) })
            }
            Input::Closed { close: Close::Code(None | Some(1000..=1999)), .. }
                if self.has(Plant::HaltsOnTrouble) && current.is_some() && !self.state.is_ending() =>
            {
                self.give_link_up(crate::CODE_RESUMING);
                self.halt(HaltReason::ProtocolRefused, String::new(), now);
                None
            }
            Input::Frame { conn, text } => {
                let flipped = self.has(Plant::InvalidSessionFlagFlipped).then(|| flip_invalid_session(text.as_str())).flatten();
                Some(Input::Frame { conn: other(conn), text: flipped.map_or(text, Into::into) })
            }
            Input::Closed { conn, close } => Some(Input::Closed { conn: other(conn), close }),
            Input::Opened { conn } => Some(Input::Opened { conn: other(conn) }),
            Input::ConnectFailed { conn, failure } => Some(Input::ConnectFailed { conn: other(conn), failure }),
            Input::Stop | Input::Suspend if self.has(Plant::StopIgnored) => None,
            Input::Reload(_) if self.has(Plant::ReloadIgnored) && matches!(self.state, State::Halted { .. }) => None,
            Input::TokenAnswered { .. }
            | Input::TokenRefused { .. }
            | Input::Traffic { .. }
            | Input::Reload(_)
            | Input::Reconnect
            | Input::Stop
            | Input::Suspend => Some(input),
        }
    }

    fn distort_address(&mut self, request: RequestId, answer: HttpAnswer, now: Timestamp) -> Option<Input> {
        let granted = matches!(&answer, HttpAnswer::Received { status: 200, body, .. } if body.contains("\"url\""));
        self.planted.address_was_granted = granted;
        if let Some(wait_ms) = self.planted.asking.remove(&request) {
            if granted {
                self.connect_once_more();
            } else {
                self.let_chain_wait(now + wait_ms, (wait_ms * 2).min(CHAIN_WAIT_MS.1));
                self.events.push_back(Event::SetBack { setback: crate::Setback::Address("chain".to_owned()), retry_in_ms: 0 });
            }
            return None;
        }
        let answer = match answer {
            HttpAnswer::Received { status, body, retry_after_ms } if self.has(Plant::AllowanceIgnored) => {
                HttpAnswer::Received { status, body: body.replace("\"remaining\":", "\"remaining\":99"), retry_after_ms }
            }
            HttpAnswer::Received { .. } | HttpAnswer::Failed(_) => answer,
        };
        let is_limited = matches!(&answer, HttpAnswer::Received { body, .. } if body.contains("100017"));
        let blames_token = matches!(answer, HttpAnswer::Received { status: 401, .. });
        let trouble = HttpAnswer::Received { status: 500, body: String::new(), retry_after_ms: None };
        let is_missed = blames_token && self.has(Plant::DeadTokenKept) || is_limited && self.has(Plant::CoolDownIgnored);
        Some(Input::AddressAnswered { request, answer: if is_missed { trouble } else { answer } })
    }

    fn connect_once_more(&mut self) {
        let conn = ConnId(self.next_conn);
        self.next_conn += 1;
        self.effects.push_back(Effect::Connect { conn, url: "wss://gateway.example/websocket".to_owned() });
    }

    fn let_chain_wait(&mut self, until: Timestamp, wait_ms: u64) {
        self.planted.chains_made += 1;
        self.planted.waiting.insert((until, self.planted.chains_made), wait_ms);
    }

    /// When a defect wants to act.
    pub(super) fn planted_deadline(&self) -> Option<Timestamp> {
        let chain = self.planted.waiting.keys().next().map(|(due, _)| *due);
        chain.into_iter().chain(self.planted.next_watchdog).chain(self.planted.false_loss).min()
    }

    /// What the defects do to the state after each step.
    pub(super) fn misbehave(&mut self, now: Timestamp) {
        if self.state.is_ending() {
            if self.has(Plant::StopNeverEnds)
                && let State::Stopping { deadline, .. } = &mut self.state
            {
                *deadline = now + FAR_MS;
            }
            return;
        }
        self.unbrake(now);
        self.keep_session();
        self.twist_heartbeats(now);
        self.twist_states(now);
        self.twist_tokens(now);
        self.twist_effects();
        self.add_chains(now);
        self.take_own_close_for_loss(now);
        self.planted.was_ready = self.is_ready();
    }

    fn unbrake(&mut self, now: Timestamp) {
        let pace = self.config.pace;
        if self.has(Plant::BackoffIgnored) {
            self.backoff.clear();
            if let State::Waiting { until, brake: "back-off" } = &mut self.state {
                *until = (*until).min(now + 1);
            }
        }
        if self.has(Plant::BackoffNeverCleared) && !self.planted.was_ready {
            for _ in 0..8 {
                self.backoff.fail(crate::backoff::Failure::Refused, now);
            }
        }
        if std::mem::take(&mut self.planted.address_was_granted) && self.has(Plant::BackoffClearedByAddress) {
            self.backoff.clear();
        }
        if self.has(Plant::ConnectsUnlimited) {
            self.connects = Limiter::new(pace.connects);
        }
        if self.has(Plant::LookUpsUnlimited) {
            self.addresses.limiter = Limiter::new(pace.look_ups);
            self.addresses.not_before = now;
        }
        if self.has(Plant::TokenRequestsUnlimited) {
            self.tokens.limiter = Limiter::new(pace.token_requests);
            self.tokens.not_before = self.tokens.not_before.min(now + 1_000);
        }
        if self.has(Plant::IdentifiesUnlimited) {
            self.identifies.ceiling = Limiter::new(pace.identifies);
        }
    }

    fn keep_session(&mut self) {
        if self.has(Plant::InvalidSessionKept) && self.session.is_none() {
            self.session = self.planted.session_before.clone();
        }
        if self.has(Plant::RepeatsDelivered)
            && let Some(session) = &mut self.session
        {
            session.forget_seen();
        }
    }

    fn twist_heartbeats(&mut self, now: Timestamp) {
        let became_ready = self.is_ready() && !self.planted.was_ready;
        let (ignored, at_once) = (self.has(Plant::SilenceIgnored), self.has(Plant::SilenceJudgedAtOnce) && became_ready);
        if let State::Ready { link, .. } = &mut self.state {
            if ignored {
                link.heartbeat.on_traffic();
            }
            if at_once {
                link.heartbeat = Heartbeat::about_to_judge(now + 2_000);
            }
        }
    }

    fn twist_states(&mut self, now: Timestamp) {
        let (hello, ready) = (self.has(Plant::HelloWaitEndless), self.has(Plant::ReadyWaitEndless));
        let slow_lane = self.has(Plant::SlowLaneEndless);
        match &mut self.state {
            State::AwaitingHello { deadline, .. } if hello => *deadline = now + FAR_MS,
            State::Authenticating { deadline, .. } if ready => *deadline = now + FAR_MS,
            State::Halted { until, .. } if slow_lane => *until = now + FAR_MS,
            State::AwaitingHello { conn, .. } if self.planted.plants.contains(&Plant::HelloNotAwaited) => {
                let conn = *conn;
                self.on_hello(conn, Some(45_000), now);
            }
            State::AwaitingToken
            | State::AwaitingAddress { .. }
            | State::Waiting { .. }
            | State::Connecting { .. }
            | State::AwaitingHello { .. }
            | State::Authenticating { .. }
            | State::Refused { .. }
            | State::Ready { .. }
            | State::Halted { .. }
            | State::Stopping { .. }
            | State::Stopped => {}
        }
    }

    fn twist_tokens(&mut self, now: Timestamp) {
        if self.has(Plant::ExpiredTokenUsed) {
            self.tokens.outlive(now);
        }
        if self.has(Plant::RefusedTokenTrusted) {
            self.tokens.refused.clear();
        }
    }

    fn twist_effects(&mut self) {
        let twice = |text: &str, plant: &Gateway| match text {
            text if text.contains("\"token\"") => plant.has(Plant::AuthenticatesTwice),
            text => text.contains("\"op\":1}") && plant.has(Plant::HeartbeatsDoubled),
        };
        let mut twisted = std::mem::take(&mut self.effects);
        if self.has(Plant::AttemptsForgotten) {
            twisted.retain(|effect| !matches!(effect, Effect::Remember(Memo::Attempt(_))));
        }
        for effect in twisted {
            let Effect::Send { conn, text } = effect else {
                self.effects.push_back(effect);
                continue;
            };
            let behind = self.has(Plant::ResumesOneBehind).then(|| one_behind(text.as_text())).flatten();
            let text = behind.map_or(text, Outgoing);
            if twice(text.as_text(), self) {
                self.effects.push_back(Effect::Send { conn, text: text.clone() });
            }
            self.effects.push_back(Effect::Send { conn, text });
        }
    }

    fn add_chains(&mut self, now: Timestamp) {
        if !self.has(Plant::WatchdogChains) {
            return;
        }
        if self.is_ready() {
            self.planted.next_watchdog = None;
        } else if self.planted.next_watchdog.is_none_or(|at| at <= now) {
            if self.planted.next_watchdog.is_some() {
                self.let_chain_wait(now, CHAIN_WAIT_MS.0);
            }
            self.planted.next_watchdog = Some(now + WATCHDOG_MS);
        }
        while let Some(entry) = self.planted.waiting.first_entry().filter(|entry| entry.key().0 <= now) {
            let wait_ms = entry.remove();
            let Some(token) = self.tokens.usable(now).cloned() else {
                self.let_chain_wait(now + wait_ms, wait_ms);
                continue;
            };
            let request = RequestId(self.next_request);
            self.next_request += 1;
            self.planted.asking.insert(request, wait_ms);
            self.effects.push_back(Effect::FetchAddress { request, token, endpoint: AddressEndpoint::Gateway });
        }
    }

    fn take_own_close_for_loss(&mut self, now: Timestamp) {
        if !self.has(Plant::OwnCloseTakenForLoss) {
            return;
        }
        if self.planted.false_loss.is_some_and(|at| at <= now) {
            self.planted.false_loss = None;
            if self.state.conn().is_some() {
                self.give_link_up(crate::CODE_RESUMING);
                self.last_loss = Some(LossCause::Closed(Some(crate::CODE_RESUMING)));
                self.events.push_back(Event::Lost {
                    cause: LossCause::Closed(Some(crate::CODE_RESUMING)),
                    retry_in_ms: 0,
                    session_kept: true,
                });
                self.advance(now);
            }
        }
        if self.effects.iter().any(|effect| matches!(effect, Effect::Close { .. })) {
            self.planted.false_loss = Some(now + FALSE_LOSS_MS);
        }
    }
}

/// op 9 with its flag the wrong way round; `None` for any other frame.
fn flip_invalid_session(text: &str) -> Option<String> {
    let mut frame: serde_json::Value = serde_json::from_str(text).ok()?;
    (frame["op"] == 9).then(|| {
        frame["d"] = serde_json::Value::Bool(frame["d"] != true);
        frame.to_string()
    })
}

/// Resume with a lower sequence; `None` for any other frame.
fn one_behind(text: &str) -> Option<String> {
    let mut frame: serde_json::Value = serde_json::from_str(text).ok()?;
    let sequence = frame["d"]["seq"].as_u64()?;
    frame["d"]["seq"] = sequence.saturating_sub(1).into();
    Some(frame.to_string())
}
