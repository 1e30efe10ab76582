//! Names, stages of the handshake, pages in the way and proxies: the scenarios S21 to S24 of the catalogue, over real sockets.

use std::time::{Duration, Instant};

use auk_gateway::{Event, LinkStep, LossCause};
use auk_loopback::eventually;
use auk_loopback::rig::{
    self, Conduct, Consumer, Flow, Heard, NameServer, Names, Page, Proxy, Relay, Variant, Way, assert_conduct, has_private_names, is_ready,
    is_resumed, pause, probe, say, side_by_side, until_within, variant,
};
use auk_runtime::{Client, ClientConfig};
use auk_simulator::Platform;
use auk_simulator::model::{Act, Seen};
use serde_json::json;

/// One capped back-off with jitter, and the handshake.
const BACK_MS_MAX: u64 = 7_000;

/// A name that only the scenario's own name server knows.
const HOST: &str = "gateway.sim.test";

#[test]
fn s21_a_failing_resolver_is_an_outage_like_any_other_at_start_and_at_a_reconnect() {
    if !has_private_names("S21") {
        return;
    }
    side_by_side([
        rig::blocking("a: SERVFAIL at the start", || start_without_names(Names::Failing)),
        rig::blocking("b: no answer at the start", || start_without_names(Names::Silent)),
        rig::blocking("c: RST and SERVFAIL", || reconnect_without_names(Names::Failing, 7_200)),
        rig::blocking("d: RST and NXDOMAIN", || reconnect_without_names(Names::Unknown, 7_200)),
        // A token of 3 s runs out during the outage.
        rig::blocking("e: RST, SERVFAIL and no token", || reconnect_without_names(Names::Failing, 3)),
    ]);
}

/// 5 s instead of 10 and 20: the back-off of 0.25 s, doubled, has four or five attempts in it.
const NAMELESS_MS: u64 = 5_000;
/// 0.25 s doubled to 4 s, each less a quarter: at 0, 0.19, 0.56, 1.3, 2.8 and 5.8 s. An outage as long as the catalogue's has twelve.
const NAMELESS_ATTEMPTS_MAX: usize = 7;
/// As many token requests, and the 6 look-ups at once and one in 2 s of the profile.
const NAMELESS_CALLS_MAX: usize = 7 + 6 + 3;

fn start_without_names(names: Names) {
    let (platform, server) = (rig::platform(), NameServer::start(names).expect("tried before"));
    let base_url = format!("http://{HOST}:{}", port_of(platform.base_url()));
    let mut consumer = Consumer::start_with_names(&base_url, &server.resolv_conf(), &[("AUK_TEST_LOG", "info")]);
    std::thread::sleep(Duration::from_millis(NAMELESS_MS));
    assert!(consumer.0.is_alive());
    assert!(server.asked() > 0, "the private name server is the one that is asked");
    assert_attempts(&consumer, 0);
    server.set(Names::Known);
    await_online(&platform);
    assert_says_who_did_not_answer(&consumer);
}

fn reconnect_without_names(names: Names, token_life_s: u64) {
    let platform = rig::platform_with(|settings| settings.token_life_s = token_life_s);
    let (server, relay) = (NameServer::start(Names::Known).expect("tried before"), Relay::to(platform.base_url()));
    let base_url = format!("http://{HOST}:{}", relay.port());
    let mut consumer = Consumer::start_with_names(&base_url, &server.resolv_conf(), &[("AUK_TEST_LOG", "info")]);
    await_online(&platform);
    say(&platform, "before");
    eventually("the message", || consumer.texts().first().cloned());
    let (mark, before) = (consumer.mark(), consumer.0.figures());
    server.set(names);
    relay.rst(Way::ToClient);
    std::thread::sleep(Duration::from_millis(NAMELESS_MS));
    assert!(consumer.0.is_alive());
    assert_attempts(&consumer, mark);
    let tokens_before = platform.state().token_requests.total;
    server.set(Names::Known);
    await_online(&platform);
    let state = platform.state();
    assert_eq!((state.identifies.total, state.resumes.total), (1, 1), "the old session goes on");
    // A token that lives on needs no call; one that ran out needs one before the Resume, and is renewed ahead of its end after that.
    let resumed_ms = platform.records().iter().find(|r| matches!(r.seen, Seen::Resume { .. })).expect("resumed").at_ms;
    let requests =
        platform.records().iter().filter(|r| r.at_ms <= resumed_ms && matches!(r.seen, Seen::TokenRequest { .. })).count() as u64;
    assert_eq!(requests - tokens_before, u64::from(token_life_s < 10));
    say(&platform, "probe");
    eventually("the probe", || consumer.texts().iter().any(|text| text == "probe").then_some(()));
    assert_says_who_did_not_answer(&consumer);
    // Resolver threads and pooled connections that are on their way out.
    let after = consumer.0.figures();
    assert!(after.descriptors.abs_diff(before.descriptors) <= 2, "{before:?} {after:?}");
    assert_conduct(&platform, Conduct::default());
}

