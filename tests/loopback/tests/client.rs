//! The client over real sockets: plain, TLS, losses, refusals.

use std::time::{Duration, Instant};

use auk_gateway::{Event, LossCause, Setback};
use auk_loopback::{GROUP, body, config, eventually, next, next_text, platform, ready_client, text, tls_config};
use auk_runtime::{Client, GroupMessage, SendError};
use auk_simulator::model::{Act, InvalidSession, Seen};
use auk_simulator::{Platform, Say, Settings};
use serde_json::json;

#[tokio::test]
async fn a_message_arrives_and_is_answered_with_its_id_over_plain_connections() {
    let platform = platform();
    let (mut client, mut events) = ready_client(config(&platform)).await;
    answer_one(&platform, &client, &mut events).await;
    client.stop().await;
    eventually("the platform sees the closing", || (!platform.state().online).then_some(()));
    assert!(platform.records().iter().any(|record| matches!(record.seen, Seen::Closed { code: Some(1000), .. })));
}

#[tokio::test]
async fn a_message_arrives_and_is_answered_with_its_id_over_tls_with_the_extra_root() {
    let platform = platform();
    let (client, mut events) = ready_client(tls_config(&platform)).await;
    answer_one(&platform, &client, &mut events).await;
}

async fn answer_one(platform: &Platform, client: &Client, events: &mut auk_runtime::ClientEvents) {
    let said = platform.say(GROUP, &Say::at("小明", "你好 👨‍👩‍👧 𠀀")).expect("the group is known");
    assert_eq!(next_text(events).await, "你好 👨‍👩‍👧 𠀀");
    let sent = client.sender().post_group_message(GROUP, &GroupMessage::reply(&said.msg_id, "收到")).await;
    assert!(sent.expect("delivered").id.is_some());
    let posted = platform.posted();
    assert_eq!(posted.len(), 1);
    assert_eq!((posted[0].content.as_str(), posted[0].msg_id.as_deref(), posted[0].msg_seq), ("收到", Some(said.msg_id.as_str()), 1));
}

#[tokio::test]
async fn an_untrusted_root_is_an_outage_and_no_storm() {
    let platform = platform();
    let mut config = tls_config(&platform);
    config.extra_root_file = None;
    config.gateway.pace.token_backoff_ms_base = 1_000;
    let (client, mut events) = Client::start(config).expect("usable");
    next(&mut events, |event| matches!(event, Event::SetBack { setback: Setback::Token(_), .. }).then_some(())).await;
    // A back-off of 1 s, then of 2 s, each within a quarter: three requests in all, and none of them got through TLS.
    let began = Instant::now();
    for _ in 0..2 {
        next(&mut events, |event| matches!(event, Event::SetBack { setback: Setback::Token(_), .. }).then_some(())).await;
    }
    assert!(began.elapsed() >= Duration::from_millis(750 + 1_500), "{:?}", began.elapsed());
    assert_eq!(platform.state().token_requests.total, 0);
    assert_eq!(client.status().state, "awaiting_token");
}

#[tokio::test]
async fn a_cut_is_resumed_and_what_was_missed_is_delivered_once() {
    let platform = platform();
    let (_client, mut events) = ready_client(config(&platform)).await;
    platform.say(GROUP, &Say::at("a", "one")).expect("known");
    assert_eq!(next_text(&mut events).await, "one");
    platform.act(&Act::Cut);
    for text in ["two", "three"] {
        platform.say(GROUP, &Say::at("a", text)).expect("known");
    }
    let (mut texts, mut resumed) = (Vec::new(), false);
    while texts.len() < 2 || !resumed {
        next(&mut events, |event| {
            texts.extend(text(event));
            resumed |= matches!(event, Event::Resumed { .. });
            Some(())
        })
        .await;
    }
    assert_eq!(texts, ["two", "three"]);
    let state = platform.state();
    assert_eq!((state.identifies.total, state.resumes.total, state.lookups.total, state.token_requests.total), (1, 1, 1, 1));
}

#[tokio::test]
async fn op_7_ten_times_makes_ten_resumes_one_identify_and_never_two_sockets() {
    let platform = platform();
    let (_client, mut events) = ready_client(config(&platform)).await;
    for _ in 0..10 {
        platform.act(&Act::Op7);
        next(&mut events, |event| matches!(event, Event::Resumed { .. }).then_some(())).await;
    }
    let state = platform.state();
    assert_eq!((state.identifies.total, state.resumes.total), (1, 10));
    assert_never_two_sockets(&platform);
}

