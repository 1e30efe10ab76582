//! Heartbeats and the verdict on a silent link.

use auk_gateway::{Event, Input, LossCause};
use auk_gateway_stories::{Asked, Stage, resume};
use serde_json::json;

fn beats(asked: &[(u64, Asked)]) -> Vec<u64> {
    asked.iter().filter(|(_, asked)| matches!(asked, Asked::Sent(frame) if frame["op"] == 1)).map(|(at, _)| *at).collect()
}

#[test]
fn the_first_heartbeat_is_jittered_and_the_others_follow_by_the_interval() {
    let mut firsts = Vec::new();
    for seed in 0..5 {
        let mut stage = Stage::with(|config| config.seed = seed);
        stage.begin();
        stage.ready_as("s1");
        stage.live_for(300_000);
        let beats = beats(&stage.take_asked());
        assert!(beats[0] <= 45_000, "{beats:?}");
        assert!(beats.windows(2).all(|pair| pair[1] - pair[0] == 45_000), "{beats:?}");
        firsts.push(beats[0]);
    }
    // Five bots spread over the interval: two thirds of it at least, with seeds that are fixed.
    let spread = firsts.iter().max().expect("five") - firsts.iter().min().expect("five");
    assert!(spread > 30_000, "the first beats of five bots fall apart: {firsts:?}");
}

#[test]
fn two_unanswered_heartbeats_end_the_link_and_the_session_is_resumed() {
    let mut stage = Stage::ready();
    stage.run_until(200_000);
    let asked = stage.take_asked();
    let beats = beats(&asked);
    // First beat at f, the second when 10 s have passed without an answer (`ack_ms_max`, less than a quarter of 45 s), and 10 s for an
    // answer to it; but no verdict before the link has been ready for an interval.
    assert_eq!(beats.len(), 2);
    assert_eq!(beats[1] - beats[0], 10_000);
    let dead = (beats[1] + 10_000).max(45_000);
    assert!(asked.contains(&(dead, Asked::Closed(4000))), "{asked:?}");
    // Ready for more than 3 s, so the next attempt comes at once.
    assert!(asked.contains(&(dead, Asked::Connect)), "{asked:?}");
    let told = stage.take_told();
    assert!(
        matches!(&told[0], (at, Event::Lost { cause: LossCause::HeartbeatUnanswered, session_kept: true, .. }) if *at == dead),
        "{told:?}"
    );
}

#[test]
fn the_session_of_a_dead_link_is_resumed() {
    let mut stage = Stage::ready();
    stage.dispatch(7);
    let mut resumed = Vec::new();
    stage.play_until(110_000, |stage, _, asked| match asked {
        Asked::Connect => {
            stage.open();
            stage.hello(45_000);
        }
        asked if asked == resume("t1", "s1", 7) => {
            resumed.push(asked);
            stage.resumed(8);
        }
        Asked::Token | Asked::Address(_) | Asked::Sent(_) | Asked::Closed(_) => {}
    });
    // The first verdict falls between 45 and 65 s; the link after it is judged by its own beats, not before 45 s of its own. With this
    // seed the first beat is at 11 s, so the first verdict is at 45 s and no other comes before 110 s.
    assert_eq!(resumed.len(), 1);
}

#[test]
fn one_unanswered_heartbeat_is_forgiven_and_any_traffic_proves_life() {
    let mut stage = Stage::ready();
    for round in 0..300 {
        // A dispatch every 15 s, and never an ACK: each beat meets one within the 20 s that two unanswered ones would take.
        stage.run_for(15_000);
        stage.dispatch(2 + round);
    }
    assert_eq!(stage.count(|asked| matches!(asked, Asked::Closed(_))), 0);
    // A beat in 45 s over 4,500 s, and a second one where the first waited for more than 10 s.
    let beats = beats(&stage.take_asked()).len();
    assert!((100..=200).contains(&beats), "{beats}");
}