fn await_online(platform: &Platform) {
    let began = Instant::now();
    eventually("it is online", || platform.state().online.then_some(()));
    assert!(began.elapsed() <= Duration::from_millis(BACK_MS_MAX), "{:?}", began.elapsed());
}

fn assert_attempts(consumer: &Consumer, mark: usize) {
    let seen = consumer.seen().split_off(mark);
    let count = |kind: &str| seen.iter().filter(|seen| seen["kind"] == kind).count();
    let (lost, set_back) = (count("lost"), count("set_back"));
    assert!(lost + set_back > 0 && lost <= NAMELESS_ATTEMPTS_MAX && set_back <= NAMELESS_CALLS_MAX, "{seen:#?}");
}

fn assert_says_who_did_not_answer(consumer: &Consumer) {
    let lines = consumer.0.errors();
    assert!(lines.iter().any(|line| line.starts_with("WARN") && line.contains(HOST)), "{lines:?}");
    assert!(lines.len() <= NAMELESS_ATTEMPTS_MAX + NAMELESS_CALLS_MAX, "{lines:?}");
    assert!(lines.iter().all(|line| line.len() < 700 && !line.contains("stack backtrace")), "{lines:?}");
}

fn port_of(base_url: &str) -> u16 {
    base_url.rsplit(':').next().and_then(|port| port.parse().ok()).expect("an address with a port")
}

/// 5 s instead of 8: limits of 2 s and a back-off from 0.25 s make attempts at 0, 2.2 and 4.8 s.
const STALLED_MS: u64 = 5_000;

#[test]
fn s22_a_stage_that_never_completes_is_given_up_after_its_limit_and_the_next_attempt_comes() {
    side_by_side([
        variant("a: TCP is accepted and nothing said", || async {
            let platform = rig::platform();
            let relay = Relay::to(platform.base_url());
            lead_through(&platform, &relay, "ws");
            relay.set_flow(Way::ToClient, Flow::Freeze);
            let stalled = stall(&platform, rig::config(platform.base_url()), LinkStep::Connect, 2..=4, || relay.accepted());
            stalled.await.mend(&platform, || relay.set_flow(Way::ToClient, Flow::Pass)).await;
        }),
        variant("b: no ServerHello", || async {
            let platform = rig::platform();
            let relay = Relay::to(platform.tls_base_url());
            lead_through(&platform, &relay, "wss");
            relay.set_flow(Way::ToClient, Flow::Freeze);
            let mut config = rig::config(platform.tls_base_url());
            config.extra_root_file = Some(platform.root_pem_path().to_owned());
            let stalled = stall(&platform, config, LinkStep::Connect, 2..=4, || relay.accepted());
            stalled.await.mend(&platform, || relay.set_flow(Way::ToClient, Flow::Pass)).await;
        }),
        variant("c: no Hello", || async {
            let platform = rig::platform();
            platform.patch_faults(&json!({ "no_hello": true })).expect("known");
            let stalled = stall(&platform, rig::config(platform.base_url()), LinkStep::Hello, 2..=4, || connects(&platform));
            stalled.await.mend(&platform, || heal(&platform)).await;
        }),
        // The platform's `max_concurrency` of 1 puts 5 s between two Identifies, so one attempt is all that 5 s hold.
        variant("d: no READY, but heartbeats are answered", || async {
            let platform = rig::platform();
            platform.patch_faults(&json!({ "ignore_auth": true })).expect("known");
            let stalled = stall(&platform, rig::config(platform.base_url()), LinkStep::Session, 1..=2, || connects(&platform));
            stalled.await.mend(&platform, || heal(&platform)).await;
        }),
        variant("e: no RESUMED after op 7", || async {
            let platform = rig::platform();
            let (client, events) = Client::start(rig::config(platform.base_url())).expect("usable");
            let heard = Heard::listen(events);
            heard.until("ready", 1, is_ready).await;
            platform.patch_faults(&json!({ "ignore_auth": true })).expect("known");
            platform.act(&Act::Op7);
            heard.until("the loss", 1, |event| matches!(event, Event::Lost { .. })).await;
            // The third Resume in a row without an answer would give the session up, as the profile says: two fit into 4 s.
            never_online(&client, 4_000).await;
            let resumes = platform.state().resumes.total;
            assert!((1..=2).contains(&resumes), "{resumes}");
            heal(&platform);
            until_within(BACK_MS_MAX, "resumed", || (heard.count(is_resumed) > 0).then_some(())).await;
            assert_eq!(platform.state().identifies.total, 1);
            probe(&platform, &heard).await;
            assert_conduct(&platform, Conduct::default());
        }),
    ]);
}

