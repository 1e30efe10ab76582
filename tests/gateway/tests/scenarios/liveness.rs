//! F2: heartbeats, and what they prove.

use auk_gateway::Event;
use auk_gateway_stories::HEARTBEAT_MS;
use serde_json::json;

use crate::rig::{Rig, SEEDS, gaps, op, reset};

#[test]
fn s06_a_quiet_bot_with_acks_is_left_alone_for_two_minutes() {
    for seed in SEEDS {
        let mut rig = Rig::base(seed);
        let mark = rig.mark();
        rig.play_for_with(120_000, |platform, stage, asked| {
            if op(asked) == Some(1) {
                stage.run_for(20);
            }
            platform.answer(stage, asked);
        });
        let [connection] = &rig.connections()[..] else { panic!("one connection") };
        assert_eq!(connection.closed, None);
        assert_eq!((rig.sent(mark, 6), rig.sent(mark, 2)), (vec![], vec![]));
        // 120 s of beats every 2 s, the first at a random point of the first interval.
        let beats: Vec<u64> = connection.beats().into_iter().map(|(at, _)| at).collect();
        assert!((58..=62).contains(&beats.len()), "{}", beats.len());
        assert!(gaps(&beats).iter().all(|gap| (1_700..=2_300).contains(gap)), "{beats:?}");
        assert!(rig.told_since(mark).is_empty(), "no loss, no warning: {:?}", rig.told_since(mark));
        rig.ends_online();
    }
}

#[test]
fn s07_thirty_forced_reconnects_have_one_heartbeat_schedule_each() {
    for seed in SEEDS {
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut rig = Rig::base(seed);
        let interval_ms = |number: usize| if number.is_multiple_of(2) { 2_000 } else { 1_200 };
        for number in 0..30 {
            rig.play_for(3 * interval_ms(number));
            // At any moment of the interval, and each third time within 20 ms of a beat.
            let due = rig.stage.gateway.poll_timeout().expect("a beat is due").as_ms() - rig.stage.now_ms();
            let rest_ms = if number % 3 == 0 { (due + chance.u64(0..=40)).saturating_sub(20) } else { chance.u64(0..interval_ms(number)) };
            rig.play_for(rest_ms);
            rig.platform.heartbeat_ms = interval_ms(number + 1);
            match number % 4 {
                0 => rig.stage.close(None),
                1 => reset(&mut rig.stage),
                2 => rig.stage.close(Some(4009)),
                _ => rig.stage.frame(json!({ "op": 7 })),
            }
        }
        rig.play_for(3 * HEARTBEAT_MS);
        let connections = rig.connections();
        assert_eq!(connections.len(), 31);
        for (number, connection) in connections.iter().enumerate() {
            let (interval_ms, hello) = (interval_ms(number), connection.frames[0].0);
            let beats: Vec<u64> = connection.beats().into_iter().map(|(at, _)| at).collect();
            // Hello and authentication are of the same moment here. The first beat is at a random point of the first interval, and lives
            // are longer than three: no connection gets older than one and a half without a beat.
            assert!(beats[0] <= hello + interval_ms + 200, "{connection:?}");
            let gaps = gaps(&beats);
            assert!(gaps.iter().all(|gap| (interval_ms * 17 / 20..=interval_ms * 23 / 20).contains(gap)), "{gaps:?}, {interval_ms} ms");
            let end = connections.get(number + 1).map_or(rig.stage.now_ms(), |next| next.asked_at);
            assert!(end - beats[beats.len() - 1] <= interval_ms * 23 / 20, "{connection:?}, ended at {end} ms");
        }
        // A beat that falls to the moment of the cut is sent or not; the invariants look at its sequence.
        let losses = rig.told.iter().filter(|(_, event)| matches!(event, Event::Lost { .. })).count();
        assert_eq!(losses, 30);
        rig.ends_online();
    }
}
