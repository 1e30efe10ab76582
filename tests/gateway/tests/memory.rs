//! What one process leaves to the next: a restart resumes, and a server that restarts again and again stays within every limit.

use auk_gateway::{
    AddressEndpoint, AttemptKind, Credentials, Event, Input, Memo, Memory, SavedAllowance, SavedAttempt, Setback, Timestamp,
};
use auk_gateway_stories::{Asked, Stage, config, identify, resume};
use serde_json::json;

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;

/// What a process leaves that was ready at 0: token, address, session, allowance, and one attempt of each kind.
fn memory() -> Memory {
    Stage::ready().memory
}

/// The same with `count` attempts of a kind at `at_ms`, and no others of it.
fn memory_with(kind: AttemptKind, count: usize, at_ms: u64) -> Memory {
    let mut memory = memory();
    memory.attempts.retain(|attempt| attempt.kind != kind);
    memory.attempts.extend(std::iter::repeat_n(SavedAttempt { kind, at: Timestamp::from_ms(at_ms) }, count));
    memory
}

/// Whatever is asked for first, and when, by a process that begins at `now_ms`.
fn first_asked(memory: Memory, now_ms: u64) -> (u64, Asked) {
    let mut stage = Stage::restored(config(), memory, now_ms);
    while stage.count(|_| true) == 0 {
        stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
    }
    stage.take_asked().remove(0)
}

/// The limit that was agreed on: in any span of `t` at most `burst + t / interval_ms`.
fn assert_within(attempts: &[u64], burst: u64, interval_ms: u64) {
    for (from, first) in attempts.iter().enumerate() {
        for (to, last) in attempts.iter().enumerate().skip(from) {
            let (count, span_ms) = ((to - from + 1) as u64, last - first);
            assert!(count <= burst + span_ms / interval_ms, "{count} attempts in {span_ms} ms: {attempts:?}");
        }
    }
}

/// When something was attempted in an hour of processes that each live for `life_ms`, are killed, and leave their memory to the next.
#[derive(Default)]
struct Lives {
    tokens: Vec<u64>,
    look_ups: Vec<u64>,
    connects: Vec<u64>,
    identifies: Vec<u64>,
    resumed: usize,
}

impl Lives {
    fn of_an_hour(mut memory: Memory, life_ms: u64, mut react: impl FnMut(&mut Stage, &Asked)) -> Self {
        let mut lives = Self::default();
        for begin_ms in (0..HOUR_MS).step_by(life_ms as usize) {
            let mut stage = Stage::restored(config(), memory, begin_ms);
            stage.play_until(begin_ms + life_ms - 1, |stage, at, asked| {
                match &asked {
                    Asked::Token => lives.tokens.push(at),
                    Asked::Address(_) => lives.look_ups.push(at),
                    Asked::Connect => lives.connects.push(at),
                    Asked::Sent(frame) if frame["op"] == 2 => lives.identifies.push(at),
                    Asked::Sent(_) | Asked::Closed(_) => {}
                }
                react(stage, &asked);
            });
            lives.resumed += stage.take_told().iter().filter(|(_, event)| matches!(event, Event::Resumed { .. })).count();
            memory = stage.memory;
        }
        lives
    }
}

#[test]
fn a_restart_resumes_with_token_address_and_session_and_asks_for_nothing() {
    let mut stage = Stage::ready();
    stage.dispatch(2);
    stage.input(Input::Suspend);
    let mut memory = stage.memory;
    memory.session.as_mut().expect("a session").sequence = Some(2);
    let mut stage = Stage::restored(config(), memory, 20_000);
    assert_eq!(stage.take_asked(), [(20_000, Asked::Connect)]);
    stage.open();
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(20_000, resume("t1", "s1", 2))]);
    // What the earlier process dealt with is not delivered again.
    for sequence in [1, 2, 3, 3] {
        stage.dispatch(sequence);
    }
    stage.resumed(4);
    let told = stage.take_told();
    assert!(told.iter().any(|(_, event)| matches!(event, Event::Resumed { replayed: 1 })), "{told:?}");
    let delivered: Vec<_> = told.iter().filter_map(|(_, event)| if let Event::Dispatch(d) = event { d.sequence } else { None }).collect();
    assert_eq!(delivered, [3]);
}

