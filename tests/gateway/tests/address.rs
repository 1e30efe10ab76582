//! The address look-up, its refusals and its fallback.

use auk_gateway::{AddressEndpoint, Event, HaltReason, HttpAnswer, Input, Setback};
use auk_gateway_stories::{Asked, Stage, answer, identify, resume};
use serde_json::json;

const RATE_LIMITED: u16 = 400;

fn rate_limited() -> serde_json::Value {
    json!({ "message": "接口调用超过频率限制", "code": 100_017, "err_code": 40_023_001 })
}

#[test]
fn a_401_at_the_address_look_up_fetches_a_new_token_once() {
    let mut stage = Stage::new();
    stage.grant_token("dead");
    stage.take_asked();
    stage.answer_address(401, json!({ "code": 11_244, "message": "token not exist or expire", "err_code": 11_244 }));
    assert_eq!(stage.take_asked(), [(0, Asked::Token)]);
    stage.grant_token("alive");
    assert_eq!(stage.take_asked(), [(0, Asked::Address(AddressEndpoint::GatewayBot))]);
    stage.grant_address();
    stage.open();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(0, Asked::Connect), (0, identify("alive"))]);
}

#[test]
fn an_address_refusal_is_known_by_either_of_its_numbers() {
    for body in [json!({ "code": 11_298 }), json!({ "err_code": 11_298 }), json!({ "err_code": 40_023_002 })] {
        let mut stage = Stage::new();
        stage.grant_token("t1");
        stage.answer_address(401, body.clone());
        assert_eq!(stage.state(), "halted", "{body}");
    }
}

#[test]
fn a_reload_with_another_bot_forgets_the_address() {
    let mut stage = Stage::ready();
    let mut config = auk_gateway_stories::config();
    config.credentials = auk_gateway::Credentials::new("102000002", "other").expect("well formed");
    stage.input(Input::Reload(Box::new(config)));
    stage.take_asked();
    stage.grant_token("t2");
    assert_eq!(stage.take_asked(), [(0, Asked::Address(AddressEndpoint::GatewayBot))]);
}

#[test]
fn a_rate_limited_look_up_waits_a_minute_and_makes_no_other_call() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.take_asked();
    stage.answer_address(RATE_LIMITED, rate_limited());
    stage.run_until(59_999);
    assert_eq!(stage.take_asked(), []);
    // `rate_limited_ms` is a minute.
    stage.run_until(60_000);
    assert_eq!(stage.take_asked(), [(60_000, Asked::Address(AddressEndpoint::GatewayBot))]);
    assert!(stage.take_told().iter().any(|(_, event)| matches!(event, Event::SetBack { setback: Setback::AddressRateLimited, .. })));
}

#[test]
fn a_known_address_serves_while_the_look_up_is_rate_limited() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    // Two connect failures in a row make the address doubtful, so it is asked for again.
    stage.refuse_connection();
    stage.run_for(1_750);
    stage.refuse_connection();
    stage.run_for(1_750);
    assert!(stage.take_asked().iter().any(|(_, asked)| matches!(asked, Asked::Address(_))));
    stage.answer_address(RATE_LIMITED, rate_limited());
    assert!(stage.take_asked().iter().any(|(_, asked)| *asked == Asked::Connect), "the old address is used");
    stage.open();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(13_500, resume("t1", "s1", 1))]);
}

#[test]
fn gateway_is_the_fallback_when_gateway_bot_fails() {
    for (status, body) in
        [(500, json!("oops")), (404, json!({})), (200, json!({ "shards": 1 })), (204, json!(null)), (202, json!({ "code": 5 }))]
    {
        let mut stage = Stage::new();
        stage.grant_token("t1");
        stage.take_asked();
        stage.answer_address(status, body);
        assert_eq!(stage.take_asked(), [(0, Asked::Address(AddressEndpoint::Gateway))], "HTTP {status}");
        stage.answer_address(200, json!({ "url": auk_gateway_stories::URL }));
        assert_eq!(stage.take_asked(), [(0, Asked::Connect)]);
    }
}

#[test]
fn look_ups_stay_within_three_a_minute_when_every_one_fails() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    let mut look_ups = Vec::new();
    stage.play_until(3_600_000, |stage, at, asked| {
        if matches!(asked, Asked::Address(_)) {
            look_ups.push(at);
            stage.answer_address(500, json!({}));
        }
    });
    // Burst of 2, then one a minute: at most 2 + 1 in any 60 s.
    assert!(look_ups.windows(4).all(|four| four[3] - four[0] >= 60_000), "{look_ups:?}");
    assert!(look_ups.len() >= 50, "it never gives up: {}", look_ups.len());
}

