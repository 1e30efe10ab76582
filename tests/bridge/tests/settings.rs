//! What an owner writes in `auk.toml`.

use auk_bridge::{HoldCause, Notice, Problem, Settings, ToGame};
use auk_bridge_stories::{GROUP, Stage, group, settings};
use auk_gateway::Language;

#[test]
fn an_empty_file_is_a_bridge_without_groups() {
    let empty = read("");
    assert_eq!(empty, Settings::default());
    assert_eq!(empty.validate(), []);
    assert_eq!(empty.language, Language::ZhCn);
    let mut stage = Stage::offline(empty);
    assert_eq!(stage.notices, [Notice::NoGroups]);
    stage.chat("hi");
    assert_eq!(stage.status().dropped, 0);
}

#[test]
fn everything_that_is_written_is_read_and_other_tables_are_not_looked_at() {
    let full = read(
        r#"
        language = "en-US"

        [bot]
        app_id = "102000001"

        [server]
        name = "生存服"

        [[groups]]
        openid = "AB00000000000000000000000000C001"
        name = "Friends"
        to_game = "mentioned"
        from_game = false
        join = false
        death = false
        advancement = false

        [[groups]]
        openid = "CD00000000000000000000000000C002"

        [messages]
        chat = "<{player}> {text}"

        [limits]
        waiting_lines_max = 50
        "#,
    );
    assert_eq!((full.server.name.as_str(), full.language), ("生存服", Language::EnUs));
    let mut first = group(GROUP);
    (first.to_game, first.from_game, first.join) = (ToGame::Mentioned, false, false);
    (first.death, first.advancement) = (false, false);
    assert_eq!(full.groups[0], first);
    assert_eq!((full.groups[1].to_game, full.groups[1].from_game, full.groups[1].stop), (ToGame::All, true, true));
    assert_eq!(full.messages.chat.as_deref(), Some("<{player}> {text}"));
    assert_eq!((full.limits.waiting_lines_max, full.limits.active_per_minute), (50, 20));
    assert_eq!(full.validate(), []);
}

#[test]
fn a_key_or_a_value_that_is_not_known_is_named_with_its_line() {
    let wrong = [
        ("[[groups]]\nopenid = \"A\"\nto_gmae = \"all\"", "to_gmae"),
        ("[[groups]]\nopenid = \"A\"\nto_game = \"some\"", "some"),
        ("[[groups]]\nname = \"A\"", "openid"),
        ("language = \"fr\"", "fr"),
        ("[limits]\nactive_per_minute = -1", "-1"),
    ];
    for (file, word) in wrong {
        let error = toml::from_str::<Settings>(file).expect_err(file).to_string();
        assert!(error.contains(word) && error.contains("line"), "{error}");
    }
}

#[test]
fn all_problems_are_told_at_once() {
    let mut wrong = settings();
    wrong.groups = ["", GROUP, " ", GROUP, "123456789"].map(group).to_vec();
    wrong.messages.group_to_game = Some("{member} {player} {text".to_owned());
    wrong.messages.stop = Some("bye }".to_owned());
    wrong.messages.start = Some("§ahello".to_owned());
    wrong.limits.waiting_lines_max = 0;
    let problems = wrong.validate();
    assert_eq!(
        problems,
        [
            Problem::OpenidEmpty { position: 1 },
            Problem::OpenidEmpty { position: 3 },
            Problem::OpenidTwice { position: 4, openid: "AB000000".to_owned() },
            Problem::OpenidIsNumber { position: 5 },
            Problem::PlaceholderUnknown { template: "group_to_game", name: "player".to_owned(), known: vec!["member", "text", "group"] },
            Problem::BraceNotClosed { template: "group_to_game" },
            Problem::SectionSign { template: "start" },
            Problem::BraceNotOpened { template: "stop" },
            Problem::LimitOutOfRange { limit: "waiting_lines_max", value: 0, min: 1, max: 10_000 },
        ]
    );
    let stage = Stage::offline(wrong);
    assert_eq!(stage.notices, problems.into_iter().map(Notice::Settings).collect::<Vec<_>>());
}

#[test]
fn a_bridge_with_problems_works_with_what_is_left() {
    let mut wrong = settings();
    wrong.groups = ["", GROUP, GROUP].map(group).to_vec();
    wrong.limits.waiting_lines_max = 0;
    let mut stage = Stage::new(wrong);
    stage.chat("one");
    stage.deliver();
    assert!(stage.posts.is_empty(), "the group is there once");
}

