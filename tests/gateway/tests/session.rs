//! How a session begins, ends and comes back.

use auk_gateway::{AddressEndpoint, Close, ConnectFailure, Event, HaltReason, Input, Language, LossCause, Timestamp};
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
                (_, Event::Lost { cause: LossCause::Transport(_), retry_in_ms: 1_050..=1_750, session_kept: true }),
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
    stage.refuse_token("t1");
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
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    stage.open();
    stage.hello(45_000);
    stage.frame(json!({ "op": 9, "d": true }));
    stage.run_for(5_000);
    stage.open();
    stage.take_asked();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(15_000, resume("t1", "s1", 1))]);
}

#[test]
fn a_session_that_op_9_leaves_alive_outlives_the_dead_token_behind_it() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    stage.open();
    stage.hello(45_000);
    stage.frame(json!({ "op": 9, "d": true }));
    stage.close(Some(4004));
    stage.run_for(2_000);
    stage.grant_token("t2");
    stage.open();
    stage.take_asked();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(12_000, resume("t2", "s1", 1))]);
}

#[test]
fn a_connection_that_ends_behind_an_op_9_is_its_end_at_once() {
    for end in [Close::Code(None), Close::Code(Some(4006)), Close::Transport(ConnectFailure::Refused)] {
        let mut stage = Stage::ready();
        stage.live_for(10_000);
        stage.close(None);
        stage.open();
        stage.hello(45_000);
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
fn sessions_that_are_cut_short_three_times_in_a_row_are_told_and_followed_slowly_until_one_lives_for_five_minutes() {
    let cuts: [fn(&mut Stage); 2] = [|stage| stage.frame(json!({ "op": 9, "d": false })), |stage| stage.close(Some(4900))];
    for cut in cuts {
        let mut stage = Stage::new();
        stage.begin();
        let mut courses = Vec::new();
        // Ten seconds are more than the 3 s of `settled_ms`, and than the 5 s between two Identifies.
        for life_ms in [10_000, 10_000, 10_000, 299_999, 300_000, 10_000, 10_000, 10_000] {
            stage.ready_as("s");
            stage.live_for(life_ms);
            stage.take_told();
            cut(&mut stage);
            let told = stage.take_told();
            let is_told = told.iter().any(|(_, event)| matches!(event, Event::Contested { sessions: 3 }));
            let retry_in_ms =
                told.iter().find_map(|(_, e)| if let Event::Lost { retry_in_ms, .. } = e { Some(*retry_in_ms) } else { None });
            let is_slow = match retry_in_ms.expect("a loss") {
                // At once, or the 250 ms after op 9 and up to a quarter of them.
                0..=313 => false,
                // `backoff_ms_max` is a minute, within a quarter.
                45_000..=75_000 => true,
                other => panic!("{other}"),
            };
            courses.push((is_told, is_slow));
            while stage.state() != "connecting" {
                stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
            }
            stage.open();
            stage.hello(45_000);
        }
        let (quiet, told, slow) = ((false, false), (true, true), (false, true));
        assert_eq!(courses, [quiet, quiet, told, slow, quiet, quiet, quiet, told]);
    }
}

#[test]
fn a_contested_session_that_only_loses_its_link_is_resumed_at_once() {
    let mut stage = Stage::new();
    stage.begin();
    for _ in 0..3 {
        stage.ready_as("s");
        stage.live_for(10_000);
        stage.close(Some(4900));
        while stage.state() != "connecting" {
            stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        }
        stage.open();
        stage.hello(45_000);
    }
    stage.ready_as("s");
    stage.live_for(10_000);
    stage.take_told();
    stage.close(None);
    let told = stage.take_told();
    assert!(matches!(told[..], [(_, Event::Lost { retry_in_ms: 0, session_kept: true, .. })]), "{told:?}");
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
fn a_contested_session_is_followed_by_waits_that_differ() {
    let waits: std::collections::BTreeSet<u64> = (0..8)
        .map(|seed| {
            let mut stage = Stage::with(|config| config.seed = seed);
            stage.begin();
            for _ in 0..3 {
                stage.ready_as("s");
                stage.live_for(10_000);
                stage.take_told();
                stage.close(Some(4900));
                if stage.state() == "connecting" {
                    stage.open();
                    stage.hello(45_000);
                }
            }
            let told = stage.take_told();
            told.iter().find_map(|(_, e)| if let Event::Lost { retry_in_ms, .. } = e { Some(*retry_in_ms) } else { None }).expect("a loss")
        })
        .collect();
    // A minute within a quarter, spread over more than half of that span by eight seeds that are fixed.
    let (first, last) = (waits.first().expect("eight"), waits.last().expect("eight"));
    assert!(*first >= 45_000 && *last <= 75_000 && last - first > 15_000, "{waits:?}");
}

#[test]
fn the_end_begins_nothing_new() {
    let mut stage = Stage::ready();
    stage.live_for(7_154_500);
    stage.take_asked();
    stage.input(Input::Stop);
    // The token would be renewed at 7,155 s, half a second later and half a second before the end.
    stage.run_for(2_000);
    assert_eq!(stage.take_asked(), [(7_154_500, Asked::Closed(1000))]);
    assert_eq!(stage.state(), "stopped");
}

#[test]
fn the_end_comes_with_the_end_of_its_own_connection_only() {
    let mut stage = Stage::ready();
    let old = stage.conn();
    stage.live_for(5_000);
    stage.frame(json!({ "op": 7 }));
    stage.come_back_by_resume(2);
    stage.input(Input::Stop);
    stage.input(Input::Closed { conn: old, close: Close::Code(None) });
    assert_eq!(stage.state(), "stopping");
    stage.close(Some(1000));
    assert_eq!(stage.state(), "stopped");
}

#[test]
fn the_status_says_where_the_session_is_since_when_what_is_due_and_what_was_lost() {
    let status = |stage: &Stage| stage.gateway.status(Language::EnUs, Timestamp::from_ms(stage.now_ms()));
    let mut stage = Stage::new();
    stage.run_for(10_000);
    // A token request may take 15 s.
    let first = status(&stage);
    assert_eq!((first.state, first.since_ms, first.session, first.halt, first.last_loss), ("awaiting_token", 10_000, false, None, None));
    assert_eq!(first.deadline.map(|deadline| (deadline.reason, deadline.in_ms)), Some(("token request", 5_000)));
    // The second request is still one and the same wait for a token: 7.5 s within a quarter after the first.
    stage.run_until(24_500);
    assert_eq!((status(&stage).state, status(&stage).since_ms), ("awaiting_token", 24_500));
    stage.begin();
    stage.ready_as("s1");
    stage.live_for(60_000);
    let ready = status(&stage);
    assert_eq!((ready.state, ready.since_ms, ready.session, ready.halt, ready.last_loss), ("ready", 60_000, true, None, None));
    assert_eq!((ready.attempts.last_minute, ready.attempts.total), (0, 1));
    stage.close(Some(4009));
    let in_chinese = stage.gateway.status(Language::ZhCn, Timestamp::from_ms(stage.now_ms()));
    assert_eq!(in_chinese.last_loss.as_deref(), Some("平台关闭了连接，代码 4009"));
    let lost = status(&stage);
    assert_eq!((lost.state, lost.since_ms, lost.session), ("connecting", 0, true));
    assert_eq!(lost.last_loss.as_deref(), Some("closed with code 4009"));
    assert_eq!((lost.attempts.last_minute, lost.attempts.total), (1, 2));
    stage.open();
    stage.hello(45_000);
    stage.close(Some(4924));
    stage.run_for(10_000);
    let halted = status(&stage);
    assert_eq!((halted.state, halted.session), ("halted", false));
    assert_eq!(halted.last_loss.as_deref(), Some("closed with code 4924"));
    let reason = HaltReason::AddressNotAllowed;
    assert_eq!(halted.halt.map(|halt| (halt.reason, halt.advice)), Some((reason.name(), reason.advice(Language::EnUs))));
    // A minute within a quarter, ten seconds ago.
    assert!(matches!(halted.deadline, Some(deadline) if deadline.reason == "slow lane" && (35_000..=65_000).contains(&deadline.in_ms)));
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

#[test]
fn a_reload_with_other_intents_begins_another_session() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.take_asked();
    let mut other = auk_gateway_stories::config();
    other.intents = 1 << 9;
    stage.input(Input::Reload(Box::new(other)));
    assert_eq!(stage.take_asked(), [(10_000, Asked::Closed(1000)), (10_000, Asked::Connect)]);
    let told = stage.take_told();
    assert!(matches!(told[..], [(_, Event::Lost { cause: LossCause::Reloaded, retry_in_ms: 0, session_kept: false })]), "{told:?}");
    let status = stage.gateway.status(Language::EnUs, Timestamp::from_ms(10_000));
    assert_eq!(status.last_loss.as_deref(), Some("settings reloaded"));
    stage.open();
    stage.hello(45_000);
    assert!(matches!(&stage.take_asked()[..], [(_, Asked::Sent(frame))] if frame["op"] == 2 && frame["d"]["intents"] == 1 << 9));
}

#[test]
fn a_reload_with_other_intents_forgets_the_session_though_no_connection_is_there() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    stage.refuse_connection();
    assert_eq!(stage.state(), "waiting");
    let mut other = auk_gateway_stories::config();
    other.intents = 1 << 9;
    stage.take_asked();
    stage.input(Input::Reload(Box::new(other)));
    assert_eq!(stage.take_asked(), [(10_000, Asked::Connect)]);
    stage.open();
    stage.hello(45_000);
    assert!(matches!(&stage.take_asked()[..], [(_, Asked::Sent(frame))] if frame["op"] == 2));
}

#[test]
fn a_wish_for_another_connection_gives_a_live_one_up_and_resumes_and_twenty_wishes_make_one_attempt() {
    let mut stage = Stage::ready();
    stage.live_for(1_000);
    stage.take_asked();
    (0..20).for_each(|_| stage.input(Input::Reconnect));
    assert_eq!(stage.take_asked(), [(1_000, Asked::Closed(4000)), (1_000, Asked::Connect)]);
    let told = stage.take_told();
    assert!(matches!(told[..], [(_, Event::Lost { cause: LossCause::Asked, retry_in_ms: 0, session_kept: true })]), "{told:?}");
    stage.open();
    stage.input(Input::Reconnect);
    stage.hello(45_000);
    stage.input(Input::Reconnect);
    assert_eq!(stage.take_asked(), [(1_000, resume("t1", "s1", 1))]);
    stage.resumed(2);
    assert_eq!(stage.state(), "ready");
}

#[test]
fn a_wish_for_a_connection_where_there_is_none_makes_one_attempt_at_once() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    stage.refuse_connection();
    assert_eq!(stage.state(), "waiting");
    stage.take_asked();
    (0..20).for_each(|_| stage.input(Input::Reconnect));
    assert_eq!(stage.take_asked(), [(10_000, Asked::Connect)]);
    stage.close(Some(4914));
    assert_eq!(stage.state(), "halted");
    (0..20).for_each(|_| stage.input(Input::Reconnect));
    assert_eq!(stage.take_asked(), [(10_000, Asked::Connect)]);
}

#[test]
fn wishes_for_other_connections_without_end_stay_within_the_limit() {
    let mut stage = Stage::ready();
    let mut attempts = 0;
    for _ in 0..3_600 {
        stage.input(Input::Reconnect);
        if stage.state() == "connecting" {
            stage.come_back_by_resume(2);
        }
        stage.live_for(1_000);
        attempts += stage.count(|asked| *asked == Asked::Connect);
        stage.take_asked();
    }
    // A bucket of 35 that regains one in 15 s.
    assert!((200..=35 + 3_600 / 15).contains(&attempts), "{attempts}");
}

#[test]
fn a_reload_ends_the_suspicion_that_the_session_is_contested() {
    let mut stage = Stage::new();
    stage.begin();
    for number in 0..4 {
        stage.ready_as("s");
        stage.live_for(10_000);
        if number == 3 {
            stage.input(Input::Reload(Box::new(auk_gateway_stories::config())));
        }
        stage.take_told();
        stage.close(Some(4900));
        while stage.state() != "connecting" {
            stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        }
        stage.open();
        stage.hello(45_000);
    }
    let told = stage.take_told();
    assert!(matches!(told[..], [(_, Event::Lost { retry_in_ms: 0, .. })]), "{told:?}");
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
