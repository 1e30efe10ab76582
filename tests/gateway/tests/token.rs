//! Tokens: granted, renewed, refused, and handed out again.

use auk_gateway::{AccessToken, AddressEndpoint, Event, HaltReason, Input, Setback};
use auk_gateway_stories::{Asked, Stage, answer, resume};
use serde_json::json;

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
fn a_reload_trusts_a_refused_token_again() {
    let mut stage = Stage::ready();
    stage.refuse_token("t1");
    stage.grant_token("t1");
    assert_eq!(stage.gateway.token(auk_gateway::Timestamp::from_ms(0)), None);
    stage.input(Input::Reload(Box::new(auk_gateway_stories::config())));
    stage.run_for(1);
    stage.grant_token("t1");
    assert!(stage.gateway.token(auk_gateway::Timestamp::from_ms(1)).is_some());
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
    stage.refuse_token("t1");
    assert_eq!(stage.take_asked(), [(0, Asked::Token)]);
    // A second call that failed with the same token asks for nothing more.
    stage.refuse_token("t1");
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
fn a_token_request_that_nobody_answers_is_told_with_the_time_of_the_next() {
    let mut stage = Stage::new();
    stage.run_until(15_000);
    let told = stage.take_told();
    // `exchange_ms_max` is 15 s; then 7.5 s within a quarter.
    assert!(matches!(&told[..], [(15_000, Event::SetBack { setback: Setback::Token(_), retry_in_ms: 5_625..=9_375 })]), "{told:?}");
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
    stage.refuse_token("t1");
    stage.grant_token("t2");
    stage.refuse_token("t2");
    stage.grant_token("t3");
    stage.refuse_token("t3");
    stage.take_told();
    stage.close(None);
    // Three requests at once, the first at 0, then one in 61 s.
    let told = stage.take_told();
    assert!(matches!(&told[..], [(5_000, Event::Lost { retry_in_ms: 56_000, .. })]), "{told:?}");
}

#[test]
fn a_token_has_an_end_which_other_calls_may_know() {
    let stage = Stage::ready();
    let at = |ms| stage.gateway.token_with_end(auk_gateway::Timestamp::from_ms(ms)).map(|saved| (saved.token, saved.expires.as_ms()));
    // Granted at 0 for two hours.
    assert_eq!(at(7_199_999), Some((AccessToken::new("t1"), 7_200_000)));
    assert_eq!(at(7_200_000), None);
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
    stage.refuse_token("dead");
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
        stage.refuse_token("dead");
        let mut config = auk_gateway_stories::config();
        config.pace.token_requests = MANY;
        (config.pace.token_backoff_ms_base, config.pace.backoff_ms_max) = (1_000, 2_000);
        (config.pace.slow_lane_ms_base, config.pace.slow_lane_ms_max) = (1_000, 2_000);
        stage.input(Input::Reload(Box::new(config)));
        // A reload trusts every token again.
        stage.refuse_token("dead");
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
        stage.refuse_token("dead");
        waits_for_a_token(&mut stage, react);
        stage.input(Input::Reload(config()));
        stage.refuse_token("dead");
        let waits = waits_for_a_token(&mut stage, react);
        // The first wait again, within a quarter.
        assert!((nominal * 3 / 4..=nominal * 5 / 4).contains(&waits[0]), "{waits:?}");
    }
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
    stage.refuse_token("t1");
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
    stage.refuse_token("another");
    assert_eq!(token(&stage), Some(AccessToken::new("t1")));
    stage.refuse_token("t1");
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

#[test]
fn a_refusal_at_a_call_counts_for_two_minutes_and_another_does_not_lengthen_them() {
    let mut stage = Stage::with(|config| config.pace.exchange_ms_max = 3_600_000);
    stage.refuse_token("doubtful");
    stage.run_until(60_000);
    stage.refuse_token("doubtful");
    assert!(is_trusted(&mut stage, "doubtful", 120_000));
    let mut stage = Stage::with(|config| config.pace.exchange_ms_max = 3_600_000);
    stage.refuse_token("doubtful");
    assert!(!is_trusted(&mut stage, "doubtful", 119_999));
}

#[test]
fn a_refusal_on_the_way_counts_for_ten_minutes_though_a_call_was_refused_first() {
    for (at_ms, trusted) in [(599_999, false), (600_000, true)] {
        let mut stage = Stage::with(|config| config.pace.exchange_ms_max = 3_600_000);
        stage.grant_token("dead");
        stage.refuse_token("dead");
        stage.run_until(60_000);
        stage.answer_address(401, json!({ "code": 11_244 }));
        assert_eq!(is_trusted(&mut stage, "dead", at_ms), trusted, "{at_ms}");
    }
}

#[test]
fn eight_refused_tokens_are_remembered() {
    for (token, is_forgotten) in [("1", true), ("2", false), ("9", false)] {
        let mut stage = Stage::new();
        for number in 1..=9 {
            stage.refuse_token(&number.to_string());
        }
        assert_eq!(is_trusted(&mut stage, token, 0), is_forgotten, "{token}");
    }
}

#[test]
fn a_loss_while_the_last_token_request_is_under_way_says_that_nothing_is_waited_for() {
    let mut stage = Stage::ready();
    stage.live_for(5_000);
    stage.refuse_token("t1");
    stage.grant_token("t2");
    stage.refuse_token("t2");
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

#[test]
fn a_granted_token_begins_the_waits_for_the_next_anew() {
    let answers: [(u64, Answer); 3] = [
        (7_500, |stage| stage.answer_token(502, json!({}))),
        (60_000, |stage| stage.answer_token(200, json!({ "code": 100_016 }))),
        (7_500, |stage| stage.grant_token("dead")),
    ];
    for (nominal, react) in answers {
        let mut stage = Stage::with(|config| config.pace.token_requests = MANY);
        stage.refuse_token("dead");
        waits_for_a_token(&mut stage, react);
        stage.grant_token("t1");
        stage.refuse_token("t1");
        stage.refuse_token("dead");
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
fn a_token_that_is_empty_or_comes_with_a_failure_is_none() {
    for (status, token) in [(200, ""), (199, "t1"), (300, "t1"), (500, "t1")] {
        let mut stage = Stage::new();
        stage.answer_token(status, json!({ "access_token": token, "expires_in": 7_200 }));
        assert_eq!(stage.state(), "awaiting_token", "HTTP {status}, {token:?}");
        assert!(matches!(stage.take_told()[..], [(0, Event::SetBack { setback: Setback::Token(_), .. })]));
    }
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
        stage.refuse_token("t2");
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
