mod clock;
mod config;
mod dial;
mod driver;
mod events;
mod proxy;
mod rest;
mod resume_point;
mod send_queue;
mod sender;
mod socket;
mod store;
mod tls;

use std::sync::Arc;
use std::time::Instant;

use auk_gateway::{AttemptStatus, GatewayConfig, Input, Memory, Status};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

pub use config::{ClientConfig, ClientError};
pub use events::ClientEvents;
pub use sender::{GroupMessage, SendError, Sender, Sent};

pub(crate) use store::StoreTrouble;

use clock::Clock;
use driver::{Driver, Ports};
use events::Bookmark;
use send_queue::SendQueue;
use store::Store;

use crate::elapsed::elapsed_ms;

/// Events that wait for the owner before reading from the platform stops.
const EVENTS_WAITING_MAX: usize = 1_024;

/// A QQ bot client: one gateway session that keeps itself alive, and a [`Sender`] for messages.
///
/// Dropping it ends the connection without a closing handshake; [`Client::stop`] ends the session in order, and [`Client::suspend`] leaves
/// it to the next process.
pub struct Client {
    inputs: mpsc::UnboundedSender<Input>,
    sender: Sender,
    status: watch::Receiver<StatusSnapshot>,
    store: Option<Store>,
    task: JoinHandle<()>,
}

/// A status and the moment it was taken.
#[derive(Clone, Debug)]
pub(crate) struct StatusSnapshot {
    pub(crate) status: Status,
    pub(crate) taken: Instant,
}

impl StatusSnapshot {
    /// Before the gateway has begun.
    fn starting() -> Self {
        let attempts = AttemptStatus { last_minute: 0, total: 0 };
        let status = Status { state: "starting", since_ms: 0, deadline: None, attempts, session: false, halt: None, last_loss: None };
        Self { status, taken: Instant::now() }
    }

    /// The status with its relative times as of now.
    pub(crate) fn aged(&self) -> Status {
        let age_ms = elapsed_ms(self.taken);
        let mut status = self.status.clone();
        status.since_ms = status.since_ms.saturating_add(age_ms);
        if let Some(deadline) = &mut status.deadline {
            deadline.in_ms = deadline.in_ms.saturating_sub(age_ms);
        }
        status
    }
}

impl Client {
    /// Starts the session on the current tokio runtime, which needs its I/O and time drivers. It never waits for the network, nor for the
    /// store; what is wrong with the latter is said in the log and keeps nothing from working.
    ///
    /// # Errors
    /// When the extra root file cannot be read, or an address in the settings is none.
    pub fn start(config: ClientConfig) -> Result<(Self, ClientEvents), ClientError> {
        let (answers, inputs) = mpsc::unbounded_channel();
        let (events, told) = mpsc::channel(EVENTS_WAITING_MAX);
        let (token, token_seen) = watch::channel(None);
        let (status, status_seen) = watch::channel(StatusSnapshot::starting());
        let clock = Clock::start();
        let (path, queue) = (config.store.clone(), SendQueue::new(config.sends, config.sends_waiting_max, clock));
        let parts = config.build()?;
        let (store, opening) = path.map(|path| Store::open(path, parts.bot, parts.language)).unzip();
        let bookmark = Bookmark::new(store.clone());
        let rest = Arc::new(parts.rest);
        let sender = Sender::new(Arc::clone(&rest), token_seen, clock, answers.clone(), Arc::new(queue));
        let client_events = ClientEvents::new(told, bookmark.clone());
        let ports = Ports { answers: answers.clone(), inputs, events, token, status, store: store.clone(), bookmark };
        let task = tokio::spawn(async move {
            let memory = match (&ports.store, opening) {
                (Some(store), Some(opening)) => store.load(opening).await,
                (_, _) => Memory::default(),
            };
            Driver::new(parts.gateway, memory, parts.language, clock, (rest, parts.dialer), ports).run().await;
        });
        Ok((Self { inputs: answers, sender, status: status_seen, store, task }, client_events))
    }

    /// The way to post messages; cheap to clone.
    pub fn sender(&self) -> Sender {
        self.sender.clone()
    }

    /// The session's state as of now.
    pub fn status(&self) -> Status {
        self.status.borrow().aged()
    }

    pub(crate) fn watch_status(&self) -> watch::Receiver<StatusSnapshot> {
        self.status.clone()
    }

    /// Tries at once with these settings. Hosts, proxies, roots and language need a new client.
    pub fn reload(&self, config: GatewayConfig) {
        let _ = self.inputs.send(Input::Reload(Box::new(config)));
    }

    /// Gives a live connection up for another, which resumes; without one the next attempt is made at once. Twenty calls in a row make one
    /// attempt. Does not wait.
    pub fn reconnect(&self) {
        let _ = self.inputs.send(Input::Reconnect);
    }

    /// Asks the session to end; the events end after [`Event::Stopped`](auk_gateway::Event::Stopped). Does not wait.
    pub fn begin_stop(&self) {
        let _ = self.inputs.send(Input::Stop);
    }

    /// Asks the connection to end and leaves the session to the next process, which resumes it from the store. Without a store that works
    /// there is nothing to resume from, so it is a stop. Does not wait; the events end as with [`Client::begin_stop`].
    pub fn begin_suspend(&self) {
        let is_kept = self.store.as_ref().is_some_and(Store::works);
        let _ = self.inputs.send(if is_kept { Input::Suspend } else { Input::Stop });
    }

    /// Ends the session: close code 1000, at most a second for the platform's half of the handshake.
    pub async fn stop(&mut self) {
        self.begin_stop();
        self.ended().await;
    }

    /// Ends here as [`Client::begin_suspend`] says. What the owner has not dealt with comes again in the next process.
    pub async fn suspend(&mut self) {
        self.begin_suspend();
        self.ended().await;
    }

    async fn ended(&mut self) {
        if !self.task.is_finished() {
            let _ = (&mut self.task).await;
        }
        self.close_store().await;
    }

    /// Writes what is to be kept, within half a second, and lets the file go.
    pub(crate) async fn close_store(&mut self) {
        if let Some(store) = &mut self.store {
            store.close().await;
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.task.abort();
        if let Some(store) = &self.store {
            store.begin_close();
        }
    }
}
