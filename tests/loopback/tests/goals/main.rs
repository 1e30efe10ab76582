//! What a bot with shipped settings does in the situations that it is measured by: the counts and the ways, as far as they must hold on any
//! machine. The figures themselves, and the full times, are printed by the benchmark `goals`.

mod storm_minute;

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use auk_loopback::rig::situation::{self, HalfOpen, Outcome};

/// All situations at the same time, from when the first is asked for: most of their time is waiting.
static RUNNING: LazyLock<Mutex<BTreeMap<&'static str, JoinHandle<Outcome>>>> = LazyLock::new(|| {
    LazyLock::force(&storm_minute::STORM);
    let mut running = BTreeMap::from([
        ("dead token", thread::spawn(|| situation::token_revoked(1_000, 6_000))),
        ("look-ups refused", thread::spawn(|| situation::look_ups_refused(13_000, 3))),
        ("ports refused", thread::spawn(|| situation::refused(12_000))),
        ("killed", thread::spawn(|| situation::killed(4_000, 5))),
        ("no Hello", thread::spawn(|| situation::no_hello(13_000))),
        ("half open", thread::spawn(|| situation::half_open(HalfOpen::Link))),
        ("all frozen", thread::spawn(|| situation::half_open(HalfOpen::Everything))),
        ("replayed", thread::spawn(|| situation::replayed(1_000).0)),
        ("doubled", thread::spawn(|| situation::doubled(200, 3))),
    ]);
    running.extend(situation::planned_ends().map(|(name, act)| (name, thread::spawn(move || situation::ended_by(&act)))));
    Mutex::new(running)
});

fn outcome_of(situation: &str) -> Outcome {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).remove(situation);
    running.expect("asked for once").join().expect("see above")
}

fn assert_nothing_lost(outcome: &Outcome) {
    assert_eq!((outcome.lost, outcome.doubled), (0, 0), "{outcome:?}");
    assert!(outcome.links_max <= 1, "never two links: {outcome:?}");
}

#[test]
fn a_dead_token_that_is_handed_out_again_costs_at_most_three_token_calls_and_the_next_one_mends_it() {
    // 6 s instead of 21.7. The limit is three requests in a minute, and the start has had one of them: the others come at once, which
    // brings the dead token again, and 7.5 s later, which brings a new one.
    let outcome = outcome_of("dead token");
    assert_nothing_lost(&outcome);
    assert_eq!(outcome.token_requests, 3, "{outcome:?}");
    // The first link, and what follows the new token; nothing is tried without one.
    assert!(outcome.connects <= 8 && outcome.look_ups <= 3, "{outcome:?}");
    // 1.5 s by the schedule, and what a busy machine adds.
    assert!(outcome.back_ms <= 4_000, "{outcome:?}");
}

#[test]
fn refused_look_ups_cost_nothing_while_the_address_is_known() {
    // 13 s instead of 60: three cuts, each of a settled session.
    let outcome = outcome_of("look-ups refused");
    assert_nothing_lost(&outcome);
    assert_eq!((outcome.look_ups, outcome.identifies, outcome.resumes), (1, 1, 3), "{outcome:?}");
    assert!(outcome.offline_ms.iter().sum::<u64>() <= 3_000, "at once each time, not after a back-off: {outcome:?}");
}

#[test]
fn refused_ports_are_tried_evenly_and_said_in_two_lines() {
    // 12 s instead of 31.3. Evenly 1.4 s plus or minus a quarter, and at once at first: 12 / 1.75 = 6 to 12 / 1.05 + 2 = 13 attempts, and
    // the two look-ups that refusals call for.
    let outcome = outcome_of("ports refused");
    assert_nothing_lost(&outcome);
    assert!((6..=15).contains(&outcome.attempts_failed), "{outcome:?}");
    // The largest wait is 1.75 s.
    assert!(outcome.back_ms <= 4_000, "{outcome:?}");
    assert_eq!((outcome.identifies, outcome.resumes, outcome.log_lines), (1, 1, 2), "{outcome:?}");
}

#[test]
fn a_link_that_is_killed_again_and_again_is_resumed_at_once_each_time() {
    // 5 times in 20 s instead of 12 in a minute.
    let outcome = outcome_of("killed");
    assert_nothing_lost(&outcome);
    assert_eq!((outcome.identifies, outcome.resumes, outcome.offline_ms.len()), (1, 5, 5), "{outcome:?}");
    // A back-off would be 1.05 s at least.
    assert!(outcome.offline_ms.iter().all(|ms| *ms < 1_000), "{outcome:?}");
}

#[test]
fn each_planned_end_has_its_way_back() {
    for (name, _) in situation::planned_ends() {
        let outcome = outcome_of(name);
        assert_nothing_lost(&outcome);
        let expected = if name == "op 7" || name == "4009" { (1, 1) } else { (2, 0) };
        assert_eq!((outcome.identifies, outcome.resumes), expected, "{name}: {outcome:?}");
        // At once, or after the pause of 0.25 to 0.31 s behind op 9.
        assert!(outcome.offline_ms[0] < 1_000, "{name}: {outcome:?}");
    }
}

#[test]
fn an_upgrade_without_hello_is_given_up_after_four_seconds() {
    // 13 s instead of 40: limits of 4 s and waits of 1.05 to 1.75 s make three attempts, at 0, 5.4 and 10.8 s.
    let outcome = outcome_of("no Hello");
    assert_nothing_lost(&outcome);
    // The first link of all, these, and the one that is mended.
    assert!((4..=6).contains(&outcome.connects), "{outcome:?}");
    // The rest of a limit of 4 s and a wait of 1.75 s.
    assert!(outcome.back_ms <= 8_000, "{outcome:?}");
    assert_eq!((outcome.identifies, outcome.resumes), (1, 1), "{outcome:?}");
}

#[test]
fn a_half_open_link_is_resumed_within_an_interval_and_two_short_waits() {
    assert_resumed_whole(&outcome_of("half open"));
}

#[test]
fn calls_do_not_go_out_on_connections_that_a_frozen_network_swallowed() {
    assert_resumed_whole(&outcome_of("all frozen"));
}

/// 5 s to the next heartbeat, 1.25 s for each of two.
fn assert_resumed_whole(outcome: &Outcome) {
    assert_eq!((outcome.lost, outcome.doubled, outcome.identifies, outcome.resumes), (0, 0, 1, 1), "{outcome:?}");
    assert!((2_000..=10_000).contains(&outcome.back_ms), "{outcome:?}");
}

#[test]
fn a_thousand_events_during_a_drop_are_answered_once_each() {
    let outcome = outcome_of("replayed");
    assert_nothing_lost(&outcome);
    assert_eq!((outcome.identifies, outcome.resumes), (1, 1), "{outcome:?}");
}

#[test]
fn a_rate_above_the_platforms_waits_in_a_queue_and_loses_nothing() {
    // 200 a second for 3 s, each pushed twice: the platform takes 100 posts a second and refuses the next.
    let outcome = outcome_of("doubled");
    assert_nothing_lost(&outcome);
}
