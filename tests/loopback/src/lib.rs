//! What the loopback tests share: a platform, a client or a whole bridge against it, and waiting for a condition.

pub mod rig;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use auk_gateway::{Credentials, Event, GatewayConfig};
use auk_runtime::{BridgeSession, Client, ClientConfig, ClientEvents, Options};
use auk_simulator::{Platform, Settings};
use serde_json::Value;

/// The group that the simulated platform starts with.
pub const GROUP: &str = "AB00000000000000000000000000C001";
/// Limit on anything that is waited for. Far above what any of it takes.
pub const PATIENCE_MS: u64 = 10_000;

/// A platform with a short heartbeat interval, so that silence is noticed within a test.
pub fn platform() -> Platform {
    Platform::start(Settings { heartbeat_interval_ms: 1_000, ..Settings::default() })
}

/// Settings for a client of that platform over plain connections.
pub fn config(platform: &Platform) -> ClientConfig {
    let shown = Settings::default();
    let credentials = Credentials::new(shown.app_id, shown.secret).expect("the simulator's own");
    let mut config = ClientConfig::new(GatewayConfig::new(credentials));
    config.token_url = format!("{}/app/getAppAccessToken", platform.base_url());
    config.api_base = platform.base_url().to_owned();
    config
}

/// The same over TLS, trusting the platform's own root.
pub fn tls_config(platform: &Platform) -> ClientConfig {
    let mut config = config(platform);
    config.token_url = format!("{}/app/getAppAccessToken", platform.tls_base_url());
    config.api_base = platform.tls_base_url().to_owned();
    config.extra_root_file = Some(platform.root_pem_path().to_owned());
    config
}

/// A client that is ready.
pub async fn ready_client(config: ClientConfig) -> (Client, ClientEvents) {
    let (client, mut events) = Client::start(config).expect("the settings are usable");
    next(&mut events, |event| matches!(event, Event::Ready { .. }).then_some(())).await;
    (client, events)
}

/// The first event that `wanted` takes.
pub async fn next<T>(events: &mut ClientEvents, mut wanted: impl FnMut(&Event) -> Option<T>) -> T {
    let found = async {
        loop {
            let event = events.recv().await.expect("the client lives");
            if let Some(found) = wanted(&event) {
                return found;
            }
        }
    };
    tokio::time::timeout(Duration::from_millis(PATIENCE_MS), found).await.expect("the event came in time")
}

/// The body of a dispatch, as it came.
pub fn body(event: &Event) -> Option<&str> {
    if let Event::Dispatch(dispatch) = event { Some(dispatch.data.as_ref()?.get()) } else { None }
}

/// The text of a group message.
pub fn text(event: &Event) -> Option<String> {
    let data: Value = serde_json::from_str(body(event)?).ok()?;
    Some(data["content"].as_str()?.trim().to_owned())
}

/// The text of the next group message.
pub async fn next_text(events: &mut ClientEvents) -> String {
    next(events, text).await
}

/// Waits until `found` has something.
pub fn eventually<T>(what: &str, found: impl FnMut() -> Option<T>) -> T {
    eventually_within(PATIENCE_MS, what, found)
}

/// The same with a limit of the caller's.
pub fn eventually_within<T>(limit_ms: u64, what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_millis(limit_ms);
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(Instant::now() < deadline, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A configuration directory with a settings file.
pub struct ConfigDir(tempfile::TempDir);

impl ConfigDir {
    /// A directory whose `auk.toml` has this text.
    pub fn with(auk_toml: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let config = Self(dir);
        config.write(auk_toml);
        config
    }

    /// The same below a directory of the caller's choice.
    pub fn within(parent: &Path, auk_toml: &str) -> Self {
        let config = Self(tempfile::tempdir_in(parent).expect("a temporary directory"));
        config.write(auk_toml);
        config
    }

    /// A directory without a settings file.
    pub fn empty() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory"))
    }

    /// Replaces the settings file.
    pub fn write(&self, auk_toml: &str) {
        std::fs::write(self.file(), auk_toml).expect("the settings file is written");
    }

    /// The settings file.
    pub fn file(&self) -> PathBuf {
        self.path().join("auk.toml")
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Options for a bridge with this directory.
    pub fn options(&self) -> Options {
        Options { config_dir: self.path().to_owned(), shim: "test".to_owned(), platform: "test".to_owned(), minecraft: "26.1".to_owned() }
    }
}

/// The text of a settings file for a platform.
pub fn auk_toml(platform_base: &str, secret: &str) -> String {
    let app_id = Settings::default().app_id;
    format!(
        "config_version = 1\nlanguage = \"en-US\"\n[bot]\napp_id = \"{app_id}\"\nsecret = \"{secret}\"\n[platform]\ntoken_url = \
         \"{platform_base}/app/getAppAccessToken\"\napi_base = \"{platform_base}\"\n[server]\nname = \"S\"\n[[groups]]\nopenid = \"{GROUP}\"\n"
    )
}

/// A bridge and what it has said so far.
pub struct Heard {
    /// The bridge.
    pub session: BridgeSession,
    frames: Vec<Value>,
}

impl Heard {
    /// Opens a bridge.
    pub fn open(config: &ConfigDir) -> Self {
        Self { session: BridgeSession::open(config.options()).expect("a thread"), frames: Vec::new() }
    }

    /// Submits a frame, which must be taken.
    pub fn submit(&self, frame: &Value) {
        assert_eq!(self.session.submit(frame.to_string().as_bytes()) as i32, 0, "{frame}");
    }

    /// Waits for a frame that `wanted` takes; all frames so far are looked at.
    pub fn wait_for<T>(&mut self, what: &str, mut wanted: impl FnMut(&Value) -> Option<T>) -> T {
        let deadline = Instant::now() + Duration::from_millis(PATIENCE_MS);
        let mut seen = 0;
        loop {
            while seen < self.frames.len() {
                if let Some(found) = wanted(&self.frames[seen]) {
                    return found;
                }
                seen += 1;
            }
            assert!(Instant::now() < deadline, "not in time: {what}; heard {:#?}", self.frames);
            self.hear(50);
        }
    }

    /// How many of the frames so far are such.
    pub fn count(&self, is_such: impl Fn(&Value) -> bool) -> usize {
        self.frames.iter().filter(|frame| is_such(frame)).count()
    }

    /// Takes frames for so long and returns all log lines of WARN and above so far.
    pub fn warnings_after(&mut self, ms: u64) -> Vec<String> {
        let deadline = Instant::now() + Duration::from_millis(ms);
        while Instant::now() < deadline {
            self.hear(20);
        }
        let is_warning = |frame: &&Value| frame["type"] == "log" && (frame["level"] == "warn" || frame["level"] == "error");
        self.frames.iter().filter(is_warning).map(|frame| frame["text"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The state of the gateway, as the status names it.
    pub fn state(&self) -> String {
        let status: Value = serde_json::from_slice(&self.session.status()).expect("the status is JSON");
        status["gateway"]["state"].as_str().expect("a name").to_owned()
    }

    /// Waits until the gateway is ready.
    pub fn wait_until_ready(&self) {
        eventually("the gateway is ready", || (self.state() == "ready").then_some(()));
    }

    fn hear(&mut self, ms: u64) {
        if let Some(frame) = self.session.poll(Duration::from_millis(ms)) {
            self.frames.push(serde_json::from_slice(&frame).expect("frames are JSON"));
        }
    }
}
