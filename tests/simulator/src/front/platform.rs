//! A running platform on its own thread.

use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use super::game::Game;
use super::http::{Front, router};
use super::hub::Hub;
use super::serve::serve;
use super::tls::Identity;
use crate::model::{Act, Action, ControlError, Faults, Group, OpenPlatform, Posted, Record, Said, Say, Settings, State};

/// How long tasks may take to end when the platform stops.
const STOP_TIMEOUT: Duration = Duration::from_millis(500);

/// A platform that listens on 127.0.0.1. Dropping it stops it, and panics if the platform's own code panicked.
///
/// The methods are the control API of the front, synchronous; they may be called from any thread.
pub struct Platform {
    hub: Arc<Hub>,
    base_url: String,
    tls_base_url: String,
    root_pem: String,
    root_file: PathBuf,
    _dir: TempDir,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread tells once it listens.
struct Listening {
    hub: Arc<Hub>,
    port: u16,
    tls_port: u16,
    root_pem: String,
}

impl Platform {
    /// Starts a platform, and returns when it listens.
    ///
    /// # Panics
    ///
    /// Panics when a port cannot be had, or no thread or temporary file can be made.
    #[must_use]
    pub fn start(settings: Settings) -> Self {
        Self::try_start(settings).expect("the simulator listens on 127.0.0.1")
    }

