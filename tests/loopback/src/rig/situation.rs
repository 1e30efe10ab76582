//! What may befall a bot with shipped settings, and what becomes of it: for tests that hold it to its bounds and for the benchmark that
//! prints the figures.

use std::time::{Duration, Instant};

use auk_simulator::model::{Act, InvalidSession, Seen};
use auk_simulator::{Platform, Settings};
use serde_json::json;

use super::{Consumer, Echo, Relay, Way, say};
use crate::eventually_within;

/// What was measured of a situation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// From the end of the trouble until the bot was online.
    pub back_ms: u64,
    /// Each time off line, from the end of a link to READY or RESUMED.
    pub offline_ms: Vec<u64>,
    /// WebSocket upgrades that the platform saw.
    pub connects: u64,
    /// Address look-ups.
    pub look_ups: u64,
    /// Token requests.
    pub token_requests: u64,
    /// Identifies.
    pub identifies: u64,
    /// Resumes.
    pub resumes: u64,
    /// Attempts that the client itself counts as failed, where the platform cannot see them.
    pub attempts_failed: usize,
    /// Lines in the log, where there is one.
    pub log_lines: usize,
    /// The most links past Hello at a time.
    pub links_max: usize,
    /// Questions that stayed without answer.
    pub lost: usize,
    /// Answers beyond one for each question.
    pub doubled: usize,
    /// The most places by which an answer came too early or too late.
    pub displaced: usize,
}

/// Longer than any wait for the end of a trouble here.
const BACK_MS_MAX: u64 = 90_000;
/// A session that was ready for 3 s counts as settled.
const SETTLED_MS: u64 = 3_300;

/// The questions asked so far, each to be answered once.
#[derive(Default)]
struct Questions(Vec<String>);

impl Questions {
    fn ask(&mut self, platform: &Platform) {
        self.0.push(say(platform, &format!("q{}", self.0.len())));
    }

    /// Asks a question a second for so long.
    fn ask_for(&mut self, platform: &Platform, ms: u64) {
        let end = Instant::now() + Duration::from_millis(ms);
        while Instant::now() < end {
            self.ask(platform);
            std::thread::sleep((end - Instant::now().min(end)).min(Duration::from_secs(1)));
        }
    }
}

/// After a while of peace token and platform refuse the token for so long, and the endpoint hands the same one out again until then.
pub fn token_revoked(peace_ms: u64, ms: u64) -> Outcome {
    let platform = Platform::start(Settings { revoke_closes_links: true, ..Settings::default() });
    let _echo = Echo::start(&platform, platform.base_url(), &[]);
    let mut questions = Questions::default();
    questions.ask_for(&platform, peace_ms);
    platform.patch_faults(&json!({ "same_dead_token": true })).expect("known");
    platform.act(&Act::RevokeToken);
    questions.ask_for(&platform, ms);
    platform.patch_faults(&json!({ "same_dead_token": null })).expect("known");
    finish(&platform, &questions)
}

/// Look-ups are refused for the rate, and the link is cut now and then meanwhile.
pub fn look_ups_refused(ms: u64, cuts: u64) -> Outcome {
    let platform = Platform::start(Settings::default());
    let _echo = Echo::start(&platform, platform.base_url(), &[]);
    let mut questions = Questions::default();
    platform.act(&Act::RateLimitAddress { seconds: ms.div_ceil(1_000) });
    for _ in 0..cuts {
        questions.ask_for(&platform, ms / cuts);
        platform.act(&Act::Cut);
    }
    finish(&platform, &questions)
}

/// All ports refuse. The refusals are counted by the client, a process with shipped settings like the others, since nobody else sees them.
pub fn refused(ms: u64) -> Outcome {
    let platform = Platform::start(Settings::default());
    let relay = Relay::to(platform.base_url());
    let mut consumer = Consumer::ready(&relay.base_url(), &[("AUK_TEST_SHIPPED", "1"), ("AUK_TEST_LOG", "info")]);
    std::thread::sleep(Duration::from_millis(SETTLED_MS));
    let (mark, lines) = (consumer.mark(), consumer.0.errors().len());
    relay.refuse();
    relay.fin(Way::ToClient);
    let mut said = Questions::default();
    said.ask_for(&platform, ms);
    relay.listen();
    let back_ms = await_online(&platform);
    eventually_within(BACK_MS_MAX, "all of them", || (consumer.texts().len() >= said.0.len()).then_some(()));
    let texts = consumer.texts();
    let failed = consumer.seen().iter().skip(mark).filter(|seen| seen["kind"] == "lost" || seen["kind"] == "set_back").count();
    let lines = consumer.0.errors().len() - lines;
    consumer.0.terminate();
    let expected: Vec<String> = (0..said.0.len()).map(|n| format!("q{n}")).collect();
    let counted = finish_without_answers(&platform, back_ms);
    Outcome {
        // The loss itself is the first of them, and no attempt.
        attempts_failed: failed - 1,
        log_lines: lines,
        lost: expected.iter().filter(|text| !texts.contains(text)).count(),
        doubled: texts.len().saturating_sub(expected.len()),
        displaced: displaced(&expected, &texts),
        ..counted
    }
}

