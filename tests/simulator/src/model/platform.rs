//! The platform as one value: its parts, and what can be asked of it at any time.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use serde_json::Value;

use super::action::{Action, Push};
use super::clock::Millis;
use super::connection::Connection;
use super::faults::Faults;
use super::file::FileBook;
use super::identity::IdSource;
use super::post::Posted;
use super::quota::QuotaBook;
use super::rate::{Bucket, Counter, Tally, Window};
use super::record::{ConnId, Record, RecordBook};
use super::session::{Link, Session, Template};
use super::settings::{Group, Settings, User};
use super::ticket::{Scene, TicketBook};
use super::token::TokenBook;

/// Notices kept for a driver that does not take them; the oldest go first.
const NOTICES_MAX: usize = 4_096;

/// The QQ open platform that owns the truth. Pure: time comes in, actions go out.
///
/// Call one changing method, then do the returned actions in order. Methods that do not return actions leave them to
/// [`OpenPlatform::take_actions`].
#[derive(Debug)]
pub struct OpenPlatform {
    pub(super) settings: Settings,
    pub(super) faults: Faults,
    pub(super) ids: IdSource,
    pub(super) tokens: TokenBook,
    pub(super) token_requests: Window,
    pub(super) lookups: Bucket,
    pub(super) bot_lookups: Bucket,
    pub(super) lookups_refused_until: Millis,
    pub(super) session_starts: Window,
    pub(super) connections: BTreeMap<ConnId, Connection>,
    pub(super) sessions: Vec<Session>,
    pub(super) events_sent: u64,
    pub(super) held_event: Option<Held>,
    pub(super) held_frame: Option<(ConnId, Vec<u8>, Millis)>,
    pub(super) tickets: TicketBook,
    pub(super) quotas: QuotaBook,
    pub(super) files: FileBook,
    pub(super) posted: Vec<Posted>,
    pub(super) audits: VecDeque<Audit>,
    pub(super) interactions: BTreeMap<String, bool>,
    pub(super) webhook: Webhook,
    pub(super) records: RecordBook,
    pub(super) counters: Counters,
    pub(super) actions: Vec<Action>,
    notices: VecDeque<Value>,
}

/// An event held back so that the next one overtakes it.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) event: Outgoing,
    pub(super) until: Millis,
}

/// An event on its way to the bot.
#[derive(Debug, Clone)]
pub(super) struct Outgoing {
    pub(super) name: String,
    pub(super) intent: u64,
    pub(super) template: Template,
}

/// A post that waits for its audit.
#[derive(Debug)]
pub(super) struct Audit {
    pub(super) id: String,
    pub(super) ends_at: Millis,
    pub(super) post: Posted,
}

/// Webhook pushes that are not yet taken.
#[derive(Debug, Default)]
pub(super) struct Webhook {
    pub(super) next_delivery: u64,
    pub(super) validated: bool,
    pub(super) pending: BTreeMap<u64, PendingPush>,
}

/// A webhook push under way or waiting to be repeated.
#[derive(Debug)]
pub(super) struct PendingPush {
    pub(super) push: Push,
    pub(super) tries: u32,
    pub(super) retry_at: Option<Millis>,
    /// For a validation: the signature that the answer has to carry.
    pub(super) expected: Option<String>,
}

/// Counters of what a storming client would drive up.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) connects: Counter,
    pub(super) identifies: Counter,
    pub(super) resumes: Counter,
    pub(super) lookups: Counter,
    pub(super) token_requests: Counter,
    pub(super) heartbeats: Counter,
    pub(super) posts: Counter,
}

/// The platform's view of the moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct State {
    /// Milliseconds since the platform's origin.
    pub now_ms: Millis,
    /// Whether the bot has a session with a live connection.
    pub online: bool,
    /// Open connections.
    pub connections: Vec<ConnectionState>,
    /// Sessions, live or resumable.
    pub sessions: Vec<SessionState>,
    /// WebSocket upgrades accepted or refused.
    pub connects: Tally,
    /// op 2 frames.
    pub identifies: Tally,
    /// op 6 frames.
    pub resumes: Tally,
    /// `GET /gateway` and `GET /gateway/bot`.
    pub lookups: Tally,
    /// `POST /app/getAppAccessToken`.
    pub token_requests: Tally,
    /// op 1 frames.
    pub heartbeats: Tally,
    /// Calls that post a message, refused ones too.
    pub posts: Tally,
    /// Sessions that may still be created within 24 h.
    pub session_starts_left: usize,
    /// Milliseconds until look-ups are answered again after `rate_limit_address`; 0 when they are.
    pub lookups_refused_for_ms: u64,
}

/// A connection in the platform's view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConnectionState {
    /// The connection.
    pub conn: ConnId,
    /// Milliseconds since it opened.
    pub open_for_ms: u64,
    /// Its session, once authenticated.
    pub session: Option<String>,
}

/// A session in the platform's view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionState {
    /// The session's id.
    pub id: String,
    /// Its connection, if it has one.
    pub conn: Option<ConnId>,
    /// Its last sequence number.
    pub s: u64,
    /// Events in its replay buffer.
    pub buffered: usize,
    /// Milliseconds since it was created.
    pub age_ms: u64,
    /// Whether it gets no events although it looks fine.
    pub silent: bool,
}

