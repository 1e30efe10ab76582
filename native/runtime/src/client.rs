mod config;
mod dial;
mod driver;
mod event_log;
mod proxy;
mod rest;
mod sender;
mod socket;
mod tls;
mod words;

use std::sync::Arc;
use std::time::Instant;

use auk_gateway::{Event, GatewayConfig, Input, Status};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

pub use config::{ClientConfig, ClientError};
pub use sender::{GroupMessage, SendError, Sender, Sent};

use driver::Driver;

use crate::elapsed::elapsed_ms;

/// Events of a [`Client`], in order. It is bounded: an owner that stops taking them stops the reading, not the heartbeats, and what was
/// held back is resumed later.
pub type ClientEvents = mpsc::Receiver<Event>;

/// Events that wait for the owner before reading from the platform stops.
const EVENTS_WAITING_MAX: usize = 1_024;

/// A QQ bot client: one gateway session that keeps itself alive, and a [`Sender`] for messages.
///
/// Dropping it ends the session without a closing handshake; [`Client::stop`] ends it in order.
pub struct Client {
    inputs: mpsc::UnboundedSender<Input>,
    sender: Sender,
    status: watch::Receiver<StatusSnapshot>,
    task: JoinHandle<()>,
}

/// A status and the moment it was taken.
#[derive(Clone, Debug)]
pub(crate) struct StatusSnapshot {
    pub(crate) status: Status,
    pub(crate) taken: Instant,
}

impl StatusSnapshot {
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
    /// Starts the session on the current tokio runtime, which needs its I/O and time drivers. It never waits for the network.
    ///
    /// # Errors
    /// When the extra root file cannot be read, or an address in the settings is none.
    pub fn start(config: ClientConfig) -> Result<(Self, ClientEvents), ClientError> {
        let (inputs, inputs_taken) = mpsc::unbounded_channel();
        let (events, events_taken) = mpsc::channel(EVENTS_WAITING_MAX);
        let (token, token_seen) = watch::channel(None);
        let parts = config.build()?;
        let rest = Arc::new(parts.rest);
        let sender = Sender::new(Arc::clone(&rest), token_seen, inputs.clone());
        let (driver, status) =
            Driver::new(parts.gateway, parts.language, rest, parts.dialer, (inputs.clone(), inputs_taken), events, token);
        let task = tokio::spawn(driver.run());
        Ok((Self { inputs, sender, status, task }, events_taken))
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

    /// Asks the session to end; the events end after [`Event::Stopped`]. Does not wait.
    pub fn begin_stop(&self) {
        let _ = self.inputs.send(Input::Stop);
    }

    /// Ends the session: close code 1000, at most a second for the platform's half of the handshake.
    pub async fn stop(&mut self) {
        self.begin_stop();
        if !self.task.is_finished() {
            let _ = (&mut self.task).await;
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.task.abort();
    }
}
