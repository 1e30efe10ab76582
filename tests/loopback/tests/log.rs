//! How much is said in the log, and how little: what an operator's disk has to bear in ten days of any trouble.

use auk_bridge::{HoldCause, Notice};
use auk_gateway::{
    ConnectFailure, Credentials, Effect, Event, Gateway, GatewayConfig, HaltReason, HttpAnswer, HttpFailure, Input, Language, LinkStep,
    LossCause, Setback, Timestamp,
};
use auk_runtime::log::{EventLog, Folder, Folding, Hosts, Level, Line, NoticeLog};

const DAY_MS: u64 = 24 * 3_600_000;
const TEN_DAYS_MS: u64 = 10 * DAY_MS;
/// When every story begins: some time after the Unix epoch.
const START_MS: u64 = 1_800_000_000_000;

fn at(ms: u64) -> Timestamp {
    Timestamp::from_ms(START_MS + ms)
}

fn log() -> EventLog {
    let hosts = Hosts { token: "token.example".to_owned(), api: "api.example".to_owned(), gateway: String::new() };
    let mut log = EventLog::new(Language::ZhCn, hosts);
    log.connecting("gateway.example".to_owned());
    log
}

fn lost(cause: LossCause, retry_in_ms: u64) -> Event {
    Event::Lost { cause, retry_in_ms, session_kept: true }
}

fn refused(retry_in_ms: u64) -> Event {
    lost(LossCause::Transport(ConnectFailure::Refused), retry_in_ms)
}

fn ready() -> Event {
    Event::Ready { bot_name: None }
}

/// Lines and bytes, for the operator (INFO and above) and with DEBUG.
#[derive(Default)]
struct Tally {
    operator: (usize, usize),
    all: (usize, usize),
}

impl Tally {
    fn count(&mut self, line: Option<Line>) {
        let Some(line) = line else { return };
        // A logger adds the end of the line.
        let bytes = line.to_string().len() + 1;
        self.all = (self.all.0 + 1, self.all.1 + bytes);
        if line.level != Level::Debug {
            self.operator = (self.operator.0 + 1, self.operator.1 + bytes);
        }
    }

    /// As `Folding` derives it. Both folders count for DEBUG, since a line is said by one of them.
    fn assert_bounded(&self) {
        assert!(self.operator.0 <= 1_540, "{}", self.operator.0);
        assert!(self.operator.1 < 1_000_000, "{}", self.operator.1);
        assert!(self.all.0 <= 1_540 + 15_400, "{}", self.all.0);
        assert!(self.all.1 < 11_000_000, "{}", self.all.1);
    }
}

#[test]
fn an_outage_of_half_a_minute_is_two_lines() {
    let mut log = log();
    log.note(&ready(), at(0));
    let mut story = vec![(100_000, lost(LossCause::Closed(None), 0))];
    story.extend((0..21).map(|n| (100_010 + n * 1_400, refused(1_400))));
    // After some refusals the address is asked for anew, and is not had either.
    story.push((110_000, Event::SetBack { setback: Setback::Address(HttpFailure::Unreachable.to_string()), retry_in_ms: 1_400 }));
    story.push((115_000, lost(LossCause::Deadline(LinkStep::Connect), 1_400)));
    story.push((130_000, Event::Resumed { replayed: 0 }));
    story.sort_by_key(|(ms, _)| *ms);
    let lines: Vec<Line> = story.iter().filter_map(|(ms, event)| log.note(event, at(*ms))).collect();
    let said: Vec<&Line> = lines.iter().filter(|line| line.level != Level::Debug).collect();
    assert_eq!(said.len(), 2, "{said:#?}");
    assert_eq!((said[0].level, said[1].level), (Level::Warn, Level::Info));
    assert!(said[0].to_string().contains("retry_in_ms=1400"), "{}", said[0]);
    // From 100 s to 130 s; 1 cut, 21 refusals, one look-up, one deadline.
    assert!(said[1].to_string().contains("outage_ms=30000") && said[1].to_string().contains("attempts_failed=24"), "{}", said[1]);
    assert_eq!(lines.len(), 25, "for DEBUG each is there");
}

