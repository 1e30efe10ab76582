//! What the log says and what it never says: the scenarios S39 and S40 of the catalogue, with a client as a process of its own.

use std::time::Duration;

use auk_loopback::rig::{
    self, Conduct, Consumer, NameServer, Names, Proxy, Relay, Variant, Way, assert_conduct, has_private_names, side_by_side,
};
use auk_loopback::{GROUP, eventually};
use auk_simulator::model::{Act, Seen};
use auk_simulator::{Platform, Say};
use serde_json::json;

/// 8 s instead of 60: what is counted is lines for each attempt. The same for ten days is shown on simulated time.
const OUTAGE_MS: u64 = 8_000;
/// 5 s instead of 60: two heartbeats and more.
const QUIET_MS: u64 = 5_000;

#[test]
fn s39_an_outage_is_a_few_short_lines() {
    let names: Option<Variant> = has_private_names("S39 b").then(|| {
        rig::blocking("b: no names", || {
            let (platform, server) = (rig::platform(), NameServer::start(Names::Known).expect("tried before"));
            let relay = Relay::to(platform.base_url());
            let base_url = format!("http://gateway.sim.test:{}", relay.port());
            let consumer = Consumer::start_with_names(&base_url, &server.resolv_conf(), &[("AUK_TEST_LOG", "info")]);
            eventually("ready", || (consumer.count("ready") > 0).then_some(()));
            let begin = || {
                server.set(Names::Failing);
                relay.rst(Way::ToClient);
            };
            assert_few_lines(&platform, &consumer, "gateway.sim.test", begin, || server.set(Names::Known));
        })
    });
    side_by_side(
        [
            rig::blocking("a: all ports refuse", || {
                let platform = rig::platform();
                let relay = Relay::to(platform.base_url());
                let consumer = Consumer::ready(&relay.base_url(), &[("AUK_TEST_LOG", "info")]);
                let begin = || {
                    relay.refuse();
                    relay.rst(Way::ToClient);
                };
                assert_few_lines(&platform, &consumer, "127.0.0.1", begin, || relay.listen());
            }),
            rig::blocking("c: each link is accepted and cut", || {
                let platform = rig::platform();
                let consumer = Consumer::ready(platform.base_url(), &[("AUK_TEST_LOG", "info")]);
                let begin = || platform.patch_faults(&json!({ "flap_after_ms": 1, "no_hello": true })).expect("known");
                assert_few_lines(&platform, &consumer, "127.0.0.1", begin, || platform.act(&Act::Heal));
            }),
        ]
        .into_iter()
        .chain(names),
    );
}

fn assert_few_lines(platform: &Platform, consumer: &Consumer, host: &str, begin: impl FnOnce(), mend: impl FnOnce()) {
    let before = consumer.0.errors().len();
    let mark = consumer.mark();
    begin();
    std::thread::sleep(Duration::from_millis(OUTAGE_MS));
    mend();
    eventually("it is back", || platform.state().online.then_some(()));
    consumer.wait_for("it is back", mark, |seen| (seen["kind"] == "ready" || seen["kind"] == "resumed").then_some(()));
    let attempts = consumer.seen().iter().skip(mark).filter(|seen| seen["kind"] == "lost" || seen["kind"] == "set_back").count();
    std::thread::sleep(Duration::from_millis(200));
    let lines = consumer.0.errors().split_off(before);
    assert!(attempts >= 3 && lines.len() <= attempts + 10, "{attempts} attempts: {lines:#?}");
    assert!(lines.iter().map(String::len).sum::<usize>() <= 32 * 1024 && lines.iter().all(|line| line.len() <= 2_048), "{lines:#?}");
    // Each is a line of the log's own; a trace would have others.
    assert!(lines.iter().all(|line| line.starts_with("WARN") || line.starts_with("INFO")), "{lines:#?}");
    let (first, last) = (lines.first().expect("a first line"), lines.last().expect("a last line"));
    assert!(first.contains(host) && first.contains("cause=") || first.contains("reason="), "{first}");
    let outage_ms = last.split("outage_ms=").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    // From the loss on, which may come a back-off before or after the trouble's end.
    assert!(outage_ms.is_some_and(|ms| (OUTAGE_MS - 1_000..=OUTAGE_MS + 8_000).contains(&ms)), "{last}");
    let said = consumer.0.errors().len();
    std::thread::sleep(Duration::from_millis(QUIET_MS));
    let more = consumer.0.errors().split_off(said);
    assert!(more.len() <= 2, "{more:?}");
}

