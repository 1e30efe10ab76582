//! Point 5: op 7 and the 4009 that follows.

use auk_simulator::model::ClosedBy;
use auk_simulator::{Act, Platform, Say, Seen};
use serde_json::json;

use crate::client::{End, GROUP, Rig};

#[tokio::test]
async fn op_7_comes_at_its_interval_and_a_client_that_stays_is_closed_with_4009() {
    let rig = Rig::with(|settings| {
        settings.op7_interval_ms = Some(1_000);
        settings.op7_grace_ms = 50;
    });
    let (mut link, session) = rig.ready().await;
    assert_eq!(link.receive().await, json!({"op": 7}));
    assert_eq!(link.end().await, End::Closed(4009, "Session timed out".to_owned()));
    rig.platform.say(GROUP, &Say::at("小明", "meanwhile")).unwrap();
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 1).await;
    assert_eq!(link.receive().await["d"]["content"], " meanwhile");
    assert_eq!(link.receive().await["t"], "RESUMED");
}

#[tokio::test]
async fn op_7_can_be_sent_at_once() {
    let rig = Rig::with(|settings| settings.op7_grace_ms = 0);
    let (mut link, _) = rig.ready().await;
    rig.platform.act(&Act::Op7);
    assert_eq!(link.receive().await, json!({"op": 7}));
    assert_eq!(link.end_code().await, 4009);
}

#[tokio::test]
async fn links_are_cut_closed_and_made_to_flap_on_request() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    rig.platform.act(&Act::Cut);
    assert_eq!(link.end().await, End::Cut);
    let (mut link, _) = rig.ready().await;
    rig.platform.act(&Act::Close(4000));
    assert_eq!(link.end_code().await, 4000);
    let (mut link, _) = rig.ready().await;
    rig.faults(json!({"close_now": 4008}));
    assert_eq!(link.end_code().await, 4008);
    assert_eq!(rig.platform.faults().close_now, None);
    rig.faults(json!({"flap_after_ms": 100}));
    let mut link = rig.greeted().await;
    assert_eq!(link.end().await, End::Cut);
}

#[tokio::test]
async fn every_end_of_a_link_is_recorded_with_who_ended_it() {
    let rig = Rig::new();
    let (link, _) = rig.ready().await;
    link.drop_link();
    rig.until_offline().await;
    let (link, _) = rig.ready().await;
    link.close(1000).await;
    rig.until_offline().await;
    let (mut link, _) = rig.ready().await;
    rig.platform.act(&Act::Close(4009));
    assert_eq!(link.end_code().await, 4009);
    let (mut link, _) = rig.ready().await;
    rig.platform.act(&Act::Cut);
    assert_eq!(link.end().await, End::Cut);
    let expected = [(ClosedBy::Client, None), (ClosedBy::Client, Some(1000)), (ClosedBy::Platform, Some(4009)), (ClosedBy::Cut, None)];
    assert_eq!(ends(&rig.platform), expected);
}

#[tokio::test]
async fn a_client_that_breaks_the_websocket_itself_is_closed_with_4002() {
    use tokio::io::AsyncWriteExt;
    let rig = Rig::new();
    let mut link = rig.greeted().await;
    // A frame with reserved bits and an unknown opcode.
    link.raw().write_all(&[0xff, 0x80, 0, 0, 0, 0]).await.unwrap();
    assert_eq!(link.end_code().await, 4002);
    assert_eq!(ends(&rig.platform), [(ClosedBy::Platform, Some(4002))]);
}

#[tokio::test]
async fn a_client_that_does_not_read_is_cut_all_the_same() {
    use tokio::io::AsyncWriteExt;
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    // More than the buffers of both ends hold, so that the platform is stuck in the middle of a frame.
    rig.faults(json!({"huge_frame_bytes": 64_000_000}));
    rig.platform.say(GROUP, &Say::at("小明", "after a huge one")).unwrap();
    rig.platform.act(&Act::Cut);
    for _ in 0..500 {
        if link.raw().write_all(&[0]).await.is_err() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the link is still open");
}

fn ends(platform: &Platform) -> Vec<(ClosedBy, Option<u16>)> {
    let end = |seen: &Seen| if let Seen::Closed { by, code, .. } = seen { Some((*by, *code)) } else { None };
    platform.records().iter().filter_map(|record| end(&record.seen)).collect()
}
