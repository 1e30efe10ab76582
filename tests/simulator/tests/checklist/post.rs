//! Point 9: what the bot sends, and how it is refused.

use auk_simulator::{Act, Say};
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, GROUP, Rig, USER};

#[tokio::test]
async fn a_reply_is_shown_and_answered_with_an_id() {
    let rig = Rig::new();
    let msg_id = said(&rig);
    let answer = rig.post(json!({"msg_type": 0, "content": "pong", "msg_id": msg_id, "msg_seq": 1})).await;
    assert_eq!(answer.status, 200);
    let posted = rig.platform.posted();
    assert_eq!(answer.body["id"], posted[0].id);
    assert_eq!((posted[0].content.as_str(), posted[0].passive, posted[0].msg_seq), ("pong", true, 1));
    assert_eq!(posted[0].msg_id.as_deref(), Some(msg_id.as_str()));
    let listed = rig.call(Method::GET, "/_sim/posted", None, None).await.body;
    assert_eq!((&listed[0]["group"], &listed[0]["content"]), (&json!(GROUP), &json!("pong")));
}

#[tokio::test]
async fn business_failures_are_400_with_equal_numbers_or_200_with_one() {
    let body = json!({"content": "hi", "msg_id": "ROBOT1.0_unknown!"});
    let rig = Rig::new();
    let answer = rig.post(body.clone()).await;
    assert_eq!(answer.status, 400);
    assert_eq!((&answer.body["code"], &answer.body["err_code"]), (&json!(40_034_024), &json!(40_034_024)));
    assert_eq!(answer.body["trace_id"], answer.trace_id);
    let rig = Rig::with(|settings| settings.failures_as_http_200 = true);
    let answer = rig.post(body).await;
    assert_eq!((answer.status, answer.body.get("code")), (200, None));
    assert_eq!(answer.body["err_code"], 40_034_024);
}

#[tokio::test]
async fn an_unknown_openid_is_11255_with_40011028() {
    let rig = Rig::new();
    for path in ["/v2/groups/12345/messages", "/v2/users/12345/messages"] {
        let answer = rig.api(Method::POST, path, Some(&json!({"content": "hi"}))).await;
        assert_eq!((answer.status, &answer.body["code"], &answer.body["err_code"]), (400, &json!(11_255), &json!(40_011_028)));
    }
}

#[tokio::test]
async fn five_replies_fit_to_a_group_message_and_four_to_a_single_chat() {
    let rig = Rig::new();
    let msg_id = said(&rig);
    for seq in 1..=5 {
        assert_eq!(code(&rig.post(json!({"content": "hi", "msg_id": msg_id, "msg_seq": seq})).await), 0);
    }
    assert_eq!(code(&rig.post(json!({"content": "hi", "msg_id": msg_id, "msg_seq": 6})).await), 40_034_128);
    let msg_id = rig.platform.say_alone(USER, &Say::plain("", "hi")).unwrap().msg_id;
    for (seq, expected) in [(1, 0), (2, 0), (3, 0), (4, 0), (5, 40_034_128)] {
        let body = json!({"content": "hi", "msg_id": msg_id, "msg_seq": seq});
        let answer = rig.api(Method::POST, &format!("/v2/users/{USER}/messages"), Some(&body)).await;
        assert_eq!(code(&answer), expected);
    }
}

#[tokio::test]
async fn an_expired_message_cannot_be_answered() {
    let rig = Rig::with(|settings| settings.group_reply_window_ms = 0);
    let msg_id = said(&rig);
    assert_eq!(code(&rig.post(json!({"content": "hi", "msg_id": msg_id})).await), 40_034_005);
}

#[tokio::test]
async fn the_same_pair_of_message_and_number_is_a_duplicate() {
    let rig = Rig::new();
    let msg_id = said(&rig);
    // The number is 1 when none is given.
    assert_eq!(code(&rig.post(json!({"content": "hi", "msg_id": msg_id})).await), 0);
    let again = rig.post(json!({"content": "hi", "msg_id": msg_id, "msg_seq": 1})).await;
    assert_eq!((code(&again), &again.body["message"]), (40_054_005, &json!("消息被去重，请检查请求msgseq")));
    assert_eq!(rig.platform.posted().len(), 1);
}

#[tokio::test]
async fn texts_are_judged_unless_the_rules_are_off() {
    let rig = Rig::new();
    let cases = [("", 50_006), ("look at q.rkcn.top", 40_034_028), (&"海".repeat(4501), 40_054_007)];
    for (content, expected) in cases {
        assert_eq!(code(&rig.post(json!({"content": content})).await), expected);
    }
    let refused = rig.post(json!({"content": "look at q.rkcn.top"})).await;
    assert!(refused.body["message"].as_str().unwrap().contains("q.rkcn.top"));
    let rig = Rig::with(|settings| settings.text_rules = false);
    assert_eq!(code(&rig.post(json!({"content": "look at q.rkcn.top"})).await), 0);
}

