//! F7: frames of any shape.

use std::collections::BTreeSet;

use auk_gateway::{Event, Input};
use auk_gateway_stories::Stage;
use serde_json::{Value, json};

use crate::rig::{Rig, SEEDS, START, op, reset};

/// A frame as it is written on the wire.
fn say(stage: &mut Stage, text: &str) {
    let conn = stage.conn();
    stage.input(Input::Frame { conn, text: text.to_owned().into() });
}

/// Eight seconds after a Hello with this `d`, written as on the wire; nothing when it is absent.
fn hello_of(seed: u64, d: Option<&str>) -> Rig {
    let mut rig = Rig::new(seed, |_| {});
    rig.play_for_with(8_000, |platform, stage, asked| {
        if *asked == auk_gateway_stories::Asked::Connect {
            stage.open();
            let d = d.map(|d| format!(r#","d":{d}"#)).unwrap_or_default();
            say(stage, &format!(r#"{{"op":10{d}}}"#));
        } else {
            platform.answer(stage, asked);
        }
    });
    rig
}

#[test]
fn s25_a_malformed_hello_authenticates_at_once_and_beats_at_a_sane_pace() {
    let intervals = ["0", "1", "-1", "1.5", r#""2000""#, "null", "true", "1e12", "9223372036854775808"];
    let bodies = intervals.into_iter().map(|v| Some(format!(r#"{{"heartbeat_interval":{v}}}"#)));
    let odd = ["null", r#""""#, "[]", "{}"].map(|d| Some(d.to_owned()));
    for (d, seed) in bodies.chain([None]).chain(odd).flat_map(|d| SEEDS.map(move |seed| (d.clone(), seed))) {
        let mut rig = hello_of(seed, d.as_deref());
        let connections = rig.connections();
        let [connection] = &connections[..] else { panic!("{d:?}: one connection") };
        assert_eq!((connection.closed, connection.frames[0].0), (None, 0), "{d:?}");
        // The default of 41.25 s is used: one beat at most, at a random point of the first interval.
        assert!(connection.beats().len() <= 1, "{d:?}");
        let warnings = rig.told_since(START).into_iter().filter(|event| matches!(event, Event::OddHello)).count();
        assert_eq!((warnings, rig.told.len()), (1, 2), "{d:?}: {:?}", rig.told);
        // The line that connects, and the one that says it; the value itself is not in it.
        let lines = rig.lines();
        assert!(lines.len() == 2 && lines.iter().all(|(_, line)| !line.to_string().contains("9223372036854775808")), "{lines:?}");
        rig.ends_online();
    }
}

#[test]
fn s25_a_hello_of_one_second_is_beaten_every_second_without_a_warning() {
    for seed in SEEDS {
        let mut rig = hello_of(seed, Some(r#"{"heartbeat_interval":1000}"#));
        let beats = rig.sent(START, 1).len();
        assert!((7..=9).contains(&beats), "{beats}");
        assert!(matches!(rig.told_since(START)[..], [Event::Ready { .. }]));
        rig.ends_online();
    }
}

#[test]
fn s26_resumed_needs_nothing_of_its_body() {
    let bodies = [Some(json!("")), Some(json!(null)), Some(json!({})), Some(json!([])), None];
    for (body, seed) in bodies.into_iter().flat_map(|body| SEEDS.map(move |seed| (body.clone(), seed))) {
        let mut rig = Rig::base(seed);
        rig.platform.sequence = 4;
        rig.platform.replay(&mut rig.stage, 2..=4);
        rig.play_for(5_000);
        rig.stage.close(None);
        let mark = rig.mark();
        rig.platform.sequence = 8;
        rig.play_for_with(3_000, |platform, stage, asked| {
            if op(asked) != Some(6) {
                return platform.answer(stage, asked);
            }
            platform.replay(stage, 5..=8);
            let mut resumed = json!({ "op": 0, "s": 9, "t": "RESUMED", "d": body });
            if body.is_none() {
                resumed.as_object_mut().expect("a frame").remove("d");
            }
            platform.sequence = 9;
            platform.dispatch(stage, 9, resumed);
        });
        let told = rig.told_since(mark);
        assert!(matches!(told[1..5], [Event::Dispatch(_), Event::Dispatch(_), Event::Dispatch(_), Event::Dispatch(_)]), "{told:?}");
        assert!(matches!((told[0], &told[5..]), (Event::Lost { .. }, [Event::Resumed { replayed: 4 }])), "{told:?}");
        assert_eq!(rig.delivered(mark), [5, 6, 7, 8]);
        assert_eq!(rig.connections()[1].beats()[0].1, Some(9));
        // The counters are clear: ready for 3 s, the second drop is followed by a first attempt at once.
        let (at, mark) = (rig.stage.now_ms(), rig.mark());
        rig.stage.close(None);
        rig.play_for(500);
        assert_eq!(rig.connects(mark), [at]);
        assert_eq!(rig.connections()[2].authentication().map(|frame| &frame["d"]["seq"]), Some(&json!(9)));
        assert!(matches!(rig.told_since(mark)[..], [Event::Lost { retry_in_ms: 0, .. }, Event::Resumed { .. }]));
        rig.ends_online();
    }
}

#[test]
fn s27_events_that_nobody_can_read_are_passed_on_as_they_came_and_advance_the_sequence() {
    for seed in SEEDS {
        let mut rig = Rig::base(seed);
        rig.play_for(5_000);
        rig.platform.sequence = 4;
        rig.platform.replay(&mut rig.stage, 2..=4);
        let mark = rig.mark();
        let bodies = [
            (5, "GROUP_AT_MESSAGE_CREATE", json!({ "id": "K5", "author": null, "content": "CANARY" })),
            (6, "GROUP_AT_MESSAGE_CREATE", json!({ "id": "K6", "content": "CANARY" })),
            (7, "C2C_MESSAGE_CREATE", json!({ "id": 7, "author": 7, "content": 7 })),
            (8, "SOMETHING_NEW", json!({ "id": "K8" })),
            (9, "C2C_MESSAGE_CREATE", json!(["CANARY"])),
        ];
        for (sequence, name, d) in &bodies {
            rig.platform.dispatch(&mut rig.stage, *sequence, json!({ "op": 0, "s": sequence, "t": name, "d": d }));
        }
        rig.stage.frame(json!({ "op": 42, "d": { "new": true } }));
        rig.stage.frame(json!({ "op": "x" }));
        let unknown: serde_json::Map<String, Value> = (0..10).map(|n| (format!("field_{n}"), json!({ "n": n }))).collect();
        for (sequence, id) in [(10, "K10"), (11, "K11")] {
            let mut d = unknown.clone();
            d.insert("id".to_owned(), json!(id));
            let mut frame = json!({ "op": 0, "s": sequence, "t": "C2C_MESSAGE_CREATE", "d": d });
            frame.as_object_mut().expect("a frame").extend(unknown.clone());
            rig.platform.dispatch(&mut rig.stage, sequence, frame);
        }
        rig.platform.sequence = 11;
        rig.play_for(0);
        assert_eq!(rig.connects(mark), [0_u64; 0], "the same connection");
        let dispatches: Vec<_> =
            rig.told_since(mark).into_iter().filter_map(|event| if let Event::Dispatch(d) = event { Some(d) } else { None }).collect();
        assert_eq!(dispatches.iter().map(|dispatch| dispatch.sequence).collect::<Vec<_>>(), (2..=11).map(Some).collect::<Vec<_>>());
        for (dispatch, (sequence, name, d)) in dispatches[3..8].iter().zip(&bodies) {
            let came: Value = serde_json::from_str(dispatch.data.as_ref().expect("a body").get()).expect("JSON");
            assert_eq!((dispatch.name.as_str(), &came), (*name, d), "{sequence}");
        }
        let unreadable = rig.told_since(mark).into_iter().filter(|event| matches!(event, Event::UnreadableFrame { .. })).count();
        assert_eq!(unreadable, 1, "the frame whose opcode is text");
        assert!(rig.lines().len() <= 2, "READY and the unreadable frame: {:?}", rig.lines());
        let mark = rig.mark();
        reset(&mut rig.stage);
        rig.play_for(1_000);
        assert_eq!(rig.connections()[1].authentication().map(|frame| &frame["d"]["seq"]), Some(&json!(11)));
        assert_eq!(rig.delivered(mark), [0_u64; 0]);
        rig.ends_online();
    }
}

#[test]
fn s27_an_unreadable_frame_again_and_again_is_one_line() {
    let mut rig = Rig::base(0);
    for _ in 0..50 {
        rig.stage.frame(json!({ "op": "x", "d": "CANARY" }));
    }
    rig.play_for(1_000);
    let texts: BTreeSet<String> = rig.lines().into_iter().map(|(_, line)| line.text).collect();
    assert_eq!((rig.lines().len(), texts.len()), (2, 2), "{:?}", rig.lines());
    rig.ends_online();
}
