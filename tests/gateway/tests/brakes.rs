//! Never two attempts at once, and never too many in a row.

use auk_gateway::{Bucket, Event, GatewayConfig, HaltReason, Input, Language, Pace, Rate, Setback, Timestamp};
use auk_gateway_stories::{Asked, Stage};
use serde_json::{Value, json};

/// The stated bound: in any span of `span_ms` at most 35 + span / 15 s attempts, whatever happens.
fn assert_within_bound(connects: &[u64]) {
    for (from, first) in connects.iter().enumerate() {
        for (to, last) in connects.iter().enumerate().skip(from) {
            let (count, span_ms) = ((to - from + 1) as u64, last - first);
            assert!(count <= 35 + span_ms / 15_000, "{count} attempts in {span_ms} ms");
        }
    }
}

/// The platform's port is closed until `end_ms`, while look-ups work.
fn refuse_until(stage: &mut Stage, end_ms: u64) {
    stage.play_until(end_ms, |stage, _, asked| match asked {
        Asked::Connect => stage.refuse_connection(),
        Asked::Address(_) => stage.grant_address(),
        Asked::Token => stage.grant_token("t2"),
        Asked::Sent(_) | Asked::Closed(_) => {}
    });
}

#[test]
fn refused_connections_are_tried_evenly_for_45_s_then_back_off_by_doubling_to_a_minute_and_never_stop() {
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
    // At once, then every 1.4 s for 45 s, then 1.4, 2.8, 5.6, 11.2, 22.4, 44.8 s and then 60 s, each within a quarter. Two connect failures
    // make the address doubtful, but look-ups that fail as well add nothing: the known address serves on.
    let waits: Vec<u64> = attempts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(attempts[0], 120_000);
    let even = attempts.iter().take_while(|at| **at < 120_000 + 45_000).count();
    // 45 s / 1.4 s = 32, and the one at once; each wait may be a quarter off, which evens out over as many.
    assert!((30..=36).contains(&even), "{even}");
    assert!(waits[..even - 1].iter().all(|wait| (1_050..=1_750).contains(wait)), "{waits:?}");
    assert!(waits[even + 6..].iter().all(|wait| (45_000..=75_000).contains(wait)), "{waits:?}");
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
    // A minute within a quarter once the even 45 s and six doublings are over, although every second failure brings a fresh address.
    assert!(look_ups > 10, "{look_ups}");
    assert!(
        attempts
            .windows(2)
            .skip_while(|pair| pair[1] < 120_000 + 45_000)
            .skip(6)
            .all(|pair| (45_000..=75_000).contains(&(pair[1] - pair[0]))),
        "{attempts:?}"
    );
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
    // It was reached, so nothing is even: the back-off comes to its minute by 1.4, 2.8 … 44.8 s, six attempts, then one in 60 s.
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
    // 34 of the burst are left after the first connection, then 4 a minute for an hour.
    assert!((270..=276).contains(&attempts.len()), "{}", attempts.len());
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
fn every_step_of_the_handshake_has_a_deadline() {
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
    stage.run_until(opened + 4_000);
    assert_eq!(stage.take_asked(), [(opened + 4_000, Asked::Closed(4000))]);
    // READY: heartbeat ACKs alone do not make a session.
    stage.run_until(opened + 4_000 + 1_750);
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
    refuse_until(&mut stage, 310_000);
    // Five minutes of failures: each waits for a minute within a quarter.
    assert!(matches!(stage.take_told().last(), Some((_, Event::Lost { retry_in_ms: 45_000.., .. }))));
    while stage.state() != "connecting" {
        stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        if stage.state() == "awaiting_address" {
            stage.grant_address();
        }
    }
    stage.come_back_by_resume(2);
    stage.live_for(60_000);
    stage.close(None);
    stage.take_told();
    stage.refuse_connection();
    // First failure after a stable session: 1.4 s within a quarter.
    assert!(matches!(stage.take_told()[..], [(_, Event::Lost { retry_in_ms: 1_050..=1_750, .. })]));
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
    // Waits of 1.4, 2.8, 5.6, 11.2, 22.4 and 44.8 s, each within a quarter: five or six attempts in a minute.
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

/// When the next attempt comes, as the last loss that was told says.
fn retry_in_ms(stage: &mut Stage) -> u64 {
    let told = stage.take_told();
    let mut losses = told.iter().filter_map(|(_, e)| if let Event::Lost { retry_in_ms, .. } = e { Some(*retry_in_ms) } else { None });
    losses.next_back().expect("a loss")
}

#[test]
fn a_loss_is_followed_by_an_attempt_at_once_when_the_session_had_been_ready_for_three_seconds() {
    // Else by the first back-off: 1.4 s within a quarter.
    for (ready_ms, expected) in [(2_999, 1_050..=1_750), (3_000, 0..=0)] {
        let mut stage = Stage::ready();
        stage.live_for(ready_ms);
        stage.close(None);
        let wait_ms = retry_in_ms(&mut stage);
        assert!(expected.contains(&wait_ms), "ready for {ready_ms} ms: {wait_ms}");
    }
}

#[test]
fn op_9_is_followed_by_its_short_pause_when_the_session_had_been_ready_for_three_seconds() {
    // Else by the first back-off: 1.4 s within a quarter. The pause is 250 ms and up to a quarter of them.
    for (ready_ms, expected) in [(2_999, 1_050..=1_750), (3_000, 250..=313)] {
        let mut stage = Stage::ready();
        stage.live_for(ready_ms);
        stage.frame(json!({ "op": 9, "d": true }));
        let wait_ms = retry_in_ms(&mut stage);
        assert!(expected.contains(&wait_ms), "ready for {ready_ms} ms: {wait_ms}");
    }
}

#[test]
fn the_back_off_is_cleared_by_a_minute_of_health_and_by_no_less() {
    // After one failure the next wait is 2.8 s within a quarter, and 1.4 s within a quarter if it was cleared.
    for (ready_ms, expected) in [(59_999, 2_100..=3_500), (60_000, 1_050..=1_750)] {
        let mut stage = Stage::ready();
        stage.close(None);
        stage.run_for(1_750);
        stage.come_back_by_resume(2);
        stage.live_for(ready_ms);
        stage.close(None);
        stage.open();
        stage.hello(45_000);
        stage.close(None);
        let wait_ms = retry_in_ms(&mut stage);
        assert!(expected.contains(&wait_ms), "ready for {ready_ms} ms: {wait_ms}");
    }
}

#[test]
fn the_slow_lane_doubles_to_ten_minutes_while_a_code_stays_final() {
    let mut stage = Stage::ready();
    stage.close(Some(4914));
    let mut attempts = vec![0];
    stage.play_until(3_600_000, |stage, at, asked| {
        if asked == Asked::Connect {
            attempts.push(at);
            stage.open();
            stage.hello(45_000);
            stage.close(Some(4914));
        }
    });
    // 60, 120, 240, 480 s and then 600 s, each within a quarter.
    let waits: Vec<u64> = attempts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (wait, nominal) in waits.iter().zip([60_000, 120_000, 240_000, 480_000, 600_000, 600_000, 600_000]) {
        assert!((nominal * 3 / 4..=nominal * 5 / 4).contains(wait), "{waits:?}");
    }
    assert!(waits[4..].iter().any(|wait| *wait > 480_000), "{waits:?}");
    let told = stage.take_told();
    let marks: Vec<bool> =
        told.iter().filter_map(|(_, e)| if let Event::Halted { repeated, .. } = e { Some(*repeated) } else { None }).collect();
    assert!(!marks[0] && marks[1..].iter().all(|repeated| *repeated), "said once, repeated marked: {marks:?}");
}

#[test]
fn identifies_refused_with_4903_and_with_op_9_are_counted_together() {
    let mut stage = Stage::new();
    stage.begin();
    for _ in 0..4 {
        stage.close(Some(4903));
        while stage.state() != "connecting" {
            stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        }
        stage.open();
        stage.hello(45_000);
    }
    stage.take_asked();
    stage.frame(json!({ "op": 9, "d": false }));
    // Half a second for a close frame that would name the reason.
    stage.run_for(500);
    assert!(matches!(stage.take_told().last(), Some((_, Event::Halted { reason: HaltReason::IdentifyRefused, .. }))));
    assert_eq!(stage.take_asked(), [(stage.now_ms(), Asked::Closed(1000))]);
    let status = stage.gateway.status(Language::EnUs, Timestamp::from_ms(stage.now_ms()));
    assert_eq!(status.last_loss.as_deref(), Some("invalid session, resumable false"));
}

#[test]
fn a_4903_before_hello_is_no_refused_identify() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address();
    for _ in 0..6 {
        stage.open();
        stage.close(Some(4903));
        while stage.state() != "connecting" {
            assert_ne!(stage.state(), "halted");
            stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        }
    }
}

#[test]
fn identifies_that_end_with_a_reason_or_after_ready_are_not_counted_as_refused_without_one() {
    // Another code in answer to the Identify; 4903 on a session that lives; 4903 in answer to a Resume.
    let rounds: [fn(&mut Stage); 3] = [
        |stage| stage.close(Some(4902)),
        |stage| {
            stage.ready_as("s");
            stage.live_for(10_000);
            stage.close(Some(4903));
        },
        |stage| {
            stage.ready_as("s");
            stage.live_for(10_000);
            stage.close(None);
            stage.open();
            stage.hello(45_000);
            stage.close(Some(4903));
        },
    ];
    for round in rounds {
        let mut stage = Stage::new();
        stage.begin();
        for _ in 0..6 {
            round(&mut stage);
            while stage.state() != "connecting" {
                assert_ne!(stage.state(), "halted");
                stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
            }
            stage.open();
            stage.hello(45_000);
        }
    }
}

#[test]
fn a_wait_behind_a_brake_is_told_from_ten_seconds_on() {
    for (reset_ms, is_told) in [(9_999, false), (10_000, true)] {
        let mut stage = Stage::new();
        stage.grant_token("t1");
        stage.grant_address_with(0, reset_ms, 1);
        let told = stage.take_told();
        assert_eq!(told.iter().any(|(_, event)| matches!(event, Event::SetBack { setback: Setback::Braked(_), .. })), is_told, "{told:?}");
    }
}

#[test]
fn the_pause_after_op_9_differs_from_bot_to_bot() {
    let pauses: std::collections::BTreeSet<u64> = (0..8)
        .map(|seed| {
            let mut stage = Stage::with(|config| config.seed = seed);
            stage.begin();
            stage.ready_as("s1");
            stage.live_for(10_000);
            stage.frame(json!({ "op": 9, "d": true }));
            retry_in_ms(&mut stage)
        })
        .collect();
    assert!(pauses.len() > 4, "{pauses:?}");
}

/// As many Identifies, each refused without a reason.
fn refuse_identifies(stage: &mut Stage, times: usize) {
    for _ in 0..times {
        while stage.state() != "connecting" {
            stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        }
        stage.open();
        stage.hello(45_000);
        stage.close(Some(4903));
    }
}

#[test]
fn a_session_or_a_reload_begins_the_count_of_refused_identifies_anew() {
    let news: [fn(&mut Stage); 2] = [
        |stage| {
            stage.run_for(10_000);
            while stage.state() != "connecting" {
                stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
            }
            stage.open();
            stage.hello(45_000);
            stage.ready_as("s");
            stage.close(Some(4900));
        },
        |stage| stage.input(Input::Reload(Box::new(auk_gateway_stories::config()))),
    ];
    for new in news {
        let mut stage = Stage::new();
        stage.grant_token("t1");
        stage.grant_address();
        refuse_identifies(&mut stage, 4);
        new(&mut stage);
        refuse_identifies(&mut stage, 4);
        assert_ne!(stage.state(), "halted");
        refuse_identifies(&mut stage, 1);
        assert_eq!(stage.state(), "halted");
    }
}

#[test]
fn a_session_or_a_reload_begins_the_slow_lane_anew_and_the_next_halt_is_told_as_a_new_one() {
    let news: [fn(&mut Stage); 2] = [
        |stage| {
            stage.open();
            stage.hello(45_000);
            stage.ready_as("s");
        },
        |stage| stage.input(Input::Reload(Box::new(auk_gateway_stories::config()))),
    ];
    for new in news {
        let mut stage = Stage::ready();
        stage.close(Some(4914));
        for _ in 0..2 {
            while stage.state() != "connecting" {
                stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
            }
            stage.close(Some(4914));
        }
        while stage.state() != "connecting" {
            stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        }
        new(&mut stage);
        stage.take_told();
        stage.close(Some(4914));
        // A minute within a quarter, after two and four.
        let told = stage.take_told();
        assert!(matches!(told[..], [(_, Event::Halted { repeated: false, retry_in_ms: 45_000..=75_000, .. })]), "{told:?}");
    }
}

/// Gives a gateway another pace.
fn reload(stage: &mut Stage, change: impl FnOnce(&mut Pace)) {
    let mut config = auk_gateway_stories::config();
    change(&mut config.pace);
    stage.input(Input::Reload(Box::new(config)));
}

#[test]
fn a_reload_changes_the_back_off() {
    let mut stage = Stage::ready();
    reload(&mut stage, |pace| (pace.backoff_ms_base, pace.backoff_ms_max, pace.backoff_flat_ms) = (10_000, 20_000, 40_000));
    stage.live_for(10_000);
    stage.close(None);
    let mut failures = Vec::new();
    stage.play_until(300_000, |stage, at, asked| match asked {
        Asked::Connect => {
            failures.push(at);
            stage.refuse_connection();
        }
        Asked::Address(_) => stage.grant_address(),
        Asked::Token | Asked::Sent(_) | Asked::Closed(_) => {}
    });
    assert!(failures.len() > 12, "{failures:?}");
    for pair in failures.windows(2) {
        // Ten seconds until a failure comes 40 s after the first one, then twenty, within a quarter.
        let nominal = if failures.iter().any(|at| *at < pair[0] && at - failures[0] >= 40_000) { 20_000 } else { 10_000 };
        assert!((nominal * 3 / 4..=nominal * 5 / 4).contains(&(pair[1] - pair[0])), "{failures:?}");
    }
}

#[test]
fn a_reload_changes_the_slow_lane() {
    let mut stage = Stage::ready();
    reload(&mut stage, |pace| (pace.slow_lane_ms_base, pace.slow_lane_ms_max) = (10_000, 20_000));
    let mut waits = Vec::new();
    for _ in 0..4 {
        stage.close(Some(4914));
        let Some((_, Event::Halted { retry_in_ms, .. })) = stage.take_told().pop() else { panic!("it halts") };
        waits.push(retry_in_ms);
        stage.run_for(retry_in_ms);
    }
    // Each within a quarter.
    for (wait, nominal) in waits.iter().zip([10_000, 20_000, 20_000, 20_000]) {
        assert!((nominal * 3 / 4..=nominal * 5 / 4).contains(wait), "{waits:?}");
    }
}

#[test]
fn a_reload_changes_the_limit_of_connections() {
    let mut stage = Stage::ready();
    stage.live_for(20_000);
    reload(&mut stage, |pace| pace.connects = Rate { burst: 2, interval_ms: 10_000 });
    stage.take_asked();
    let mut connects = Vec::new();
    stage.frame(json!({ "op": 7 }));
    stage.play_until(40_000, |stage, at, asked| {
        if asked == Asked::Connect {
            connects.push(at);
            stage.come_back_by_resume(2);
            stage.frame(json!({ "op": 7 }));
        }
    });
    // The first connection was 20 s ago: two at once, then one in 10 s.
    assert_eq!(connects, [20_000, 20_000, 30_000, 40_000]);
}

#[test]
fn a_reload_changes_the_limit_of_identifies() {
    let mut stage = Stage::ready();
    reload(&mut stage, |pace| pace.identifies = Rate { burst: 1, interval_ms: 100_000 });
    stage.live_for(90_000);
    reload(&mut stage, |pace| pace.identifies = Rate { burst: 1, interval_ms: 30_000 });
    for at_ms in [90_000, 120_000] {
        stage.take_asked();
        stage.close(Some(4900));
        stage.run_until(at_ms);
        assert_eq!(stage.count(|asked| *asked == Asked::Connect), 1, "{at_ms}");
        stage.open();
        stage.hello(45_000);
        stage.ready_as("s");
        stage.live_for(10_000);
    }
}

#[test]
fn a_reload_changes_the_limit_of_look_ups_and_ends_a_cool_down() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.answer_address(429, json!({}));
    stage.run_for(1_000);
    stage.take_asked();
    reload(&mut stage, |pace| pace.look_ups = Rate { burst: 3, interval_ms: 60_000 });
    assert!(matches!(stage.take_asked()[..], [(1_000, Asked::Address(_))]));
    // The third of three.
    stage.answer_address(500, json!({}));
    assert!(matches!(stage.take_asked()[..], [(1_000, Asked::Address(_))]));
}

