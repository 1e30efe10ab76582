mod frame_queue;
mod log_layer;
mod running;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use auk_bridge::frame::{LogLevel, ToJava, ToNative};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use frame_queue::FrameQueue;
use log_layer::LogLayer;
use worker::{Order, StatusBoard, Worker};

/// The whole bridge of one server on a thread of its own: gateway, groups, settings and log, behind calls that never wait for the
/// network. Dropping it leaves the thread to end by itself.
pub struct BridgeSession {
    frames: mpsc::Sender<ToNative>,
    orders: mpsc::UnboundedSender<Order>,
    queue: Arc<FrameQueue>,
    board: StatusBoard,
    ended: Arc<Ended>,
    /// Until a close has seen its end.
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the shim tells at `open` and `reload`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Options {
    /// The directory of `auk.toml`.
    pub config_dir: PathBuf,
    /// The shim's version.
    pub shim: String,
    /// The server's kind, such as `fabric` or `minestom`.
    pub platform: String,
    /// The server's Minecraft version.
    pub minecraft: String,
}

/// Why options cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the options are not readable: {0}")]
pub struct OptionsError(#[from] serde_json::Error);

/// What became of a submitted frame. The numbers cross the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum SubmitOutcome {
    /// It was taken.
    Taken = 0,
    /// The queue is full; it was not taken.
    Full = 1,
    /// The session is closing or closed.
    Closed = 2,
    /// It is no frame.
    Unreadable = 3,
}

/// How a close ended. The numbers cross the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum CloseOutcome {
    /// The session ended.
    Ended = 0,
    /// It did not end in time and is left to end by itself.
    Late = 4,
}

/// Frames from the server that wait for the bridge. A server thread submits a handful per tick; a thousand is many seconds of a stuck
/// bridge.
const FRAMES_WAITING_MAX: usize = 1_024;

impl Options {
    /// Reads options as the shim writes them.
    ///
    /// # Errors
    /// When they are no JSON object with the four texts.
    pub fn decode(bytes: &[u8]) -> Result<Self, OptionsError> {
        Ok(serde_json::from_slice(bytes)?)
    }
}

impl BridgeSession {
    /// Starts the session's thread. Settings are read there, and what is wrong with them comes out as log frames.
    ///
    /// # Errors
    /// When the operating system gives no thread.
    pub fn open(options: Options) -> std::io::Result<Self> {
        let (frames, frames_taken) = mpsc::channel(FRAMES_WAITING_MAX);
        let (orders, orders_taken) = mpsc::unbounded_channel();
        let queue = Arc::new(FrameQueue::default());
        let board = StatusBoard::default();
        let ended = Arc::new(Ended::default());
        let worker = Worker::new(options, Arc::clone(&queue), board.clone(), frames_taken, orders_taken);
        let (thread_queue, thread_ended) = (Arc::clone(&queue), Arc::clone(&ended));
        let thread = thread::Builder::new().name("auk".to_owned()).spawn(move || {
            run(worker, &thread_queue);
            thread_ended.set();
        })?;
        Ok(Self { frames, orders, queue, board, ended, thread: Mutex::new(Some(thread)) })
    }

    /// Hands one frame from the server in. Never blocks.
    pub fn submit(&self, frame: &[u8]) -> SubmitOutcome {
        let Ok(frame) = ToNative::decode(frame) else { return SubmitOutcome::Unreadable };
        match self.frames.try_send(frame) {
            Ok(()) => SubmitOutcome::Taken,
            Err(mpsc::error::TrySendError::Full(_)) => SubmitOutcome::Full,
            Err(mpsc::error::TrySendError::Closed(_)) => SubmitOutcome::Closed,
        }
    }

    /// The next frame for the server, waiting up to `timeout` for one. After the end: the end frame, always.
    pub fn poll(&self, timeout: Duration) -> Option<Vec<u8>> {
        self.queue.pop(timeout)
    }

    /// The frame after which there is none: what a pump gets for a handle that is closed.
    pub fn end_frame() -> Vec<u8> {
        FrameQueue::end_frame()
    }

    /// The state of gateway and bridge as JSON.
    pub fn status(&self) -> Vec<u8> {
        self.board.read()
    }

    /// Reads the settings again and tries at once.
    pub fn reload(&self, options: Options) -> SubmitOutcome {
        self.order(Order::Reload(options))
    }

    /// Flushes what waits (up to 1 s), ends the gateway session (up to 1 s), then lets the end frame out.
    pub fn begin_close(&self) {
        let _ = self.order(Order::BeginClose);
    }

    /// Ends the session within `timeout` and releases a blocked [`BridgeSession::poll`]. After [`CloseOutcome::Ended`] its thread is gone.
    pub fn close(&self, timeout: Duration) -> CloseOutcome {
        self.begin_close();
        if !self.ended.wait(timeout) {
            self.queue.end();
            return CloseOutcome::Late;
        }
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // All that is left of it is its return.
        if let Some(thread) = thread {
            let _ = thread.join();
        }
        CloseOutcome::Ended
    }

    fn order(&self, order: Order) -> SubmitOutcome {
        match self.orders.send(order) {
            Ok(()) => SubmitOutcome::Taken,
            Err(_) => SubmitOutcome::Closed,
        }
    }
}

/// Runs the worker with its log going to the session's own queue: several sessions in one process do not hear each other.
fn run(worker: Worker, queue: &Arc<FrameQueue>) {
    let layer = LogLayer::new(Arc::clone(queue), worker.log_level());
    let ran = catch_unwind(AssertUnwindSafe(|| {
        tracing::subscriber::with_default(layer.into_subscriber(), || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
            match runtime {
                Ok(runtime) => {
                    runtime.block_on(worker.run());
                    // A name that is still being looked up must not hold the end up.
                    runtime.shutdown_background();
                }
                Err(error) => tracing::warn!(%error, "the operating system gives no event loop, so the bridge is off"),
            }
        });
    }));
    if ran.is_err() {
        let text = "the bridge ended by a bug of its own; the server goes on without it. Please report this.".to_owned();
        queue.push(&ToJava::Log { level: LogLevel::Error, logger: "runtime".to_owned(), text });
    }
    queue.end();
}

/// A flag that can be waited for.
#[derive(Default)]
struct Ended {
    is_set: Mutex<bool>,
    changed: std::sync::Condvar,
}

impl Ended {
    fn set(&self) {
        *self.is_set.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    fn wait(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let mut is_set = self.is_set.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_set {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            is_set = self.changed.wait_timeout(is_set, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}
