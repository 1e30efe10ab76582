//! Never two attempts at once, and never too many in a row.

use auk_gateway::{Event, HaltReason, Input, Setback};
use auk_gateway_stories::{Asked, Stage};
use serde_json::json;

/// The stated bound: in any span of `span_ms` at most 20 + span / 15 s attempts, whatever happens.
fn assert_within_bound(connects: &[u64]) {
    for (from, first) in connects.iter().enumerate() {
        for (to, last) in connects.iter().enumerate().skip(from) {
            let (count, span_ms) = ((to - from + 1) as u64, last - first);
            assert!(count <= 20 + span_ms / 15_000, "{count} attempts in {span_ms} ms");
        }
    }
}

#[test]
fn refused_connections_back_off_by_doubling_to_a_minute_and_never_stop() {
    let mut stage = Stage::ready();
    stage.live_for(120_000);
    stage.take_asked();
    stage.close(None);
    let mut attempts = Vec::new();
    stage.play_until(7_200_000, |stage, at, asked| match asked {
        Asked::Connect => {
            attempts.push(at);
            stage.refuse_connection();
        }
        Asked::Address(_) => stage.answer_address(503, json!({})),
        Asked::Token => stage.grant_token("t2"),
        Asked::Sent(_) | Asked::Closed(_) => {}
    });
    // At once, then 1, 2, 4, 8, 16, 32 s and then 60 s, each within a quarter. Two connect failures make the
    // address doubtful, but look-ups that fail as well add nothing: the known address serves on.
    let waits: Vec<u64> = attempts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(attempts[0], 120_000);
    assert!((750..=1_250).contains(&waits[0]), "{waits:?}");
    assert!(waits[10..].iter().all(|wait| (45_000..=75_000).contains(wait)), "{waits:?}");
    assert_within_bound(&attempts);
}

#[test]
fn a_granted_address_does_not_clear_the_back_off() {
    let mut stage = Stage::ready();
    stage.live_for(120_000);
    stage.take_asked();
    stage.close(None);
    let (mut attempts, mut look_ups) = (Vec::new(), 0);
    stage.play_until(3_600_000, |stage, at, asked| match asked {
        Asked::Connect => {
            attempts.push(at);
            stage.refuse_connection();
        }
        Asked::Address(_) => {
            look_ups += 1;
            stage.grant_address();
        }
        Asked::Token | Asked::Sent(_) | Asked::Closed(_) => {}
    });
    // A minute within a quarter from the seventh wait on, although every second failure brings a fresh address.
    assert!(look_ups > 10, "{look_ups}");
    assert!(attempts.windows(2).skip(7).all(|pair| (45_000..=75_000).contains(&(pair[1] - pair[0]))), "{attempts:?}");
}

#[test]
fn a_platform_that_accepts_and_closes_at_once_is_slowed_down_like_one_that_refuses() {
    let mut stage = Stage::ready();
    let (mut attempts, mut sequence) = (Vec::new(), 2);
    stage.close(None);
    stage.play_until(3_600_000, |stage, at, asked| {
        if asked == Asked::Connect {
            attempts.push(at);
            stage.come_back_by_resume(sequence);
            sequence += 1;
            stage.close(None);
        }
    });
    // The back-off reaches its minute after 1 + 2 + 4 + 8 + 16 + 32 s: about 6 attempts, then one in 60 s.
    assert!((55..=90).contains(&attempts.len()), "{}", attempts.len());
    assert_within_bound(&attempts);
}

#[test]
fn op_7_right_after_every_ready_is_held_by_the_limiter_that_looks_at_no_outcome() {
    let mut stage = Stage::ready();
    let (mut attempts, mut sequence) = (Vec::new(), 2);
    stage.frame(json!({ "op": 7 }));
    stage.play_until(3_600_000, |stage, at, asked| {
        if asked == Asked::Connect {
            attempts.push(at);
            stage.come_back_by_resume(sequence);
            sequence += 1;
            stage.frame(json!({ "op": 7 }));
        }
    });
    // 19 of the burst are left after the first connection, then 4 a minute for an hour.
    assert!((250..=262).contains(&attempts.len()), "{}", attempts.len());
    assert_within_bound(&attempts);
}

#[test]
fn identifies_stay_within_their_ceiling_when_every_session_is_refused() {
    let mut stage = Stage::ready();
    let mut identifies = 0;
    stage.frame(json!({ "op": 9, "d": false }));
    stage.play_until(24 * 3_600_000, |stage, at, asked| match asked {
        Asked::Connect => {
            stage.open();
            stage.hello(45_000);
        }
        Asked::Sent(frame) if frame["op"] == 2 => {
            identifies += 1;
            stage.ready_as("s");
            stage.frame(json!({ "op": 9, "d": false }));
        }
        Asked::Token => stage.grant_token(&format!("t-{at}")),
        Asked::Address(_) => stage.grant_address(),
        Asked::Sent(_) | Asked::Closed(_) => {}
    });
    // 10 + 24 h / 90 s = 970, below the platform's 1,000.
    assert!((900..=970).contains(&identifies), "{identifies}");
}