#[test]
fn a_process_that_was_killed_is_followed_like_one_that_was_suspended() {
    let stage = Stage::ready();
    let mut stage = Stage::restored(config(), stage.memory, 20_000);
    stage.come_back_by_resume(2);
    assert!(stage.gateway.is_ready());
}

#[test]
fn connects_of_an_earlier_process_count() {
    // 35 at once are allowed, then one in 15 s.
    assert_eq!(first_asked(memory_with(AttemptKind::Connect, 34, 0), 0), (0, Asked::Connect));
    assert_eq!(first_asked(memory_with(AttemptKind::Connect, 35, 0), 0), (15_000, Asked::Connect));
    assert_eq!(first_asked(memory_with(AttemptKind::Connect, 35, 0), 10_000), (15_000, Asked::Connect));
    let mut stage = Stage::restored(config(), memory_with(AttemptKind::Connect, 35, 0), 0);
    let told = stage.take_told();
    assert!(matches!(told[..], [(0, Event::SetBack { setback: Setback::Braked("connect limit"), retry_in_ms: 15_000 })]), "{told:?}");
}

#[test]
fn connects_of_an_earlier_process_are_in_the_status_of_the_last_minute() {
    let stage = Stage::restored(config(), memory_with(AttemptKind::Connect, 3, 0), 59_999);
    let attempts = |stage: &Stage| stage.gateway.status(auk_gateway::Language::EnUs, Timestamp::from_ms(stage.now_ms())).attempts;
    // Three of the earlier process, and the first of this one.
    assert_eq!((attempts(&stage).last_minute, attempts(&stage).total), (4, 1));
    let stage = Stage::restored(config(), memory_with(AttemptKind::Connect, 3, 0), 60_000);
    assert_eq!((attempts(&stage).last_minute, attempts(&stage).total), (1, 1));
}

#[test]
fn look_ups_of_an_earlier_process_count() {
    let without_address = |count| Memory { address: None, ..memory_with(AttemptKind::LookUp, count, 0) };
    let look_up = Asked::Address(AddressEndpoint::GatewayBot);
    // Two at once are allowed, then one in a minute.
    assert_eq!(first_asked(without_address(1), 0), (0, look_up.clone()));
    assert_eq!(first_asked(without_address(2), 0), (60_000, look_up));
}

#[test]
fn token_requests_of_an_earlier_process_count() {
    let without_token = |count| Memory { token: None, ..memory_with(AttemptKind::TokenRequest, count, 0) };
    // Three at once are allowed, then one in 61 s.
    assert_eq!(first_asked(without_token(2), 0), (0, Asked::Token));
    assert_eq!(first_asked(without_token(3), 0), (61_000, Asked::Token));
}

#[test]
fn identifies_of_an_earlier_process_count() {
    let without_session = |count| Memory { session: None, ..memory_with(AttemptKind::Identify, count, 0) };
    // `max_concurrency` is 1: one in 5 s. Ten at once are allowed besides, then one in 90 s.
    assert_eq!(first_asked(without_session(0), 0), (0, Asked::Connect));
    assert_eq!(first_asked(without_session(1), 0), (5_000, Asked::Connect));
    assert_eq!(first_asked(without_session(9), 0), (5_000, Asked::Connect));
    assert_eq!(first_asked(without_session(10), 0), (90_000, Asked::Connect));
    // A Resume is no Identify.
    assert_eq!(first_asked(memory_with(AttemptKind::Identify, 10, 0), 0), (0, Asked::Connect));
}

#[test]
fn identifies_of_an_earlier_process_are_spaced_by_the_concurrency_that_it_knew() {
    let mut memory = Memory { session: None, ..memory() };
    memory.allowance.as_mut().expect("announced").max_concurrency = 5;
    // 5 s / 5.
    assert_eq!(first_asked(memory.clone(), 0), (1_000, Asked::Connect));
    memory.allowance.as_mut().expect("announced").max_concurrency = 0;
    // Nothing is allowed less often than one in 5 s.
    assert_eq!(first_asked(memory, 0), (5_000, Asked::Connect));
}

