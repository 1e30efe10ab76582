//! What `/auk` answers.

use std::collections::BTreeSet;

use auk_bridge::console::{Answer, Order, ROOT, Subcommand, tree};
use auk_bridge::frame::Call;
use auk_bridge::{Errand, HoldCause, Input, Outcome};
use auk_bridge_stories::{GROUP, MINUTE, OTHER_GROUP, SECOND, Stage, delivered, group, refused, settings};
use auk_gateway::{AttemptStatus, DeadlineStatus, HaltStatus, Language, Status};
use serde_json::json;

#[test]
fn the_tree_names_each_command_once_with_its_level_its_node_and_help_in_both_languages() {
    let tree = tree();
    assert_eq!(tree["root"], ROOT);
    let commands = tree["commands"].as_array().expect("a list");
    let facts: Vec<_> =
        commands.iter().map(|command| json!([command["name"], command["level"], command["node"], command["argument"]])).collect();
    assert_eq!(
        facts,
        [
            json!(["status", 3, "auk.command.status", null]),
            json!(["reload", 4, "auk.command.reload", null]),
            json!(["reconnect", 4, "auk.command.reconnect", null]),
            json!(["send", 3, "auk.command.send", "text"]),
            json!(["test", 3, "auk.command.test", null]),
            json!(["help", 3, "auk.command.help", null]),
        ]
    );
    for command in commands {
        let [chinese, english] = ["zh_cn", "en_us"].map(|language| command["help"][language].as_str().expect("a line"));
        assert!(chinese.chars().any(is_chinese) && !english.is_empty() && !english.chars().any(is_chinese), "{command}");
        assert!(!chinese.contains('\n') && !english.contains('\n'), "{command}");
    }
}

#[test]
fn help_lists_every_command_as_it_is_typed() {
    let mut stage = Stage::offline(settings());
    stage.command(7, "help", None);
    let (request, answer) = stage.reply();
    assert_eq!((request, answer.failed, answer.lines.len()), (7, false, Subcommand::ALL.len()));
    assert_eq!(answer.lines[3], "/auk send <text>: Sends a line to the groups in the server's name");
    let mut chinese = settings();
    chinese.language = Language::ZhCn;
    let mut stage = Stage::offline(chinese);
    stage.command(1, "help", None);
    assert_eq!(stage.reply().1.lines[0], "/auk status: 查看与 QQ 的连接和各群的状态");
}

#[test]
fn a_name_that_is_none_and_an_argument_that_is_missing_fail_with_a_line_that_says_what_to_type() {
    let mut stage = Stage::new(settings());
    stage.command(1, "dance", None);
    let unknown = r#"There is no command "dance". After /auk comes one of: status reload reconnect send test help"#;
    assert_eq!(stage.reply(), (1, Answer::failure(unknown.to_owned())));
    for missing in [None, Some(""), Some("  ")] {
        stage.command(2, "send", missing);
        let incomplete = "The command is not complete. Usage: /auk send <text>";
        assert_eq!(stage.reply(), (2, Answer::failure(incomplete.to_owned())));
    }
    assert!(stage.posts.is_empty() && stage.errands.is_empty());
}

