//! F3: how often, and how soon.

use auk_gateway::{
    AccessToken, AddressEndpoint, ConnId, ConnectFailure, Effect, Event, Gateway, HttpAnswer, HttpFailure, Input, Language, RequestId,
    Setback, Timestamp,
};
use auk_gateway_stories::{Asked, HEARTBEAT_MS, Stage, answer, config, profile, resume};
use serde_json::{Value, json};

use crate::rig::{Platform, Rig, SEEDS, START, gaps, op, reset};

fn rate_limited() -> Value {
    json!({ "message": "接口调用超过频率限制", "code": 100_017 })
}

/// Thirty seconds in which every connection says Hello, op 9 in answer to the Identify, and closes with 4903.
fn sessions_cannot_be_created(seed: u64) -> Rig {
    let mut rig = Rig::new(seed, |_| {});
    rig.play_for_with(30_000, |platform, stage, asked| {
        if op(asked) == Some(2) {
            stage.run_for(20);
            stage.frame(json!({ "op": 9, "d": false }));
            stage.run_for(20);
            stage.close(Some(4903));
        } else {
            platform.answer(stage, asked);
        }
    });
    rig
}

#[test]
fn s09_op_9_and_the_4903_behind_it_make_one_next_attempt() {
    for seed in SEEDS {
        let mut rig = sessions_cannot_be_created(seed);
        let attempts = rig.connects(START);
        assert!((5..=14).contains(&attempts.len()), "{attempts:?}");
        // 0.5, 1, 2 and 4 s and up to a quarter of them, up to the fifth refusal.
        let gaps = gaps(&attempts);
        assert!(gaps[..4].is_sorted() && gaps.iter().all(|gap| *gap >= 100), "{gaps:?}");
        assert!(rig.token_requests(START).len() <= 3 && rig.look_ups(START).len() <= 3);
        assert!(rig.lines().len() <= 3 * attempts.len());
        rig.keeps_the_invariants();
        let (repaired, mark) = (rig.stage.now_ms(), rig.mark());
        rig.play_for(9_000);
        // Five refusals in a row lead to the slow lane (S20), whose longest wait is 8 s.
        let online = rig.online_at(mark);
        assert!(online[0] <= repaired + 8_000, "{online:?}");
        rig.ends_online();
    }
}

#[test]
fn s09_the_waits_between_refused_identifies_stay_at_the_cap_once_they_have_come_to_it() {
    for seed in SEEDS {
        let gaps = gaps(&sessions_cannot_be_created(seed).connects(START));
        // The cap is 4 s within a quarter.
        assert!(gaps[3..].iter().all(|gap| *gap >= 3_000), "{gaps:?}");
    }
}

#[test]
fn s10a_ten_planned_cuts_in_20_s_do_without_the_address_call() {
    for seed in SEEDS {
        let mut rig = Rig::new(seed, |_| {});
        let whole = rig.mark();
        let mut served = Vec::new();
        let mut twice_in_20_s = |platform: &mut Platform, stage: &mut Stage, asked: &Asked| {
            let now = stage.now_ms();
            served.retain(|at| now - at < 20_000);
            if matches!(asked, Asked::Address(_)) && served.len() == 2 {
                return stage.answer_address(400, rate_limited());
            }
            served.extend(matches!(asked, Asked::Address(_)).then_some(now));
            platform.answer(stage, asked);
        };
        for cut in 0..10 {
            rig.play_for_with(2_000, &mut twice_in_20_s);
            if cut % 2 == 0 {
                rig.stage.frame(json!({ "op": 7 }));
            } else {
                rig.stage.close(Some(4009));
            }
        }
        rig.play_for_with(0, &mut twice_in_20_s);
        assert!(rig.look_ups(whole).len() <= 2);
        let resumed = rig.told_since(whole).into_iter().filter(|event| matches!(event, Event::Resumed { .. })).count();
        assert_eq!((resumed, rig.sent(whole, 6).len(), rig.sent(whole, 2).len()), (10, 10, 1));
        rig.ends_online();
    }
}

