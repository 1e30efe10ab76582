//! Point 6: heartbeats, acknowledged or not.

use auk_simulator::{Act, Say, Seen};
use serde_json::json;

use crate::client::{End, GROUP, Rig};

#[tokio::test]
async fn a_heartbeat_is_acknowledged_with_op_11_alone_even_without_its_d() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    for frame in [json!({"op": 1, "d": 1}), json!({"op": 1, "d": null}), json!({"op": 1, "s": 1})] {
        link.send(frame).await;
        assert_eq!(link.text().await, r#"{"op":11}"#);
    }
    let seqs: Vec<_> = rig.platform.records().into_iter().filter_map(|record| heartbeat_seq(&record.seen)).collect();
    assert_eq!(seqs, [Some(1), None, None]);
}

#[tokio::test]
async fn without_heartbeats_the_link_is_cut_after_two_intervals_without_a_close_code() {
    let rig = Rig::with(|settings| settings.heartbeat_interval_ms = 100);
    let connected_at = std::time::Instant::now();
    let (mut link, _) = rig.ready().await;
    assert_eq!(link.end().await, End::Cut);
    assert!(connected_at.elapsed().as_millis() >= 200);
}

#[tokio::test]
async fn heartbeats_keep_the_link_beyond_two_intervals() {
    let rig = Rig::with(|settings| settings.heartbeat_interval_ms = 500);
    let (mut link, _) = rig.ready().await;
    // Five beats at half the interval outlive two intervals of 500 ms.
    for _ in 0..5 {
        tokio::time::sleep(std::time::Duration::from_millis(250)).await;
        link.expect_silence().await;
    }
}

#[tokio::test]
async fn heartbeats_can_stay_without_an_answer_while_events_still_come() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    rig.faults(json!({"no_ack": true}));
    link.send(json!({"op": 1, "d": 1})).await;
    rig.until(|platform| platform.state().heartbeats.total == 1).await;
    rig.platform.say(GROUP, &Say::at("小明", "still here")).unwrap();
    assert_eq!(link.receive().await["d"]["content"], " still here");
}

#[tokio::test]
async fn heartbeats_can_be_acknowledged_while_no_event_comes_until_a_resume() {
    let rig = Rig::new();
    let (mut link, session) = rig.ready().await;
    rig.faults(json!({"ack_but_no_events": true}));
    rig.platform.say(GROUP, &Say::at("小明", "lost?")).unwrap();
    link.expect_silence().await;
    link.drop_link();
    rig.until_offline().await;
    rig.platform.act(&Act::Heal);
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 1).await;
    assert_eq!(link.receive().await["d"]["content"], " lost?");
}

#[tokio::test]
async fn the_platform_can_ask_for_a_heartbeat() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    rig.platform.act(&Act::HeartbeatRequest);
    assert_eq!(link.receive().await["op"], 1);
}

fn heartbeat_seq(seen: &Seen) -> Option<Option<u64>> {
    if let Seen::Heartbeat { seq, .. } = seen { Some(*seq) } else { None }
}
