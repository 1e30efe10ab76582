//! Dispatches: their sequences, repeats and latecomers, and frames that nobody can read or hold.

use auk_gateway::{Close, ConnectFailure, Event, Input, LossCause};
use auk_gateway_stories::{Asked, Stage, identify};
use serde_json::json;

#[test]
fn neighbours_out_of_order_are_both_delivered_and_repeats_are_not() {
    let mut stage = Stage::ready();
    for sequence in [3, 2, 3, 2, 4] {
        stage.dispatch(sequence);
    }
    assert_eq!(stage.take_delivered(), [3, 2, 4]);
}

#[test]
fn a_frame_over_the_limit_is_met_twice_and_no_more() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    let too_large = |stage: &mut Stage| {
        let conn = stage.conn();
        stage.input(Input::Closed { conn, close: Close::Transport(ConnectFailure::TooLarge { bytes: Some(100_000) }) });
    };
    too_large(&mut stage);
    stage.open();
    stage.hello(45_000);
    too_large(&mut stage);
    stage.run_for(2_000);
    stage.open();
    stage.take_asked();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(12_000, identify("t1"))]);
}

#[test]
fn a_damaged_first_sequence_does_not_make_the_bot_deaf() {
    let mut stage = Stage::new();
    stage.begin();
    stage.frame(json!({ "op": 0, "s": 9_000_000_000_u64, "t": "READY", "d": { "session_id": "s1" } }));
    for sequence in [2, 3, 4] {
        stage.dispatch(sequence);
    }
    assert_eq!(stage.take_delivered(), [2, 3, 4]);
}

#[test]
fn a_dispatch_of_any_shape_advances_the_sequence() {
    let mut stage = Stage::ready();
    stage.frame(json!({ "op": 0, "s": 2, "t": "SOMETHING_NEW", "d": "text" }));
    stage.frame(json!({ "op": 0, "s": 3, "t": 7, "id": [], "d": null }));
    stage.frame(json!({ "op": 0, "s": 4 }));
    let conn = stage.conn();
    let lone_surrogate = r#"{"op":0,"s":5,"t":"GROUP_AT_MESSAGE_CREATE","d":{"content":"\ud83d and \u0000"}}"#;
    stage.input(Input::Frame { conn, text: lone_surrogate.to_owned().into() });
    assert_eq!(stage.take_delivered(), [2, 3, 4, 5]);
    stage.frame(json!({ "op": 1 }));
    assert_eq!(stage.take_asked(), [(0, Asked::Sent(json!({ "op": 1, "d": 5 })))]);
}

#[test]
fn a_dispatch_far_behind_the_highest_is_a_repeat_and_a_nearer_one_a_latecomer() {
    let mut stage = Stage::ready();
    // READY itself was sequence 1.
    for sequence in [1, 100, 600, 100, 89, 89, 88] {
        stage.dispatch(sequence);
    }
    // 512 behind 600 is 88.
    assert_eq!(stage.take_delivered(), [100, 600, 89]);
}

#[test]
fn a_sequence_that_jumps_too_far_is_delivered_but_not_followed() {
    let mut stage = Stage::ready();
    // From 1 on, 100,000 is the furthest.
    for (at_ms, sequence, highest) in [(1_000, 100_002, 1), (2_000, 100_001, 100_001), (3_000, 300_000, 100_001)] {
        stage.run_until(at_ms);
        stage.dispatch(sequence);
        assert_eq!(stage.take_delivered(), [sequence]);
        stage.take_asked();
        stage.frame(json!({ "op": 1 }));
        assert_eq!(stage.take_asked(), [(at_ms, Asked::Sent(json!({ "op": 1, "d": highest })))]);
    }
}

#[test]
fn a_frame_over_the_limit_is_told_with_its_size_and_place_when_it_costs_the_session() {
    let mut stage = Stage::ready();
    stage.dispatch(2);
    stage.live_for(10_000);
    stage.take_told();
    for _ in 0..2 {
        let conn = stage.conn();
        stage.input(Input::Closed { conn, close: Close::Transport(ConnectFailure::TooLarge { bytes: Some(100_000) }) });
        if stage.state() == "connecting" {
            stage.open();
            stage.hello(45_000);
        }
    }
    let told = stage.take_told();
    assert!(
        matches!(
            told[..],
            [
                (_, Event::Lost { cause: LossCause::Transport(ConnectFailure::TooLarge { .. }), session_kept: true, .. }),
                (_, Event::Lost { cause: LossCause::Oversized { bytes: Some(100_000), after: Some(2) }, session_kept: false, .. }),
            ]
        ),
        "{told:?}"
    );
}
