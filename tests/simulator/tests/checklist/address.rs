//! Point 2: the look-up of the WebSocket address.

use auk_simulator::Act;
use reqwest::Method;
use serde_json::json;

use crate::client::Rig;

#[tokio::test]
async fn the_address_follows_the_host_that_was_asked() {
    let rig = Rig::new();
    let answer = rig.api(Method::GET, "/gateway", None).await;
    let expected = format!("{}/websocket", rig.platform.base_url().replacen("http", "ws", 1));
    assert_eq!(answer.body, json!({"url": expected}));
}

#[tokio::test]
async fn ten_look_ups_fit_and_the_next_is_400_with_both_numbers() {
    let rig = Rig::with(|settings| settings.address_per_minute = 0);
    for _ in 0..10 {
        assert_eq!(rig.api(Method::GET, "/gateway", None).await.status, 200);
    }
    let refused = rig.api(Method::GET, "/gateway", None).await;
    assert_eq!(refused.status, 400);
    assert_eq!(refused.body["message"], "接口调用超过频率限制");
    assert_eq!((&refused.body["code"], &refused.body["err_code"]), (&json!(100_017), &json!(40_023_001)));
    assert_eq!(refused.body["trace_id"], refused.trace_id);
    // The other look-up has a bucket of its own.
    assert_eq!(rig.api(Method::GET, "/gateway/bot", None).await.status, 200);
}

#[tokio::test]
async fn the_bot_look_up_counts_the_session_starts_that_are_left() {
    let rig = Rig::new();
    let before = rig.api(Method::GET, "/gateway/bot", None).await.body;
    assert_eq!((&before["shards"], &before["session_start_limit"]["max_concurrency"]), (&json!(1), &json!(1)));
    assert_eq!(before["session_start_limit"]["remaining"], 1500);
    let (link, session) = rig.ready().await;
    link.drop_link();
    rig.until_offline().await;
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 1).await;
    assert_eq!(link.receive().await["t"], "RESUMED");
    // One Identify and one Resume: only the first counts.
    let after = rig.api(Method::GET, "/gateway/bot", None).await.body;
    assert_eq!(after["session_start_limit"]["remaining"], 1499);
    assert!(after["session_start_limit"]["reset_after"].as_u64().unwrap() > 86_000_000);
}

#[tokio::test]
async fn the_look_up_can_be_refused_for_a_while_and_in_every_other_way() {
    let rig = Rig::new();
    rig.platform.act(&Act::RateLimitAddress { seconds: 60 });
    assert_eq!(rig.api(Method::GET, "/gateway", None).await.body["err_code"], 40_023_001);
    assert!(rig.platform.state().lookups_refused_for_ms > 0);
    rig.platform.act(&Act::Heal);
    for (fault, status, code) in [
        (json!({"address_rate_limited": true}), 400, json!(100_017)),
        (json!({"address_unauthorized": true}), 401, json!(11_244)),
        (json!({"address_html": true}), 502, json!(null)),
        (json!({"address_status": 500, "address_body": "{}"}), 500, json!(null)),
    ] {
        rig.platform.act(&Act::Heal);
        rig.faults(fault);
        let answer = rig.api(Method::GET, "/gateway", None).await;
        assert_eq!((answer.status, &answer.body["code"]), (status, &code));
    }
    rig.platform.act(&Act::Heal);
    rig.faults(json!({"address_url": "ws://127.0.0.1:1/websocket", "address_hang_ms": 200}));
    let asked_at = std::time::Instant::now();
    assert_eq!(rig.api(Method::GET, "/gateway", None).await.body["url"], "ws://127.0.0.1:1/websocket");
    assert!(asked_at.elapsed().as_millis() >= 200);
}
