//! `examples/echo.rs` as a process of its own: the client with shipped settings, and the proxies of the environment.

use std::time::Duration;

use auk_loopback::rig::{Echo, Proxy};
use auk_loopback::{GROUP, eventually};
use auk_simulator::model::Seen;
use auk_simulator::{Platform, Say, Settings};
use serde_json::json;

#[test]
fn each_mention_is_answered_once_even_when_pushed_twice_and_sigterm_ends_it_in_order() {
    let platform = Platform::start(Settings::default());
    platform.patch_faults(&json!({ "duplicate_push": true })).expect("known");
    let mut echo = Echo::start(&platform, platform.base_url(), &[]);
    let asked: Vec<String> = (0..5).map(|n| platform.say(GROUP, &Say::at("a", &format!("q{n}"))).expect("known").msg_id).collect();
    let posted = eventually("five answers", || Some(platform.posted()).filter(|posted| posted.len() >= 5));
    let mut answered: Vec<String> = posted.iter().map(|posted| posted.msg_id.clone().expect("passive")).collect();
    answered.sort();
    let mut asked = asked;
    asked.sort();
    assert_eq!(answered, asked);
    let (took, is_success) = echo.0.terminate();
    assert!(is_success, "it ends by itself with success");
    assert!(took < Duration::from_secs(2), "{took:?}");
    eventually("the closing", || platform.records().into_iter().find(|r| matches!(r.seen, Seen::Closed { code: Some(1000), .. })));
    assert_eq!(platform.posted().len(), 5);
}

#[test]
fn one_proxy_decision_holds_for_http_and_websocket() {
    let platform = Platform::start(Settings::default());
    let proxy = Proxy::start();
    let mut echo = Echo::start(&platform, platform.base_url(), &[("HTTP_PROXY", &proxy.address()), ("NO_PROXY", "")]);
    platform.say(GROUP, &Say::at("a", "hi")).expect("known");
    eventually("the answer", || platform.posted().into_iter().next());
    let asked = proxy.asked();
    assert!(asked.iter().any(|line| line.starts_with("CONNECT ")), "the WebSocket: {asked:?}");
    assert!(asked.iter().any(|line| line.starts_with("POST http://") && line.contains("/messages")), "the calls: {asked:?}");
    echo.0.terminate();
}

#[test]
fn a_host_in_no_proxy_is_reached_directly_by_both() {
    let platform = Platform::start(Settings::default());
    let proxy = Proxy::start();
    let mut echo = Echo::start(&platform, platform.base_url(), &[("HTTP_PROXY", &proxy.address()), ("NO_PROXY", "127.0.0.1")]);
    platform.say(GROUP, &Say::at("a", "hi")).expect("known");
    eventually("the answer", || platform.posted().into_iter().next());
    assert_eq!(proxy.asked(), Vec::<String>::new());
    echo.0.terminate();
}
