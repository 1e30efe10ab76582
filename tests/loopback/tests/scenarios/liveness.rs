//! Links that look alive and are not: the scenarios S04, S05 and S08 of the catalogue, over real sockets.

use std::time::{Duration, Instant};

use auk_gateway::{Event, LossCause};
use auk_loopback::eventually;
use auk_loopback::rig::{
    self, Conduct, Consumer, HEARTBEAT_MS, Heard, Relay, assert_conduct, is_ready, is_resumed, probe, say, side_by_side, until, variant,
};
use auk_runtime::Client;
use auk_simulator::Platform;
use auk_simulator::model::{Act, ClosedBy, Seen};
use serde_json::json;

fn is_unanswered(event: &Event) -> bool {
    matches!(event, Event::Lost { cause: LossCause::HeartbeatUnanswered, .. })
}

#[tokio::test]
async fn s04_a_link_that_is_to_be_resumed_is_never_closed_with_1000_and_a_stop_is() {
    // A short interval: a verdict on the link takes 1 interval and two waits of 1.25 s, instead of 5 s of quiet and 2 of waiting.
    let platform = rig::platform_with(|settings| (settings.normal_close_ends_session, settings.heartbeat_interval_ms) = (true, 1_000));
    let (mut client, events) = Client::start(rig::config(platform.base_url())).expect("usable");
    let heard = Heard::listen(events);
    heard.until("ready", 1, is_ready).await;
    platform.act(&Act::Op7);
    heard.until("resumed after op 7", 1, is_resumed).await;
    platform.patch_faults(&json!({ "no_ack": true })).expect("known");
    heard.until("the link is given up", 1, is_unanswered).await;
    platform.patch_faults(&json!({ "no_ack": null })).expect("known");
    heard.until("resumed after the silence", 2, is_resumed).await;
    probe(&platform, &heard).await;
    let final_codes = |platform: &Platform| {
        let records = platform.records();
        let by_client = records.iter().filter(|r| matches!(r.seen, Seen::Closed { by: ClosedBy::Client, code: Some(1000 | 1001), .. }));
        by_client.count()
    };
    assert_eq!(final_codes(&platform), 0);
    let state = platform.state();
    assert_eq!((state.identifies.total, state.resumes.total), (1, 2));
    let began = Instant::now();
    client.stop().await;
    until("the link is gone", || platform.state().connections.is_empty().then_some(())).await;
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(final_codes(&platform), 1);
    assert_conduct(&platform, Conduct::default());
}

/// The verdict comes two waits of 1.25 s (a quarter of the interval, but at least that) after the next heartbeat, which comes within an
/// interval: 2.5 to 4.5 s after the silence began. The catalogue's 4 to 7 s are those of a client that waits two whole intervals.
const VERDICT_MS_MIN: u64 = 2_400;
const VERDICT_MS_MAX: u64 = 3 * HEARTBEAT_MS + 1_000;

#[test]
fn s05_two_unanswered_heartbeats_on_a_frozen_link_end_it_and_resume() {
    side_by_side([
        variant("a: the platform sends nothing more", || async {
            let platform = rig::platform();
            let relay = Relay::to(platform.base_url());
            end_and_resume(&platform, &relay, || {
                platform.patch_faults(&json!({ "no_ack": true })).expect("known");
            })
            .await;
        }),
        variant("b: frozen both ways", || async {
            let platform = rig::platform();
            let relay = Relay::to(platform.base_url());
            end_and_resume(&platform, &relay, || relay.freeze_open()).await;
        }),
        variant("c: a new link never has an ACK", || async {
            let platform = rig::platform();
            let relay = Relay::to(platform.base_url());
            let (client, events) = Client::start(rig::config(&relay.base_url())).expect("usable");
            platform.patch_faults(&json!({ "no_ack": true })).expect("known");
            let heard = Heard::listen(events);
            heard.until("ready", 1, is_ready).await;
            await_verdict(&client, &heard, Instant::now()).await;
            platform.patch_faults(&json!({ "no_ack": null })).expect("known");
            heard.until("resumed", 1, is_resumed).await;
            assert_eq!(platform.state().identifies.total, 1);
            probe(&platform, &heard).await;
            assert_conduct(&platform, Conduct::default());
        }),
    ]);
}

async fn end_and_resume(platform: &Platform, relay: &Relay, silence: impl FnOnce()) {
    let (client, events) = Client::start(rig::config(&relay.base_url())).expect("usable");
    let heard = Heard::listen(events);
    heard.until("ready", 1, is_ready).await;
    // The first heartbeat falls anywhere in the first interval.
    until("an ACK", || (platform.state().heartbeats.total > 0).then_some(())).await;
    let began = Instant::now();
    silence();
    if platform.faults().no_ack {
        platform.patch_faults(&json!({ "ack_but_no_events": true })).expect("known");
    }
    let texts: Vec<String> = (0..5).map(|n| format!("m{n}")).collect();
    for text in &texts {
        say(platform, text);
    }
    let lost = await_verdict(&client, &heard, began).await;
    platform.patch_faults(&json!({ "no_ack": null, "ack_but_no_events": null })).expect("known");
    heard.until("resumed", 1, is_resumed).await;
    assert!(lost.elapsed() < Duration::from_secs(2), "the old peer is not waited for: {:?}", lost.elapsed());
    until("all five", || (heard.texts().len() >= 5).then_some(())).await;
    probe(platform, &heard).await;
    assert_eq!(&heard.texts()[..5], texts.as_slice());
    assert_eq!(heard.texts().len(), 6, "each once");
    let state = platform.state();
    assert_eq!((state.identifies.total, state.resumes.total), (1, 1));
    assert_conduct(platform, Conduct::default());
}

