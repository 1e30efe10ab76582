//! How a session begins, ends and comes back.

use auk_gateway::{AddressEndpoint, Close, ConnectFailure, Event, HaltReason, Input, LossCause};
use auk_gateway_stories::{Asked, Stage, identify, resume};
use serde_json::json;

#[test]
fn ordinary_start_asks_for_token_then_address_then_connects_and_identifies_once() {
    let mut stage = Stage::new();
    stage.begin();
    stage.ready_as("s1");
    let asked: Vec<Asked> = stage.take_asked().into_iter().map(|(_, asked)| asked).collect();
    // Everything was answered at once, so everything happens at time 0; the first heartbeat has a random place in the first 45 s.
    assert_eq!(asked, [Asked::Token, Asked::Address(AddressEndpoint::GatewayBot), Asked::Connect, identify("t1")]);
    assert!(stage.gateway.is_ready());
    assert!(matches!(&stage.take_told()[..], [(0, Event::Ready { bot_name: Some(name) })] if name == "auk"));
}

#[test]
fn nothing_is_sent_before_hello() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address();
    stage.open();
    stage.take_asked();
    stage.frame(json!({ "op": 1 }));
    stage.frame(json!({ "op": 11 }));
    stage.frame(json!({ "op": 0, "s": 9, "t": "GROUP_AT_MESSAGE_CREATE", "d": {} }));
    assert_eq!(stage.take_asked(), []);
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(0, identify("t1"))]);
}

#[test]
fn a_drop_is_resumed_with_the_highest_sequence_and_the_replay_is_delivered_once() {
    let mut stage = Stage::ready();
    stage.dispatch(2);
    stage.dispatch(3);
    stage.live_for(10_000);
    stage.take_asked();
    stage.take_told();
    stage.close(None);
    // Ready for 10 s, which is over the 3 s of `settled_ms`: the first attempt comes without back-off.
    assert!(stage.take_asked().contains(&(10_000, Asked::Connect)));
    stage.open();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(10_000, resume("t1", "s1", 3))]);
    // The platform repeats 3, although it need not, and then what was missed.
    for sequence in [3, 4, 5] {
        stage.dispatch(sequence);
    }
    stage.resumed(6);
    stage.dispatch(7);
    let told = stage.take_told();
    assert!(told.iter().any(|(_, event)| matches!(event, Event::Resumed { replayed: 2 })), "{told:?}");
    let delivered: Vec<_> = told.iter().filter_map(|(_, event)| if let Event::Dispatch(d) = event { d.sequence } else { None }).collect();
    assert_eq!(delivered, [4, 5, 7]);
}

#[test]
fn neighbours_out_of_order_are_both_delivered_and_repeats_are_not() {
    let mut stage = Stage::ready();
    for sequence in [3, 2, 3, 2, 4] {
        stage.dispatch(sequence);
    }
    assert_eq!(stage.take_delivered(), [3, 2, 4]);
}

#[test]
fn op_7_closes_with_4000_and_resumes_at_once_each_time() {
    let mut stage = Stage::ready();
    for round in 0..10 {
        // A second of life each time, far below `settled_ms`: a planned cut of a ready session is no failure.
        stage.live_for(1_000);
        stage.take_asked();
        stage.frame(json!({ "op": 7 }));
        let at = 1_000 * (round + 1);
        assert_eq!(stage.take_asked(), [(at, Asked::Closed(4000)), (at, Asked::Connect)]);
        stage.open();
        stage.hello(45_000);
        assert_eq!(stage.take_asked(), [(at, resume("t1", "s1", 1 + round))]);
        stage.resumed(2 + round);
    }
    assert_eq!(stage.count(|asked| matches!(asked, Asked::Token | Asked::Address(_))), 0);
}

#[test]
fn close_4009_resumes_at_once() {
    let mut stage = Stage::ready();
    stage.live_for(1_000);
    stage.take_asked();
    stage.close(Some(4009));
    stage.open();
    stage.hello(45_000);
    let asked = stage.take_asked();
    assert!(asked.contains(&(1_000, Asked::Connect)) && asked.contains(&(1_000, resume("t1", "s1", 1))), "{asked:?}");
}

#[test]
fn op_9_true_keeps_the_session_and_resumes_after_a_short_pause() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.take_asked();
    stage.frame(json!({ "op": 9, "d": true }));
    stage.run_for(400);
    // 250 ms plus up to a quarter of it.
    let connect = stage.take_asked().into_iter().find(|(_, asked)| *asked == Asked::Connect).expect("an attempt").0;
    assert!((10_250..=10_313).contains(&connect), "{connect}");
    stage.open();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(10_400, resume("t1", "s1", 1))]);
}

