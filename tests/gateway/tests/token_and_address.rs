//! Tokens, address look-ups, and their refusals.

use auk_gateway::{AccessToken, AddressEndpoint, Event, HaltReason, Input, LossCause, Setback};
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
fn a_dead_token_that_is_handed_out_again_is_tried_once_in_ten_minutes_and_asked_for_ever_more_slowly() {
    let mut stage = Stage::new();
    let (mut requests, mut look_ups) = (Vec::new(), Vec::new());
    stage.play_until(3_599_999, |stage, at, asked| match asked {
        Asked::Token => {
            requests.push(at);
            stage.grant_token("dead");
        }
        Asked::Address(_) => {
            look_ups.push(at);
            stage.answer_address(401, json!({ "code": 11_244 }));
        }
        Asked::Connect | Asked::Sent(_) | Asked::Closed(_) => panic!("there is no way to connect"),
    });
    // The first refusal is at 0. A refusal is remembered for ten minutes, since it may have been a mistake, and the next request after
    // that (at most a minute later) brings the next look-up.
    assert!((5..=6).contains(&look_ups.len()), "{look_ups:?}");
    assert!(look_ups.windows(2).all(|pair| (600_000..=660_000).contains(&(pair[1] - pair[0]))), "{look_ups:?}");
    // Waits of 2, 4, 8, 16 s and then 30 s while the burst of ten lasts, then one a minute: 10 and 60 in the hour.
    assert!((60..=72).contains(&requests.len()), "{requests:?}");
    assert!(requests.windows(12).all(|dozen| dozen[11] - dozen[0] >= 60_000), "{requests:?}");
}

#[test]
fn a_401_about_a_right_does_not_cost_the_token() {
    for code in [11_253, 11_254, 11_262, 11_263, 11_264, 11_273, 11_281] {
        let mut stage = Stage::new();
        stage.grant_token("t1");
        stage.take_asked();
        stage.answer_address(401, json!({ "code": code, "message": "ErrorCheckAppPrivilegeNotPass" }));
        assert_eq!(stage.take_asked(), [(0, Asked::Address(AddressEndpoint::Gateway))], "{code}");
    }
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
fn a_reload_trusts_a_refused_token_again() {
    let mut stage = Stage::ready();
    stage.input(Input::TokenRefused { token: AccessToken::new("t1") });
    stage.grant_token("t1");
    assert_eq!(stage.gateway.token(auk_gateway::Timestamp::from_ms(0)), None);
    stage.input(Input::Reload(Box::new(auk_gateway_stories::config())));
    stage.run_for(1);
    stage.grant_token("t1");
    assert!(stage.gateway.token(auk_gateway::Timestamp::from_ms(1)).is_some());
}

#[test]
fn a_retry_after_is_obeyed_where_it_is_longer_than_our_own_wait() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    let request = stage.request();
    let body = rate_limited().to_string();
    let answer = auk_gateway::HttpAnswer::Received { status: 429, body, retry_after_ms: Some(300_000) };
    stage.input(Input::AddressAnswered { request, answer });
    assert_eq!(stage.gateway.poll_timeout().map(|at| at.as_ms()), Some(300_000));
}

#[test]
fn a_banned_or_deleted_bot_halts_wherever_it_is_told() {
    for code in [11_265, 11_700] {
        let mut stage = Stage::new();
        stage.answer_token(200, json!({ "code": code }));
        assert!(stage.take_told().iter().any(|(_, e)| matches!(e, Event::Halted { reason: HaltReason::BotBanned, .. })), "token, {code}");
        let mut stage = Stage::new();
        stage.grant_token("t1");
        stage.answer_address(401, json!({ "code": code }));
        assert!(stage.take_told().iter().any(|(_, e)| matches!(e, Event::Halted { reason: HaltReason::BotBanned, .. })), "look-up, {code}");
    }
}

#[test]
fn the_old_token_serves_while_it_is_being_renewed() {
    let mut stage = Stage::ready();
    stage.live_for(7_154_999);
    stage.run_for(1);
    assert_eq!(stage.count(|asked| *asked == Asked::Token), 1);
    let now = auk_gateway::Timestamp::from_ms(stage.now_ms());
    assert_eq!(stage.gateway.token(now), Some(&AccessToken::new("t1")));
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
fn a_reload_tries_at_once_and_begins_the_back_off_anew() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    stage.play_until(300_000, |stage, _, asked| match asked {
        Asked::Connect => stage.refuse_connection(),
        Asked::Address(_) => stage.grant_address(),
        Asked::Token | Asked::Sent(_) | Asked::Closed(_) => {}
    });
    // Five minutes of failures: each waits for a minute within a quarter.
    assert!(matches!(stage.take_told().last(), Some((_, Event::Lost { retry_in_ms: 45_000.., .. }))));
    stage.input(Input::Reload(Box::new(auk_gateway_stories::config())));
    assert!(matches!(stage.take_asked()[..], [(300_000, Asked::Connect | Asked::Address(AddressEndpoint::GatewayBot))]));
    if stage.state() == "awaiting_address" {
        stage.grant_address();
    }
    stage.refuse_connection();
    // 1.4 s within a quarter.
    let told = stage.take_told();
    assert!(matches!(told[..], [(_, Event::Lost { retry_in_ms: 1_050..=1_750, .. })]), "{told:?}");
}

