//! What goes wrong: faults as the plan has them, and odd things at any moment.

use auk_gateway::{AccessToken, Close, ConnId, ConnectFailure, Credentials, Input};

use super::fault::{self, Ending, Fault, Ghost};
use super::network::Arrival;
use super::traffic::received;
use super::violation::Promise;
use super::{Process, Simulation, begin, right_credentials};

impl Simulation {
    /// Something that may happen at any moment.
    pub(super) fn poke(&mut self) {
        match self.chance.u8(0..100) {
            0 => self.cause(Fault::Reload),
            1 => self.cause(Fault::Restart { ending: Ending::Suspend, down_ms: 1_000 }),
            2 => self.cause(Fault::Restart { ending: Ending::Stop, down_ms: 1_000 }),
            3 => self.cause(Fault::CallRefused),
            4 => self.on_live_link(|conn| Input::Frame { conn, text: r#"{"op":7}"#.to_owned().into() }),
            5..28 => {
                let text = fault::ODD_FRAMES[self.chance.usize(0..fault::ODD_FRAMES.len())];
                self.say_oddly(text);
            }
            28..30 => self.cause(Fault::Reconnect),
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
    pub(super) fn answer_late(&mut self) {
        let (token, look_up) = self.old_requests;
        let answer = |body: &str| received(200, body.as_bytes());
        if let Some(request) = token.filter(|_| self.chance.bool()) {
            self.input(Input::TokenAnswered { request, answer: answer(r#"{"access_token":"late","expires_in":"7200"}"#) });
        } else if let Some(request) = look_up {
            self.input(Input::AddressAnswered { request, answer: answer(r#"{"url":"wss://late.example"}"#) });
        }
    }

    /// After the end nothing changes anything.
    pub(super) fn speak_to_the_stopped(&mut self) {
        for _ in 0..3 {
            match (self.chance.u8(0..6), self.newest_token) {
                (0, _) => self.input(Input::Stop),
                (1, _) => self.input(Input::Suspend),
                (2, _) => self.input(Input::Reload(Box::new(self.config.clone()))),
                (3, _) => self.input(Input::Reconnect),
                (4, Some(request)) => {
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

    pub(super) fn cause(&mut self, fault: Fault) {
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
            Fault::Reconnect => self.reconnect(),
            Fault::WrongSecret => {
                let app_id = right_credentials().app_id().to_owned();
                self.reload(Credentials::new(app_id, "not-this-one").expect("well formed"));
            }
            Fault::CallRefused => self.refuse_call(),
            Fault::Traffic => self.on_live_link(|conn| Input::Traffic { conn }),
            Fault::OddFrame(text) => self.say_oddly(text),
            Fault::Ghost(ghost) => self.haunt(ghost),
            Fault::Sleep { ms } => {
                self.process.asleep_until = self.process.asleep_until.max(self.now_ms + ms);
                self.checks.sleeps_until(self.process.asleep_until);
            }
            Fault::Restart { ending, down_ms } => self.end_process(ending, down_ms),
        }
    }

    /// Whether the process can be told something at this moment.
    pub(super) fn is_awake(&self) -> bool {
        self.process.down_until.is_none() && self.now_ms >= self.process.asleep_until
    }

    /// The settings change. A process that is down begins with them; a machine that sleeps takes no orders.
    pub(super) fn reload(&mut self, credentials: Credentials) {
        if self.process.down_until.is_none() && !self.is_awake() {
            return;
        }
        self.config.credentials = credentials;
        if self.is_awake() {
            self.checks.reloaded();
            self.input(Input::Reload(Box::new(self.config.clone())));
        }
    }

    /// Without a live session to give up it is a reload of the settings in use.
    fn reconnect(&mut self) {
        if self.is_awake() {
            if !self.gateway.is_ready() {
                self.checks.reloaded();
            }
            self.input(Input::Reconnect);
        }
    }

    pub(super) fn refuse_call(&mut self) {
        let token = self.gateway.token(self.now()).cloned();
        if let Some(token) = token.filter(|_| self.is_awake()) {
            self.input(Input::TokenRefused { token });
        }
    }

    /// A frame that nobody expects. Not a RESUMED while one is expected: it would be believed, and nothing would ever say otherwise.
    fn say_oddly(&mut self, text: &str) {
        if self.gateway.state() != "authenticating" || !text.contains("RESUMED") {
            self.on_live_link(|conn| Input::Frame { conn, text: text.to_owned().into() });
        }
    }

    /// Something that only the driver can bring about on the connection.
    pub(super) fn on_live_link(&mut self, input: impl FnOnce(ConnId) -> Input) {
        let conn = self.network.newest_conn().filter(|conn| self.is_awake() && !self.network.is_abandoned(*conn));
        let is_open = matches!(self.gateway.state(), "awaiting_hello" | "authenticating" | "ready");
        if let Some(conn) = conn.filter(|conn| is_open && self.network.half_open_since(*conn).is_none()) {
            self.input(input(conn));
        }
    }

    /// An event of a connection that was given up may have been on its way to the driver already.
    pub(super) fn haunt(&mut self, ghost: Ghost) {
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

    pub(super) fn end_process(&mut self, ending: Ending, down_ms: u64) {
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
    pub(super) fn go_down(&mut self, ending: Ending, down_ms: u64) {
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

    pub(super) fn come_up(&mut self) {
        self.process.down_until = None;
        self.gateway = begin(&self.config, &self.plants, self.memory.clone(), self.now_ms);
        self.tell(&"a new process");
    }

    pub(super) fn heal(&mut self) {
        // By and by a platform lets go of a link that it hears nothing of; until then it may hand lines to whoever left it long ago.
        for conn in self.network.heal() {
            self.after(0, Arrival::ClosedAtPlatform { conn, code: None });
        }
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
}