#[test]
fn an_allowance_that_an_earlier_process_spent_is_spent_until_its_reset() {
    let mut memory = Memory { session: None, ..memory() };
    assert_eq!(memory.allowance.map(|allowance| allowance.remaining), Some(999), "its own Identify is counted");
    let allowance = memory.allowance.as_mut().expect("announced");
    (allowance.remaining, allowance.reset) = (0, Timestamp::from_ms(600_000));
    // After the reset the allowance is not known, so a look-up comes first.
    assert_eq!(first_asked(memory, 0), (600_000, Asked::Address(AddressEndpoint::GatewayBot)));
}

#[test]
fn a_clock_that_was_set_back_locks_nothing_for_longer_than_one_interval() {
    let now_ms = 1_000;
    let mut memory = Memory { token: None, address: None, session: None, ..memory() };
    for kind in [AttemptKind::TokenRequest, AttemptKind::LookUp, AttemptKind::Connect, AttemptKind::Identify] {
        // More than any limit allows, all of them years ahead.
        memory.attempts.extend(std::iter::repeat_n(SavedAttempt { kind, at: Timestamp::from_ms(1_000 * DAY_MS) }, 1_000));
    }
    let mut stage = Stage::restored(config(), memory, now_ms);
    let mut asked_at = Vec::new();
    stage.play_until(now_ms + 120_000, |stage, at, asked| {
        match &asked {
            Asked::Token => stage.grant_token("t2"),
            Asked::Address(_) => stage.grant_address(),
            Asked::Connect | Asked::Sent(_) | Asked::Closed(_) => {}
        }
        asked_at.push((at, asked));
    });
    // The token after its interval of 61 s, the look-up after its 60 s at the same moment, and the connection when an Identify is free
    // again: 90 s after the start, and no sooner than 5 s after the last Identify, which counts as made at the start.
    let look_up = Asked::Address(AddressEndpoint::GatewayBot);
    assert_eq!(asked_at[..3], [(now_ms + 61_000, Asked::Token), (now_ms + 61_000, look_up), (now_ms + 90_000, Asked::Connect)]);
}

#[test]
fn a_token_and_a_session_of_the_future_count_as_begun_now() {
    let ahead = Timestamp::from_ms(1_000 * DAY_MS);
    let mut memory = memory();
    memory.token.as_mut().expect("a token").expires = ahead;
    memory.session.as_mut().expect("a session").began = ahead;
    let mut stage = Stage::restored(config(), memory, 0);
    stage.come_back_by_resume(2);
    stage.take_asked();
    // No token lives longer than two hours; it is renewed 45 s before its end.
    stage.live_for(7_200_000 - 45_000);
    let renewals: Vec<u64> = stage.take_asked().into_iter().filter(|(_, asked)| *asked == Asked::Token).map(|(at, _)| at).collect();
    assert_eq!(renewals, [7_155_000]);
    // A day after the start the session is not resumed any more.
    stage.live_for(DAY_MS - 7_155_000);
    stage.frame(json!({ "op": 7 }));
    stage.grant_address();
    stage.open();
    stage.take_asked();
    stage.hello(45_000);
    assert!(matches!(&stage.take_asked()[..], [(DAY_MS, Asked::Sent(frame))] if frame["op"] == 2));
}

#[test]
fn an_allowance_whose_reset_is_years_ahead_is_asked_for_again_after_a_day() {
    let mut memory = Memory { session: None, ..memory() };
    let allowance = memory.allowance.as_mut().expect("announced");
    (allowance.remaining, allowance.reset) = (0, Timestamp::from_ms(1_000 * DAY_MS));
    let mut stage = Stage::restored(config(), memory, 0);
    let mut look_ups = Vec::new();
    stage.play_until(DAY_MS, |stage, at, asked| match asked {
        Asked::Token => stage.grant_token(&format!("t-{at}")),
        Asked::Address(_) => look_ups.push(at),
        Asked::Connect | Asked::Sent(_) | Asked::Closed(_) => panic!("nothing is allowed: {asked:?}"),
    });
    assert_eq!(look_ups, [DAY_MS]);
}

#[test]
fn an_expired_token_is_not_restored() {
    // Granted at 0 for two hours.
    assert_eq!(first_asked(memory(), 7_199_999), (7_199_999, Asked::Connect));
    assert_eq!(first_asked(memory(), 7_200_000), (7_200_000, Asked::Token));
}

