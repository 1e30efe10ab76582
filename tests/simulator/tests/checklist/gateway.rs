//! Point 3: Hello, Identify, and the ways it is refused.

use auk_simulator::{Act, Seen, UnpermittedIntents, WrongToken};
use reqwest::Method;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use crate::client::{End, INTENTS, Rig};

#[tokio::test]
async fn hello_comes_first_and_announces_45_seconds() {
    let rig = Rig::new();
    let mut link = rig.connect().await;
    assert_eq!(link.receive().await, json!({"op": 10, "d": {"heartbeat_interval": 45_000}}));
}

#[tokio::test]
async fn a_bare_token_identifies_as_well() {
    let rig = Rig::new();
    let mut link = rig.greeted().await;
    let token = rig.token().await;
    link.send(json!({"op": 2, "d": {"token": token, "intents": INTENTS}})).await;
    assert_eq!(link.receive().await["t"], "READY");
}

#[tokio::test]
async fn a_wrong_token_is_closed_with_4004_or_answered_with_op_9() {
    let rig = Rig::new();
    let mut link = rig.greeted().await;
    link.send(identify("QQBot nonsense", INTENTS)).await;
    assert_eq!(link.end_code().await, 4004);

    let rig = Rig::with(|settings| settings.wrong_token = WrongToken::Op9);
    let mut link = rig.greeted().await;
    link.send(identify("QQBot nonsense", INTENTS)).await;
    assert_eq!(link.receive().await, json!({"op": 9, "d": false}));
}

#[tokio::test]
async fn an_unknown_intent_bit_is_closed_with_4013() {
    let rig = Rig::new();
    let mut link = rig.greeted().await;
    link.send(identify(&rig.token().await, INTENTS | 1 << 31)).await;
    assert_eq!(link.end_code().await, 4013);
}

#[tokio::test]
async fn an_intent_without_permission_ends_in_each_of_the_three_ways() {
    // 1 << 9, messages of private-domain channels, is nothing for a group bot.
    let forbidden = INTENTS | 1 << 9;
    let ends = [
        (UnpermittedIntents::Op9Then4903, true, End::Closed(4903, "create session error".to_owned())),
        (UnpermittedIntents::Op9ThenCut, true, End::Cut),
        (UnpermittedIntents::Close4014, false, End::Closed(4014, "intent无权限".to_owned())),
    ];
    for (answer, has_op9, end) in ends {
        let rig = Rig::with(|settings| settings.unpermitted_intents = answer);
        let mut link = rig.greeted().await;
        link.send(identify(&rig.token().await, forbidden)).await;
        if has_op9 {
            assert_eq!(link.receive().await, json!({"op": 9, "d": false}));
        }
        assert_eq!(link.end().await, end);
    }
}

#[tokio::test]
async fn the_group_intent_itself_can_be_taken_away() {
    let rig = Rig::new();
    rig.faults(json!({"unpermitted_intents": true}));
    let mut link = rig.greeted().await;
    rig.identify(&mut link).await;
    assert_eq!(link.receive().await["op"], 9);
    assert_eq!(link.end_code().await, 4903);
    rig.faults(json!({"unpermitted_answer": "close4014"}));
    let mut link = rig.greeted().await;
    rig.identify(&mut link).await;
    assert_eq!(link.end_code().await, 4014);
}

#[tokio::test]
async fn every_resume_can_be_closed_while_identify_works() {
    let rig = Rig::new();
    let (link, session) = rig.ready().await;
    link.drop_link();
    rig.until_offline().await;
    rig.faults(json!({"every_resume_close": 4902}));
    for _ in 0..2 {
        let mut link = rig.greeted().await;
        rig.resume(&mut link, &session, 1).await;
        assert_eq!(link.end_code().await, 4902);
    }
    rig.ready().await;
}

