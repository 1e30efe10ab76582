//! F4: tokens, and what passes for one.

use auk_gateway::{Event, HaltReason, HttpAnswer, Input, Language, Timestamp};
use auk_gateway_stories::{Asked, Stage};
use auk_runtime::log::Level;
use serde_json::json;

use crate::rig::{Platform, Rig, SEEDS, START, gaps, reset};

/// Tokens live for 8 s; from the first renewal on, the endpoint fails so often.
fn short_lives(failures: usize) -> impl FnMut(&mut Platform, &mut Stage, &Asked) {
    let mut requests = 0;
    move |platform, stage, asked| {
        if *asked != Asked::Token {
            return platform.answer(stage, asked);
        }
        requests += 1;
        if (2..2 + failures).contains(&requests) {
            stage.answer_token(503, json!("<html>"));
        } else {
            platform.grant_token(stage, json!(8));
        }
    }
}

#[test]
fn s14a_ten_failed_renewals_leave_the_link_alone_and_are_followed_by_the_eleventh() {
    for seed in SEEDS {
        let mut rig = Rig::new(seed, |_| {});
        rig.play_for_with(60_000, short_lives(10));
        let requests = rig.token_requests(START);
        assert!(requests.len() > 12, "{requests:?}");
        assert!(gaps(&requests).iter().all(|gap| (100..=6_000).contains(gap)), "{requests:?}");
        let [connection] = &rig.connections()[..] else { panic!("the link is left alone") };
        assert_eq!(connection.closed, None);
        let beats: Vec<u64> = connection.beats().into_iter().map(|(at, _)| at).collect();
        assert!(gaps(&beats).iter().all(|gap| *gap == 2_000), "{beats:?}");
        // READY, and one set-back for each failure.
        let set_backs = rig.told_since(START).into_iter().filter(|event| matches!(event, Event::SetBack { .. })).count();
        // Ten failures, the first READY, and that renewing works again.
        assert_eq!((set_backs, rig.told.len()), (10, 12));
        // One line says that the bot is connected, and one more that renewing fails.
        assert!(matches!(&rig.lines()[..], [(0, _), (5_600, warning), ..] if warning.level == Level::Warn), "{:?}", rig.lines());
        rig.ends_online();
    }
}

#[test]
fn s14a_the_end_of_failing_renewals_is_said() {
    let mut rig = Rig::new(0, |_| {});
    rig.play_for_with(60_000, short_lives(10));
    let granted = rig.token_requests(START)[11];
    assert!(rig.lines().iter().any(|(at, _)| *at == granted), "{:?}", rig.lines());
}

#[test]
fn s14b_a_link_that_is_reset_while_renewals_fail_comes_back_with_a_live_token() {
    // At the third failure the old token lives on for a while; at the seventh it is gone.
    for (seed, at_failure) in SEEDS.flat_map(|seed| [3, 7].map(|at_failure| (seed, at_failure))) {
        let mut rig = Rig::new(seed, |_| {});
        let (mut script, mut requests, mut works_again) = (short_lives(10), 0, 0);
        rig.play_for_with(60_000, |platform, stage, asked| {
            script(platform, stage, asked);
            requests += usize::from(*asked == Asked::Token);
            if *asked == Asked::Token && requests == 1 + at_failure {
                reset(stage);
            }
            if *asked == Asked::Token && requests == 12 {
                works_again = stage.now_ms();
            }
        });
        let requests = rig.token_requests(START);
        assert!(gaps(&requests).iter().all(|gap| (100..=6_000).contains(gap)), "{requests:?}");
        let online = rig.online_at(START);
        assert!(online.len() == 2 && online[1] <= works_again + 7_000, "{online:?}, {works_again}");
        // No authentication with an expired token: that is among the invariants.
        rig.ends_online();
    }
}