#[test]
fn braces_are_written_twice_and_names_may_have_spaces() {
    let cases = [
        ("{{}}", "{}", 0),
        ("{{player}}", "{player}", 0),
        ("{{{player}}}", "{Steve}", 0),
        ("{ player }", "Steve", 0),
        ("{", "{", 1),
        ("}", "}", 1),
        ("{player", "{player", 1),
        ("{a{player}", "{aSteve", 1),
        ("{}", "{}", 1),
        ("你{player}好", "你Steve好", 0),
    ];
    for (template, line, problems) in cases {
        let mut own = settings();
        own.messages.chat = Some(template.to_owned());
        assert_eq!(own.validate().len(), problems, "{template}");
        let mut stage = Stage::new(own);
        stage.chat("hi");
        assert_eq!(stage.post().content, line, "{template}");
    }
}

#[test]
fn both_languages_say_the_same_things_with_the_same_values() {
    let [chinese, english] = ["zh-CN", "en-US"].map(messages);
    assert!(!chinese.is_empty());
    assert_eq!(chinese, english);
}

#[test]
fn every_notice_and_problem_has_words_in_both_languages() {
    for notice in every_notice() {
        let [chinese, english] = [Language::ZhCn, Language::EnUs].map(|language| notice.words(language));
        assert!(!english.chars().any(is_chinese), "{english}");
        assert!(chinese.chars().any(is_chinese), "{chinese}");
        assert_eq!(notice.to_string(), english);
    }
}

fn is_chinese(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

fn read(file: &str) -> Settings {
    toml::from_str(file).expect("readable settings")
}

/// Each message's key and the values it uses.
fn messages(language: &str) -> Vec<(String, Vec<String>)> {
    let path = format!("{}/../../native/bridge/locales/{language}.ftl", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::read_to_string(path).expect("readable");
    let mut messages: Vec<(String, Vec<String>)> = Vec::new();
    for line in file.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        if !line.starts_with(' ') {
            let (key, _) = line.split_once(" = ").or(line.split_once(" =")).expect("a key");
            messages.push((key.to_owned(), Vec::new()));
        }
        let (_, values) = messages.last_mut().expect("a key");
        values.extend(line.split("{ $").skip(1).map(|rest| rest.split(' ').next().expect("a name").to_owned()));
    }
    for (_, values) in &mut messages {
        values.sort_unstable();
    }
    messages.sort_unstable();
    messages
}

fn every_notice() -> Vec<Notice> {
    let group = || "AB000000".to_owned();
    let causes = [
        HoldCause::Network,
        HoldCause::PlatformTrouble,
        HoldCause::RateLimited,
        HoldCause::Unauthorized,
        HoldCause::ActiveQuota,
        HoldCause::ActiveForbidden,
        HoldCause::Muted,
        HoldCause::NotInGroup,
        HoldCause::BotDisabled,
    ];
    let held = causes.map(|cause| Notice::Held { group: group(), cause, code: Some(1), retry_in_ms: 1 });
    let problems = [
        Problem::OpenidEmpty { position: 1 },
        Problem::OpenidTwice { position: 1, openid: group() },
        Problem::OpenidIsNumber { position: 1 },
        Problem::PlaceholderUnknown { template: "chat", name: "x".to_owned(), known: vec!["text"] },
        Problem::BraceNotClosed { template: "chat" },
        Problem::BraceNotOpened { template: "chat" },
        Problem::SectionSign { template: "chat" },
        Problem::LimitOutOfRange { limit: "x", value: 0, min: 1, max: 2 },
    ];
    let others = [
        Notice::NoGroups,
        Notice::EventUnreadable { event: "X".to_owned(), cause: "y".to_owned() },
        Notice::GroupUnknown { group: group() },
        Notice::GroupJoined { group: group() },
        Notice::GroupLeft { group: group() },
        Notice::ActiveSwitched { group: group(), allowed: true },
        Notice::ActiveSwitched { group: group(), allowed: false },
        Notice::Released { group: group(), cause: HoldCause::Muted },
        Notice::Backlog { group: group(), lines: 1 },
        Notice::Refused { group: group(), code: None, status: 400, lines: 1 },
        Notice::Uncertain { group: group(), lines: 1 },
        Notice::LeftBehind { lines: 1 },
    ];
    held.into_iter().chain(problems.map(Notice::Settings)).chain(others).collect()
}