#[test]
fn a_retry_after_of_years_is_an_hour() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    let request = stage.request();
    let body = rate_limited().to_string();
    let answer = auk_gateway::HttpAnswer::Received { status: 429, body, retry_after_ms: Some(86_400_000_000) };
    stage.input(Input::AddressAnswered { request, answer });
    assert_eq!(stage.gateway.poll_timeout().map(|at| at.as_ms()), Some(3_600_000));
}

#[test]
fn a_token_that_lives_no_time_at_all_is_asked_for_within_the_limits() {
    let mut stage = Stage::new();
    let mut requests = 0;
    stage.answer_token(200, json!({ "access_token": "t", "expires_in": "0" }));
    stage.take_asked();
    stage.grant_address();
    stage.play_until(600_000, |stage, at, asked| match asked {
        Asked::Token => {
            requests += 1;
            stage.answer_token(200, json!({ "access_token": format!("t{at}"), "expires_in": "0" }));
        }
        Asked::Address(_) => stage.grant_address(),
        Asked::Connect | Asked::Sent(_) | Asked::Closed(_) => {}
    });
    // 10 at once and one a minute.
    assert!(requests <= 20, "{requests}");
}

#[test]
fn a_401_that_only_says_that_the_token_could_not_be_checked_does_not_cost_the_token() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.take_asked();
    stage.answer_address(401, json!({ "code": 11_242, "message": "ErrorCheckTokenFailed" }));
    assert_eq!(stage.take_asked(), [(0, Asked::Address(AddressEndpoint::Gateway))]);
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
fn close_4004_renews_the_token_and_keeps_the_session() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.take_asked();
    stage.close(Some(4004));
    assert!(stage.take_asked().contains(&(10_000, Asked::Token)));
    stage.grant_token("t2");
    stage.open();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(10_000, Asked::Connect), (10_000, resume("t2", "s1", 1))]);
}

#[test]
fn a_401_of_any_other_call_renews_the_token_and_leaves_the_connection_alone() {
    let mut stage = Stage::ready();
    stage.input(Input::TokenRefused { token: AccessToken::new("t1") });
    assert_eq!(stage.take_asked(), [(0, Asked::Token)]);
    // A second call that failed with the same token asks for nothing more.
    stage.input(Input::TokenRefused { token: AccessToken::new("t1") });
    assert_eq!(stage.take_asked(), []);
    stage.grant_token("t2");
    assert_eq!(stage.gateway.token(auk_gateway::Timestamp::from_ms(0)), Some(&AccessToken::new("t2")));
    assert!(stage.gateway.is_ready());
}

#[test]
fn a_token_is_renewed_once_45_s_before_its_end_and_the_link_stays() {
    let mut stage = Stage::ready();
    stage.live_for(7_154_999);
    assert_eq!(stage.count(|asked| *asked == Asked::Token), 0);
    // Two hours are 7,200 s, less 45 s.
    stage.live_for(1);
    assert_eq!(stage.count(|asked| *asked == Asked::Token), 1);
    assert_eq!(stage.count(|asked| matches!(asked, Asked::Closed(_))), 0);
}

#[test]
fn a_failing_renewal_is_repeated_for_ever_and_never_costs_the_live_link() {
    let mut stage = Stage::ready();
    let mut renewals = 0;
    stage.play_until(8 * 3_600_000, |stage, _, asked| match asked {
        Asked::Token => {
            renewals += 1;
            stage.answer_token(502, json!("<html>"));
        }
        Asked::Sent(_) => stage.frame(json!({ "op": 11 })),
        Asked::Address(_) | Asked::Connect | Asked::Closed(_) => panic!("the link is left alone"),
    });
    // Six hours of failures at one a minute, after a burst of ten.
    assert!((350..=375).contains(&renewals), "{renewals}");
    assert!(stage.gateway.is_ready());
}

#[test]
fn expires_in_is_read_as_number_or_text_and_nonsense_means_a_short_life() {
    // Renewal comes 45 s before the end, for lives under 90 s at half of it.
    for (expires_in, renewal_ms) in [
        (json!("7200"), 7_155_000),
        (json!(7200), 7_155_000),
        (json!(99_999), 7_155_000),
        (json!("75"), 52_500),
        (json!("soon"), 255_000),
        (json!(null), 255_000),
        (json!(-3), 255_000),
    ] {
        let mut stage = Stage::new();
        stage.answer_token(200, json!({ "access_token": "t1", "expires_in": expires_in }));
        stage.grant_address();
        stage.open();
        stage.hello(45_000);
        stage.ready_as("s1");
        stage.take_asked();
        let mut renewal = None;
        stage.play_until(renewal_ms, |stage, at, asked| match asked {
            Asked::Token => renewal = Some(at),
            Asked::Sent(_) => stage.frame(json!({ "op": 11 })),
            Asked::Address(_) | Asked::Connect | Asked::Closed(_) => panic!("the link is left alone"),
        });
        assert_eq!(renewal, Some(renewal_ms), "{expires_in}");
    }
}

