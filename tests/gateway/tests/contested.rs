//! Two programs with one app id: nothing on the wire says so, but sessions that are called invalid soon after they began do.

use auk_gateway::{Event, Input, LossCause};
use auk_gateway_stories::{Stage, config};
use serde_json::json;

/// Somebody else ends the live session.
fn end_session(stage: &mut Stage) {
    stage.frame(json!({ "op": 9, "d": false }));
}

/// Lets time pass until the next attempt, which gets as far as Hello.
fn connect_again(stage: &mut Stage) {
    while stage.state() != "connecting" {
        stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
    }
    stage.open();
    stage.hello(45_000);
}

/// Lets time pass until the next Identify was answered, and says when it was sent.
fn next_session(stage: &mut Stage, name: &str) -> u64 {
    stage.take_asked();
    connect_again(stage);
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
            connect_again(&mut stage);
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
        connect_again(&mut stage);
    }
    stage.ready_as("s");
    stage.live_for(10_000);
    stage.take_told();
    stage.close(None);
    let told = stage.take_told();
    assert!(matches!(told[..], [(_, Event::Lost { retry_in_ms: 0, session_kept: true, .. })]), "{told:?}");
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
        connect_again(&mut stage);
    }
    let told = stage.take_told();
    assert!(matches!(told[..], [(_, Event::Lost { retry_in_ms: 0, .. })]), "{told:?}");
}