#[test]
fn a_quiet_link_with_acks_lives_for_a_day() {
    let mut stage = Stage::ready();
    stage.live_for(86_000_000);
    assert_eq!(stage.count(|asked| matches!(asked, Asked::Closed(_) | Asked::Connect)), 0);
}

#[test]
fn an_answer_after_the_second_beat_restores_the_ordinary_rhythm() {
    let mut stage = Stage::ready();
    let mut sent = Vec::new();
    while sent.len() < 2 {
        stage.run_until(stage.gateway.poll_timeout().expect("a deadline").as_ms());
        sent.extend(beats(&stage.take_asked()));
    }
    // Two beats without an answer; it comes five seconds later, and the next beat one interval after the second.
    stage.run_for(5_000);
    stage.frame(json!({ "op": 11 }));
    stage.run_for(40_000);
    assert_eq!(beats(&stage.take_asked()), [sent[1] + 45_000]);
}

#[test]
fn a_half_open_link_with_a_short_interval_is_left_within_one_interval_and_three_seconds() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address();
    stage.open();
    stage.hello(5_000);
    stage.ready_as("s1");
    stage.live_for(20_000);
    let last = *beats(&stage.take_asked()).last().expect("it beats");
    stage.run_until(last + 10_000);
    // The link froze right after the last ACK: the next beat is an interval later, the second 1.25 s behind it, the verdict as much again.
    let asked = stage.take_asked();
    assert_eq!(beats(&asked), [last + 5_000, last + 6_250]);
    assert!(asked.contains(&(last + 7_500, Asked::Closed(4000))), "{asked:?}");
    assert!(asked.contains(&(last + 7_500, Asked::Connect)), "{asked:?}");
}

#[test]
fn no_link_is_called_dead_before_it_has_been_ready_for_an_interval() {
    for seed in 0..50 {
        let mut stage = Stage::with(|config| config.seed = seed);
        stage.begin();
        stage.run_until(5_000);
        stage.ready_as("s1");
        stage.take_asked();
        stage.run_until(200_000);
        let asked = stage.take_asked();
        let dead = asked.iter().find(|(_, asked)| *asked == Asked::Closed(4000)).expect("nobody answers").0;
        assert!(dead >= 5_000 + 45_000, "seed {seed}: {dead}");
    }
}

#[test]
fn a_machine_that_slept_sends_one_heartbeat_not_the_missed_ones() {
    let mut stage = Stage::ready();
    stage.frame(json!({ "op": 11 }));
    let due = stage.gateway.poll_timeout().expect("a heartbeat is due").as_ms();
    // The clock jumps ten minutes; the driver calls once.
    let late = auk_gateway::Timestamp::from_ms(due + 600_000);
    stage.gateway.handle_timeout(late);
    let mut sent = 0;
    while let Some(effect) = stage.gateway.poll_effect() {
        sent += usize::from(matches!(effect, auk_gateway::Effect::Send { .. }));
    }
    assert_eq!(sent, 1);
}

#[test]
fn hello_without_a_sane_interval_uses_a_default_and_says_so() {
    for interval in [json!(0), json!(1), json!(-5), json!(9_999_999_999_u64), json!("45000"), json!(null)] {
        let mut stage = Stage::new();
        stage.grant_token("t1");
        stage.grant_address();
        stage.open();
        stage.frame(json!({ "op": 10, "d": { "heartbeat_interval": interval } }));
        stage.ready_as("s1");
        assert!(stage.take_told().iter().any(|(_, event)| matches!(event, Event::OddHello)), "{interval}");
        stage.live_for(413_000);
        // 41.25 s is the default: ten beats in 412.5 s, the first somewhere in the first interval.
        let beats = beats(&stage.take_asked());
        assert!((10..=11).contains(&beats.len()), "{interval}: {beats:?}");
    }
}

#[test]
fn what_waits_unread_proves_life_like_a_frame_that_was_read() {
    let mut stage = Stage::ready();
    for _ in 0..100 {
        stage.run_for(15_000);
        let conn = stage.conn();
        stage.input(Input::Traffic { conn });
    }
    assert_eq!(stage.count(|asked| matches!(asked, Asked::Closed(_))), 0);
}

