use std::collections::{BTreeMap, BTreeSet};

use auk_gateway::{AccessToken, Close, ConnId, ConnectFailure, Input, RequestId};
use auk_simulator::model::{Action, ConnId as PlatformConn};

/// A frame longer than this ends the connection, as the driver does it. The simulated limit is smaller than the real one, since nothing
/// but its being a limit matters.
const FRAME_BYTES_MAX: usize = 64 * 1_024;

/// Something on its way.
pub(super) enum Arrival {
    TokenRequest { request: RequestId, app_id: String, secret: String },
    LookUp { request: RequestId, token: AccessToken, bot: bool },
    Upgrade { conn: ConnId },
    AtPlatform { conn: PlatformConn, text: String },
    ClosedAtPlatform { conn: PlatformConn, code: Option<u16> },
    AtClient(Action),
    ToGateway(Input),
}

impl Arrival {
    /// Whether it goes to the client's process, and so ends with it and waits while it sleeps.
    pub(super) fn is_for_client(&self) -> bool {
        match self {
            Arrival::AtClient(_) | Arrival::ToGateway(_) => true,
            Arrival::TokenRequest { .. }
            | Arrival::LookUp { .. }
            | Arrival::Upgrade { .. }
            | Arrival::AtPlatform { .. }
            | Arrival::ClosedAtPlatform { .. } => false,
        }
    }
}

/// The way between client and platform: delays, orders, and what does not get through.
pub(super) struct Network {
    chance: fastrand::Rng,
    latency_ms_max: u64,
    connects: Mood,
    http: Mood,
    connections_made: u64,
    numbers: BTreeMap<ConnId, PlatformConn>,
    conns: BTreeMap<PlatformConn, ConnId>,
    /// When the last message in each direction arrives: a TCP stream keeps its order.
    last_to_client: BTreeMap<PlatformConn, u64>,
    last_to_platform: BTreeMap<PlatformConn, u64>,
    /// Links that carry nothing any more although both ends believe in them, and since when.
    frozen: BTreeMap<PlatformConn, u64>,
    abandoned: BTreeSet<ConnId>,
}

/// How connections and exchanges fare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    Well,
    Refuses,
    Hangs,
}

pub(super) enum Connect {
    Arrives(u64),
    Refused(u64),
    Hangs,
}

pub(super) enum Request {
    Arrives(u64),
    Fails(u64),
    Hangs,
}

impl Network {
    pub(super) fn new(mut chance: fastrand::Rng) -> Self {
        let latency_ms_max = [1, 50, 400][chance.usize(0..3)];
        Self {
            chance,
            latency_ms_max,
            connects: Mood::Well,
            http: Mood::Well,
            connections_made: 0,
            numbers: BTreeMap::new(),
            conns: BTreeMap::new(),
            last_to_client: BTreeMap::new(),
            last_to_platform: BTreeMap::new(),
            frozen: BTreeMap::new(),
            abandoned: BTreeSet::new(),
        }
    }

    pub(super) fn set_connects(&mut self, mood: Mood) {
        self.connects = mood;
    }

    pub(super) fn set_http(&mut self, mood: Mood) {
        self.http = mood;
    }

    /// From here on the newest link carries nothing.
    pub(super) fn freeze(&mut self, now_ms: u64) {
        if let Some((number, _)) = self.conns.last_key_value() {
            self.frozen.entry(*number).or_insert(now_ms);
        }
    }

    /// Answers the frozen links, which stay frozen.
    pub(super) fn heal(&mut self) -> Vec<PlatformConn> {
        (self.connects, self.http) = (Mood::Well, Mood::Well);
        self.frozen.keys().copied().collect()
    }

    /// The client's process is gone: its sockets end, as far as the platform can be told. Answers the links that it still had.
    pub(super) fn process_died(&mut self) -> Vec<PlatformConn> {
        let abandoned = std::mem::take(&mut self.abandoned);
        let open = std::mem::take(&mut self.numbers).into_iter().filter(|(conn, _)| !abandoned.contains(conn));
        self.conns.clear();
        open.map(|(_, number)| number).collect()
    }

    pub(super) fn connect(&mut self, conn: ConnId) -> PlatformConn {
        self.connections_made += 1;
        let number = PlatformConn(self.connections_made);
        self.numbers.insert(conn, number);
        self.conns.insert(number, conn);
        number
    }