#[test]
fn an_http_200_with_an_error_inside_is_no_token() {
    for (body, is_halt) in [
        (json!({ "code": 100_001, "message": "Too many requests" }), false),
        (json!({ "code": 100_002, "message": "internal" }), false),
        (json!({ "access_token": "", "expires_in": "7200" }), false),
        (json!("<html>portal</html>"), false),
        (json!({ "code": 100_016, "message": "invalid appid or secret" }), true),
        (json!({ "code": 100_007, "message": "appid invalid" }), true),
        (json!({ "code": 10_004 }), true),
    ] {
        let mut stage = Stage::new();
        stage.answer_token(200, body.clone());
        let told = stage.take_told();
        let halted = told.iter().any(|(_, event)| matches!(event, Event::Halted { reason: HaltReason::CredentialsRefused, .. }));
        assert_eq!(halted, is_halt, "{body}: {told:?}");
        assert_eq!(stage.state() == "halted", is_halt, "{body}");
    }
}

#[test]
fn refused_credentials_halt_with_advice_and_the_slow_lane_asks_ever_more_rarely() {
    let mut stage = Stage::new();
    let mut requests = Vec::new();
    stage.play_until(3_600_000, |stage, at, asked| {
        assert_eq!(asked, Asked::Token);
        requests.push(at);
        stage.answer_token(200, json!({ "code": 100_016, "message": "invalid appid or secret" }));
        assert_eq!(stage.state(), "halted");
    });
    // 60, 120, 240, 480 s and then 600 s, each within a quarter.
    let waits: Vec<u64> = requests.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(waits.len() >= 7, "{waits:?}");
    for (wait, nominal) in waits.iter().zip([60_000, 120_000, 240_000, 480_000, 600_000, 600_000, 600_000]) {
        assert!((nominal * 3 / 4..=nominal * 5 / 4).contains(wait), "{waits:?}");
    }
    let told = stage.take_told();
    let first = &told[0].1;
    assert!(matches!(first, Event::Halted { repeated: false, detail, .. } if detail.contains("100016")), "{first:?}");
    assert!(told[1..].iter().all(|(_, event)| matches!(event, Event::Halted { repeated: true, .. })), "said once, repeated marked");
}

#[test]
fn a_reload_with_a_good_secret_mends_refused_credentials_at_once() {
    let mut stage = Stage::new();
    stage.answer_token(200, json!({ "code": 100_016 }));
    stage.take_asked();
    stage.run_for(1_000);
    let mut config = auk_gateway_stories::config();
    config.credentials = auk_gateway::Credentials::new("102000001", "right").expect("well formed");
    stage.input(Input::Reload(Box::new(config)));
    assert_eq!(stage.take_asked(), [(1_000, Asked::Token)]);
    stage.begin();
    stage.ready_as("s1");
    assert!(stage.gateway.is_ready());
}

#[test]
fn a_reload_that_changes_the_bot_leaves_the_old_connection_first() {
    let mut stage = Stage::ready();
    let mut config = auk_gateway_stories::config();
    config.credentials = auk_gateway::Credentials::new("102000002", "other").expect("well formed");
    stage.input(Input::Reload(Box::new(config)));
    assert_eq!(stage.take_asked(), [(0, Asked::Closed(1000)), (0, Asked::Token)]);
    assert!(matches!(&stage.take_told()[..], [(0, Event::Lost { cause: LossCause::Reloaded, session_kept: false, .. })]));
}

#[test]
fn a_reload_that_changes_nothing_leaves_a_live_session_alone() {
    let mut stage = Stage::ready();
    stage.input(Input::Reload(Box::new(auk_gateway_stories::config())));
    assert_eq!(stage.take_asked(), []);
    assert!(stage.gateway.is_ready());
}

