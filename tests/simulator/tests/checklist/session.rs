//! Point 4: READY, sequence, replay, RESUMED.

use auk_simulator::{Act, Say, UnknownSession};
use serde_json::json;

use crate::client::{End, GROUP, Rig};

#[tokio::test]
async fn ready_is_the_first_of_the_sequence_and_its_shard_is_zero_of_zero() {
    let rig = Rig::new();
    let mut link = rig.greeted().await;
    rig.identify(&mut link).await;
    let ready = link.receive().await;
    assert_eq!(ready["s"], 1);
    assert_eq!(ready["d"]["shard"], json!([0, 0]));
    assert_eq!(ready["d"]["session_id"].as_str().unwrap().len(), 36);
    assert!(rig.platform.state().online);
}

#[tokio::test]
async fn missed_events_are_replayed_before_resumed_which_takes_the_next_number() {
    let rig = Rig::new();
    let (mut link, session) = rig.ready().await;
    rig.platform.say(GROUP, &Say::at("小明", "one")).unwrap();
    assert_eq!(link.receive().await["s"], 2);
    link.drop_link();
    rig.until_offline().await;
    rig.platform.say(GROUP, &Say::at("小明", "two")).unwrap();
    rig.platform.say(GROUP, &Say::plain("小明", "three")).unwrap();
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 2).await;
    let (two, three, resumed) = (link.receive().await, link.receive().await, link.receive().await);
    assert_eq!((&two["s"], &two["d"]["content"]), (&json!(3), &json!(" two")));
    assert_eq!((&three["s"], &three["t"]), (&json!(4), &json!("GROUP_MESSAGE_CREATE")));
    assert_eq!(resumed, json!({"op": 0, "s": 5, "t": "RESUMED", "d": ""}));
    rig.platform.say(GROUP, &Say::at("小明", "four")).unwrap();
    assert_eq!(link.receive().await["s"], 6);
}

#[tokio::test]
async fn an_unknown_session_is_answered_with_op_9_false_or_with_4006() {
    let rig = Rig::new();
    let mut link = rig.greeted().await;
    rig.resume(&mut link, "5b0c3f1e-7a42-4e0d-9c11-2f6d8e90aa01", 1).await;
    assert_eq!(link.receive().await, json!({"op": 9, "d": false}));
    // The link stays, and Identify works on it.
    rig.identify(&mut link).await;
    assert_eq!(link.receive().await["t"], "READY");

    let rig = Rig::with(|settings| settings.unknown_session = UnknownSession::Close4006);
    let mut link = rig.greeted().await;
    rig.resume(&mut link, "5b0c3f1e-7a42-4e0d-9c11-2f6d8e90aa01", 1).await;
    assert_eq!(link.end_code().await, 4006);
}

#[tokio::test]
async fn a_sequence_beyond_the_last_is_closed_with_4007() {
    let rig = Rig::new();
    let (link, session) = rig.ready().await;
    link.drop_link();
    rig.until_offline().await;
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 2).await;
    assert_eq!(link.end_code().await, 4007);
}

#[tokio::test]
async fn events_older_than_the_buffer_keeps_them_are_not_replayed() {
    let rig = Rig::with(|settings| settings.replay_age_ms = 0);
    let (link, session) = rig.ready().await;
    link.drop_link();
    rig.until_offline().await;
    let said = rig.platform.say(GROUP, &Say::at("小明", "gone")).unwrap();
    assert_eq!(said.s, Some(2));
    let at_ms = rig.platform.state().now_ms;
    rig.until(|platform| platform.state().now_ms > at_ms + 1).await;
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 1).await;
    let resumed = link.receive().await;
    assert_eq!((&resumed["t"], &resumed["s"]), (&json!("RESUMED"), &json!(3)));
}

#[tokio::test]
async fn a_session_cannot_be_resumed_after_its_time() {
    let rig = Rig::with(|settings| settings.session_resume_ms = 0);
    let (link, session) = rig.ready().await;
    link.drop_link();
    rig.until_offline().await;
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 1).await;
    assert_eq!(link.receive().await, json!({"op": 9, "d": false}));
}

#[tokio::test]
async fn a_very_old_session_resumes_but_stays_silent() {
    let rig = Rig::with(|settings| settings.session_silent_after_ms = Some(0));
    let (link, session) = rig.ready().await;
    link.drop_link();
    rig.until_offline().await;
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 1).await;
    assert_eq!(link.receive().await["t"], "RESUMED");
    rig.platform.say(GROUP, &Say::at("小明", "hello?")).unwrap();
    link.expect_silence().await;
}

#[tokio::test]
async fn forgotten_sessions_are_closed_with_4009_and_cannot_be_resumed() {
    let rig = Rig::new();
    let (mut link, session) = rig.ready().await;
    rig.platform.act(&Act::ForgetSessions);
    assert_eq!(link.end_code().await, 4009);
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 1).await;
    assert_eq!(link.receive().await, json!({"op": 9, "d": false}));
}

#[tokio::test]
async fn a_normal_close_of_the_client_ends_the_session_only_when_asked_for() {
    for (ends, answer) in [(false, json!("RESUMED")), (true, json!(null))] {
        let rig = Rig::with(|settings| settings.normal_close_ends_session = ends);
        let (link, session) = rig.ready().await;
        link.close(1000).await;
        rig.until_offline().await;
        let mut link = rig.greeted().await;
        rig.resume(&mut link, &session, 1).await;
        assert_eq!(link.receive().await["t"], answer);
    }
}

#[tokio::test]
async fn a_session_that_is_resumed_elsewhere_loses_its_older_link() {
    let rig = Rig::new();
    let (mut older, session) = rig.ready().await;
    let mut newer = rig.greeted().await;
    rig.resume(&mut newer, &session, 1).await;
    assert_eq!(newer.receive().await["t"], "RESUMED");
    assert_eq!(older.end().await, End::Cut);
}

#[tokio::test]
async fn replay_again_repeats_events_that_were_not_asked_for() {
    let rig = Rig::new();
    let (mut link, session) = rig.ready().await;
    rig.platform.say(GROUP, &Say::at("小明", "one")).unwrap();
    link.receive().await;
    link.drop_link();
    rig.until_offline().await;
    rig.faults(json!({"replay_again": 1, "resumed_d": "null"}));
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 2).await;
    assert_eq!(link.receive().await["s"], 2);
    assert_eq!(link.receive().await, json!({"op": 0, "s": 3, "t": "RESUMED", "d": null}));
}