/// The link ends again and again, in turn with FIN and RST.
pub fn killed(every_ms: u64, times: usize) -> Outcome {
    let platform = Platform::start(Settings::default());
    let relay = Relay::to(platform.base_url());
    let _echo = Echo::start(&platform, &relay.base_url(), &[]);
    let mut questions = Questions::default();
    for n in 0..times {
        questions.ask_for(&platform, every_ms);
        if n % 2 == 0 {
            relay.fin(Way::ToClient)
        } else {
            relay.rst(Way::ToClient)
        }
        questions.ask(&platform);
        await_online_again(&platform, n + 1);
    }
    finish(&platform, &questions)
}

/// One act of the platform that ends the link or the session.
pub fn ended_by(act: &Act) -> Outcome {
    let platform = Platform::start(Settings::default());
    let _echo = Echo::start(&platform, platform.base_url(), &[]);
    let mut questions = Questions::default();
    // Beyond the 5 s that the platform's `max_concurrency` puts between two Identifies, and settled.
    questions.ask_for(&platform, 5_500);
    let began_ms = platform.state().now_ms;
    platform.act(act);
    let back = |seen: &Seen| matches!(seen, Seen::Ready { .. } | Seen::Resumed { .. });
    let back_at_ms = eventually_within(BACK_MS_MAX, "it is back", || {
        platform.records().iter().find(|r| r.at_ms >= began_ms && back(&r.seen)).map(|r| r.at_ms)
    });
    questions.ask(&platform);
    Outcome { offline_ms: vec![back_at_ms - began_ms], ..finish(&platform, &questions) }
}

/// The acts that the goals name.
pub fn planned_ends() -> [(&'static str, Act); 4] {
    [("op 7", Act::Op7), ("op 9 false", Act::Op9(InvalidSession::Dead)), ("4009", Act::Close(4009)), ("4900", Act::Close(4900))]
}

/// Upgrades are made, and no Hello follows.
pub fn no_hello(ms: u64) -> Outcome {
    let platform = Platform::start(Settings::default());
    let _echo = Echo::start(&platform, platform.base_url(), &[]);
    let mut questions = Questions::default();
    questions.ask_for(&platform, SETTLED_MS);
    platform.patch_faults(&json!({ "no_hello": true })).expect("known");
    platform.act(&Act::Cut);
    questions.ask_for(&platform, ms);
    platform.patch_faults(&json!({ "no_hello": null })).expect("known");
    finish(&platform, &questions)
}

/// What is half open: the other side hears and says nothing more, and no end of TCP tells so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfOpen {
    /// The WebSocket.
    Link,
    /// Every connection of the client, those that are kept for calls as well.
    Everything,
}

/// Connections freeze both ways while the platform announces a heartbeat interval of 5 s.
pub fn half_open(what: HalfOpen) -> Outcome {
    let platform = Platform::start(Settings { heartbeat_interval_ms: 5_000, heartbeat_intervals_missed_max: 0, ..Settings::default() });
    let relay = Relay::to(platform.base_url());
    let base_url = match what {
        HalfOpen::Link => {
            let url = format!("{}/websocket", relay.base_url().replacen("http", "ws", 1));
            platform.patch_faults(&json!({ "address_url": url })).expect("known");
            platform.base_url().to_owned()
        }
        HalfOpen::Everything => relay.base_url(),
    };
    let _echo = Echo::start(&platform, &base_url, &[]);
    let mut questions = Questions::default();
    questions.ask_for(&platform, SETTLED_MS);
    eventually_within(BACK_MS_MAX, "an ACK", || (platform.state().heartbeats.total > 0).then_some(()));
    let began = Instant::now();
    relay.freeze_open();
    questions.ask(&platform);
    await_online_again(&platform, 1);
    let back_ms = elapsed_ms(began);
    Outcome { back_ms, ..finish(&platform, &questions) }
}

/// So many events come while the link is away. Returns besides the time from the new upgrade to RESUMED.
pub fn replayed(events: usize) -> (Outcome, u64) {
    let platform = Platform::start(Settings { sends_per_second_max: 100, ..Settings::default() });
    let _echo = Echo::start(&platform, platform.base_url(), &[]);
    let mut questions = Questions::default();
    questions.ask_for(&platform, SETTLED_MS);
    platform.patch_faults(&json!({ "refuse_upgrade": 503 })).expect("known");
    platform.act(&Act::Cut);
    (0..events).for_each(|_| questions.ask(&platform));
    platform.patch_faults(&json!({ "refuse_upgrade": null })).expect("known");
    await_online_again(&platform, 1);
    let records = platform.records();
    let at = |wanted: fn(&Seen) -> bool| records.iter().rfind(|r| wanted(&r.seen)).expect("there is one").at_ms;
    let opened_ms = at(|seen| matches!(seen, Seen::Connected { .. }));
    let resumed_ms = at(|seen| matches!(seen, Seen::Resumed { .. }));
    (finish(&platform, &questions), resumed_ms - opened_ms)
}

