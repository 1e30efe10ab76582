use std::path::PathBuf;
use std::time::{Duration, Instant};

use auk_bridge::console::Answer;
use auk_bridge::frame::{ToJava, ToNative};
use auk_bridge::{Bridge, Effect, Errand, Input, Outcome, Post, PostId};
use auk_gateway::{Event, Language, Timestamp};
use tokio::sync::mpsc;

use crate::client::{Client, ClientError, ClientEvents, GroupMessage, SendError};
use crate::elapsed::elapsed_ms;
use crate::log::NoticeLog;
use crate::settings::Settings;

/// Gateway and bridge at work, with usable settings.
pub(super) struct Running {
    bridge: Bridge,
    client: Client,
    events: ClientEvents,
    fixed: Fixed,
    log: NoticeLog,
    origin: Instant,
    outcomes_in: mpsc::UnboundedSender<(PostId, Outcome)>,
    outcomes: mpsc::UnboundedReceiver<(PostId, Outcome)>,
}

/// What a client cannot change in flight.
#[derive(PartialEq, Eq)]
struct Fixed {
    token_url: String,
    api_base: String,
    extra_root_file: Option<PathBuf>,
    language: Language,
}

/// What woke the session.
pub(super) enum Woke {
    Timer,
    Event(Event),
    Posted(PostId, Outcome),
    /// The gateway's driver has ended.
    GatewayEnded,
}

impl Fixed {
    fn of(settings: &Settings) -> Self {
        let client = &settings.client;
        Self {
            token_url: client.token_url.clone(),
            api_base: client.api_base.clone(),
            extra_root_file: client.extra_root_file.clone(),
            language: client.language,
        }
    }
}

impl Running {
    pub(super) fn start(settings: Settings) -> Result<Self, ClientError> {
        let fixed = Fixed::of(&settings);
        let (client, events) = Client::start(settings.client)?;
        let log = NoticeLog::new(fixed.language);
        let bridge = Bridge::new(settings.bridge, Timestamp::from_ms(0));
        let (outcomes_in, outcomes) = mpsc::unbounded_channel();
        Ok(Self { bridge, client, events, fixed, log, origin: Instant::now(), outcomes_in, outcomes })
    }

    /// Takes over new settings. What a client cannot change in flight replaces it: the old one ends first, so that there are never two.
    pub(super) async fn reload(&mut self, settings: Settings) -> Result<(), ClientError> {
        settings.client.check()?;
        let fixed = Fixed::of(&settings);
        if fixed == self.fixed {
            self.client.reload(settings.client.gateway);
        } else {
            self.client.stop().await;
            (self.client, self.events) = Client::start(settings.client)?;
            self.log.set_language(fixed.language);
            self.fixed = fixed;
            self.tell(Input::GatewayDown);
        }
        self.tell(Input::Reload(settings.bridge));
        Ok(())
    }

    pub(super) fn server(&mut self, frame: ToNative) {
        self.tell(Input::Server(frame));
    }

    pub(super) fn begin_flush(&mut self) {
        self.tell(Input::Stop);
    }

    /// The time for the last lines is over; what is left is counted.
    pub(super) fn end_flush(&mut self) {
        self.tell(Input::GiveUp);
    }

    pub(super) fn is_flushed(&self) -> bool {
        self.bridge.is_drained()
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Writes what the next process is to know, and lets the file go.
    pub(super) async fn close_store(&mut self) {
        self.client.close_store().await;
    }

    pub(super) fn bridge_status(&self) -> auk_bridge::BridgeStatus {
        self.bridge.status()
    }

    /// How everything is, for whoever asked.
    pub(super) fn report(&self) -> Answer {
        self.bridge.report(&self.client.status())
    }

    /// How many groups are set up.
    pub(super) fn groups(&self) -> usize {
        self.bridge.groups()
    }

    /// Makes another connection; returns what to tell whoever asked for it.
    pub(super) fn reconnect(&self) -> Answer {
        let state = self.client.status().state;
        self.client.reconnect();
        Answer::reconnected(state, self.bridge.language())
    }

    /// Waits for exactly one thing.
    pub(super) async fn wait(&mut self) -> Woke {
        let deadline = self.bridge.poll_timeout().map(|at| self.origin + Duration::from_millis(at.as_ms()));
        let timer = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            event = self.events.recv() => event.map_or(Woke::GatewayEnded, Woke::Event),
            Some((post, outcome)) = self.outcomes.recv() => Woke::Posted(post, outcome),
            () = timer => Woke::Timer,
        }
    }

    /// Takes one thing that [`Running::wait`] brought.
    pub(super) fn take(&mut self, woke: Woke) {
        match woke {
            Woke::Timer => self.bridge.handle_timeout(self.now()),
            Woke::Posted(post, outcome) => self.tell(Input::Posted { post, outcome }),
            Woke::Event(Event::Dispatch(dispatch)) => {
                if let Some(data) = dispatch.data {
                    self.tell(Input::Dispatch { event: dispatch.name, data });
                }
            }
            Woke::Event(Event::Ready { .. } | Event::Resumed { .. }) => self.tell(Input::GatewayUp),
            Woke::Event(Event::Lost { .. } | Event::Halted { .. } | Event::Stopped) | Woke::GatewayEnded => self.tell(Input::GatewayDown),
            // The client has logged these; they are no change of the session.
            Woke::Event(
                Event::SetBack { .. } | Event::Renewed | Event::Contested { .. } | Event::OddHello | Event::UnreadableFrame { .. },
            ) => {}
        }
    }

    /// Does what the bridge asks for; frames for Java go to `out`. Returns what is left for the worker to do.
    #[must_use]
    pub(super) fn drain(&mut self, mut out: impl FnMut(&ToJava)) -> Vec<Errand> {
        let mut errands = Vec::new();
        while let Some(effect) = self.bridge.poll_effect() {
            match effect {
                Effect::ToJava(frame) => out(&frame),
                Effect::Post(post) => self.post(post),
                Effect::Errand(errand) => errands.push(errand),
                Effect::Notice(notice) => {
                    if let Some(line) = self.log.note(&notice, self.now()) {
                        line.write();
                    }
                }
            }
        }
        errands
    }

    fn tell(&mut self, input: Input) {
        let now = self.now();
        self.bridge.handle_input(input, now);
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_ms(elapsed_ms(self.origin))
    }

    fn post(&self, post: Post) {
        let (sender, outcomes) = (self.client.sender(), self.outcomes_in.clone());
        tokio::spawn(async move {
            let message = GroupMessage { content: post.content, msg_type: 0, msg_id: post.msg_id, msg_seq: post.msg_seq };
            let outcome = match sender.post_group_message(&post.group_openid, &message).await {
                Ok(sent) => Outcome::Delivered { message_id: sent.id },
                Err(SendError::Refused { status, code, message, retry_after_ms }) => {
                    Outcome::Refused { code, status, message, retry_after_ms }
                }
                // Nothing left this machine either way.
                Err(SendError::Unreachable | SendError::QueueFull) => Outcome::Unreachable,
                Err(SendError::Unknown) => Outcome::Unknown,
            };
            let _ = outcomes.send((post.id, outcome));
        });
    }
}
