//! What survives the process, and what a file that cannot be used costs: one line.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use auk_gateway::{Credentials, Event, GatewayConfig};
use auk_loopback::{ConfigDir, GROUP, Heard, auk_toml, config, next, next_text, platform, ready_client, text};
use auk_runtime::{Client, ClientConfig, ClientEvents, CloseOutcome};
use auk_simulator::{Platform, Say, Settings};
use rusqlite::Connection;
use serde_json::Value;

/// Settings with a store in a directory.
fn with_store(platform: &Platform, directory: &Path) -> ClientConfig {
    ClientConfig { store: Some(directory.join("auk.db")), ..config(platform) }
}

fn say(platform: &Platform, text: &str) {
    platform.say(GROUP, &Say::at("a", text)).expect("known");
}

/// Ends a client as a server does that stops: its owner deals with what there is first.
async fn suspend(mut client: Client, mut events: ClientEvents) {
    client.begin_suspend();
    while events.recv().await.is_some() {}
    client.suspend().await;
}

/// Takes texts until the session is resumed and `last` was among them.
async fn texts_until(events: &mut ClientEvents, last: &str) -> Vec<String> {
    let (mut texts, mut is_resumed) = (Vec::new(), false);
    while !is_resumed || texts.last().is_none_or(|text| text != last) {
        next(events, |event| {
            assert!(!matches!(event, Event::Ready { .. }), "a new session");
            texts.extend(text(event));
            is_resumed |= matches!(event, Event::Resumed { .. });
            Some(())
        })
        .await;
    }
    texts
}

#[tokio::test]
async fn a_restart_resumes_asks_for_nothing_and_delivers_what_was_said_meanwhile_once() {
    let (platform, directory) = (platform(), tempfile::tempdir().expect("a directory"));
    let (client, mut events) = ready_client(with_store(&platform, directory.path())).await;
    say(&platform, "one");
    assert_eq!(next_text(&mut events).await, "one");
    suspend(client, events).await;
    say(&platform, "two");
    say(&platform, "three");
    let (client, mut events) = Client::start(with_store(&platform, directory.path())).expect("usable");
    assert_eq!(texts_until(&mut events, "three").await, ["two", "three"]);
    say(&platform, "four");
    assert_eq!(next_text(&mut events).await, "four");
    let state = platform.state();
    assert_eq!((state.identifies.total, state.resumes.total, state.lookups.total, state.token_requests.total), (1, 1, 1, 1));
    suspend(client, events).await;
}

#[tokio::test]
async fn a_stop_is_final_and_the_next_process_begins_a_session_with_the_token_that_is_there() {
    let (platform, directory) = (platform(), tempfile::tempdir().expect("a directory"));
    let (mut client, _events) = ready_client(with_store(&platform, directory.path())).await;
    client.stop().await;
    let (_client, _events) = ready_client(with_store(&platform, directory.path())).await;
    let state = platform.state();
    assert_eq!((state.identifies.total, state.resumes.total, state.lookups.total, state.token_requests.total), (2, 0, 1, 1));
}

/// Tells the child below where to connect; without it the test is the parent.
const CHILD_PLATFORM: &str = "AUK_TEST_PLATFORM";
const CHILD_STORE: &str = "AUK_TEST_STORE";

#[tokio::test]
async fn a_process_that_dies_is_followed_by_one_that_takes_up_where_the_owner_was() {
    if let (Ok(base), Ok(store)) = (std::env::var(CHILD_PLATFORM), std::env::var(CHILD_STORE)) {
        die_after_ten(&base, store.into()).await;
    }
    let (platform, directory) = (platform(), tempfile::tempdir().expect("a directory"));
    let store = directory.path().join("auk.db");
    let child = std::env::current_exe().map(|test| {
        let name = "a_process_that_dies_is_followed_by_one_that_takes_up_where_the_owner_was";
        Command::new(test).args(["--exact", name]).env(CHILD_PLATFORM, platform.base_url()).env(CHILD_STORE, &store).spawn()
    });
    let mut child = child.expect("this test").expect("it starts");
    auk_loopback::eventually("the child is online", || platform.state().online.then_some(()));
    for n in 1..=50 {
        say(&platform, &n.to_string());
    }
    assert!(!child.wait().expect("it ends").success(), "it died");
    let (_client, mut events) = Client::start(with_store(&platform, directory.path())).expect("usable");
    let numbers: Vec<u32> = texts_until(&mut events, "50").await.iter().map(|text| text.parse().expect("a number")).collect();
    // The tenth was being dealt with, so it may come again.
    assert!(numbers == (11..=50).collect::<Vec<_>>() || numbers == (10..=50).collect::<Vec<_>>(), "{numbers:?}");
    let state = platform.state();
    assert_eq!((state.identifies.total, state.lookups.total, state.token_requests.total), (1, 1, 1));
}

