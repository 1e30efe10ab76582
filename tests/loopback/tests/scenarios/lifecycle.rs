//! One connection, nothing left behind, and an end that is one: the scenarios S33 to S36 of the catalogue.

use std::time::{Duration, Instant};

use auk_loopback::eventually;
use auk_loopback::rig::{
    self, Conduct, Consumer, Flow, HEARTBEAT_MS, Heard, Relay, Way, assert_conduct, is_ready, is_resumed, pause, probe, say, side_by_side,
};
use auk_runtime::Client;
use auk_simulator::Platform;
use auk_simulator::model::{Act, ClosedBy, InvalidSession, Seen};
use serde_json::json;

#[tokio::test]
async fn s33_whatever_ends_a_link_at_the_same_moment_makes_one_new_link() {
    let platform = rig::platform();
    let (_client, events) = Client::start(rig::config(platform.base_url())).expect("usable");
    let heard = Heard::listen(events);
    heard.until("ready", 1, is_ready).await;
    let groups: [&[Act]; 3] =
        [&[Act::Op7, Act::Close(4009)], &[Act::Op9(InvalidSession::Resumable), Act::Op7, Act::Close(4009)], &[Act::Op7, Act::Cut]];
    for (n, acts) in groups.into_iter().enumerate() {
        acts.iter().for_each(|act| platform.act(act));
        heard.until("resumed", n + 1, is_resumed).await;
        say(&platform, &format!("p{n}"));
        rig::until("the probe", || (heard.texts().len() > n).then_some(())).await;
        // Long enough for a second attempt to show, had there been another trigger: the back-off begins at 0.25 s.
        pause(600).await;
        let state = platform.state();
        assert_eq!((state.connects.total, state.connections.len()), (n as u64 + 2, 1), "one new link for each group");
    }
    assert_eq!(heard.texts(), ["p0", "p1", "p2"]);
    let state = platform.state();
    assert_eq!((state.identifies.total, state.token_requests.total), (1, 1));
    assert_conduct(&platform, Conduct::default());
}

/// 8 s instead of 20: one whole window of 5 s, and a back-off that is near its cap.
const DEAD_MS: u64 = 8_000;
const WINDOW_MS: u64 = 5_000;
/// 5 % of a core.
const BUSY_MS_MAX: u64 = WINDOW_MS / 20;

#[test]
fn s34_a_dead_socket_costs_no_processor_time_and_is_replaced() {
    side_by_side([
        rig::blocking("a: FIN, and all ports refuse", || {
            let (platform, relay, mut consumer) = online();
            relay.refuse();
            relay.fin(Way::ToClient);
            assert_idle(&mut consumer);
            relay.listen();
            assert_back(&platform, &consumer);
        }),
        rig::blocking("b: a close frame, and the socket stays half open", || {
            let (platform, relay, mut consumer) = online();
            platform.act(&Act::Close(4900));
            std::thread::sleep(Duration::from_millis(50));
            // The end of TCP, a second behind the close frame, does not reach the client.
            relay.freeze_open();
            assert_idle(&mut consumer);
            assert_back(&platform, &consumer);
        }),
        rig::blocking("c: FIN in the middle of a frame", || {
            let (platform, relay, mut consumer) = online();
            relay.set_flow(Way::ToClient, Flow::Drip(2_000));
            say(&platform, &"x".repeat(4_000));
            std::thread::sleep(Duration::from_millis(500));
            relay.fin(Way::ToClient);
            relay.set_flow(Way::ToClient, Flow::Pass);
            assert_idle(&mut consumer);
            assert_back(&platform, &consumer);
        }),
        rig::blocking("d: RST, no upgrade, and look-ups answer 500 at once", || {
            let (platform, relay, mut consumer) = online();
            platform.patch_faults(&json!({ "address_status": 500, "refuse_upgrade": 503 })).expect("known");
            relay.rst(Way::ToClient);
            assert_idle(&mut consumer);
            // 0.25 s doubled to 4 s, each less a quarter: at 0, 0.2, 0.6, 1.3, 2.8, 5.8 and 8.8 s, and look-ups in between.
            let state = platform.state();
            assert!((3..=9).contains(&state.connects.total), "{state:?}");
            platform.act(&Act::Heal);
            assert_back(&platform, &consumer);
        }),
        rig::blocking("SIGTERM in the middle", || {
            let (_platform, relay, mut consumer) = online();
            relay.refuse();
            relay.rst(Way::ToClient);
            std::thread::sleep(Duration::from_secs(1));
            let (took, is_success) = consumer.0.terminate();
            assert!(is_success && took < Duration::from_secs(3), "{took:?}");
        }),
    ]);
}

fn online() -> (Platform, Relay, Consumer) {
    let platform = rig::platform();
    let relay = Relay::to(platform.base_url());
    let consumer = Consumer::ready(&relay.base_url(), &[]);
    say(&platform, "probe");
    eventually("the probe", || consumer.texts().first().cloned());
    (platform, relay, consumer)
}

