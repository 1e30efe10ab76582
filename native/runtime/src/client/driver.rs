use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use auk_gateway::{AccessToken, Effect, Event, Gateway, GatewayConfig, HttpAnswer, Input, Language, Timestamp};
use tokio::sync::{mpsc, watch};

use super::StatusSnapshot;
use super::dial::Dialer;
use super::event_log::EventLog;
use super::rest::Rest;
use super::socket::Socket;
use crate::elapsed::elapsed_ms;

/// The loop around the pure gateway: one change, then drain.
pub(super) struct Driver {
    gateway: Gateway,
    language: Language,
    origin: Instant,
    rest: Arc<Rest>,
    dialer: Arc<Dialer>,
    socket: Option<Socket>,
    /// A frame that waits until the owner has room for what may come of it.
    held: Option<Input>,
    answers: mpsc::UnboundedSender<Input>,
    inputs: mpsc::UnboundedReceiver<Input>,
    events: mpsc::Sender<Event>,
    /// Events that the owner has no room for yet.
    waiting: VecDeque<Event>,
    token: watch::Sender<Option<AccessToken>>,
    status: watch::Sender<StatusSnapshot>,
    log: EventLog,
}

enum Woke {
    Timer,
    Input(Input),
    RoomForEvent,
    OwnerGone,
}

impl Driver {
    pub(super) fn new(
        config: GatewayConfig,
        language: Language,
        rest: Arc<Rest>,
        dialer: Dialer,
        (answers, inputs): (mpsc::UnboundedSender<Input>, mpsc::UnboundedReceiver<Input>),
        events: mpsc::Sender<Event>,
        token: watch::Sender<Option<AccessToken>>,
    ) -> (Self, watch::Receiver<StatusSnapshot>) {
        let origin = Instant::now();
        let gateway = Gateway::new(config, Timestamp::from_ms(0));
        let (status, status_seen) =
            watch::channel(StatusSnapshot { status: gateway.status(language, Timestamp::from_ms(0)), taken: origin });
        let driver = Self {
            gateway,
            language,
            origin,
            dialer: Arc::new(dialer),
            socket: None,
            held: None,
            answers,
            inputs,
            events,
            waiting: VecDeque::new(),
            token,
            status,
            log: EventLog::new(language, rest.hosts()),
            rest,
        };
        (driver, status_seen)
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
                Woke::Input(input) => self.gateway.handle_input(input, self.now()),
                Woke::RoomForEvent => self.take_held(),
                Woke::OwnerGone => return,
            }
        }
        // Whoever stops a client need not listen to its last words; they must not hold the end up.
        while let Some(event) = self.waiting.pop_front() {
            if self.events.try_send(event).is_err() {
                return;
            }
        }
    }

    /// Waits for exactly one thing. A slow owner holds back frames, and with them what comes behind them, but neither heartbeats nor the
    /// steps of a handshake.
    async fn wait_until(&mut self, deadline: Timestamp) -> Woke {
        let at = self.origin + Duration::from_millis(deadline.as_ms());
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
            () = tokio::time::sleep_until(at.into()) => Woke::Timer,
            Some(input) = self.inputs.recv() => Woke::Input(input),
            input = from_socket => Woke::Input(input),
            room = self.events.reserve(), if owner_is_slow => match (room, self.waiting.pop_front()) {
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
        Timestamp::from_ms(elapsed_ms(self.origin))
    }

    fn drain(&mut self) {
        while let Some(effect) = self.gateway.poll_effect() {
            self.perform(effect);
        }
        while let Some(event) = self.gateway.poll_event() {
            self.log.note(&event);
            self.tell(event);
        }
        let now = self.now();
        let token = self.gateway.token(now);
        self.token.send_if_modified(|known| {
            let changed = known.as_ref() != token;
            if changed {
                *known = token.cloned();
            }
            changed
        });
        self.status.send_replace(StatusSnapshot { status: self.gateway.status(self.language, now), taken: Instant::now() });
    }

    fn tell(&mut self, event: Event) {
        if self.waiting.is_empty() {
            if let Err(mpsc::error::TrySendError::Full(event)) = self.events.try_send(event) {
                self.waiting.push_back(event);
            }
        } else {
            self.waiting.push_back(event);
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
                self.log.connecting(&url);
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
        }
    }

    fn ask(&self, exchange: impl Future<Output = HttpAnswer> + Send + 'static, input: impl FnOnce(HttpAnswer) -> Input + Send + 'static) {
        let answers = self.answers.clone();
        tokio::spawn(async move {
            let _ = answers.send(input(exchange.await));
        });
    }
}