const SECRET: &str = "CANARYSq8Zk3Lw0VxTe7RbN";
const PROXY_PASSWORD: &str = "CANARYPm4Hs9Jd2Gf6";
const TEXT: &str = "CANARYMwords";
const MEMBER: &str = "CANARYUmember";
/// The shortest piece that must not show.
const PIECE: usize = 6;

#[test]
fn s40_neither_secrets_nor_words_nor_people_are_in_the_log() {
    side_by_side(["trace", "info"].map(|level| rig::blocking(level, move || live_and_die(level))));
}

fn live_and_die(level: &str) {
    let platform = rig::platform_with(|settings| SECRET.clone_into(&mut settings.secret));
    let proxy = Proxy::start();
    let address = format!("http://user:{PROXY_PASSWORD}@127.0.0.1:{}", proxy.port());
    let mut consumer = Consumer::ready(platform.base_url(), &[("QQ_SECRET", SECRET), ("AUK_TEST_LOG", level), ("HTTP_PROXY", &address)]);
    let asked: Vec<String> = (0..20).map(|_| platform.say(GROUP, &Say::at(MEMBER, TEXT)).expect("known").msg_id).collect();
    eventually("the messages", || (consumer.texts().len() == 20).then_some(()));
    for (n, msg_id) in asked.iter().take(5).enumerate() {
        consumer.order(&format!("reply {msg_id} {} {TEXT}", n + 1));
    }
    eventually("the replies", || (consumer.count("sent") == 5).then_some(()));
    platform.patch_faults(&json!({ "send_code": 22_009 })).expect("known");
    consumer.order(&format!("reply {} 6 {TEXT}", asked[0]));
    eventually("the refusal", || (consumer.count("sent") == 6).then_some(()));
    consumer.order("settings");
    platform.act(&Act::Heal);
    platform.act(&Act::Op7);
    eventually("resumed", || (consumer.count("resumed") == 1).then_some(()));
    // A token call that is refused and says again what it was asked, while the platform refuses the token in use.
    let echo = json!({ "code": 100_016, "message": format!("{{\"clientSecret\":\"{SECRET}\"}}") });
    platform.patch_faults(&json!({ "token_body": echo.to_string() })).expect("known");
    platform.act(&Act::RevokeToken);
    platform.act(&Act::Close(4004));
    eventually("the halt", || (consumer.count("halted") > 0 || consumer.count("set_back") > 0).then_some(()));
    platform.act(&Act::Heal);
    eventually("online", || platform.state().online.then_some(()));
    consumer.order("panic");
    eventually("the end", || (!consumer.0.is_alive()).then_some(()));
    eventually("the panic's own words", || consumer.0.errors().iter().any(|line| line.contains("panicked")).then_some(()));
    assert_keeps_secrets(&platform, &consumer, level);
    assert_conduct(&platform, Conduct { dead_tokens: true });
}

fn assert_keeps_secrets(platform: &Platform, consumer: &Consumer, level: &str) {
    let log = consumer.0.errors();
    let results = consumer.seen().into_iter().filter(|seen| seen["kind"] != "dispatch").map(|seen| seen.to_string());
    let output: Vec<String> = log.iter().cloned().chain(results).collect();
    let mut secrets = vec![SECRET.to_owned(), PROXY_PASSWORD.to_owned()];
    for record in platform.records() {
        if let Seen::Identify { token, .. } | Seen::Resume { token, .. } = record.seen {
            secrets.push(token.trim_start_matches("QQBot ").trim_start_matches("tok_").to_owned());
        }
    }
    secrets.sort();
    secrets.dedup();
    assert!(secrets.len() >= 4, "two tokens at least: {}", secrets.len());
    for secret in &secrets {
        for piece in secret.as_bytes().windows(PIECE).filter_map(|piece| std::str::from_utf8(piece).ok()) {
            let told = output.iter().find(|line| line.contains(piece));
            assert!(told.is_none(), "{piece} of {secret} in {told:?}");
        }
    }
    if level == "info" {
        assert!(!log.iter().any(|line| line.contains(TEXT) || line.contains(MEMBER)), "{log:#?}");
    }
    // What there is to work with.
    assert!(output.iter().any(|line| line.contains("102000001")), "the app id");
    assert!(output.iter().any(|line| line.contains("4004") || line.contains("100016")), "{log:#?}");
}
