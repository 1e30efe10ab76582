//! Frames that are too large, owners that are too slow, and cuts under traffic: the scenarios S28, S31 and S32 of the catalogue.

use std::time::{Duration, Instant};

use auk_loopback::eventually;
use auk_loopback::rig::{
    self, Conduct, Consumer, Heard, Relay, Way, assert_conduct, is_ready, is_resumed, pause, say, side_by_side, variant,
};
use auk_runtime::Client;
use auk_simulator::Platform;
use auk_simulator::model::{Act, Seen};
use serde_json::json;

const MIB: usize = 1024 * 1024;

#[test]
fn s28_a_legal_event_is_taken_and_one_over_the_limit_is_passed_without_buffering_it() {
    side_by_side([
        rig::blocking("a: 8 MiB in one frame and in 100 fragments", || {
            let platform = rig::platform();
            let consumer = Consumer::ready(platform.base_url(), &[]);
            push(&platform, 8 * MIB);
            consumer.wait_for("the frame", 0, is_large);
            platform.patch_faults(&json!({ "fragment_bytes": 8 * MIB / 100 })).expect("known");
            push(&platform, 8 * MIB);
            eventually("the fragments", || (consumer.seen().iter().filter_map(is_large).count() == 2).then_some(()));
            let state = platform.state();
            assert_eq!((state.connects.total, state.identifies.total), (1, 1));
        }),
        rig::blocking("b: a frame of 64 MiB that every Resume brings again", || {
            let (platform, mut consumer, before_kib) = meet_the_large_one(None);
            // Met at the push and at the Resume; then a new session, which the platform's `max_concurrency` allows 5 s after the first.
            let began = Instant::now();
            eventually("a new session", || (platform.state().identifies.total == 2 && platform.state().online).then_some(()));
            assert!(began.elapsed() <= Duration::from_secs(10), "{:?}", began.elapsed());
            assert!(platform.state().connects.total <= 4);
            assert_eq!(platform.state().resumes.total, 1);
            assert_small_and_well(&platform, &mut consumer, before_kib);
            let warned = consumer.0.errors().iter().filter(|line| line.starts_with("WARN")).count();
            assert!(warned <= 2, "{:?}", consumer.0.errors());
        }),
        rig::blocking("c: 64 MiB in fragments of 64 KiB", || {
            let (platform, mut consumer, before_kib) = meet_the_large_one(Some(64 * 1024));
            eventually("a new session", || (platform.state().identifies.total == 2 && platform.state().online).then_some(()));
            assert_small_and_well(&platform, &mut consumer, before_kib);
        }),
    ]);
}

#[test]
fn s28_the_log_names_the_size_and_the_sequence_that_was_lost() {
    let (platform, consumer, _) = meet_the_large_one(None);
    eventually("a new session", || (platform.state().identifies.total == 2 && platform.state().online).then_some(()));
    let lines = consumer.0.errors();
    assert!(lines.iter().any(|line| line.contains("67108") && line.contains("behind sequence 1")), "{lines:?}");
}

fn is_large(seen: &serde_json::Value) -> Option<()> {
    (seen["kind"] == "dispatch" && seen["name"] == "LARGE").then_some(())
}