impl OpenPlatform {
    /// A platform at its origin, with no fault switched on.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            faults: Faults::default(),
            ids: IdSource::new(settings.seed),
            tokens: TokenBook::new(settings.token_life_s, settings.first_token_life_s, settings.token_overlap_s),
            token_requests: Window::new(settings.token_requests_per_minute_max, 60_000),
            lookups: Bucket::new(settings.address_burst, settings.address_per_minute),
            bot_lookups: Bucket::new(settings.address_burst, settings.address_per_minute),
            lookups_refused_until: 0,
            session_starts: Window::new(settings.session_starts_per_day, 24 * 3_600_000),
            connections: BTreeMap::new(),
            sessions: Vec::new(),
            events_sent: 0,
            held_event: None,
            held_frame: None,
            tickets: TicketBook::default(),
            quotas: QuotaBook::new(&settings),
            files: FileBook::new(&settings),
            posted: Vec::new(),
            audits: VecDeque::new(),
            interactions: BTreeMap::new(),
            webhook: Webhook::default(),
            records: RecordBook::default(),
            counters: Counters::default(),
            actions: Vec::new(),
            notices: VecDeque::new(),
            settings,
        }
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes a group's rights while the platform runs. Returns whether there is such a group (openid or name).
    pub fn change_group(&mut self, group: &str, change: impl FnOnce(&mut Group)) -> bool {
        let found = self.settings.groups.iter_mut().find(|known| known.openid == group || known.name == group);
        let there = found.is_some();
        if let Some(found) = found {
            change(found);
        }
        there
    }

    /// Actions that are still to be done, in order.
    pub fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// Puts actions back that a driver wants to take later with [`OpenPlatform::take_actions`].
    pub fn requeue(&mut self, mut actions: Vec<Action>) {
        actions.append(&mut self.actions);
        self.actions = actions;
    }

    /// What a spectator would like to see, as JSON objects with a `type`; each is handed out once.
    pub fn take_notices(&mut self) -> Vec<Value> {
        self.notices.drain(..).collect()
    }

    /// Everything that was recorded, oldest first.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.all()
    }

    /// Everything that the bot posted and that people see, oldest first.
    #[must_use]
    pub fn posted(&self) -> &[Posted] {
        &self.posted
    }

    /// The platform's view of the moment.
    pub fn state(&mut self, now: Millis) -> State {
        State {
            now_ms: now,
            online: self.is_online(),
            connections: self.connections.iter().map(|(conn, link)| self.connection_state(*conn, link, now)).collect(),
            sessions: self.sessions.iter().map(|session| session_state(session, now)).collect(),
            connects: self.counters.connects.tally(now),
            identifies: self.counters.identifies.tally(now),
            resumes: self.counters.resumes.tally(now),
            lookups: self.counters.lookups.tally(now),
            token_requests: self.counters.token_requests.tally(now),
            heartbeats: self.counters.heartbeats.tally(now),
            posts: self.counters.posts.tally(now),
            session_starts_left: self.session_starts.room(now),
            lookups_refused_for_ms: self.lookups_refused_until.saturating_sub(now),
        }
    }

    /// Whether the bot has a session with a live connection, in the platform's view.
    #[must_use]
    pub fn is_online(&self) -> bool {
        self.sessions.iter().any(|session| session.conn().is_some())
    }

    pub(super) fn notice(&mut self, notice: impl FnOnce() -> Value) {
        if !self.settings.notices {
            return;
        }
        if self.notices.len() == NOTICES_MAX {
            self.notices.pop_front();
        }
        self.notices.push_back(notice());
    }

    pub(super) fn unix_ms(&self, now: Millis) -> u64 {
        self.settings.epoch_unix_ms + now
    }

    /// The group of an openid or a name.
    pub(super) fn group(&self, key: &str) -> Option<&Group> {
        self.settings.groups.iter().find(|group| group.openid == key || group.name == key)
    }

    /// The user of an openid or a name.
    pub(super) fn user(&self, key: &str) -> Option<&User> {
        self.settings.users.iter().find(|user| user.openid == key || user.name == key)
    }

    /// Whether the bot can reach the scene's group or user by its openid.
    pub(super) fn knows(&self, scene: &Scene) -> bool {
        match scene {
            Scene::Group(openid) => self.settings.groups.iter().any(|group| group.openid == *openid),
            Scene::User(openid) => self.settings.users.iter().any(|user| user.openid == *openid),
        }
    }

    fn connection_state(&self, conn: ConnId, link: &Connection, now: Millis) -> ConnectionState {
        let session = self.sessions.iter().find(|session| session.link == Link::Attached(conn));
        ConnectionState { conn, open_for_ms: now.saturating_sub(link.opened_at), session: session.map(|session| session.id.clone()) }
    }
}

fn session_state(session: &Session, now: Millis) -> SessionState {
    SessionState {
        id: session.id.clone(),
        conn: session.conn(),
        s: session.last_s(),
        buffered: session.buffered(),
        age_ms: now.saturating_sub(session.created_at),
        silent: session.silent,
    }
}