#[tokio::test]
async fn frames_that_break_the_protocol_are_closed_as_the_docs_say() {
    let rig = Rig::new();
    let token = rig.token().await;
    let cases = [
        ("{\"op\":42}".to_owned(), 4001),
        ("not json".to_owned(), 4002),
        ("{\"op\":\"x\"}".to_owned(), 4002),
        (json!({"op": 2, "d": {"token": token}}).to_string(), 4002),
        (json!({"op": 6, "d": {"token": token, "session_id": "x"}}).to_string(), 4002),
        (json!({"op": 2, "d": {"token": token, "intents": INTENTS, "shard": [1, 1]}}).to_string(), 4010),
    ];
    for (text, code) in cases {
        let mut link = rig.greeted().await;
        link.send_text(&text).await;
        assert_eq!(link.end_code().await, code, "{text}");
    }
    let mut link = rig.greeted().await;
    link.send_binary(&[0, 255]).await;
    assert_eq!(link.end_code().await, 4002);
}

#[tokio::test]
async fn a_second_identify_on_one_link_is_closed_with_4005() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    rig.identify(&mut link).await;
    assert_eq!(link.end_code().await, 4005);
}

#[tokio::test]
async fn too_many_frames_are_closed_with_4008() {
    let rig = Rig::with(|settings| settings.frames_per_minute_max = Some(2));
    let mut link = rig.greeted().await;
    for _ in 0..2 {
        link.expect_silence().await;
    }
    link.send(json!({"op": 1, "d": null})).await;
    assert_eq!(link.end_code().await, 4008);
}

#[tokio::test]
async fn no_session_starts_left_means_op_9_and_4903() {
    let rig = Rig::with(|settings| settings.session_starts_per_day = 0);
    let mut link = rig.greeted().await;
    rig.identify(&mut link).await;
    assert_eq!(link.receive().await, json!({"op": 9, "d": false}));
    assert_eq!(link.end_code().await, 4903);
}

#[tokio::test]
async fn a_link_without_identify_is_cut_when_a_limit_is_set() {
    let rig = Rig::with(|settings| settings.auth_timeout_ms = Some(50));
    let mut link = rig.greeted().await;
    assert_eq!(link.end().await, End::Cut);
    let rig = Rig::with(|settings| settings.auth_timeout_ms = Some(60_000));
    let (mut link, _) = rig.ready().await;
    link.expect_silence().await;
}

#[tokio::test]
async fn the_upgrade_can_be_refused_and_a_plain_get_is_no_upgrade() {
    let rig = Rig::new();
    assert_eq!(rig.call(Method::GET, "/websocket", None, None).await.status, 426);
    rig.faults(json!({"refuse_upgrade": 503}));
    let url = format!("{}/websocket", rig.platform.base_url().replacen("http", "ws", 1));
    let refused = tokio_tungstenite::connect_async(url).await.unwrap_err();
    assert!(refused.to_string().contains("503"), "{refused}");
    assert!(rig.platform.records().iter().any(|record| record.seen == Seen::UpgradeRefused { status: 503 }));
    assert_eq!(rig.platform.state().connects.total, 1);
}

#[tokio::test]
async fn hello_can_be_late_missing_different_or_nonsense() {
    let rig = Rig::new();
    rig.faults(json!({"hello_delay_ms": 200, "hello_interval_ms": 2_000}));
    let opened_at = std::time::Instant::now();
    let mut link = rig.connect().await;
    assert_eq!(link.receive().await["d"]["heartbeat_interval"], 2_000);
    assert!(opened_at.elapsed().as_millis() >= 200);
    rig.platform.act(&Act::Heal);
    rig.faults(json!({"no_hello": true}));
    rig.connect().await.expect_silence().await;
    rig.platform.act(&Act::Heal);
    let odd = r#"{"op":10,"d":{"heartbeat_interval":"2000"}}"#;
    rig.faults(json!({"hello_text": odd}));
    assert_eq!(rig.connect().await.text().await, odd);
}

