//! The gateway against a model of the platform that owns the truth: one heap of events, one seed, no thread, no sleeping.

mod checks;
mod coverage;
mod fault;
mod frame;
mod network;
mod plan;
mod storm;
mod violation;

use std::collections::BTreeMap;

use auk_gateway::{
    AccessToken, Close, ConnId, ConnectFailure, Credentials, Effect, Event, Gateway, GatewayConfig, HttpAnswer, HttpFailure, Input,
    Language, Memory, Plant, RequestId, Timestamp,
};
use auk_runtime::log::{EventLog, Hosts, Level};
use auk_simulator::model::{Action, OpenPlatform, Upgrade};
use auk_simulator::{Say, Settings};

pub use checks::Attempts;
pub use coverage::{Coverage, INPUTS, STATES, unreachable};
pub use storm::{Course, Storm};
pub use violation::{Promise, Violation};

use checks::Checks;
use fault::{Ending, Fault, Ghost};
use network::{Arrival, Network};
use plan::Plan;

/// The group that members write in.
const GROUP: &str = "AB00000000000000000000000000C001";
/// What members write; it must not be found where it does not belong.
const CHAT: &str = "hi-canary";
/// Members write this often at most, and once in a while less.
const SAY_MS_MAX: u64 = 360_000;
/// The calm at the end of a run.
const CALM_MS: u64 = 600_000;

/// One run: a bot, a platform, a network between them, and a plan of faults.
pub struct Simulation {
    now_ms: u64,
    chance: fastrand::Rng,
    config: GatewayConfig,
    plants: Vec<Plant>,
    gateway: Gateway,
    /// What a store would have kept.
    memory: Memory,
    process: Process,
    platform: OpenPlatform,
    network: Network,
    /// What arrives when; the second number keeps the order of what arrives together, the third names the process it is for.
    arrivals: BTreeMap<(u64, u64), (u64, Arrival)>,
    arrivals_made: u64,
    plan: Plan,
    checks: Checks,
    next_say_ms: u64,
    coverage: Coverage,
    /// The newest request of each kind, to tell answers that are late.
    newest_token: Option<RequestId>,
    newest_look_up: Option<RequestId>,
    /// A token request and a look-up that were answered or given up already.
    old_requests: (Option<RequestId>, Option<RequestId>),
    /// Whether anything may happen at any moment.
    pokes: bool,
    trace: u64,
    lines: u64,
    log: EventLog,
    logged: u64,
    allowance_is_small: bool,
    /// Goes on when a promise is broken.
    is_lenient: bool,
    tells: bool,
}

/// The client's process.
struct Process {
    number: u64,
    /// It is not running until then.
    down_until: Option<u64>,
    asleep_until: u64,
    /// It was asked to stop, and is to be followed by another after this long.
    ending: Option<(Ending, u64)>,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// A number over everything that happened, in order: equal for equal runs.
    pub trace: u64,
    /// What was attempted, and when.
    pub attempts: Attempts,
    /// Sessions that became ready, new or resumed.
    pub readies: u64,
    /// Dispatches delivered.
    pub delivered: u64,
    /// Failures that were told, one by one.
    pub lines: u64,
    /// Lines of the log at INFO and above.
    pub logged: u64,
    /// When the session was ready for good after the last fault, in ms after the faults had ended.
    pub recovered_ms: u64,
    /// Simulated time, in ms.
    pub simulated_ms: u64,
    /// Which inputs met which states.
    pub coverage: Coverage,
}

impl Simulation {
    /// A run whose whole course follows from the seed.
    pub fn new(seed: u64) -> Self {
        Self::planted(seed, &[])
    }

