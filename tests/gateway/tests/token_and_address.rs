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
    // At once, then after 1 s; the second failure waits 2 s within a quarter.
    stage.refuse_connection();
    stage.run_for(1_250);
    stage.refuse_connection();
    stage.take_asked();
    stage.input(Input::Reload(Box::new(auk_gateway_stories::config())));
    assert_eq!(stage.take_asked(), [(11_250, Asked::Address(AddressEndpoint::GatewayBot))]);
    stage.grant_address();
    stage.take_told();
    stage.refuse_connection();
    let told = stage.take_told();
    assert!(matches!(told[..], [(_, Event::Lost { retry_in_ms: 750..=1_250, .. })]), "{told:?}");
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
    stage.run_for(1_250);
    stage.refuse_connection();
    stage.run_for(2_500);
    assert!(stage.take_asked().iter().any(|(_, asked)| matches!(asked, Asked::Address(_))));
    stage.answer_address(RATE_LIMITED, rate_limited());
    assert!(stage.take_asked().iter().any(|(_, asked)| *asked == Asked::Connect), "the old address is used");
    stage.open();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(13_750, resume("t1", "s1", 1))]);
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
        (json!("75"), 37_500),
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
    // The first request passes its deadline of 15 s, and the second follows a back-off of 1 s within a quarter.
    stage.run_until(16_250);
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