/// Look-ups hand out the relay's address for the WebSocket.
fn lead_through(platform: &Platform, relay: &Relay, scheme: &str) {
    let url = format!("{scheme}://127.0.0.1:{}/websocket", relay.port());
    platform.patch_faults(&json!({ "address_url": url })).expect("known");
}

fn heal(platform: &Platform) {
    platform.patch_faults(&json!({ "no_hello": null, "ignore_auth": null })).expect("known");
}

fn connects(platform: &Platform) -> usize {
    platform.state().connects.total as usize
}

/// A client that did not get through.
struct Stalled {
    client: Client,
    heard: Heard,
}

/// Starts a client and lets it try for a while: it is never online, and each attempt ends at the limit of this step.
async fn stall(
    platform: &Platform,
    config: ClientConfig,
    step: LinkStep,
    expected: std::ops::RangeInclusive<usize>,
    attempts: impl Fn() -> usize,
) -> Stalled {
    let (client, events) = Client::start(config).expect("usable");
    let heard = Heard::listen(events);
    never_online(&client, STALLED_MS).await;
    assert!(expected.contains(&attempts()), "{} attempts", attempts());
    let at_the_limit = heard.count(|event| matches!(event, Event::Lost { cause: LossCause::Deadline(at), .. } if *at == step));
    let lost = heard.count(|event| matches!(event, Event::Lost { .. }));
    assert!(at_the_limit > 0 && at_the_limit == lost, "{:?}", heard.all());
    assert!(!platform.state().online);
    Stalled { client, heard }
}

impl Stalled {
    async fn mend(self, platform: &Platform, mend: impl FnOnce()) {
        mend();
        until_within(BACK_MS_MAX, "ready", || (self.heard.count(is_ready) > 0).then_some(())).await;
        assert_eq!(self.client.status().state, "ready");
        probe(platform, &self.heard).await;
        assert_conduct(platform, Conduct::default());
    }
}

async fn never_online(client: &Client, ms: u64) {
    for _ in 0..ms / 50 {
        assert_ne!(client.status().state, "ready");
        pause(50).await;
    }
}

/// 3 s instead of 10: the back-off has three or four attempts in it.
const PORTAL_MS: u64 = 3_000;
const PORTAL_ATTEMPTS_MAX: u64 = 10;

