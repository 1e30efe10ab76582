//! A stage for the pure gateway: it keeps the time, plays the driver and the platform, and notes what was asked for and when.

pub mod cases;
mod profile;
mod simulation;
pub mod storm_table;

pub use profile::{HEARTBEAT_MS, profile};
pub use simulation::{Attempts, Course, Coverage, INPUTS, Promise, Report, STATES, Simulation, Storm, Violation, unreachable};

use auk_gateway::{
    AccessToken, AddressEndpoint, Close, ConnId, ConnectFailure, Credentials, Effect, Event, Gateway, GatewayConfig, HttpAnswer, Input,
    Language, Memory, RequestId, Timestamp,
};
use serde_json::{Value, json};

/// The address that the stage's platform hands out.
pub const URL: &str = "wss://gateway.example/websocket";

/// What the gateway asked for, in short.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// A token request.
    Token,
    /// An address look-up.
    Address(AddressEndpoint),
    /// A connection to [`URL`].
    Connect,
    /// A frame, read back.
    Sent(Value),
    /// A close with this code.
    Closed(u16),
}

/// A gateway, its clock, and everything that it has asked for and said.
pub struct Stage {
    /// The machine itself.
    pub gateway: Gateway,
    /// What a store would have kept.
    pub memory: Memory,
    now_ms: u64,
    asked: Vec<(u64, Asked)>,
    told: Vec<(u64, Event)>,
    request: Option<RequestId>,
    conn: Option<ConnId>,
}

impl Stage {
    /// A gateway with shipped settings at time 0.
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// A gateway with changed settings at time 0.
    pub fn with(change: impl FnOnce(&mut GatewayConfig)) -> Self {
        let mut config = config();
        change(&mut config);
        Self::restored(config, Memory::default(), 0)
    }

    /// A gateway with what an earlier process left, at `now_ms`.
    pub fn restored(config: GatewayConfig, memory: Memory, now_ms: u64) -> Self {
        let gateway = Gateway::restore(config, memory.clone(), Timestamp::from_ms(now_ms));
        let mut stage = Self { gateway, memory, now_ms, asked: Vec::new(), told: Vec::new(), request: None, conn: None };
        stage.drain();
        stage
    }

    /// A gateway that is ready in session `s1` with sequence 1, heartbeat interval 45 s, at time 0, with everything asked for taken.
    pub fn ready() -> Self {
        let mut stage = Self::new();
        stage.begin();
        stage.ready_as("s1");
        stage.take_asked();
        stage.take_told();
        stage
    }

    /// From the start to Hello, with token `t1` and a heartbeat interval of 45 s.
    pub fn begin(&mut self) {
        self.grant_token("t1");
        self.grant_address();
        self.open();
        self.hello(45_000);
    }

    /// The current time in ms.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Lets time pass, doing what is due on the way, until `ms`.
    pub fn run_until(&mut self, ms: u64) {
        while let Some(due) = self.gateway.poll_timeout().map(Timestamp::as_ms).filter(|due| *due <= ms) {
            let before = (self.now_ms, self.asked.len(), self.told.len());
            self.now_ms = self.now_ms.max(due);
            self.gateway.handle_timeout(Timestamp::from_ms(self.now_ms));
            self.drain();
            let stuck = before == (self.now_ms, self.asked.len(), self.told.len());
            assert!(!(stuck && self.gateway.poll_timeout().map(Timestamp::as_ms) == Some(due)), "a deadline at {due} ms never passes");
        }
        self.now_ms = ms;
    }

    /// Lets time pass, doing what is due on the way.
    pub fn run_for(&mut self, ms: u64) {
        self.run_until(self.now_ms + ms);
    }

    /// Plays a platform that answers everything asked for with `react` at once, until `end_ms`.
    pub fn play_until(&mut self, end_ms: u64, mut react: impl FnMut(&mut Stage, u64, Asked)) {
        loop {
            let asked = self.take_asked();
            if !asked.is_empty() {
                asked.into_iter().for_each(|(at, asked)| react(self, at, asked));
                continue;
            }
            match self.gateway.poll_timeout().map(Timestamp::as_ms).filter(|due| *due <= end_ms) {
                Some(due) => self.run_until(due.max(self.now_ms)),
                None => return self.now_ms = end_ms,
            }
        }
    }