#[test]
fn a_reload_changes_the_deadlines() {
    let mut stage = Stage::ready();
    reload(&mut stage, |pace| pace.hello_ms_max = 1_000);
    stage.live_for(10_000);
    stage.close(None);
    stage.open();
    stage.take_asked();
    stage.run_for(1_000);
    assert_eq!(stage.take_asked(), [(11_000, Asked::Closed(4000))]);
}

#[test]
fn a_pace_of_zero_is_still_a_pace_after_a_reload() {
    let mut stage = Stage::ready();
    reload(&mut stage, |pace| {
        (pace.backoff_ms_base, pace.backoff_ms_max) = (0, 0);
        pace.connects = Rate { burst: 0, interval_ms: 0 };
    });
    stage.live_for(20_000);
    stage.close(None);
    let mut attempts = 0;
    stage.play_until(30_000, |stage, _, asked| match asked {
        Asked::Connect => {
            attempts += 1;
            stage.refuse_connection();
        }
        Asked::Address(_) => stage.grant_address(),
        Asked::Token | Asked::Sent(_) | Asked::Closed(_) => {}
    });
    // The floor is 100 ms: the limiter adds to each wait of the back-off that is up to a quarter shorter, and not to one that is longer.
    assert!((75..=101).contains(&attempts), "{attempts}");
}

