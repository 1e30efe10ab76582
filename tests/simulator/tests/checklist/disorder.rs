//! Point 8: duplicates, disorder, unknown names, missing fields; and what members say in general.

use auk_simulator::{Act, MentionAs, Say};
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{GROUP, Link, Rig, USER};

#[tokio::test]
async fn a_mention_comes_as_the_at_event_with_its_leading_space() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    let said = rig.platform.say("海雀交流群", &Say::at("小明", "/list")).unwrap();
    let event = link.receive().await;
    assert_eq!(event["t"], "GROUP_AT_MESSAGE_CREATE");
    assert!(event["id"].as_str().unwrap().starts_with("GROUP_AT_MESSAGE_CREATE:"));
    assert_eq!((&event["d"]["id"], &event["s"]), (&json!(said.msg_id), &json!(said.s)));
    assert_eq!(event["d"]["content"], " /list");
    assert_eq!((&event["d"]["group_openid"], &event["d"]["group_id"]), (&json!(GROUP), &json!(GROUP)));
    assert_eq!(event["d"]["author"]["username"], "小明");
    assert!(event["d"]["timestamp"].as_str().unwrap().ends_with("+08:00"));
}

#[tokio::test]
async fn a_message_without_a_mention_comes_only_in_full_mode() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    rig.platform.say(GROUP, &Say::plain("小明", "hello all")).unwrap();
    let event = link.receive().await;
    assert_eq!((&event["t"], &event["d"]["content"]), (&json!("GROUP_MESSAGE_CREATE"), &json!("hello all")));
    assert!(rig.platform.change_group(GROUP, |group| group.full_mode = false));
    let said = rig.platform.say(GROUP, &Say::plain("小明", "secret")).unwrap();
    assert!(!said.visible);
    link.expect_silence().await;
}

#[tokio::test]
async fn a_mention_can_come_as_both_events_with_one_id() {
    let rig = Rig::new();
    rig.platform.change_group(GROUP, |group| group.mention_as = MentionAs::Both);
    let (mut link, _) = rig.ready().await;
    rig.platform.say(GROUP, &Say::at("小明", "hi")).unwrap();
    let (at, full) = (link.receive().await, link.receive().await);
    assert_eq!((&at["t"], &full["t"]), (&json!("GROUP_AT_MESSAGE_CREATE"), &json!("GROUP_MESSAGE_CREATE")));
    assert_eq!(at["d"]["id"], full["d"]["id"]);
    assert_eq!(full["d"]["mentions"][0]["is_you"], true);
}

#[tokio::test]
async fn a_mention_can_come_as_the_full_event_alone_but_not_outside_of_full_mode() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    let change = json!({"mention_as": "full"});
    rig.call(Method::PATCH, &format!("/_sim/groups/{GROUP}"), None, Some(&change)).await;
    rig.platform.say(GROUP, &Say::at("小明", "hi")).unwrap();
    assert_eq!(link.receive().await["t"], "GROUP_MESSAGE_CREATE");
    rig.platform.change_group(GROUP, |group| group.full_mode = false);
    rig.platform.say(GROUP, &Say::at("小明", "hi")).unwrap();
    assert_eq!(link.receive().await["t"], "GROUP_AT_MESSAGE_CREATE");
    link.expect_silence().await;
}

#[tokio::test]
async fn a_single_chat_comes_as_its_own_event() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    rig.platform.say_alone(USER, &Say::plain("", "hello")).unwrap();
    let event = link.receive().await;
    assert_eq!((&event["t"], &event["d"]["author"]["user_openid"]), (&json!("C2C_MESSAGE_CREATE"), &json!(USER)));
}

#[tokio::test]
async fn one_event_can_be_pushed_twice() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    rig.faults(json!({"duplicate_push": true}));
    rig.platform.say(GROUP, &Say::at("小明", "twice")).unwrap();
    let (one, two) = (link.receive().await, link.receive().await);
    assert_eq!(one["d"]["id"], two["d"]["id"]);
    assert_eq!((&one["s"], &two["s"]), (&json!(2), &json!(3)));
}

#[tokio::test]
async fn pairs_can_swap_while_the_sequence_rises() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    rig.faults(json!({"reorder_pairs": true}));
    let said = say_two(&rig);
    assert_eq!(said, vec![None, Some(2)]);
    assert_eq!(contents(&mut link, 2).await, [(json!(2), json!(" two")), (json!(3), json!(" one"))]);
    // A lone event is not held for ever.
    rig.platform.say(GROUP, &Say::at("小明", "three")).unwrap();
    assert_eq!(link.receive().await["d"]["content"], " three");
}

#[tokio::test]
async fn frames_can_swap_with_their_sequence() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    rig.faults(json!({"reorder_frames": true}));
    say_two(&rig);
    assert_eq!(contents(&mut link, 2).await, [(json!(3), json!(" two")), (json!(2), json!(" one"))]);
}

#[tokio::test]
async fn every_second_event_can_be_dropped_and_is_replayed_on_resume() {
    let rig = Rig::new();
    let (mut link, session) = rig.ready().await;
    rig.faults(json!({"drop_every_nth": 2}));
    say_two(&rig);
    assert_eq!(contents(&mut link, 1).await, [(json!(2), json!(" one"))]);
    link.expect_silence().await;
    link.drop_link();
    rig.until_offline().await;
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 2).await;
    assert_eq!(contents(&mut link, 1).await, [(json!(3), json!(" two"))]);
}

#[tokio::test]
async fn unknown_events_missing_fields_garbage_and_huge_frames_can_come() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    rig.faults(json!({"missing_fields": true, "unknown_events": true}));
    rig.platform.say(GROUP, &Say::at("小明", "bare")).unwrap();
    assert_eq!(link.receive().await["t"], "SIMULATOR_UNKNOWN_EVENT");
    let bare = link.receive().await;
    assert!(bare["d"].get("mentions").is_none() && bare["d"]["author"].get("username").is_none());
    rig.platform.act(&Act::Heal);
    rig.faults(json!({"garbage_frames": true, "huge_frame_bytes": 1_000_000}));
    rig.platform.say(GROUP, &Say::at("小明", "after")).unwrap();
    assert!(serde_json::from_str::<Value>(&link.text().await).is_err());
    assert!(link.text().await.len() > 1_000_000);
    assert_eq!(link.receive().await["d"]["content"], " after");
}

#[tokio::test]
async fn an_event_goes_only_to_a_session_with_its_intent() {
    let rig = Rig::new();
    let mut link = rig.greeted().await;
    let token = rig.token().await;
    link.send(json!({"op": 2, "d": {"token": token, "intents": 1}})).await;
    assert_eq!(link.receive().await["t"], "READY");
    let said = rig.platform.say(GROUP, &Say::at("小明", "anyone?")).unwrap();
    assert_eq!(said.s, None);
    link.expect_silence().await;
}

fn say_two(rig: &Rig) -> Vec<Option<u64>> {
    let texts = ["one", "two"];
    texts.iter().map(|text| rig.platform.say(GROUP, &Say::at("小明", text)).unwrap().s).collect()
}

async fn contents(link: &mut Link, count: usize) -> Vec<(Value, Value)> {
    let mut seen = Vec::new();
    for _ in 0..count {
        let event = link.receive().await;
        seen.push((event["s"].clone(), event["d"]["content"].clone()));
    }
    seen
}
