//! The gateway against a model of the platform that owns the truth: one heap of events, one seed, no thread, no sleeping.

mod checks;
mod faults;
mod network;

use std::collections::BTreeMap;

use auk_gateway::{Close, ConnId, ConnectFailure, Effect, Event, Gateway, HttpAnswer, HttpFailure, Input, Language, Timestamp};
use auk_simulator::model::{Action, OpenPlatform, Upgrade};
use auk_simulator::{Say, Settings};
use serde_json::Value;

use checks::Checks;
use faults::FaultPlan;
use network::{Arrival, Network};

/// The group that members write in.
const GROUP: &str = "AB00000000000000000000000000C001";
/// Members write this often at most, and once in a while less.
const SAY_MS_MAX: u64 = 60_000;
/// More steps than this without time passing are a loop.
const STEPS_IN_ONE_MS_MAX: u32 = 200;

/// One run: a bot, a platform, a network between them, and a plan of faults.
pub struct Simulation {
    seed: u64,
    now_ms: u64,
    chance: fastrand::Rng,
    gateway: Gateway,
    platform: OpenPlatform,
    network: Network,
    /// What arrives when; the second number keeps the order of what arrives together.
    arrivals: BTreeMap<(u64, u64), Arrival>,
    arrivals_made: u64,
    plan: FaultPlan,
    checks: Checks,
    next_say_ms: u64,
    trace: u64,
    tells: bool,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// A number over everything that happened, in order: equal for equal runs.
    pub trace: u64,
    /// Attempts to connect.
    pub connects: u64,
    /// Sessions that became ready, new or resumed.
    pub readies: u64,
    /// Messages delivered.
    pub delivered: u64,
    /// When the session was ready for good after the last fault, in ms after the faults had ended.
    pub recovered_ms: u64,
}

impl Simulation {
    /// A run whose whole course follows from the seed.
    pub fn new(seed: u64) -> Self {
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut config = crate::config();
        config.seed = seed;
        let shown = Settings::default();
        config.credentials = auk_gateway::Credentials::new(shown.app_id, shown.secret).expect("the simulator's own");
        let settings = Settings { seed, op7_interval_ms: chance.bool().then_some(30 * 60_000), ..Settings::default() };
        let plan = FaultPlan::draw(&mut chance);
        let mut simulation = Self {
            seed,
            now_ms: 0,
            gateway: Gateway::new(config, Timestamp::from_ms(0)),
            platform: OpenPlatform::new(settings),
            network: Network::new(chance.fork()),
            arrivals: BTreeMap::new(),
            arrivals_made: 0,
            plan,
            checks: Checks::new(seed),
            next_say_ms: chance.u64(0..SAY_MS_MAX),
            trace: seed,
            tells: false,
            chance,
        };
        simulation.drain();
        simulation
    }

    /// Lets the run tell on standard output what happens, for a replay.
    pub fn telling(mut self) -> Self {
        self.tells = true;
        self
    }

    fn tell(&self, what: &dyn std::fmt::Debug) {
        if self.tells {
            println!("{:>9} ms  {:<16} {what:?}", self.now_ms, self.gateway.status(Language::EnUs, self.now()).state);
        }
    }

    /// Runs the faults, then the calm after them.
    ///
    /// # Panics
    /// When a promise is broken, with the seed.
    pub fn run(mut self) -> Report {
        let end_ms = self.plan.end_ms();
        self.run_until(end_ms);
        self.heal();
        let limit_ms = end_ms + self.plan.recovery_ms_max();
        while !self.gateway.is_ready() {
            assert!(self.now_ms < limit_ms, "seed {}: not back {} s after the last fault", self.seed, (self.now_ms - end_ms) / 1_000);
            self.step(limit_ms);
        }
        let recovered_ms = self.now_ms - end_ms;
        self.checks.calm_begins(self.now_ms);
        // Ten minutes of calm: the link stays but for the platform's own recycling, and every line arrives once.
        self.run_until(self.now_ms + 600_000);
        // What was said last may still be on its way, or waits for a planned reconnect.
        let said_until_ms = self.now_ms;
        self.run_until(said_until_ms + 20_000);
        self.checks.all_said_in_calm_is_delivered(said_until_ms);
        Report {
            trace: self.trace,
            connects: self.checks.connects(),
            readies: self.checks.readies(),
            delivered: self.checks.delivered(),
            recovered_ms,
        }
    }

