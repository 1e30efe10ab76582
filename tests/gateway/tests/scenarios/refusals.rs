//! F5: what only a person can mend, and what is tried again.

use auk_gateway::{Event, GatewayConfig, HaltReason, Input, Language, Timestamp};
use auk_gateway_stories::{Asked, Stage, config, profile};
use serde_json::json;

use crate::rig::{Mark, Platform, Rig, SEEDS, START, gaps, op, reset};

/// While the machine's address is not allowed.
const BAN_MS: u64 = 20_000;

/// What holds of a ban in each of its forms: few attempts, one line that names it, and back by itself.
fn lives_through_a_ban(mut rig: Rig, mark: Mark, number: &str) {
    let began = rig.stage.now_ms() - BAN_MS;
    let mut attempts = rig.times(mark, |asked| matches!(asked, Asked::Connect | Asked::Address(_)));
    attempts.dedup();
    assert!(attempts.len() <= 8, "{attempts:?}");
    assert!(rig.token_requests(START).len() <= 3);
    let status = rig.stage.gateway.status(Language::EnUs, Timestamp::from_ms(rig.stage.now_ms()));
    let halt = status.halt.expect("it says why it only tries in the slow lane");
    assert!(halt.reason == "address_not_allowed" && halt.advice.contains("IP list"), "{halt:?}");
    let lines: Vec<_> = rig.lines().into_iter().filter(|(_, line)| line.text.contains("IP list")).collect();
    let [(at, line)] = &lines[..] else { panic!("once in these 20 s: {lines:?}") };
    assert!(*at <= began + 2_000 && line.to_string().contains(number), "{at} {line}");
    let mark = rig.mark();
    rig.play_for(9_000);
    let online = rig.online_at(mark);
    assert!(online[0] <= began + BAN_MS + 9_000, "{online:?}");
    rig.ends_online();
}

#[test]
fn s18a_a_look_up_refused_with_11298_goes_to_the_slow_lane_and_comes_back_by_itself() {
    for seed in SEEDS {
        let mut rig = Rig::new(seed, |_| {});
        rig.play_for_with(BAN_MS, |platform, stage, asked| {
            if matches!(asked, Asked::Address(_)) {
                stage.answer_address(401, json!({ "code": 11_298, "message": "接口访问源IP不在白名单" }));
            } else {
                platform.answer(stage, asked);
            }
        });
        lives_through_a_ban(rig, START, "11298");
    }
}

#[test]
fn s18b_op_9_and_the_4924_behind_it_go_to_the_slow_lane_and_come_back_by_themselves() {
    for seed in SEEDS {
        let mut rig = Rig::new(seed, |_| {});
        rig.play_for_with(BAN_MS, banned);
        lives_through_a_ban(rig, START, "4924");
    }
}

#[test]
fn s18c_a_ban_that_begins_while_the_bot_is_online_is_told_apart_from_a_lost_session() {
    for seed in SEEDS {
        let mut rig = Rig::base(seed);
        rig.play_for(5_000);
        let mark = rig.mark();
        reset(&mut rig.stage);
        rig.play_for_with(BAN_MS, banned);
        assert_eq!(rig.sent(mark, 6).len(), 1);
        lives_through_a_ban(rig, mark, "4924");
    }
}

#[test]
fn s18_a_ban_that_lasts_is_said_once_a_minute_at_most() {
    let mut rig = Rig::new(0, |_| {});
    rig.play_for_with(600_000, banned);
    let lines: Vec<u64> = rig.lines().into_iter().map(|(at, _)| at).collect();
    assert!(lines.len() > 1 && gaps(&lines).iter().all(|gap| *gap >= 60_000), "{lines:?}");
}

/// Every authentication is answered with op 9, and 50 ms later with the close code that names the reason.
fn banned(platform: &mut Platform, stage: &mut Stage, asked: &Asked) {
    if matches!(op(asked), Some(2 | 6)) {
        stage.frame(json!({ "op": 9, "d": false }));
        stage.run_for(50);
        stage.close(Some(4924));
    } else {
        platform.answer(stage, asked);
    }
}

/// Codes that end the bot's life until a person acts, and what they are called.
const FINAL: [(u16, HaltReason); 8] = [
    (4914, HaltReason::BotDelisted),
    (4915, HaltReason::BotBanned),
    (4001, HaltReason::ProtocolRefused),
    (4002, HaltReason::ProtocolRefused),
    (4010, HaltReason::ProtocolRefused),
    (4011, HaltReason::ProtocolRefused),
    (4012, HaltReason::ProtocolRefused),
    (4013, HaltReason::IntentsRefused),
];

/// A slow lane that is not reached within 30 s: 40 s less a quarter.
fn slow_lane_of_40_s(config: &mut GatewayConfig) {
    (config.pace.slow_lane_ms_base, config.pace.slow_lane_ms_max) = (40_000, 40_000);
}

/// Closed with the code: in mid-session, or as the answer to the first Identify.
fn closed_for_good(seed: u64, code: u16, in_mid_session: bool) -> (Rig, Mark) {
    let mut rig = Rig::new(seed, slow_lane_of_40_s);
    if in_mid_session {
        rig.play_for(5_000);
    } else {
        rig.play_for_with(0, |platform, stage, asked| {
            if op(asked) != Some(2) {
                platform.answer(stage, asked);
            }
        });
    }
    let mark = rig.mark();
    rig.stage.close(Some(code));
    (rig, mark)
}

