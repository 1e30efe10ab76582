//! Point 7: two connections of one bot and shard.

use auk_simulator::{Overlap, Say};
use serde_json::json;

use crate::client::{GROUP, Link, Rig};

#[tokio::test]
async fn two_connections_split_the_events_and_neither_is_kicked() {
    let rig = Rig::new();
    let (mut one, _) = rig.ready().await;
    let (mut two, _) = rig.ready().await;
    for _ in 0..40 {
        rig.platform.say(GROUP, &Say::at("小明", "whose?")).unwrap();
    }
    let (first, second) = (events_until_ack(&mut one).await, events_until_ack(&mut two).await);
    assert_eq!(first + second, 40);
    // With a fair chance each, one of them getting none of 40 has a probability of 2 in 2^40.
    assert!(first > 0 && second > 0, "{first} and {second}");
    assert_eq!(rig.platform.state().connections.len(), 2);
}

#[tokio::test]
async fn two_connections_both_get_each_event_when_asked_for() {
    let rig = Rig::with(|settings| settings.overlap = Overlap::Broadcast);
    let (mut one, _) = rig.ready().await;
    let (mut two, _) = rig.ready().await;
    rig.platform.say(GROUP, &Say::at("小明", "both")).unwrap();
    assert_eq!(one.receive().await["d"]["id"], two.receive().await["d"]["id"]);
}

async fn events_until_ack(link: &mut Link) -> usize {
    link.send(json!({"op": 1, "d": null})).await;
    let mut events = 0;
    while link.receive().await["op"] == 0 {
        events += 1;
    }
    events
}