#[test]
fn an_old_address_is_looked_up_again_and_one_of_the_future_counts_as_learned_now() {
    let half_a_day = || {
        let mut config = config();
        config.pace.address_age_ms_max = DAY_MS / 2;
        config
    };
    let mut memory = memory();
    memory.token.as_mut().expect("a token").expires = Timestamp::from_ms(2 * DAY_MS);
    for (now_ms, expected) in [(DAY_MS / 2 - 1, Asked::Connect), (DAY_MS / 2, Asked::Address(AddressEndpoint::GatewayBot))] {
        let mut stage = Stage::restored(half_a_day(), memory.clone(), now_ms);
        assert_eq!(stage.take_asked(), [(now_ms, expected)]);
    }
    memory.address.as_mut().expect("an address").learned = Timestamp::from_ms(1_000 * DAY_MS);
    let mut stage = Stage::restored(half_a_day(), memory, 0);
    stage.come_back_by_resume(2);
    stage.live_for(DAY_MS / 2);
    stage.take_asked();
    stage.frame(json!({ "op": 7 }));
    let look_up = Asked::Address(AddressEndpoint::GatewayBot);
    assert_eq!(stage.take_asked(), [(DAY_MS / 2, Asked::Closed(4000)), (DAY_MS / 2, look_up)]);
}

#[test]
fn a_session_older_than_a_day_is_not_resumed() {
    let mut memory = memory();
    memory.token.as_mut().expect("a token").expires = Timestamp::from_ms(2 * DAY_MS);
    memory.address.as_mut().expect("an address").learned = Timestamp::from_ms(DAY_MS);
    memory.allowance.as_mut().expect("announced").reset = Timestamp::from_ms(2 * DAY_MS);
    // `session_age_ms_max` is a day.
    for (now_ms, expected) in [(DAY_MS - 1, resume("t1", "s1", 1)), (DAY_MS, identify("t1"))] {
        let mut stage = Stage::restored(config(), memory.clone(), now_ms);
        assert_eq!(stage.take_asked(), [(now_ms, Asked::Connect)]);
        stage.open();
        stage.hello(45_000);
        assert_eq!(stage.take_asked(), [(now_ms, expected)]);
        assert_eq!(stage.memory.session.is_some(), now_ms < DAY_MS);
    }
}

#[test]
fn suspend_closes_with_4000_and_keeps_the_session() {
    let mut stage = Stage::ready();
    stage.input(Input::Suspend);
    assert_eq!(stage.take_asked(), [(0, Asked::Closed(4000))]);
    stage.close(Some(4000));
    assert_eq!(stage.state(), "stopped");
    assert!(matches!(stage.take_told()[..], [(0, Event::Stopped)]));
    assert_eq!(stage.memory, memory());
}

#[test]
fn stop_closes_with_1000_and_forgets_the_session() {
    let mut stage = Stage::ready();
    stage.input(Input::Stop);
    assert_eq!(stage.take_asked(), [(0, Asked::Closed(1000))]);
    stage.close(Some(1000));
    assert_eq!(stage.state(), "stopped");
    assert_eq!(stage.memory, Memory { session: None, ..memory() });
    // Also where there is no connection to close.
    let mut stage = Stage::restored(config(), memory_with(AttemptKind::Connect, 35, 0), 0);
    stage.input(Input::Stop);
    assert_eq!((stage.state(), stage.take_asked()), ("stopped", vec![]));
    assert_eq!(stage.memory.session, None);
}

#[test]
fn a_connection_under_way_is_given_up_at_once_when_the_end_comes() {
    for (input, code) in [(Input::Suspend, 4000), (Input::Stop, 1000)] {
        let mut stage = Stage::restored(config(), memory(), 20_000);
        stage.take_asked();
        stage.input(input);
        assert_eq!(stage.take_asked(), [(20_000, Asked::Closed(code))]);
        assert_eq!(stage.state(), "stopped");
        assert_eq!(stage.memory.session.is_some(), code == 4000);
    }
}

#[test]
fn what_is_no_good_any_more_is_not_left_to_the_next_process() {
    // A token that some call found dead.
    let mut stage = Stage::ready();
    stage.refuse_token("another");
    assert!(stage.memory.token.is_some());
    stage.refuse_token("t1");
    assert_eq!(stage.memory.token, None);
    // A session that the platform called over.
    let mut stage = Stage::ready();
    stage.close(Some(4900));
    assert_eq!(stage.memory.session, None);
    // Everything of another bot.
    let mut stage = Stage::ready();
    let mut other = config();
    other.credentials = Credentials::new("102000002", "other").expect("well formed");
    stage.input(Input::Reload(Box::new(other)));
    let Memory { session, token, address, .. } = stage.memory;
    assert_eq!((session, token, address), (None, None, None));
}

