//! The whole bridge on its thread, as the JNI library offers it, against the simulated platform.

use std::time::{Duration, Instant};

use auk_loopback::{ConfigDir, GROUP, Heard, auk_toml, eventually, platform};
use auk_runtime::{CloseOutcome, SubmitOutcome};
use auk_simulator::model::{Act, Seen};
use auk_simulator::{Platform, Say, Settings};
use serde_json::{Value, json};

fn secret() -> String {
    Settings::default().secret
}

fn bridge(platform: &Platform) -> (ConfigDir, Heard) {
    let config = ConfigDir::with(&auk_toml(platform.base_url(), &secret()));
    let heard = Heard::open(&config);
    heard.wait_until_ready();
    (config, heard)
}

fn said(frame: &Value) -> Option<String> {
    (frame["type"] == "say").then(|| frame["text"].as_str().unwrap_or_default().to_owned())
}

fn command(heard: &Heard, request: u64, name: &str, argument: Option<&str>) {
    let mut frame = json!({ "type": "command", "request": request, "caller": "Alex", "name": name });
    if let Some(argument) = argument {
        frame["argument"] = argument.into();
    }
    heard.submit(&frame);
}

/// Waits for the answer to a command: its lines, and whether it failed.
fn reply(heard: &mut Heard, request: u64) -> (Vec<String>, bool) {
    heard.wait_for("the reply", |frame| {
        let is_reply = frame["type"] == "reply" && frame["request"] == request;
        is_reply.then(|| {
            let lines = frame["lines"].as_array().expect("lines").iter();
            (lines.map(|line| line.as_str().expect("a line").to_owned()).collect(), frame["failed"].as_bool().expect("a flag"))
        })
    })
}

fn player(name: &str) -> Value {
    json!({ "name": name, "uuid": "069a79f4-44e9-4726-a5be-fca90e38aaf5" })
}

#[test]
fn a_member_is_heard_in_the_game_and_a_player_in_the_group() {
    let platform = platform();
    let (_config, mut heard) = bridge(&platform);
    let message = platform.say(GROUP, &Say::at("小明", "你好 😀")).expect("known");
    assert_eq!(heard.wait_for("the member's line", said), "[QQ] 小明: 你好 😀");
    heard.submit(&json!({ "type": "chat", "player": player("Steve"), "text": "hi there" }));
    let posted = eventually("the player's line", || platform.posted().into_iter().next());
    assert_eq!(posted.content, "[S] Steve: hi there");
    assert_eq!((posted.msg_id, posted.msg_seq), (Some(message.msg_id), 1));
    heard.submit(&json!({ "type": "join", "player": player("Alex") }));
    let posted = eventually("the join", || platform.posted().into_iter().nth(1));
    assert_eq!((posted.content.as_str(), posted.msg_seq), ("[S] Alex joined the game", 2));
}

#[test]
fn list_in_the_group_asks_the_server_and_answers_with_its_players() {
    let platform = platform();
    let (_config, mut heard) = bridge(&platform);
    let question = platform.say(GROUP, &Say::at("小明", "查在线")).expect("known");
    let request = heard.wait_for("the question", |frame| (frame["type"] == "list_players").then(|| frame["request"].clone()));
    heard.submit(&json!({ "type": "players", "request": request, "online": [player("Steve"), player("Alex")], "max": 20 }));
    let posted = eventually("the answer", || platform.posted().into_iter().next());
    assert!(posted.content.contains("Steve") && posted.content.contains("Alex") && posted.content.contains('2'), "{}", posted.content);
    assert_eq!(posted.msg_id, Some(question.msg_id));
}

#[test]
fn lines_typed_while_the_gateway_is_away_arrive_when_it_is_back() {
    let platform = platform();
    let (_config, heard) = bridge(&platform);
    platform.patch_faults(&json!({ "refuse_upgrade": 503 })).expect("known");
    platform.act(&Act::Cut);
    eventually("the loss", || (heard.state() != "ready").then_some(()));
    for n in 0..5 {
        heard.submit(&json!({ "type": "chat", "player": player("Steve"), "text": format!("line {n}") }));
    }
    std::thread::sleep(Duration::from_millis(300));
    assert!(platform.posted().is_empty(), "nothing is sent while there is no session: it would be lost");
    platform.patch_faults(&json!({ "refuse_upgrade": null })).expect("known");
    let text = eventually("all five", || {
        let text: String = platform.posted().iter().map(|posted| posted.content.clone() + "\n").collect();
        (text.matches("line ").count() == 5).then_some(text)
    });
    let order: Vec<_> = (0..5).map(|n| text.find(&format!("line {n}")).expect("there")).collect();
    assert!(order.is_sorted(), "{text}");
}

