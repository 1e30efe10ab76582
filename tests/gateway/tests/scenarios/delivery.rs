//! F8: every event once, over reconnects and restarts. Messages that the platform repeats under another sequence are the bridge's to know.

use auk_gateway::{Event, Input, Memo, SavedSession, Timestamp};
use serde_json::json;

use crate::rig::{Rig, SEEDS, START, op, reset};

#[test]
fn s29a_what_waits_for_a_slow_owner_outlives_the_connection_and_is_not_delivered_again() {
    for seed in SEEDS {
        let mut rig = Rig::base(seed);
        rig.play_for(5_000);
        let (at, conn) = (Timestamp::from_ms(rig.stage.now_ms()), rig.stage.conn());
        // The owner takes none of the fifty before the connection is reset.
        for sequence in 2..=51 {
            let frame = json!({ "op": 0, "s": sequence, "t": "GROUP_AT_MESSAGE_CREATE", "d": { "id": format!("m{sequence}") } });
            rig.stage.gateway.handle_input(Input::Frame { conn, text: frame.to_string().into() }, at);
        }
        rig.platform.sequence = 51;
        let mark = rig.mark();
        reset(&mut rig.stage);
        rig.play_for_with(1_000, |platform, stage, asked| {
            if op(asked) == Some(6) {
                // What Resume did not ask for as well.
                platform.replay(stage, 12..=51);
            }
            platform.answer(stage, asked);
        });
        assert_eq!(rig.delivered(mark), (2..=51).collect::<Vec<u64>>());
        assert_eq!(rig.connections()[1].authentication().map(|frame| &frame["d"]["seq"]), Some(&json!(51)));
        let told = rig.told_since(mark);
        assert!(matches!((told[49], told[50]), (Event::Dispatch(_), Event::Lost { session_kept: true, .. })), "{told:?}");
        rig.ends_online();
    }
}

#[test]
fn s29b_a_process_that_is_killed_leaves_its_resume_point_and_the_next_delivers_what_comes_after() {
    for seed in SEEDS {
        let mut rig = Rig::base(seed);
        rig.platform.sequence = 51;
        rig.platform.replay(&mut rig.stage, 2..=51);
        rig.play_for(2_000);
        // The owner had dealt with ten of fifty. What it had not is kept out of the saved session, as the driver keeps it.
        let mut memory = rig.stage.memory.clone();
        let saved = memory.session.clone().expect("a session");
        memory.note(Memo::Session(Some(SavedSession { sequence: Some(11), ..saved })));
        let mut next = Rig::restored(seed, |_| {}, memory, rig.stage.now_ms() + 3_000);
        next.platform.sequence = 51;
        next.play_for_with(5_000, |platform, stage, asked| {
            if op(asked) == Some(6) {
                // Neighbours of the resume point that were not asked for are not delivered.
                platform.replay(stage, 9..=11);
            }
            platform.answer(stage, asked);
        });
        let connections = next.connections();
        let [connection] = &connections[..] else { panic!("one connection") };
        assert_eq!(connection.authentication().map(|frame| &frame["d"]["seq"]), Some(&json!(11)));
        assert_eq!(next.delivered(START), (12..=51).collect::<Vec<u64>>());
        assert_eq!((next.token_requests(START), next.look_ups(START)), (vec![], vec![]));
        assert!(connection.beats().iter().all(|(_, sequence)| *sequence == Some(52)), "RESUMED is 52: {connection:?}");
        next.ends_online();
    }
}

#[test]
fn s29_heartbeats_carry_what_was_received_though_the_owner_lags_behind() {
    let mut rig = Rig::base(0);
    let (at, conn) = (Timestamp::from_ms(0), rig.stage.conn());
    for sequence in 2..=51 {
        let frame = json!({ "op": 0, "s": sequence, "t": "GROUP_AT_MESSAGE_CREATE", "d": {} });
        rig.stage.gateway.handle_input(Input::Frame { conn, text: frame.to_string().into() }, at);
    }
    let due = rig.stage.gateway.poll_timeout().expect("a beat is due");
    rig.stage.gateway.handle_timeout(due);
    let beat = std::iter::from_fn(|| rig.stage.gateway.poll_effect()).find_map(|effect| match effect {
        auk_gateway::Effect::Send { text, .. } => Some(text.into_text()),
        auk_gateway::Effect::FetchToken { .. }
        | auk_gateway::Effect::FetchAddress { .. }
        | auk_gateway::Effect::Connect { .. }
        | auk_gateway::Effect::Close { .. }
        | auk_gateway::Effect::Remember(_) => None,
    });
    assert_eq!(beat.map(|text| serde_json::from_str::<serde_json::Value>(&text).expect("JSON")), Some(json!({ "op": 1, "d": 51 })));
}

#[test]
fn s30_a_replay_of_what_was_delivered_is_filtered_and_the_sequence_advances() {
    for seed in SEEDS {
        let mut rig = Rig::base(seed);
        rig.play_for(5_000);
        rig.platform.sequence = 10;
        rig.platform.replay(&mut rig.stage, 2..=10);
        rig.play_for(0);
        let mark = rig.mark();
        reset(&mut rig.stage);
        rig.play_for_with(3_000, |platform, stage, asked| {
            if op(asked) != Some(6) {
                return platform.answer(stage, asked);
            }
            platform.replay(stage, 8..=12);
            // The message of 9 once more under a sequence of its own: the core passes it on, since only its id tells.
            let again = json!({ "op": 0, "s": 13, "t": "GROUP_AT_MESSAGE_CREATE", "d": { "id": "m9" } });
            platform.dispatch(stage, 13, again);
            platform.sequence = 13;
            platform.resumed(stage, json!(""));
        });
        assert_eq!(rig.connections()[1].authentication().map(|frame| &frame["d"]["seq"]), Some(&json!(10)));
        assert_eq!(rig.delivered(mark), [11, 12, 13]);
        assert_eq!(rig.connections()[1].beats()[0].1, Some(14));
        assert_eq!(rig.lines().len(), 1, "READY: {:?}", rig.lines());
        rig.ends_online();
    }
}

#[test]
fn s30_a_hundred_thousand_events_are_each_delivered_once_though_each_tenth_is_repeated() {
    let mut rig = Rig::base(0);
    let mark = rig.mark();
    for _ in 0..10_000 {
        let (from, to) = (rig.platform.sequence + 1, rig.platform.sequence + 10);
        rig.platform.replay(&mut rig.stage, (from..=to).chain([to]));
        rig.platform.sequence = to;
    }
    rig.play_for(0);
    assert_eq!(rig.delivered(mark).len(), 100_000);
    rig.ends_online();
}