#[test]
fn attempts_are_remembered_for_a_day() {
    let mut memory = Memory::default();
    for at_ms in [0, 1, DAY_MS] {
        memory.note(Memo::Attempt(SavedAttempt { kind: AttemptKind::Connect, at: Timestamp::from_ms(at_ms) }));
    }
    assert_eq!(memory.attempts.iter().map(|attempt| attempt.at.as_ms()).collect::<Vec<_>>(), [1, DAY_MS]);
}

#[test]
fn a_server_that_crashes_every_20_s_resumes_each_time_and_asks_for_nothing_else() {
    let lives = Lives::of_an_hour(memory(), 20_000, |stage, asked| {
        if *asked == Asked::Connect {
            stage.come_back_by_resume(2);
        }
    });
    // 3,600 s / 20 s = 180 lives. At one in 20 s the limit of one connection in 15 s holds none of them back.
    assert_eq!(lives.connects, (0..HOUR_MS).step_by(20_000).collect::<Vec<_>>());
    assert_eq!(lives.resumed, 180);
    assert_eq!((lives.tokens, lives.look_ups, lives.identifies), (vec![], vec![], vec![]));
}

#[test]
fn a_server_that_crashes_every_5_s_is_held_by_the_limit_of_connections() {
    let lives = Lives::of_an_hour(memory(), 5_000, |stage, asked| {
        if *asked == Asked::Connect {
            stage.come_back_by_resume(2);
        }
    });
    assert_within(&lives.connects, 35, 15_000);
    // 34 are left of the 35, and one in 15 s makes 240 in the hour. A connection that is free in the last millisecond of a life, or at its
    // very end, may be missed, but the next life begins with it.
    assert!((270..=275).contains(&lives.connects.len()), "{}", lives.connects.len());
    assert_eq!(lives.resumed, lives.connects.len());
}

#[test]
fn a_server_that_crashes_every_20_s_without_a_session_stays_within_the_limit_of_identifies() {
    let lives = Lives::of_an_hour(Memory::default(), 20_000, |stage, asked| match asked {
        Asked::Token => stage.grant_token("t1"),
        Asked::Address(_) => stage.grant_address(),
        Asked::Connect => {
            stage.open();
            stage.hello(45_000);
        }
        Asked::Sent(_) | Asked::Closed(_) => {}
    });
    assert_within(&lives.identifies, 10, 90_000);
    // Ten, and one in 90 s of the hour; a life begins every 20 s, so none comes more than that late.
    assert!((45..=50).contains(&lives.identifies.len()), "{:?}", lives.identifies);
    // Token and address outlive each process.
    assert_eq!((lives.tokens, lives.look_ups), (vec![0], vec![0]));
}

#[test]
fn a_server_that_crashes_every_20_s_stays_within_the_limits_of_token_requests_and_look_ups() {
    // Nobody answers.
    let lives = Lives::of_an_hour(Memory::default(), 20_000, |_, _| {});
    assert_within(&lives.tokens, 3, 61_000);
    // Three, and one in 61 s of the hour.
    assert!((58..=62).contains(&lives.tokens.len()), "{:?}", lives.tokens);
    let lives = Lives::of_an_hour(Memory::default(), 20_000, |stage, asked| {
        if *asked == Asked::Token {
            stage.grant_token("t1");
        }
    });
    assert_within(&lives.look_ups, 2, 60_000);
    // Two, and one in a minute of the hour.
    assert!((58..=62).contains(&lives.look_ups.len()), "{:?}", lives.look_ups);
}

#[test]
fn each_thing_that_is_asked_for_is_remembered_once() {
    let kinds: Vec<AttemptKind> = memory().attempts.iter().map(|attempt| attempt.kind).collect();
    assert_eq!(kinds, [AttemptKind::TokenRequest, AttemptKind::LookUp, AttemptKind::Connect, AttemptKind::Identify]);
}