fn push(platform: &Platform, bytes: usize) {
    let mut frame = br#"{"op":0,"s":{{s}},"t":"LARGE","d":{"padding":""#.to_vec();
    frame.resize(frame.len() + bytes, b'x');
    frame.extend(br#""}}"#);
    platform.push(&frame).expect("online");
}

fn meet_the_large_one(fragment_bytes: Option<usize>) -> (Platform, Consumer, u64) {
    let platform = rig::platform();
    let consumer = Consumer::ready(platform.base_url(), &[("AUK_TEST_LOG", "info")]);
    let before_kib = consumer.0.figures().rss_kib;
    platform.patch_faults(&json!({ "fragment_bytes": fragment_bytes })).expect("known");
    push(&platform, 64 * MIB);
    consumer.wait_for("the end of the link", 0, |seen| (seen["kind"] == "lost").then_some(()));
    (platform, consumer, before_kib)
}

fn assert_small_and_well(platform: &Platform, consumer: &mut Consumer, before_kib: u64) {
    say(platform, "probe");
    eventually("the probe", || consumer.texts().iter().any(|text| text == "probe").then_some(()));
    let grown_kib = consumer.0.figures().rss_kib.saturating_sub(before_kib);
    assert!(grown_kib < 40 * 1024, "{grown_kib} KiB");
    assert_conduct(platform, Conduct::default());
}

/// Five intervals of 1 s instead of 2 s.
const BLOCKED_MS: u64 = 5_000;
const S31_HEARTBEAT_MS: u64 = 1_000;
const BURST: usize = 5_000;
/// A tenth of the catalogue's 200,000, and still ten times what the sockets hold, so that the reading has to stop.
const FLOOD: usize = 20_000;

#[test]
fn s31_a_slow_owner_stops_neither_the_heartbeats_nor_fills_the_memory() {
    let platform = || rig::platform_with(|settings| settings.heartbeat_interval_ms = S31_HEARTBEAT_MS);
    side_by_side([
        rig::blocking("a: it blocks for five intervals", move || {
            let platform = platform();
            let mut consumer = Consumer::ready(platform.base_url(), &[]);
            let before_kib = consumer.0.figures().rss_kib;
            consumer.order(&format!("block {BLOCKED_MS}"));
            flood(&platform, BURST);
            std::thread::sleep(Duration::from_millis(BLOCKED_MS));
            eventually("all of them", || (consumer.count("dispatch") >= BURST).then_some(()));
            let sequences: Vec<u64> = consumer.seen().iter().filter_map(|seen| seen["s"].as_u64()).collect();
            assert_eq!(sequences.len(), BURST, "each once");
            assert!(sequences.is_sorted(), "in order");
            assert_eq!((platform.state().connects.total, consumer.count("lost")), (1, 0));
            assert_beats(&platform);
            let grown_kib = consumer.0.figures().rss_kib.saturating_sub(before_kib);
            assert!(grown_kib < 64 * 1024, "{grown_kib} KiB");
        }),
        rig::blocking("b: it blocks for good", move || {
            let platform = platform();
            let mut consumer = Consumer::ready(platform.base_url(), &[("AUK_TEST_LOG", "info")]);
            let before_kib = consumer.0.figures().rss_kib;
            consumer.order(&format!("block {BLOCKED_MS}"));
            consumer.order("stop");
            flood(&platform, FLOOD);
            std::thread::sleep(Duration::from_millis(BLOCKED_MS / 2));
            let grown_kib = consumer.0.figures().rss_kib.saturating_sub(before_kib);
            assert!(grown_kib < 64 * 1024, "{grown_kib} KiB");
            assert!(consumer.0.errors().iter().filter(|line| line.starts_with("WARN")).count() <= 1, "{:?}", consumer.0.errors());
            assert_beats(&platform);
            let after_ms = consumer.wait_for("the end", 0, |seen| (seen["kind"] == "stop_returned").then(|| seen["after_ms"].as_u64()));
            assert!(after_ms.is_some_and(|ms| ms <= 2_000), "{after_ms:?}");
        }),
    ]);
}

/// Events of 2 KiB, as fast as they can be said.
fn flood(platform: &Platform, count: usize) {
    let event = json!({ "padding": "x".repeat(2_048) });
    for _ in 0..count {
        platform.emit("FLOOD", &event).expect("an object");
    }
}

/// Half an interval beyond one, and what a busy machine adds.
fn assert_beats(platform: &Platform) {
    let beats: Vec<u64> = platform.records().iter().filter(|r| matches!(r.seen, Seen::Heartbeat { .. })).map(|r| r.at_ms).collect();
    assert!(beats.len() >= 2, "{beats:?}");
    let widest_ms = beats.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(widest_ms.is_some_and(|ms| ms <= S31_HEARTBEAT_MS * 3 / 2 + 500), "{beats:?}");
}

/// 8 cuts, two of each kind, instead of 30; what counts is that each kind follows each other.
const CUTS: usize = 8;
/// Long enough for a session to count as settled, which takes 3 s: a link that breaks sooner is not made anew at once.
const CUT_EVERY_MS: u64 = 3_300;
const EVENTS_PER_SECOND: u64 = 20;

#[test]
fn s32_cuts_under_traffic_are_invisible_to_the_consumer() {
    side_by_side([variant("", || async {
        let platform = rig::platform();
        let relay = Relay::to(platform.base_url());
        let (_client, events) = Client::start(rig::config(&relay.base_url())).expect("usable");
        let heard = Heard::listen(events);
        heard.until("ready", 1, is_ready).await;
        let (began, mut said, mut cut_ms) = (Instant::now(), Vec::new(), Vec::new());
        while cut_ms.len() < CUTS || heard.count(is_resumed) < CUTS {
            say(&platform, &format!("m{}", said.len()));
            said.push(format!("m{}", said.len()));
            let next_cut = CUT_EVERY_MS * (cut_ms.len() as u64 + 1);
            if cut_ms.len() < CUTS && began.elapsed() >= Duration::from_millis(next_cut) {
                cut(&platform, &relay, cut_ms.len());
                cut_ms.push(platform.state().now_ms);
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{} cuts, {} resumed", cut_ms.len(), heard.count(is_resumed));
            pause(1_000 / EVENTS_PER_SECOND).await;
        }
        rig::until("all of them", || (heard.texts().len() >= said.len()).then_some(())).await;
        assert_eq!(heard.texts(), said, "each once, in order");
        let state = platform.state();
        assert_eq!((state.identifies.total, state.resumes.total), (1, CUTS as u64));
        assert!(state.token_requests.total <= 2 && state.lookups.total <= 3, "{state:?}");
        let resumed_ms: Vec<u64> = platform.records().iter().filter(|r| matches!(r.seen, Seen::Resumed { .. })).map(|r| r.at_ms).collect();
        for (cut, resumed) in cut_ms.iter().zip(resumed_ms) {
            assert!(resumed.saturating_sub(*cut) < 2_000, "cut at {cut} ms, resumed at {resumed} ms");
        }
        assert_conduct(&platform, Conduct::default());
    })]);
}

fn cut(platform: &Platform, relay: &Relay, number: usize) {
    match number % 4 {
        0 => platform.act(&Act::Op7),
        1 => platform.act(&Act::Close(4009)),
        2 => relay.fin(Way::ToClient),
        _ => relay.rst(Way::ToClient),
    }
}
