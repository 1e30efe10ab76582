//! Sessions that are resumed, and what ends them: op 7, op 9, refusals and age.

use auk_gateway::{Close, ConnectFailure, Event, HaltReason, Input, LossCause};
use auk_gateway_stories::{Asked, Stage, identify, resume};
use serde_json::json;

/// A session of ten seconds whose link was cut, on a new connection on which its Resume was just sent.
fn resuming() -> Stage {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    stage.open();
    stage.hello(45_000);
    stage
}

/// What is sent after Hello when a Resume was answered with op 9 and a close frame that names the token.
fn sent_after_a_dead_token_behind_an_op_9(resumable: bool) -> Vec<(u64, Asked)> {
    let mut stage = resuming();
    stage.frame(json!({ "op": 9, "d": resumable }));
    stage.close(Some(4004));
    stage.run_for(2_000);
    stage.grant_token("t2");
    stage.open();
    stage.take_asked();
    stage.hello(45_000);
    stage.take_asked()
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
fn op_9_true_and_then_false_in_answer_to_one_resume_ends_in_an_identify() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.frame(json!({ "op": 7 }));
    stage.open();
    stage.hello(45_000);
    stage.frame(json!({ "op": 9, "d": true }));
    stage.frame(json!({ "op": 9, "d": false }));
    // Half a second for a close frame, and a pause of 313 ms at most.
    stage.run_for(1_000);
    stage.open();
    stage.take_asked();
    stage.hello(45_000);
    let asked: Vec<Asked> = stage.take_asked().into_iter().map(|(_, asked)| asked).collect();
    assert_eq!(asked, [identify("t1")]);
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
        // Back-offs of 1.4, 2.8 and 5.6 s, each within a quarter.
        stage.run_for(7_000);
    }
    stage.open();
    stage.hello(45_000);
    assert!(matches!(&stage.take_asked()[..], [.., (_, Asked::Sent(frame))] if frame["op"] == 2));
}

#[test]
fn a_refused_resume_drops_the_session_at_the_first_49xx() {
    for code in [4900, 4902, 4903, 4906, 4913] {
        let mut stage = resuming();
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
    assert_eq!(sent_after_a_dead_token_behind_an_op_9(false), [(12_000, identify("t2"))]);
}

#[test]
fn an_op_9_without_a_close_frame_is_acted_on_after_half_a_second() {
    let mut stage = resuming();
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
fn a_replay_may_take_its_time_but_not_for_ever() {
    let mut stage = resuming();
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
fn three_resumes_without_an_answer_end_in_an_identify_however_they_end() {
    type End = fn(&mut Stage);
    let ends: [(&str, u64, End); 6] = [
        ("4009", 45_000, |stage| stage.close(Some(4009))),
        ("4008", 45_000, |stage| stage.close(Some(4008))),
        ("4004", 45_000, |stage| stage.close(Some(4004))),
        ("reset", 45_000, |stage| {
            let conn = stage.conn();
            stage.input(Input::Closed { conn, close: Close::Transport(ConnectFailure::Refused) });
        }),
        // `authenticate_ms_max` is 15 s.
        ("silence", 45_000, |stage| stage.run_for(15_000)),
        // The first beat within 2 s, and twice 1.25 s for an answer.
        ("unanswered heartbeats", 2_000, |stage| stage.run_for(4_500)),
    ];
    for (name, interval_ms, end) in ends {
        let mut stage = Stage::ready();
        stage.live_for(10_000);
        stage.close(None);
        let mut authentications = Vec::new();
        while authentications.len() < 4 {
            match stage.state() {
                "connecting" => {
                    stage.open();
                    stage.take_asked();
                    stage.hello(interval_ms);
                    let Asked::Sent(frame) = stage.take_asked().remove(0).1 else { panic!("{name}: Hello is answered") };
                    authentications.push(frame["op"].clone());
                    end(&mut stage);
                }
                "awaiting_token" if stage.count(|asked| *asked == Asked::Token) > 0 => {
                    stage.take_asked();
                    stage.grant_token(&format!("t-{}", stage.now_ms()));
                }
                _ => stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms()),
            }
        }
        assert_eq!(authentications, [6, 6, 6, 2], "{name}");
    }
}

#[test]
fn op_9_true_once_in_answer_to_resume_is_followed_by_another_resume() {
    let mut stage = resuming();
    stage.frame(json!({ "op": 9, "d": true }));
    stage.run_for(5_000);
    stage.open();
    stage.take_asked();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(15_000, resume("t1", "s1", 1))]);
}

#[test]
fn a_session_that_op_9_leaves_alive_outlives_the_dead_token_behind_it() {
    assert_eq!(sent_after_a_dead_token_behind_an_op_9(true), [(12_000, resume("t2", "s1", 1))]);
}

#[test]
fn a_connection_that_ends_behind_an_op_9_is_its_end_at_once() {
    for end in [Close::Code(None), Close::Code(Some(4006)), Close::Transport(ConnectFailure::Refused)] {
        let mut stage = resuming();
        stage.frame(json!({ "op": 9, "d": false }));
        stage.take_told();
        let conn = stage.conn();
        stage.input(Input::Closed { conn, close: end.clone() });
        // 250 ms and up to a quarter of them.
        let told = stage.take_told();
        let expected = |event: &Event| {
            matches!(
                event,
                Event::Lost { cause: LossCause::InvalidSession { resumable: false }, retry_in_ms: 250..=313, session_kept: false }
            )
        };
        assert!(matches!(&told[..], [(10_000, event)] if expected(event)), "{end:?}: {told:?}");
    }
}

#[test]
fn what_comes_before_hello_or_behind_an_op_9_is_passed_over() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address();
    stage.open();
    let say_all = |stage: &mut Stage| {
        stage.take_asked();
        stage.ready_as("s1");
        stage.dispatch(2);
        stage.resumed(3);
        stage.frame(json!({ "op": 7 }));
        stage.frame(json!({ "op": 9, "d": false }));
        assert!(stage.take_told().is_empty());
        assert_eq!(stage.take_asked(), []);
    };
    say_all(&mut stage);
    assert_eq!(stage.state(), "awaiting_hello");
    stage.hello(45_000);
    stage.frame(json!({ "op": 9, "d": false }));
    say_all(&mut stage);
    // Another Hello behind the first one neither.
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), []);
}

#[test]
fn a_resume_that_was_confirmed_begins_the_count_of_those_without_an_answer_anew() {
    let mut stage = Stage::ready();
    for round in 0..3 {
        stage.live_for(60_000);
        stage.close(None);
        // Two without an answer, each of which could be followed by a third, and one with.
        for _ in 0..2 {
            stage.open();
            stage.hello(45_000);
            stage.close(None);
            // At most 2.8 s and a quarter.
            stage.run_for(3_500);
        }
        stage.open();
        stage.take_asked();
        stage.hello(45_000);
        assert_eq!(stage.take_asked(), [(stage.now_ms(), resume("t1", "s1", 1 + round))]);
        stage.resumed(2 + round);
    }
}
