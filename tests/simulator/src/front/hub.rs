//! The one place where the model is driven: under a lock, with the clock's time, and its actions done in order.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{Notify, broadcast, mpsc};
use tokio::time::sleep;

use super::webhook;
use crate::model::{Action, ConnId, Frame, Millis, OpenPlatform};

/// Notices a slow spectator may be behind before it loses some.
const NOTICES_BEHIND_MAX: usize = 4_096;

/// Lines of chat that a spectator who comes later still gets.
const HISTORY_MAX: usize = 400;

/// How long a link that is to be cut may still write what was sent before.
const CUT_GRACE: Duration = Duration::from_millis(200);

/// The model, the clock and the links.
pub(super) struct Hub {
    inner: Mutex<Inner>,
    started: Instant,
    next_conn: AtomicU64,
    runtime: Handle,
    /// Wakes the ticker when a deadline may have moved.
    moved: Notify,
    spectators: broadcast::Sender<String>,
    /// What the chats show, oldest first.
    history: Mutex<VecDeque<Value>>,
}

struct Inner {
    model: OpenPlatform,
    links: BTreeMap<ConnId, Link>,
}

/// The way to the task of a connection.
struct Link {
    orders: mpsc::UnboundedSender<Order>,
    cut: Arc<Notify>,
}

/// What the task of a connection is told.
#[derive(Debug)]
pub(super) enum Order {
    Send {
        frame: Frame,
        /// Above this size it goes out in fragments.
        fragment_bytes: usize,
    },
    Close {
        code: u16,
        reason: String,
    },
    Cut,
}

impl Hub {
    pub(super) fn new(model: OpenPlatform, runtime: Handle) -> Arc<Self> {
        let (spectators, _) = broadcast::channel(NOTICES_BEHIND_MAX);
        Arc::new(Self {
            inner: Mutex::new(Inner { model, links: BTreeMap::new() }),
            started: Instant::now(),
            next_conn: AtomicU64::new(1),
            runtime,
            moved: Notify::new(),
            spectators,
            history: Mutex::new(VecDeque::new()),
        })
    }

    /// Changes or reads the model at the clock's time, then does what it wants done.
    pub(super) fn drive<T>(self: &Arc<Self>, change: impl FnOnce(&mut OpenPlatform, Millis) -> T) -> T {
        let mut inner = self.lock();
        let now = self.now();
        let result = change(&mut inner.model, now);
        let actions = inner.model.take_actions();
        self.perform(&inner, actions);
        for notice in inner.model.take_notices() {
            self.tell(&notice);
        }
        drop(inner);
        self.moved.notify_one();
        result
    }

    /// Like [`Hub::drive`] for a change that returns its actions.
    pub(super) fn act(self: &Arc<Self>, change: impl FnOnce(&mut OpenPlatform, Millis) -> Vec<Action>) {
        self.drive(|model, now| {
            let actions = change(model, now);
            model.requeue(actions);
        });
    }

    /// Registers a link and opens its connection.
    pub(super) fn open(self: &Arc<Self>, orders: mpsc::UnboundedSender<Order>, cut: Arc<Notify>) -> ConnId {
        let conn = ConnId(self.next_conn.fetch_add(1, Ordering::Relaxed));
        self.lock().links.insert(conn, Link { orders, cut });
        self.act(|model, now| model.open(conn, now));
        conn
    }

    /// Takes a link out of the books after its task ended.
    pub(super) fn gone(self: &Arc<Self>, conn: ConnId, code: Option<u16>) {
        self.lock().links.remove(&conn);
        self.act(|model, now| model.closed(conn, code, now));
    }

    /// Tells every spectator, and keeps what the chats show.
    pub(super) fn tell(&self, notice: &Value) {
        let mut history = self.history.lock().expect("nothing panics under this lock");
        if is_chat(notice) {
            if history.len() == HISTORY_MAX {
                history.pop_front();
            }
            history.push_back(notice.clone());
        }
        // Without a spectator there is nobody to miss it.
        let _ = self.spectators.send(notice.to_string());
    }

    /// The chats so far, and every notice from then on.
    pub(super) fn watch(&self) -> (Vec<Value>, broadcast::Receiver<String>) {
        let history = self.history.lock().expect("nothing panics under this lock");
        (history.iter().cloned().collect(), self.spectators.subscribe())
    }

    /// Ticks the model at its deadlines, for ever.
    pub(super) async fn tick(self: Arc<Self>) {
        loop {
            let deadline = self.lock().model.next_deadline();
            let wait_ms = deadline.map_or(3_600_000, |at| at.saturating_sub(self.now()));
            tokio::select! {
                () = sleep(Duration::from_millis(wait_ms)) => self.act(|model, now| model.tick(now)),
                () = self.moved.notified() => {}
            }
        }
    }

    /// Shows the platform's counters to the spectators once a second, for ever.
    pub(super) async fn show_state(self: Arc<Self>) {
        loop {
            sleep(Duration::from_secs(1)).await;
            if self.spectators.receiver_count() > 0 {
                let state = self.drive(|model, now| model.state(now));
                self.tell(&serde_json::json!({"type": "state", "state": state}));
            }
        }
    }

    /// Whether the model panicked under the lock.
    pub(super) fn is_broken(&self) -> bool {
        self.inner.is_poisoned()
    }

    fn now(&self) -> Millis {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("the model panicked earlier; that panic is the one to read")
    }

    fn perform(self: &Arc<Self>, inner: &Inner, actions: Vec<Action>) {
        let fragment_bytes = inner.model.faults().fragment_bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX).max(1);
        for action in actions {
            match action {
                Action::Send { conn, frame } => inner.order(conn, Order::Send { frame, fragment_bytes }),
                Action::Close { conn, code, reason } => inner.order(conn, Order::Close { code, reason }),
                Action::Cut { conn } => {
                    inner.order(conn, Order::Cut);
                    self.cut_soon(inner.links.get(&conn));
                }
                Action::Webhook(push) => {
                    self.runtime.spawn(webhook::post(Arc::clone(self), push));
                }
            }
        }
    }

    /// A client that does not read must not keep its link open for ever.
    fn cut_soon(&self, link: Option<&Link>) {
        let Some(cut) = link.map(|link| Arc::clone(&link.cut)) else { return };
        self.runtime.spawn(async move {
            sleep(CUT_GRACE).await;
            cut.notify_one();
        });
    }
}

impl Inner {
    /// An order to a link whose task has just ended reaches nobody, as a packet to a closed socket would.
    fn order(&self, conn: ConnId, order: Order) {
        if let Some(link) = self.links.get(&conn) {
            let _ = link.orders.send(order);
        }
    }
}

fn is_chat(notice: &Value) -> bool {
    let kind = notice["type"].as_str().unwrap_or("");
    matches!(kind, "said" | "delivery" | "posted" | "post_failed" | "recalled" | "game")
}