#[test]
fn a_loss_that_the_first_attempt_mends_stays_at_debug() {
    let mut log = log();
    log.note(&ready(), at(0));
    let lines = [log.note(&lost(LossCause::Reconnect, 0), at(1_800_000)), log.note(&Event::Resumed { replayed: 2 }, at(1_800_200))];
    assert!(lines.iter().flatten().all(|line| line.level == Level::Debug), "{lines:?}");
    assert_eq!(lines.iter().flatten().count(), 2);
}

#[test]
fn ten_days_without_a_network_are_243_lines() {
    let (mut log, mut tally) = (log(), Tally::default());
    log.note(&ready(), at(0));
    for ms in (0..TEN_DAYS_MS).step_by(60_000) {
        tally.count(log.note(&refused(60_000), at(ms)));
    }
    tally.count(log.note(&Event::Resumed { replayed: 0 }, at(TEN_DAYS_MS)));
    // At 0, 1 and 11 minutes, then hourly while 14,400 minutes last: 1 + 1 + 1 + (14,399 - 11) / 60 = 242; and the end.
    assert_eq!(tally.operator.0, 243);
    assert!(tally.operator.1 < 100_000, "{}", tally.operator.1);
    // 14,400 refusals, one a minute, of which 242 were said: each of the others is there, since the bucket loses one a minute.
    assert_eq!(tally.all.0, 14_401);
    tally.assert_bounded();
}

#[test]
fn ten_days_in_which_nothing_is_reached_from_the_start_are_as_few() {
    let credentials = Credentials::new("102000001", "secret").expect("usable");
    let mut gateway = Gateway::new(GatewayConfig { seed: 7, ..GatewayConfig::new(credentials) }, at(0));
    let (mut log, mut tally) = (log(), Tally::default());
    let mut now = at(0);
    while now < at(TEN_DAYS_MS) {
        let mut asked = Vec::new();
        while let Some(effect) = gateway.poll_effect() {
            if let Effect::FetchToken { request, .. } = effect {
                asked.push(request);
            }
        }
        while let Some(event) = gateway.poll_event() {
            tally.count(log.note(&event, now));
        }
        if asked.is_empty() {
            now = gateway.poll_timeout().expect("it goes on").max(now);
            gateway.handle_timeout(now);
        }
        for request in asked {
            now = now + 20;
            gateway.handle_input(Input::TokenAnswered { request, answer: HttpAnswer::Failed(HttpFailure::Unreachable) }, now);
        }
    }
    // Hourly at most, and the three lines of the first hour.
    assert!((200..=243).contains(&tally.operator.0), "{}", tally.operator.0);
    tally.assert_bounded();
}

#[test]
fn ten_days_of_a_session_that_never_lives_for_long_are_bounded() {
    let (mut log, mut tally) = (log(), Tally::default());
    for ms in (0..TEN_DAYS_MS).step_by(4_000) {
        tally.count(log.note(&ready(), at(ms)));
        tally.count(log.note(&lost(LossCause::Closed(Some(4009)), 1_400), at(ms + 2_000)));
    }
    tally.assert_bounded();
}

#[test]
fn ten_days_of_all_troubles_in_any_order_are_bounded() {
    let mut chance = fastrand::Rng::with_seed(11);
    let (mut log, mut tally) = (log(), Tally::default());
    let mut ms = 0;
    while ms < TEN_DAYS_MS {
        tally.count(log.note(&any_event(&mut chance), at(ms)));
        // Quiet times as well: a kind that begins anew is said at once.
        ms += if chance.u8(..) == 0 { chance.u64(0..2_000_000) } else { chance.u64(0..3_000) };
    }
    tally.assert_bounded();
    // The bucket does hold: without it some tens of kinds would have been said far more often.
    assert!(tally.operator.0 > 1_000, "{}", tally.operator.0);
}