#[tokio::test]
async fn one_identify_or_every_one_can_be_answered_with_op_9_or_a_close_code() {
    let rig = Rig::new();
    rig.faults(json!({"next_identify_op9": "absent"}));
    let mut link = rig.greeted().await;
    rig.identify(&mut link).await;
    assert_eq!(link.receive().await, json!({"op": 9}));
    rig.identify(&mut link).await;
    assert_eq!(link.receive().await["t"], "READY");

    rig.faults(json!({"every_identify_op9": true}));
    let mut link = rig.greeted().await;
    for _ in 0..2 {
        rig.identify(&mut link).await;
        assert_eq!(link.receive().await, json!({"op": 9, "d": true}));
    }
    rig.platform.act(&Act::Heal);
    rig.faults(json!({"next_auth_close": 4902}));
    let mut link = rig.greeted().await;
    rig.identify(&mut link).await;
    assert_eq!(link.end_code().await, 4902);
    rig.ready().await;
    rig.faults(json!({"every_auth_close": 4900}));
    for _ in 0..2 {
        let mut link = rig.greeted().await;
        rig.identify(&mut link).await;
        assert_eq!(link.end_code().await, 4900);
    }
}

#[tokio::test]
async fn a_resume_can_be_answered_with_op_9_and_tried_again() {
    let rig = Rig::new();
    let (link, session) = rig.ready().await;
    link.drop_link();
    rig.until_offline().await;
    rig.faults(json!({"next_resume_op9": true}));
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 1).await;
    assert_eq!(link.receive().await, json!({"op": 9, "d": true}));
    rig.resume(&mut link, &session, 1).await;
    assert_eq!(link.receive().await["t"], "RESUMED");
    link.drop_link();
    rig.until_offline().await;
    rig.faults(json!({"dead_sessions": true}));
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 1).await;
    assert_eq!(link.receive().await, json!({"op": 9, "d": false}));
}

#[tokio::test]
async fn authentication_can_be_ignored() {
    let rig = Rig::new();
    rig.faults(json!({"ignore_auth": true}));
    let mut link = rig.greeted().await;
    rig.identify(&mut link).await;
    link.expect_silence().await;
    assert!(!rig.platform.state().online);
}

#[tokio::test]
async fn op_9_can_come_in_the_middle_of_a_session() {
    let rig = Rig::new();
    let (mut link, session) = rig.ready().await;
    rig.call(Method::POST, "/_sim/actions/op9?d=true", None, None).await;
    assert_eq!(link.receive().await, json!({"op": 9, "d": true}));
    rig.resume(&mut link, &session, 1).await;
    assert_eq!(link.receive().await["t"], "RESUMED");
    rig.call(Method::POST, "/_sim/actions/op9", None, None).await;
    assert_eq!(link.receive().await, json!({"op": 9, "d": false}));
    rig.resume(&mut link, &session, 1).await;
    assert_eq!(link.receive().await, json!({"op": 9, "d": false}));
}

fn identify(token: &str, intents: u64) -> Value {
    json!({"op": 2, "d": {"token": token, "intents": intents, "shard": [0, 1]}})
}

#[tokio::test]
async fn a_message_above_the_size_comes_in_fragments_and_is_whole_again() {
    let rig = Rig::new();
    rig.faults(json!({ "fragment_bytes": 100 }));
    // No frame above 100 bytes is taken, while READY and the event are larger.
    let mut link = rig.connect_with(WebSocketConfig::default().max_frame_size(Some(100))).await;
    assert_eq!(link.receive().await["op"], 10);
    rig.identify(&mut link).await;
    assert_eq!(link.receive().await["t"], "READY");
    rig.platform.push(format!(r#"{{"op":0,"s":{{{{s}}}},"t":"E","d":"{}"}}"#, "x".repeat(1_000)).as_bytes()).unwrap();
    assert_eq!(link.receive().await["d"].as_str().map(str::len), Some(1_000));
}