#[test]
fn a_late_answer_to_an_overtaken_request_changes_nothing() {
    let mut stage = Stage::new();
    let overtaken = stage.request();
    // The first request passes its deadline of 15 s, and the second follows a back-off of 7.5 s within a quarter.
    stage.run_until(15_000 + 9_375);
    assert_eq!(stage.count(|asked| *asked == Asked::Token), 2);
    stage.take_asked();
    let answer = answer(200, &json!({ "access_token": "late", "expires_in": 7200 }));
    stage.input(Input::TokenAnswered { request: overtaken, answer });
    assert_eq!(stage.take_asked(), []);
    assert_eq!(stage.gateway.token(auk_gateway::Timestamp::from_ms(16_250)), None);
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
fn secrets_and_tokens_do_not_print_themselves() {
    let mut stage = Stage::new();
    let config = format!("{:?}", auk_gateway_stories::config());
    stage.grant_token("tok-123");
    stage.grant_address();
    stage.open();
    stage.hello(45_000);
    let token = format!("{:?}", stage.gateway.token(auk_gateway::Timestamp::from_ms(0)));
    assert!(!config.contains("very-secret") && !token.contains("tok-123"), "{config} {token}");
    let input = format!("{:?}", Input::TokenRefused { token: AccessToken::new("tok-123") });
    assert!(!input.contains("tok-123"));
    assert!(!format!("{:?}", answer(200, &json!({ "access_token": "tok-123" }))).contains("tok-123"));
}

#[test]
fn a_token_request_that_nobody_answers_is_told_with_the_time_of_the_next() {
    let mut stage = Stage::new();
    stage.run_until(15_000);
    let told = stage.take_told();
    // `exchange_ms_max` is 15 s; then 7.5 s within a quarter.
    assert!(matches!(&told[..], [(15_000, Event::SetBack { setback: Setback::Token(_), retry_in_ms: 5_625..=9_375 })]), "{told:?}");
}

#[test]
fn a_live_session_whose_credentials_are_refused_at_the_renewal_lives_on_and_says_so() {
    let mut stage = Stage::ready();
    stage.live_for(7_154_999);
    stage.run_for(1);
    stage.take_told();
    stage.answer_token(200, json!({ "code": 100_016 }));
    assert!(stage.gateway.is_ready());
    let told = stage.take_told();
    // The slow lane: a minute within a quarter.
    let expected = |event: &Event| {
        matches!(event, Event::SetBack { setback: Setback::Renewal(HaltReason::CredentialsRefused, _), retry_in_ms: 45_000..=75_000 })
    };
    assert!(matches!(&told[..], [(7_155_000, event)] if expected(event)), "{told:?}");
    // When the token has ended and the link ends too, there is nothing to come back with.
    stage.take_asked();
    stage.play_until(7_200_000, |stage, _, asked| match asked {
        Asked::Sent(_) => stage.frame(json!({ "op": 11 })),
        Asked::Token => stage.answer_token(200, json!({ "code": 100_016 })),
        Asked::Address(_) | Asked::Connect | Asked::Closed(_) => panic!("the link is left alone"),
    });
    stage.take_told();
    stage.close(None);
    assert_eq!(stage.state(), "halted");
    let told = stage.take_told();
    assert!(
        matches!(&told[..], [(_, Event::Lost { retry_in_ms: lost, .. }), (_, Event::Halted { retry_in_ms, .. })] if lost == retry_in_ms && *lost > 0),
        "{told:?}"
    );
}

#[test]
fn a_halt_for_refused_credentials_says_when_it_asks_again() {
    let mut stage = Stage::new();
    stage.answer_token(200, json!({ "code": 100_016 }));
    let told = stage.take_told();
    // A minute within a quarter.
    assert!(matches!(&told[..], [(0, Event::Halted { retry_in_ms: 45_000..=75_000, .. })]), "{told:?}");
}

#[test]
fn a_loss_for_which_no_token_request_is_left_says_how_long_that_takes() {
    let mut stage = Stage::ready();
    stage.live_for(5_000);
    for number in 2..=3 {
        let token = stage.gateway.token(auk_gateway::Timestamp::from_ms(5_000)).cloned().expect("a live session has one");
        stage.input(Input::TokenRefused { token });
        stage.grant_token(&format!("t{number}"));
    }
    stage.take_told();
    // It was authenticated with t1, which is dead, and 4004 says so again; the newest one lives.
    stage.close(Some(4004));
    assert!(matches!(&stage.take_told()[..], [(_, Event::Lost { retry_in_ms: 0, .. })]));
    stage.open();
    stage.hello(45_000);
    stage.close(Some(4004));
    // It was authenticated with t3, so none is left. That attempt backs off first, and then waits for the limit.
    stage.run_for(1_750);
    assert_eq!(stage.state(), "awaiting_token");
    // Three requests at once, the first at 0, then one in 61 s.
    assert_eq!(stage.gateway.poll_timeout().map(|at| at.as_ms()), Some(61_000));
}

#[test]
fn a_live_session_that_loses_its_last_token_says_how_long_the_next_takes() {
    let mut stage = Stage::ready();
    stage.live_for(5_000);
    stage.input(Input::TokenRefused { token: AccessToken::new("t1") });
    stage.grant_token("t2");
    stage.input(Input::TokenRefused { token: AccessToken::new("t2") });
    stage.grant_token("t3");
    stage.input(Input::TokenRefused { token: AccessToken::new("t3") });
    stage.take_told();
    stage.close(None);
    // Three requests at once, the first at 0, then one in 61 s.
    let told = stage.take_told();
    assert!(matches!(&told[..], [(5_000, Event::Lost { retry_in_ms: 56_000, .. })]), "{told:?}");
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
fn a_token_has_an_end_which_other_calls_may_know() {
    let stage = Stage::ready();
    let at = |ms| stage.gateway.token_with_end(auk_gateway::Timestamp::from_ms(ms)).map(|saved| (saved.token, saved.expires.as_ms()));
    // Granted at 0 for two hours.
    assert_eq!(at(7_199_999), Some((AccessToken::new("t1"), 7_200_000)));
    assert_eq!(at(7_200_000), None);
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

/// What the endpoint does with a request.
type Answer = fn(&mut Stage);

/// How long each of five waits for a token is, when the endpoint goes on answering like this.
fn waits_for_a_token(stage: &mut Stage, mut react: impl FnMut(&mut Stage)) -> Vec<u64> {
    let mut waits = Vec::new();
    for _ in 0..5 {
        stage.take_told();
        react(stage);
        let told = stage.take_told();
        let [(_, Event::SetBack { retry_in_ms, .. } | Event::Halted { retry_in_ms, .. })] = told[..] else { panic!("{told:?}") };
        waits.push(retry_in_ms);
        stage.run_for(retry_in_ms);
    }
    waits
}

const MANY: auk_gateway::Rate = auk_gateway::Rate { burst: 100, interval_ms: 60_000 };

#[test]
fn a_token_that_is_dead_and_handed_out_again_is_asked_for_after_waits_that_double_to_a_minute() {
    let mut stage = Stage::with(|config| config.pace.token_requests = MANY);
    stage.grant_token("dead");
    stage.input(Input::TokenRefused { token: AccessToken::new("dead") });
    stage.answer_address(401, json!({ "code": 11_244 }));
    let waits = waits_for_a_token(&mut stage, |stage| stage.grant_token("dead"));
    assert_eq!(waits, [7_500, 15_000, 30_000, 60_000, 60_000]);
}

#[test]
fn a_failing_token_endpoint_is_asked_after_waits_that_double_to_a_minute() {
    let mut stage = Stage::with(|config| config.pace.token_requests = MANY);
    let waits = waits_for_a_token(&mut stage, |stage| stage.answer_token(502, json!({})));
    // Each within a quarter.
    for (wait, nominal) in waits.iter().zip([7_500, 15_000, 30_000, 60_000, 60_000]) {
        assert!((nominal * 3 / 4..=nominal * 5 / 4).contains(wait), "{waits:?}");
    }
}

#[test]
fn a_reload_changes_the_waits_for_a_token() {
    let answers: [Answer; 3] = [
        |stage| stage.answer_token(502, json!({})),
        |stage| stage.answer_token(200, json!({ "code": 100_016 })),
        |stage| stage.grant_token("dead"),
    ];
    for (number, react) in answers.into_iter().enumerate() {
        let mut stage = Stage::new();
        stage.input(Input::TokenRefused { token: AccessToken::new("dead") });
        let mut config = auk_gateway_stories::config();
        config.pace.token_requests = MANY;
        (config.pace.token_backoff_ms_base, config.pace.backoff_ms_max) = (1_000, 2_000);
        (config.pace.slow_lane_ms_base, config.pace.slow_lane_ms_max) = (1_000, 2_000);
        stage.input(Input::Reload(Box::new(config)));
        // A reload trusts every token again.
        stage.input(Input::TokenRefused { token: AccessToken::new("dead") });
        let waits = waits_for_a_token(&mut stage, react);
        // Each within a quarter.
        for (wait, nominal) in waits.iter().zip([1_000, 2_000, 2_000, 2_000, 2_000]) {
            assert!((nominal * 3 / 4..=nominal * 5 / 4).contains(wait), "answer {number}: {waits:?}");
        }
    }
}

#[test]
fn a_reload_begins_the_waits_for_a_token_anew() {
    let answers: [(u64, Answer); 3] = [
        (7_500, |stage| stage.answer_token(502, json!({}))),
        (60_000, |stage| stage.answer_token(200, json!({ "code": 100_016 }))),
        (7_500, |stage| stage.grant_token("dead")),
    ];
    for (nominal, react) in answers {
        let config = || {
            let mut config = auk_gateway_stories::config();
            config.pace.token_requests = MANY;
            Box::new(config)
        };
        let mut stage = Stage::with(|changed| *changed = *config());
        stage.input(Input::TokenRefused { token: AccessToken::new("dead") });
        waits_for_a_token(&mut stage, react);
        stage.input(Input::Reload(config()));
        stage.input(Input::TokenRefused { token: AccessToken::new("dead") });
        let waits = waits_for_a_token(&mut stage, react);
        // The first wait again, within a quarter.
        assert!((nominal * 3 / 4..=nominal * 5 / 4).contains(&waits[0]), "{waits:?}");
    }
}

#[test]
fn a_session_that_is_lost_while_the_slow_lane_asks_for_a_token_waits_for_that_answer() {
    let mut stage = Stage::ready();
    stage.live_for(7_154_999);
    stage.run_for(1);
    stage.answer_token(200, json!({ "code": 100_016 }));
    stage.take_asked();
    // The slow lane asks after a minute within a quarter; the token, of two hours, has ended when it does.
    while stage.count(|asked| *asked == Asked::Token) == 0 {
        stage.frame(json!({ "op": 11 }));
        stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
    }
    assert!(stage.now_ms() >= 7_200_000, "{}", stage.now_ms());
    stage.take_told();
    stage.close(None);
    assert_eq!(stage.state(), "awaiting_token");
    assert!(matches!(stage.take_told()[..], [(_, Event::Lost { retry_in_ms: 0, .. })]));
}

#[test]
fn a_call_before_its_time_changes_nothing() {
    let mut stage = Stage::new();
    stage.gateway.handle_timeout(auk_gateway::Timestamp::from_ms(14_999));
    assert!(stage.gateway.poll_event().is_none());
    stage.run_until(14_999);
    stage.grant_token("t1");
    assert_eq!(stage.state(), "awaiting_address");
}

#[test]
fn a_token_that_nobody_needs_is_not_asked_for() {
    let mut stage = Stage::ready();
    stage.close(Some(4914));
    stage.take_asked();
    stage.input(Input::TokenRefused { token: AccessToken::new("t1") });
    // The slow lane comes after a minute within a quarter.
    stage.run_until(44_999);
    assert_eq!(stage.take_asked(), []);
    stage.run_until(75_000);
    assert_eq!(stage.count(|asked| *asked == Asked::Token), 1);
}

#[test]
fn the_old_token_serves_to_its_end_when_it_cannot_be_renewed() {
    let mut stage = Stage::ready();
    let token = |stage: &Stage| stage.gateway.token(auk_gateway::Timestamp::from_ms(stage.now_ms())).cloned();
    stage.live_for(7_154_999);
    stage.run_for(1);
    stage.answer_token(502, json!({}));
    assert_eq!(token(&stage), Some(AccessToken::new("t1")));
    stage.live_for(44_999);
    assert!(token(&stage).is_some());
    stage.live_for(1);
    assert_ne!(token(&stage), Some(AccessToken::new("t1")));
}

#[test]
fn a_token_that_is_refused_while_it_is_being_renewed_serves_no_longer() {
    let mut stage = Stage::ready();
    stage.live_for(7_154_999);
    stage.run_for(1);
    let token = |stage: &Stage| stage.gateway.token(auk_gateway::Timestamp::from_ms(7_155_000)).cloned();
    stage.input(Input::TokenRefused { token: AccessToken::new("another") });
    assert_eq!(token(&stage), Some(AccessToken::new("t1")));
    stage.input(Input::TokenRefused { token: AccessToken::new("t1") });
    assert_eq!(token(&stage), None);
}

/// Whether a token that the endpoint hands out at `at_ms`, in answer to the request that is then under way, is used.
fn is_trusted(stage: &mut Stage, token: &str, at_ms: u64) -> bool {
    stage.run_until(at_ms);
    while stage.count(|asked| *asked == Asked::Token) == 0 {
        stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
    }
    stage.take_asked();
    stage.grant_token(token);
    stage.gateway.token(auk_gateway::Timestamp::from_ms(stage.now_ms())).is_some()
}

fn refuse(stage: &mut Stage, token: &str) {
    stage.input(Input::TokenRefused { token: AccessToken::new(token) });
}

#[test]
fn another_refusal_does_not_lengthen_the_ten_minutes_of_the_first() {
    let mut stage = Stage::with(|config| config.pace.exchange_ms_max = 3_600_000);
    refuse(&mut stage, "dead");
    stage.run_until(300_000);
    refuse(&mut stage, "dead");
    assert!(is_trusted(&mut stage, "dead", 600_000));
    let mut stage = Stage::with(|config| config.pace.exchange_ms_max = 3_600_000);
    refuse(&mut stage, "dead");
    assert!(!is_trusted(&mut stage, "dead", 599_999));
}

#[test]
fn eight_refused_tokens_are_remembered() {
    for (token, is_forgotten) in [("1", true), ("2", false), ("9", false)] {
        let mut stage = Stage::new();
        for number in 1..=9 {
            refuse(&mut stage, &number.to_string());
        }
        assert_eq!(is_trusted(&mut stage, token, 0), is_forgotten, "{token}");
    }
}

#[test]
fn a_loss_while_the_last_token_request_is_under_way_says_that_nothing_is_waited_for() {
    let mut stage = Stage::ready();
    stage.live_for(5_000);
    refuse(&mut stage, "t1");
    stage.grant_token("t2");
    refuse(&mut stage, "t2");
    stage.take_told();
    stage.close(None);
    let told = stage.take_told();
    assert!(matches!(&told[..], [(5_000, Event::Lost { retry_in_ms: 0, .. })]), "{told:?}");
}

#[test]
fn a_token_that_comes_back_at_its_renewal_is_renewed_again_after_three_quarters_of_what_is_left() {
    // Not before five seconds, however little is left.
    for (left_s, wait_ms) in [(40, 30_000), (4, 5_000)] {
        let mut stage = Stage::ready();
        stage.live_for(7_154_999);
        stage.run_for(1);
        stage.answer_token(200, json!({ "access_token": "t1", "expires_in": left_s }));
        stage.take_asked();
        stage.live_for(wait_ms - 1);
        assert_eq!(stage.count(|asked| *asked == Asked::Token), 0, "{left_s}");
        stage.live_for(1);
        assert_eq!(stage.count(|asked| *asked == Asked::Token), 1, "{left_s}");
    }
}

#[test]
fn a_token_of_one_second_is_renewed_at_its_end() {
    // One that says it lives no time at all is taken for such a one.
    for expires_in in [0, 1] {
        let mut stage = Stage::new();
        stage.answer_token(200, json!({ "access_token": "t1", "expires_in": expires_in }));
        stage.take_asked();
        stage.run_until(999);
        assert_eq!(stage.take_asked(), []);
        stage.run_until(1_000);
        assert_eq!(stage.take_asked(), [(1_000, Asked::Token)]);
        assert_eq!(stage.gateway.token(auk_gateway::Timestamp::from_ms(1_000)), None);
    }
}

/// A gateway whose credentials were refused, at the moment at which the slow lane asks again.
fn in_the_slow_lane() -> Stage {
    let mut stage = Stage::new();
    stage.answer_token(200, json!({ "code": 100_016 }));
    stage.take_asked();
    while stage.count(|asked| *asked == Asked::Token) == 0 {
        stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
    }
    stage.take_asked();
    stage.take_told();
    stage
}

#[test]
fn trouble_of_the_endpoint_in_the_slow_lane_is_no_refusal_of_the_credentials() {
    for body in [json!({ "code": 100_001 }), json!({ "code": 100_002 })] {
        let mut stage = in_the_slow_lane();
        stage.answer_token(200, body);
        assert_eq!(stage.state(), "awaiting_token");
        assert!(matches!(&stage.take_told()[..], [(_, Event::SetBack { setback: Setback::Token(_), .. })]));
    }
}

#[test]
fn refused_credentials_that_were_mended_are_not_told_again() {
    let mut stage = in_the_slow_lane();
    stage.begin();
    stage.ready_as("s1");
    stage.live_for(5_000);
    // Until the limit of requests holds the next one back.
    refuse(&mut stage, "t1");
    while stage.count(|asked| *asked == Asked::Token) > 0 {
        stage.take_asked();
        let token = format!("t-{}", stage.now_ms());
        stage.grant_token(&token);
        stage.run_for(1);
        refuse(&mut stage, &token);
    }
    stage.take_told();
    stage.close(None);
    assert_eq!(stage.state(), "awaiting_token");
    assert!(matches!(stage.take_told()[..], [(_, Event::Lost { retry_in_ms: 1.., .. })]));
}

#[test]
fn a_granted_token_begins_the_waits_for_the_next_anew() {
    let answers: [(u64, Answer); 3] = [
        (7_500, |stage| stage.answer_token(502, json!({}))),
        (60_000, |stage| stage.answer_token(200, json!({ "code": 100_016 }))),
        (7_500, |stage| stage.grant_token("dead")),
    ];
    for (nominal, react) in answers {
        let mut stage = Stage::with(|config| config.pace.token_requests = MANY);
        refuse(&mut stage, "dead");
        waits_for_a_token(&mut stage, react);
        stage.grant_token("t1");
        refuse(&mut stage, "t1");
        refuse(&mut stage, "dead");
        stage.answer_address(401, json!({ "code": 11_244 }));
        let waits = waits_for_a_token(&mut stage, react);
        // The first wait again, within a quarter.
        assert!((nominal * 3 / 4..=nominal * 5 / 4).contains(&waits[0]), "{waits:?}");
    }
}

#[test]
fn a_token_endpoint_that_is_called_too_often_is_left_alone_for_a_minute_or_as_long_as_it_says() {
    for (retry_after_ms, wait_ms) in [(None, 60_000), (Some(1_000), 60_000), (Some(300_000), 300_000)] {
        let mut stage = Stage::new();
        stage.take_asked();
        let body = json!({ "code": 100_001 }).to_string();
        let answer = auk_gateway::HttpAnswer::Received { status: 200, body, retry_after_ms };
        stage.input(Input::TokenAnswered { request: stage.request(), answer });
        assert!(matches!(&stage.take_told()[..], [(0, Event::SetBack { retry_in_ms, .. })] if *retry_in_ms == wait_ms));
        stage.run_until(wait_ms - 1);
        assert_eq!(stage.take_asked(), []);
        stage.run_until(wait_ms);
        assert_eq!(stage.take_asked(), [(wait_ms, Asked::Token)]);
    }
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
    config.pace.look_ups = MANY;
    stage.input(Input::Reload(Box::new(config)));
    stage.take_asked();
    stage.grant_token("t2");
    assert_eq!(stage.take_asked(), [(0, Asked::Address(AddressEndpoint::GatewayBot))]);
}

#[test]
fn a_token_that_is_empty_or_comes_with_a_failure_is_none() {
    for (status, token) in [(200, ""), (199, "t1"), (300, "t1"), (500, "t1")] {
        let mut stage = Stage::new();
        stage.answer_token(status, json!({ "access_token": token, "expires_in": 7_200 }));
        assert_eq!(stage.state(), "awaiting_token", "HTTP {status}, {token:?}");
        assert!(matches!(stage.take_told()[..], [(0, Event::SetBack { setback: Setback::Token(_), .. })]));
    }
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

#[test]
fn credentials_that_cannot_be_right_are_refused_by_name() {
    use auk_gateway::{Credentials, CredentialsError};
    for (app_id, secret, error) in [
        ("", "secret", CredentialsError::AppIdMissing),
        ("102 000001", "secret", CredentialsError::AppIdMalformed),
        ("102000001", "", CredentialsError::SecretMissing),
        ("102000001", "sec ret", CredentialsError::SecretMalformed),
        ("102000001", "secret\u{7}", CredentialsError::SecretMalformed),
    ] {
        assert_eq!(Credentials::new(app_id, secret).err(), Some(error), "{app_id:?}, {secret:?}");
    }
    let credentials = Credentials::new("102000001", "a/+=&\"b").expect("both are well formed");
    let body: serde_json::Value = serde_json::from_str(&credentials.token_request_body()).expect("it is JSON");
    assert_eq!(body, json!({ "appId": "102000001", "clientSecret": "a/+=&\"b" }));
}

/// A live session whose token is being renewed.
fn renewing() -> Stage {
    let mut stage = Stage::ready();
    // Two hours less 45 s.
    stage.live_for(7_154_999);
    stage.run_for(1);
    stage.take_told();
    stage
}

#[test]
fn a_renewal_is_told_only_when_one_before_it_had_failed_on_the_live_session() {
    let mut stage = renewing();
    stage.grant_token("t2");
    assert!(stage.take_told().is_empty());
    let failures: [Answer; 2] = [|stage| stage.answer_token(502, json!({})), |stage| stage.answer_token(200, json!({ "code": 100_016 }))];
    for failure in failures {
        let mut stage = renewing();
        stage.take_asked();
        failure(&mut stage);
        while stage.count(|asked| *asked == Asked::Token) == 0 {
            stage.frame(json!({ "op": 11 }));
            stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        }
        stage.take_told();
        stage.grant_token("t2");
        assert!(matches!(stage.take_told()[..], [(_, Event::Renewed)]));
        // Once.
        refuse(&mut stage, "t2");
        stage.grant_token("t3");
        assert!(stage.take_told().is_empty());
    }
    // Where no session is live, the next one tells enough.
    let mut stage = renewing();
    stage.answer_token(502, json!({}));
    stage.close(None);
    stage.take_asked();
    while stage.count(|asked| *asked == Asked::Token) == 0 {
        stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
    }
    stage.take_told();
    stage.grant_token("t2");
    assert!(!stage.take_told().iter().any(|(_, event)| matches!(event, Event::Renewed)));
}

#[test]
fn a_renewal_that_is_answered_while_the_address_is_looked_up_is_taken_and_the_look_up_goes_on() {
    let mut stage = Stage::ready();
    // 45 s before its end the token is renewed; the endpoint takes its time.
    stage.play_until(7_155_000, |stage, _, asked| match asked {
        Asked::Sent(_) => stage.frame(json!({ "op": 11 })),
        Asked::Token | Asked::Address(_) | Asked::Connect | Asked::Closed(_) => {}
    });
    let renewal = stage.request();
    stage.close(None);
    // Two connect failures make the address doubtful: at once, and after 1.4 s within a quarter.
    while stage.state() != "awaiting_address" {
        if stage.state() == "connecting" {
            stage.refuse_connection();
        }
        stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
    }
    let answer = answer(200, &json!({ "access_token": "t2", "expires_in": 7_200 }));
    stage.input(Input::TokenAnswered { request: renewal, answer });
    assert_eq!(stage.state(), "awaiting_address");
    let token = stage.gateway.token(auk_gateway::Timestamp::from_ms(stage.now_ms())).map(auk_gateway::AccessToken::expose);
    assert_eq!(token, Some("t2"));
}