fn any_event(chance: &mut fastrand::Rng) -> Event {
    let retry_in_ms = if chance.bool() { 0 } else { chance.u64(0..4_000_000) };
    let long = "x".repeat(chance.usize(0..4_000));
    match chance.u8(0..12) {
        0 => ready(),
        1 => Event::Resumed { replayed: chance.u64(..) },
        2 => lost(LossCause::Closed(Some(chance.u16(..))), retry_in_ms),
        3 => refused(retry_in_ms),
        4 => lost(LossCause::Transport(ConnectFailure::Upgrade(chance.u16(400..600))), retry_in_ms),
        5 => Event::SetBack { setback: Setback::Token(format!("HTTP 200, code {} {long}", chance.u32(..))), retry_in_ms },
        6 => Event::SetBack { setback: Setback::Address(format!("HTTP {}", chance.u16(400..600))), retry_in_ms },
        7 => Event::SetBack { setback: Setback::Braked("allowance of new sessions"), retry_in_ms },
        8 => Event::Halted { reason: HaltReason::BotBanned, detail: long, retry_in_ms, repeated: chance.bool() },
        9 => Event::Contested { sessions: 3 },
        10 => Event::UnreadableFrame { bytes: chance.usize(..) },
        _ => Event::SetBack { setback: Setback::SameDeadToken, retry_in_ms },
    }
}

#[test]
fn repeats_are_told_with_their_number_after_a_minute_then_ten_then_hourly() {
    let mut folder = Folder::new(Folding::OPERATOR);
    let said: Vec<(u64, u64)> = (0..=180)
        .filter_map(|minute| {
            let said = folder.admit("refused at port 50123", at(minute * 60_000))?;
            Some((minute, said.folded))
        })
        .collect();
    // 0, 0 + 1, 1 + 10, 11 + 60, 71 + 60; what lies between is counted.
    assert_eq!(said, [(0, 0), (1, 0), (11, 9), (71, 59), (131, 59)]);
}

#[test]
fn what_was_quiet_for_twenty_minutes_is_news_again() {
    let mut folder = Folder::new(Folding::OPERATOR);
    assert!(folder.admit("kind", at(0)).is_some());
    assert!(folder.admit("kind", at(30_000)).is_none());
    assert!(folder.admit("kind", at(60_000)).is_some());
    // Ten minutes after the last line, but not quiet for twenty: the third line of the row, and then an hour of silence.
    assert!(folder.admit("kind", at(660_000)).is_some());
    assert!(folder.admit("kind", at(1_800_000)).is_none());
    assert!(folder.admit("kind", at(1_800_000 + 1_200_000)).is_some());
}

#[test]
fn codes_make_kinds_and_other_numbers_do_not() {
    let mut folder = Folder::new(Folding::OPERATOR);
    for (kind, is_new) in [
        ("closed 4903", true),
        ("closed 4904", true),
        ("closed 4903", false),
        ("HTTP 502, code 11244", true),
        ("HTTP 503, code 11244", true),
        ("from port 50123", true),
        ("from port 50124", false),
        ("sequence 17", true),
        ("sequence 18", false),
    ] {
        assert_eq!(folder.admit(kind, at(0)).is_some(), is_new, "{kind}");
    }
}

#[test]
fn the_end_of_an_outage_that_was_said_is_said_even_when_the_log_is_full() {
    let mut log = log();
    // Codes that nobody knows, one a second: each is a kind of its own, until the bucket of 100 lines is full.
    for code in 0..200 {
        log.note(&lost(LossCause::Closed(Some(5_000 + code)), 1_400), at(u64::from(code) * 1_000));
    }
    assert!(log.note(&refused(1_400), at(200_000)).is_some_and(|line| line.level == Level::Debug));
    let end = log.note(&Event::Resumed { replayed: 0 }, at(201_000)).expect("said");
    assert_eq!(end.level, Level::Info);
}

#[test]
fn a_close_code_comes_with_advice_and_a_contest_too_in_both_languages() {
    for (language, of_code, of_contest) in [(Language::ZhCn, "intents", "同一个 AppID"), (Language::EnUs, "intents", "same app id")] {
        let mut log = EventLog::new(language, Hosts::default());
        let line = log.note(&lost(LossCause::Closed(Some(4903)), 1_400), at(0)).expect("said");
        assert!(line.level == Level::Warn && line.text.contains(of_code) && line.to_string().contains("4903"), "{line}");
        let line = log.note(&Event::Contested { sessions: 3 }, at(0)).expect("said");
        assert!(line.level == Level::Warn && line.text.contains(of_contest), "{line}");
    }
}