/// What the endpoint answers as `expires_in`, in the words of the wire; nothing when the field is absent.
const LIVES: [(Option<&str>, usize); 15] = [
    (Some(r#""7200""#), 3),
    (Some("7200"), 3),
    (Some(r#""60""#), 3),
    (Some("60"), 3),
    (Some("59"), 10),
    (Some("5"), 10),
    (Some("1"), 10),
    (Some("0"), 10),
    (Some("-5"), 10),
    (Some("7200.5"), 3),
    (Some(r#""""#), 10),
    (Some(r#""abc""#), 10),
    (Some("null"), 10),
    (None, 10),
    (Some("1e12"), 3),
];

#[test]
fn s15_any_expires_in_leads_to_a_session_and_to_few_requests() {
    for ((life, requests_max), is_same) in LIVES.into_iter().flat_map(|row| [true, false].map(|is_same| (row, is_same))) {
        let mut rig = Rig::new(0, |_| {});
        let mut granted = 0;
        rig.play_for_with(20_000, |platform, stage, asked| {
            if *asked != Asked::Token {
                return platform.answer(stage, asked);
            }
            granted += usize::from(granted == 0 || !is_same);
            let token = format!("CANARY-{granted}");
            platform.note_token(&token, u64::MAX);
            let field = life.map(|life| format!(r#","expires_in":{life}"#)).unwrap_or_default();
            let body = format!(r#"{{"access_token":"{token}"{field}}}"#);
            let answer = HttpAnswer::Received { status: 200, body, retry_after_ms: None };
            stage.input(Input::TokenAnswered { request: stage.request(), answer });
            // What other calls carry is the newest.
            let now = Timestamp::from_ms(stage.now_ms());
            assert_eq!(stage.gateway.token(now).map(auk_gateway::AccessToken::expose), Some(token.as_str()), "{life:?}");
        });
        assert_eq!(rig.online_at(START), [0], "{life:?}");
        let requests = rig.token_requests(START);
        assert!(requests.len() <= requests_max, "{life:?}, same {is_same}: {requests:?}");
        rig.ends_online();
    }
}

/// Hands the same token out with its remaining seconds until its last six, then a new one of 30 s.
#[derive(Default)]
struct LastSixSeconds {
    number: u64,
    expires: u64,
}

impl LastSixSeconds {
    fn answer(&mut self, platform: &mut Platform, stage: &mut Stage, asked: &Asked) {
        if *asked != Asked::Token {
            return platform.answer(stage, asked);
        }
        let now = stage.now_ms();
        if self.expires <= now + 6_000 {
            (self.number, self.expires) = (self.number + 1, now + 30_000);
        }
        let token = format!("CANARY-{}", self.number);
        platform.note_token(&token, self.expires);
        stage.answer_token(200, json!({ "access_token": token, "expires_in": (self.expires - now) / 1_000 }));
    }
}

#[test]
fn s15_a_platform_with_lives_of_30_s_never_sees_an_expired_token() {
    for seed in SEEDS {
        let mut rig = Rig::new(seed, |_| {});
        let mut endpoint = LastSixSeconds::default();
        // A new connection every second shows the token that is used.
        for _ in 0..90 {
            rig.play_for_with(1_000, |platform, stage, asked| endpoint.answer(platform, stage, asked));
            rig.stage.frame(json!({ "op": 7 }));
        }
        rig.play_for_with(0, |platform, stage, asked| endpoint.answer(platform, stage, asked));
        assert_eq!(rig.sent(START, 6).len(), 90);
        rig.keeps_the_invariants();
    }
}

#[test]
fn s15_a_platform_with_lives_of_30_s_is_asked_nine_times_in_90_s_at_most() {
    let mut rig = Rig::new(0, |_| {});
    let mut endpoint = LastSixSeconds::default();
    rig.play_for_with(90_000, |platform, stage, asked| endpoint.answer(platform, stage, asked));
    let requests = rig.token_requests(START);
    assert!(requests.len() <= 9, "{requests:?}");
}

#[test]
fn s15_a_back_off_base_of_zero_is_still_a_back_off() {
    for seed in SEEDS {
        let mut rig = Rig::new(seed, |config| config.pace.backoff_ms_base = 0);
        rig.play_for_with(30_000, |platform, stage, asked| match asked {
            Asked::Connect => stage.refuse_connection(),
            Asked::Token | Asked::Address(_) | Asked::Sent(_) | Asked::Closed(_) => platform.answer(stage, asked),
        });
        let attempts = rig.connects(START);
        assert!(attempts.len() <= 14, "{attempts:?}");
    }
}

/// The endpoint says this in place of a token, with status 200.
fn say(stage: &mut Stage, body: &str) {
    let answer = HttpAnswer::Received { status: 200, body: body.to_owned(), retry_after_ms: None };
    stage.input(Input::TokenAnswered { request: stage.request(), answer });
}

#[test]
fn s17_five_answers_without_a_token_are_followed_by_a_session_as_soon_as_there_is_one() {
    for body in
        [r#"{"code":100002,"message":"canary-body"}"#, "{}", "", r#"{"access_token":"","expires_in":"7200"}"#, "<html>canary-body</html>"]
    {
        for seed in SEEDS {
            let rig = five_times(seed, body);
            let requests = rig.token_requests(START);
            // 0.25 s doubled to 4 s, each within a quarter: no wait is shorter than the one before it.
            assert!(gaps(&requests).is_sorted(), "{body}: {requests:?}");
        }
    }
}

#[test]
fn s17_too_many_requests_are_waited_out_evenly() {
    for seed in SEEDS {
        let rig = five_times(seed, r#"{"code":100001,"message":"canary-body"}"#);
        assert_eq!(gaps(&rig.token_requests(START)), [1_000; 5]);
    }
}

/// Five of these, then a good token, and READY with it.
fn five_times(seed: u64, body: &str) -> Rig {
    let mut rig = Rig::new(seed, |_| {});
    let mut left = 5;
    rig.play_for_with(30_000, |platform, stage, asked| {
        if *asked == Asked::Token && left > 0 {
            left -= 1;
            say(stage, body);
        } else {
            platform.answer(stage, asked);
        }
    });
    let requests = rig.token_requests(START);
    assert_eq!(requests.len(), 6, "{body}: {requests:?}");
    assert_eq!(rig.online_at(START), requests[5..], "{body}");
    quotes_no_body(&rig);
    rig.ends_online();
    rig
}

/// Log lines have the answer's numbers, never its words.
fn quotes_no_body(rig: &Rig) {
    let lines = rig.lines();
    assert!(lines.iter().all(|(_, line)| !line.to_string().contains("canary-body")), "{lines:?}");
}

#[test]
fn s17_refused_credentials_are_asked_about_in_the_slow_lane_and_named() {
    for (seed, code) in SEEDS.flat_map(|seed| [100_016, 100_007].map(|code| (seed, code))) {
        let mut rig = Rig::new(seed, |_| {});
        rig.play_for_with(20_000, |platform, stage, asked| {
            if *asked == Asked::Token {
                say(stage, &json!({ "code": code, "message": "canary-body" }).to_string());
                names_the_credentials(stage);
            } else {
                platform.answer(stage, asked);
            }
        });
        assert!(rig.token_requests(START).len() <= 8);
        let told = rig.told_since(START);
        let names = |event: &&Event| matches!(event, Event::Halted { detail, .. } if detail.contains(&code.to_string()));
        assert!(told.iter().all(names), "{told:?}");
        quotes_no_body(&rig);
        let (repaired, mark) = (rig.stage.now_ms(), rig.mark());
        rig.play_for(9_000);
        let online = rig.online_at(mark);
        assert!(online[0] <= repaired + 9_000, "{online:?}");
        rig.ends_online();
    }
}

fn names_the_credentials(stage: &Stage) {
    let status = stage.gateway.status(Language::EnUs, Timestamp::from_ms(stage.now_ms()));
    let halt = status.halt.expect("it says why it only tries in the slow lane");
    assert_eq!((halt.reason, halt.advice), ("credentials_refused", HaltReason::CredentialsRefused.advice(Language::EnUs)));
}
