use std::collections::{BTreeMap, BTreeSet};

use auk_gateway::{AccessToken, CallRefusal, ConnId, Dispatch, Effect, Event, Input, LossCause, RequestId, judge_call};
use auk_simulator::model::ConnId as PlatformConn;
use serde_json::Value;

use super::faults::Fault;
use super::network::Network;

/// The promises of the gateway, each checked where it could be broken. A broken one panics with the seed.
pub(super) struct Checks {
    seed: u64,
    steps_in_this_ms: u32,
    connects: Vec<u64>,
    look_ups: Vec<u64>,
    token_requests: Vec<u64>,
    identifies: Vec<u64>,
    /// The client's one connection, and what was sent on it.
    link: Option<ClientLink>,
    open_at_platform: BTreeSet<PlatformConn>,
    /// When the platform said that a token is dead, by its authorization.
    refused_tokens: BTreeMap<String, u64>,
    refusals_on_their_way: BTreeMap<RequestId, String>,
    session: Option<Session>,
    /// After "invalid session" the next authentication is an Identify.
    must_identify: bool,
    operator_faults: bool,
    token_killed: bool,
    reordered: bool,
    ready_count: u64,
    delivered_ids: BTreeSet<String>,
    calm: Option<Calm>,
}

/// The time after the last fault.
struct Calm {
    since: u64,
    said: BTreeMap<String, u64>,
}

struct ClientLink {
    conn: ConnId,
    hello: bool,
    authentications: u32,
    authorization: Option<String>,
}

struct Session {
    id: String,
    highest: u64,
    delivered: BTreeSet<u64>,
}

/// The longest life of a half-open link: intervals are 45 s (an odd Hello makes it 41.25 s), two beats, ten seconds for an answer to the
/// second, and what was on its way. Before READY the deadlines of the handshake are shorter.
const HALF_OPEN_MS_MAX: u64 = 45_000 + 45_000 + 10_000 + 2_000;
/// A refused token is not used again for ten minutes.
const REFUSED_MS: u64 = 600_000;

