//! Point 1: the token endpoint.

use auk_simulator::{Act, Seen};
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Rig;

#[tokio::test]
async fn the_life_is_a_string_and_the_same_token_comes_back_with_less_of_it() {
    let rig = Rig::with(|settings| settings.first_token_life_s = Some(1222));
    let first = rig.token_answer().await;
    let left: u64 = first.body["expires_in"].as_str().expect("a string").parse().unwrap();
    assert!((1220..=1222).contains(&left), "{left}");
    assert_eq!(rig.token().await, first.body["access_token"].as_str().unwrap());
}

#[tokio::test]
async fn the_life_is_a_number_when_asked_for() {
    let rig = Rig::with(|settings| settings.expires_in_as_number = true);
    assert!(rig.token_answer().await.body["expires_in"].is_u64());
}

#[tokio::test]
async fn in_its_last_minute_a_token_is_replaced_and_both_are_good() {
    let rig = Rig::with(|settings| settings.first_token_life_s = Some(60));
    let first = rig.token().await;
    let second = rig.token().await;
    assert_ne!(first, second);
    for token in [first, second] {
        let me = rig.call(Method::GET, "/users/@me", Some(&format!("QQBot {token}")), None).await;
        assert_eq!(me.status, 200, "{}", me.text);
    }
}

#[tokio::test]
async fn failures_are_http_200_with_a_code_and_no_token() {
    let rig = Rig::new();
    for (app_id, secret, code, message) in
        [("999", "simulator-secret-0001", 100_007, "appid invalid"), ("102000001", "wrong", 100_016, "invalid appid or secret")]
    {
        let body = json!({"appId": app_id, "clientSecret": secret});
        let answer = rig.call(Method::POST, "/app/getAppAccessToken", None, Some(&body)).await;
        assert_eq!((answer.status, &answer.body), (200, &json!({"code": code, "message": message})));
    }
    let unreadable = rig.call(Method::POST, "/app/getAppAccessToken", None, Some(&json!([1]))).await;
    assert_eq!((unreadable.status, &unreadable.body["code"]), (200, &json!(100_007)));
}

#[tokio::test]
async fn too_many_requests_in_a_minute_are_refused_with_100001() {
    let rig = Rig::with(|settings| settings.token_requests_per_minute_max = 2);
    rig.token().await;
    rig.token().await;
    assert_eq!(rig.token_answer().await.body, json!({"code": 100_001, "message": "Too many requests"}));
}

#[tokio::test]
async fn a_revoked_token_gets_401_11244_and_a_new_one_is_handed_out() {
    let rig = Rig::new();
    let dead = rig.token().await;
    rig.platform.act(&Act::RevokeToken);
    let me = rig.call(Method::GET, "/users/@me", Some(&format!("QQBot {dead}")), None).await;
    assert_eq!((me.status, &me.body["code"], &me.body["message"]), (401, &json!(11_244), &json!("token not exist or expire")));
    assert_eq!(me.body["trace_id"], me.trace_id);
    rig.faults(json!({"same_dead_token": true}));
    assert_eq!(rig.token().await, dead);
    rig.faults(json!({"same_dead_token": false}));
    assert_ne!(rig.token().await, dead);
}

#[tokio::test]
async fn wrong_forms_of_authorization_have_their_own_numbers() {
    let rig = Rig::new();
    let token = rig.token().await;
    let forms = [
        (None, 11_241),
        (Some(token.clone()), 11_241),
        (Some("QQBot nonsense".to_owned()), 11_243),
        (Some(format!("Bot 102000001.{token}")), 11_245),
    ];
    for (authorization, code) in forms {
        let me = rig.call(Method::GET, "/users/@me", authorization.as_deref(), None).await;
        assert_eq!((me.status, &me.body["code"]), (401, &json!(code)), "{authorization:?}");
    }
}

#[tokio::test]
async fn the_endpoint_can_be_made_to_answer_anything_and_late() {
    let rig = Rig::new();
    rig.faults(json!({"token_status": 502, "token_body": "<html>bad gateway</html>", "token_hang_ms": 200}));
    let asked_at = std::time::Instant::now();
    let answer = rig.token_answer().await;
    assert!(asked_at.elapsed().as_millis() >= 200);
    assert_eq!((answer.status, answer.text.as_str()), (502, "<html>bad gateway</html>"));
    rig.platform.act(&Act::Heal);
    rig.faults(json!({"token_code": 10_004}));
    assert_eq!(rig.token_answer().await.body, json!({"code": 10_004, "message": "机器人不存在"}));
}

#[tokio::test]
async fn every_request_is_recorded_and_counted() {
    let rig = Rig::new();
    rig.token().await;
    let seen = rig.platform.records().into_iter().map(|record| record.seen).next().unwrap();
    let expected = Seen::TokenRequest { app_id: "102000001".to_owned(), status: 200, code: 0 };
    assert_eq!(seen, expected);
    assert_eq!(rig.platform.state().token_requests.total, 1);
    let records = rig.call(Method::GET, "/_sim/records", None, None).await.body;
    assert_eq!(records[0]["kind"], Value::from("token_request"));
}