#[test]
fn identifies_are_spaced_by_the_concurrency_that_was_announced() {
    let limit = |max_concurrency: Value| {
        let mut limit = json!({ "total": 1_000, "remaining": 1_000, "reset_after": 86_400_000 });
        if !max_concurrency.is_null() {
            limit["max_concurrency"] = max_concurrency;
        }
        json!({ "url": auk_gateway_stories::URL, "session_start_limit": limit })
    };
    let without_limit = json!({ "url": auk_gateway_stories::URL });
    // 5 s divided by it; one that is missing or zero counts as one.
    let spacings =
        [(without_limit, 5_000), (limit(json!(null)), 5_000), (limit(json!(0)), 5_000), (limit(json!(1)), 5_000), (limit(json!(2)), 2_500)];
    for (body, spacing_ms) in spacings {
        let mut stage = Stage::new();
        stage.grant_token("t1");
        stage.answer_address(200, body.clone());
        stage.open();
        stage.hello(45_000);
        stage.ready_as("s1");
        stage.take_asked();
        stage.close(Some(4900));
        stage.run_until(spacing_ms - 1);
        if stage.state() == "awaiting_address" {
            stage.answer_address(200, body.clone());
        }
        assert_eq!(stage.count(|asked| *asked == Asked::Connect), 0, "{body}");
        stage.run_until(spacing_ms);
        assert_eq!(stage.count(|asked| *asked == Asked::Connect), 1, "{body}");
    }
}

