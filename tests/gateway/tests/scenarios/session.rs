//! F1: how a session ends, and what is resumed.

use auk_gateway::{Close, Event, Input};
use auk_gateway_stories::{Asked, Stage};
use serde_json::{Value, json};

use crate::rig::{Connection, Mark, Platform, Rig, SEEDS, gaps, op};

#[test]
fn s01_a_resume_refused_with_49xx_ends_in_one_identify_at_the_first_refusal() {
    for (seed, code, lived_ms) in cases([4902, 4900, 4903, 4906, 4913]) {
        let mut rig = Rig::base(seed);
        rig.play_for(lived_ms);
        for _ in 0..3 {
            rig.platform.probe(&mut rig.stage);
        }
        let (t0, mark) = (rig.stage.now_ms(), rig.mark());
        rig.stage.close(None);
        rig.play_for_with(10_000, |platform, stage, asked| match op(asked) {
            Some(6) => {
                stage.run_for(50);
                stage.close(Some(code));
            }
            Some(2) => {
                stage.run_for(50);
                platform.ready(stage);
                platform.probe(stage);
            }
            Some(_) | None => platform.answer(stage, asked),
        });
        let online = rig.online_at(mark);
        // The Resume at once or after 0.25 s, 50 ms, the Identify after 0.5 s at most, each within a quarter, 50 ms: a second.
        assert!(matches!(online[..], [at] if at <= t0 + 3_000), "{code}: {online:?}");
        assert_eq!((rig.sent(mark, 6).len(), rig.sent(mark, 2).len()), (1, 1), "{code}");
        assert_eq!(rig.delivered(mark), [2, 3, 4, 2], "three on the old session, one on the new; {code}");
        let connections = rig.connections();
        let first_beat = connections.last().and_then(|last| last.beats().first().copied()).expect("it beats");
        // Null while READY is on its way.
        assert!(matches!(first_beat.1, None | Some(2)), "{code}: {first_beat:?}");
        assert_eq!((rig.token_requests(mark), rig.look_ups(mark)), (vec![], vec![]), "{code}");
        let told: Vec<&Event> = rig.told_since(mark).into_iter().filter(|event| !matches!(event, Event::Dispatch(_))).collect();
        assert!(matches!(told[..], [Event::Lost { .. }, Event::Lost { session_kept: false, .. }, Event::Ready { .. }]), "{told:?}");
        rig.ends_online();
    }
}

/// Each code with each seed, after a life so short that its loss is backed off, and after one that is replaced at once.
fn cases<const N: usize>(codes: [u16; N]) -> impl Iterator<Item = (u64, u16, u64)> {
    SEEDS.flat_map(move |seed| codes.into_iter().flat_map(move |code| [1_000, 6_000].map(|lived_ms| (seed, code, lived_ms))))
}

/// How the platform recycles a connection.
#[derive(Clone, Copy, Debug)]
enum PlannedCut {
    Close4009,
    Op7AndItsCloseAnswered,
    Op7And4009,
}

#[test]
fn s02_ten_planned_cuts_in_a_row_are_resumed_at_once_and_cost_nothing() {
    for cut in [PlannedCut::Close4009, PlannedCut::Op7AndItsCloseAnswered, PlannedCut::Op7And4009] {
        for seed in SEEDS {
            let mut rig = Rig::base(seed);
            let whole = rig.mark();
            for _ in 0..10 {
                rig.play_for(1_000);
                cut_and_come_back(&mut rig, cut);
            }
            assert_eq!((rig.token_requests(whole), rig.look_ups(whole)), (vec![], vec![]), "{cut:?}");
            rig.ends_online();
        }
    }
}