#[test]
fn an_address_is_used_again_over_reconnects() {
    let mut stage = Stage::ready();
    for _ in 0..10 {
        stage.live_for(120_000);
        stage.close(None);
        stage.come_back_by_resume(1);
    }
    assert_eq!(stage.count(|asked| matches!(asked, Asked::Address(_) | Asked::Token)), 0);
}

#[test]
fn an_address_that_is_not_allowed_halts_with_advice() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.answer_address(401, json!({ "message": "接口访问源IP不在白名单", "code": 11_298, "err_code": 40_023_002 }));
    assert_eq!(stage.state(), "halted");
    let told = stage.take_told();
    assert!(matches!(&told[..], [(_, Event::Halted { reason: HaltReason::AddressNotAllowed, .. })]), "{told:?}");
    stage.take_asked();
    // The token is not to blame: the slow lane looks up again, with the same token.
    stage.run_until(75_000);
    assert_eq!(stage.count(|asked| *asked == Asked::Token), 0);
    assert_eq!(stage.count(|asked| matches!(asked, Asked::Address(_))), 1);
}

#[test]
fn no_identify_while_the_announced_allowance_is_spent_and_then_one() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address_with(0, 90_000, 1);
    stage.take_asked();
    stage.run_until(89_999);
    assert_eq!(stage.take_asked(), []);
    stage.run_until(90_000);
    assert_eq!(stage.take_asked(), [(90_000, Asked::Connect)]);
}

#[test]
fn a_look_up_has_15_s_and_a_late_answer_to_it_changes_nothing() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    let overtaken = stage.request();
    stage.take_asked();
    stage.run_until(14_999);
    assert_eq!(stage.take_asked(), []);
    stage.run_until(15_000);
    assert_eq!(stage.take_asked(), [(15_000, Asked::Address(AddressEndpoint::Gateway))]);
    stage.input(Input::AddressAnswered { request: overtaken, answer: answer(200, &json!({ "url": auk_gateway_stories::URL })) });
    assert_eq!(stage.take_asked(), []);
    assert_eq!(stage.state(), "awaiting_address");
}

#[test]
fn a_rate_limited_look_up_says_when_the_next_step_comes() {
    // `rate_limited_ms` is a minute.
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.answer_address(RATE_LIMITED, rate_limited());
    let told = stage.take_told();
    let is_limited = |event: &Event, ms: u64| matches!(event, Event::SetBack { setback: Setback::AddressRateLimited, retry_in_ms } if *retry_in_ms == ms);
    assert!(is_limited(&told[0].1, 60_000), "{told:?}");
    // With an address that serves on, it is at once.
    let mut stage = doubtful();
    stage.answer_address(RATE_LIMITED, rate_limited());
    let told = stage.take_told();
    assert!(is_limited(&told[0].1, 0), "{told:?}");
}

/// A session whose address was doubted after two failures in a row, while it is looked up again.
fn doubtful() -> Stage {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    // 1.4 s within a quarter each time.
    for _ in 0..2 {
        stage.refuse_connection();
        stage.run_for(1_750);
    }
    assert_eq!(stage.state(), "awaiting_address");
    stage.take_asked();
    stage.take_told();
    stage
}

#[test]
fn when_both_look_ups_fail_the_next_one_backs_off_and_each_failure_is_told() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.answer_address(500, json!({}));
    stage.answer_address(500, json!({}));
    let told = stage.take_told();
    // The other call at once, then 1.4 s within a quarter.
    let [(0, first), (0, second)] = &told[..] else { panic!("{told:?}") };
    assert!(matches!(first, Event::SetBack { setback: Setback::Address(_), retry_in_ms: 0 }), "{told:?}");
    let Event::SetBack { setback: Setback::Address(_), retry_in_ms } = second else { panic!("{told:?}") };
    assert!((1_050..=1_750).contains(retry_in_ms), "{told:?}");
    assert_eq!(stage.gateway.poll_timeout().map(|at| at.as_ms()), Some(*retry_in_ms));
    // Then the limit of one in a minute holds: two were made at 0.
    stage.run_for(1_750);
    assert_eq!(stage.gateway.poll_timeout().map(|at| at.as_ms()), Some(60_000));
    stage.take_asked();
    stage.run_until(60_000);
    // The call with the allowance is the first choice again.
    assert_eq!(stage.take_asked(), [(60_000, Asked::Address(AddressEndpoint::GatewayBot))]);
}

#[test]
fn a_known_address_serves_on_when_both_look_ups_fail() {
    let mut stage = doubtful();
    stage.answer_address(500, json!({}));
    let told = stage.take_told();
    assert!(matches!(&told[0].1, Event::SetBack { setback: Setback::Address(_), retry_in_ms: 0 }), "{told:?}");
    assert_eq!(stage.state(), "connecting");
}