/// Waits until the client gives the link up, within its bounds, and looks at what it says of itself then.
async fn await_verdict(client: &Client, heard: &Heard, began: Instant) -> Instant {
    heard.until("the verdict", 1, is_unanswered).await;
    let took_ms = began.elapsed().as_millis() as u64;
    assert!((VERDICT_MS_MIN..=VERDICT_MS_MAX).contains(&took_ms), "{took_ms} ms");
    assert!(client.status().state != "ready" || heard.count(is_resumed) > 0, "not online until it is resumed");
    Instant::now()
}

/// Six intervals of 1 s instead of 2 s; what counts is their number.
const ASLEEP_MS: u64 = 6_000;
const S08_HEARTBEAT_MS: u64 = 1_000;

fn s08_platform() -> Platform {
    rig::platform_with(|settings| {
        settings.heartbeat_interval_ms = S08_HEARTBEAT_MS;
        // The machine sleeps through many intervals, and the scenario wants the platform to be patient.
        settings.heartbeat_intervals_missed_max = 0;
        // Out of date by the time of waking, and renewed on request at any time.
        settings.token_life_s = 5;
    })
}

#[test]
fn s08_after_a_sleep_the_link_is_judged_anew_with_one_heartbeat_and_a_fresh_token() {
    side_by_side([
        rig::blocking("a: the link froze meanwhile", || {
            let platform = s08_platform();
            let relay = Relay::to(platform.base_url());
            let woken = sleep_and_wake(&platform, &relay, |relay, _| relay.freeze_open());
            let resumed_ms = resumed_after(&platform, woken);
            assert!(resumed_ms <= 3 * S08_HEARTBEAT_MS + 2_000, "{resumed_ms} ms");
            assert_eq!(platform.state().identifies.total, 1);
        }),
        rig::blocking("b: the platform closed meanwhile", || {
            let platform = s08_platform();
            let relay = Relay::to(platform.base_url());
            let woken = sleep_and_wake(&platform, &relay, |_, platform| platform.act(&Act::Close(4009)));
            let resumed_ms = resumed_after(&platform, woken);
            assert!(resumed_ms <= 2_000, "{resumed_ms} ms");
        }),
        rig::blocking("c: the link stayed and twenty events wait", || {
            let platform = s08_platform();
            let relay = Relay::to(platform.base_url());
            sleep_and_wake(&platform, &relay, |_, platform| {
                for n in 0..20 {
                    say(platform, &format!("m{n}"));
                }
            });
            std::thread::sleep(Duration::from_secs(2));
            let state = platform.state();
            assert!(state.identifies.total == 1 && state.connects.total <= 2, "{state:?}");
        }),
    ]);
}

/// Puts a client to sleep, lets something happen, and wakes it. Returns the platform's time of waking, once the second after it is over.
fn sleep_and_wake(platform: &Platform, relay: &Relay, meanwhile: impl FnOnce(&Relay, &Platform)) -> u64 {
    let consumer = Consumer::ready(&relay.base_url(), &[]);
    eventually("an ACK", || (platform.state().heartbeats.total > 0).then_some(()));
    consumer.0.suspend();
    std::thread::sleep(Duration::from_millis(ASLEEP_MS / 3));
    meanwhile(relay, platform);
    std::thread::sleep(Duration::from_millis(ASLEEP_MS * 2 / 3));
    let (woken_ms, cpu_ms) = (platform.state().now_ms, consumer.0.figures().cpu_ms);
    consumer.0.resume();
    std::thread::sleep(Duration::from_secs(1));
    let count = |is: fn(&Seen) -> bool| platform.records().iter().filter(|r| r.at_ms >= woken_ms && is(&r.seen)).count();
    let beats = count(|seen| matches!(seen, Seen::Heartbeat { .. }));
    assert!(beats <= 2, "{beats} heartbeats in the first second");
    std::thread::sleep(Duration::from_secs(4));
    let attempts = count(|seen| matches!(seen, Seen::Connected { .. }));
    assert!(attempts <= 2, "{attempts} attempts");
    let busy_ms = consumer.0.figures().cpu_ms - cpu_ms;
    assert!(busy_ms <= 1_000, "{busy_ms} ms of processor time in 5 s");
    // What was said during the sleep, each once and in order.
    let expected: Vec<String> = (0..20).map(|n| format!("m{n}")).collect();
    let texts = consumer.texts();
    assert!(texts.is_empty() || texts == expected, "{texts:?}");
    say(platform, "probe");
    eventually("the probe", || consumer.texts().iter().any(|text| text == "probe").then_some(()));
    // A token that is out of date would have been refused, which nothing here was.
    assert_conduct(platform, Conduct::default());
    assert!(platform.records().iter().all(|r| !matches!(r.seen, Seen::Closed { code: Some(4004), .. })));
    woken_ms
}

fn resumed_after(platform: &Platform, woken_ms: u64) -> u64 {
    let records = platform.records();
    let resumed = records.iter().find(|r| r.at_ms >= woken_ms && matches!(r.seen, Seen::Resumed { .. }));
    resumed.expect("it was resumed").at_ms - woken_ms
}
