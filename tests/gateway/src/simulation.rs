//! The gateway against a model of the platform that owns the truth: one heap of events, one seed, no thread, no sleeping.

mod checks;
mod coverage;
mod fault;
mod frame;
mod network;
mod plan;
mod storm;
mod traffic;
mod trouble;
mod violation;

use std::collections::BTreeMap;

use auk_gateway::{Credentials, Gateway, GatewayConfig, Input, Language, Memory, Plant, RequestId, Timestamp};
use auk_runtime::log::{EventLog, Hosts};
use auk_simulator::model::OpenPlatform;
use auk_simulator::{Say, Settings};

pub use checks::Attempts;
pub use coverage::{Coverage, INPUTS, STATES, unreachable};
pub use storm::{Course, Storm};
pub use violation::{Promise, Violation};

use checks::Checks;
use fault::Ending;
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
        if self.waits_for_allowance() {
            return self.report(0);
        }
        let live = self.is_live();
        self.checks.expect(live, Promise::ComesBack, || format!("not {} s after the last fault", recovered_ms / 1_000));
        self.await_token();
        if self.waits_for_allowance() {
            return self.report(0);
        }
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

    /// A live session outlives its token: where a call was refused just before, the way back from the platform's next recycling would have
    /// to wait until that token is trusted again, and that is no calm. It takes 600 s at most, and the next request for a token another 61 s.
    fn await_token(&mut self) {
        let limit_ms = self.now_ms + 661_000 + self.plan.recovery_ms_max();
        while self.is_whole() && !(self.is_live() && self.gateway.token(self.now()).is_some()) && self.now_ms < limit_ms {
            self.step(limit_ms);
        }
        let well = self.is_live() || self.waits_for_allowance();
        self.checks.expect(well, Promise::ComesBack, || "not with a token that may be used".to_owned());
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

    /// Whether the allowance of a plan that has little of it is spent: nothing comes back before its day is over.
    fn waits_for_allowance(&self) -> bool {
        let deadline = self.gateway.status(Language::EnUs, self.now()).deadline;
        let waits = deadline.is_some_and(|deadline| deadline.reason == "allowance of new sessions");
        self.allowance_is_small && !self.is_live() && waits
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

    fn say(&mut self) {
        self.next_say_ms = self.now_ms + self.chance.u64(1..SAY_MS_MAX);
        let said = self.platform.say(GROUP, &Say::at("小明", CHAT), self.now_ms).expect("the group is known");
        self.checks.delivery.said(said.msg_id, self.now_ms);
        let actions = self.platform.take_actions();
        self.perform(actions);
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