    /// Lets time pass while the platform acknowledges each heartbeat and renews each token at once. What was asked for is kept.
    pub fn live_for(&mut self, ms: u64) {
        let mut kept = self.take_asked();
        self.play_until(self.now_ms + ms, |stage, at, asked| {
            match &asked {
                Asked::Token => stage.grant_token(&format!("t-{at}")),
                Asked::Sent(frame) if frame["op"] == 1 => stage.frame(json!({ "op": 11 })),
                Asked::Address(_) | Asked::Connect | Asked::Sent(_) | Asked::Closed(_) => {}
            }
            kept.push((at, asked));
        });
        self.asked = kept;
    }

    /// Hands any input in.
    pub fn input(&mut self, input: Input) {
        self.gateway.handle_input(input, Timestamp::from_ms(self.now_ms));
        self.drain();
    }

    /// The token endpoint answers the request under way with a token of two hours.
    pub fn grant_token(&mut self, token: &str) {
        self.answer_token(200, json!({ "access_token": token, "expires_in": "7200" }));
    }

    /// Some call was refused for the sake of this token.
    pub fn refuse_token(&mut self, token: &str) {
        self.input(Input::TokenRefused { token: AccessToken::new(token) });
    }

    /// The token endpoint answers.
    pub fn answer_token(&mut self, status: u16, body: Value) {
        let request = self.request.take().expect("a token request is under way");
        self.input(Input::TokenAnswered { request, answer: answer(status, &body) });
    }

    /// The look-up under way is granted.
    pub fn grant_address(&mut self) {
        self.grant_address_with(1_000, 86_400_000, 1);
    }

    /// The look-up under way is granted, with this session start limit.
    pub fn grant_address_with(&mut self, remaining: u64, reset_after_ms: u64, max_concurrency: u64) {
        let limit = json!({ "total": 1000, "remaining": remaining, "reset_after": reset_after_ms, "max_concurrency": max_concurrency });
        self.answer_address(200, json!({ "url": URL, "shards": 1, "session_start_limit": limit }));
    }

    /// The look-up under way is answered.
    pub fn answer_address(&mut self, status: u16, body: Value) {
        let request = self.request.take().expect("a look-up is under way");
        self.input(Input::AddressAnswered { request, answer: answer(status, &body) });
    }

    /// The connection under way is open.
    pub fn open(&mut self) {
        let conn = self.conn();
        self.input(Input::Opened { conn });
    }

    /// The connection under way cannot be made.
    pub fn refuse_connection(&mut self) {
        let conn = self.conn();
        self.input(Input::ConnectFailed { conn, failure: ConnectFailure::Refused });
    }

    /// The platform says a frame.
    pub fn frame(&mut self, frame: Value) {
        let conn = self.conn();
        self.input(Input::Frame { conn, text: frame.to_string().into() });
    }

    /// Hello.
    pub fn hello(&mut self, heartbeat_interval_ms: u64) {
        self.frame(json!({ "op": 10, "d": { "heartbeat_interval": heartbeat_interval_ms } }));
    }

    /// READY of a new session, with sequence 1.
    pub fn ready_as(&mut self, session: &str) {
        let d = json!({ "version": 1, "session_id": session, "user": { "id": "42", "username": "auk", "bot": true }, "shard": [0, 0] });
        self.frame(json!({ "op": 0, "s": 1, "t": "READY", "d": d }));
    }

    /// RESUMED with the given sequence.
    pub fn resumed(&mut self, sequence: u64) {
        self.frame(json!({ "op": 0, "s": sequence, "t": "RESUMED", "d": "" }));
    }