/// A cold start while the address call is refused as too frequent for 15 s.
fn start_rate_limited(seed: u64, retry_after_ms: Option<u64>) -> Rig {
    let mut rig = Rig::new(seed, |_| {});
    rig.play_for_with(30_000, |platform, stage, asked| {
        if matches!(asked, Asked::Address(_)) && stage.now_ms() < 15_000 {
            let (request, body) = (stage.request(), rate_limited().to_string());
            let answer = HttpAnswer::Received { status: 400, body, retry_after_ms };
            stage.input(Input::AddressAnswered { request, answer });
        } else {
            platform.answer(stage, asked);
        }
    });
    rig
}

#[test]
fn s10b_a_cold_start_that_is_refused_as_too_frequent_asks_ever_more_rarely_and_gets_there() {
    for seed in SEEDS {
        let mut rig = start_rate_limited(seed, None);
        let look_ups = rig.look_ups(START);
        // A second after the first, then one in 4 s, as the limiter has it.
        assert!(gaps(&look_ups).is_sorted(), "{look_ups:?}");
        assert!(look_ups.iter().filter(|at| **at < 15_000).count() <= 9, "{look_ups:?}");
        let online = rig.online_at(START);
        assert!(online[0] <= 22_000, "{online:?}");
        rig.ends_online();
    }
}

#[test]
fn s10b_a_retry_after_of_6_s_is_waited_out() {
    for seed in SEEDS {
        let mut rig = start_rate_limited(seed, Some(6_000));
        let look_ups = rig.look_ups(START);
        assert_eq!(look_ups, [0, 6_000, 12_000, 18_000]);
        assert_eq!(rig.online_at(START), [18_000], "3 s after the limit ended");
        rig.ends_online();
    }
}

#[test]
fn s10c_an_address_that_answers_503_twice_is_replaced_and_the_session_lives_on() {
    for seed in SEEDS {
        let mut two = TwoAddresses::new(seed);
        two.play_until(10_000);
        two.first_is_broken = true;
        two.gateway_gets(|conn| Input::Closed { conn, close: auk_gateway::Close::Code(None) });
        (two.connects, two.look_ups, two.authentications) = (Vec::new(), 0, Vec::new());
        two.play_until(20_000);
        assert_eq!(two.connects, [FIRST, FIRST, SECOND]);
        assert_eq!(two.look_ups, 1);
        let [authentication] = &two.authentications[..] else { panic!("{:?}", two.authentications) };
        assert_eq!(Asked::Sent(authentication.clone()), resume("t1", "session-a", 1));
        assert!(two.gateway.is_ready());
    }
}

const FIRST: &str = "wss://first.example/websocket";
const SECOND: &str = "wss://second.example/websocket";

/// A platform that moves from one address to another. The stage knows one address only.
struct TwoAddresses {
    gateway: Gateway,
    now_ms: u64,
    first_is_broken: bool,
    conn: Option<ConnId>,
    connects: Vec<String>,
    look_ups: usize,
    authentications: Vec<Value>,
}

impl TwoAddresses {
    fn new(seed: u64) -> Self {
        let mut config = config();
        (config.seed, config.pace) = (seed, profile());
        let gateway = Gateway::new(config, Timestamp::from_ms(0));
        let (connects, authentications) = (Vec::new(), Vec::new());
        Self { gateway, now_ms: 0, first_is_broken: false, conn: None, connects, look_ups: 0, authentications }
    }