#[test]
fn two_failures_that_are_not_in_a_row_cast_no_doubt_on_the_address() {
    let mut stage = Stage::ready();
    stage.live_for(60_000);
    stage.take_asked();
    for round in 0..3 {
        stage.close(None);
        stage.refuse_connection();
        // 1.4 s within a quarter.
        stage.run_for(1_750);
        stage.come_back_by_resume(2 + round);
        stage.live_for(60_000);
    }
    assert_eq!(stage.count(|asked| matches!(asked, Asked::Address(_))), 0);
}

#[test]
fn two_connections_in_a_row_that_come_to_nothing_cast_doubt_on_the_address() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.take_asked();
    stage.close(None);
    // `connect_ms_max` is 15 s, and the back-off 1.4 s within a quarter, twice.
    stage.run_for(15_000 + 1_750 + 15_000 + 1_750);
    assert_eq!(stage.count(|asked| matches!(asked, Asked::Address(_))), 1);
}

#[test]
fn a_dead_token_at_the_look_up_is_told() {
    let mut stage = Stage::new();
    stage.grant_token("dead");
    stage.answer_address(401, json!({ "code": 11_244 }));
    let told = stage.take_told();
    assert!(matches!(&told[..], [(0, Event::SetBack { setback: Setback::Address(_), retry_in_ms: 0 })]), "{told:?}");
}

#[test]
fn a_reload_while_the_address_is_being_looked_up_waits_for_that_answer() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.take_asked();
    stage.input(Input::Reload(Box::new(auk_gateway_stories::config())));
    assert_eq!(stage.take_asked(), []);
    stage.grant_address();
    assert_eq!(stage.take_asked(), [(0, Asked::Connect)]);
}

#[test]
fn the_fallback_for_the_address_is_one_for_that_look_up_only() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.answer_address(500, json!({}));
    stage.answer_address(200, json!({ "url": auk_gateway_stories::URL }));
    stage.open();
    stage.hello(45_000);
    stage.ready_as("s1");
    stage.live_for(120_000);
    stage.take_asked();
    stage.close(None);
    for _ in 0..2 {
        stage.refuse_connection();
        // 1.4 s within a quarter.
        stage.run_for(1_750);
    }
    assert!(stage.take_asked().iter().any(|(_, asked)| *asked == Asked::Address(AddressEndpoint::GatewayBot)));
}

#[test]
fn the_fallback_for_the_address_is_not_for_another_bot() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.answer_address(500, json!({}));
    let mut config = auk_gateway_stories::config();
    config.credentials = auk_gateway::Credentials::new("102000002", "other").expect("well formed");
    // Two look-ups were made.
    config.pace.look_ups = auk_gateway::Rate { burst: 100, interval_ms: 60_000 };
    stage.input(Input::Reload(Box::new(config)));
    stage.take_asked();
    stage.grant_token("t2");
    assert_eq!(stage.take_asked(), [(0, Asked::Address(AddressEndpoint::GatewayBot))]);
}

#[test]
fn what_is_no_websocket_address_or_comes_with_a_number_is_no_address() {
    for body in [
        json!({ "url": "" }),
        json!({ "url": "https://gateway.example" }),
        json!({ "url": "gateway.example" }),
        json!({ "url": "wss://" }),
        json!({ "url": "wss:///websocket" }),
        json!({ "url": "wss://gateway.example/web socket" }),
        json!({ "url": "wss://gateway.example\n" }),
        json!({ "url": auk_gateway_stories::URL, "code": 5 }),
    ] {
        let mut stage = Stage::new();
        stage.grant_token("t1");
        stage.take_asked();
        stage.answer_address(200, body.clone());
        assert_eq!(stage.take_asked(), [(0, Asked::Address(AddressEndpoint::Gateway))], "{body}");
        assert!(matches!(stage.take_told()[..], [(0, Event::SetBack { setback: Setback::Address(_), retry_in_ms: 0 })]));
        assert_eq!(stage.memory.address, None);
    }
}

/// When the next thing is due after a look-up that was answered at once with this wait.
fn due_after(retry_after_ms: u64) -> Option<u64> {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    let request = stage.request();
    let answer = HttpAnswer::Received { status: 429, body: rate_limited().to_string(), retry_after_ms: Some(retry_after_ms) };
    stage.input(Input::AddressAnswered { request, answer });
    stage.gateway.poll_timeout().map(|at| at.as_ms())
}

#[test]
fn a_retry_after_is_obeyed_where_it_is_longer_than_our_own_wait() {
    assert_eq!(due_after(300_000), Some(300_000));
}

#[test]
fn a_retry_after_of_years_is_an_hour() {
    assert_eq!(due_after(86_400_000_000), Some(3_600_000));
}