    /// A group message with the given sequence.
    pub fn dispatch(&mut self, sequence: u64) {
        let d = json!({ "id": format!("m{sequence}"), "content": " hi" });
        self.frame(
            json!({ "op": 0, "s": sequence, "t": "GROUP_AT_MESSAGE_CREATE", "id": format!("GROUP_AT_MESSAGE_CREATE:{sequence}"), "d": d }),
        );
    }

    /// The platform closes the connection.
    pub fn close(&mut self, code: Option<u16>) {
        let conn = self.conn();
        self.input(Input::Closed { conn, close: Close::Code(code) });
    }

    /// The newest connection.
    pub fn conn(&self) -> ConnId {
        self.conn.expect("a connection was asked for")
    }

    /// The HTTP exchange under way.
    pub fn request(&self) -> RequestId {
        self.request.expect("an exchange is under way")
    }

    /// From a connection that was just asked for to RESUMED with this sequence.
    pub fn come_back_by_resume(&mut self, sequence: u64) {
        self.open();
        self.hello(45_000);
        self.resumed(sequence);
    }

    /// What was asked for since the last call, with times in ms.
    pub fn take_asked(&mut self) -> Vec<(u64, Asked)> {
        std::mem::take(&mut self.asked)
    }

    /// What was said since the last call, with times in ms.
    pub fn take_told(&mut self) -> Vec<(u64, Event)> {
        std::mem::take(&mut self.told)
    }

    /// The sequences delivered since the last look at what was said.
    pub fn take_delivered(&mut self) -> Vec<u64> {
        let told = self.take_told();
        told.into_iter().filter_map(|(_, event)| if let Event::Dispatch(dispatch) = event { dispatch.sequence } else { None }).collect()
    }

    /// How often the gateway asked for a thing since the last call of [`Stage::take_asked`].
    pub fn count(&self, wanted: impl Fn(&Asked) -> bool) -> usize {
        self.asked.iter().filter(|(_, asked)| wanted(asked)).count()
    }

    /// The state's name.
    pub fn state(&self) -> &'static str {
        self.gateway.status(Language::EnUs, Timestamp::from_ms(self.now_ms)).state
    }

    fn drain(&mut self) {
        while let Some(effect) = self.gateway.poll_effect() {
            let asked = match effect {
                Effect::FetchToken { request, .. } => {
                    self.request = Some(request);
                    Asked::Token
                }
                Effect::FetchAddress { request, endpoint, .. } => {
                    self.request = Some(request);
                    Asked::Address(endpoint)
                }
                Effect::Connect { conn, url } => {
                    assert_eq!(url, URL);
                    self.conn = Some(conn);
                    Asked::Connect
                }
                Effect::Send { text, .. } => Asked::Sent(serde_json::from_str(text.as_text()).expect("frames are JSON")),
                Effect::Close { code, .. } => Asked::Closed(code),
                Effect::Remember(memo) => {
                    self.memory.note(memo);
                    continue;
                }
            };
            self.asked.push((self.now_ms, asked));
        }
        while let Some(event) = self.gateway.poll_event() {
            self.told.push((self.now_ms, event));
        }
    }
}

impl Default for Stage {
    fn default() -> Self {
        Self::new()
    }
}

/// Shipped settings for the stage's bot.
pub fn config() -> GatewayConfig {
    GatewayConfig::new(Credentials::new("102000001", "very-secret").expect("both parts are well formed"))
}

/// An HTTP answer with a JSON body.
pub fn answer(status: u16, body: &Value) -> HttpAnswer {
    HttpAnswer::Received { status, body: body.to_string(), retry_after_ms: None }
}

/// The Identify that the stage expects for a token.
pub fn identify(token: &str) -> Asked {
    Asked::Sent(json!({ "op": 2, "d": { "token": format!("QQBot {token}"), "intents": 1 << 25, "shard": [0, 1] } }))
}

/// The Resume that the stage expects.
pub fn resume(token: &str, session: &str, sequence: u64) -> Asked {
    Asked::Sent(json!({ "op": 6, "d": { "token": format!("QQBot {token}"), "session_id": session, "seq": sequence } }))
}
