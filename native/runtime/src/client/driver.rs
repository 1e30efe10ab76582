use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use auk_gateway::{Effect, Event, Gateway, GatewayConfig, HttpAnswer, Input, Language, LossCause, Memo, Memory, SavedToken, Timestamp};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::StatusSnapshot;
use super::clock::Clock;
use super::dial::Dialer;
use super::events::{Bookmark, Told};
use super::rest::Rest;
use super::socket::Socket;
use super::store::Store;
use crate::log::EventLog;

/// The loop around the pure gateway: one change, then drain.
pub(super) struct Driver {
    gateway: Gateway,
    app_id: String,
    language: Language,
    clock: Clock,
    rest: Arc<Rest>,
    dialer: Arc<Dialer>,
    socket: Option<Socket>,
    /// A frame that waits until the owner has room for what may come of it.
    held: Option<Input>,
    /// HTTP exchanges under way; they end with the driver.
    exchanges: JoinSet<()>,
    ports: Ports,
    /// Events that the owner has no room for yet.
    waiting: VecDeque<Told>,
    /// The deadline of the status that was last shown.
    shown: Option<Timestamp>,
    log: EventLog,
}

/// The driver's ways to everybody else.
pub(super) struct Ports {
    pub(super) answers: mpsc::UnboundedSender<Input>,
    pub(super) inputs: mpsc::UnboundedReceiver<Input>,
    pub(super) events: mpsc::Sender<Told>,
    pub(super) token: watch::Sender<Option<SavedToken>>,
    pub(super) status: watch::Sender<StatusSnapshot>,
    pub(super) store: Option<Store>,
    pub(super) bookmark: Bookmark,
}

enum Woke {
    Timer,
    Input(Input),
    RoomForEvent,
    OwnerGone,
}

impl Driver {
    /// Begins where an earlier process left off.
    pub(super) fn new(
        config: GatewayConfig,
        memory: Memory,
        language: Language,
        clock: Clock,
        (rest, dialer): (Arc<Rest>, Dialer),
        ports: Ports,
    ) -> Self {
        ports.bookmark.begin(memory.session.clone());
        let hosts = rest.hosts(|url| dialer.way_to(url));
        let app_id = config.credentials.app_id().to_owned();
        Self {
            gateway: Gateway::restore(config, memory, clock.now()),
            app_id,
            language,
            clock,
            dialer: Arc::new(dialer),
            socket: None,
            held: None,
            exchanges: JoinSet::new(),
            ports,
            waiting: VecDeque::new(),
            shown: None,
            log: EventLog::new(language, hosts),
            rest,
        }
    }

    /// Runs until the session has ended or its owner is gone.
    pub(super) async fn run(mut self) {
        loop {
            self.drain();
            let Some(deadline) = self.gateway.poll_timeout() else { break };
            match self.wait_until(deadline).await {
                Woke::Timer => {
                    self.prove_held_link_alive();
                    self.gateway.handle_timeout(self.now());
                }
                Woke::Input(input @ Input::Frame { .. }) if !self.waiting.is_empty() => self.held = Some(input),
                Woke::Input(input) => self.take(input),
                Woke::RoomForEvent => self.take_held(),
                Woke::OwnerGone => return,
            }
        }
        // Whoever stops a client need not listen to its last words; they must not hold the end up.
        while let Some(event) = self.waiting.pop_front() {
            if self.ports.events.try_send(event).is_err() {
                return;
            }
        }
    }