#[test]
fn an_allowance_that_is_to_be_reset_in_days_is_asked_for_again_after_one() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address_with(0, 10 * 86_400_000, 1);
    let told = stage.take_told();
    assert!(matches!(told[..], [(0, Event::SetBack { setback: Setback::Braked(_), retry_in_ms: 86_400_000 })]), "{told:?}");
}

#[test]
fn a_bucket_takes_its_burst_at_once_and_one_an_interval() {
    let at = Timestamp::from_ms;
    let mut bucket = Bucket::new(Rate { burst: 3, interval_ms: 1_000 });
    assert_eq!(
        (bucket.free_at(3, at(5_000)), bucket.free_at(4, at(5_000))),
        (at(5_000), at(5_000)),
        "no wait makes room for more than the burst"
    );
    bucket.take(2, at(5_000));
    assert_eq!(
        (bucket.free_at(1, at(5_000)), bucket.free_at(2, at(5_000)), bucket.free_at(3, at(5_000))),
        (at(5_000), at(6_000), at(7_000))
    );
    // A rate of nothing is one at a time, a millisecond apart.
    let mut bucket = Bucket::new(Rate { burst: 0, interval_ms: 0 });
    assert_eq!(bucket.free_at(1, at(5_000)), at(5_000));
    bucket.take(1, at(5_000));
    assert_eq!(bucket.free_at(1, at(5_000)), at(5_001));
}