    fn play_until(&mut self, end_ms: u64) {
        loop {
            while let Some(effect) = self.gateway.poll_effect() {
                self.perform(effect);
            }
            let Some(due) = self.gateway.poll_timeout().map(Timestamp::as_ms).filter(|due| *due <= end_ms) else { break };
            self.now_ms = self.now_ms.max(due);
            self.gateway.handle_timeout(Timestamp::from_ms(self.now_ms));
        }
        self.now_ms = end_ms;
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::FetchToken { request, .. } => {
                let answer = answer(200, &json!({ "access_token": "t1", "expires_in": 7_200 }));
                self.input(Input::TokenAnswered { request, answer });
            }
            Effect::FetchAddress { request, token, endpoint } => self.look_up(request, &token, endpoint),
            Effect::Connect { conn, url } => {
                self.conn = Some(conn);
                let refused = self.first_is_broken && url == FIRST;
                self.connects.push(url);
                if refused {
                    return self.input(Input::ConnectFailed { conn, failure: ConnectFailure::Upgrade(503) });
                }
                self.input(Input::Opened { conn });
                self.say(json!({ "op": 10, "d": { "heartbeat_interval": HEARTBEAT_MS } }));
            }
            Effect::Send { text, .. } => {
                let frame: Value = serde_json::from_str(text.as_text()).expect("frames are JSON");
                match frame["op"].as_u64() {
                    Some(1) => return self.say(json!({ "op": 11 })),
                    Some(2) => self.say(json!({ "op": 0, "s": 1, "t": "READY", "d": { "session_id": "session-a" } })),
                    Some(_) | None => self.say(json!({ "op": 0, "s": 2, "t": "RESUMED", "d": "" })),
                }
                self.authentications.push(frame);
            }
            Effect::Close { .. } | Effect::Remember(_) => {}
        }
    }

    fn look_up(&mut self, request: RequestId, token: &AccessToken, endpoint: AddressEndpoint) {
        self.look_ups += 1;
        assert_eq!((token.expose(), endpoint), ("t1", AddressEndpoint::GatewayBot));
        let url = if self.first_is_broken { SECOND } else { FIRST };
        self.input(Input::AddressAnswered { request, answer: answer(200, &json!({ "url": url })) });
    }

    fn say(&mut self, frame: Value) {
        self.gateway_gets(|conn| Input::Frame { conn, text: frame.to_string().into() });
    }

    fn gateway_gets(&mut self, input: impl FnOnce(ConnId) -> Input) {
        let conn = self.conn.expect("a connection was asked for");
        self.input(input(conn));
    }

    fn input(&mut self, input: Input) {
        self.gateway.handle_input(input, Timestamp::from_ms(self.now_ms));
    }
}

#[test]
fn s11_a_resume_is_as_good_as_a_new_session_twelve_times_in_a_row() {
    for seed in SEEDS {
        let mut rig = Rig::new(seed, |config| config.pace.stable_ms = 1_000);
        rig.play_for(2_500);
        for _ in 0..12 {
            let (at, mark) = (rig.stage.now_ms(), rig.mark());
            rig.stage.frame(json!({ "op": 7 }));
            rig.play_for(2_500);
            // The twelfth cycle is as fast as the first, and each is the first attempt of its row.
            assert_eq!((rig.connects(mark), rig.online_at(mark)), (vec![at], vec![at]));
            assert!(matches!(rig.told_since(mark)[..], [Event::Lost { retry_in_ms: 0, .. }, Event::Resumed { .. }]));
        }
        rig.ends_online();
    }
}

#[test]
fn s11_stable_resumes_clear_the_back_off() {
    for seed in SEEDS {
        let mut rig = Rig::new(seed, |config| config.pace.stable_ms = 1_000);
        rig.play_for(2_500);
        for _ in 0..12 {
            let (at, mark) = (rig.stage.now_ms(), rig.mark());
            // Ready for 2.5 s, which is stable here and not settled, so the loss is backed off; but always from the beginning.
            reset(&mut rig.stage);
            rig.play_for(312);
            let attempts = rig.connects(mark);
            assert!(matches!(attempts[..], [first] if (at + 188..=at + 312).contains(&first)), "{attempts:?} after {at}");
            rig.play_for(2_500);
        }
        rig.ends_online();
    }
}

