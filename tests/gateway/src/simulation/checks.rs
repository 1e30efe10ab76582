mod delivery;
mod life;
mod link;
mod pace;
mod token;

use auk_gateway::{ConnId, Dispatch, Effect, Event, HttpAnswer, Input, RequestId};
use auk_simulator::model::ConnId as PlatformConn;

use super::frame::Frame;
use super::network::Network;
use super::violation::{Promise, Violation};
use delivery::Delivery;
use life::Life;
use link::Link;
use pace::Pace;
use token::Tokens;

pub use pace::Attempts;

/// The promises of the gateway, each checked where it could be broken, as client and platform see it from outside. The first that is
/// broken is kept.
pub(super) struct Checks {
    now_ms: u64,
    broken: Option<Violation>,
    pub(super) pace: Pace,
    pub(super) link: Link,
    pub(super) tokens: Tokens,
    pub(super) delivery: Delivery,
    pub(super) life: Life,
}

/// What a part of the checks may say: nothing, or which promise is broken and how.
type Verdict = Result<(), (Promise, String)>;

fn ensure(holds: bool, promise: Promise, detail: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err((promise, detail())) }
}

impl Checks {
    pub(super) fn new() -> Self {
        Self {
            now_ms: 0,
            broken: None,
            pace: Pace::new(),
            link: Link::default(),
            tokens: Tokens::default(),
            delivery: Delivery::default(),
            life: Life::default(),
        }
    }

    /// The first promise that was broken.
    pub(super) fn broken(&self) -> Option<&Violation> {
        self.broken.as_ref()
    }

    /// Takes a verdict from outside.
    pub(super) fn judge(&mut self, verdict: Verdict) {
        if let Err((promise, detail)) = verdict
            && self.broken.is_none()
        {
            self.broken = Some(Violation { promise, at_ms: self.now_ms, detail });
        }
    }

    pub(super) fn expect(&mut self, holds: bool, promise: Promise, detail: impl FnOnce() -> String) {
        self.judge(ensure(holds, promise, detail));
    }

    /// No busy loop: many steps without time passing.
    pub(super) fn time_passes(&mut self, next_ms: u64) {
        let verdict = self.life.time_passes(self.now_ms, next_ms);
        self.now_ms = next_ms;
        self.judge(verdict);
    }

    /// The gateway is in this state after a step.
    pub(super) fn state(&mut self, state: &'static str, network: &Network) {
        let verdict = self.life.state(state, self.now_ms);
        self.judge(verdict);
        let verdict = self.link.half_open_is_left(network, self.now_ms);
        self.judge(verdict);
    }

    /// A step had this many effects and events.
    pub(super) fn drained(&mut self, count: usize) {
        // A loss is a close, an event or two, a connect or a request, and what is remembered of each.
        self.expect(count <= 16, Promise::QueuesWithinLimits, || format!("{count} effects and events in one step"));
    }

    pub(super) fn effect(&mut self, effect: &Effect, network: &Network) {
        let now_ms = self.now_ms;
        let verdict = match effect {
            Effect::FetchToken { .. } => self.pace.token_request(now_ms),
            Effect::FetchAddress { token, .. } => {
                self.pace.look_up(now_ms).and_then(|()| self.tokens.is_good(&token.authorization(), now_ms))
            }
            Effect::Connect { conn, .. } => self.pace.connect(now_ms).and_then(|()| self.link.begins(*conn)),
            Effect::Send { conn, text } => self.frame_goes_out(*conn, text.as_text(), network),
            Effect::Close { conn, .. } => {
                self.link.ends(*conn);
                Ok(())
            }
            Effect::Remember(_) => Ok(()),
        };
        self.judge(verdict);
    }

    fn frame_goes_out(&mut self, conn: ConnId, text: &str, network: &Network) -> Verdict {
        let old = network.is_abandoned(conn);
        ensure(!old, Promise::OldConnectionsIgnored, || "a frame on an old connection".to_owned())?;
        let frame = Frame::read(text);
        self.link.sends(conn, &frame, self.now_ms)?;
        match frame.op {
            Some(2) => {
                self.delivery.identifies();
                self.pace.identify(self.now_ms)?;
            }
            Some(6) => self.delivery.resumes(&frame)?,
            _ => {}
        }
        frame.authorization().map_or(Ok(()), |authorization| self.tokens.is_good(&authorization, self.now_ms))
    }