    fn run_until(&mut self, end_ms: u64) {
        while self.now_ms < end_ms {
            self.step(end_ms);
        }
    }

    /// Lets the next thing happen, or time pass to `end_ms` when nothing is due before.
    fn step(&mut self, end_ms: u64) {
        let arrival = self.arrivals.keys().next().copied();
        let gateway = self.gateway.poll_timeout().map(Timestamp::as_ms).expect("something is always due before the end");
        let platform = self.platform.next_deadline();
        let fault = self.plan.next_ms();
        let others = [platform, fault, Some(self.next_say_ms)].into_iter().flatten();
        let next_ms = others.chain([gateway]).chain(arrival.map(|(at, _)| at)).min().unwrap_or(end_ms).max(self.now_ms);
        if next_ms >= end_ms {
            self.now_ms = end_ms;
            return;
        }
        self.checks.time_passes(self.now_ms, next_ms, STEPS_IN_ONE_MS_MAX);
        self.now_ms = next_ms;
        if let Some(key) = arrival.filter(|(at, _)| *at <= next_ms) {
            let arrival = self.arrivals.remove(&key).expect("it was the first");
            self.arrive(arrival);
        } else if gateway <= next_ms {
            self.gateway.handle_timeout(self.now());
        } else if platform.is_some_and(|at| at <= next_ms) {
            let actions = self.platform.tick(self.now_ms);
            self.perform(actions);
        } else if fault.is_some_and(|at| at <= next_ms) {
            self.cause_fault();
        } else {
            self.say();
        }
        self.drain();
        self.checks.half_open_links_are_left(&self.network, self.now_ms);
        let status = self.gateway.status(Language::EnUs, self.now());
        self.checks.states_are_left(status.state, status.since_ms, self.now_ms);
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.now_ms)
    }

    fn note(&mut self, what: u64) {
        self.trace = (self.trace ^ what ^ self.now_ms).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
    }

    fn after(&mut self, delay_ms: u64, arrival: Arrival) {
        self.arrivals_made += 1;
        self.arrivals.insert((self.now_ms + delay_ms, self.arrivals_made), arrival);
    }

    fn say(&mut self) {
        self.next_say_ms = self.now_ms + self.chance.u64(1..SAY_MS_MAX);
        let said = self.platform.say(GROUP, &Say::at("小明", "hi"), self.now_ms).expect("the group is known");
        self.checks.said(said.msg_id, self.now_ms);
        let actions = self.platform.take_actions();
        self.perform(actions);
    }

    fn cause_fault(&mut self) {
        let fault = self.plan.take();
        self.tell(&fault);
        self.note(1);
        self.checks.fault(&fault);
        if fault.reloads() {
            self.gateway.handle_input(Input::Reload(Box::new(self.reloaded())), self.now());
        }
        fault.change(&mut self.network, self.now_ms);
        let actions = fault.cause(&mut self.platform, self.now_ms);
        self.perform(actions);
    }

    fn reloaded(&self) -> auk_gateway::GatewayConfig {
        let mut config = crate::config();
        let shown = Settings::default();
        config.seed = self.seed;
        config.credentials = auk_gateway::Credentials::new(shown.app_id, shown.secret).expect("the simulator's own");
        config
    }

    fn heal(&mut self) {
        self.network.heal();
        let mut actions = self.platform.set_faults(auk_simulator::Faults::default(), self.now_ms);
        actions.extend(self.platform.act(&auk_simulator::Act::Heal, self.now_ms));
        self.perform(actions);
    }

    /// What the platform does reaches the client after the network's delay, in order, if at all.
    fn perform(&mut self, actions: Vec<Action>) {
        for action in actions {
            let (conn, end) = match &action {
                Action::Send { conn, .. } => (*conn, false),
                Action::Close { conn, .. } | Action::Cut { conn } => (*conn, true),
                Action::Webhook(_) => continue,
            };
            if end {
                self.network.platform_ended(conn);
                self.checks.platform_link_ended(conn);
            }
            if let Some(delay_ms) = self.network.delay_to_client(conn, self.now_ms) {
                self.after(delay_ms, Arrival::AtClient(action));
            }
        }
    }

    fn arrive(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::TokenRequest { request, app_id, secret } => {
                let answer = self.platform.token_request(&app_id, &secret, self.now_ms);
                let (delay_ms, answer) = (answer.delay_ms, received(answer.status, &answer.body));
                self.answer(delay_ms, Input::TokenAnswered { request, answer });
            }
            Arrival::LookUp { request, token, bot } => {
                let authorization = Some(token.authorization());
                let call = if bot { OpenPlatform::bot_address_request } else { OpenPlatform::address_request };
                let answer = call(&mut self.platform, authorization.as_deref(), "https://qq.example", self.now_ms);
                self.checks.answered(request, &token, answer.status, answer.code);
                let (delay_ms, answer) = (answer.delay_ms, received(answer.status, &answer.body));
                self.answer(delay_ms, Input::AddressAnswered { request, answer });
            }
            Arrival::Upgrade { conn } => self.upgrade(conn),
            Arrival::AtPlatform { conn, text } => {
                let actions = self.platform.frame(conn, &text, self.now_ms);
                self.perform(actions);
            }
            Arrival::ClosedAtPlatform { conn, code } => {
                self.checks.platform_link_ended(conn);
                let actions = self.platform.closed(conn, code, self.now_ms);
                self.perform(actions);
            }
            Arrival::AtClient(action) => self.arrive_at_client(action),
            Arrival::ToGateway(input) => {
                self.checks.client_gets(&input, &self.network, self.now_ms);
                self.gateway.handle_input(input, self.now());
            }
        }
    }

    fn upgrade(&mut self, conn: ConnId) {
        let number = self.network.platform_conn(conn);
        match self.platform.upgrade(self.now_ms) {
            Upgrade::Refuse(answer) => {
                let failure = ConnectFailure::Upgrade(answer.status);
                self.answer(answer.delay_ms, Input::ConnectFailed { conn, failure });
            }
            Upgrade::Accept { delay_ms } => {
                if self.network.is_abandoned(conn) {
                    return;
                }
                // On the link's own stream, so that Hello comes after it.
                if let Some(network_ms) = self.network.delay_to_client(number, self.now_ms + delay_ms) {
                    self.after(delay_ms + network_ms, Arrival::ToGateway(Input::Opened { conn }));
                }
                self.checks.platform_link_begins(number, &self.network);
                let actions = self.platform.open(number, self.now_ms);
                self.perform(actions);
            }
        }
    }

    fn answer(&mut self, delay_ms: u64, input: Input) {
        if let Some(network_ms) = self.network.delay_of_http() {
            self.after(delay_ms + network_ms, Arrival::ToGateway(input));
        }
    }

    fn arrive_at_client(&mut self, action: Action) {
        let (number, input): (_, fn(ConnId, Action) -> Option<Input>) = match &action {
            Action::Send { conn, .. } => (*conn, network::frame),
            Action::Close { conn, .. } | Action::Cut { conn } => (*conn, network::closed),
            Action::Webhook(_) => return,
        };
        let conn = self.network.client_conn(number);
        // A socket that was given up is not read any more; now and then a frame was on its way to the driver already.
        if self.network.is_abandoned(conn) && self.chance.u8(0..10) > 0 {
            return;
        }
        if let Some(input) = input(conn, action) {
            self.checks.client_gets(&input, &self.network, self.now_ms);
            self.gateway.handle_input(input, self.now());
        }
    }

    fn drain(&mut self) {
        while let Some(effect) = self.gateway.poll_effect() {
            self.tell(&effect);
            self.note(effect_number(&effect));
            self.checks.effect(&effect, &self.network, self.now_ms);
            self.perform_effect(effect);
        }
        while let Some(event) = self.gateway.poll_event() {
            self.note(3);
            self.tell(&event);
            self.checks.event(&event, self.now_ms);
            if let Event::Dispatch(dispatch) = &event {
                let body: Option<Value> = dispatch.data.as_ref().and_then(|data| serde_json::from_str(data.get()).ok());
                self.checks.delivered_message(dispatch, body.as_ref().and_then(|body| body["id"].as_str()), self.now_ms);
            }
        }
    }

    fn perform_effect(&mut self, effect: Effect) {
        match effect {
            Effect::FetchToken { request, credentials } => {
                let body: Value = serde_json::from_str(&credentials.token_request_body()).expect("JSON");
                let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
                let ask = Arrival::TokenRequest { request, app_id: text("appId"), secret: text("clientSecret") };
                self.ask(ask, |answer| Input::TokenAnswered { request, answer });
            }
            Effect::FetchAddress { request, token, endpoint } => {
                let ask = Arrival::LookUp { request, token, bot: endpoint == auk_gateway::AddressEndpoint::GatewayBot };
                self.ask(ask, |answer| Input::AddressAnswered { request, answer });
            }
            Effect::Connect { conn, .. } => {
                let number = self.network.connect(conn);
                match self.network.delay_of_connect() {
                    network::Connect::Arrives(delay_ms) => self.after(delay_ms, Arrival::Upgrade { conn }),
                    network::Connect::Refused(delay_ms) => {
                        let input = Input::ConnectFailed { conn, failure: ConnectFailure::Refused };
                        self.after(delay_ms, Arrival::ToGateway(input));
                    }
                    network::Connect::Hangs => {}
                }
                self.note(number.0);
            }
            Effect::Send { conn, text } => {
                let number = self.network.platform_conn(conn);
                if let Some(delay_ms) = self.network.delay_to_platform(number, self.now_ms) {
                    self.after(delay_ms, Arrival::AtPlatform { conn: number, text: text.into_text() });
                }
            }
            Effect::Close { conn, code } => {
                let number = self.network.platform_conn(conn);
                if let Some(delay_ms) = self.network.delay_to_platform(number, self.now_ms) {
                    self.after(delay_ms, Arrival::ClosedAtPlatform { conn: number, code: Some(code) });
                }
                self.network.abandon(conn);
                self.haunt(conn);
            }
        }
    }

    /// An event of a connection that was given up may have been on its way to the driver already.
    fn haunt(&mut self, conn: ConnId) {
        let delay_ms = self.chance.u64(0..3_000);
        let frame = |text: &str| Input::Frame { conn, text: text.to_owned().into() };
        let input = match self.chance.u8(0..12) {
            0 => Input::Closed { conn, close: Close::Code(Some(4006)) },
            1 => Input::Closed { conn, close: Close::Transport(ConnectFailure::Other) },
            2 => frame(r#"{"op":9,"d":false}"#),
            3 => frame(r#"{"op":7}"#),
            4 => frame(r#"{"op":0,"s":1,"t":"READY","d":{"session_id":"ghost"}}"#),
            _ => return,
        };
        self.after(delay_ms, Arrival::ToGateway(input));
    }

    fn ask(&mut self, ask: Arrival, input: impl FnOnce(HttpAnswer) -> Input) {
        match self.network.delay_of_http_request() {
            network::Request::Arrives(delay_ms) => self.after(delay_ms, ask),
            network::Request::Fails(delay_ms) => {
                let input = input(HttpAnswer::Failed(HttpFailure::Unreachable));
                self.after(delay_ms, Arrival::ToGateway(input));
            }
            network::Request::Hangs => {}
        }
    }
}

fn received(status: u16, body: &[u8]) -> HttpAnswer {
    HttpAnswer::Received { status, body: String::from_utf8_lossy(body).into_owned(), retry_after_ms: None }
}

fn effect_number(effect: &Effect) -> u64 {
    match effect {
        Effect::FetchToken { .. } => 10,
        Effect::FetchAddress { .. } => 11,
        Effect::Connect { .. } => 12,
        Effect::Send { text, .. } => 100 + text.as_text().len() as u64,
        Effect::Close { code, .. } => 10_000 + u64::from(*code),
    }
}