async fn die_after_ten(base: &str, store: PathBuf) -> ! {
    let shown = Settings::default();
    let credentials = Credentials::new(shown.app_id, shown.secret).expect("the simulator's own");
    let mut config = ClientConfig::new(GatewayConfig::new(credentials));
    config.token_url = format!("{base}/app/getAppAccessToken");
    config.api_base = base.to_owned();
    config.store = Some(store);
    let (_client, mut events) = ready_client(config).await;
    for n in 1..=10 {
        assert_eq!(next_text(&mut events).await, n.to_string());
    }
    // The point is written a quarter of a second after it moved; a process that dies sooner has some more messages come again.
    tokio::time::sleep(Duration::from_secs(2)).await;
    std::process::abort();
}

#[tokio::test]
async fn a_client_that_is_dropped_leaves_what_its_owner_had_not_taken_to_the_next() {
    let (platform, directory) = (platform(), tempfile::tempdir().expect("a directory"));
    let (client, mut events) = ready_client(with_store(&platform, directory.path())).await;
    for n in 1..=20 {
        say(&platform, &n.to_string());
    }
    for n in 1..=5 {
        assert_eq!(next_text(&mut events).await, n.to_string());
    }
    drop((client, events));
    let (_client, mut events) = Client::start(with_store(&platform, directory.path())).expect("usable");
    let expected: Vec<_> = (5..=20).map(|n: u32| n.to_string()).collect();
    assert_eq!(texts_until(&mut events, "20").await, expected, "the fifth was being dealt with");
}

#[tokio::test]
async fn thirty_starts_in_a_row_stay_within_the_limits_of_one() {
    let (platform, directory) = (platform(), tempfile::tempdir().expect("a directory"));
    drop(ready_client(with_store(&platform, directory.path())).await);
    for _ in 0..30 {
        let (client, _events) = Client::start(with_store(&platform, directory.path())).expect("usable");
        tokio::time::sleep(Duration::from_millis(20)).await;
        drop(client);
    }
    let state = platform.state();
    // Each has token, address and session of the first; 35 attempts to connect, and one more in 15 s, are the limit.
    let counts = (state.token_requests.total, state.lookups.total, state.identifies.total);
    assert_eq!(counts, (1, 1, 1));
    assert!(state.connects.total <= 36, "{}", state.connects.total);
}

#[tokio::test]
async fn another_bot_and_another_platform_do_not_use_what_is_there() {
    let (first, directory) = (platform(), tempfile::tempdir().expect("a directory"));
    let (client, events) = ready_client(with_store(&first, directory.path())).await;
    suspend(client, events).await;
    // The platform does not know this bot, and is asked all the same: the other's token and session are not its own.
    let mut stranger = with_store(&first, directory.path());
    stranger.gateway.credentials = Credentials::new("99", "secret").expect("usable");
    let (mut client, mut events) = Client::start(stranger).expect("usable");
    next(&mut events, |event| matches!(event, Event::Halted { .. }).then_some(())).await;
    client.stop().await;
    let state = first.state();
    assert_eq!((state.token_requests.total, state.resumes.total, state.connects.total), (2, 0, 1));
    let second = platform();
    let (mut client, _events) = ready_client(with_store(&second, directory.path())).await;
    client.stop().await;
    assert_eq!((second.state().token_requests.total, second.state().identifies.total), (1, 1));
    // The first bot's memory outlived both.
    let (_client, mut events) = Client::start(with_store(&first, directory.path())).expect("usable");
    next(&mut events, |event| matches!(event, Event::Resumed { .. }).then_some(())).await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (platform, directory) = (platform(), tempfile::tempdir().expect("a directory"));
    let path = directory.path().join("auk.db");
    std::fs::write(&path, "").expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("set");
    let (_client, _events) = ready_client(with_store(&platform, directory.path())).await;
    for entry in std::fs::read_dir(directory.path()).expect("readable") {
        let entry = entry.expect("an entry");
        let mode = entry.metadata().expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{:?}", entry.file_name());
    }
}

#[test]
fn a_server_that_restarts_hears_what_was_said_meanwhile() {
    let platform = platform();
    let config = bridge_config(&platform);
    let heard = Heard::open(&config);
    heard.wait_until_ready();
    assert_eq!(heard.session.close(Duration::from_secs(3)), CloseOutcome::Ended);
    say(&platform, "while you were away");
    let mut heard = Heard::open(&config);
    let said = |frame: &Value| (frame["type"] == "say").then(|| frame["text"].as_str().unwrap_or_default().to_owned());
    assert_eq!(heard.wait_for("the line", said), "[QQ] a: while you were away");
    let state = platform.state();
    assert_eq!((state.identifies.total, state.resumes.total, state.token_requests.total), (1, 1, 1));
}

fn bridge_config(platform: &Platform) -> ConfigDir {
    ConfigDir::with(&auk_toml(platform.base_url(), &Settings::default().secret))
}

/// Opens a bridge on a store that cannot be used: it gets ready all the same, and says why once.
fn assert_said_once(config: &ConfigDir, words: &str) -> Heard {
    let mut heard = Heard::open(config);
    heard.wait_until_ready();
    let warnings = heard.warnings_after(500);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains(words) && warnings[0].contains("auk.db"), "{warnings:?}");
    heard
}