#[test]
fn s19_a_final_code_is_told_at_once_and_nothing_is_attempted_for_30_s() {
    for (seed, (code, reason), in_mid_session) in
        SEEDS.flat_map(|seed| FINAL.into_iter().flat_map(move |row| [true, false].map(|in_mid_session| (seed, row, in_mid_session))))
    {
        let (mut rig, mark) = closed_for_good(seed, code, in_mid_session);
        assert_eq!(rig.stage.state(), "halted", "{code}");
        // The end of the 30 s is the earliest moment of the slow lane.
        rig.play_for(29_999);
        assert_eq!(*rig.asked_since(mark), [], "{code}");
        let told = rig.told_since(mark);
        let [Event::Halted { reason: told, detail, .. }] = &told[..] else { panic!("{code}: {told:?}") };
        assert!(*told == reason && detail.contains(&code.to_string()), "{code}: {detail}");
        let lines: Vec<_> = rig.lines().into_iter().filter(|(_, line)| line.to_string().contains(&code.to_string())).collect();
        assert_eq!(lines.len(), 1, "{code}: {lines:?}");
        rig.keeps_the_invariants();
    }
}

#[test]
fn s19_after_a_final_code_a_restart_by_the_owner_makes_one_attempt() {
    for (code, _) in FINAL {
        let (mut rig, mark) = closed_for_good(0, code, true);
        rig.play_for(1_000);
        rig.stage.input(Input::Stop);
        rig.play_for(40_000);
        assert_eq!((rig.stage.state(), rig.connects(mark)), ("stopped", vec![]), "{code}");
        let mut next = Rig::restored(0, slow_lane_of_40_s, rig.stage.memory.clone(), rig.stage.now_ms());
        next.play_for(20_000);
        assert_eq!((next.connects(START).len(), next.token_requests(START).len()), (1, 0), "{code}");
        next.ends_online();
    }
}

#[test]
fn s19_after_a_final_code_a_reload_makes_one_attempt_at_once() {
    for (code, _) in FINAL {
        let (mut rig, mark) = closed_for_good(0, code, true);
        rig.play_for(1_000);
        let at = rig.stage.now_ms();
        let mut config = config();
        config.pace = profile();
        rig.stage.input(Input::Reload(Box::new(config)));
        rig.play_for(20_000);
        assert_eq!(rig.connects(mark), [at], "{code}");
        rig.ends_online();
    }
}

/// Every Identify is refused with op 9 and the end of the stream, without a reason.
fn refused_without_a_reason(seed: u64, max_concurrency: u64) -> Rig {
    let mut rig = Rig::new(seed, |_| {});
    rig.platform.max_concurrency = max_concurrency;
    rig.play_for_with(40_000, |platform, stage, asked| {
        if op(asked) == Some(2) {
            stage.frame(json!({ "op": 9, "d": false }));
            stage.close(None);
        } else {
            platform.answer(stage, asked);
        }
    });
    rig
}

#[test]
fn s20a_five_identifies_refused_without_a_reason_are_enough_and_intents_are_named() {
    for (seed, max_concurrency) in SEEDS.flat_map(|seed| [1, 16].map(|max_concurrency| (seed, max_concurrency))) {
        let rig = refused_without_a_reason(seed, max_concurrency);
        let gaps = gaps(&rig.sent(START, 2));
        // 0.5, 1, 2 and 4 s and up to a quarter of them; or the 5 s of a platform that allows one.
        assert!(gaps[..4].is_sorted(), "{gaps:?}");
        let fifth = rig.sent(START, 2)[4];
        let halts: Vec<_> = rig.told.iter().filter(|(_, event)| matches!(event, Event::Halted { .. })).collect();
        assert!(matches!(halts[0], (at, Event::Halted { reason: HaltReason::IdentifyRefused, .. }) if *at == fifth), "{halts:?}");
        assert!(rig.lines().iter().any(|(at, line)| *at == fifth && line.text.contains("intents")), "{:?}", rig.lines());
        rig.keeps_the_invariants();
    }
}

#[test]
fn s20a_after_five_refused_identifies_at_most_one_comes_in_4_s_where_the_platform_allows_one_in_5_s() {
    for seed in SEEDS {
        at_most_one_in_4_s_after_the_fifth(&refused_without_a_reason(seed, 1));
    }
}

#[test]
fn s20a_after_five_refused_identifies_at_most_one_comes_in_4_s_whatever_the_platform_allows() {
    for seed in SEEDS {
        at_most_one_in_4_s_after_the_fifth(&refused_without_a_reason(seed, 16));
    }
}

fn at_most_one_in_4_s_after_the_fifth(rig: &Rig) {
    let gaps = gaps(&rig.sent(START, 2)[4..]);
    assert!(!gaps.is_empty() && gaps.iter().all(|gap| *gap >= 4_000), "{gaps:?}");
}

#[test]
fn s20b_4014_is_final_at_the_first_identify() {
    for (seed, code) in SEEDS.flat_map(|seed| [4014, 4013].map(|code| (seed, code))) {
        let (mut rig, _) = closed_for_good(seed, code, false);
        assert_eq!(rig.stage.state(), "halted");
        rig.play_for(29_999);
        assert_eq!(rig.sent(START, 2).len(), 1);
        assert!(matches!(rig.told_since(START)[..], [Event::Halted { reason: HaltReason::IntentsRefused, .. }]));
        assert!(rig.lines()[0].1.text.contains("intents"), "{:?}", rig.lines());
        rig.keeps_the_invariants();
    }
}