    /// The platform has judged a token on a look-up. The client knows it once the answer is there, if it gets there.
    pub(super) fn answered(&mut self, request: RequestId, authorization: String, status: u16, code: i64) {
        self.tokens.answered(request, authorization, status, code);
    }

    /// Something reaches the driver.
    pub(super) fn client_gets(&mut self, input: &Input, is_current_request: bool, network: &Network) {
        match input {
            // An answer that comes after it was given up changes nothing.
            Input::AddressAnswered { request, answer } if is_current_request => {
                self.tokens.address_answer_arrives(*request, self.now_ms);
                if let HttpAnswer::Received { body, .. } = answer {
                    self.pace.address_answer_arrives(body, self.now_ms);
                }
            }
            Input::TokenAnswered { answer: HttpAnswer::Received { status: 200, body, .. }, .. } => self.tokens.arrives(body, self.now_ms),
            Input::TokenRefused { token } => self.tokens.refused_at_a_call(token.authorization(), self.now_ms),
            Input::Frame { conn, text } if !network.is_abandoned(*conn) => {
                let frame = Frame::read(text.as_str());
                let past_authentication = self.link.gets(*conn, &frame);
                self.delivery.gets(&frame, past_authentication);
            }
            Input::Closed { conn, .. } | Input::ConnectFailed { conn, .. } => self.link.ends(*conn),
            Input::AddressAnswered { .. }
            | Input::TokenAnswered { .. }
            | Input::Frame { .. }
            | Input::Traffic { .. }
            | Input::Opened { .. }
            | Input::Reload(_)
            | Input::Reconnect
            | Input::Stop
            | Input::Suspend => {}
        }
    }

    pub(super) fn event(&mut self, event: &Event) {
        let now_ms = self.now_ms;
        let verdict = match event {
            Event::Ready { .. } | Event::Resumed { .. } => {
                self.pace.ready(now_ms);
                self.link.ready(now_ms);
                self.life.ready();
                Ok(())
            }
            Event::Lost { cause, retry_in_ms, .. } => {
                let verdict = self.link.verdict_is_not_early(cause, now_ms);
                let verdict = verdict.and_then(|()| self.pace.lost(cause, *retry_in_ms, now_ms));
                verdict.and_then(|()| self.life.lost(cause, now_ms))
            }
            Event::Halted { reason, retry_in_ms, .. } => {
                self.pace.halted(*retry_in_ms, now_ms);
                self.life.halted(*reason)
            }
            Event::Stopped => self.life.stopped(now_ms),
            Event::Dispatch(_)
            | Event::SetBack { .. }
            | Event::OddHello
            | Event::Contested { .. }
            | Event::Renewed
            | Event::UnreadableFrame { .. } => Ok(()),
        };
        self.judge(verdict);
    }

    pub(super) fn delivered(&mut self, dispatch: &Dispatch, id: Option<&str>) {
        let verdict = self.delivery.delivered(dispatch.sequence, id);
        self.judge(verdict);
    }

    /// At most one connection is open from the platform's view.
    pub(super) fn platform_link_begins(&mut self, number: PlatformConn, network: &Network) {
        let verdict = self.link.opens_at_platform(number, network);
        self.judge(verdict);
    }

    /// The process ended; the next one goes on from `resume_point` if it resumes.
    pub(super) fn process_ended(&mut self, resume_point: Option<u64>) {
        self.link.process_ended();
        self.pace.process_ended();
        self.life.process_ended();
        self.tokens.process_ended();
        self.delivery.process_ended(resume_point);
    }

    /// The machine sleeps until then.
    pub(super) fn sleeps_until(&mut self, ms: u64) {
        self.link.sleeps_until(ms);
        self.life.sleeps_until(ms);
    }

    /// The operator asked for a try with everything, refused tokens included.
    pub(super) fn reloaded(&mut self) {
        self.tokens.trust_all();
        self.pace.reloaded();
    }

    pub(super) fn calm_begins(&mut self) {
        self.life.calm_begins(self.now_ms);
        self.delivery.calm_begins();
    }
}