/// Nothing of the platform can be reached.
fn unreachable(_: &mut Platform, stage: &mut Stage, asked: &Asked) {
    let answer = HttpAnswer::Failed(HttpFailure::Unreachable);
    match asked {
        Asked::Token => stage.input(Input::TokenAnswered { request: stage.request(), answer }),
        Asked::Address(_) => stage.input(Input::AddressAnswered { request: stage.request(), answer }),
        Asked::Connect => stage.refuse_connection(),
        Asked::Sent(_) | Asked::Closed(_) => {}
    }
}

#[test]
fn s12_two_minutes_without_a_network_end_in_a_resume() {
    // A token that lives on, and one that runs out on the way.
    for (seed, expires_in) in SEEDS.flat_map(|seed| [7_200, 60].map(|expires_in| (seed, expires_in))) {
        let mut rig = Rig::new(seed, |_| {});
        let with_life = |platform: &mut Platform, stage: &mut Stage, asked: &Asked| match asked {
            Asked::Token => platform.grant_token(stage, json!(expires_in)),
            Asked::Address(_) | Asked::Connect | Asked::Sent(_) | Asked::Closed(_) => platform.answer(stage, asked),
        };
        rig.play_for_with(5_000, with_life);
        let (t0, mark, mut states) = (rig.stage.now_ms(), rig.mark(), Vec::new());
        reset(&mut rig.stage);
        rig.play_for_with(120_000, |platform, stage, asked| {
            unreachable(platform, stage, asked);
            states.push(stage.gateway.status(Language::EnUs, Timestamp::from_ms(stage.now_ms())));
        });
        // A look-up or a token request that fails and is followed at once by the next step belongs to the same attempt.
        let mut attempts = rig.times(mark, |_| true);
        attempts.dedup();
        assert!((20..=60).contains(&attempts.len()), "{}", attempts.len());
        assert!(gaps(&attempts).iter().all(|gap| *gap <= 6_000), "{attempts:?}");
        assert!(attempts[attempts.len() - 1] + 6_000 > t0 + 120_000, "to the end: {attempts:?}");
        assert!(states.iter().all(|status| status.last_loss.is_some() && status.session && status.state != "ready"), "{states:?}");
        assert!(rig.lines().len() <= attempts.len() + 10);
        let (repaired, mark) = (rig.stage.now_ms(), rig.mark());
        rig.play_for_with(8_000, with_life);
        let online = rig.online_at(mark);
        assert!(online[0] <= repaired + 7_000, "{online:?}");
        assert_eq!((rig.sent(mark, 6).len(), rig.sent(mark, 2).len()), (1, 0));
        rig.ends_online();
    }
}

#[test]
fn s12_five_hundred_failed_attempts_are_followed_by_another() {
    let mut rig = Rig::base(0);
    rig.play_for(5_000);
    let mark = rig.mark();
    reset(&mut rig.stage);
    while rig.connects(mark).len() < 500 {
        rig.play_for_with(10_000, unreachable);
    }
    let attempts = rig.connects(mark);
    // The cap is 4 s within a quarter.
    assert!(gaps(&attempts).iter().all(|gap| *gap <= 5_000), "{attempts:?}");
    let (repaired, mark) = (rig.stage.now_ms(), rig.mark());
    rig.play_for(7_000);
    assert!(rig.online_at(mark)[0] <= repaired + 7_000);
    assert_eq!((rig.sent(mark, 6).len(), rig.sent(mark, 2).len()), (1, 0));
    rig.ends_online();
}

#[test]
fn s13a_a_spent_allowance_is_waited_out_before_the_first_identify() {
    for seed in SEEDS {
        let mut rig = Rig::new(seed, |_| {});
        rig.play_for_with(10_000, |platform, stage, asked| {
            if matches!(asked, Asked::Address(_)) && stage.now_ms() < 8_000 {
                stage.grant_address_with(0, 8_000, 1);
            } else {
                platform.answer(stage, asked);
            }
        });
        assert_eq!(rig.sent(START, 2), [8_000]);
        rig.ends_online();
    }
}