    /// The same with defects.
    pub fn planted(seed: u64, plants: &[Plant]) -> Self {
        let mut chance = fastrand::Rng::with_seed(seed);
        let plan = Plan::draw(&mut chance);
        let allowance_is_small = chance.u8(0..8) == 0;
        let settings = Settings {
            seed,
            op7_interval_ms: chance.bool().then_some(30 * 60_000),
            session_starts_per_day: if allowance_is_small { 4 } else { 1_000 },
            ..Settings::default()
        };
        Self::of(seed, chance, plan, settings, allowance_is_small, plants)
    }

    fn of(seed: u64, mut chance: fastrand::Rng, plan: Plan, settings: Settings, allowance_is_small: bool, plants: &[Plant]) -> Self {
        let settings = Settings { notices: false, ..settings };
        let mut config = crate::config();
        config.seed = seed;
        config.credentials = right_credentials();
        let mut simulation = Self {
            now_ms: 0,
            gateway: begin(&config, plants, Memory::default(), 0),
            plants: plants.to_vec(),
            config,
            memory: Memory::default(),
            process: Process { number: 0, down_until: None, asleep_until: 0, ending: None },
            platform: OpenPlatform::new(settings),
            network: Network::new(chance.fork()),
            arrivals: BTreeMap::new(),
            arrivals_made: 0,
            plan,
            checks: Checks::new(),
            next_say_ms: chance.u64(0..SAY_MS_MAX),
            coverage: Coverage::new(),
            newest_token: None,
            newest_look_up: None,
            old_requests: (None, None),
            pokes: true,
            trace: seed,
            lines: 0,
            log: EventLog::new(Language::EnUs, Hosts::default()),
            logged: 0,
            allowance_is_small,
            is_lenient: false,
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

    /// Runs the faults, the calm after them, and a stop.
    ///
    /// # Errors
    /// The first promise that was broken.
    pub fn run(mut self) -> Result<Report, Violation> {
        let end_ms = self.plan.end_ms();
        self.run_until(end_ms);
        if !self.is_whole() {
            return self.report(0);
        }
        self.heal();
        let limit_ms = self.now_ms + self.plan.recovery_ms_max();
        while self.is_whole() && !self.is_live() && self.now_ms < limit_ms {
            self.step(limit_ms);
        }
        let recovered_ms = self.now_ms - end_ms;
        if !self.is_live() && self.allowance_is_small && self.waits_for_allowance() {
            return self.report(0);
        }
        let live = self.is_live();
        self.checks.expect(live, Promise::ComesBack, || format!("not {} s after the last fault", recovered_ms / 1_000));
        self.checks.calm_begins();
        // The link stays but for the platform's own recycling, and every line arrives once.
        self.run_until(self.now_ms + CALM_MS);
        // What was said last may still be on its way, or waits for a planned reconnect.
        let said_until_ms = self.now_ms;
        self.run_until(said_until_ms + 20_000);
        let verdict = self.checks.delivery.all_is_delivered(said_until_ms);
        self.checks.judge(verdict);
        self.end();
        self.report(recovered_ms)
    }

    /// Runs a plan without minding which promises are broken, and counts from `begins_ms` on.
    fn weather(mut self, begins_ms: u64, patience_ms: u64) -> Course {
        self.is_lenient = true;
        self.pokes = false;
        self.run_until(begins_ms);
        let (logged, failures, before) = (self.logged, self.lines, self.checks.pace.attempts().clone());
        let end_ms = self.plan.end_ms();
        self.run_until(end_ms);
        let attempts = self.checks.pace.attempts().since(&before);
        let (logged, failures) = (self.logged - logged, self.lines - failures);
        self.heal();
        while !self.is_live() && self.now_ms < end_ms + patience_ms {
            self.step(end_ms + patience_ms);
        }
        let recovered_ms = self.is_live().then(|| self.now_ms - end_ms);
        Course { attempts, logged, failures, recovered_ms }
    }

    fn report(self, recovered_ms: u64) -> Result<Report, Violation> {
        if let Some(violation) = self.checks.broken() {
            return Err(violation.clone());
        }
        Ok(Report {
            trace: self.trace,
            attempts: self.checks.pace.attempts().clone(),
            readies: self.checks.life.readies(),
            delivered: self.checks.delivery.count(),
            lines: self.lines,
            logged: self.logged,
            recovered_ms,
            simulated_ms: self.now_ms,
            coverage: self.coverage,
        })
    }

    fn is_whole(&self) -> bool {
        self.is_lenient || self.checks.broken().is_none()
    }

    /// Whether both sides have the same live session.
    fn is_live(&self) -> bool {
        let conn = self.network.newest_conn().filter(|conn| self.network.half_open_since(*conn).is_none());
        let is_open =
            conn.and_then(|conn| self.network.platform_conn(conn)).is_some_and(|number| self.checks.link.is_open_at_platform(number));
        is_open && self.gateway.is_ready() && self.platform.is_online()
    }

    fn waits_for_allowance(&self) -> bool {
        let deadline = self.gateway.status(Language::EnUs, self.now()).deadline;
        deadline.is_some_and(|deadline| deadline.reason == "allowance of new sessions")
    }

    /// Stops for good.
    fn end(&mut self) {
        self.checks.life.stop_asked(self.now_ms);
        self.input(Input::Stop);
        self.drain();
        while self.is_whole() && self.gateway.poll_timeout().is_some() {
            self.step(self.now_ms + 60_000);
            let verdict = self.checks.life.stop_is_not_late(self.now_ms);
            self.checks.judge(verdict);
        }
        let state = self.gateway.state();
        self.checks.expect(state == "stopped", Promise::StopsInTime, || state.to_owned());
    }

    fn run_until(&mut self, end_ms: u64) {
        while self.now_ms < end_ms && self.is_whole() {
            self.step(end_ms);
        }
    }

    /// Lets the next thing happen, or time pass to `end_ms` when nothing is due before.
    fn step(&mut self, end_ms: u64) {
        let arrival = self.arrivals.keys().next().copied();
        let gateway = self.gateway_due();
        let platform = self.platform.next_deadline();
        let fault = self.plan.next_ms();
        let others = [gateway, platform, fault, Some(self.next_say_ms), self.process.down_until];
        let next_ms = others.into_iter().flatten().chain(arrival.map(|(at, _)| at)).min().unwrap_or(end_ms).max(self.now_ms);
        if next_ms >= end_ms {
            self.checks.time_passes(end_ms);
            self.now_ms = end_ms;
            return;
        }
        self.checks.time_passes(next_ms);
        self.now_ms = next_ms;
        let is_due = |at: Option<u64>| at.is_some_and(|at| at <= next_ms);
        if let Some(key) = arrival.filter(|(at, _)| *at <= next_ms) {
            let (process, arrival) = self.arrivals.remove(&key).expect("it was the first");
            self.arrive(process, arrival);
        } else if is_due(self.process.down_until) {
            self.come_up();
        } else if is_due(gateway) {
            self.coverage.insert((self.gateway.state(), "timeout"));
            self.gateway.handle_timeout(self.now());
        } else if is_due(platform) {
            let actions = self.platform.tick(self.now_ms);
            self.perform(actions);
        } else if is_due(fault) {
            let fault = self.plan.take();
            self.cause(fault);
        } else {
            self.say();
        }
        self.conclude();
        // By steps rather than by time, so that states of a few milliseconds are met too.
        if self.pokes && self.chance.u8(0..40) == 0 && self.is_awake() {
            self.poke();
            self.conclude();
        }
    }

    fn conclude(&mut self) {
        if self.process.down_until.is_none() {
            self.drain();
            self.look();
        }
    }

    /// Something that may happen at any moment.
    fn poke(&mut self) {
        match self.chance.u8(0..100) {
            0 => self.cause(Fault::Reload),
            1 => self.cause(Fault::Restart { ending: Ending::Suspend, down_ms: 1_000 }),
            2 => self.cause(Fault::Restart { ending: Ending::Stop, down_ms: 1_000 }),
            3 => self.cause(Fault::CallRefused),
            4 => self.on_live_link(|conn| Input::Frame { conn, text: r#"{"op":7}"#.to_owned().into() }),
            5..30 => {
                let text = fault::ODD_FRAMES[self.chance.usize(0..fault::ODD_FRAMES.len())];
                self.on_live_link(|conn| Input::Frame { conn, text: text.to_owned().into() });
            }
            30..40 => self.on_live_link(|conn| Input::Traffic { conn }),
            40..50 => self.input(Input::TokenRefused { token: AccessToken::new("of-yesterday") }),
            50..60 => self.answer_late(),
            _ => {
                let ghost = fault::GHOSTS[self.chance.usize(0..fault::GHOSTS.len())];
                self.haunt(ghost);
            }
        }
    }

    /// The answer to a request that the gateway has given up.
    fn answer_late(&mut self) {
        let (token, look_up) = self.old_requests;
        let answer = |body: &str| received(200, body.as_bytes());
        if let Some(request) = token.filter(|_| self.chance.bool()) {
            self.input(Input::TokenAnswered { request, answer: answer(r#"{"access_token":"late","expires_in":"7200"}"#) });
        } else if let Some(request) = look_up {
            self.input(Input::AddressAnswered { request, answer: answer(r#"{"url":"wss://late.example"}"#) });
        }
    }

    /// When the gateway wants to be called, if its process runs.
    fn gateway_due(&self) -> Option<u64> {
        let due = self.gateway.poll_timeout().map(Timestamp::as_ms);
        due.filter(|_| self.process.down_until.is_none()).map(|due| due.max(self.process.asleep_until))
    }

    fn look(&mut self) {
        let state = self.gateway.state();
        self.checks.state(state, &self.network);
        let due = self.gateway.poll_timeout();
        self.checks.expect(due.is_some() || state == "stopped", Promise::SomethingDue, || state.to_owned());
        if let (None, Some((ending, down_ms))) = (due, self.process.ending) {
            self.speak_to_the_stopped();
            self.go_down(ending, down_ms);
        }
        let verdict = self.checks.life.stop_is_not_late(self.now_ms);
        self.checks.judge(verdict);
    }

    /// After the end nothing changes anything.
    fn speak_to_the_stopped(&mut self) {
        for _ in 0..3 {
            match (self.chance.u8(0..5), self.newest_token) {
                (0, _) => self.input(Input::Stop),
                (1, _) => self.input(Input::Suspend),
                (2, _) => self.input(Input::Reload(Box::new(self.config.clone()))),
                (3, Some(request)) => {
                    let answer = received(200, br#"{"access_token":"after-the-end","expires_in":"7200"}"#);
                    self.input(Input::TokenAnswered { request, answer });
                }
                _ => self.poke(),
            }
            let quiet = self.gateway.poll_effect().is_none() && self.gateway.poll_event().is_none();
            let over = quiet && self.gateway.state() == "stopped";
            self.checks.expect(over, Promise::StopsInTime, || "something follows".to_owned());
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.now_ms)
    }

    fn note(&mut self, what: u64) {
        self.trace = (self.trace ^ what ^ self.now_ms).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
    }

    fn tell(&self, what: &dyn std::fmt::Debug) {
        if self.tells {
            println!("{:>9} ms  {:<16} {what:?}", self.now_ms, self.gateway.state());
        }
    }

    fn after(&mut self, delay_ms: u64, arrival: Arrival) {
        self.arrivals_made += 1;
        self.arrivals.insert((self.now_ms + delay_ms, self.arrivals_made), (self.process.number, arrival));
    }

    fn say(&mut self) {
        self.next_say_ms = self.now_ms + self.chance.u64(1..SAY_MS_MAX);
        let said = self.platform.say(GROUP, &Say::at("小明", CHAT), self.now_ms).expect("the group is known");
        self.checks.delivery.said(said.msg_id, self.now_ms);
        let actions = self.platform.take_actions();
        self.perform(actions);
    }

    fn cause(&mut self, fault: Fault) {
        self.tell(&fault);
        self.note(1);
        self.checks.life.allow(fault.is_for_operator(), fault.kills_token());
        self.checks.delivery.allow(fault.reorders(), fault.doubles());
        let actions = fault.cause(&mut self.platform, self.now_ms);
        self.perform(actions);
        match fault {
            Fault::Switch { .. } | Fault::Act(_) => {}
            Fault::Connects(mood) => self.network.set_connects(mood),
            Fault::Http(mood) => self.network.set_http(mood),
            Fault::Freeze => self.network.freeze(self.now_ms),
            Fault::Reload => self.reload(right_credentials()),
            Fault::WrongSecret => {
                let app_id = right_credentials().app_id().to_owned();
                self.reload(Credentials::new(app_id, "not-this-one").expect("well formed"));
            }
            Fault::CallRefused => self.refuse_call(),
            Fault::Traffic => self.on_live_link(|conn| Input::Traffic { conn }),
            Fault::OddFrame(text) => self.on_live_link(|conn| Input::Frame { conn, text: text.to_owned().into() }),
            Fault::Ghost(ghost) => self.haunt(ghost),
            Fault::Sleep { ms } => {
                self.process.asleep_until = self.process.asleep_until.max(self.now_ms + ms);
                self.checks.sleeps_until(self.process.asleep_until);
            }
            Fault::Restart { ending, down_ms } => self.end_process(ending, down_ms),
        }
    }

    /// Whether the process can be told something at this moment.
    fn is_awake(&self) -> bool {
        self.process.down_until.is_none() && self.now_ms >= self.process.asleep_until
    }

    fn reload(&mut self, credentials: Credentials) {
        self.config.credentials = credentials;
        if self.is_awake() {
            self.checks.reloaded();
            self.input(Input::Reload(Box::new(self.config.clone())));
        }
    }

    fn refuse_call(&mut self) {
        let token = self.gateway.token(self.now()).cloned();
        if let Some(token) = token.filter(|_| self.is_awake()) {
            self.input(Input::TokenRefused { token });
        }
    }

    /// Something that only the driver can bring about on the connection.
    fn on_live_link(&mut self, input: impl FnOnce(ConnId) -> Input) {
        let conn = self.network.newest_conn().filter(|conn| self.is_awake() && !self.network.is_abandoned(*conn));
        let is_open = matches!(self.gateway.state(), "awaiting_hello" | "authenticating" | "ready");
        if let Some(conn) = conn.filter(|conn| is_open && self.network.half_open_since(*conn).is_none()) {
            self.input(input(conn));
        }
    }

    /// An event of a connection that was given up may have been on its way to the driver already.
    fn haunt(&mut self, ghost: Ghost) {
        let Some(conn) = self.network.old_conn().filter(|_| self.is_awake()) else { return };
        let frame = |text: &str| Input::Frame { conn, text: text.to_owned().into() };
        self.input(match ghost {
            Ghost::Opened => Input::Opened { conn },
            Ghost::Refused => Input::ConnectFailed { conn, failure: ConnectFailure::Refused },
            Ghost::Closed => Input::Closed { conn, close: Close::Code(Some(4006)) },
            Ghost::Broken => Input::Closed { conn, close: Close::Transport(ConnectFailure::Other) },
            Ghost::Hello => frame(r#"{"op":10,"d":{"heartbeat_interval":1000}}"#),
            Ghost::Ready => frame(r#"{"op":0,"s":1,"t":"READY","d":{"session_id":"ghost"}}"#),
            Ghost::Reconnect => frame(r#"{"op":7}"#),
            Ghost::InvalidSession => frame(r#"{"op":9,"d":false}"#),
            Ghost::Traffic => Input::Traffic { conn },
        });
    }

    fn end_process(&mut self, ending: Ending, down_ms: u64) {
        if !self.is_awake() {
            return;
        }
        match ending {
            Ending::Crash if self.process.ending.is_none() => return self.go_down(ending, down_ms),
            Ending::Crash => return,
            Ending::Stop => self.input(Input::Stop),
            Ending::Suspend => self.input(Input::Suspend),
        }
        // The first word counts.
        if self.process.ending.is_none() {
            self.checks.life.stop_asked(self.now_ms);
            self.process.ending = Some((ending, down_ms));
        }
    }

    /// The process is gone, and with it its sockets and whatever was on its way to it.
    fn go_down(&mut self, ending: Ending, down_ms: u64) {
        self.note(4);
        // A store is at most a few dispatches behind when the process dies; an orderly end loses nothing.
        let behind = if ending == Ending::Crash { self.chance.usize(0..4) } else { 0 };
        let resume_point = self.checks.delivery.resume_point(behind);
        if let Some(session) = &mut self.memory.session {
            session.sequence = resume_point;
        }
        self.checks.process_ended(resume_point);
        for number in self.network.process_died() {
            if let Some(delay_ms) = self.network.delay_to_platform(number, self.now_ms) {
                self.after(delay_ms, Arrival::ClosedAtPlatform { conn: number, code: None });
            }
        }
        (self.newest_token, self.newest_look_up, self.old_requests) = (None, None, (None, None));
        self.process = Process { number: self.process.number + 1, down_until: Some(self.now_ms + down_ms), asleep_until: 0, ending: None };
    }

    fn come_up(&mut self) {
        self.process.down_until = None;
        self.gateway = begin(&self.config, &self.plants, self.memory.clone(), self.now_ms);
        self.tell(&"a new process");
    }

    fn heal(&mut self) {
        self.network.heal();
        self.pokes = false;
        let mut actions = self.platform.set_faults(auk_simulator::Faults::default(), self.now_ms);
        actions.extend(self.platform.act(&auk_simulator::Act::Heal, self.now_ms));
        self.perform(actions);
        self.process.asleep_until = self.now_ms;
        self.process.down_until = self.process.down_until.map(|_| self.now_ms);
        if self.config.credentials != right_credentials() {
            self.reload(right_credentials());
        }
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
                self.checks.link.ended_at_platform(conn);
            }
            if let Some(delay_ms) = self.network.delay_to_client(conn, self.now_ms) {
                self.after(delay_ms, Arrival::AtClient(action));
            }
        }
    }

    fn arrive(&mut self, process: u64, arrival: Arrival) {
        if arrival.is_for_client() {
            if process != self.process.number {
                return;
            }
            if self.now_ms < self.process.asleep_until {
                return self.after(self.process.asleep_until - self.now_ms, arrival);
            }
        }
        match arrival {
            Arrival::TokenRequest { request, app_id, secret } => {
                let answer = self.platform.token_request(&app_id, &secret, self.now_ms);
                let (delay_ms, answer) = (answer.delay_ms, received(answer.status, &answer.body));
                self.answer(process, delay_ms, Input::TokenAnswered { request, answer });
            }
            Arrival::LookUp { request, token, bot } => {
                let authorization = token.authorization();
                let call = if bot { OpenPlatform::bot_address_request } else { OpenPlatform::address_request };
                let answer = call(&mut self.platform, Some(&authorization), "https://qq.example", self.now_ms);
                if process == self.process.number {
                    self.checks.answered(request, authorization, answer.status, answer.code);
                }
                let (delay_ms, answer) = (answer.delay_ms, received(answer.status, &answer.body));
                self.answer(process, delay_ms, Input::AddressAnswered { request, answer });
            }
            Arrival::Upgrade { conn } if process == self.process.number => self.upgrade(conn),
            Arrival::Upgrade { .. } => {}
            Arrival::AtPlatform { conn, text } => {
                let actions = self.platform.frame(conn, &text, self.now_ms);
                self.perform(actions);
            }
            Arrival::ClosedAtPlatform { conn, code } => {
                self.checks.link.ended_at_platform(conn);
                let actions = self.platform.closed(conn, code, self.now_ms);
                self.perform(actions);
            }
            Arrival::AtClient(action) => self.arrive_at_client(action),
            Arrival::ToGateway(input) => self.input(input),
        }
    }

    fn upgrade(&mut self, conn: ConnId) {
        let Some(number) = self.network.platform_conn(conn) else { return };
        match self.platform.upgrade(self.now_ms) {
            Upgrade::Refuse(answer) => {
                let failure = ConnectFailure::Upgrade(answer.status);
                self.answer(self.process.number, answer.delay_ms, Input::ConnectFailed { conn, failure });
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

    fn answer(&mut self, process: u64, delay_ms: u64, input: Input) {
        if let Some(network_ms) = self.network.delay_of_http()
            && process == self.process.number
        {
            self.after(delay_ms + network_ms, Arrival::ToGateway(input));
        }
    }

    fn arrive_at_client(&mut self, action: Action) {
        let number = match &action {
            Action::Send { conn, .. } | Action::Close { conn, .. } | Action::Cut { conn } => *conn,
            Action::Webhook(_) => return,
        };
        let Some(conn) = self.network.client_conn(number) else { return };
        // A socket that was given up is not read any more; now and then a frame was on its way to the driver already.
        if self.network.is_abandoned(conn) && (self.gateway.state() == "stopping" || self.chance.u8(0..10) > 0) {
            return;
        }
        if let Some(input) = network::input_of(conn, action) {
            self.input(input);
        }
    }

    /// Hands an input in, and looks at what it must not do.
    fn input(&mut self, input: Input) {
        if self.process.down_until.is_some() {
            return;
        }
        let current = self.network.newest_conn().filter(|conn| !self.network.is_abandoned(*conn) || self.gateway.state() == "stopping");
        let is_current_request = match &input {
            Input::TokenAnswered { request, .. } => self.newest_token == Some(*request),
            Input::AddressAnswered { request, .. } => self.newest_look_up == Some(*request) && self.gateway.state() == "awaiting_address",
            Input::TokenRefused { .. }
            | Input::Opened { .. }
            | Input::ConnectFailed { .. }
            | Input::Frame { .. }
            | Input::Traffic { .. }
            | Input::Closed { .. }
            | Input::Reload(_)
            | Input::Stop
            | Input::Suspend => true,
        };
        let name = coverage::name(&input, current, is_current_request);
        let state = self.gateway.state();
        self.coverage.insert((state, name));
        self.checks.client_gets(&input, is_current_request, &self.network);
        let before = name.starts_with("old ").then(|| (state, self.gateway.poll_timeout()));
        self.tell(&input);
        self.gateway.handle_input(input, self.now());
        if let Some(before) = before {
            let after = (self.gateway.state(), self.gateway.poll_timeout());
            // A token that comes late is a token all the same to a keeper that asked once only; ids tell, so nothing may change.
            self.checks.expect(before == after, Promise::OldConnectionsIgnored, || format!("{name}: {before:?}, then {after:?}"));
        }
    }

    fn drain(&mut self) {
        let mut count = 0;
        while let Some(effect) = self.gateway.poll_effect() {
            count += 1;
            self.tell(&effect);
            self.note(effect_number(&effect));
            self.checks.effect(&effect, &self.network);
            self.perform_effect(effect);
        }
        while let Some(event) = self.gateway.poll_event() {
            count += 1;
            self.note(3);
            self.tell(&event);
            self.checks.event(&event);
            self.log(&event);
            match &event {
                Event::Dispatch(dispatch) => {
                    let id = dispatch.data.as_ref().and_then(|data| message_id(data.get()));
                    self.checks.delivered(dispatch, id.as_deref());
                }
                Event::Lost { .. } | Event::SetBack { .. } | Event::Halted { .. } => self.lines += 1,
                Event::Ready { .. }
                | Event::Resumed { .. }
                | Event::Contested { .. }
                | Event::Renewed
                | Event::OddHello
                | Event::UnreadableFrame { .. }
                | Event::Stopped => {}
            }
        }
        self.checks.drained(count);
    }

    /// What an operator reads by default, which is everybody's to read.
    fn log(&mut self, event: &Event) {
        let Some(line) = self.log.note(event, self.now()).filter(|line| line.level <= Level::Info) else { return };
        self.logged += 1;
        let text = line.to_string();
        let settings = Settings::default();
        let secrets = [CHAT, GROUP, settings.secret.as_str()].into_iter().chain(self.checks.tokens.secrets());
        let confided = secrets.filter(|secret| text.contains(secret)).count();
        self.checks.expect(confided == 0, Promise::NothingConfided, || "a line with a secret in it".to_owned());
    }

    fn perform_effect(&mut self, effect: Effect) {
        match effect {
            Effect::FetchToken { request, credentials } => {
                self.old_requests.0 = self.newest_token.replace(request);
                let (app_id, secret) = identity(&credentials);
                self.ask(Arrival::TokenRequest { request, app_id, secret }, |answer| Input::TokenAnswered { request, answer });
            }
            Effect::FetchAddress { request, token, endpoint } => {
                self.old_requests.1 = self.newest_look_up.replace(request);
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
                let Some(number) = self.network.platform_conn(conn) else { return };
                if let Some(delay_ms) = self.network.delay_to_platform(number, self.now_ms) {
                    self.after(delay_ms, Arrival::AtPlatform { conn: number, text: text.into_text() });
                }
            }
            Effect::Close { conn, code } => {
                let Some(number) = self.network.platform_conn(conn) else { return };
                if let Some(delay_ms) = self.network.delay_to_platform(number, self.now_ms) {
                    self.after(delay_ms, Arrival::ClosedAtPlatform { conn: number, code: Some(code) });
                    // The driver tells when the final handshake is over. Some platforms never finish it.
                    if self.gateway.state() == "stopping" && self.chance.u8(0..4) > 0 {
                        let close = Close::Code(Some(code));
                        self.after(2 * delay_ms, Arrival::ToGateway(Input::Closed { conn, close }));
                    }
                }
                self.network.abandon(conn);
            }
            Effect::Remember(memo) => self.memory.note(memo),
        }
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

fn begin(config: &GatewayConfig, plants: &[Plant], memory: Memory, now_ms: u64) -> Gateway {
    let mut gateway = Gateway::restore(config.clone(), memory, Timestamp::from_ms(now_ms));
    plants.iter().for_each(|plant| gateway.plant(*plant));
    gateway
}

fn right_credentials() -> Credentials {
    let shown = Settings::default();
    Credentials::new(shown.app_id, shown.secret).expect("the simulator's own")
}

fn identity(credentials: &Credentials) -> (String, String) {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        app_id: String,
        client_secret: String,
    }
    let body: Body = serde_json::from_str(&credentials.token_request_body()).expect("the gateway's own");
    (body.app_id, body.client_secret)
}

fn message_id(data: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Body {
        id: String,
    }
    serde_json::from_str::<Body>(data).ok().map(|body| body.id)
}

fn received(status: u16, body: &[u8]) -> HttpAnswer {
    HttpAnswer::Received { status, body: String::from_utf8_lossy(body).into_owned(), retry_after_ms: None }
}

fn effect_number(effect: &Effect) -> u64 {
    match effect {
        Effect::FetchToken { .. } => 10,
        Effect::FetchAddress { .. } => 11,
        Effect::Connect { .. } => 12,
        Effect::Remember(_) => 13,
        Effect::Send { text, .. } => 100 + text.as_text().len() as u64,
        Effect::Close { code, .. } => 10_000 + u64::from(*code),
    }
}
