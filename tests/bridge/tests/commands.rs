//! What a group can ask for.

use auk_bridge::frame::ToNative;
use auk_bridge::{Input, Outcome};
use auk_bridge_stories::{GROUP, MINUTE, OTHER_GROUP, SECOND, Stage, group, message, player, refused, settings};
use auk_gateway::Language;
use serde_json::json;

#[test]
fn a_group_asks_who_is_online_and_gets_the_answer_on_its_own_message() {
    for words in ["查在线", " list ", "/list", "/查在线", "LIST", "／list"] {
        let mut stage = Stage::new(settings());
        stage.member_says("m0", "earlier");
        stage.member_mentions("m1", words);
        assert_eq!(stage.asked, [1], "{words}");
        stage.input(players(1, &["Steve", "Alex"], 20));
        let post = stage.deliver();
        assert_eq!(post.content, "Online 2/20: Steve, Alex");
        assert_eq!((post.msg_id.as_deref(), post.msg_seq), (Some("m1"), Some(1)), "not on the older message");
        assert_eq!(stage.said, ["[QQ] Ming: earlier"], "a command is not said in the game");
    }
}

#[test]
fn in_full_mode_a_message_that_is_a_command_and_nothing_else_is_one() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "list");
    stage.member_says("m2", "list of things");
    let mut data = message(GROUP, "m3", "<@B0> list");
    data["mentions"] = json!([{"id": "B0", "is_you": true}]);
    stage.input(players(1, &[], 20));
    stage.deliver();
    stage.dispatch("GROUP_MESSAGE_CREATE", &data);
    assert_eq!(stage.asked, [1, 2]);
    assert_eq!(stage.said, ["[QQ] Ming: list of things"]);
}

#[test]
fn a_server_that_does_not_answer_within_three_seconds_is_said_to() {
    let mut stage = Stage::new(settings());
    stage.member_mentions("m1", "list");
    stage.wait(3 * SECOND - 1);
    assert!(stage.posts.is_empty());
    stage.wait(1);
    assert_eq!(stage.deliver().content, "The server did not answer. Please try again later");
    stage.input(players(1, &["Steve"], 20));
    assert!(stage.posts.is_empty(), "too late");
}

#[test]
fn two_groups_that_ask_at_once_both_get_an_answer() {
    let mut both = settings();
    both.groups.push(group(OTHER_GROUP));
    let mut stage = Stage::new(both);
    stage.member_mentions("m1", "list");
    stage.dispatch("GROUP_AT_MESSAGE_CREATE", &message(OTHER_GROUP, "m2", "list"));
    stage.member_mentions("m3", "list");
    assert_eq!(stage.asked, [1, 2], "the group that asks again meanwhile gets one answer");
    stage.input(players(2, &[], 20));
    assert_eq!(stage.deliver().group_openid, OTHER_GROUP);
    stage.input(players(1, &[], 20));
    assert_eq!(stage.deliver().msg_id.as_deref(), Some("m1"));
    assert!(stage.posts.is_empty());
}

#[test]
fn an_answer_goes_before_the_lines_that_wait_for_a_right_to_be_sent() {
    let mut quiet = settings();
    quiet.limits.active_per_minute = 0;
    let mut stage = Stage::new(quiet);
    stage.member_mentions("m1", "list");
    (0..4).for_each(|_| {
        stage.chat("x");
        stage.deliver();
    });
    stage.chat("five");
    assert!(stage.posts.is_empty(), "the fifth use is kept for the answer");
    stage.input(players(1, &[], 20));
    assert_eq!(stage.deliver().content, "Online 0/20: nobody");
}

#[test]
fn an_answer_that_never_left_goes_again_on_its_own_message() {
    let mut stage = Stage::new(settings());
    stage.member_mentions("m1", "list");
    stage.input(players(1, &[], 20));
    let first = stage.answer(Outcome::Unreachable);
    stage.wait(SECOND);
    let second = stage.deliver();
    assert_eq!((&first.content, &first.msg_id, first.msg_seq), (&second.content, &second.msg_id, second.msg_seq));
}

#[test]
fn an_answer_to_a_message_that_expired_goes_another_way() {
    let mut stage = Stage::new(settings());
    stage.member_mentions("m1", "list");
    stage.input(players(1, &[], 20));
    stage.answer(refused(40034005));
    assert_eq!(stage.deliver().msg_id, None);
}

#[test]
fn an_answer_that_waited_for_five_minutes_is_given_up() {
    let mut stage = Stage::new(settings());
    stage.member_mentions("m1", "list");
    stage.input(Input::GatewayDown);
    stage.input(players(1, &[], 20));
    stage.wait(5 * MINUTE);
    assert_eq!((stage.status().waiting, stage.status().dropped), (0, 1));
}

#[test]
fn a_long_list_of_players_is_cut() {
    let mut chinese = settings();
    chinese.language = Language::ZhCn;
    let mut stage = Stage::new(chinese);
    stage.member_mentions("m1", "查在线");
    let names: Vec<String> = (0..42).map(|number| format!("P{number}")).collect();
    stage.input(players(1, &names.iter().map(String::as_str).collect::<Vec<_>>(), 100));
    let content = stage.post().content;
    assert!(content.starts_with("在线 42/100：P0、P1、"), "{content}");
    assert!(content.ends_with("、P39 等，另有 2 人"), "{content}");
}

#[test]
fn a_players_name_cannot_carry_markup_into_the_answer() {
    let mut stage = Stage::new(settings());
    stage.member_mentions("m1", "list");
    stage.input(players(1, &["§aSteve\n", "<@0F01>"], -1));
    assert_eq!(stage.post().content, "Online 2/0: Steve, ＜@0F01>");
}

fn players(request: u64, names: &[&str], max: i32) -> Input {
    Input::Server(ToNative::Players { request, online: names.iter().map(|name| player(name)).collect(), max })
}