#[test]
fn s23_a_page_where_the_gateway_should_be_is_a_passing_failure_at_start_and_at_a_reconnect() {
    let page = format!("<html>{}</html>", "please log in ".repeat(400));
    let troubles = [
        ("upgrade 200", json!({ "refuse_upgrade": 200 })),
        ("upgrade 403", json!({ "refuse_upgrade": 403 })),
        ("upgrade 503", json!({ "refuse_upgrade": 503 })),
        ("look-up 200 HTML", json!({ "address_status": 200, "address_body": page })),
        ("look-up 502 HTML", json!({ "address_status": 502, "address_body": page })),
        ("look-up 204", json!({ "address_status": 204, "address_body": "" })),
        ("look-up 202 with an error", json!({ "address_status": 202, "address_body": r#"{"code":11255,"message":"later"}"# })),
        ("look-up {}", json!({ "address_body": "{}" })),
        ("look-up http address", json!({ "address_body": r#"{"url":"http://127.0.0.1/"}"# })),
        ("look-up empty", json!({ "address_body": "" })),
        ("token 200 HTML", json!({ "token_body": page })),
    ];
    let cold = troubles.clone().map(|(name, faults)| variant(name, move || come_up_through(faults)));
    let warm = troubles.map(|(name, faults)| variant(name, move || come_back_through(faults)));
    side_by_side(cold.into_iter().chain(warm));
}

async fn come_up_through(faults: serde_json::Value) {
    let platform = rig::platform();
    platform.patch_faults(&faults).expect("known");
    let (_client, events) = Client::start(rig::config(platform.base_url())).expect("usable");
    let heard = Heard::listen(events);
    pause(PORTAL_MS).await;
    assert_eq!(heard.count(is_ready), 0);
    assert_patience(&platform, &heard, 1);
    platform.act(&Act::Heal);
    until_within(BACK_MS_MAX, "ready", || (heard.count(is_ready) > 0).then_some(())).await;
    probe(&platform, &heard).await;
    assert_conduct(&platform, Conduct::default());
}

/// The trouble meets a live session whose link is cut. Only what stands in its way can hold it up: the known address and token serve on.
async fn come_back_through(faults: serde_json::Value) {
    let platform = rig::platform();
    let (_client, events) = Client::start(rig::config(platform.base_url())).expect("usable");
    let heard = Heard::listen(events);
    heard.until("ready", 1, is_ready).await;
    platform.patch_faults(&faults).expect("known");
    platform.act(&Act::Cut);
    pause(PORTAL_MS).await;
    assert_patience(&platform, &heard, 0);
    platform.act(&Act::Heal);
    until_within(BACK_MS_MAX, "resumed", || (heard.count(is_resumed) > 0).then_some(())).await;
    assert_eq!(platform.state().identifies.total, 1);
    probe(&platform, &heard).await;
    assert_conduct(&platform, Conduct::default());
}

fn assert_patience(platform: &Platform, heard: &Heard, tries_min: u64) {
    let state = platform.state();
    let tries = state.connects.total.max(state.lookups.total).max(state.token_requests.total);
    assert!((tries_min..=PORTAL_ATTEMPTS_MAX).contains(&tries), "{state:?}");
    for event in heard.all() {
        let words = if let Event::SetBack { setback, .. } = &event {
            format!("{setback:?}")
        } else if let Event::Lost { cause, .. } = &event {
            cause.to_string()
        } else {
            String::new()
        };
        assert!(words.len() <= 300, "{words}");
    }
}

#[test]
fn s23_a_redirect_is_not_followed_and_its_target_is_told_nothing() {
    let redirect = |target: &Page| Page::html("302 Found", &format!("Location: {}/websocket\r\n", target.url("http")), "moved");
    side_by_side([
        variant("the upgrade", move || async move {
            let target = Page::html("200 OK", "", "here");
            let page = redirect(&target);
            let platform = rig::platform();
            platform.patch_faults(&json!({ "address_url": page.url("ws") })).expect("known");
            let (_client, events) = Client::start(rig::config(platform.base_url())).expect("usable");
            let heard = Heard::listen(events);
            pause(PORTAL_MS).await;
            assert!((1..=PORTAL_ATTEMPTS_MAX as usize).contains(&page.heads().len()), "{:?}", page.heads());
            platform.act(&Act::Heal);
            until_within(BACK_MS_MAX, "ready", || (heard.count(is_ready) > 0).then_some(())).await;
            assert_eq!(target.heads(), Vec::<String>::new());
        }),
        variant("the look-up", move || async move {
            let target = Page::html("200 OK", "", "here");
            let page = redirect(&target);
            let platform = rig::platform();
            let mut config = rig::config(platform.base_url());
            config.api_base = page.url("http");
            let (_client, events) = Client::start(config).expect("usable");
            let heard = Heard::listen(events);
            pause(PORTAL_MS).await;
            assert!((1..=PORTAL_ATTEMPTS_MAX as usize).contains(&page.heads().len()), "{:?}", page.heads());
            assert!(heard.count(|event| matches!(event, Event::SetBack { .. })) > 0);
            assert_eq!(target.heads(), Vec::<String>::new());
        }),
    ]);
}

#[test]
fn s24_one_proxy_decision_holds_for_rest_and_websocket() {
    side_by_side(
        [
            rig::blocking("a: only the proxy knows the way", || only_through_the_proxy("HTTP_PROXY")),
            rig::blocking("e: lower-case variables", || only_through_the_proxy("http_proxy")),
            rig::blocking("c: the proxy is dead, then lives", dead_proxy),
            rig::blocking("d: 407, then 502", || {
                let (platform, proxy) = (rig::platform(), Proxy::start());
                proxy.refuse_with(Some(407));
                let mut consumer = through(&platform, "HTTP_PROXY", &format!("http://u:CANARYP@127.0.0.1:{}", proxy.port()));
                std::thread::sleep(Duration::from_millis(PORTAL_MS / 2));
                proxy.refuse_with(Some(502));
                std::thread::sleep(Duration::from_millis(PORTAL_MS / 2));
                assert!(consumer.0.is_alive());
                assert!((1..=PORTAL_ATTEMPTS_MAX as usize).contains(&proxy.asked().len()), "{:?}", proxy.asked());
                proxy.refuse_with(None);
                await_online(&platform);
                let lines = consumer.0.errors();
                assert!(
                    lines.iter().any(|line| line.starts_with("WARN")) && !lines.iter().any(|line| line.contains("CANARYP")),
                    "{lines:?}"
                );
            }),
        ]
        .into_iter()
        .chain(exempted_by_suffix()),
    );
}

/// A consumer that reaches its platform by a name that the machine does not know.
fn through(platform: &Platform, variable: &str, proxy: &str) -> Consumer {
    let base_url = format!("http://{HOST}:{}", port_of(platform.base_url()));
    Consumer::start(&base_url, &[(variable, proxy), ("AUK_TEST_LOG", "info")])
}

fn only_through_the_proxy(variable: &str) {
    let (platform, proxy) = (rig::platform(), Proxy::start());
    let _consumer = through(&platform, variable, &proxy.address());
    await_online(&platform);
    let asked = proxy.asked();
    for wanted in ["/app/getAppAccessToken", "/gateway/bot", "CONNECT "] {
        assert!(asked.iter().any(|line| line.contains(wanted)), "{wanted}: {asked:?}");
    }
}

/// The dead proxy is a relay that refuses, so that it can come to life at the same place.
fn dead_proxy() {
    let (platform, proxy) = (rig::platform(), Proxy::start());
    let relay = Relay::to_port(proxy.port());
    relay.refuse();
    let mut consumer = through(&platform, "HTTP_PROXY", &format!("http://u:CANARYP@127.0.0.1:{}", relay.port()));
    std::thread::sleep(Duration::from_millis(PORTAL_MS));
    assert!(consumer.0.is_alive());
    let failed = consumer.count("set_back");
    assert!((1..=PORTAL_ATTEMPTS_MAX as usize).contains(&failed), "{failed}");
    relay.listen();
    await_online(&platform);
    let lines = consumer.0.errors();
    assert!(lines.iter().any(|line| line.starts_with("WARN")) && !lines.iter().any(|line| line.contains("CANARYP")), "{lines:?}");
}

#[test]
fn s24_the_log_names_the_proxy_that_fails() {
    let (platform, proxy) = (rig::platform(), Proxy::start());
    proxy.refuse_with(Some(502));
    let consumer = through(&platform, "HTTP_PROXY", &proxy.address());
    let host = format!("127.0.0.1:{}", proxy.port());
    eventually("a line about the proxy", || consumer.0.errors().iter().any(|line| line.contains(&host)).then_some(()));
}

/// A name below an exempted one, which needs a name server that knows it.
fn exempted_by_suffix() -> Option<Variant> {
    has_private_names("S24 b").then(|| {
        rig::blocking("b: the host is exempted by its suffix", || {
            let (platform, proxy) = (rig::platform(), Proxy::start());
            let server = NameServer::start(Names::Known).expect("tried before");
            let base_url = format!("http://{HOST}:{}", port_of(platform.base_url()));
            let environment = [("HTTP_PROXY", proxy.address()), ("NO_PROXY", "sim.test".to_owned())];
            let environment = environment.each_ref().map(|(name, value)| (*name, value.as_str()));
            let _consumer = Consumer::start_with_names(&base_url, &server.resolv_conf(), &environment);
            await_online(&platform);
            assert_eq!(proxy.asked(), Vec::<String>::new());
        })
    })
}