#[tokio::test]
async fn kinds_of_messages_need_their_content() {
    let rig = Rig::new();
    let cases = [
        (json!({"msg_type": 2, "markdown": {"content": "# hi"}}), 0),
        (json!({"msg_type": 2, "content": "x", "markdown": {"content": "# hi"}}), 22_006),
        (json!({"msg_type": 2}), 22_006),
        (json!({"msg_type": 4, "content": "x"}), 340_069),
        (json!({"msg_type": 6, "input_notify": {"input_type": 1, "input_second": 60}}), 340_069),
        (json!({"msg_type": 7}), 22_006),
        (json!({"msg_type": "0"}), 50_035),
        (json!([]), 50_035),
    ];
    for (body, expected) in cases {
        assert_eq!(code(&rig.post(body.clone()).await), expected, "{body}");
    }
}

#[tokio::test]
async fn proactive_messages_have_quotas_and_switches() {
    let rig = Rig::with(|settings| settings.proactive_per_minute_each = 2);
    for expected in [0, 0, 40_034_100] {
        assert_eq!(code(&rig.post(json!({"content": "hi"})).await), expected);
    }
    // A reply costs nothing of it.
    assert_eq!(code(&rig.post(json!({"content": "hi", "msg_id": said(&rig)})).await), 0);
    rig.platform.change_group(GROUP, |group| group.proactive = false);
    assert_eq!(code(&rig.post(json!({"content": "hi"})).await), 40_034_105);
    let rig = Rig::with(|settings| settings.proactive_allowed = false);
    assert_eq!(code(&rig.post(json!({"content": "hi"})).await), 40_034_105);
}

#[tokio::test]
async fn muted_and_strange_groups_and_people_refuse() {
    let rig = Rig::with(|settings| settings.users[0].accepts = false);
    rig.platform.change_group(GROUP, |group| group.muted = true);
    assert_eq!(code(&rig.post(json!({"content": "hi"})).await), 40_054_002);
    rig.platform.change_group(GROUP, |group| group.bot_is_member = false);
    assert_eq!(code(&rig.post(json!({"content": "hi"})).await), 40_054_003);
    let answer = rig.api(Method::POST, &format!("/v2/users/{USER}/messages"), Some(&json!({"content": "hi"}))).await;
    assert_eq!(code(&answer), 40_054_013);
    let rig = Rig::new();
    for (fault, expected) in [("muted", 40_054_002), ("not_in_group", 40_054_003), ("delisted", 40_054_016)] {
        rig.platform.act(&Act::Heal);
        rig.faults(json!({fault: true}));
        assert_eq!(code(&rig.post(json!({"content": "hi"})).await), expected);
    }
}

#[tokio::test]
async fn an_audited_message_is_202_and_passes_later() {
    let rig = Rig::with(|settings| settings.audit_ms = 50);
    let mut link = rig.greeted().await;
    let token = rig.token().await;
    link.send(json!({"op": 2, "d": {"token": token, "intents": 1 << 25 | 1 << 27}})).await;
    assert_eq!(link.receive().await["t"], "READY");
    rig.faults(json!({"audit_202": true}));
    let answer = rig.post(json!({"content": "hi"})).await;
    assert_eq!((answer.status, &answer.body["code"]), (202, &json!(304_023)));
    let passed = link.receive().await;
    assert_eq!(passed["t"], "MESSAGE_AUDIT_PASS");
    assert_eq!(passed["d"]["audit_id"], answer.body["data"]["message_audit"]["audit_id"]);
    assert_eq!(passed["d"]["message_id"], rig.platform.posted()[0].id);
}

#[tokio::test]
async fn a_post_can_be_delivered_although_its_answer_is_late() {
    let rig = Rig::new();
    let msg_id = said(&rig);
    rig.faults(json!({"send_delay_after_commit_ms": 60_000}));
    let body = json!({"content": "once", "msg_id": msg_id, "msg_seq": 7});
    let url = format!("{}/v2/groups/{GROUP}/messages", rig.platform.base_url());
    let request = rig.http.post(url).header("Authorization", format!("QQBot {}", rig.token().await)).body(body.to_string());
    let timed_out = request.timeout(std::time::Duration::from_millis(300)).send().await.unwrap_err();
    assert!(timed_out.is_timeout());
    assert_eq!(rig.platform.posted().len(), 1);
    rig.platform.act(&Act::Heal);
    assert_eq!(code(&rig.post(body).await), 40_054_005);
}