    /// Starts a platform, and returns when it listens.
    ///
    /// # Errors
    ///
    /// Returns why a port cannot be had, or no thread or temporary file can be made.
    pub fn try_start(mut settings: Settings) -> io::Result<Self> {
        // Two providers in one process are fine here: whoever was first stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        settings.epoch_unix_ms = unix_ms();
        let (stop, stopped) = oneshot::channel();
        let (told, listening) = mpsc::channel();
        let name = format!("simulator {}", thread::current().name().unwrap_or("main"));
        let thread = thread::Builder::new().name(name).spawn(move || run(settings, &told, stopped))?;
        let listening = listening.recv().map_err(|_| io::Error::other("the simulator's thread ended"))??;
        let dir = TempDir::with_prefix("auk-simulator-")?;
        let root_file = dir.path().join("root.pem");
        std::fs::write(&root_file, &listening.root_pem)?;
        Ok(Self {
            hub: listening.hub,
            base_url: format!("http://127.0.0.1:{}", listening.port),
            tls_base_url: format!("https://127.0.0.1:{}", listening.tls_port),
            root_pem: listening.root_pem,
            root_file,
            _dir: dir,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// `https://127.0.0.1:PORT`.
    #[must_use]
    pub fn tls_base_url(&self) -> &str {
        &self.tls_base_url
    }

    /// The root certificate that signs the TLS front's, as PEM text.
    #[must_use]
    pub fn root_pem(&self) -> &str {
        &self.root_pem
    }

    /// A file with [`Platform::root_pem`]; it goes with the platform.
    #[must_use]
    pub fn root_pem_path(&self) -> &Path {
        &self.root_file
    }

    /// A member says something in a group, given by openid or name.
    ///
    /// # Errors
    ///
    /// As [`OpenPlatform::say`].
    pub fn say(&self, group: &str, say: &Say) -> Result<Said, ControlError> {
        self.hub.drive(|model, now| model.say(group, say, now))
    }

    /// A person writes to the bot alone.
    ///
    /// # Errors
    ///
    /// As [`OpenPlatform::say_alone`].
    pub fn say_alone(&self, user: &str, say: &Say) -> Result<Said, ControlError> {
        self.hub.drive(|model, now| model.say_alone(user, say, now))
    }

    /// Pushes any event by name; returns its event id and sequence number.
    ///
    /// # Errors
    ///
    /// As [`OpenPlatform::emit`].
    pub fn emit(&self, name: &str, d: &Value) -> Result<(String, Option<u64>), ControlError> {
        self.hub.drive(|model, now| model.emit(name, d, now))
    }

    /// Sends a raw text message, unread; `{{s}}` becomes the next sequence number.
    ///
    /// # Errors
    ///
    /// As [`OpenPlatform::push_raw`].
    pub fn push(&self, bytes: &[u8]) -> Result<Option<u64>, ControlError> {
        self.hub.drive(|model, now| model.push_raw(bytes, false, now))
    }

    /// Sends a raw binary message, unread.
    ///
    /// # Errors
    ///
    /// As [`OpenPlatform::push_raw`].
    pub fn push_binary(&self, bytes: &[u8]) -> Result<Option<u64>, ControlError> {
        self.hub.drive(|model, now| model.push_raw(bytes, true, now))
    }

    /// The fault switches.
    #[must_use]
    pub fn faults(&self) -> Faults {
        self.hub.drive(|model, _| model.faults().clone())
    }

    /// Replaces all fault switches; `Faults::default()` turns every fault off.
    pub fn set_faults(&self, faults: Faults) {
        self.act_with(|model, now| model.set_faults(faults, now));
    }

    /// Merges a JSON object into the fault switches.
    ///
    /// # Errors
    ///
    /// As [`OpenPlatform::patch_faults`].
    pub fn patch_faults(&self, patch: &Value) -> Result<(), ControlError> {
        self.hub.drive(|model, now| {
            let actions = model.patch_faults(patch, now)?;
            model.requeue(actions);
            Ok(())
        })
    }

    /// Does something at once.
    pub fn act(&self, act: &Act) {
        self.act_with(|model, now| model.act(act, now));
    }

    /// Changes a group's rights; returns whether there is such a group.
    pub fn change_group(&self, group: &str, change: impl FnOnce(&mut Group)) -> bool {
        self.hub.drive(|model, _| model.change_group(group, change))
    }

    /// Asks the webhook of the settings to prove that it knows the secret; its events are pushed afterwards.
    pub fn validate_webhook(&self) {
        self.act_with(|model, now| model.validate_webhook(now));
    }

    /// Everything that the bot posted, oldest first.
    #[must_use]
    pub fn posted(&self) -> Vec<Posted> {
        self.hub.drive(|model, _| model.posted().to_vec())
    }

    /// Everything that was recorded, oldest first.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        self.hub.drive(|model, _| model.records().cloned().collect())
    }

    /// The platform's view of the moment.
    #[must_use]
    pub fn state(&self) -> State {
        self.hub.drive(|model, now| model.state(now))
    }

    fn act_with(&self, change: impl FnOnce(&mut OpenPlatform, u64) -> Vec<Action>) {
        self.hub.act(change);
    }
}

impl Drop for Platform {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The thread may have panicked before, which the join below tells.
            let _ = stop.send(());
        }
        let ended = self.thread.take().map(JoinHandle::join);
        let broken = self.hub.is_broken() || ended.is_some_and(|ended| ended.is_err());
        if broken && !thread::panicking() {
            panic!("the simulator panicked; its own message is above");
        }
    }
}

fn run(settings: Settings, told: &mpsc::Sender<io::Result<Listening>>, stopped: oneshot::Receiver<()>) {
    let runtime = match Builder::new_multi_thread().worker_threads(2).thread_name("simulator worker").enable_all().build() {
        Ok(runtime) => runtime,
        Err(problem) => return drop(told.send(Err(problem))),
    };
    runtime.block_on(async {
        match listen(settings).await {
            Ok(listening) => {
                // Whoever started us may have given up waiting.
                let _ = told.send(Ok(listening));
                let _ = stopped.await;
            }
            Err(problem) => drop(told.send(Err(problem))),
        }
    });
    runtime.shutdown_timeout(STOP_TIMEOUT);
}

async fn listen(settings: Settings) -> io::Result<Listening> {
    let plain = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port)).await?;
    let secure = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.tls_port)).await?;
    let (port, tls_port) = (plain.local_addr()?.port(), secure.local_addr()?.port());
    let identity = Identity::create().map_err(io::Error::other)?;
    let has_webhook = settings.webhook_url.is_some();
    let hub = Hub::new(OpenPlatform::new(settings), Handle::current());
    let game = Game::new();
    let front = |scheme| Front { hub: Arc::clone(&hub), game: Arc::clone(&game), scheme };
    tokio::spawn(serve(plain, None, router(front("http"))));
    tokio::spawn(serve(secure, Some(identity.acceptor), router(front("https"))));
    tokio::spawn(Arc::clone(&hub).tick());
    tokio::spawn(Arc::clone(&hub).show_state());
    if has_webhook {
        hub.act(|model, now| model.validate_webhook(now));
    }
    Ok(Listening { hub, port, tls_port, root_pem: identity.root_pem })
}

fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
