//! Replies over a network that breaks while they are under way: S37 and S38 of the catalogue, as far as sockets matter. The rules for
//! numbers, windows and budgets are pure and have their stories elsewhere.

use std::time::Duration;

use auk_loopback::rig::{self, Conduct, Heard, Relay, Way, assert_conduct, is_ready, lead_around, pause, probe, say};
use auk_loopback::{ConfigDir, GROUP, Heard as Bridge, auk_toml, eventually};
use auk_runtime::{Client, GroupMessage, SendError};
use auk_simulator::model::Seen;
use auk_simulator::{Platform, Settings};
use serde_json::json;

/// A platform whose calls go through a relay and whose WebSocket does not, so that what breaks a post leaves the link alone.
fn with_relayed_calls() -> (Platform, Relay) {
    let platform = rig::platform();
    let relay = Relay::to(platform.base_url());
    lead_around(&platform);
    (platform, relay)
}

fn posts(platform: &Platform) -> usize {
    platform.records().iter().filter(|r| matches!(&r.seen, Seen::Api { method, .. } if method == "POST")).count()
}

#[tokio::test]
async fn s37_a_reply_reset_before_its_answer_is_of_unknown_fate_and_repeated_by_nobody_but_its_caller() {
    let (platform, relay) = with_relayed_calls();
    let (client, events) = Client::start(rig::config(&relay.base_url())).expect("usable");
    let heard = Heard::listen(events);
    heard.until("ready", 1, is_ready).await;
    let asked = say(&platform, "hi");
    platform.patch_faults(&json!({ "send_delay_after_commit_ms": 400 })).expect("known");
    let (sender, reply) = (client.sender(), GroupMessage::reply(&asked, "hello"));
    let sending = tokio::spawn(async move { sender.post_group_message(GROUP, &reply).await });
    rig::until("it is posted", || (!platform.posted().is_empty()).then_some(())).await;
    relay.rst(Way::ToClient);
    assert_eq!(sending.await.expect("no panic"), Err(SendError::Unknown));
    assert_eq!((platform.posted().len(), posts(&platform)), (1, 1));
    // The caller's repeat under the same number finds that it had arrived.
    platform.patch_faults(&json!({ "send_delay_after_commit_ms": null })).expect("known");
    let again = client.sender().post_group_message(GROUP, &GroupMessage::reply(&asked, "hello")).await;
    assert!(matches!(again, Err(SendError::Refused { code: Some(40_054_005), .. })), "{again:?}");
    assert_eq!((platform.posted().len(), platform.state().connects.total), (1, 1));
    assert_conduct(&platform, Conduct::default());
}

/// A bridge that has been asked something and so has a message to answer, and a line of a player for it.
fn bridge_that_answers(platform: &Platform, relay: &Relay) -> (ConfigDir, Bridge) {
    let config = ConfigDir::with(&auk_toml(&relay.base_url(), &Settings::default().secret));
    let mut bridge = Bridge::open(&config);
    bridge.wait_until_ready();
    say(platform, "hi");
    bridge.wait_for("the question", |frame| (frame["type"] == "say").then_some(()));
    (config, bridge)
}

fn chat(bridge: &Bridge, text: &str) {
    let player = json!({ "name": "Steve", "uuid": "069a79f4-44e9-4726-a5be-fca90e38aaf5" });
    bridge.submit(&json!({ "type": "chat", "player": player, "text": text }));
}

#[test]
fn s37_a_line_whose_answer_was_reset_is_there_once_and_the_link_is_left_alone() {
    let (platform, relay) = with_relayed_calls();
    let (_config, bridge) = bridge_that_answers(&platform, &relay);
    platform.patch_faults(&json!({ "send_delay_after_commit_ms": 400 })).expect("known");
    chat(&bridge, "one");
    eventually("it is posted", || platform.posted().first().cloned());
    relay.rst(Way::ToClient);
    platform.patch_faults(&json!({ "send_delay_after_commit_ms": null })).expect("known");
    // The repeat carries the number of the first try, and its refusal says that it had arrived: the next line has its turn.
    eventually("the repeat", || (posts(&platform) >= 2).then_some(()));
    chat(&bridge, "two");
    eventually("the next line", || (platform.posted().len() == 2).then_some(()));
    let posted = platform.posted();
    assert_eq!((posted[0].content.as_str(), posted[1].content.as_str()), ("[S] Steve: one", "[S] Steve: two"));
    assert_eq!(platform.state().connects.total, 1);
}

#[test]
fn s37_a_line_that_was_refused_a_connection_goes_once_when_there_is_one() {
    let (platform, relay) = with_relayed_calls();
    let (_config, bridge) = bridge_that_answers(&platform, &relay);
    relay.refuse();
    // What is kept open for calls would still carry one.
    relay.rst(Way::ToClient);
    chat(&bridge, "one");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(platform.posted().len(), 0);
    relay.listen();
    eventually("the line", || platform.posted().first().cloned());
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((platform.posted().len(), posts(&platform), platform.state().connects.total), (1, 1, 1));
}

#[tokio::test]
async fn s38_a_permanent_refusal_is_one_request_and_a_typed_error_and_leaves_the_link_alone() {
    let platform = rig::platform();
    let (client, events) = Client::start(rig::config(platform.base_url())).expect("usable");
    let heard = Heard::listen(events);
    heard.until("ready", 1, is_ready).await;
    let asked = say(&platform, "hi");
    for code in [22_009, 304_027] {
        let before = posts(&platform);
        platform.patch_faults(&json!({ "send_code": code })).expect("known");
        let refused = client.sender().post_group_message(GROUP, &GroupMessage::reply(&asked, "x")).await;
        assert!(matches!(refused, Err(SendError::Refused { code: Some(named), .. }) if named == code), "{refused:?}");
        pause(300).await;
        assert_eq!(posts(&platform), before + 1, "{code}");
    }
    platform.patch_faults(&json!({ "send_code": null })).expect("known");
    assert_eq!((client.status().state, platform.state().connects.total), ("ready", 1));
    probe(&platform, &heard).await;
    assert_conduct(&platform, Conduct::default());
}
