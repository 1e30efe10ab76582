//! What goes back and forth between the gateway, the network and the platform.

use auk_gateway::{BodyCodes, Close, ConnId, ConnectFailure, Credentials, Effect, Event, HttpAnswer, HttpFailure, Input};
use auk_runtime::log::Level;
use auk_simulator::Settings;
use auk_simulator::model::{Action, OpenPlatform, Upgrade};

use super::network::{self, Arrival};
use super::violation::Promise;
use super::{CHAT, GROUP, Simulation, coverage};

impl Simulation {
    pub(super) fn after(&mut self, delay_ms: u64, arrival: Arrival) {
        self.arrivals_made += 1;
        self.arrivals.insert((self.now_ms + delay_ms, self.arrivals_made), (self.process.number, arrival));
    }

    /// What the platform does reaches the client after the network's delay, in order, if at all.
    pub(super) fn perform(&mut self, actions: Vec<Action>) {
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

    pub(super) fn arrive(&mut self, process: u64, arrival: Arrival) {
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
                // A body that is empty or garbage does not tell its code.
                let is_told = BodyCodes::read(&String::from_utf8_lossy(&answer.body)).name().is_some();
                if process == self.process.number && is_told {
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

    pub(super) fn upgrade(&mut self, conn: ConnId) {
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

    pub(super) fn answer(&mut self, process: u64, delay_ms: u64, input: Input) {
        if let Some(network_ms) = self.network.delay_of_http()
            && process == self.process.number
        {
            self.after(delay_ms + network_ms, Arrival::ToGateway(input));
        }
    }

    pub(super) fn arrive_at_client(&mut self, action: Action) {
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
    pub(super) fn input(&mut self, input: Input) {
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
            | Input::Reconnect
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

    pub(super) fn drain(&mut self) {
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
    pub(super) fn log(&mut self, event: &Event) {
        let Some(line) = self.log.note(event, self.now()).filter(|line| line.level <= Level::Info) else { return };
        self.logged += 1;
        let text = line.to_string();
        let settings = Settings::default();
        let secrets = [CHAT, GROUP, settings.secret.as_str()].into_iter().chain(self.checks.tokens.secrets());
        let confided = secrets.filter(|secret| text.contains(secret)).count();
        self.checks.expect(confided == 0, Promise::NothingConfided, || "a line with a secret in it".to_owned());
    }

    pub(super) fn perform_effect(&mut self, effect: Effect) {
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

    pub(super) fn ask(&mut self, ask: Arrival, input: impl FnOnce(HttpAnswer) -> Input) {
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

pub(super) fn received(status: u16, body: &[u8]) -> HttpAnswer {
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
