//! What stands between a client and the platform, and what is seen of both: a relay that breaks links, a name server and a proxy that
//! fail, a page where the platform should be, a client as a process of its own, and the rules that hold in every scenario.

mod conduct;
mod dns;
mod linux;
mod page;
mod process;
mod profile;
mod proxy;
mod pump;
mod relay;
mod ruler;
pub mod situation;

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use auk_gateway::Event;
use auk_runtime::ClientEvents;
use auk_simulator::{Platform, Say};
use tokio::runtime::{Builder, Handle};
use tokio::task::JoinHandle;

pub use conduct::{Conduct, assert_conduct};
pub use dns::{NameServer, Names, has_private_names};
pub use linux::Figures;
pub use page::Page;
pub use process::{Consumer, Echo, Program};
pub use profile::{HEARTBEAT_MS, STAGE_MS, config, pace, platform, platform_with};
pub use proxy::Proxy;
pub use pump::{Flow, Way};
pub use relay::Relay;
pub use ruler::Ruler;

use crate::{GROUP, PATIENCE_MS, text};

/// The rig's own runtime: a test that blocks its thread does not hold up what stands in between.
fn runtime() -> &'static Handle {
    static RUNTIME: LazyLock<Handle> = LazyLock::new(|| {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let handle = runtime.handle().clone();
        std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
        handle
    });
    &RUNTIME
}

/// Waits until `found` has something, without blocking the thread, on which the client runs.
pub async fn until<T>(what: &str, found: impl FnMut() -> Option<T>) -> T {
    until_within(PATIENCE_MS, what, found).await
}

/// The same with a limit of the caller's.
pub async fn until_within<T>(limit_ms: u64, what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_millis(limit_ms);
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(Instant::now() < deadline, "not in {limit_ms} ms: {what}");
        pause(5).await;
    }
}

/// Lets time pass.
pub async fn pause(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

/// A variant of a scenario: its name and what it does.
pub type Variant = (&'static str, Box<dyn FnOnce() + Send>);

/// Runs all variants of a scenario at the same time, each on a thread of its own; a failure names its variant.
pub fn side_by_side(variants: impl IntoIterator<Item = Variant>) {
    let running: Vec<_> = variants.into_iter().map(|(name, variant)| (name, std::thread::spawn(variant))).collect();
    let failed: Vec<&str> = running.into_iter().filter_map(|(name, thread)| thread.join().err().map(|_| name)).collect();
    assert!(failed.is_empty(), "failed, see above: {failed:?}");
}

/// A variant that blocks its thread.
pub fn blocking(name: &'static str, run: impl FnOnce() + Send + 'static) -> Variant {
    (name, Box::new(run))
}

/// A variant with a tokio runtime of its own.
pub fn variant<F: Future<Output = ()>>(name: &'static str, run: impl FnOnce() -> F + Send + 'static) -> Variant {
    blocking(name, move || Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(run()))
}

/// Events of a client as they come, taken by a task, so that nothing is held back while a test looks elsewhere.
pub struct Heard {
    seen: Arc<Mutex<Vec<Event>>>,
    task: JoinHandle<()>,
}

impl Heard {
    /// Listens from here on.
    pub fn listen(mut events: ClientEvents) -> Self {
        let seen = Arc::<Mutex<Vec<Event>>>::default();
        let noted = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            while let Some(event) = events.recv().await {
                noted.lock().unwrap_or_else(PoisonError::into_inner).push(event);
            }
        });
        Self { seen, task }
    }

    /// Everything so far.
    pub fn all(&self) -> Vec<Event> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The texts of the group messages so far.
    pub fn texts(&self) -> Vec<String> {
        self.all().iter().filter_map(text).collect()
    }

    /// How many events `is` takes.
    pub fn count(&self, is: impl Fn(&Event) -> bool) -> usize {
        self.all().iter().filter(|event| is(event)).count()
    }

    /// Waits until that many are there.
    pub async fn until(&self, what: &str, count: usize, is: impl Fn(&Event) -> bool) {
        until(what, || (self.count(&is) >= count).then_some(())).await;
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Whether this is RESUMED.
pub fn is_resumed(event: &Event) -> bool {
    matches!(event, Event::Resumed { .. })
}

/// Whether this is READY.
pub fn is_ready(event: &Event) -> bool {
    matches!(event, Event::Ready { .. })
}

/// Says something in the group that the platform starts with, mentioning the bot.
pub fn say(platform: &Platform, text: &str) -> String {
    platform.say(GROUP, &Say::at("a", text)).expect("known").msg_id
}

/// Look-ups hand out the platform's own address for the WebSocket, whatever way they came.
pub fn lead_around(platform: &Platform) {
    let url = format!("ws{}/websocket", platform.base_url().trim_start_matches("http"));
    platform.patch_faults(&serde_json::json!({ "address_url": url })).expect("known");
}

/// A message said now arrives: the scenario ends in a repaired state.
pub async fn probe(platform: &Platform, heard: &Heard) {
    say(platform, "probe");
    until("the probe", || heard.texts().iter().any(|text| text == "probe").then_some(())).await;
}
