use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use auk_bridge::console::{self, Answer};
use auk_bridge::frame::{Call, ToNative};
use auk_bridge::{BridgeStatus, Errand};
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
    work: Work,
}

/// Whether there is a bridge.
enum Work {
    /// There is none, and why.
    Off { reason: String },
    /// There is one.
    On(Box<Running>),
}

impl Work {
    fn running(&mut self) -> Option<&mut Running> {
        match self {
            Work::On(running) => Some(running),
            Work::Off { .. } => None,
        }
    }
}

impl Worker {
    pub(super) fn new(
        options: Options,
        queue: Arc<FrameQueue>,
        board: StatusBoard,
        frames: mpsc::Receiver<ToNative>,
        orders: mpsc::UnboundedReceiver<Order>,
    ) -> Self {
        // The settings are read before anybody is listened to, so nobody is told this empty reason.
        let work = Work::Off { reason: String::new() };
        Self { options, queue, board, frames, orders, log_level: LeastLevel::new(Level::INFO), work }
    }

    pub(super) fn log_level(&self) -> LeastLevel {
        self.log_level.clone()
    }

    /// Runs until the owner wants it closed, or is gone.
    pub(super) async fn run(mut self) {
        self.load().await;
        loop {
            self.settle().await;
            tokio::select! {
                Some(frame) = self.frames.recv() => self.server(frame).await,
                order = self.orders.recv() => match order {
                    Some(Order::Reload(options)) => {
                        self.options = options;
                        self.load().await;
                    }
                    Some(Order::BeginClose) | None => break,
                },
                woke = wait(&mut self.work) => self.take(woke),
            }
        }
        self.flush().await;
        self.end_gateway().await;
        self.queue.end();
    }

    /// Reads the settings. Broken ones change nothing in a session that runs. Returns what to tell whoever asked for it.
    async fn load(&mut self) -> Answer {
        let settings = match Settings::load(&self.options.config_dir) {
            Ok(settings) => settings,
            Err(error) => return self.unusable(error.words(self.language())),
        };
        self.log_level.set(settings.log_level);
        let (problems, language) = (settings.bridge.validate(), settings.bridge.language);
        let applied = match &mut self.work {
            Work::On(running) => running.reload(settings).await,
            Work::Off { .. } => Running::start(settings).map(|running| self.work = Work::On(Box::new(running))),
        };
        match (applied, &self.work) {
            (Ok(()), Work::On(running)) => {
                self.board.set_gateway(running.client().watch_status());
                Answer::reloaded(running.groups(), &problems, language)
            }
            (Ok(()), Work::Off { reason }) => Answer::off(reason, language),
            (Err(error), _) => self.unusable(error.to_string()),
        }
    }

    /// The status has the reason before the log tells it, so that whoever reads the one after the other finds it.
    fn unusable(&mut self, reason: String) -> Answer {
        let language = self.language();
        match &mut self.work {
            Work::On(_) => {
                match language {
                    Language::ZhCn => tracing::warn!("{reason}。沿用现有配置。"),
                    Language::EnUs => tracing::warn!("{reason}. The settings in use stay."),
                }
                Answer::not_reloaded(&reason, language)
            }
            Work::Off { reason: known } => {
                self.board.set_problem(&reason);
                match language {
                    Language::ZhCn => tracing::warn!("{reason}。在改好并重载之前，桥接处于关闭状态；服务器不受影响。"),
                    Language::EnUs => {
                        tracing::warn!(
                            "{reason}. The bridge is off until the settings are mended and reloaded; the server is not affected."
                        );
                    }
                }
                let answer = Answer::off(&reason, language);
                *known = reason;
                answer
            }
        }
    }

    /// The language of the settings file, whatever else is wrong with it.
    fn language(&self) -> Language {
        language_of(&self.options.config_dir)
    }

    async fn server(&mut self, frame: ToNative) {
        match (&mut self.work, frame) {
            (Work::On(running), frame) => running.server(frame),
            (Work::Off { reason }, ToNative::Command(call)) => {
                let reason = std::mem::take(reason);
                let answer = self.answer_without_bridge(&call, reason).await;
                self.reply(call.request, answer);
            }
            (Work::Off { .. }, _) => {}
        }
    }