#[test]
fn twenty_reasons_to_reconnect_at_once_make_one_attempt() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.take_asked();
    let conn = stage.conn();
    for _ in 0..20 {
        stage.input(Input::Frame { conn, text: json!({ "op": 7 }).to_string().into() });
        stage.input(Input::Closed { conn, close: auk_gateway::Close::Code(None) });
        stage.input(Input::Reload(Box::new(auk_gateway_stories::config())));
    }
    assert_eq!(stage.count(|asked| *asked == Asked::Connect), 1);
}

#[test]
fn every_step_of_the_handshake_has_a_deadline_of_15_s() {
    // Connect.
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address();
    stage.take_asked();
    stage.run_until(15_000);
    assert_eq!(stage.take_asked(), [(15_000, Asked::Closed(4000))]);
    // Hello.
    stage.run_until(20_000);
    stage.open();
    let opened = stage.now_ms();
    stage.take_asked();
    stage.run_until(opened + 15_000);
    assert_eq!(stage.take_asked(), [(opened + 15_000, Asked::Closed(4000))]);
    // READY: heartbeat ACKs alone do not make a session.
    stage.run_until(opened + 20_000);
    stage.open();
    stage.hello(5_000);
    let hello = stage.now_ms();
    stage.take_asked();
    while stage.now_ms() < hello + 15_000 {
        stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        if stage.state() == "authenticating" {
            stage.frame(json!({ "op": 11 }));
        }
    }
    assert!(stage.take_asked().contains(&(hello + 15_000, Asked::Closed(4000))));
}

#[test]
fn after_a_minute_of_health_the_back_off_begins_anew() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    for _ in 0..5 {
        stage.refuse_connection();
        stage.run_for(60_000);
        if matches!(stage.take_asked().last(), Some((_, Asked::Address(_)))) {
            stage.grant_address();
        }
    }
    stage.come_back_by_resume(2);
    stage.live_for(60_000);
    stage.close(None);
    stage.take_told();
    stage.refuse_connection();
    // First failure after a stable session: 1 s within a quarter.
    assert!(matches!(stage.take_told()[..], [(_, Event::Lost { retry_in_ms: 750..=1_250, .. })]));
}

#[test]
fn codes_that_only_the_operator_can_mend_halt_and_come_back_by_the_slow_lane() {
    for (code, expected) in [
        (4001, HaltReason::ProtocolRefused),
        (4013, HaltReason::IntentsRefused),
        (4014, HaltReason::IntentsRefused),
        (4914, HaltReason::BotDelisted),
        (4915, HaltReason::BotBanned),
        (4924, HaltReason::AddressNotAllowed),
    ] {
        let mut stage = Stage::ready();
        stage.take_told();
        stage.close(Some(code));
        assert!(matches!(stage.take_told()[..], [(0, Event::Halted { reason, repeated: false, .. })] if reason == expected), "{code}");
        stage.take_asked();
        stage.run_until(44_999);
        assert_eq!(stage.take_asked(), [], "{code}");
        // A minute within a quarter.
        stage.run_until(75_000);
        assert_eq!(stage.count(|asked| *asked == Asked::Connect), 1, "{code}");
    }
}

#[test]
fn five_identifies_refused_in_a_row_without_a_reason_halt_and_name_what_is_likely() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address();
    let mut gaps = Vec::new();
    let mut last = None;
    for _ in 0..5 {
        stage.open();
        stage.hello(45_000);
        if let Some(last) = last {
            gaps.push(stage.now_ms() - last);
        }
        last = Some(stage.now_ms());
        stage.take_asked();
        stage.frame(json!({ "op": 9, "d": false }));
        // Half a second for a close frame that would name the reason, then the pause.
        while matches!(stage.state(), "waiting" | "authenticating") {
            stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        }
    }
    assert_eq!(stage.state(), "halted");
    // Spaced by max_concurrency, one in 5 s, and not shrinking.
    assert!(gaps.iter().all(|gap| *gap >= 5_000), "{gaps:?}");
    let halts =
        stage.take_told().into_iter().filter(|(_, e)| matches!(e, Event::Halted { reason: HaltReason::IdentifyRefused, .. })).count();
    assert_eq!(halts, 1);
}