#[test]
fn no_wait_of_a_pace_of_zero_is_shorter_than_a_tenth_of_a_second() {
    let zero = |config: &mut GatewayConfig| {
        let pace = &mut config.pace;
        (pace.backoff_ms_base, pace.backoff_ms_max, pace.token_backoff_ms_base) = (0, 0, 0);
        (pace.slow_lane_ms_base, pace.slow_lane_ms_max) = (0, 0);
    };
    // 100 ms within a quarter: the back-off, the wait for a token, and the slow lane.
    let floor = |told: Vec<(u64, Event)>| {
        let (Event::Lost { retry_in_ms, .. } | Event::SetBack { retry_in_ms, .. } | Event::Halted { retry_in_ms, .. }) = told[0].1 else {
            panic!("{told:?}")
        };
        assert!((75..=125).contains(&retry_in_ms), "{told:?}");
    };
    let mut stage = Stage::with(zero);
    stage.grant_token("t1");
    stage.grant_address();
    stage.refuse_connection();
    floor(stage.take_told());
    let mut stage = Stage::with(zero);
    stage.answer_token(502, json!({}));
    floor(stage.take_told());
    let mut stage = Stage::with(zero);
    stage.begin();
    stage.close(Some(4914));
    floor(stage.take_told());
}

#[test]
fn a_limit_of_zero_is_one_in_a_tenth_of_a_second() {
    let mut stage = Stage::with(|config| config.pace.connects = Rate { burst: 0, interval_ms: 0 });
    stage.begin();
    stage.ready_as("s1");
    stage.take_asked();
    let mut connects = Vec::new();
    stage.frame(json!({ "op": 7 }));
    stage.play_until(500, |stage, at, asked| {
        if asked == Asked::Connect {
            connects.push(at);
            stage.come_back_by_resume(2);
            stage.frame(json!({ "op": 7 }));
        }
    });
    // The first connection was at 0.
    assert_eq!(connects, [100, 200, 300, 400, 500]);
}