#[test]
fn op_9_true_twice_in_answer_to_resume_ends_in_an_identify() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    for _ in 0..2 {
        stage.frame(json!({ "op": 9, "d": true }));
        stage.run_for(5_000);
        stage.open();
        stage.take_asked();
        stage.hello(45_000);
    }
    // The first Resume was answered with op 9 and counts double; the second fills the three that are allowed without an answer.
    stage.frame(json!({ "op": 9, "d": true }));
    stage.run_for(5_000);
    stage.open();
    stage.take_asked();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(25_000, identify("t1"))]);
}

#[test]
fn op_9_false_absent_or_not_a_boolean_forgets_id_and_sequence_together() {
    for frame in [json!({ "op": 9, "d": false }), json!({ "op": 9 }), json!({ "op": 9, "d": null }), json!({ "op": 9, "d": "true" })] {
        let mut stage = Stage::ready();
        stage.dispatch(40);
        stage.live_for(10_000);
        stage.frame(frame);
        stage.run_for(400);
        stage.open();
        stage.take_asked();
        stage.hello(45_000);
        assert_eq!(stage.take_asked(), [(10_400, identify("t1"))]);
        // Before READY the new session has no sequence.
        stage.frame(json!({ "op": 1 }));
        assert_eq!(stage.take_asked(), [(10_400, Asked::Sent(json!({ "op": 1, "d": null })))]);
        stage.ready_as("s2");
        // Heartbeats that are asked for are answered once a second.
        stage.run_for(1_000);
        stage.take_asked();
        stage.frame(json!({ "op": 1 }));
        assert_eq!(stage.take_asked(), [(11_400, Asked::Sent(json!({ "op": 1, "d": 1 })))]);
    }
}

#[test]
fn a_late_close_of_an_old_connection_changes_nothing() {
    let mut stage = Stage::ready();
    let old = stage.conn();
    stage.live_for(5_000);
    stage.frame(json!({ "op": 7 }));
    stage.come_back_by_resume(2);
    stage.take_asked();
    stage.take_told();
    stage.input(Input::Closed { conn: old, close: Close::Code(Some(4009)) });
    stage.input(Input::Closed { conn: old, close: Close::Code(Some(4915)) });
    stage.input(Input::Frame { conn: old, text: json!({ "op": 9, "d": false }).to_string().into() });
    stage.input(Input::Opened { conn: old });
    assert_eq!(stage.take_asked(), []);
    assert!(stage.take_told().is_empty());
    assert!(stage.gateway.is_ready());
}

#[test]
fn three_resumes_without_an_answer_end_in_an_identify() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    for _ in 0..3 {
        stage.open();
        stage.take_asked();
        stage.hello(45_000);
        assert!(matches!(&stage.take_asked()[..], [(_, Asked::Sent(frame))] if frame["op"] == 6));
        stage.close(None);
        // Back-offs of 1, 2 and 4 s, each within a quarter.
        stage.run_for(5_000);
    }
    stage.open();
    stage.hello(45_000);
    assert!(matches!(&stage.take_asked()[..], [.., (_, Asked::Sent(frame))] if frame["op"] == 2));
}

#[test]
fn a_refused_resume_drops_the_session_at_the_first_49xx() {
    for code in [4900, 4902, 4903, 4906, 4913] {
        let mut stage = Stage::ready();
        stage.live_for(10_000);
        stage.close(None);
        stage.open();
        stage.hello(45_000);
        stage.close(Some(code));
        stage.run_for(2_000);
        stage.open();
        stage.take_asked();
        stage.hello(45_000);
        assert_eq!(stage.take_asked(), [(12_000, identify("t1"))], "code {code}");
    }
}

#[test]
fn the_close_frame_behind_an_op_9_names_the_reason() {
    let mut stage = Stage::new();
    stage.begin();
    stage.frame(json!({ "op": 9, "d": false }));
    stage.run_for(100);
    stage.close(Some(4924));
    assert!(matches!(stage.take_told()[..], [(100, Event::Halted { reason: HaltReason::AddressNotAllowed, .. })]));
    assert_eq!(stage.state(), "halted");
}

#[test]
fn a_dead_token_behind_an_op_9_is_renewed_and_the_session_stays_forgotten() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    stage.open();
    stage.hello(45_000);
    stage.frame(json!({ "op": 9, "d": false }));
    stage.close(Some(4004));
    stage.run_for(2_000);
    stage.grant_token("t2");
    stage.open();
    stage.take_asked();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(12_000, identify("t2"))]);
}

