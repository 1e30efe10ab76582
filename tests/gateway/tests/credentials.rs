//! Credentials, who they belong to, and what the platform refuses for their sake.

use auk_gateway::{AccessToken, Event, HaltReason, Input, LossCause, Setback};
use auk_gateway_stories::{Asked, Stage, answer};
use serde_json::json;

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
    stage.refuse_token("t1");
    while stage.count(|asked| *asked == Asked::Token) > 0 {
        stage.take_asked();
        let token = format!("t-{}", stage.now_ms());
        stage.grant_token(&token);
        stage.run_for(1);
        stage.refuse_token(&token);
    }
    stage.take_told();
    stage.close(None);
    assert_eq!(stage.state(), "awaiting_token");
    assert!(matches!(stage.take_told()[..], [(_, Event::Lost { retry_in_ms: 1.., .. })]));
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
