//! Heartbeats and the verdict on a silent link.

use auk_gateway::{Event, LossCause};
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
    // First beat at f, second at f + 45 s, and 10 s (`ack_ms_max`) for an answer to the second.
    let dead = beats[0] + 45_000 + 10_000;
    assert_eq!(beats.len(), 2);
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
    // The first verdict falls between 55 and 100 s; the link after it is judged by its own beats, not before 55 s of its own.
    assert_eq!(resumed.len(), 1);
}

#[test]
fn one_unanswered_heartbeat_is_forgiven_and_any_traffic_proves_life() {
    let mut stage = Stage::ready();
    for round in 0..20 {
        // One dispatch between any two beats, and never an ACK.
        stage.run_for(45_000);
        stage.dispatch(2 + round);
    }
    assert_eq!(stage.count(|asked| matches!(asked, Asked::Closed(_))), 0);
    assert_eq!(beats(&stage.take_asked()).len(), 20);
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
    // Two beats without an answer; it comes five seconds later, and the next beat one interval after it.
    stage.run_for(5_000);
    stage.frame(json!({ "op": 11 }));
    stage.run_for(45_000);
    assert_eq!(beats(&stage.take_asked()), [sent[1] + 5_000 + 45_000]);
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