#[test]
fn a_wrong_secret_is_said_once_with_advice_and_not_printed_and_not_hammered() {
    let platform = platform();
    let config = ConfigDir::with(&auk_toml(platform.base_url(), "wrong-secret-9999"));
    let mut heard = Heard::open(&config);
    let warnings = heard.warnings_after(2_000);
    assert!((1..=3).contains(&warnings.len()), "{warnings:?}");
    assert!(warnings[0].contains("refuses this app id and secret") && warnings[0].contains("100016"), "{warnings:?}");
    assert!(warnings.iter().all(|line| !line.contains("wrong-secret-9999")), "{warnings:?}");
    assert_eq!(platform.state().token_requests.total, 1);
    assert_eq!(heard.state(), "halted");
    // Mending it needs a reload, no restart.
    config.write(&auk_toml(platform.base_url(), &secret()));
    assert_eq!(heard.session.reload(config.options()), SubmitOutcome::Taken);
    heard.wait_until_ready();
}

#[test]
fn an_unreachable_platform_is_said_once_and_not_hammered() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port");
    let config = ConfigDir::with(&auk_toml(&format!("http://{free}"), &secret()));
    let mut heard = Heard::open(&config);
    let warnings = heard.warnings_after(3_000);
    assert!((1..=3).contains(&warnings.len()), "{warnings:?}");
    assert!(["127.0.0.1", "host not reached", "network", "auk.toml"].iter().all(|word| warnings[0].contains(word)), "{warnings:?}");
    assert_eq!(heard.state(), "awaiting_token");
}

#[test]
fn a_missing_settings_file_is_written_with_comments_and_an_unreadable_one_is_named_by_line() {
    let config = ConfigDir::empty();
    let mut heard = Heard::open(&config);
    heard.wait_for("the hint", |frame| frame["text"].as_str().filter(|text| text.contains("已写出")).map(|_| ()));
    assert!(std::fs::read_to_string(config.file()).expect("written").contains("[bot]"));
    for (text, words) in [
        ("config_version = 1\nlanguage = \"en-US\"\n[bot]\napp_id = \"1\nsecret = \"hidden-secret\"", "line 4"),
        ("config_version = 1\n[bot]\napp_id = \"1\nsecret = \"hidden-secret\"", "第 3 行"),
        ("config_version = 2\nlanguage = \"en-US\"\n[bot]\n", "config_version 1"),
        ("config_version = 1\nlanguage = \"en-US\"\n[bot]\napp_id = \"1\"\nsecret = \"hidden-secret\"\n[bott]\n", "bott"),
        ("config_version = 1\nlanguage = \"en-US\"\n[bot]\napp_id = 12\nsecret = \"hidden-secret\"\n", "texts in quotes"),
        ("config_version = 1\nlanguage = \"en-US\"\n[bot]\napp_id = \"12\"\nsecret = 9876543210\n", "texts in quotes"),
        ("config_version = 1\nlanguage = \"en-US\"\n[bot]\napp_id = \"12\"\nhidden-secret = \"\"\n", "a key that is none"),
        ("config_version = 1\nlanguage = \"en-US\"\n[bot]\napp_id = \"12\"\nsecret = \"\"\n", "secret is empty"),
        (
            "config_version = 1\nlanguage = \"en-US\"\n[bot]\napp_id = \"12\"\nsecret = \"hidden-secret\"\n[[groups]]\n",
            "missing field `openid`",
        ),
    ] {
        config.write(text);
        heard.session.reload(config.options());
        let line = heard.wait_for(words, |frame| {
            frame["text"].as_str().filter(|line| line.contains("auk.toml") && line.contains(words)).map(ToOwned::to_owned)
        });
        assert!(!line.contains("hidden-secret") && !line.contains("9876543210") && !line.contains('\n'), "{line}");
    }
    let status: Value = serde_json::from_slice(&heard.session.status()).expect("JSON");
    assert_eq!(status["gateway"]["state"], "unconfigured");
    assert!(status["gateway"]["halt"]["advice"].as_str().expect("text").contains("openid"));
}

#[test]
fn broken_settings_change_nothing_in_a_bridge_that_runs() {
    let platform = platform();
    let (config, mut heard) = bridge(&platform);
    config.write("nonsense");
    heard.session.reload(config.options());
    heard.wait_for("the refusal", |frame| frame["text"].as_str().filter(|text| text.contains("沿用现有配置")).map(|_| ()));
    platform.say(GROUP, &Say::at("小明", "still there?")).expect("known");
    assert_eq!(heard.wait_for("the line", said), "[QQ] 小明: still there?");
}