#[tokio::test]
async fn posts_can_fail_in_every_other_way_without_being_shown() {
    let rig = Rig::new();
    let cases = [
        (json!({"html_502": true}), 502, 0),
        (json!({"send_status": 500, "send_body": "oops"}), 500, 0),
        (json!({"send_code": 50_055_001}), 500, 50_055_001),
        (json!({"send_hang_ms": 100}), 504, 50_055_001),
    ];
    for (fault, status, expected) in cases {
        rig.platform.act(&Act::Heal);
        rig.faults(fault.clone());
        let answer = rig.post(json!({"content": "hi"})).await;
        assert_eq!((answer.status, code(&answer)), (status, expected), "{fault}");
    }
    assert!(rig.platform.posted().is_empty());
}

#[tokio::test]
async fn a_post_can_be_lost_after_a_good_answer() {
    let rig = Rig::new();
    rig.faults(json!({"lose_sends_while_offline": true}));
    assert_eq!(rig.post(json!({"content": "offline"})).await.status, 200);
    let (_link, _) = rig.ready().await;
    assert_eq!(rig.post(json!({"content": "online"})).await.status, 200);
    rig.faults(json!({"send_lost": true}));
    assert_eq!(rig.post(json!({"content": "lost"})).await.status, 200);
    let lost: Vec<_> = rig.platform.posted().iter().map(|post| (post.content.clone(), post.lost)).collect();
    assert_eq!(lost, [("offline".to_owned(), true), ("online".to_owned(), false), ("lost".to_owned(), true)]);
}

#[tokio::test]
async fn events_can_be_answered_when_their_kind_allows_it() {
    let rig = Rig::new();
    let d = json!({"group_openid": GROUP, "op_member_openid": "X", "timestamp": 1});
    let (added, _) = rig.platform.emit("GROUP_ADD_ROBOT", &d).unwrap();
    let (rejected, _) = rig.platform.emit("GROUP_MSG_REJECT", &d).unwrap();
    assert_eq!(code(&rig.post(json!({"content": "hi", "event_id": added})).await), 0);
    assert_eq!(code(&rig.post(json!({"content": "hi", "event_id": rejected})).await), 40_034_027);
    assert_eq!(code(&rig.post(json!({"content": "hi", "event_id": "GROUP_ADD_ROBOT:x"})).await), 40_034_025);
    assert!(rig.platform.posted()[0].passive);
}

#[tokio::test]
async fn a_message_can_be_recalled_once_and_for_two_minutes() {
    let rig = Rig::new();
    let id = rig.post(json!({"content": "oops"})).await.body["id"].as_str().unwrap().to_owned();
    let path = format!("/v2/groups/{GROUP}/messages/{}", id.replace('!', "%21"));
    assert_eq!(rig.api(Method::DELETE, &path, None).await.status, 200);
    assert!(rig.platform.posted()[0].recalled);
    assert_eq!(code(&rig.api(Method::DELETE, &path, None).await), 40_061_002);
    let rig = Rig::with(|settings| settings.recall_window_ms = 0);
    let id = rig.post(json!({"content": "oops"})).await.body["id"].as_str().unwrap().to_owned();
    let late = rig.api(Method::DELETE, &format!("/v2/groups/{GROUP}/messages/{id}"), None).await;
    assert_eq!(code(&late), 40_064_004);
}

#[tokio::test]
async fn an_interaction_is_acknowledged_once_with_204() {
    let rig = Rig::new();
    rig.platform.emit("INTERACTION_CREATE", &json!({"id": "i-1", "type": 11, "group_openid": GROUP})).unwrap();
    let body = json!({"code": 0});
    assert_eq!(rig.api(Method::PUT, "/interactions/i-1", Some(&body)).await.status, 204);
    assert_eq!(rig.api(Method::PUT, "/interactions/i-1", Some(&body)).await.status, 400);
    assert_eq!(rig.api(Method::PUT, "/interactions/i-2", Some(&body)).await.status, 400);
}

#[tokio::test]
async fn calls_that_do_not_exist_are_404_and_wrong_methods_405() {
    let rig = Rig::new();
    for (method, path, status) in [
        (Method::GET, "/v2/nothing", 404),
        (Method::GET, "/v2/groups/x/messages", 405),
        (Method::POST, "/gateway", 405),
        (Method::GET, "/../../etc/passwd", 404),
        (Method::GET, "/users/@me", 200),
    ] {
        assert_eq!(rig.api(method, path, None).await.status, status, "{path}");
    }
}

fn said(rig: &Rig) -> String {
    rig.platform.say(GROUP, &Say::at("小明", "ping")).unwrap().msg_id
}

fn code(answer: &Answer) -> i64 {
    answer.body.get("err_code").and_then(Value::as_i64).unwrap_or(0)
}
