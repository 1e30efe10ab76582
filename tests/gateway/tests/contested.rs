//! Two programs with one app id: nothing on the wire says so, but sessions that are called invalid soon after they began do.

use auk_gateway::{Event, Input, LossCause};
use auk_gateway_stories::{Stage, config};
use serde_json::json;

/// Somebody else ends the live session.
fn end_session(stage: &mut Stage) {
    stage.frame(json!({ "op": 9, "d": false }));
}

/// Lets time pass until the next Identify was answered, and says when it was sent.
fn next_session(stage: &mut Stage, name: &str) -> u64 {
    stage.take_asked();
    while stage.state() != "connecting" {
        stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
    }
    stage.open();
    stage.hello(45_000);
    stage.ready_as(name);
    stage.now_ms()
}

fn contests(told: &[(u64, Event)]) -> Vec<u32> {
    told.iter().filter_map(|(_, event)| if let Event::Contested { sessions } = event { Some(*sessions) } else { None }).collect()
}

#[test]
fn three_short_sessions_that_are_called_invalid_are_said_once_and_new_ones_are_begun_a_minute_apart() {
    let mut stage = Stage::ready();
    let mut begun = Vec::new();
    for number in 0..6 {
        stage.live_for(20_000);
        end_session(&mut stage);
        begun.push(next_session(&mut stage, &format!("s{number}")));
    }
    assert_eq!(contests(&stage.take_told()), [3]);
    // Two sessions follow at once; from the third on each begins a minute, within a quarter, after the end of the one before it, which had
    // lived for 20 s.
    let gaps: Vec<u64> = begun.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps[0] < 30_000, "{gaps:?}");
    assert!(gaps[1..].iter().all(|gap| (65_000..=95_000).contains(gap)), "{gaps:?}");
}

#[test]
fn a_session_that_lives_ends_the_suspicion_and_a_new_one_is_said_anew() {
    let mut stage = Stage::ready();
    for round in 0..2 {
        for number in 0..3 {
            stage.live_for(20_000);
            end_session(&mut stage);
            next_session(&mut stage, &format!("s{round}-{number}"));
        }
        // Five minutes and more.
        stage.live_for(400_000);
        end_session(&mut stage);
        next_session(&mut stage, &format!("s{round}"));
    }
    assert_eq!(contests(&stage.take_told()), [3, 3]);
}

#[test]
fn what_we_end_ourselves_and_what_is_resumed_raises_no_suspicion() {
    let mut stage = Stage::ready();
    for number in 0..5 {
        stage.live_for(20_000);
        // Another bot by a reload, and back.
        let mut other = config();
        other.intents += 1 + number;
        stage.input(Input::Reload(Box::new(other)));
        next_session(&mut stage, "s");
        stage.frame(json!({ "op": 7 }));
        stage.come_back_by_resume(2);
    }
    let told = stage.take_told();
    assert!(contests(&told).is_empty(), "{told:?}");
    assert!(told.iter().any(|(_, event)| matches!(event, Event::Lost { cause: LossCause::Reloaded, .. })));
}