fn assert_idle(consumer: &mut Consumer) {
    // What the loss itself costs is over.
    std::thread::sleep(Duration::from_millis(DEAD_MS - WINDOW_MS));
    let before_ms = consumer.0.figures().cpu_ms;
    std::thread::sleep(Duration::from_millis(WINDOW_MS));
    assert!(consumer.0.is_alive());
    let busy_ms = consumer.0.figures().cpu_ms - before_ms;
    assert!(busy_ms <= BUSY_MS_MAX, "{busy_ms} ms in {WINDOW_MS} ms");
    let mark = consumer.mark();
    consumer.order("status");
    let status = consumer.wait_for("the status", mark, |seen| (seen["kind"] == "status").then(|| seen["status"].clone()));
    assert!(status["deadline"]["in_ms"].as_u64().is_some_and(|ms| ms <= WINDOW_MS), "a timer is pending: {status}");
}

fn assert_back(platform: &Platform, consumer: &Consumer) {
    let began = Instant::now();
    eventually("it is back", || platform.state().online.then_some(()));
    assert!(began.elapsed() <= Duration::from_secs(7), "{:?}", began.elapsed());
    say(platform, "again");
    eventually("the probe", || consumer.texts().iter().any(|text| text == "again").then_some(()));
    assert_conduct(platform, Conduct::default());
}

/// Back-off and cap of 100 ms, the least that this client takes; stages of 200 ms; a session counts as settled at once.
const S35_PACE: &str = "100,100,200,0";
/// 20 rounds of seven kinds instead of 500 cycles: what one leaves behind shows as a slope all the same, over 112 cycles.
const ROUNDS: usize = 20;
const ROUNDS_TO_WARM_UP: usize = 4;

#[test]
fn s35_a_reconnect_leaves_nothing_behind() {
    // Of the beats only what a cycle itself makes would be seen.
    let platform = rig::platform_with(|settings| settings.heartbeat_intervals_missed_max = 0);
    let relay = Relay::to(platform.base_url());
    let mut consumer = Consumer::ready(&relay.base_url(), &[("AUK_TEST_PACE", S35_PACE)]);
    let mut warm = None;
    for round in 0..ROUNDS {
        if round == ROUNDS_TO_WARM_UP {
            warm = Some(consumer.0.figures());
        }
        for kind in 0..7 {
            cycle(&platform, &relay, kind);
        }
    }
    let (warm, after) = (warm.expect("measured"), consumer.0.figures());
    assert!(after.descriptors.abs_diff(warm.descriptors) <= 3, "{warm:?} {after:?}");
    assert_eq!(after.threads, warm.threads, "{warm:?} {after:?}");
    assert!(after.rss_kib.saturating_sub(warm.rss_kib) < 10 * 1024, "{warm:?} {after:?}");
    assert_eq!(close_waits(consumer.0.pid()), 0);
    assert!(consumer.0.is_alive());
    consumer.order("status");
    say(&platform, "probe");
    eventually("the probe", || consumer.texts().iter().any(|text| text == "probe").then_some(()));
    assert_conduct(&platform, Conduct::default());
}

/// Ends the link in one of seven ways and waits until it is back.
fn cycle(platform: &Platform, relay: &Relay, kind: usize) {
    let sessions_before = ready_or_resumed(platform);
    let is_back = || (ready_or_resumed(platform) > sessions_before).then_some(());
    let trouble = match kind {
        0 => {
            relay.fin(Way::ToClient);
            return eventually("back after FIN", is_back);
        }
        1 => {
            relay.rst(Way::ToClient);
            return eventually("back after RST", is_back);
        }
        2 => {
            platform.act(&Act::Op7);
            return eventually("back after op 7", is_back);
        }
        3 => {
            relay.refuse();
            relay.rst(Way::ToClient);
            std::thread::sleep(Duration::from_millis(150));
            relay.listen();
            return eventually("back after refusals", is_back);
        }
        4 => json!({ "upgrade_hang_ms": 400 }),
        5 => json!({ "address_status": 500, "refuse_upgrade": 503 }),
        _ => json!({ "ignore_auth": true }),
    };
    platform.patch_faults(&trouble).expect("known");
    relay.fin(Way::ToClient);
    std::thread::sleep(Duration::from_millis(250));
    platform.act(&Act::Heal);
    eventually("back after a fault", is_back);
}

fn ready_or_resumed(platform: &Platform) -> usize {
    platform.records().iter().filter(|r| matches!(r.seen, Seen::Ready { .. } | Seen::Resumed { .. })).count()
}

/// Sockets of the process that wait for its own close (state 08 in the kernel's table).
fn close_waits(pid: u32) -> usize {
    let own: Vec<String> = std::fs::read_dir(format!("/proc/{pid}/fd"))
        .expect("it lives")
        .flatten()
        .filter_map(|fd| std::fs::read_link(fd.path()).ok()?.to_str()?.strip_prefix("socket:[")?.strip_suffix(']').map(ToOwned::to_owned))
        .collect();
    let table = std::fs::read_to_string(format!("/proc/{pid}/net/tcp")).expect("it lives");
    let waits = table.lines().filter(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        fields.get(3) == Some(&"08") && fields.get(9).is_some_and(|inode| own.iter().any(|own| own == inode))
    });
    waits.count()
}

