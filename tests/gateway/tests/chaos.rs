//! Inputs in any order, at any time, with ids of the past: the promises that hold whatever happens.

use auk_gateway::{
    AccessToken, Close, ConnId, ConnectFailure, Effect, Event, Gateway, HttpAnswer, HttpFailure, Input, Language, RequestId, Timestamp,
};
use auk_gateway_stories::config;
use serde_json::{Value, json};

/// Enough to reach every state many times; a second of work.
const SEEDS: u64 = 400;
const STEPS: usize = 600;
const READY: &str = r#"{"op":0,"s":1,"t":"READY","d":{"session_id":"s"}}"#;

#[test]
fn whatever_happens_attempts_stay_within_their_bound_and_something_is_always_due() {
    let mut readies = 0;
    for seed in 0..SEEDS {
        let mut world = World::new(seed);
        for _ in 0..STEPS {
            world.step();
        }
        readies += world.readies;
    }
    assert!(readies > SEEDS * 5, "the walk reaches sessions at all: {readies}");
}

struct World {
    seed: u64,
    chance: fastrand::Rng,
    gateway: Gateway,
    now_ms: u64,
    requests: Vec<(RequestId, bool)>,
    conns: Vec<ConnId>,
    /// The connection that may be used, and whether its Hello was said.
    live: Option<(ConnId, bool)>,
    connects: Vec<u64>,
    sequence: u64,
    readies: u64,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut config = config();
        config.seed = seed;
        let gateway = Gateway::new(config, Timestamp::from_ms(0));
        let chance = fastrand::Rng::with_seed(seed);
        let mut world = Self {
            seed,
            chance,
            gateway,
            now_ms: 0,
            requests: vec![],
            conns: vec![],
            live: None,
            connects: vec![],
            sequence: 0,
            readies: 0,
        };
        world.drain();
        world
    }

    fn step(&mut self) {
        let due = self.gateway.poll_timeout().map(Timestamp::as_ms).expect("something is always due before the end");
        let input = if self.chance.u8(0..10) < 6 { self.helpful_input() } else { self.any_input() };
        match input {
            Some(input) if self.chance.u8(0..4) > 0 => {
                self.now_ms += self.chance.u64(0..200);
                self.gateway.handle_input(input, Timestamp::from_ms(self.now_ms));
            }
            Some(_) | None => {
                self.now_ms = self.now_ms.max(due) + self.chance.u64(0..5);
                self.gateway.handle_timeout(Timestamp::from_ms(self.now_ms));
            }
        }
        self.drain();
    }

    /// What leads towards a session from where it is, so that the walk gets far.
    fn helpful_input(&mut self) -> Option<Input> {
        let token = json!({ "access_token": format!("fresh-{}", self.now_ms), "expires_in": 7_200 });
        let address = json!({ "url": "wss://gateway.example/websocket" });
        let granted = |body: Value| HttpAnswer::Received { status: 200, body: body.to_string(), retry_after_ms: None };
        let newest = |is_token| self.requests.iter().rev().find(|(_, token)| *token == is_token).map(|(request, _)| *request);
        let conn = self.conns.last().copied();
        match self.gateway.status(Language::EnUs, Timestamp::from_ms(self.now_ms)).state {
            "awaiting_token" => Some(Input::TokenAnswered { request: newest(true)?, answer: granted(token) }),
            "awaiting_address" => Some(Input::AddressAnswered { request: newest(false)?, answer: granted(address) }),
            "connecting" => Some(Input::Opened { conn: conn? }),
            "awaiting_hello" => {
                self.live = Some((conn?, true));
                Some(Input::Frame { conn: conn?, text: json!({ "op": 10, "d": { "heartbeat_interval": 45_000 } }).to_string().into() })
            }
            "authenticating" => Some(Input::Frame { conn: conn?, text: READY.to_owned().into() }),
            _ => None,
        }
    }

    /// Anything, sometimes with an id of the past.
    fn any_input(&mut self) -> Option<Input> {
        let newest = self.chance.u8(0..5) > 0;
        let pick = |len: usize, chance: &mut fastrand::Rng| if newest { len - 1 } else { chance.usize(0..len) };
        Some(match self.chance.u8(0..12) {
            0..3 => {
                let index = pick(self.requests.len(), &mut self.chance);
                let (request, is_token) = self.requests[index];
                let answer = self.any_answer(is_token);
                if is_token { Input::TokenAnswered { request, answer } } else { Input::AddressAnswered { request, answer } }
            }
            3 if !self.conns.is_empty() => Input::Opened { conn: self.conns[pick(self.conns.len(), &mut self.chance)] },
            4..9 if !self.conns.is_empty() => {
                let conn = self.conns[pick(self.conns.len(), &mut self.chance)];
                let frame = self.any_frame();
                if frame["op"] == 10 && self.live.is_some_and(|(live, _)| live == conn) {
                    self.live = Some((conn, true));
                }
                Input::Frame { conn, text: frame.to_string().into() }
            }
            9 if !self.conns.is_empty() => {
                let conn = self.conns[pick(self.conns.len(), &mut self.chance)];
                let codes =
                    [None, Some(1000), Some(4004), Some(4006), Some(4008), Some(4009), Some(4014), Some(4902), Some(4915), Some(4777)];
                Input::Closed { conn, close: Close::Code(codes[self.chance.usize(0..codes.len())]) }
            }
            10 if !self.conns.is_empty() => {
                let conn = self.conns[pick(self.conns.len(), &mut self.chance)];
                Input::ConnectFailed { conn, failure: ConnectFailure::Refused }
            }
            11 if self.chance.u8(0..10) == 0 => Input::Reload(Box::new(config())),
            11 if self.chance.u8(0..10) == 0 => Input::Reconnect,
            11 => Input::TokenRefused { token: AccessToken::new(format!("t{}", self.now_ms / 100_000)) },
            _ => return None,
        })
    }

    fn any_answer(&mut self, is_token: bool) -> HttpAnswer {
        let body = match self.chance.u8(0..10) {
            0 => return HttpAnswer::Failed(HttpFailure::Timeout),
            1 => json!({ "code": 100_017 }),
            2 => json!({ "code": 11_244 }),
            3 if self.chance.bool() => json!({ "code": 100_016 }),
            _ if is_token => json!({ "access_token": format!("t{}", self.now_ms / 100_000), "expires_in": self.chance.u64(0..7_300) }),
            _ => json!({ "url": "wss://gateway.example/websocket" }),
        };
        HttpAnswer::Received { status: if self.chance.u8(0..8) == 0 { 401 } else { 200 }, body: body.to_string(), retry_after_ms: None }
    }

    fn any_frame(&mut self) -> Value {
        self.sequence += 1;
        match self.chance.u8(0..12) {
            0..3 => json!({ "op": 10, "d": { "heartbeat_interval": self.chance.u64(500..60_000) } }),
            3..7 => json!({ "op": 0, "s": self.sequence, "t": "RESUMED", "d": "" }),
            7 => json!({ "op": 0, "s": self.chance.u64(0..self.sequence), "t": "X", "d": {} }),
            8 => json!({ "op": 7 }),
            9 => json!({ "op": 9, "d": self.chance.bool() }),
            10 => json!({ "op": 1 }),
            _ => json!({ "op": 11 }),
        }
    }

    fn drain(&mut self) {
        while let Some(effect) = self.gateway.poll_effect() {
            match effect {
                Effect::FetchToken { request, .. } => self.requests.push((request, true)),
                Effect::FetchAddress { request, .. } => self.requests.push((request, false)),
                Effect::Connect { conn, .. } => {
                    assert!(self.conns.last().is_none_or(|last| *last < conn), "ids only grow, seed {}", self.seed);
                    self.conns.push(conn);
                    self.live = Some((conn, false));
                    self.connects.push(self.now_ms);
                    self.assert_within_bound();
                }
                Effect::Send { conn, .. } => {
                    assert_eq!(self.live, Some((conn, true)), "nothing before Hello, nothing on an old connection, seed {}", self.seed);
                }
                Effect::Close { conn, .. } => {
                    assert_eq!(self.live.map(|(live, _)| live), Some(conn), "only the live connection is closed, seed {}", self.seed);
                    self.live = None;
                }
                Effect::Remember(_) => {}
            }
        }
        while let Some(event) = self.gateway.poll_event() {
            self.readies += u64::from(matches!(event, Event::Ready { .. }));
            assert!(!matches!(event, Event::Stopped), "nobody asked it to stop");
        }
    }

    /// In any span at most 35 + span / 15 s; it is enough to look at the spans that end here.
    fn assert_within_bound(&self) {
        for (count, first) in self.connects.iter().rev().enumerate() {
            let span_ms = self.now_ms - first;
            assert!((count as u64) < 35 + span_ms / 15_000, "{} attempts in {span_ms} ms, seed {}", count + 1, self.seed);
        }
    }
}