    async fn answer_without_bridge(&mut self, call: &Call, reason: String) -> Answer {
        let language = self.language();
        let answer = console::Order::read(call, language).map(|order| Answer::without_bridge(&order, &reason, language));
        self.work = Work::Off { reason };
        match answer {
            Ok(Some(answer)) | Err(answer) => answer,
            Ok(None) => self.load().await,
        }
    }

    fn take(&mut self, woke: Woke) {
        let Some(running) = self.work.running() else { return };
        let gateway_ended = matches!(woke, Woke::GatewayEnded);
        running.take(woke);
        if gateway_ended {
            tracing::error!("the gateway session ended by a bug of its own; reload to start it again, and please report this");
            // Whoever waits for an answer gets it.
            running.end_flush();
            self.drain_to_the_end();
            let reason = match self.language() {
                Language::ZhCn => "连接部分因自身缺陷而停止，请报告此问题",
                Language::EnUs => "the gateway session ended by a bug of its own, please report this",
            };
            self.work = Work::Off { reason: reason.to_owned() };
        }
    }

    /// Does all that there is to do at this moment.
    async fn settle(&mut self) {
        loop {
            let errands = self.drain();
            if errands.is_empty() {
                return;
            }
            for errand in errands {
                let answer = self.run_errand(errand).await;
                self.reply(errand.request(), answer);
            }
        }
    }

    async fn run_errand(&mut self, errand: Errand) -> Answer {
        match (errand, &self.work) {
            (Errand::Reload { .. }, _) => self.load().await,
            (Errand::Status { .. }, Work::On(running)) => running.report(),
            (Errand::Reconnect { .. }, Work::On(running)) => running.reconnect(),
            (Errand::Status { .. } | Errand::Reconnect { .. }, Work::Off { reason }) => Answer::off(reason, self.language()),
        }
    }

    fn reply(&self, request: u64, answer: Answer) {
        self.queue.push(&answer.into_frame(request));
    }

    #[must_use]
    fn drain(&mut self) -> Vec<Errand> {
        let Some(running) = self.work.running() else { return Vec::new() };
        let errands = running.drain(|frame| self.queue.push(frame));
        self.board.set_bridge(running.bridge_status());
        errands
    }

    /// The same where nothing new is begun any more.
    fn drain_to_the_end(&mut self) {
        for errand in self.drain() {
            self.reply(errand.request(), Answer::stopping(self.language()));
        }
    }

    /// Hands the last lines to the platform: all that was submitted before the close. From here on the server is told that it is closed.
    async fn flush(&mut self) {
        self.frames.close();
        while let Ok(frame) = self.frames.try_recv() {
            match (&mut self.work, frame) {
                (Work::On(running), frame) => running.server(frame),
                (Work::Off { .. }, ToNative::Command(call)) => self.reply(call.request, Answer::stopping(self.language())),
                (Work::Off { .. }, _) => {}
            }
        }
        let deadline = Instant::now() + Duration::from_millis(FLUSH_MS_MAX);
        if let Some(running) = self.work.running() {
            running.begin_flush();
        }
        loop {
            self.drain_to_the_end();
            let Some(running) = self.work.running().filter(|running| !running.is_flushed()) else { return };
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
        if let Some(running) = self.work.running() {
            running.client().begin_suspend();
        }
        while let Some(running) = self.work.running() {
            match timeout_at(deadline, running.wait()).await {
                Ok(Woke::GatewayEnded) | Err(_) => return running.close_store().await,
                Ok(woke) => {
                    running.take(woke);
                    self.drain_to_the_end();
                }
            }
        }
    }
}

async fn wait(work: &mut Work) -> Woke {
    match work {
        Work::On(running) => running.wait().await,
        Work::Off { .. } => std::future::pending().await,
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
    fn set_gateway(&self, gateway: watch::Receiver<StatusSnapshot>) {
        self.change(|board| (board.gateway, board.problem) = (Some(gateway), None));
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