/// 4 s instead of 20: two heartbeat intervals, in which a client that lives on would show.
const SILENT_MS: u64 = 2 * HEARTBEAT_MS;

#[test]
fn s36_after_the_end_nothing_is_sent_and_nothing_delivered() {
    side_by_side([
        rig::blocking("a: stop under traffic", || {
            let platform = rig::platform();
            let mut consumer = Consumer::ready(platform.base_url(), &[]);
            talk(&platform, 500);
            consumer.order("stop");
            talk(&platform, 500);
            let after_ms = consumer.wait_for("the end", 0, |seen| (seen["kind"] == "stop_returned").then(|| seen["after_ms"].as_u64()));
            assert!(after_ms.is_some_and(|ms| ms <= 2_000), "{after_ms:?}");
            assert_silent(&platform, &consumer);
            assert_eq!(final_closes(&platform), 1);
        }),
        rig::blocking("b: SIGTERM under traffic", || {
            let platform = rig::platform();
            let mut consumer = Consumer::ready(platform.base_url(), &[]);
            talk(&platform, 500);
            let (took, is_success) = consumer.0.terminate();
            assert!(is_success && took < Duration::from_secs(3), "{took:?}");
            eventually("the link is gone", || platform.state().connections.is_empty().then_some(()));
            assert_eq!(final_closes(&platform), 1);
        }),
        rig::blocking("c: stop and start, ten times", || {
            // Each start looks the address up, and ten are the platform's own limit.
            let platform = rig::platform_with(|settings| settings.address_burst = 100);
            let mut consumer = Consumer::ready(platform.base_url(), &[]);
            let before = consumer.0.figures();
            for n in 0..10 {
                consumer.order("stop");
                eventually("stopped", || (consumer.count("stop_returned") == n + 1).then_some(()));
                consumer.order("start");
                eventually("started", || (consumer.count("ready") == n + 2).then_some(()));
            }
            assert_eq!(platform.state().connections.len(), 1);
            say(&platform, "probe");
            eventually("the probe", || consumer.texts().first().cloned());
            std::thread::sleep(Duration::from_millis(300));
            assert_eq!(consumer.texts(), ["probe"], "once");
            let after = consumer.0.figures();
            assert!(after.descriptors.abs_diff(before.descriptors) <= 3, "{before:?} {after:?}");
            assert_conduct(&platform, Conduct::default());
        }),
        rig::blocking("d: the value is dropped without a stop", || {
            let platform = rig::platform();
            let mut consumer = Consumer::ready(platform.base_url(), &[]);
            talk(&platform, 200);
            let began = Instant::now();
            consumer.order("drop");
            eventually("the socket is closed", || platform.state().connections.is_empty().then_some(()));
            assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
            assert_silent(&platform, &consumer);
        }),
    ]);
}

/// 20 events a second for so long.
fn talk(platform: &Platform, ms: u64) {
    for n in 0..ms / 50 {
        say(platform, &format!("m{n}"));
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn assert_silent(platform: &Platform, consumer: &Consumer) {
    let totals = |platform: &Platform| {
        let state = platform.state();
        (state.connects.total, state.token_requests.total, state.lookups.total, state.heartbeats.total)
    };
    let (mark, before) = (consumer.mark(), totals(platform));
    talk(platform, SILENT_MS);
    assert_eq!(totals(platform), before);
    assert_eq!(consumer.mark(), mark, "nothing is delivered");
}

fn final_closes(platform: &Platform) -> usize {
    let records = platform.records();
    records.iter().filter(|r| matches!(r.seen, Seen::Closed { by: ClosedBy::Client, code: Some(1000 | 1001), .. })).count()
}

#[tokio::test]
async fn s36_a_client_that_was_stopped_before_it_was_online_stays_offline() {
    let platform = rig::platform();
    platform.patch_faults(&json!({ "hello_delay_ms": 300 })).expect("known");
    let (mut client, events) = Client::start(rig::config(platform.base_url())).expect("usable");
    let heard = Heard::listen(events);
    rig::until("a connection", || (platform.state().connects.total > 0).then_some(())).await;
    client.stop().await;
    pause(1_000).await;
    let state = platform.state();
    assert_eq!((state.identifies.total, state.connections.len(), heard.count(is_ready)), (0, 0, 0));
    let (_client, events) = Client::start(rig::config(platform.base_url())).expect("usable");
    probe_after_start(&platform, Heard::listen(events)).await;
}

async fn probe_after_start(platform: &Platform, heard: Heard) {
    heard.until("ready", 1, is_ready).await;
    probe(platform, &heard).await;
    assert_conduct(platform, Conduct::default());
}