#[test]
fn a_wait_for_the_allowance_of_new_sessions_is_told_with_its_length() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address_with(1, 86_400_000, 1);
    stage.open();
    stage.hello(45_000);
    stage.ready_as("s1");
    stage.live_for(10_000);
    stage.take_told();
    stage.close(Some(4900));
    let told = stage.take_told();
    let waits =
        |event: &Event| matches!(event, Event::SetBack { setback: Setback::Braked("allowance of new sessions"), retry_in_ms: 86_390_000 });
    assert!(told.iter().any(|(_, event)| waits(event)), "{told:?}");
}

#[test]
fn a_platform_that_answers_heartbeats_with_heartbeat_requests_gets_one_a_second() {
    let mut stage = Stage::ready();
    for _ in 0..10 {
        for _ in 0..1_000 {
            stage.frame(json!({ "op": 1 }));
        }
        stage.run_for(1_000);
    }
    let beats = stage.count(|asked| matches!(asked, Asked::Sent(frame) if frame["op"] == 1));
    // One answer a second for ten seconds, and perhaps the first beat of our own.
    assert!((10..=11).contains(&beats), "{beats}");
}

#[test]
fn a_pace_of_zero_is_still_a_pace() {
    let mut stage = Stage::with(|config| {
        config.pace.backoff_ms_base = 0;
        config.pace.backoff_ms_max = 0;
        config.pace.connects = auk_gateway::Rate { burst: 0, interval_ms: 0 };
    });
    stage.grant_token("t1");
    stage.grant_address();
    stage.take_asked();
    stage.refuse_connection();
    let mut attempts = 1;
    stage.play_until(10_000, |stage, _, asked| match asked {
        Asked::Connect => {
            attempts += 1;
            stage.refuse_connection();
        }
        Asked::Address(_) => stage.grant_address(),
        Asked::Token | Asked::Sent(_) | Asked::Closed(_) => {}
    });
    // The floor is 100 ms, for the back-off and for the limiter.
    assert!(attempts <= 101, "{attempts}");
}

#[test]
fn a_session_that_is_called_invalid_soon_after_each_ready_backs_off() {
    let mut stage = Stage::ready();
    let mut attempts = Vec::new();
    stage.frame(json!({ "op": 9, "d": true }));
    stage.play_until(60_000, |stage, at, asked| {
        if asked == Asked::Connect {
            attempts.push(at);
            stage.come_back_by_resume(2);
            stage.frame(json!({ "op": 9, "d": true }));
        }
    });
    // Waits of 1, 2, 4, 8, 16 and 32 s, each within a quarter: five or six attempts in a minute.
    assert!((5..=7).contains(&attempts.len()), "{attempts:?}");
}

#[test]
fn frames_sent_too_fast_are_followed_by_a_pause_of_five_seconds_and_a_resume() {
    let mut stage = Stage::ready();
    stage.live_for(60_000);
    stage.take_asked();
    stage.close(Some(4008));
    stage.run_for(4_999);
    assert_eq!(stage.count(|asked| *asked == Asked::Connect), 0);
    stage.run_for(1);
    assert_eq!(stage.count(|asked| *asked == Asked::Connect), 1);
}

#[test]
fn each_identify_counts_against_the_announced_allowance() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address_with(3, 3_600_000, 1);
    stage.take_asked();
    let mut identifies = 0;
    stage.open();
    stage.hello(45_000);
    stage.play_until(3_599_999, |stage, _, asked| match asked {
        Asked::Connect => {
            stage.open();
            stage.hello(45_000);
        }
        Asked::Sent(frame) if frame["op"] == 2 => {
            identifies += 1;
            stage.ready_as("s");
            stage.close(Some(4900));
        }
        Asked::Token => stage.grant_token("t2"),
        Asked::Address(_) | Asked::Sent(_) | Asked::Closed(_) => {}
    });
    assert_eq!(identifies, 3);
}

#[test]
fn the_pause_after_op_9_doubles_while_identifies_are_refused() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address_with(1000, 86_400_000, 100);
    let mut pauses = Vec::new();
    for _ in 0..4 {
        stage.open();
        stage.hello(45_000);
        stage.take_asked();
        stage.frame(json!({ "op": 9, "d": false }));
        while stage.state() != "connecting" {
            stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        }
        let asked = stage.take_asked();
        pauses.push(asked[1].0 - asked[0].0);
    }
    // 250 ms doubled with each refusal (the first counts already), and up to a quarter on top.
    for (pause, nominal) in pauses.iter().zip([500, 1_000, 2_000, 4_000]) {
        assert!((nominal..=nominal * 5 / 4).contains(pause), "{pauses:?}");
    }
}
