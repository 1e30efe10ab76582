//! Point 11: banned, delisted, deleted.

use auk_simulator::Act;
use reqwest::Method;
use serde_json::json;

use crate::client::Rig;

#[tokio::test]
async fn a_banned_bot_meets_its_number_everywhere() {
    let rig = Rig::new();
    let authorization = format!("QQBot {}", rig.token().await);
    rig.faults(json!({"banned": true}));
    assert_eq!(rig.token_answer().await.body["code"], 100_007);
    let lookup = rig.call(Method::GET, "/gateway", Some(&authorization), None).await;
    assert_eq!(lookup.body["code"], 11_265);
    let mut link = rig.greeted().await;
    link.send(json!({"op": 2, "d": {"token": authorization, "intents": 1 << 25}})).await;
    assert_eq!(link.end_code().await, 4915);
}

#[tokio::test]
async fn a_delisted_bot_is_closed_with_4914() {
    let rig = Rig::new();
    rig.faults(json!({"delisted": true}));
    let mut link = rig.greeted().await;
    rig.identify(&mut link).await;
    assert_eq!(link.end_code().await, 4914);
}

#[tokio::test]
async fn a_deleted_bot_has_neither_token_nor_calls() {
    let rig = Rig::new();
    let authorization = format!("QQBot {}", rig.token().await);
    rig.faults(json!({"deleted": true}));
    assert_eq!(rig.token_answer().await.body["code"], 10_004);
    let me = rig.call(Method::GET, "/users/@me", Some(&authorization), None).await;
    assert_eq!((&me.body["code"], &me.body["message"]), (&json!(11_700), &json!("robot has canceled")));
    rig.platform.act(&Act::Heal);
    assert_eq!(rig.call(Method::GET, "/users/@me", Some(&authorization), None).await.status, 200);
}