#[test]
fn traffic_of_an_old_connection_proves_nothing() {
    let mut stage = Stage::ready();
    let old = stage.conn();
    stage.live_for(5_000);
    stage.frame(json!({ "op": 7 }));
    stage.come_back_by_resume(2);
    stage.take_asked();
    // A beat within the first 45 s, a second one 10 s later, and the verdict after 10 s more.
    for _ in 0..13 {
        stage.run_for(5_000);
        stage.input(Input::Traffic { conn: old });
    }
    let told = stage.take_told();
    assert!(told.iter().any(|(_, event)| matches!(event, Event::Lost { cause: LossCause::HeartbeatUnanswered, .. })), "{told:?}");
}

#[test]
fn heartbeats_begin_with_hello_and_not_with_ready() {
    let mut stage = Stage::new();
    begin_with(&mut stage, 2_000);
    stage.take_asked();
    stage.live_for(10_000);
    assert_eq!(stage.state(), "authenticating");
    // The first somewhere in the first two seconds, the others every two seconds.
    let beats = beats(&stage.take_asked());
    assert!((5..=6).contains(&beats.len()) && beats[0] <= 2_000, "{beats:?}");
}

/// From the start to a Hello that announces this interval.
fn begin_with(stage: &mut Stage, interval_ms: u64) {
    stage.grant_token("t1");
    stage.grant_address();
    stage.open();
    stage.hello(interval_ms);
}

#[test]
fn an_interval_from_a_second_to_ten_minutes_is_sane() {
    for (interval_ms, is_odd) in [(999, true), (1_000, false), (600_000, false), (600_001, true)] {
        let mut stage = Stage::new();
        begin_with(&mut stage, interval_ms);
        assert_eq!(stage.take_told().iter().any(|(_, event)| matches!(event, Event::OddHello)), is_odd, "{interval_ms}");
    }
}

#[test]
fn an_answer_is_awaited_for_a_quarter_of_the_interval_but_neither_too_short_nor_too_long() {
    // At least 1.25 s, at most 10 s, and never longer than the interval itself.
    for (interval_ms, wait_ms) in [(1_000, 1_000), (2_000, 1_250), (20_000, 5_000), (45_000, 10_000)] {
        let mut stage = Stage::new();
        begin_with(&mut stage, interval_ms);
        stage.ready_as("s1");
        stage.live_for(interval_ms * 2);
        let last = *beats(&stage.take_asked()).last().expect("it beats");
        stage.run_until(last + interval_ms + wait_ms * 2);
        let asked = stage.take_asked();
        let first = last + interval_ms;
        assert_eq!(beats(&asked), [first, first + wait_ms], "{interval_ms}");
        assert!(asked.contains(&(first + wait_ms * 2, Asked::Closed(4000))), "{interval_ms}: {asked:?}");
    }
}

#[test]
fn no_link_is_called_dead_before_one_interval_has_passed_since_hello() {
    for seed in 0..20 {
        let mut stage = Stage::with(|config| config.seed = seed);
        begin_with(&mut stage, 5_000);
        stage.run_until(14_999);
        let told = stage.take_told();
        // At the latest one interval and twice 1.25 s after Hello.
        let is_in_time = |(at, event): &(u64, Event)| {
            matches!(event, Event::Lost { cause: LossCause::HeartbeatUnanswered, .. }) && (5_000..=7_500).contains(at)
        };
        assert!(is_in_time(&told[0]), "seed {seed}: {told:?}");
    }
}

#[test]
fn a_heartbeat_that_is_asked_for_is_answered_once_a_second() {
    let mut stage = Stage::ready();
    let mut answered = Vec::new();
    for at_ms in [0, 999, 1_000, 1_999, 2_000] {
        stage.run_until(at_ms);
        stage.take_asked();
        stage.frame(json!({ "op": 1 }));
        answered.push(beats(&stage.take_asked()).len());
    }
    assert_eq!(answered, [1, 0, 1, 0, 1]);
}