fn cut_and_come_back(rig: &mut Rig, cut: PlannedCut) {
    let (at, mark, old, received) = (rig.stage.now_ms(), rig.mark(), rig.stage.conn(), rig.platform.sequence);
    match cut {
        PlannedCut::Close4009 => rig.stage.close(Some(4009)),
        PlannedCut::Op7AndItsCloseAnswered | PlannedCut::Op7And4009 => rig.stage.frame(json!({ "op": 7 })),
    }
    // Numbered while the client is away.
    rig.platform.sequence += 3;
    rig.play_for_with(500, |platform, stage, asked| {
        if matches!((asked, cut), (Asked::Closed(_), PlannedCut::Op7AndItsCloseAnswered)) {
            stage.input(Input::Closed { conn: old, close: Close::Code(Some(4009)) });
        }
        if matches!((op(asked), cut), (Some(6), PlannedCut::Op7And4009)) {
            stage.run_for(200);
            stage.input(Input::Closed { conn: old, close: Close::Code(Some(4009)) });
        }
        platform.answer(stage, asked);
    });
    // At once: the socket is given up and the next asked for at the moment of the cut.
    assert_eq!(rig.connects(mark), [at], "{cut:?}");
    let given_up = rig.times(mark, |asked| *asked == Asked::Closed(4000));
    match cut {
        PlannedCut::Close4009 => {}
        PlannedCut::Op7AndItsCloseAnswered | PlannedCut::Op7And4009 => assert_eq!(given_up, [at], "{cut:?}"),
    }
    let authentications = authentications(rig, mark);
    assert_eq!(authentications, [(6, Some("session-1".to_owned()), Some(received))], "{cut:?}");
    assert_eq!(rig.delivered(mark), [received + 1, received + 2, received + 3], "{cut:?}");
}

/// Opcode, session and sequence of each authentication since a mark.
fn authentications(rig: &Rig, mark: Mark) -> Vec<(u64, Option<String>, Option<u64>)> {
    let frames = rig.asked_since(mark).iter().filter_map(|(_, asked)| if let Asked::Sent(frame) = asked { Some(frame) } else { None });
    frames
        .filter(|frame| frame["op"] == 2 || frame["op"] == 6)
        .map(|frame| {
            let session = frame["d"]["session_id"].as_str().map(ToOwned::to_owned);
            (frame["op"].as_u64().expect("a number"), session, frame["d"]["seq"].as_u64())
        })
        .collect()
}

/// A session that has come to sequence 40 and loses its connection.
fn lost_at_40(seed: u64) -> (Rig, Mark) {
    let mut rig = Rig::base(seed);
    rig.play_for(5_000);
    rig.platform.sequence = 40;
    rig.platform.replay(&mut rig.stage, 2..=40);
    rig.play_for(0);
    let mark = rig.mark();
    rig.stage.close(None);
    (rig, mark)
}

fn resumed_40() -> (u64, Option<String>, Option<u64>) {
    (6, Some("session-1".to_owned()), Some(40))
}

/// The next heartbeat belongs to the new session: null, or what it has come to, and 40 is not among it.
fn assert_beats_of_the_new_session(rig: &Rig) {
    let beats: Vec<_> = rig.connections().last().map(Connection::beats).expect("a connection");
    assert!(!beats.is_empty() && beats.iter().all(|(_, sequence)| sequence.is_none_or(|sequence| sequence <= 2)), "{beats:?}");
}

#[test]
fn s03a_op_9_false_after_a_resume_forgets_id_and_sequence_though_the_close_comes_300_ms_later() {
    for seed in SEEDS {
        let (mut rig, mark) = lost_at_40(seed);
        rig.play_for_with(10_000, |platform, stage, asked| {
            if op(asked) == Some(6) {
                stage.frame(json!({ "op": 9, "d": false }));
                stage.run_for(300);
                stage.close(None);
            } else {
                platform.answer(stage, asked);
            }
        });
        assert_eq!(authentications(&rig, mark), [resumed_40(), (2, None, None)]);
        assert_beats_of_the_new_session(&rig);
        rig.ends_online();
    }
}