    /// `None` for a connection of an earlier process.
    pub(super) fn platform_conn(&self, conn: ConnId) -> Option<PlatformConn> {
        self.numbers.get(&conn).copied()
    }

    /// `None` for a connection of an earlier process.
    pub(super) fn client_conn(&self, number: PlatformConn) -> Option<ConnId> {
        self.conns.get(&number).copied()
    }

    /// The newest connection of this process.
    pub(super) fn newest_conn(&self) -> Option<ConnId> {
        self.numbers.keys().next_back().copied()
    }

    /// The connection before the newest one, of this process.
    pub(super) fn old_conn(&self) -> Option<ConnId> {
        self.numbers.keys().rev().nth(1).copied()
    }

    pub(super) fn abandon(&mut self, conn: ConnId) {
        self.abandoned.insert(conn);
    }

    pub(super) fn is_abandoned(&self, conn: ConnId) -> bool {
        self.abandoned.contains(&conn)
    }

    /// The platform has ended the link; what the client still sends is lost.
    pub(super) fn platform_ended(&mut self, number: PlatformConn) {
        self.last_to_platform.insert(number, u64::MAX);
    }

    /// Since when the connection is half-open, if it is.
    pub(super) fn half_open_since(&self, conn: ConnId) -> Option<u64> {
        self.frozen.get(self.numbers.get(&conn)?).copied()
    }

    pub(super) fn is_frozen(&self, number: PlatformConn) -> bool {
        self.frozen.contains_key(&number)
    }

    /// `None` when it does not get through.
    pub(super) fn delay_to_client(&mut self, number: PlatformConn, now_ms: u64) -> Option<u64> {
        if self.frozen.contains_key(&number) {
            return None;
        }
        let at = (now_ms + self.latency_ms()).max(self.last_to_client.get(&number).copied().unwrap_or(0));
        self.last_to_client.insert(number, at);
        Some(at - now_ms)
    }

    /// `None` when it does not get through.
    pub(super) fn delay_to_platform(&mut self, number: PlatformConn, now_ms: u64) -> Option<u64> {
        let last = self.last_to_platform.get(&number).copied().unwrap_or(0);
        if last == u64::MAX || self.frozen.contains_key(&number) {
            return None;
        }
        let at = (now_ms + self.latency_ms()).max(last);
        self.last_to_platform.insert(number, at);
        Some(at - now_ms)
    }

    /// The predecessor's end has reached the platform before a new connection does: the driver drops one socket before it opens another.
    pub(super) fn delay_of_connect(&mut self) -> Connect {
        match self.connects {
            Mood::Well => Connect::Arrives(self.latency_ms_max + self.latency_ms()),
            Mood::Refuses => Connect::Refused(self.latency_ms()),
            Mood::Hangs => Connect::Hangs,
        }
    }

    pub(super) fn delay_of_http_request(&mut self) -> Request {
        match self.http {
            Mood::Well => Request::Arrives(self.latency_ms()),
            Mood::Refuses => Request::Fails(self.latency_ms()),
            Mood::Hangs => Request::Hangs,
        }
    }

    /// `None` when the answer gets lost.
    pub(super) fn delay_of_http(&mut self) -> Option<u64> {
        match self.http {
            Mood::Well => Some(self.latency_ms()),
            Mood::Refuses | Mood::Hangs => None,
        }
    }

    fn latency_ms(&mut self) -> u64 {
        self.chance.u64(0..=self.latency_ms_max)
    }
}

/// What the driver makes of a platform's action on the connection.
pub(super) fn input_of(conn: ConnId, action: Action) -> Option<Input> {
    match action {
        Action::Send { frame, .. } => {
            let text = frame.text()?;
            if text.len() > FRAME_BYTES_MAX {
                return Some(Input::Closed { conn, close: Close::Transport(ConnectFailure::TooLarge { bytes: Some(100_000) }) });
            }
            Some(Input::Frame { conn, text: text.to_owned().into() })
        }
        Action::Close { code, .. } => Some(Input::Closed { conn, close: Close::Code(Some(code)) }),
        Action::Cut { .. } => Some(Input::Closed { conn, close: Close::Transport(ConnectFailure::Other) }),
        Action::Webhook(_) => None,
    }
}