#[test]
fn what_only_the_driver_can_do_is_asked_of_it_by_the_commands_number() {
    let mut stage = Stage::new(settings());
    stage.command(1, "status", None);
    stage.command(2, "reload", None);
    stage.command(3, "reconnect", None);
    assert_eq!(stage.errands, [Errand::Status { request: 1 }, Errand::Reload { request: 2 }, Errand::Reconnect { request: 3 }]);
    assert_eq!(stage.errands.iter().map(|errand| errand.request()).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(stage.replies.is_empty(), "the driver answers");
}

#[test]
fn a_line_is_sent_to_every_group_that_hears_the_game_under_the_callers_name() {
    let mut some = settings();
    some.groups[0].chat = false;
    some.groups.push(group(OTHER_GROUP));
    some.groups[1].from_game = false;
    let mut stage = Stage::new(some);
    stage.command(1, "send", Some(" back in five minutes §c!"));
    assert_eq!(stage.reply(), (1, Answer::success(vec!["Queued. Groups: 1".to_owned()])));
    let post = stage.deliver();
    assert_eq!((post.group_openid.as_str(), post.content.as_str()), (GROUP, "[Survival] [Alex] back in five minutes !"));
    assert!(stage.posts.is_empty() && stage.said.is_empty());
}

#[test]
fn a_line_that_is_sent_while_the_gateway_is_away_is_kept_and_said_to_be() {
    let mut stage = Stage::offline(settings());
    stage.command(1, "send", Some("hi"));
    let kept = "Queued. Groups: 1. QQ is not connected now; it goes out once it is";
    assert_eq!(stage.reply(), (1, Answer::success(vec![kept.to_owned()])));
    stage.input(Input::GatewayUp);
    assert_eq!(stage.post().content, "[Survival] [Alex] hi");
}

#[test]
fn a_line_that_goes_to_nobody_is_a_failure_with_its_reason() {
    let mut none = settings();
    none.groups.clear();
    let mut deaf = settings();
    deaf.groups[0].from_game = false;
    for (settings, text, why) in [
        (none, "hi", "No group is set up yet."),
        (deaf, "hi", "No group takes lines of the game (from_game is off)"),
        (settings(), "§a\u{200b}", "Nothing of this line can be shown"),
    ] {
        let mut stage = Stage::new(settings);
        stage.command(1, "send", Some(text));
        let (_, answer) = stage.reply();
        assert!(answer.failed && answer.lines.len() == 1 && answer.lines[0].starts_with(why), "{answer:?}");
        assert!(stage.posts.is_empty());
        assert_eq!(stage.status().dropped, 0, "it was refused and not lost");
    }
}

#[test]
fn a_test_goes_to_every_group_and_is_answered_when_the_last_has_taken_it() {
    let mut both = settings();
    both.groups.push(group(OTHER_GROUP));
    both.groups[1].from_game = false;
    both.groups[1].name = String::new();
    let mut stage = Stage::new(both);
    stage.command(4, "test", None);
    assert!(stage.replies.is_empty());
    assert_eq!(stage.deliver().content, "[Survival] a test of Auk, asked for by Alex");
    assert!(stage.replies.is_empty(), "the second group has not answered");
    assert_eq!(stage.deliver().group_openid, OTHER_GROUP);
    let lines = ["Group AB000000 Friends: it arrived", "Group CD000000: it arrived"];
    assert_eq!(stage.reply(), (4, Answer::success(lines.map(str::to_owned).to_vec())));
    stage.wait(MINUTE);
    assert!(stage.replies.is_empty(), "an answer comes once");
}

#[test]
fn a_test_that_is_merged_with_other_lines_is_told_from_them() {
    let mut stage = Stage::new(settings());
    stage.chat("before");
    stage.command(1, "test", None);
    stage.chat("after");
    stage.deliver();
    assert!(stage.replies.is_empty(), "only the line before it has arrived");
    assert_eq!(stage.deliver().content, "[Survival] a test of Auk, asked for by Alex\n[Survival] Steve: after");
    assert_eq!(stage.reply().1.lines, ["Group AB000000 Friends: it arrived"]);
}

#[test]
fn a_test_that_is_refused_tells_the_advice() {
    let mut stage = Stage::new(settings());
    stage.command(1, "test", None);
    stage.answer(refused(304_061));
    let (_, answer) = stage.reply();
    let advice = auk_gateway::post_advice(400, Some(304_061), Language::EnUs);
    assert_eq!(answer, Answer { lines: vec![format!("Group AB000000 Friends: QQ refused it. {advice}")], failed: true });
}

#[test]
fn a_test_of_a_group_that_is_held_says_at_once_what_it_waits_for() {
    let cases = [
        (refused(850_018), HoldCause::Muted.words(Language::EnUs)),
        (refused(40_034_101), HoldCause::NotInGroup.words(Language::EnUs)),
        (refused(22_009), auk_gateway::post_advice(400, Some(22_009), Language::EnUs).to_owned()),
    ];
    for (outcome, advice) in cases {
        let mut stage = Stage::new(settings());
        stage.command(1, "test", None);
        stage.answer(outcome.clone());
        let waits = format!("Group AB000000 Friends: it waits and goes out later. {advice}");
        assert_eq!(stage.reply(), (1, Answer { lines: vec![waits.clone()], failed: true }));
        // The pause holds what comes after it, and a second test need not try.
        stage.command(2, "test", None);
        assert_eq!(stage.reply(), (2, Answer { lines: vec![waits], failed: true }));
        assert_eq!(stage.status().waiting, 2, "the lines are kept");
    }
}

#[test]
fn a_test_without_a_connection_or_without_a_right_to_be_sent_says_so_at_once() {
    let mut stage = Stage::offline(settings());
    stage.command(1, "test", None);
    let offline = "Group AB000000 Friends: it waits: QQ is not connected now, and it goes out once it is; see /auk status";
    assert_eq!(stage.reply().1.lines, [offline]);

    let mut quiet = settings();
    quiet.limits.active_per_minute = 0;
    let mut stage = Stage::new(quiet);
    stage.command(2, "test", None);
    let silent = "it waits and goes out later. Lines go out only as replies, within five minutes after somebody spoke in the group.";
    assert_eq!(stage.reply().1.lines, [format!("Group AB000000 Friends: {silent}")]);

    let mut slow = settings();
    slow.limits.active_per_minute = 1;
    let mut stage = Stage::new(slow);
    stage.chat("one");
    stage.deliver();
    stage.command(3, "test", None);
    let paced = "it waits and goes out later. As many messages went out as may in a minute; it goes on within one.";
    assert_eq!(stage.reply().1.lines, [format!("Group AB000000 Friends: {paced}")]);
}

#[test]
fn a_short_pause_is_waited_for_and_the_test_told_after_it() {
    let mut stage = Stage::new(settings());
    stage.command(1, "test", None);
    stage.answer(Outcome::Unreachable);
    assert!(stage.replies.is_empty(), "it is tried again in a second");
    stage.wait(2 * SECOND);
    stage.deliver();
    assert_eq!(stage.reply().1.lines, ["Group AB000000 Friends: it arrived"]);
}

#[test]
fn a_test_is_answered_after_ten_seconds_whatever_is_known_by_then() {
    let mut stage = Stage::new(settings());
    stage.command(1, "test", None);
    stage.wait(10 * SECOND - 1);
    assert!(stage.replies.is_empty());
    stage.wait(1);
    let unanswered = "Group AB000000 Friends: it was sent, and QQ has not answered yet";
    assert_eq!(stage.reply(), (1, Answer { lines: vec![unanswered.to_owned()], failed: true }));
    stage.deliver();
    assert!(stage.replies.is_empty(), "an answer comes once");
}

#[test]
fn a_test_of_unknown_fate_and_one_whose_group_left_the_settings_are_told() {
    let mut stage = Stage::new(settings());
    stage.command(1, "test", None);
    stage.answer(Outcome::Unknown);
    let uncertain = "nobody knows whether it arrived; it is not repeated, so that it does not appear twice";
    assert_eq!(stage.reply().1.lines, [format!("Group AB000000 Friends: {uncertain}")]);

    let mut stage = Stage::new(settings());
    stage.chat("first");
    stage.command(2, "test", None);
    let mut none = settings();
    none.groups.clear();
    stage.input(Input::Reload(none));
    assert_eq!(stage.reply().1.lines, ["Group AB000000 Friends: it was given up before it was sent"]);
    stage.command(3, "test", None);
    assert!(stage.reply().1.lines[0].starts_with("No group is set up yet."));
}

#[test]
fn each_command_is_answered_once_though_the_bridge_stops() {
    let mut both = settings();
    both.groups.push(group(OTHER_GROUP));
    let mut stage = Stage::new(both);
    stage.command(1, "test", None);
    stage.deliver();
    stage.input(Input::Stop);
    stage.command(2, "help", None);
    assert_eq!(stage.reply(), (2, Answer::stopping(Language::EnUs)));
    stage.input(Input::GiveUp);
    let lines = ["Group AB000000 Friends: it arrived", "Group CD000000 Friends: The bridge is stopping; nothing was done"];
    assert_eq!(stage.reply(), (1, Answer { lines: lines.map(str::to_owned).to_vec(), failed: true }));
    for (request, name) in [(3, "status"), (4, "send"), (5, "test"), (6, "dance")] {
        stage.command(request, name, Some("x"));
        assert_eq!(stage.reply(), (request, Answer::stopping(Language::EnUs)), "{name}");
    }
    stage.input(Input::GiveUp);
    let post = stage.post();
    stage.input(Input::Posted { post: post.id, outcome: delivered() });
    assert!(stage.replies.is_empty() && stage.errands.is_empty());
}

#[test]
fn the_report_has_the_gateways_state_in_words_the_counts_and_each_group() {
    let mut both = settings();
    both.groups.push(group(OTHER_GROUP));
    let mut stage = Stage::new(both);
    stage.chat("one");
    stage.deliver();
    stage.answer(refused(850_018));
    let report = stage.bridge.report(&ready());
    assert_eq!(
        report.lines,
        [
            "QQ: connected (for 3 min)",
            "Next: heartbeat in 38 s",
            "Attempts to connect: 1 in the last minute, 5 since the start",
            "Why the last connection ended: closed with code 4009",
            "Lines: waiting 1, given up 0, uncertain 0; messages posted to groups 1, lines said in the game 0",
            "Group AB000000 Friends: open",
            &format!("Group CD000000 Friends: held. {}", HoldCause::Muted.words(Language::EnUs)),
        ]
    );
    assert!(!report.failed);
    assert!(report.lines.iter().all(|line| !line.contains(GROUP) && !line.contains(OTHER_GROUP)), "openids are cut short");
}

#[test]
fn the_report_of_a_halted_gateway_has_the_reason_and_the_advice() {
    let mut stage = Stage::offline(settings());
    let halt = Some(HaltStatus { reason: "credentials_refused", advice: "Mend the secret." });
    let deadline = Some(DeadlineStatus { reason: "slow lane", in_ms: 7_500_000 });
    let halted = Status { state: "halted", halt, deadline, last_loss: None, since_ms: 119_000, ..ready() };
    let lines = stage.bridge.report(&halted).lines;
    let head = [
        "QQ: the owner has to do something (for 119 s)",
        "The usual attempts are off: Mend the secret. (credentials_refused)",
        "Next: another attempt in 2 h",
    ];
    assert_eq!(lines[..3], head);
    let mut none = settings();
    none.groups.clear();
    stage.input(Input::Reload(none));
    assert!(stage.bridge.report(&halted).lines.last().expect("lines").starts_with("No group is set up yet."));
}

#[test]
fn every_state_and_every_deadline_of_the_gateway_has_words_of_its_own() {
    // As in `State::name` and as the deadlines are named throughout the gateway.
    let states = [
        "starting",
        "awaiting_token",
        "awaiting_address",
        "waiting",
        "connecting",
        "awaiting_hello",
        "authenticating",
        "ready",
        "halted",
        "stopping",
        "stopped",
    ];
    let deadlines = [
        "heartbeat",
        "back-off",
        "slow lane",
        "connect",
        "hello",
        "ready",
        "resumed",
        "closing handshake",
        "address look-up",
        "address look-up limit",
        "connect limit",
        "allowance of new sessions",
        "pause asked for by the platform",
        "close code after invalid session",
        "token request",
        "token renewal",
        "next token request",
    ];
    for language in [Language::ZhCn, Language::EnUs] {
        let mut own = settings();
        own.language = language;
        let stage = Stage::offline(own);
        let line = |status: &Status, index: usize| stage.bridge.report(status).lines[index].clone();
        let words: BTreeSet<_> = states.iter().map(|state| line(&Status { state, ..ready() }, 0)).collect();
        assert_eq!(words.len(), states.len(), "{words:?}");
        let named: Vec<_> = deadlines
            .iter()
            .map(|reason| line(&Status { deadline: Some(DeadlineStatus { reason, in_ms: 1_000 }), ..ready() }, 1))
            .collect();
        let fallback = named.last().expect("the last is what an unknown one would read as");
        assert_eq!(named.iter().filter(|line| *line == fallback).count(), 1, "{named:?}");
        for line in words.iter().chain(&named) {
            assert_eq!(line.chars().any(is_chinese), language == Language::ZhCn, "{line}");
        }
    }
}

#[test]
fn without_a_bridge_status_tells_why_and_what_to_do_and_only_a_reload_is_left_to_the_driver() {
    let off = ["Auk is off: auk.toml, line 4: no", "Mend config/auk/auk.toml, then type /auk reload; the server is not affected"];
    let answer = |order: &Order| Answer::without_bridge(order, "auk.toml, line 4: no", Language::EnUs);
    let lines = off.map(str::to_owned).to_vec();
    assert_eq!(answer(&Order::Status), Some(Answer { lines: lines.clone(), failed: false }));
    for order in [Order::Reconnect, Order::Test, Order::Send { text: "hi".to_owned() }] {
        assert_eq!(answer(&order), Some(Answer { lines: lines.clone(), failed: true }));
    }
    assert_eq!(answer(&Order::Help), Some(Answer::help(Language::EnUs)));
    assert_eq!(answer(&Order::Reload), None);
}

#[test]
fn a_reload_tells_what_is_wrong_with_settings_that_are_taken_all_the_same() {
    let mut odd = settings();
    odd.limits.waiting_lines_max = 0;
    let answer = Answer::reloaded(1, &odd.validate(), Language::EnUs);
    assert!(!answer.failed && answer.lines.len() == 2, "{answer:?}");
    assert_eq!(answer.lines[0], "The settings were read and are in use. Groups: 1");
    assert!(answer.lines[1].starts_with("[limits] waiting_lines_max = 0"), "{answer:?}");
    assert!(Answer::reloaded(0, &[], Language::EnUs).lines[1].starts_with("No group is set up yet."));
    assert!(Answer::not_reloaded("line 3: no", Language::EnUs).failed);
}

#[test]
fn another_connection_is_announced_by_what_it_means_in_each_state() {
    let answer = |state| Answer::reconnected(state, Language::EnUs);
    assert!(answer("ready").lines[0].starts_with("The connection to QQ is dropped"));
    for state in ["awaiting_address", "connecting", "awaiting_hello", "authenticating"] {
        assert!(answer(state).lines[0].starts_with("An attempt to connect is under way"), "{state}");
    }
    for state in ["starting", "awaiting_token", "waiting", "halted"] {
        assert!(answer(state).lines[0].starts_with("An attempt to connect is made at once"), "{state}");
    }
    assert_eq!(answer("stopped"), Answer::stopping(Language::EnUs));
}

#[test]
fn a_command_is_read_with_its_argument_cut_to_what_counts() {
    let call = |name: &str, argument: Option<&str>| Call {
        request: 1,
        caller: "Alex".to_owned(),
        name: name.to_owned(),
        argument: argument.map(str::to_owned),
    };
    assert_eq!(Order::read(&call("send", Some("  a b ")), Language::EnUs), Ok(Order::Send { text: "a b".to_owned() }));
    assert_eq!(Order::read(&call("status", Some("now")), Language::EnUs), Ok(Order::Status));
}

fn ready() -> Status {
    Status {
        state: "ready",
        since_ms: 200_000,
        deadline: Some(DeadlineStatus { reason: "heartbeat", in_ms: 38_000 }),
        attempts: AttemptStatus { last_minute: 1, total: 5 },
        session: true,
        halt: None,
        last_loss: Some("closed with code 4009".to_owned()),
    }
}

fn is_chinese(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}
