use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use auk_bridge::BridgeStatus;
use auk_bridge::frame::ToNative;
use auk_gateway::Language;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout_at};
use tracing::Level;

use super::Options;
use super::frame_queue::FrameQueue;
use super::log_layer::LeastLevel;
use super::running::{Running, Woke};
use crate::client::StatusSnapshot;
use crate::settings::{Settings, language_of};

/// Limit on handing the last lines to the platform.
const FLUSH_MS_MAX: u64 = 1_000;
/// Limit on the end of the gateway session; the session's own limit of a second comes first.
const GATEWAY_END_MS_MAX: u64 = 1_250;

/// What the owner of a session wants.
pub(super) enum Order {
    Reload(Options),
    BeginClose,
}

/// The loop of one session.
pub(super) struct Worker {
    options: Options,
    queue: Arc<FrameQueue>,
    board: StatusBoard,
    frames: mpsc::Receiver<ToNative>,
    orders: mpsc::UnboundedReceiver<Order>,
    log_level: LeastLevel,
    /// `None` while the settings are unusable.
    running: Option<Running>,
}

impl Worker {
    pub(super) fn new(
        options: Options,
        queue: Arc<FrameQueue>,
        board: StatusBoard,
        frames: mpsc::Receiver<ToNative>,
        orders: mpsc::UnboundedReceiver<Order>,
    ) -> Self {
        Self { options, queue, board, frames, orders, log_level: LeastLevel::new(Level::INFO), running: None }
    }

    pub(super) fn log_level(&self) -> LeastLevel {
        self.log_level.clone()
    }

    /// Runs until the owner wants it closed, or is gone.
    pub(super) async fn run(mut self) {
        self.load().await;
        loop {
            self.drain();
            tokio::select! {
                Some(frame) = self.frames.recv() => self.server(frame),
                order = self.orders.recv() => match order {
                    Some(Order::Reload(options)) => {
                        self.options = options;
                        self.load().await;
                    }
                    Some(Order::BeginClose) | None => break,
                },
                woke = wait(&mut self.running) => self.take(woke),
            }
        }
        self.flush().await;
        self.end_gateway().await;
        self.queue.end();
    }

    /// Reads the settings. Broken ones change nothing in a session that runs.
    async fn load(&mut self) {
        let settings = match Settings::load(&self.options.config_dir) {
            Ok(settings) => settings,
            Err(error) => return self.unusable(&error.words(language_of(&self.options.config_dir))),
        };
        self.log_level.set(settings.log_level);
        let applied = match &mut self.running {
            Some(running) => running.reload(settings).await,
            None => Running::start(settings).map(|running| self.running = Some(running)),
        };
        match applied {
            Ok(()) => self.board.set_gateway(self.running.as_ref().map(|running| running.client().watch_status())),
            Err(error) => self.unusable(&error.to_string()),
        }
    }

    fn unusable(&self, reason: &str) {
        let language = language_of(&self.options.config_dir);
        if self.running.is_some() {
            match language {
                Language::ZhCn => tracing::warn!("{reason}。沿用现有配置。"),
                Language::EnUs => tracing::warn!("{reason}. The settings in use stay."),
            }
        } else {
            self.board.set_problem(reason);
            match language {
                Language::ZhCn => tracing::warn!("{reason}。在改好并重载之前，桥接处于关闭状态；服务器不受影响。"),
                Language::EnUs => {
                    tracing::warn!("{reason}. The bridge is off until the settings are mended and reloaded; the server is not affected.");
                }
            }
        }
    }

    fn server(&mut self, frame: ToNative) {
        if let Some(running) = &mut self.running {
            running.server(frame);
        }
    }

    fn take(&mut self, woke: Woke) {
        let Some(running) = &mut self.running else { return };
        let gateway_ended = matches!(woke, Woke::GatewayEnded);
        running.take(woke);
        if gateway_ended {
            tracing::error!("the gateway session ended by a bug of its own; reload to start it again, and please report this");
            self.drain();
            self.running = None;
        }
    }

    fn drain(&mut self) {
        if let Some(running) = &mut self.running {
            running.drain(|frame| self.queue.push(frame));
            self.board.set_bridge(running.bridge_status());
        }
    }

    /// Hands the last lines to the platform: all that was submitted before the close. From here on the server is told that it is closed.
    async fn flush(&mut self) {
        self.frames.close();
        while let Ok(frame) = self.frames.try_recv() {
            self.server(frame);
        }
        let deadline = Instant::now() + Duration::from_millis(FLUSH_MS_MAX);
        if let Some(running) = &mut self.running {
            running.begin_flush();
        }
        loop {
            self.drain();
            let Some(running) = self.running.as_mut().filter(|running| !running.is_flushed()) else { return };
            if Instant::now() >= deadline {
                running.end_flush();
                continue;
            }
            match timeout_at(deadline, running.wait()).await {
                Ok(woke) => self.take(woke),
                Err(_) => running.end_flush(),
            }
        }
    }

    /// Ends the gateway, in the hope that the next life of this server resumes: what is said meanwhile arrives then.
    async fn end_gateway(&mut self) {
        let deadline = Instant::now() + Duration::from_millis(GATEWAY_END_MS_MAX);
        if let Some(running) = &self.running {
            running.client().begin_suspend();
        }
        while let Some(running) = &mut self.running {
            match timeout_at(deadline, running.wait()).await {
                Ok(Woke::GatewayEnded) | Err(_) => {
                    running.close_store().await;
                    self.running = None;
                }
                Ok(woke) => {
                    running.take(woke);
                    self.drain();
                }
            }
        }
    }
}

async fn wait(running: &mut Option<Running>) -> Woke {
    match running {
        Some(running) => running.wait().await,
        None => std::future::pending().await,
    }
}

/// Where the worker leaves its state for whoever asks, on any thread.
#[derive(Clone, Default)]
pub(super) struct StatusBoard(Arc<Mutex<Board>>);

#[derive(Default)]
struct Board {
    gateway: Option<watch::Receiver<StatusSnapshot>>,
    bridge: BridgeStatus,
    problem: Option<String>,
}

impl StatusBoard {
    fn set_gateway(&self, gateway: Option<watch::Receiver<StatusSnapshot>>) {
        self.change(|board| (board.gateway, board.problem) = (gateway, None));
    }

    fn set_bridge(&self, bridge: BridgeStatus) {
        self.change(|board| board.bridge = bridge);
    }

    fn set_problem(&self, problem: &str) {
        self.change(|board| board.problem = Some(problem.to_owned()));
    }

    /// The status as JSON; see `ARCHITECTURE.md`, section 4.
    pub(super) fn read(&self) -> Vec<u8> {
        let board = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gateway = match (&board.gateway, &board.problem) {
            // A driver that is gone without having stopped has failed.
            (Some(gateway), _) if gateway.has_changed().is_err() && gateway.borrow().status.state != "stopped" => {
                without_session("stopped", json!({ "reason": "failed", "advice": "reload" }))
            }
            (Some(gateway), _) => json!(gateway.borrow().aged()),
            (None, Some(problem)) => without_session("unconfigured", json!({ "reason": "settings", "advice": problem })),
            (None, None) => without_session("starting", Value::Null),
        };
        json!({ "gateway": gateway, "bridge": board.bridge }).to_string().into_bytes()
    }

    fn change(&self, change: impl FnOnce(&mut Board)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

fn without_session(state: &str, halt: Value) -> Value {
    let attempts = json!({ "last_minute": 0, "total": 0 });
    json!({ "state": state, "since_ms": 0, "deadline": null, "attempts": attempts, "session": false, "halt": halt, "last_loss": null })
}
