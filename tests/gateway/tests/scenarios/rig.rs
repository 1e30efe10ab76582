//! A platform that behaves unless a scenario says otherwise, and the account that is taken of a client at the end.

use std::collections::BTreeMap;

use auk_gateway::{Close, ConnectFailure, Event, GatewayConfig, Input, Language, Memory, Timestamp};
use auk_gateway_stories::{Asked, HEARTBEAT_MS, Stage, config, profile};
use auk_runtime::log::{EventLog, Hosts, Level, Line};
use serde_json::{Value, json};

/// Each scenario is told with this many seeds, so that no jitter happens to suit it.
pub const SEEDS: std::ops::Range<u64> = 0..20;

/// A moment of a story, from which on to count.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    asked: usize,
    told: usize,
}

/// The begin of the story.
pub const START: Mark = Mark { asked: 0, told: 0 };

/// A client on its stage, the platform, and everything that was asked for and said.
pub struct Rig {
    pub stage: Stage,
    pub platform: Platform,
    asked: Vec<(u64, Asked)>,
    pub told: Vec<(u64, Event)>,
}

/// What the platform knows and says.
pub struct Platform {
    /// Announced by each Hello.
    pub heartbeat_ms: u64,
    /// Announced by each look-up. Large, so that it is the client's own pace which is measured.
    pub max_concurrency: u64,
    /// The session that Identify or Resume last named, and the highest sequence in it.
    pub session: String,
    pub sequence: u64,
    sessions_begun: usize,
    /// What authorizes, and until when.
    tokens: BTreeMap<String, u64>,
    /// Connections asked for so far.
    connections: usize,
    said: Vec<Said>,
}

/// A dispatch, as it left the platform.
struct Said {
    at: u64,
    connection: usize,
    session: String,
    sequence: u64,
}

/// What was sent from one attempt to connect to the next.
#[derive(Debug, Default)]
pub struct Connection {
    pub asked_at: u64,
    pub frames: Vec<(u64, Value)>,
    pub closed: Option<(u64, u16)>,
}

impl Connection {
    /// The authentication frame, if it came to it.
    pub fn authentication(&self) -> Option<&Value> {
        self.frames.iter().map(|(_, frame)| frame).find(|frame| frame["op"] == 2 || frame["op"] == 6)
    }

    /// When heartbeats were sent, and with which sequence.
    pub fn beats(&self) -> Vec<(u64, Option<u64>)> {
        self.frames.iter().filter(|(_, frame)| frame["op"] == 1).map(|(at, frame)| (*at, frame["d"].as_u64())).collect()
    }
}

/// The opcode of a frame that was sent.
pub fn op(asked: &Asked) -> Option<u64> {
    if let Asked::Sent(frame) = asked { frame["op"].as_u64() } else { None }
}