#[test]
fn s03b_op_9_true_after_a_resume_is_followed_by_one_more_with_the_same_id_and_sequence() {
    for seed in SEEDS {
        let (mut rig, mark) = lost_at_40(seed);
        play_with_resumes_called_invalid(&mut rig, 1);
        assert_eq!(authentications(&rig, mark), [resumed_40(), resumed_40()]);
        rig.ends_online();
    }
}

#[test]
fn s03c_op_9_true_after_two_resumes_is_followed_by_an_identify_on_the_third_connection() {
    for seed in SEEDS {
        let (mut rig, mark) = lost_at_40(seed);
        play_with_resumes_called_invalid(&mut rig, 2);
        assert_eq!(authentications(&rig, mark), [resumed_40(), resumed_40(), (2, None, None)]);
        assert_eq!(rig.connects(mark).len(), 3);
        rig.ends_online();
    }
}

fn play_with_resumes_called_invalid(rig: &mut Rig, times: usize) {
    let mut left = times;
    rig.play_for_with(10_000, |platform, stage, asked| {
        if op(asked) == Some(6) && left > 0 {
            left -= 1;
            stage.frame(json!({ "op": 9, "d": true }));
        } else {
            platform.answer(stage, asked);
        }
    });
}

#[test]
fn s03d_op_9_false_after_three_identifies_is_waited_out_ever_longer() {
    for (seed, max_concurrency) in SEEDS.flat_map(|seed| [1, 16].map(|max_concurrency| (seed, max_concurrency))) {
        let mut rig = Rig::new(seed, |_| {});
        rig.platform.max_concurrency = max_concurrency;
        let mark = rig.mark();
        let mut left = 3;
        rig.play_for_with(17_000, |platform, stage, asked| {
            if op(asked) == Some(2) && left > 0 {
                left -= 1;
                stage.frame(json!({ "op": 9, "d": false }));
            } else {
                platform.answer(stage, asked);
            }
        });
        let identifies = rig.sent(mark, 2);
        assert_eq!(identifies.len(), 4, "{identifies:?}");
        let gaps = gaps(&identifies);
        // Half a second for a close frame, then 0.5, 1 and 2 s and up to a quarter of them; or the 5 s of a platform that allows one.
        assert!(gaps.iter().all(|gap| *gap >= 200) && gaps.is_sorted(), "{gaps:?}");
        assert_eq!(rig.online_at(mark), identifies[3..]);
        rig.ends_online();
    }
}

#[test]
fn s03e_op_9_in_mid_session_without_a_boolean_forgets_id_and_sequence() {
    for seed in SEEDS {
        let mut rig = Rig::base(seed);
        for frame in [json!({ "op": 9 }), json!({ "op": 9, "d": null }), json!({ "op": 9, "d": "false" })] {
            rig.play_for(5_000);
            rig.platform.sequence = 40;
            rig.platform.replay(&mut rig.stage, 2..=40);
            let mark = rig.mark();
            called_invalid(&mut rig.stage, &frame);
            // The third such session in a row looks like a contested one, whose successor waits for 3 to 5 s.
            rig.play_for(8_000);
            assert_eq!(authentications(&rig, mark), [(2, None, None)], "{frame}");
            assert_beats_of_the_new_session(&rig);
        }
        rig.ends_online();
    }
}

fn called_invalid(stage: &mut Stage, frame: &Value) {
    stage.frame(frame.clone());
    assert!(!stage.gateway.is_ready(), "{frame}");
}

#[test]
fn s03_the_pauses_after_op_9_are_random() {
    let pauses: std::collections::BTreeSet<u64> = SEEDS
        .map(|seed| {
            let (mut rig, mark) = lost_at_40(seed);
            rig.play_for_with(5_000, |platform: &mut Platform, stage, asked| {
                if op(asked) == Some(6) { stage.frame(json!({ "op": 9, "d": false })) } else { platform.answer(stage, asked) }
            });
            gaps(&rig.connects(mark))[0]
        })
        .collect();
    // 63 lengths are possible; twenty draws of them are not all the same.
    assert!(pauses.len() > 5, "{pauses:?}");
}