/// Tokens live for 75 s, of which the last minute brings a new one; op 7 comes in between. A token is in use until 3/10 of its life are
/// left, 52.5 s, and this ends a second before the last one is replaced.
pub fn short_tokens(lives: u64) -> Outcome {
    let ms = lives * 52_500 - 1_000;
    let platform = Platform::start(Settings { token_life_s: 75, ..Settings::default() });
    let _echo = Echo::start(&platform, platform.base_url(), &[]);
    let mut questions = Questions::default();
    questions.ask_for(&platform, ms / 2);
    platform.act(&Act::Op7);
    questions.ask_for(&platform, ms / 2);
    finish(&platform, &questions)
}

/// Each message is pushed twice, at so many a second for so long.
pub fn doubled(per_second: u64, seconds: u64) -> Outcome {
    let platform = Platform::start(Settings::default());
    let _echo = Echo::start(&platform, platform.base_url(), &[]);
    platform.patch_faults(&json!({ "duplicate_push": true })).expect("known");
    let mut questions = Questions::default();
    for _ in 0..per_second * seconds {
        questions.ask(&platform);
        std::thread::sleep(Duration::from_millis(1_000 / per_second));
    }
    finish(&platform, &questions)
}

fn await_online(platform: &Platform) -> u64 {
    let began = Instant::now();
    eventually_within(BACK_MS_MAX, "it is online", || platform.state().online.then_some(()));
    elapsed_ms(began)
}

/// Waits for the `n`-th RESUMED.
fn await_online_again(platform: &Platform, n: usize) {
    let resumed = || platform.records().iter().filter(|r| matches!(r.seen, Seen::Resumed { .. })).count();
    eventually_within(BACK_MS_MAX, "resumed", || (resumed() >= n).then_some(()));
}

fn elapsed_ms(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Waits until the bot is online and has answered everything, and counts.
fn finish(platform: &Platform, questions: &Questions) -> Outcome {
    let back_ms = await_online(platform);
    let is_answered =
        |posted: &[auk_simulator::Posted]| questions.0.iter().all(|asked| posted.iter().any(|p| p.msg_id.as_ref() == Some(asked)));
    // What is missing then is lost, and counted below.
    let deadline = Instant::now() + Duration::from_secs(20);
    while Instant::now() < deadline && (platform.posted().len() < questions.0.len() || !is_answered(&platform.posted())) {
        std::thread::sleep(Duration::from_millis(20));
    }
    // A second answer would follow the first at once.
    std::thread::sleep(Duration::from_millis(200));
    let answered: Vec<String> = platform.posted().iter().filter_map(|posted| posted.msg_id.clone()).collect();
    let lost = questions.0.iter().filter(|asked| !answered.contains(asked)).count();
    Outcome {
        lost,
        doubled: (answered.len() + lost).saturating_sub(questions.0.len()),
        displaced: displaced(&questions.0, &answered),
        ..finish_without_answers(platform, back_ms)
    }
}

fn displaced(asked: &[String], answered: &[String]) -> usize {
    let place = |text: &String| answered.iter().position(|answer| answer == text);
    asked.iter().enumerate().filter_map(|(n, text)| Some(place(text)?.abs_diff(n))).max().unwrap_or(0)
}

fn finish_without_answers(platform: &Platform, back_ms: u64) -> Outcome {
    let state = platform.state();
    let (offline_ms, links_max) = links(platform);
    Outcome {
        back_ms,
        offline_ms,
        connects: state.connects.total,
        look_ups: state.lookups.total,
        token_requests: state.token_requests.total,
        identifies: state.identifies.total,
        resumes: state.resumes.total,
        links_max,
        ..Outcome::default()
    }
}

/// Each time without a link that is ready, and the most links past Hello at a time.
fn links(platform: &Platform) -> (Vec<u64>, usize) {
    let (mut offline_ms, mut ready, mut since, mut open, mut links_max) = (Vec::new(), None, None, Vec::new(), 0);
    for record in platform.records() {
        match record.seen {
            Seen::Hello { conn } => {
                open.push(conn);
                links_max = links_max.max(open.len());
            }
            Seen::Ready { conn, .. } | Seen::Resumed { conn, .. } => {
                ready = Some(conn);
                offline_ms.extend(since.take().map(|since: u64| record.at_ms - since));
            }
            Seen::Closed { conn, .. } => {
                open.retain(|open| *open != conn);
                if ready == Some(conn) {
                    (ready, since) = (None, Some(record.at_ms));
                }
            }
            Seen::TokenRequest { .. }
            | Seen::Lookup { .. }
            | Seen::Api { .. }
            | Seen::UpgradeRefused { .. }
            | Seen::Connected { .. }
            | Seen::Identify { .. }
            | Seen::Resume { .. }
            | Seen::Heartbeat { .. }
            | Seen::Frame { .. }
            | Seen::Dispatched { .. }
            | Seen::Control { .. }
            | Seen::Webhook { .. } => {}
        }
    }
    (offline_ms, links_max)
}