#[tokio::test]
async fn op_9_false_identifies_anew_and_op_9_true_resumes() {
    let platform = platform();
    let (_client, mut events) = ready_client(config(&platform)).await;
    platform.act(&Act::Op9(InvalidSession::Resumable));
    next(&mut events, |event| matches!(event, Event::Resumed { .. }).then_some(())).await;
    platform.act(&Act::Op9(InvalidSession::Dead));
    // The platform allows one Identify in 5 s, so the new session begins 5 s after the first.
    next(&mut events, |event| matches!(event, Event::Ready { .. }).then_some(())).await;
    let state = platform.state();
    assert_eq!((state.identifies.total, state.resumes.total), (2, 1));
    assert_never_two_sockets(&platform);
}

#[tokio::test]
async fn a_half_open_link_is_noticed_by_its_silence_and_resumed() {
    let platform = platform();
    let (_client, mut events) = ready_client(config(&platform)).await;
    platform.patch_faults(&json!({ "no_ack": true })).expect("known");
    let began = Instant::now();
    next(&mut events, |event| matches!(event, Event::Lost { cause: LossCause::HeartbeatUnanswered, .. }).then_some(())).await;
    // Interval 1 s: the verdict comes two intervals after an unanswered beat, which itself comes within one.
    assert!((1_900..=3_500).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
    platform.patch_faults(&json!({ "no_ack": null })).expect("known");
    next(&mut events, |event| matches!(event, Event::Resumed { .. }).then_some(())).await;
}

#[tokio::test]
async fn a_revoked_token_costs_one_refused_call_and_the_message_arrives() {
    let platform = platform();
    let (client, mut events) = ready_client(config(&platform)).await;
    let said = platform.say(GROUP, &Say::at("a", "hi")).expect("known");
    next_text(&mut events).await;
    platform.act(&Act::RevokeToken);
    client.sender().post_group_message(GROUP, &GroupMessage::reply(&said.msg_id, "still here")).await.expect("delivered");
    assert_eq!(platform.posted().len(), 1);
    assert_eq!(platform.state().token_requests.total, 2);
}

#[tokio::test]
async fn a_refused_address_is_not_answered_with_a_new_token() {
    let platform = platform();
    let (client, mut events) = ready_client(config(&platform)).await;
    let said = platform.say(GROUP, &Say::at("a", "hi")).expect("known");
    next_text(&mut events).await;
    platform.patch_faults(&json!({ "whitelist_refuses": true })).expect("known");
    let refused = client.sender().post_group_message(GROUP, &GroupMessage::reply(&said.msg_id, "x")).await;
    assert!(matches!(refused, Err(SendError::Refused { status: 401, .. })), "{refused:?}");
    assert_eq!(platform.state().token_requests.total, 1);
}

#[tokio::test]
async fn a_page_of_the_edge_is_a_refusal_without_a_code_and_a_call_that_never_could_leave_is_unreachable() {
    let platform = platform();
    let mut config = config(&platform);
    let (client, mut events) = ready_client(config.clone()).await;
    let said = platform.say(GROUP, &Say::at("a", "hi")).expect("known");
    next_text(&mut events).await;
    platform.patch_faults(&json!({ "html_502": true })).expect("known");
    let refused = client.sender().post_group_message(GROUP, &GroupMessage::reply(&said.msg_id, "x")).await;
    assert!(matches!(refused, Err(SendError::Refused { status: 502, code: None, .. })), "{refused:?}");
    // A port that nobody listens on.
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port");
    config.api_base = format!("http://{free}");
    let (client, mut events) = Client::start(config).expect("usable");
    next(&mut events, |event| matches!(event, Event::SetBack { setback: Setback::Address(_), .. }).then_some(())).await;
    let refused = client.sender().post_group_message(GROUP, &GroupMessage::reply(&said.msg_id, "x")).await;
    assert_eq!(refused, Err(SendError::Unreachable));
}

#[tokio::test]
async fn an_answer_that_comes_too_late_is_unknown_and_the_message_may_have_arrived() {
    let platform = platform();
    let mut config = config(&platform);
    config.gateway.pace.exchange_ms_max = 500;
    let (client, mut events) = ready_client(config).await;
    let said = platform.say(GROUP, &Say::at("a", "hi")).expect("known");
    next_text(&mut events).await;
    platform.patch_faults(&json!({ "send_delay_after_commit_ms": 3_000 })).expect("known");
    let unknown = client.sender().post_group_message(GROUP, &GroupMessage::reply(&said.msg_id, "x")).await;
    assert_eq!(unknown, Err(SendError::Unknown));
    assert_eq!(platform.posted().len(), 1, "it did arrive");
}

#[tokio::test]
async fn an_answer_over_the_limit_is_not_read_to_its_end() {
    let platform = platform();
    platform.patch_faults(&json!({ "address_body": "x".repeat(100_000) })).expect("known");
    let mut config = config(&platform);
    config.body_bytes_max = 10_000;
    let (_client, mut events) = Client::start(config).expect("usable");
    let why =
        next(&mut events, |event| if let Event::SetBack { setback: Setback::Address(why), .. } = event { Some(why.clone()) } else { None })
            .await;
    assert!(why.contains("larger than the limit"), "{why}");
}

#[tokio::test]
async fn garbage_frames_cost_nothing_and_a_frame_over_the_limit_costs_the_connection_only() {
    let platform = platform();
    let mut config = config(&platform);
    config.frame_bytes_max = 64 * 1024;
    let (_client, mut events) = ready_client(config).await;
    for garbage in [&b"garbage"[..], b"", b"{\"op\":0", b"[[[[[["] {
        platform.push(garbage).expect("online");
        next(&mut events, |event| matches!(event, Event::UnreadableFrame { bytes } if *bytes == garbage.len()).then_some(())).await;
    }
    platform.push_binary(b"\xff garbage").expect("online");
    next(&mut events, |event| matches!(event, Event::UnreadableFrame { .. }).then_some(())).await;
    platform.push(br#"{"op":0,"s":{{s}},"t":"GROUP_AT_MESSAGE_CREATE","d":{"content":" \ud83d lone \u0000"}}"#).expect("online");
    let raw = next(&mut events, |event| body(event).map(ToOwned::to_owned)).await;
    assert!(raw.contains(r"\ud83d lone \u0000"), "{raw}");
    platform.patch_faults(&json!({ "huge_frame_bytes": 200_000 })).expect("known");
    platform.say(GROUP, &Say::at("a", "after the huge one")).expect("known");
    next(&mut events, |event| matches!(event, Event::Lost { cause: LossCause::Transport(_), .. }).then_some(())).await;
    next(&mut events, |event| matches!(event, Event::Ready { .. } | Event::Resumed { .. }).then_some(())).await;
}

#[tokio::test]
async fn a_slow_owner_holds_back_the_reading_keeps_the_link_and_loses_nothing() {
    let platform = platform();
    let (_client, mut events) = ready_client(config(&platform)).await;
    // More than the owner's queue and the socket's hold together.
    for n in 0..2_000 {
        platform.say(GROUP, &Say::at("a", &format!("m{n}"))).expect("known");
    }
    // Several heartbeat intervals of a second: ACKs wait behind what is not read, and the link is not taken for dead.
    tokio::time::sleep(Duration::from_millis(4_500)).await;
    for n in 0..2_000 {
        assert_eq!(next_text(&mut events).await, format!("m{n}"));
    }
    let state = platform.state();
    assert_eq!((state.connects.total, state.identifies.total), (1, 1));
}

#[tokio::test]
async fn stop_ends_in_time_although_the_owner_takes_no_events() {
    let platform = platform();
    let (mut client, _events) = ready_client(config(&platform)).await;
    for n in 0..1_500 {
        platform.say(GROUP, &Say::at("a", &format!("m{n}"))).expect("known");
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    // A second for the closing handshake, and the rest for a busy machine.
    tokio::time::timeout(Duration::from_secs(3), client.stop()).await.expect("it ends");
}

#[tokio::test]
async fn wrong_addresses_in_the_settings_are_refused_by_name() {
    let platform = platform();
    for (token_url, api_base, setting) in [("nonsense", platform.base_url(), "token_url"), (platform.base_url(), "ftp://x", "api_base")] {
        let mut config = config(&platform);
        (config.token_url, config.api_base) = (token_url.to_owned(), api_base.to_owned());
        let refused = Client::start(config).err().expect("refused").to_string();
        assert!(refused.contains(setting), "{refused}");
    }
    let mut missing = config(&platform);
    missing.extra_root_file = Some("/nowhere/roots.pem".into());
    assert!(Client::start(missing).err().expect("refused").to_string().contains("/nowhere/roots.pem"));
}

#[tokio::test]
async fn a_plain_gateway_address_is_not_taken_when_the_api_is_encrypted() {
    let platform = Platform::start(Settings::default());
    platform
        .patch_faults(&json!({ "address_url": format!("ws{}/websocket", platform.base_url().trim_start_matches("http")) }))
        .expect("known");
    let (_client, mut events) = Client::start(tls_config(&platform)).expect("usable");
    next(&mut events, |event| matches!(event, Event::Lost { .. }).then_some(())).await;
    assert_eq!(platform.state().connects.total, 0, "the token never crosses in the clear");
}

fn assert_never_two_sockets(platform: &Platform) {
    let mut open = 0;
    for record in platform.records() {
        if matches!(record.seen, Seen::Connected { .. }) {
            open += 1;
        } else if matches!(record.seen, Seen::Closed { .. }) {
            open -= 1;
        }
        assert!(open <= 1, "two sockets at {} ms", record.at_ms);
    }
}