fn refused_post(group: &str, code: i64) -> Notice {
    Notice::Refused { group: group.to_owned(), code: Some(code), status: 400, lines: 1 }
}

fn muted(group: &str) -> Notice {
    Notice::Held { group: group.to_owned(), cause: HoldCause::Muted, code: Some(304_045), retry_in_ms: 60_000 }
}

fn unmuted(group: &str) -> Notice {
    Notice::Released { group: group.to_owned(), cause: HoldCause::Muted }
}

#[test]
fn ten_days_in_which_every_post_to_three_groups_is_refused_are_as_few_as_three_outages() {
    let (mut log, mut tally) = (NoticeLog::new(Language::ZhCn), Tally::default());
    for ms in (0..TEN_DAYS_MS).step_by(20_000) {
        for group in ["AB01", "AB02", "AB03"] {
            tally.count(log.note(&refused_post(group, 40_034), at(ms)));
        }
    }
    // Of each group at 0, 1 and 11 minutes, then hourly: (14,399 - 11) / 60 = 239 more.
    assert_eq!(tally.operator.0, 3 * 242);
    tally.assert_bounded();
}

#[test]
fn ten_days_of_all_that_can_go_wrong_with_posts_are_bounded() {
    let mut chance = fastrand::Rng::with_seed(12);
    let (mut log, mut tally) = (NoticeLog::new(Language::ZhCn), Tally::default());
    let mut ms = 0;
    while ms < TEN_DAYS_MS {
        let group = format!("AB{:02}", chance.u8(..));
        let notice = match chance.u8(0..6) {
            0 => refused_post(&group, chance.i64(..)),
            1 => muted(&group),
            2 => unmuted(&group),
            3 => Notice::Uncertain { group, lines: 1 },
            4 => Notice::EventUnreadable { event: "x".repeat(chance.usize(0..2_000)), cause: "x".repeat(2_000) },
            _ => Notice::GroupUnknown { group },
        };
        tally.count(log.note(&notice, at(ms)));
        ms += chance.u64(0..10_000);
    }
    tally.assert_bounded();
    assert!(tally.operator.0 > 1_000, "{}", tally.operator.0);
}

#[test]
fn each_group_is_told_of_and_each_reason() {
    let mut log = NoticeLog::new(Language::EnUs);
    for (notice, is_said) in [
        (refused_post("AB01", 40_034), true),
        (refused_post("AB02", 40_034), true),
        (refused_post("AB01", 50_035), true),
        (refused_post("AB01", 40_034), false),
    ] {
        let line = log.note(&notice, at(0)).expect("at least a detail");
        assert_eq!(line.level == Level::Warn, is_said, "{line}");
    }
    let line = log.note(&refused_post("AB01", 40_034), at(60_000)).expect("said again after a minute");
    assert!(line.level == Level::Warn && line.text.ends_with("(1 more like this in the last minute)"), "{line}");
}

#[test]
fn the_end_of_a_hold_is_said_when_its_begin_was() {
    let mut log = NoticeLog::new(Language::EnUs);
    let mut levels = |notice: Notice, ms| log.note(&notice, at(ms)).map(|line| line.level);
    assert_eq!(levels(muted("AB01"), 0), Some(Level::Warn));
    assert_eq!(levels(unmuted("AB01"), 1_000), Some(Level::Info));
    // Within the minute of silence.
    assert_eq!(levels(muted("AB01"), 2_000), Some(Level::Debug));
    assert_eq!(levels(unmuted("AB01"), 3_000), Some(Level::Debug));
}

#[test]
fn what_follows_something_that_the_owner_did_is_always_said() {
    let mut log = NoticeLog::new(Language::EnUs);
    for _ in 0..200 {
        let line = log.note(&Notice::NoGroups, at(0)).expect("said");
        assert_eq!(line.level, Level::Info);
    }
}

#[test]
fn a_line_is_never_longer_than_promised_and_is_cut_between_characters() {
    for padding in 0..3 {
        let text = "x".repeat(padding) + &"海".repeat(1_000);
        let line = Line { level: Level::Warn, text, fields: Vec::new() }.to_string();
        assert!(line.len() <= Line::BYTES_MAX && line.len() > Line::BYTES_MAX - 3, "{}", line.len());
        assert!(line.ends_with('…'));
    }
}