#[test]
fn a_resume_needs_no_allowance() {
    assert_eq!(first_asked(Memory { allowance: None, ..memory() }, 20_000), (20_000, Asked::Connect));
    assert_eq!(
        first_asked(Memory { allowance: None, session: None, ..memory() }, 20_000),
        (20_000, Asked::Address(AddressEndpoint::GatewayBot))
    );
}

#[test]
fn of_two_brakes_the_longer_one_is_told() {
    let mut memory = Memory { session: None, ..memory_with(AttemptKind::Connect, 35, 0) };
    memory.attempts.extend(std::iter::repeat_n(SavedAttempt { kind: AttemptKind::Identify, at: Timestamp::from_ms(0) }, 9));
    let mut stage = Stage::restored(config(), memory, 0);
    let told = stage.take_told();
    // Connections are free again after 15 s, Identifies after 90 s.
    assert!(
        matches!(told[..], [(0, Event::SetBack { setback: Setback::Braked("allowance of new sessions"), retry_in_ms: 90_000 })]),
        "{told:?}"
    );
}

#[test]
fn a_restored_session_has_three_resumes_too() {
    let mut stage = Stage::restored(config(), memory(), 20_000);
    let mut authentications = Vec::new();
    while authentications.len() < 4 {
        if stage.state() == "connecting" {
            stage.open();
            stage.take_asked();
            stage.hello(45_000);
            let Asked::Sent(frame) = stage.take_asked().remove(0).1 else { panic!("Hello is answered") };
            authentications.push(frame["op"].clone());
            stage.close(None);
        } else {
            stage.run_until(stage.gateway.poll_timeout().expect("something is due").as_ms());
        }
    }
    assert_eq!(authentications, [6, 6, 6, 2]);
}

#[test]
fn an_allowance_is_remembered_as_soon_as_it_is_announced() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address_with(7, 600_000, 2);
    let expected = SavedAllowance { remaining: 7, reset: Timestamp::from_ms(600_000), max_concurrency: 2 };
    assert_eq!(stage.memory.allowance, Some(expected));
}

#[test]
fn a_restored_address_has_two_failures_before_it_is_doubted() {
    let mut stage = Stage::restored(config(), memory(), 20_000);
    stage.refuse_connection();
    stage.take_asked();
    // 1.4 s within a quarter.
    stage.run_for(1_750);
    assert!(matches!(stage.take_asked()[..], [(_, Asked::Connect)]));
}

#[test]
fn one_attempt_of_the_future_counts_as_one_made_now() {
    for kind in [AttemptKind::TokenRequest, AttemptKind::LookUp, AttemptKind::Connect] {
        let memory = Memory { token: None, address: None, ..memory_with(kind, 1, DAY_MS) };
        let mut stage = Stage::restored(config(), memory, 0);
        stage.grant_token("t1");
        stage.grant_address();
        // One attempt is left in each bucket.
        assert_eq!(stage.state(), "connecting", "{kind:?}");
    }
    let stage = Stage::restored(config(), memory_with(AttemptKind::Connect, 3, DAY_MS), 0);
    let last_minute = |ms| stage.gateway.status(auk_gateway::Language::EnUs, Timestamp::from_ms(ms)).attempts.last_minute;
    assert_eq!((last_minute(59_999), last_minute(60_000)), (4, 0));
}

#[test]
fn without_a_known_concurrency_identifies_of_an_earlier_process_are_spaced_by_five_seconds() {
    let mut stage = Stage::restored(config(), Memory { session: None, allowance: None, ..memory() }, 0);
    stage.answer_address(200, json!({ "url": auk_gateway_stories::URL }));
    stage.take_asked();
    stage.run_until(4_999);
    assert_eq!(stage.take_asked(), []);
    stage.run_until(5_000);
    assert_eq!(stage.take_asked(), [(5_000, Asked::Connect)]);
}

#[test]
fn an_address_serves_for_a_day() {
    let mut memory = memory();
    memory.token.as_mut().expect("a token").expires = Timestamp::from_ms(2 * DAY_MS);
    // A live session of today needs no allowance, so the address alone decides.
    memory.session.as_mut().expect("a session").began = Timestamp::from_ms(DAY_MS - 1);
    assert_eq!(first_asked(memory.clone(), DAY_MS - 1), (DAY_MS - 1, Asked::Connect));
    assert_eq!(first_asked(memory, DAY_MS), (DAY_MS, Asked::Address(AddressEndpoint::GatewayBot)));
}
