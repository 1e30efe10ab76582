//! A bot with shipped settings in the troubles of the field, one after another, for a minute: what the platform counts meanwhile. The days of
//! each on simulated time are among the stories of the gateway.

use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use auk_loopback::rig::{Conduct, Echo, assert_conduct, say};
use auk_simulator::model::{Act, InvalidSession, Seen};
use auk_simulator::{Platform, Settings};
use serde_json::json;

/// One trouble of the schedule.
#[derive(Clone, Copy)]
enum Trouble {
    /// The token is dead, and the endpoint hands the same one out again: 4004 at the gateway, 401 at the look-up.
    DeadToken,
    /// Look-ups answer 100017.
    RateLimit,
    /// Each link is cut a moment after it opened.
    Flap,
    /// Each Identify and each Resume is answered with op 9 and `false`.
    InvalidSessionLoop,
    /// The platform closes each link of its own accord.
    OwnClose(u16),
    /// None of them.
    None,
}

/// When each trouble begins, in ms; it ends when the next one begins. The dead token comes last: it takes the bot off line until the limit
/// on token requests lets it ask again, and what came behind it would meet nobody.
const SCHEDULE: [(u64, Trouble); 7] = [
    (4_000, Trouble::RateLimit),
    (9_000, Trouble::Flap),
    (22_000, Trouble::InvalidSessionLoop),
    (34_000, Trouble::OwnClose(4_009)),
    (38_000, Trouble::OwnClose(4_900)),
    (44_000, Trouble::DeadToken),
    (56_000, Trouble::None),
];
const END_MS: u64 = 60_000;

/// A storm's bounds, over `ms` from the start: so many at once, and one more in so long.
fn at_most(burst: u64, interval_ms: u64, ms: u64) -> u64 {
    burst + ms / interval_ms
}

/// The storm, which begins with whatever is asked for first: it takes the longest.
pub static STORM: LazyLock<Mutex<Option<JoinHandle<()>>>> = LazyLock::new(|| Mutex::new(Some(thread::spawn(storm))));

#[test]
fn a_minute_of_troubles_stays_within_the_limits_of_look_ups_token_requests_connects_and_identifies() {
    let running = STORM.lock().unwrap_or_else(PoisonError::into_inner).take();
    running.expect("asked for once").join().expect("see above");
}

fn storm() {
    let platform = Platform::start(Settings { revoke_closes_links: true, ..Settings::default() });
    let mut echo = Echo::start(&platform, platform.base_url(), &[]);
    let began = Instant::now();
    let mut troubles = SCHEDULE.into_iter().peekable();
    while began.elapsed() < Duration::from_millis(END_MS) {
        if let Some((_, trouble)) = troubles.next_if(|(from_ms, _)| began.elapsed() >= Duration::from_millis(*from_ms)) {
            befall(&platform, trouble);
        }
        say(&platform, "q");
        thread::sleep(Duration::from_millis(500));
    }
    let state = platform.state();
    let ms = state.now_ms;
    println!(
        "storm/{} s: {} look-ups, {} token requests, {} connects, {} identifies, {} resumes",
        ms / 1_000,
        state.lookups.total,
        state.token_requests.total,
        state.connects.total,
        state.identifies.total,
        state.resumes.total
    );
    // It was a storm: each trouble cost a link or more.
    assert!(state.connects.total >= 5 && state.identifies.total >= 2, "{state:?}");
    let busiest = |is: fn(&Seen) -> bool| busiest_minute(&platform, is);
    assert!(busiest(|seen| matches!(seen, Seen::Lookup { .. })) <= 3);
    assert!(busiest(|seen| matches!(seen, Seen::TokenRequest { .. })) <= 3);
    assert!(state.connects.total <= at_most(35, 15_000, ms), "{state:?}");
    assert!(state.identifies.total <= at_most(10, 90_000, ms), "{state:?}");
    assert_conduct(&platform, Conduct { dead_tokens: true });
    let (_, is_success) = echo.0.terminate();
    assert!(is_success, "it survived");
    assert!(echo.0.errors().iter().all(|line| !line.contains("panicked")), "{:?}", echo.0.errors());
}

fn befall(platform: &Platform, trouble: Trouble) {
    platform.act(&Act::Heal);
    match trouble {
        Trouble::DeadToken => {
            platform.patch_faults(&json!({ "same_dead_token": true })).expect("known");
            platform.act(&Act::RevokeToken);
        }
        Trouble::RateLimit => {
            platform.act(&Act::RateLimitAddress { seconds: 60 });
            platform.act(&Act::Cut);
        }
        Trouble::Flap => platform.patch_faults(&json!({ "flap_after_ms": 50 })).expect("known"),
        Trouble::InvalidSessionLoop => {
            platform.patch_faults(&json!({ "every_identify_op9": false, "every_resume_op9": false })).expect("known");
            platform.act(&Act::Op9(InvalidSession::Dead));
        }
        Trouble::OwnClose(code) => platform.act(&Act::Close(code)),
        Trouble::None => {}
    }
}

/// The most of these in any minute.
fn busiest_minute(platform: &Platform, is: fn(&Seen) -> bool) -> usize {
    let times: Vec<u64> = platform.records().iter().filter(|r| is(&r.seen)).map(|r| r.at_ms).collect();
    times.iter().map(|from| times.iter().filter(|at| (*from..from + 60_000).contains(*at)).count()).max().unwrap_or(0)
}
