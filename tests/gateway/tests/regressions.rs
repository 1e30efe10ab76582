//! What the simulation found, as the smallest story that shows it.

use auk_gateway::{Event, HaltReason, LossCause, SavedSession, Setback, Timestamp};
use auk_gateway_stories::{Asked, Stage, config};
use serde_json::json;

#[test]
fn a_loss_while_the_token_is_being_asked_for_promises_the_next_attempt_for_at_once() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    let token = stage.gateway.token(Timestamp::from_ms(10_000)).cloned().expect("a live session has one");
    stage.input(auk_gateway::Input::TokenRefused { token });
    stage.take_told();
    // The answer may come any moment; that the request after it would have to wait for a minute says nothing.
    stage.frame(json!({ "op": 7 }));
    let told = stage.take_told();
    assert!(matches!(told[..], [(_, Event::Lost { cause: LossCause::Reconnect, retry_in_ms: 0, .. })]), "{told:?}");
}

#[test]
fn a_stable_session_that_ends_in_a_halt_clears_the_back_off_too() {
    let mut stage = Stage::ready();
    // Two failures of a platform that is there: the next wait would be 5.6 s.
    for sequence in [2, 3] {
        stage.close(None);
        while stage.state() != "connecting" {
            stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        }
        stage.come_back_by_resume(sequence);
    }
    stage.live_for(60_000);
    stage.close(Some(4914));
    assert!(matches!(stage.take_told().last(), Some((_, Event::Halted { reason: HaltReason::BotDelisted, .. }))));
    stage.run_for(75_000);
    stage.refuse_connection();
    let told = stage.take_told();
    // 1.4 s within a quarter.
    assert!(matches!(told[..], [(_, Event::Lost { retry_in_ms: 1_050..=1_750, .. })]), "{told:?}");
}

#[test]
fn what_an_earlier_process_dealt_with_is_not_delivered_again_though_the_platform_repeats_it() {
    let mut stage = Stage::ready();
    let mut memory = stage.memory.clone();
    stage.dispatch(7);
    memory.session = memory.session.map(|session| SavedSession { sequence: Some(7), ..session });
    let mut next = Stage::restored(config(), memory, 1_000);
    next.open();
    next.hello(45_000);
    // Asked for what comes after 7, the platform begins two too early.
    for sequence in [6, 7, 8] {
        next.dispatch(sequence);
    }
    next.resumed(9);
    assert_eq!(next.take_delivered(), [8]);
}

#[test]
fn an_identify_whose_allowance_is_not_known_any_more_is_preceded_by_a_look_up() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    // The allowance is told for an hour only.
    stage.grant_address_with(1_000, 3_600_000, 1);
    stage.open();
    stage.hello(45_000);
    stage.ready_as("s1");
    stage.live_for(3_600_000);
    stage.take_asked();
    stage.close(Some(4900));
    assert!(matches!(stage.take_asked()[..], [(_, Asked::Closed(4000)), (_, Asked::Address(_))]));
    // It is spent, which is known before another Identify is wasted on it.
    stage.grant_address_with(0, 600_000, 1);
    let told = stage.take_told();
    let waits =
        |event: &Event| matches!(event, Event::SetBack { setback: Setback::Braked("allowance of new sessions"), retry_in_ms: 600_000 });
    assert!(told.iter().any(|(_, event)| waits(event)), "{told:?}");
}

#[test]
fn after_five_refused_identifies_each_visit_of_the_slow_lane_is_one_identify() {
    let mut stage = Stage::new();
    let mut identifies = Vec::new();
    stage.play_until(1_800_000, |stage, at, asked| match asked {
        Asked::Connect => {
            stage.open();
            stage.hello(45_000);
        }
        Asked::Sent(frame) if frame["op"] == 2 => {
            identifies.push(at);
            stage.frame(json!({ "op": 9, "d": false }));
        }
        Asked::Token => stage.grant_token("t2"),
        Asked::Address(_) => stage.grant_address_with(1_000, 86_400_000, 100),
        Asked::Sent(_) | Asked::Closed(_) => {}
    });
    // Five soon, then one after a minute, two, four, eight and ten minutes, each within a quarter: nine or ten in half an hour.
    assert!((9..=10).contains(&identifies.len()), "{identifies:?}");
    assert!(identifies.windows(2).skip(4).all(|pair| pair[1] - pair[0] >= 45_000), "{identifies:?}");
}