#[test]
fn a_directory_in_place_of_the_file_is_said_once() {
    let platform = platform();
    let config = bridge_config(&platform);
    std::fs::create_dir(config.path().join("auk.db")).expect("made");
    assert_said_once(&config, "cannot be used");
}

#[test]
fn a_damaged_file_is_said_once_and_left_as_it_is() {
    let platform = platform();
    let config = bridge_config(&platform);
    let path = config.path().join("auk.db");
    let garbage = "no database ".repeat(1_000);
    std::fs::write(&path, &garbage).expect("written");
    let heard = assert_said_once(&config, "damaged");
    heard.session.close(Duration::from_secs(3));
    assert_eq!(std::fs::read_to_string(&path).expect("readable"), garbage);
}

#[test]
fn a_file_of_something_else_is_said_once_and_left_as_it_is() {
    let platform = platform();
    let config = bridge_config(&platform);
    let path = config.path().join("auk.db");
    Connection::open(&path).and_then(|db| db.execute_batch("CREATE TABLE somebody_elses (x)")).expect("written");
    let before = std::fs::read(&path).expect("readable");
    let heard = assert_said_once(&config, "no file of Auk's");
    heard.session.close(Duration::from_secs(3));
    assert_eq!(std::fs::read(&path).expect("readable"), before);
}

#[test]
fn a_file_of_a_newer_version_is_said_once_and_left_as_it_is() {
    let platform = platform();
    let config = bridge_config(&platform);
    let path = config.path().join("auk.db");
    Connection::open(&path).and_then(|db| db.execute_batch("CREATE TABLE bot (x); PRAGMA user_version = 99")).expect("written");
    let before = std::fs::read(&path).expect("readable");
    let heard = assert_said_once(&config, "newer Auk (format 99)");
    heard.session.close(Duration::from_secs(3));
    assert_eq!(std::fs::read(&path).expect("readable"), before);
}

#[test]
fn a_file_that_another_bridge_holds_is_said_once_and_each_has_a_session() {
    let (first, second) = (platform(), platform());
    let config = bridge_config(&first);
    let holder = Heard::open(&config);
    holder.wait_until_ready();
    // The same directory, and so the same file, as when two servers are started from one copy.
    config.write(&auk_toml(second.base_url(), &Settings::default().secret));
    assert_said_once(&config, "in use by another process");
    assert_eq!(holder.state(), "ready");
}

/// A file system of a few pages, which needs the rights of root.
struct Tiny(tempfile::TempDir);

impl Tiny {
    fn mount(kilobytes: u32) -> Option<Self> {
        let place = Self(tempfile::tempdir().expect("a directory"));
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "tmpfs"]).arg(place.0.path()).output();
        if mounted.is_ok_and(|done| done.status.success()) {
            return Some(place);
        }
        eprintln!("skipped: a file system of its own cannot be mounted without the rights of root");
        None
    }

    fn make_read_only(&self) {
        let done = Command::new("mount").args(["-o", "remount,ro"]).arg(self.0.path()).status();
        assert!(done.is_ok_and(|status| status.success()));
    }
}

impl Drop for Tiny {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn a_directory_that_is_read_only_is_said_once() {
    let Some(disk) = Tiny::mount(256) else { return };
    let platform = platform();
    let config = ConfigDir::within(disk.0.path(), &auk_toml(platform.base_url(), &Settings::default().secret));
    disk.make_read_only();
    assert_said_once(&config, "cannot be used");
}

#[test]
fn a_disk_that_is_full_is_said_once() {
    // One page of 4 KiB for the settings and two more: not enough for the tables.
    let Some(disk) = Tiny::mount(12) else { return };
    let platform = platform();
    let config = ConfigDir::within(disk.0.path(), &auk_toml(platform.base_url(), &Settings::default().secret));
    assert_said_once(&config, "disk is full");
}

#[test]
fn a_disk_that_fills_up_later_is_said_once_and_the_bridge_goes_on() {
    let Some(disk) = Tiny::mount(512) else { return };
    let platform = platform();
    let config = ConfigDir::within(disk.0.path(), &auk_toml(platform.base_url(), &Settings::default().secret));
    let mut heard = Heard::open(&config);
    heard.wait_until_ready();
    assert_eq!(heard.warnings_after(500), Vec::<String>::new());
    // Fills what is left to the last byte, and fails at it.
    let _ = std::fs::write(disk.0.path().join("filler"), vec![0; 1 << 20]);
    for n in 0..40 {
        // Each moves the resume point.
        say(&platform, &n.to_string());
        heard.warnings_after(60);
    }
    let warnings = heard.warnings_after(500);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("disk is full"), "{warnings:?}");
    assert_eq!(heard.state(), "ready");
    assert_eq!(heard.session.close(Duration::from_secs(3)), CloseOutcome::Ended);
}