impl Checks {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            steps_in_this_ms: 0,
            connects: Vec::new(),
            look_ups: Vec::new(),
            token_requests: Vec::new(),
            identifies: Vec::new(),
            link: None,
            open_at_platform: BTreeSet::new(),
            refused_tokens: BTreeMap::new(),
            refusals_on_their_way: BTreeMap::new(),
            session: None,
            must_identify: false,
            operator_faults: false,
            token_killed: false,
            reordered: false,
            ready_count: 0,
            delivered_ids: BTreeSet::new(),
            calm: None,
        }
    }

    pub(super) fn connects(&self) -> u64 {
        self.connects.len() as u64
    }

    pub(super) fn readies(&self) -> u64 {
        self.ready_count
    }

    pub(super) fn delivered(&self) -> u64 {
        self.delivered_ids.len() as u64
    }

    /// No busy loop: many steps without time passing.
    pub(super) fn time_passes(&mut self, now_ms: u64, next_ms: u64, steps_max: u32) {
        self.steps_in_this_ms = if next_ms > now_ms { 0 } else { self.steps_in_this_ms + 1 };
        assert!(self.steps_in_this_ms < steps_max, "seed {}: a busy loop at {now_ms} ms", self.seed);
    }

    pub(super) fn fault(&mut self, fault: &Fault) {
        self.operator_faults |= fault.is_for_operator();
        self.token_killed |= fault.kills_token();
        self.reordered |= fault.reorders();
        if fault.reloads() {
            // The operator asked for a try with everything, refused tokens included.
            self.refused_tokens.clear();
        }
    }

    pub(super) fn effect(&mut self, effect: &Effect, network: &Network, now_ms: u64) {
        let seed = self.seed;
        match effect {
            Effect::FetchToken { .. } => within(seed, "token requests", &mut self.token_requests, (10, 60_000), now_ms),
            Effect::FetchAddress { token, .. } => {
                within(seed, "look-ups", &mut self.look_ups, (2, 60_000), now_ms);
                self.token_is_good(&token.authorization(), now_ms);
            }
            Effect::Connect { conn, .. } => {
                within(seed, "connects", &mut self.connects, (20, 15_000), now_ms);
                assert!(self.link.is_none(), "seed {seed}: a second connection at {now_ms} ms");
                self.link = Some(ClientLink { conn: *conn, hello: false, authentications: 0, authorization: None });
            }
            Effect::Send { conn, text } => {
                assert!(!network.is_abandoned(*conn), "seed {seed}: a frame on an old connection at {now_ms} ms");
                self.frame_goes_out(*conn, text.as_text(), now_ms);
            }
            Effect::Close { conn, .. } => {
                if self.link.as_ref().is_some_and(|link| link.conn == *conn) {
                    self.link = None;
                }
            }
        }
    }

    fn frame_goes_out(&mut self, conn: ConnId, text: &str, now_ms: u64) {
        let seed = self.seed;
        let frame: Value = serde_json::from_str(text).expect("frames are JSON");
        let link = self.link.as_mut().filter(|link| link.conn == conn).expect("a frame goes out on the one connection");
        assert!(link.hello, "seed {seed}: a frame before Hello at {now_ms} ms");
        match frame["op"].as_u64() {
            Some(2) => {
                link.authentications += 1;
                self.must_identify = false;
                within(seed, "identifies", &mut self.identifies, (10, 90_000), now_ms);
            }
            Some(6) => {
                link.authentications += 1;
                assert!(!self.must_identify, "seed {seed}: Resume of a session that is no more at {now_ms} ms");
                let session = self.session.as_ref().expect("a Resume has a session");
                assert_eq!(frame["d"]["session_id"], session.id, "seed {seed}: at {now_ms} ms");
                assert_eq!(frame["d"]["seq"], session.highest, "seed {seed}: the highest received, at {now_ms} ms");
            }
            Some(1) => assert_eq!(link.authentications, 1, "seed {seed}: a heartbeat before the authentication at {now_ms} ms"),
            other => panic!("seed {seed}: op {other:?} goes out"),
        }
        assert!(link.authentications <= 1, "seed {seed}: two authentications on one connection at {now_ms} ms");
        if let Some(authorization) = frame["d"]["token"].as_str().map(ToOwned::to_owned) {
            link.authorization = Some(authorization.clone());
            self.token_is_good(&authorization, now_ms);
        }
    }

    fn token_is_good(&self, authorization: &str, now_ms: u64) {
        let refused = self.refused_tokens.get(authorization);
        assert!(
            refused.is_none_or(|at| now_ms - at >= REFUSED_MS),
            "seed {}: a token is used at {now_ms} ms that was refused at {refused:?} ms",
            self.seed
        );
    }

    /// The platform has judged a token on a look-up. The client knows it once the answer is there, if it gets there.
    pub(super) fn answered(&mut self, request: RequestId, token: &AccessToken, status: u16, code: i64) {
        if status != 200 && judge_call(status, Some(code), Some(code)) == CallRefusal::Token {
            self.refusals_on_their_way.insert(request, token.authorization());
        }
    }

    /// Something reaches the driver.
    pub(super) fn client_gets(&mut self, input: &Input, network: &Network, now_ms: u64) {
        match input {
            Input::AddressAnswered { request, .. } => {
                if let Some(authorization) = self.refusals_on_their_way.remove(request) {
                    self.refused_tokens.entry(authorization).or_insert(now_ms);
                }
            }
            Input::Frame { conn, text } if !network.is_abandoned(*conn) => {
                let frame: Value = serde_json::from_str(text.as_str()).unwrap_or(Value::Null);
                if frame["op"] == 10
                    && let Some(link) = self.link.as_mut().filter(|link| link.conn == *conn)
                {
                    link.hello = true;
                }
                if frame["op"] == 9 && frame["d"] != true && self.link.as_ref().is_some_and(|link| link.authentications > 0) {
                    self.must_identify = true;
                }
                self.note_sequence(&frame);
            }
            Input::Closed { conn, .. } if self.link.as_ref().is_some_and(|link| link.conn == *conn) => self.link = None,
            Input::Frame { .. }
            | Input::Closed { .. }
            | Input::TokenAnswered { .. }
            | Input::TokenRefused { .. }
            | Input::Traffic { .. }
            | Input::Opened { .. }
            | Input::ConnectFailed { .. }
            | Input::Reload(_)
            | Input::Stop => {}
        }
    }

    fn note_sequence(&mut self, frame: &Value) {
        if frame["op"] != 0 || self.link.as_ref().is_none_or(|link| link.authentications == 0) {
            return;
        }
        if frame["t"] == "READY" {
            let id = frame["d"]["session_id"].as_str().unwrap_or_default().to_owned();
            self.session = Some(Session { id, highest: 0, delivered: BTreeSet::new() });
        }
        if let (Some(session), Some(sequence)) = (&mut self.session, frame["s"].as_u64()) {
            session.highest = session.highest.max(sequence);
        }
    }

    /// No state is stayed in for longer than its deadline allows.
    pub(super) fn states_are_left(&self, state: &str, since_ms: u64, now_ms: u64) {
        let limit_ms = match state {
            "connecting" | "awaiting_hello" | "awaiting_address" => 15_000,
            // Four times the step, for a long replay, and half a second for a close frame behind op 9.
            "authenticating" => 60_500,
            _ => return,
        };
        assert!(since_ms <= limit_ms, "seed {}: {state} for {since_ms} ms at {now_ms} ms", self.seed);
    }

    /// At most one connection is open from the platform's view; one that froze does not count, since the platform cannot know.
    pub(super) fn platform_link_begins(&mut self, number: PlatformConn, network: &Network) {
        self.open_at_platform.retain(|open| !network.is_frozen(*open));
        assert!(self.open_at_platform.is_empty(), "seed {}: the platform sees two connections", self.seed);
        self.open_at_platform.insert(number);
    }

    pub(super) fn platform_link_ended(&mut self, number: PlatformConn) {
        self.open_at_platform.remove(&number);
    }

    pub(super) fn event(&mut self, event: &Event, now_ms: u64) {
        match event {
            Event::Ready { .. } | Event::Resumed { .. } => self.ready_count += 1,
            Event::Lost { cause, .. } => {
                let calm_ms = self.calm.as_ref().map_or(0, |calm| now_ms - calm.since);
                // The platform recycles connections, and then a token may turn out to be dead. A link that froze before the calm is
                // noticed in its first minutes.
                let recycled = matches!(cause, LossCause::Reconnect | LossCause::Closed(Some(4009)));
                let token_found_dead = self.token_killed && *cause == LossCause::Closed(Some(4004));
                let expected = recycled || token_found_dead || calm_ms <= HALF_OPEN_MS_MAX;
                assert!(expected, "seed {}: lost in the calm at {now_ms} ms: {cause}", self.seed);
            }
            Event::Halted { reason, .. } => {
                assert!(self.operator_faults, "seed {}: halted by {reason} although no such condition came", self.seed);
            }
            Event::Stopped => panic!("seed {}: nobody asked it to stop", self.seed),
            Event::Dispatch(_) | Event::SetBack { .. } | Event::OddHello | Event::UnreadableFrame { .. } => {}
        }
    }

    /// Each event at most once, and within a session in the order of its sequence.
    pub(super) fn delivered_message(&mut self, dispatch: &Dispatch, id: Option<&str>, now_ms: u64) {
        let seed = self.seed;
        if let (Some(session), Some(sequence)) = (&mut self.session, dispatch.sequence) {
            let in_order = session.delivered.last().is_none_or(|last| *last < sequence);
            assert!(in_order || self.reordered, "seed {seed}: out of order at {now_ms} ms");
            assert!(session.delivered.insert(sequence), "seed {seed}: sequence {sequence} twice at {now_ms} ms");
        }
        if let Some(id) = id {
            assert!(self.delivered_ids.insert(id.to_owned()), "seed {seed}: delivered twice at {now_ms} ms");
        }
    }

    /// See [`HALF_OPEN_MS_MAX`].
    pub(super) fn half_open_links_are_left(&self, network: &Network, now_ms: u64) {
        let Some(link) = &self.link else { return };
        for (conn, since) in network.half_open() {
            assert!(
                conn != link.conn || now_ms - since <= HALF_OPEN_MS_MAX,
                "seed {}: a half-open link of {since} ms lives at {now_ms} ms",
                self.seed
            );
        }
    }

    pub(super) fn calm_begins(&mut self, now_ms: u64) {
        self.calm = Some(Calm { since: now_ms, said: BTreeMap::new() });
    }

    pub(super) fn said(&mut self, id: String, now_ms: u64) {
        if let Some(calm) = &mut self.calm {
            calm.said.insert(id, now_ms);
        }
    }

    /// Everything said in the calm before `until_ms` was delivered.
    pub(super) fn all_said_in_calm_is_delivered(&self, until_ms: u64) {
        let said = &self.calm.as_ref().expect("the calm has begun").said;
        for (id, at) in said.iter().filter(|(_, at)| **at <= until_ms) {
            assert!(self.delivered_ids.contains(id), "seed {}: said at {at} ms in the calm and not delivered", self.seed);
        }
    }
}

/// In any span at most `burst + span / interval`; it is enough to look at the spans that end now.
fn within(seed: u64, what: &str, times: &mut Vec<u64>, (burst, interval_ms): (u64, u64), now_ms: u64) {
    times.push(now_ms);
    for (count, first) in times.iter().rev().enumerate() {
        let span_ms = now_ms - first;
        assert!((count as u64) < burst + span_ms / interval_ms, "seed {seed}: {} {what} in {span_ms} ms", count + 1);
    }
}