#[test]
fn s13a_a_long_wait_for_the_allowance_is_told_with_its_length() {
    const HOUR_MS: u64 = 3_600_000;
    let mut rig = Rig::new(0, |_| {});
    rig.play_for_with(0, |platform, stage, asked| {
        if matches!(asked, Asked::Address(_)) { stage.grant_address_with(0, HOUR_MS, 1) } else { platform.answer(stage, asked) }
    });
    let told = rig.told_since(START);
    assert!(matches!(told[..], [Event::SetBack { setback: Setback::Braked(_), retry_in_ms: HOUR_MS }]), "{told:?}");
    let [(0, line)] = &rig.lines()[..] else { panic!("{:?}", rig.lines()) };
    assert!(line.to_string().contains(&HOUR_MS.to_string()), "{line}");
}

#[test]
fn s13a_a_resume_is_not_held_up_by_a_spent_allowance() {
    for seed in SEEDS {
        let mut rig = Rig::new(seed, |_| {});
        rig.play_for_with(4_000, |platform, stage, asked| {
            if matches!(asked, Asked::Address(_)) { stage.grant_address_with(1, 3_600_000, 1) } else { platform.answer(stage, asked) }
        });
        let (t0, mark) = (rig.stage.now_ms(), rig.mark());
        reset(&mut rig.stage);
        rig.play_for(1_000);
        assert_eq!((rig.sent(mark, 6), rig.sent(mark, 2)), (vec![t0], vec![]));
        rig.ends_online();
    }
}

/// Half a second for a close frame after each refusal, and pauses of 0.5, 1 and 2 s and up to a quarter of them: the fourth Identify comes
/// 5 to 5.9 s after the start, and 20 s later the platform's counter begins anew.
const RESET_MS: u64 = 26_000;

#[test]
fn s13b_four_identifies_are_left_and_the_fifth_comes_after_the_reset() {
    for seed in SEEDS {
        let mut rig = Rig::new(seed, |_| {});
        let mut remaining = 4;
        rig.play_for_with(60_000, |platform, stage, asked| {
            let now = stage.now_ms();
            if matches!(asked, Asked::Address(_)) {
                let (remaining, reset_after_ms) = if now < RESET_MS { (remaining, RESET_MS - now) } else { (1_000, 86_400_000) };
                stage.grant_address_with(remaining, reset_after_ms, 16);
            } else if op(asked) == Some(2) && now < RESET_MS {
                remaining -= 1;
                stage.frame(json!({ "op": 9, "d": false }));
            } else {
                platform.answer(stage, asked);
            }
        });
        let identifies = rig.sent(START, 2);
        assert!(
            matches!(identifies[..], [_, _, _, fourth, fifth] if fourth < 6_000 && (RESET_MS..RESET_MS + 3_000).contains(&fifth)),
            "{identifies:?}"
        );
        rig.ends_online();
    }
}

#[test]
fn s13c_sessions_that_end_after_a_second_cannot_spend_the_day() {
    for seed in SEEDS {
        let mut rig = Rig::new(seed, |_| {});
        rig.play_for_with(59_999, |platform, stage, asked| match asked {
            Asked::Address(_) => stage.answer_address(200, json!({ "url": auk_gateway_stories::URL })),
            Asked::Token | Asked::Connect | Asked::Sent(_) | Asked::Closed(_) => {
                platform.answer(stage, asked);
                if op(asked) == Some(2) {
                    stage.run_for(1_000);
                    stage.close(Some(4900));
                }
            }
        });
        // A platform that names no allowance is taken to allow one Identify in 5 s: 12 in a minute, 6 in half of it.
        let identifies = rig.sent(START, 2);
        assert!(gaps(&identifies).iter().all(|gap| *gap >= 5_000), "{identifies:?}");
        assert!((6..=12).contains(&identifies.len()), "{identifies:?}");
        assert!(identifies.iter().filter(|at| **at >= 30_000).count() <= 6, "{identifies:?}");
        rig.keeps_the_invariants();
    }
}
