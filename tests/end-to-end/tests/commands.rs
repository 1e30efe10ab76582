//! `/auk` in a real server, typed by real players.

use std::time::Duration;

use auk_end_to_end::{Player, ServerOptions, Stage};

/// For one answer under way, most of it for a busy machine.
const LIMIT: Duration = Duration::from_secs(15);

#[test]
fn an_operator_is_answered_alone_and_a_player_without_the_level_neither_sees_nor_may_use_the_command() {
    let dir = tempfile::tempdir().expect("there is a temporary directory");
    let options = ServerOptions { operators: vec!["Alex".to_owned()], ..ServerOptions::default() };
    let stage = Stage::start_with(dir.path(), &options).unwrap_or_else(|failure| panic!("{failure}"));
    let (mut alex, mut steve) = (join(&stage, "Alex"), join(&stage, "Steve"));

    let offered = alex.await_commands(LIMIT, |names| names.iter().any(|name| name == "auk status")).expect("the operator is offered it");
    for name in ["auk", "auk reload", "auk reconnect", "auk send", "auk test", "auk help"] {
        assert!(offered.iter().any(|own| own == name), "{offered:?}");
    }
    let offered = steve.await_commands(LIMIT, |_| true).expect("a player is offered whatever there is");
    assert!(offered.iter().all(|name| !name.starts_with("auk")), "{offered:?}");

    alex.say("/auk status").expect("the operator can write");
    alex.await_chat("QQ：已连接", 0, LIMIT).expect("the operator is answered");
    alex.await_chat("群 AB000000：畅通", 0, LIMIT).expect("to the last line");
    alex.say("/auk send 今晚停服 维护").expect("the operator can write");
    alex.await_chat("已排队，发往 1 个群", 0, LIMIT).expect("the operator is answered");
    stage.simulator.await_post("[生存服] [Alex] 今晚停服 维护", 0, LIMIT).expect("the group is told");
    alex.say("/auk send").expect("the operator can write");
    alex.await_chat("用法：/auk send <text>", 0, LIMIT).expect("the operator is told what is missing");

    let before = steve.chat().len();
    steve.say("/auk status").expect("a player can write");
    steve.await_chat("command.unknown.command", 0, LIMIT).expect("the player is refused");
    steve.say("/auk").expect("a player can write");
    steve.say("after").expect("a player can write");
    steve.await_chat("after", 0, LIMIT).expect("the chat goes on");
    let heard = steve.chat();
    assert!(heard[before..].iter().all(|line| line.contains("command.unknown.command") || line.contains("after")), "{heard:?}");
    assert!(heard.iter().all(|line| !line.contains("QQ：") && !line.contains("已排队")), "the answers are the operator's alone: {heard:?}");
    assert_eq!(stage.server.complaints(), [""; 0]);
}

fn join(stage: &Stage, name: &str) -> Player {
    stage.join(name).unwrap_or_else(|failure| panic!("{failure}"))
}