/// The times between one moment and the next.
pub fn gaps(times: &[u64]) -> Vec<u64> {
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

impl Platform {
    fn new(memory: &Memory) -> Self {
        let tokens = memory.token.iter().map(|token| (token.token.authorization(), token.expires.as_ms())).collect();
        Self {
            heartbeat_ms: HEARTBEAT_MS,
            max_concurrency: 16,
            session: memory.session.as_ref().map(|session| session.id.clone()).unwrap_or_default(),
            sequence: 0,
            sessions_begun: 0,
            tokens,
            connections: 0,
            said: Vec::new(),
        }
    }

    /// Does what a platform in good health does at once.
    pub fn answer(&mut self, stage: &mut Stage, asked: &Asked) {
        match asked {
            Asked::Token => self.grant_token(stage, json!(7_200)),
            Asked::Address(_) => stage.grant_address_with(1_000, 86_400_000, self.max_concurrency),
            Asked::Connect => {
                stage.open();
                stage.hello(self.heartbeat_ms);
            }
            Asked::Sent(frame) if frame["op"] == 1 => stage.frame(json!({ "op": 11 })),
            Asked::Sent(frame) if frame["op"] == 2 => self.ready(stage),
            Asked::Sent(frame) => {
                let from = frame["d"]["seq"].as_u64().expect("a Resume has a sequence");
                self.replay(stage, from + 1..=self.sequence);
                self.resumed(stage, json!(""));
            }
            Asked::Closed(_) => {}
        }
    }

    /// Grants a token that was never granted before, with any `expires_in`.
    pub fn grant_token(&mut self, stage: &mut Stage, expires_in: Value) {
        let token = format!("CANARY-{}", self.tokens.len());
        let life_s = expires_in.as_u64().unwrap_or(7_200).clamp(1, 7_200);
        self.note_token(&token, stage.now_ms() + life_s * 1_000);
        stage.answer_token(200, json!({ "access_token": token, "expires_in": expires_in }));
    }

    /// Takes note of a token that a scenario grants by itself.
    pub fn note_token(&mut self, token: &str, expires: u64) {
        self.tokens.insert(format!("QQBot {token}"), expires);
    }

    /// READY of a new session.
    pub fn ready(&mut self, stage: &mut Stage) {
        self.sessions_begun += 1;
        self.session = format!("session-{}", self.sessions_begun);
        self.sequence = 1;
        self.note(stage, 1);
        stage.ready_as(&self.session);
    }

    /// RESUMED, numbered, with any body.
    pub fn resumed(&mut self, stage: &mut Stage, d: Value) {
        self.sequence += 1;
        let sequence = self.sequence;
        self.dispatch(stage, sequence, json!({ "op": 0, "s": sequence, "t": "RESUMED", "d": d }));
    }

    /// A message, numbered and said.
    pub fn probe(&mut self, stage: &mut Stage) {
        self.sequence += 1;
        self.replay(stage, self.sequence..=self.sequence);
    }

    /// Messages that have these numbers.
    pub fn replay(&mut self, stage: &mut Stage, sequences: impl Iterator<Item = u64>) {
        for sequence in sequences {
            self.note(stage, sequence);
            stage.dispatch(sequence);
        }
    }

    /// Any dispatch of the session.
    pub fn dispatch(&mut self, stage: &mut Stage, sequence: u64, frame: Value) {
        self.note(stage, sequence);
        stage.frame(frame);
    }

    fn note(&mut self, stage: &Stage, sequence: u64) {
        let (at, connection, session) = (stage.now_ms(), self.connections, self.session.clone());
        self.said.push(Said { at, connection, session, sequence });
    }
}

/// The connection is reset.
pub fn reset(stage: &mut Stage) {
    let conn = stage.conn();
    stage.input(Input::Closed { conn, close: Close::Transport(ConnectFailure::Other) });
}

impl Rig {
    /// A client at the scenarios' pace that has just begun.
    pub fn new(seed: u64, change: impl FnOnce(&mut GatewayConfig)) -> Self {
        Self::restored(seed, change, Memory::default(), 0)
    }

    /// One that goes on where another process left off.
    pub fn restored(seed: u64, change: impl FnOnce(&mut GatewayConfig), memory: Memory, now_ms: u64) -> Self {
        let mut config = config();
        (config.seed, config.pace) = (seed, profile());
        change(&mut config);
        let platform = Platform::new(&memory);
        Self { stage: Stage::restored(config, memory, now_ms), platform, asked: Vec::new(), told: Vec::new() }
    }

    /// A client that is ready in its first session, all prompt.
    pub fn base(seed: u64) -> Self {
        let mut rig = Self::new(seed, |_| {});
        rig.play_for(0);
        assert!(rig.stage.gateway.is_ready());
        rig
    }

    /// Lets time pass while the platform is in good health.
    pub fn play_for(&mut self, ms: u64) {
        self.play_for_with(ms, Platform::answer);
    }

    /// Lets time pass while the platform does what the scenario says.
    pub fn play_for_with(&mut self, ms: u64, mut script: impl FnMut(&mut Platform, &mut Stage, &Asked)) {
        let Self { stage, platform, asked: log, told } = self;
        stage.play_until(stage.now_ms() + ms, |stage, at, asked| {
            platform.connections += usize::from(asked == Asked::Connect);
            script(platform, stage, &asked);
            log.push((at, asked));
        });
        told.extend(stage.take_told());
    }

    /// Now.
    pub fn mark(&self) -> Mark {
        Mark { asked: self.asked.len(), told: self.told.len() }
    }

    /// What was asked for since a mark.
    pub fn asked_since(&self, mark: Mark) -> &[(u64, Asked)] {
        &self.asked[mark.asked..]
    }

    /// When something was asked for since a mark.
    pub fn times(&self, mark: Mark, wanted: impl Fn(&Asked) -> bool) -> Vec<u64> {
        self.asked_since(mark).iter().filter(|(_, asked)| wanted(asked)).map(|(at, _)| *at).collect()
    }

    /// When frames with this opcode were sent since a mark.
    pub fn sent(&self, mark: Mark, opcode: u64) -> Vec<u64> {
        self.times(mark, |asked| op(asked) == Some(opcode))
    }

    /// When connections were asked for since a mark.
    pub fn connects(&self, mark: Mark) -> Vec<u64> {
        self.times(mark, |asked| *asked == Asked::Connect)
    }

    /// When tokens were asked for since a mark.
    pub fn token_requests(&self, mark: Mark) -> Vec<u64> {
        self.times(mark, |asked| *asked == Asked::Token)
    }

    /// When the address was asked for since a mark.
    pub fn look_ups(&self, mark: Mark) -> Vec<u64> {
        self.times(mark, |asked| matches!(asked, Asked::Address(_)))
    }

    /// What the owner was told since a mark.
    pub fn told_since(&self, mark: Mark) -> Vec<&Event> {
        self.told[mark.told..].iter().map(|(_, event)| event).collect()
    }

    /// The sequences delivered since a mark.
    pub fn delivered(&self, mark: Mark) -> Vec<u64> {
        self.told_since(mark).into_iter().filter_map(|e| if let Event::Dispatch(d) = e { d.sequence } else { None }).collect()
    }

    /// When a session was ready, new or resumed, since a mark.
    pub fn online_at(&self, mark: Mark) -> Vec<u64> {
        let online = |event: &Event| matches!(event, Event::Ready { .. } | Event::Resumed { .. });
        self.told[mark.told..].iter().filter(|(_, event)| online(event)).map(|(at, _)| *at).collect()
    }

    /// The lines of the log at its normal level.
    pub fn lines(&self) -> Vec<(u64, Line)> {
        let mut log = EventLog::new(Language::EnUs, Hosts::default());
        let lines = self.told.iter().filter_map(|(at, event)| Some((*at, log.note(event, Timestamp::from_ms(*at))?)));
        lines.filter(|(_, line)| matches!(line.level, Level::Warn | Level::Info)).collect()
    }

    /// What was sent, by connection.
    pub fn connections(&self) -> Vec<Connection> {
        let mut connections: Vec<Connection> = Vec::new();
        for (at, asked) in &self.asked {
            match asked {
                Asked::Connect => connections.push(Connection { asked_at: *at, ..Connection::default() }),
                Asked::Sent(frame) => {
                    let connection = connections.last_mut().expect("frames need a connection");
                    assert_eq!(connection.closed, None, "{frame} on a connection that was given up");
                    connection.frames.push((*at, frame.clone()));
                }
                Asked::Closed(code) => connections.last_mut().expect("a close needs a connection").closed = Some((*at, *code)),
                Asked::Token | Asked::Address(_) => {}
            }
        }
        connections
    }

    /// A second of quiet, and a message that is delivered as it comes; then the account.
    pub fn ends_online(&mut self) {
        self.play_for(1_000);
        let mark = self.mark();
        assert!(self.stage.gateway.is_ready(), "{}", self.stage.state());
        self.platform.probe(&mut self.stage);
        self.play_for(0);
        assert_eq!(self.delivered(mark), [self.platform.sequence]);
        self.keeps_the_invariants();
    }

    /// What holds in every scenario.
    pub fn keeps_the_invariants(&self) {
        let connections = self.connections();
        self.one_connection_at_a_time(&connections);
        for (number, connection) in connections.iter().enumerate() {
            self.authenticates_once_and_first(connection);
            self.beats_with_the_highest_sequence(number + 1, connection);
        }
        self.delivers_once_and_in_order();
        let told = format!("{:?}", self.told);
        assert!(!told.contains("CANARY") && !told.contains("very-secret"), "{told}");
    }

    /// Each connection after the first is preceded by the end of the one before it.
    fn one_connection_at_a_time(&self, connections: &[Connection]) {
        let is_end = |event: &Event| matches!(event, Event::Lost { .. } | Event::Halted { .. });
        let ends: Vec<u64> = self.told.iter().filter(|(_, event)| is_end(event)).map(|(at, _)| *at).collect();
        for (end, connection) in ends.iter().zip(connections.iter().skip(1)) {
            assert!(*end <= connection.asked_at, "a connection at {} ms before the end at {end} ms", connection.asked_at);
        }
        assert!(connections.len() <= ends.len() + 1, "{} connections, {} ends", connections.len(), ends.len());
    }

    fn authenticates_once_and_first(&self, connection: &Connection) {
        for (index, (at, frame)) in connection.frames.iter().enumerate() {
            let authenticates = frame["op"] == 2 || frame["op"] == 6;
            assert_eq!(authenticates, index == 0, "{connection:?}");
            if authenticates {
                let token = frame["d"]["token"].as_str().expect("a token");
                let expires = self.platform.tokens.get(token).unwrap_or_else(|| panic!("{token} was never granted"));
                assert!(at < expires, "{token} at {at} ms, expired at {expires} ms");
            }
        }
    }

    fn beats_with_the_highest_sequence(&self, number: usize, connection: &Connection) {
        let Some(authentication) = connection.authentication() else { return };
        let begun = self.platform.said.iter().find(|said| said.connection == number).map(|said| said.session.as_str());
        let session = authentication["d"]["session_id"].as_str().or(begun);
        let resumed_from = authentication["d"]["seq"].as_u64();
        for (at, sequence) in connection.beats() {
            let said = || self.platform.said.iter().filter(|said| Some(said.session.as_str()) == session && said.connection <= number);
            let before = said().filter(|said| said.at < at).map(|said| said.sequence).max().max(resumed_from);
            let until = said().filter(|said| said.at <= at).map(|said| said.sequence).max().max(resumed_from);
            assert!(before <= sequence && sequence <= until, "{sequence:?} at {at} ms is not within {before:?} and {until:?}");
        }
    }

    fn delivers_once_and_in_order(&self) {
        let mut last = 0;
        for (at, event) in &self.told {
            match event {
                Event::Ready { .. } => last = 0,
                Event::Dispatch(dispatch) => {
                    let sequence = dispatch.sequence.expect("the platform numbers what it says");
                    assert!(sequence > last, "{sequence} after {last} at {at} ms");
                    last = sequence;
                }
                Event::Resumed { .. }
                | Event::Lost { .. }
                | Event::SetBack { .. }
                | Event::Halted { .. }
                | Event::Contested { .. }
                | Event::Renewed
                | Event::OddHello
                | Event::UnreadableFrame { .. }
                | Event::Stopped => {}
            }
        }
    }
}