#[test]
fn close_flushes_the_last_line_leaves_the_session_to_the_next_life_and_releases_a_blocked_poll() {
    let platform = platform();
    let (_config, heard) = bridge(&platform);
    let session = heard.session;
    std::thread::scope(|scope| {
        let poller = scope.spawn(|| {
            loop {
                match session.poll(Duration::from_secs(30)) {
                    Some(frame) if frame == br#"{"type":"end"}"# => return Instant::now(),
                    Some(_) | None => {}
                }
            }
        });
        assert_eq!(session.submit(br#"{"type":"server_stopping"}"#), SubmitOutcome::Taken);
        let began = Instant::now();
        assert_eq!(session.close(Duration::from_secs(3)), CloseOutcome::Ended);
        let released = poller.join().expect("the poller returns");
        assert!(released.duration_since(began) < Duration::from_secs(3));
    });
    assert_eq!(session.submit(br#"{"type":"server_started"}"#), SubmitOutcome::Closed);
    assert_eq!(session.close(Duration::from_secs(1)), CloseOutcome::Ended, "closing twice is ordinary");
    let contents: Vec<_> = platform.posted().into_iter().map(|posted| posted.content).collect();
    assert!(contents.iter().any(|content| content.contains("stopping")), "{contents:?}");
    eventually("the platform sees the end", || (!platform.state().online).then_some(()));
}

#[test]
fn lines_that_cannot_be_flushed_are_counted_and_what_comes_after_the_close_is_refused() {
    let platform = platform();
    let (_config, mut heard) = bridge(&platform);
    platform.patch_faults(&json!({ "refuse_upgrade": 503 })).expect("known");
    platform.act(&Act::Cut);
    eventually("the loss", || (heard.state() != "ready").then_some(()));
    for n in 0..5 {
        heard.submit(&json!({ "type": "chat", "player": player("Steve"), "text": format!("line {n}") }));
    }
    heard.session.begin_close();
    // An answer that nobody asked for makes no line.
    let idle = br#"{"type":"players","request":0,"online":[],"max":0}"#;
    eventually("the door is shut", || (heard.session.submit(idle) == SubmitOutcome::Closed).then_some(()));
    heard.wait_for("the count of lines left behind", |frame| frame["text"].as_str().filter(|text| text.ends_with(": 5")).map(|_| ()));
    heard.wait_for("the end", |frame| (frame["type"] == "end").then_some(()));
    let status: Value = serde_json::from_slice(&heard.session.status()).expect("JSON");
    assert_eq!((&status["bridge"]["waiting"], &status["bridge"]["dropped"]), (&json!(0), &json!(5)), "{status}");
}

#[test]
fn an_outage_is_said_once_when_it_begins_and_once_when_it_ends() {
    let platform = platform();
    let (_config, mut heard) = bridge(&platform);
    // Longer ready than `settled_ms`, so that the first attempt after the loss comes at once.
    std::thread::sleep(Duration::from_millis(3_200));
    platform.patch_faults(&json!({ "refuse_upgrade": 503 })).expect("known");
    platform.act(&Act::Cut);
    let warnings = heard.warnings_after(4_000);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("connection lost") && warnings[0].contains("127.0.0.1") && warnings[0].contains("503"), "{warnings:?}");
    platform.patch_faults(&json!({ "refuse_upgrade": null })).expect("known");
    heard.wait_for("the end of the outage", |frame| {
        frame["text"].as_str().filter(|text| text.contains("connected again") && text.contains("outage_ms")).map(|_| ())
    });
}

#[test]
fn a_loss_that_the_first_attempt_mends_is_no_news() {
    let platform = platform();
    let (_config, mut heard) = bridge(&platform);
    std::thread::sleep(Duration::from_millis(3_200));
    platform.act(&Act::Cut);
    platform.act(&Act::Op7);
    assert_eq!(heard.warnings_after(1_000), Vec::<String>::new());
    heard.wait_until_ready();
}

#[test]
fn other_hosts_in_a_reload_end_the_old_session_before_the_new_one() {
    let (first, second) = (platform(), platform());
    let (config, heard) = bridge(&first);
    config.write(&auk_toml(second.base_url(), &secret()));
    heard.session.reload(config.options());
    eventually("the new session", || second.state().online.then_some(()));
    assert!(!first.state().online);
    let ended = first.records().into_iter().any(|record| matches!(record.seen, Seen::Closed { code: Some(1000), .. }));
    assert!(ended, "the old platform is told");
}

#[test]
fn frames_that_are_none_are_refused_by_a_status() {
    let config = ConfigDir::empty();
    let heard = Heard::open(&config);
    for frame in [&b""[..], b"{}", b"[]", b"\xff", br#"{"type":"nonsense"}"#, br#"{"type":"chat","text":"no player"}"#] {
        assert_eq!(heard.session.submit(frame), SubmitOutcome::Unreadable, "{frame:?}");
    }
    let lone = br#"{"type":"chat","player":{"name":"a","uuid":"b"},"text":"\ud83d alone"}"#;
    assert_eq!(heard.session.submit(lone), SubmitOutcome::Taken);
}

#[test]
fn two_bridges_in_one_process_do_not_hear_each_other() {
    let platform = platform();
    let (_config, mut heard) = bridge(&platform);
    let broken = ConfigDir::with("nonsense");
    let mut other = Heard::open(&broken);
    other.wait_for("its own trouble", |frame| frame["text"].as_str().filter(|text| text.contains("auk.toml")).map(|_| ()));
    assert!(heard.warnings_after(200).is_empty());
}

#[test]
fn status_send_and_test_are_answered_by_a_bridge_at_work() {
    let platform = platform();
    let (_config, mut heard) = bridge(&platform);
    command(&heard, 1, "status", None);
    let (lines, failed) = reply(&mut heard, 1);
    assert!(!failed && lines[0].starts_with("QQ: connected") && lines.last().expect("a line") == "Group AB000000: open", "{lines:?}");
    command(&heard, 2, "send", Some("hello"));
    assert_eq!(reply(&mut heard, 2), (vec!["Queued. Groups: 1".to_owned()], false));
    assert_eq!(eventually("the line", || platform.posted().into_iter().next()).content, "[S] [Alex] hello");
    command(&heard, 3, "test", None);
    assert_eq!(reply(&mut heard, 3), (vec!["Group AB000000: it arrived".to_owned()], false));
    assert_eq!(platform.posted()[1].content, "[S] a test of Auk, asked for by Alex");
}

#[test]
fn twenty_wishes_for_another_connection_make_one_and_each_is_answered() {
    let platform = platform();
    let (_config, mut heard) = bridge(&platform);
    let connects = || platform.records().iter().filter(|record| matches!(record.seen, Seen::Connected { .. })).count();
    let before = connects();
    (1..=20).for_each(|request| command(&heard, request, "reconnect", None));
    for request in 1..=20 {
        assert!(!reply(&mut heard, request).1);
    }
    eventually("another connection", || (connects() > before).then_some(()));
    heard.wait_until_ready();
    assert_eq!(connects(), before + 1);
}

#[test]
fn a_reload_by_command_answers_what_is_wrong_and_then_that_it_was_taken() {
    let platform = platform();
    let config = ConfigDir::with("config_version = 1\nlanguage = \"en-US\"\nnonsense");
    let mut heard = Heard::open(&config);
    command(&heard, 1, "status", None);
    let (lines, failed) = reply(&mut heard, 1);
    assert!(
        !failed && lines[0].starts_with("Auk is off: ") && lines[0].contains("line 3") && lines[1].contains("/auk reload"),
        "{lines:?}"
    );
    command(&heard, 2, "reload", None);
    let (lines, failed) = reply(&mut heard, 2);
    assert!(failed && lines[0].contains("line 3"), "{lines:?}");
    for (request, name) in [(3, "send"), (4, "test"), (5, "reconnect")] {
        command(&heard, request, name, Some("x"));
        assert!(reply(&mut heard, request).1, "{name}");
    }
    config.write(&auk_toml(platform.base_url(), &secret()));
    command(&heard, 6, "reload", None);
    assert_eq!(reply(&mut heard, 6), (vec!["The settings were read and are in use. Groups: 1".to_owned()], false));
    heard.wait_until_ready();
    config.write("config_version = 1\nlanguage = \"en-US\"\nnonsense");
    command(&heard, 7, "reload", None);
    let (lines, failed) = reply(&mut heard, 7);
    assert!(failed && lines[1] == "The new settings are not in use; the old ones stay", "{lines:?}");
    assert_eq!(heard.state(), "ready");
}

#[test]
fn commands_that_meet_the_end_are_answered_before_it() {
    let platform = platform();
    let config = ConfigDir::with(&auk_toml(platform.base_url(), &secret()));
    let broken = ConfigDir::with("nonsense");
    for (config, works) in [(&config, true), (&broken, false)] {
        let mut heard = Heard::open(config);
        if works {
            heard.wait_until_ready();
        }
        (1..=50).for_each(|request| command(&heard, request, "status", None));
        heard.session.begin_close();
        heard.wait_for("the end", |frame| (frame["type"] == "end").then_some(()));
        for request in 1..=50 {
            let replies = heard.count(|frame| frame["type"] == "reply" && frame["request"] == request);
            assert_eq!(replies, 1, "{request}");
        }
    }
}