#[test]
fn an_op_9_without_a_close_frame_is_acted_on_after_half_a_second() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    stage.open();
    stage.hello(45_000);
    stage.take_asked();
    stage.frame(json!({ "op": 9, "d": false }));
    // 500 ms for a close frame, then 250 ms and up to a quarter of them.
    stage.run_for(499);
    assert_eq!(stage.take_asked(), []);
    stage.run_for(315);
    let asked = stage.take_asked();
    assert!(matches!(asked[..], [(10_500, Asked::Closed(4000)), (10_750..=10_813, Asked::Connect)]), "{asked:?}");
}

#[test]
fn the_loss_that_costs_the_session_says_so() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    stage.take_told();
    for _ in 0..3 {
        stage.open();
        stage.hello(45_000);
        stage.close(None);
        stage.run_for(5_000);
    }
    let kept: Vec<bool> = stage
        .take_told()
        .into_iter()
        .filter_map(|(_, e)| if let Event::Lost { session_kept, .. } = e { Some(session_kept) } else { None })
        .collect();
    assert_eq!(kept, [true, true, false]);
}

#[test]
fn a_frame_over_the_limit_is_met_twice_and_no_more() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    let too_large = |stage: &mut Stage| {
        let conn = stage.conn();
        stage.input(Input::Closed { conn, close: Close::Transport(ConnectFailure::TooLarge) });
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
fn a_replay_may_take_its_time_but_not_for_ever() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    stage.open();
    stage.hello(45_000);
    for sequence in 2..20 {
        stage.run_for(10_000);
        if stage.state() != "authenticating" {
            break;
        }
        stage.dispatch(sequence);
    }
    // Four times the 15 s of the step.
    let told = stage.take_told();
    assert!(told.iter().any(|(at, event)| matches!(event, Event::Lost { cause: LossCause::Deadline(_), .. }) && *at == 70_000), "{told:?}");
}

#[test]
fn a_ready_without_an_id_works_but_cannot_be_resumed() {
    let mut stage = Stage::new();
    stage.begin();
    stage.frame(json!({ "op": 0, "s": 1, "t": "READY", "d": "odd" }));
    for sequence in [2, 3, 3, 2] {
        stage.dispatch(sequence);
    }
    assert_eq!(stage.take_delivered(), [2, 3]);
    stage.live_for(10_000);
    stage.close(None);
    stage.open();
    stage.take_asked();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(10_000, identify("t1"))]);
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
fn a_session_of_a_day_is_not_resumed_any_more() {
    let mut stage = Stage::ready();
    stage.live_for(24 * 3_600_000);
    stage.take_asked();
    stage.frame(json!({ "op": 7 }));
    // The address is a day old too, so it is looked up first.
    stage.grant_address();
    stage.open();
    stage.take_asked();
    stage.hello(45_000);
    assert!(matches!(&stage.take_asked()[..], [(_, Asked::Sent(frame))] if frame["op"] == 2));
}

#[test]
fn each_loss_is_told_once_with_the_time_of_the_next_attempt() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(Some(1001));
    stage.refuse_connection();
    let told = stage.take_told();
    let losses: Vec<_> = told.iter().filter(|(_, event)| matches!(event, Event::Lost { .. })).collect();
    assert!(
        matches!(
            losses[..],
            [
                (_, Event::Lost { cause: LossCause::Closed(Some(1001)), retry_in_ms: 0, session_kept: true }),
                (_, Event::Lost { cause: LossCause::Transport(_), retry_in_ms: 750..=1_250, session_kept: true }),
            ]
        ),
        "{losses:?}"
    );
}

#[test]
fn stop_closes_with_1000_and_ends_even_when_the_platform_does_not_answer() {
    let mut stage = Stage::ready();
    stage.input(Input::Stop);
    assert_eq!(stage.take_asked(), [(0, Asked::Closed(1000))]);
    // `stop_ms_max` is one second.
    stage.run_until(1_000);
    assert_eq!(stage.state(), "stopped");
    assert!(matches!(&stage.take_told()[..], [(1_000, Event::Stopped)]));
    assert_eq!(stage.gateway.poll_timeout(), None);
    stage.input(Input::TokenRefused { token: auk_gateway::AccessToken::new("t1") });
    stage.run_for(3_600_000);
    assert_eq!(stage.take_asked(), []);
}

#[test]
fn unreadable_frames_change_nothing_but_are_told() {
    let mut stage = Stage::ready();
    for text in ["", "garbage", "[]", "{}", "{\"op\":\"x\"}", "{\"op\":0", "\u{0}"] {
        let conn = stage.conn();
        stage.input(Input::Frame { conn, text: text.to_owned().into() });
        assert!(matches!(&stage.take_told()[..], [(0, Event::UnreadableFrame { bytes })] if *bytes == text.len()), "{text:?}");
    }
    stage.frame(json!({ "op": 99, "d": { "new": true } }));
    assert_eq!(stage.take_asked(), []);
    assert!(stage.gateway.is_ready());
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