    /// Waits for exactly one thing. A slow owner holds back frames, and with them what comes behind them, but neither heartbeats nor the
    /// steps of a handshake.
    async fn wait_until(&mut self, deadline: Timestamp) -> Woke {
        let owner_is_slow = !self.waiting.is_empty();
        let from_socket = async {
            match &mut self.socket {
                Some(socket) if self.held.is_none() => match socket.next_input().await {
                    Some(input) => input,
                    None => std::future::pending().await,
                },
                Some(_) | None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.clock.sleep_until(deadline) => Woke::Timer,
            Some(input) = self.ports.inputs.recv() => Woke::Input(input),
            input = from_socket => Woke::Input(input),
            room = self.ports.events.reserve(), if owner_is_slow => match (room, self.waiting.pop_front()) {
                (Ok(room), Some(event)) => {
                    room.send(event);
                    Woke::RoomForEvent
                }
                (Ok(_), None) => Woke::RoomForEvent,
                (Err(_), _) => Woke::OwnerGone,
            },
        }
    }

    /// What waits unread was sent by somebody alive: the owner's slowness must not be taken for a dead link.
    fn prove_held_link_alive(&mut self) {
        if let (Some(_), Some(socket)) = (&self.held, &self.socket) {
            let conn = socket.conn;
            self.gateway.handle_input(Input::Traffic { conn }, self.now());
        }
    }

    fn take_held(&mut self) {
        if self.waiting.is_empty()
            && let Some(input) = self.held.take()
        {
            self.gateway.handle_input(input, self.now());
        }
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn take(&mut self, input: Input) {
        if let Input::Reload(config) = &input
            && config.credentials.app_id() != self.app_id
        {
            // The old bot's session is left as it stands in the store; what comes now is the new one's.
            config.credentials.app_id().clone_into(&mut self.app_id);
            if let Some(store) = &self.ports.store {
                store.change_bot(&self.app_id);
            }
        }
        self.gateway.handle_input(input, self.now());
    }

    fn drain(&mut self) {
        let mut is_news = false;
        while let Some(effect) = self.gateway.poll_effect() {
            is_news = true;
            self.perform(effect);
        }
        while let Some(event) = self.gateway.poll_event() {
            is_news |= !matches!(event, Event::Dispatch(_));
            self.tell(event);
        }
        let now = self.now();
        let token = self.gateway.token_with_end(now);
        self.ports.token.send_if_modified(|known| {
            let changed = *known != token;
            *known = token;
            changed
        });
        self.show_status(is_news, now);
    }

    /// A dispatch on a ready session changes nothing of the status, so it is not made anew for each.
    fn show_status(&mut self, is_news: bool, now: Timestamp) {
        let deadline = self.gateway.poll_timeout();
        if is_news || deadline != self.shown || deadline.is_none() {
            self.shown = deadline;
            self.ports.status.send_replace(StatusSnapshot { status: self.gateway.status(self.language, now), taken: Instant::now() });
        }
    }

    fn tell(&mut self, event: Event) {
        if let Some(line) = self.log.note(&event, self.now()) {
            line.write();
        }
        if matches!(event, Event::Lost { cause: LossCause::HeartbeatUnanswered, .. }) {
            self.rest.forget_connections();
        }
        let mark = if let Event::Dispatch(dispatch) = &event {
            tracing::trace!(event = dispatch.name, sequence = dispatch.sequence, "dispatch");
            self.ports.bookmark.deliver(dispatch.sequence)
        } else {
            None
        };
        let told = Told { event, mark };
        if self.waiting.is_empty() {
            if let Err(mpsc::error::TrySendError::Full(told)) = self.ports.events.try_send(told) {
                self.waiting.push_back(told);
            }
        } else {
            self.waiting.push_back(told);
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::FetchToken { request, credentials } => {
                let rest = Arc::clone(&self.rest);
                self.ask(async move { rest.fetch_token(&credentials).await }, move |answer| Input::TokenAnswered { request, answer });
            }
            Effect::FetchAddress { request, token, endpoint } => {
                let rest = Arc::clone(&self.rest);
                self.ask(async move { rest.look_up(&token, endpoint).await }, move |answer| Input::AddressAnswered { request, answer });
            }
            Effect::Connect { conn, url } => {
                let predecessor = self.socket.take();
                // Of an old connection nothing counts any more.
                self.held = None;
                self.log.connecting(self.dialer.way_to(&url));
                self.socket = Some(Socket::connect(conn, url, Arc::clone(&self.dialer), predecessor));
            }
            Effect::Send { conn, text } => {
                if let Some(socket) = self.socket.as_ref().filter(|socket| socket.conn == conn) {
                    socket.send(text.into_text());
                }
            }
            Effect::Close { conn, code } => {
                if let Some(socket) = self.socket.as_ref().filter(|socket| socket.conn == conn) {
                    socket.close(code);
                }
            }
            Effect::Remember(memo) => self.remember(memo),
        }
    }

    fn remember(&self, memo: Memo) {
        match (memo, &self.ports.store) {
            (Memo::Session(session), Some(_)) => self.ports.bookmark.begin(session),
            (memo, Some(store)) => store.note(memo),
            (_, None) => {}
        }
    }

    fn ask(
        &mut self,
        exchange: impl Future<Output = HttpAnswer> + Send + 'static,
        input: impl FnOnce(HttpAnswer) -> Input + Send + 'static,
    ) {
        while self.exchanges.try_join_next().is_some() {}
        let answers = self.ports.answers.clone();
        self.exchanges.spawn(async move {
            let _ = answers.send(input(exchange.await));
        });
    }
}
