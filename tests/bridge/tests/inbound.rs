//! From a group into the game.

use auk_bridge::{Input, ToGame};
use auk_bridge_stories::{GROUP, MEMBER, MINUTE, OTHER_GROUP, Stage, group, message, settings};
use auk_gateway::Language;
use serde_json::json;
use serde_json::value::RawValue;

#[test]
fn a_group_message_is_said_in_the_game() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "hello");
    assert_eq!(stage.said, ["[QQ] Ming: hello"]);
    assert_eq!(stage.status().said, 1);
}

#[test]
fn a_message_that_is_pushed_again_within_ten_minutes_is_said_once() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "hello");
    stage.member_mentions("m1", "hello");
    stage.wait(10 * MINUTE - 1);
    stage.member_says("m1", "hello");
    assert_eq!(stage.said.len(), 1);
}

#[test]
fn two_messages_of_the_same_words_are_two_messages() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "hello");
    stage.member_says("m2", "hello");
    assert_eq!(stage.said.len(), 2);
}

#[test]
fn a_hundred_thousand_messages_are_each_said_once() {
    let mut stage = Stage::new(settings());
    for number in 0..100_000 {
        stage.member_says(&format!("m{number}"), "x");
        if number % 10 == 0 {
            stage.member_says(&format!("m{number}"), "x");
        }
    }
    assert_eq!(stage.status().said, 100_000);
}

#[test]
fn other_bots_are_not_heard() {
    let mut stage = Stage::new(settings());
    let mut data = message(GROUP, "m1", "hello");
    data["author"]["bot"] = json!(true);
    stage.dispatch("GROUP_MESSAGE_CREATE", &data);
    assert_eq!(stage.said, [""; 0]);
}

#[test]
fn the_bots_own_mention_goes_and_others_get_their_names() {
    let mut stage = Stage::new(settings());
    let mut data = message(GROUP, "m1", "<@B0B0> look, <@C1C1> and <@0123456789ABCDEF>");
    data["mentions"] = json!([
        {"scope": "single", "id": "B0B0", "member_openid": "B0B0", "username": "Auk", "bot": true, "is_you": true},
        {"scope": "single", "member_openid": "C1C1", "username": "Hua"},
    ]);
    stage.dispatch("GROUP_MESSAGE_CREATE", &data);
    assert_eq!(stage.said, ["[QQ] Ming: look, @Hua and @01234567"]);
}

#[test]
fn faces_are_put_into_words() {
    let faces = [
        // base64 of {"text":"流泪"}
        (r#"<faceType=1,faceId="5",ext="eyJ0ZXh0Ijoi5rWB5rOqIn0=">"#, "[流泪]"),
        (r#"<faceType=1,faceId="5",ext="eyJ0ZXh0Ijoi5rWB5rOqIn0">"#, "[流泪]"),
        (r#"<faceType=4,faceId="",ext="no base64">"#, "[face]"),
        (r#"<faceType=1>"#, "[face]"),
        ("<emoji:4>", "[face]"),
        ("<emoji:x> a < b <= c &lt;&amp; <3 <@> <#100077>", "<emoji:x> a < b <= c &lt;&amp; <3 <@> <#100077>"),
    ];
    for (number, (text, shown)) in faces.iter().enumerate() {
        let mut stage = Stage::new(settings());
        stage.member_says(&number.to_string(), text);
        assert_eq!(stage.said, [format!("[QQ] Ming: {shown}")]);
    }
}

#[test]
fn attachments_are_named() {
    let digest = "0123456789ABCDEF0123456789ABCDEF.png";
    let attachments = [
        (json!({"content_type": "image/png", "filename": "a.png"}), "[image a.png]"),
        (json!({"content_type": "image/jpeg", "filename": digest}), "[image]"),
        (json!({"content_type": "voice", "filename": "v.silk", "asr_refer_text": "come here"}), "[voice: come here]"),
        (json!({"content_type": "voice"}), "[voice]"),
        (json!({"content_type": "video/mp4", "filename": "v.mp4"}), "[video v.mp4]"),
        (json!({"content_type": "file", "filename": "map.zip"}), "[file map.zip]"),
        (json!({}), "[file]"),
        (json!(7), "[file]"),
    ];
    for (attachment, shown) in attachments {
        let mut stage = Stage::new(settings());
        let mut data = message(GROUP, "m1", " see ");
        data["attachments"] = json!([attachment]);
        stage.dispatch("GROUP_MESSAGE_CREATE", &data);
        assert_eq!(stage.said, [format!("[QQ] Ming: see {shown}")]);
    }
}

#[test]
fn an_image_sticker_is_named_once() {
    let mut stage = Stage::new(settings());
    let mut data = message(GROUP, "m1", r#"<faceType=6,faceId="0",ext="">"#);
    data["attachments"] = json!([
        {"content_type": "image/gif", "filename": "sticker.gif"},
        {"content_type": "image/png", "filename": "a.png"},
    ]);
    stage.dispatch("GROUP_MESSAGE_CREATE", &data);
    assert_eq!(stage.said, ["[QQ] Ming: [face] [image a.png]"]);
}

#[test]
fn a_quoted_message_is_cut_short() {
    let mut stage = Stage::new(settings());
    let mut data = message(GROUP, "m1", "yes");
    data["message_type"] = json!(103);
    data["msg_elements"] = json!([{"content": "shall we fight the dragon tonight?", "author": {"username": "Hua"}}]);
    stage.dispatch("GROUP_MESSAGE_CREATE", &data);
    // 23 characters of the quoted text and `…`.
    assert_eq!(stage.said, ["[QQ] Ming: [re Hua: shall we fight the drag…] yes"]);
}

#[test]
fn a_card_shows_its_title() {
    let mut stage = Stage::new(settings());
    let mut data = message(GROUP, "m1", "[卡片消息] 小程序\n摘要: 长长的说明");
    data["message_type"] = json!(3);
    data["ark_data"] = json!({"prompt": "[QQ小程序]", "ark_type": "miniapp", "fields": {"title": "Dragon guide"}});
    stage.dispatch("GROUP_MESSAGE_CREATE", &data);
    assert_eq!(stage.said, ["[QQ] Ming: [card Dragon guide]"]);
}

#[test]
fn words_for_what_is_not_text_follow_the_language() {
    let mut chinese = settings();
    chinese.language = Language::ZhCn;
    let mut stage = Stage::new(chinese);
    let mut data = message(GROUP, "m1", "<emoji:4>");
    data["attachments"] = json!([{"content_type": "image/png", "filename": "a.png"}]);
    stage.dispatch("GROUP_MESSAGE_CREATE", &data);
    assert_eq!(stage.said, ["[QQ] Ming: [表情] [图片 a.png]"]);
}

#[test]
fn a_message_cannot_format_or_break_the_line() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "§4red§r\n\r\n[QQ] Admin: \u{202e}evil\u{0} 👨‍👩‍👧 ❤\u{fe0f}\tend");
    assert_eq!(stage.said, ["[QQ] Ming: red / [QQ] Admin: evil 👨‍👩‍👧 ❤\u{fe0f} end"]);
}

#[test]
fn a_name_cannot_format_or_break_the_line_either() {
    let mut stage = Stage::new(settings());
    let mut data = message(GROUP, "m1", "hi");
    data["author"]["username"] = json!("§k\u{2067}Mi\nng");
    stage.dispatch("GROUP_MESSAGE_CREATE", &data);
    assert_eq!(stage.said, ["[QQ] Mi / ng: hi"]);
}

#[test]
fn a_long_message_is_cut_between_visible_characters() {
    let mut short = settings();
    short.limits.say_chars_max = 16;
    let mut stage = Stage::new(short);
    // Each family is 5 characters; 15 characters have room for three, then `…`.
    stage.member_says("m1", &"👨‍👩‍👧".repeat(5));
    assert_eq!(stage.said, [format!("[QQ] Ming: {}…", "👨‍👩‍👧".repeat(3))]);
}

#[test]
fn a_message_with_nothing_to_show_is_not_said() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", " \n\u{200b}\u{202e}§a ");
    stage.member_mentions("m2", "");
    assert_eq!(stage.said, [""; 0]);
}

#[test]
fn a_member_without_a_name_is_shown_by_the_openids_beginning() {
    let mut stage = Stage::new(settings());
    // The form of 2023: nothing but these.
    let data = json!({"id": "m1", "author": {"member_openid": MEMBER}, "content": " hi ", "group_openid": GROUP});
    stage.dispatch("GROUP_AT_MESSAGE_CREATE", &data);
    assert_eq!(stage.said, ["[QQ] 0F000000: hi"]);
}

#[test]
fn fields_of_a_wrong_type_are_put_up_with() {
    let mut stage = Stage::new(settings());
    let data = json!({
        "id": 7, "author": "nobody", "content": 42, "group_openid": null, "group_id": GROUP,
        "mentions": {"a": 1}, "attachments": "none", "msg_elements": 1, "ark_data": [],
    });
    stage.dispatch("GROUP_MESSAGE_CREATE", &data);
    assert_eq!(stage.said, ["[QQ] member: 42"]);
}

#[test]
fn half_a_character_in_a_message_does_not_lose_the_message() {
    let mut stage = Stage::new(settings());
    let json = format!(r#"{{"id":"m1","group_openid":"{GROUP}","author":{{"username":"Ming"}},"content":"a\ud83d"}}"#);
    let data = RawValue::from_string(json).expect("JSON");
    stage.input(Input::Dispatch { event: "GROUP_MESSAGE_CREATE".to_owned(), data });
    assert_eq!(stage.said, ["[QQ] Ming: a\u{fffd}"]);
}

#[test]
fn an_event_without_a_group_is_told_to_the_log_once_a_minute() {
    let mut stage = Stage::new(settings());
    stage.dispatch("GROUP_MESSAGE_CREATE", &json!({"content": "secret"}));
    stage.dispatch("GROUP_MESSAGE_CREATE", &json!("secret"));
    assert_eq!(stage.log(), ["An event GROUP_MESSAGE_CREATE could not be read: no group_openid"]);
    stage.wait(MINUTE);
    stage.dispatch("GROUP_ADD_ROBOT", &json!(null));
    assert_eq!(stage.log().len(), 1);
}

#[test]
fn events_that_nobody_here_needs_are_ignored() {
    let mut stage = Stage::new(settings());
    for event in ["C2C_MESSAGE_CREATE", "GROUP_MEMBER_ADD", "SOMETHING_NEW", ""] {
        stage.dispatch(event, &message(GROUP, "m1", "hello"));
    }
    assert_eq!(stage.said, [""; 0]);
    assert_eq!(stage.log(), [""; 0]);
}

#[test]
fn a_group_may_send_only_what_mentions_the_bot() {
    let mut some = settings();
    some.groups[0].to_game = ToGame::Mentioned;
    let mut stage = Stage::new(some);
    stage.member_says("m1", "to everyone");
    stage.member_mentions("m2", "to the bot");
    let mut data = message(GROUP, "m3", "<@B0> in full mode");
    data["mentions"] = json!([{"id": "B0", "is_you": true}]);
    stage.dispatch("GROUP_MESSAGE_CREATE", &data);
    let mut data = message(GROUP, "m4", "@all lunch");
    data["mentions"] = json!([{"scope": "all", "is_you": true}]);
    stage.dispatch("GROUP_MESSAGE_CREATE", &data);
    assert_eq!(stage.said, ["[QQ] Ming: to the bot", "[QQ] Ming: in full mode"]);
}

#[test]
fn a_group_may_send_nothing() {
    let mut none = settings();
    none.groups[0].to_game = ToGame::Off;
    let mut stage = Stage::new(none);
    stage.member_mentions("m1", "hello");
    assert_eq!(stage.said, [""; 0]);
}

#[test]
fn an_unknown_group_that_mentions_the_bot_is_told_how_to_set_itself_up_once_in_ten_minutes() {
    let mut stage = Stage::new(settings());
    stage.dispatch("GROUP_MESSAGE_CREATE", &message(OTHER_GROUP, "m1", "hello"));
    assert!(stage.posts.is_empty(), "it was not asked");
    stage.dispatch("GROUP_AT_MESSAGE_CREATE", &message(OTHER_GROUP, "m2", "hello"));
    let post = stage.deliver();
    assert_eq!((post.group_openid.as_str(), post.msg_id.as_deref(), post.msg_seq), (OTHER_GROUP, Some("m2"), Some(1)));
    assert!(post.content.contains(&format!("[[groups]]\nopenid = \"{OTHER_GROUP}\"")), "{}", post.content);
    assert!(post.content.contains("config/auk/auk.toml"), "{}", post.content);
    stage.wait(10 * MINUTE - 1);
    stage.dispatch("GROUP_AT_MESSAGE_CREATE", &message(OTHER_GROUP, "m3", "hello"));
    assert!(stage.posts.is_empty(), "it was told within the last ten minutes");
    stage.wait(1);
    stage.dispatch("GROUP_AT_MESSAGE_CREATE", &message(OTHER_GROUP, "m4", "hello"));
    assert_eq!(stage.deliver().msg_id.as_deref(), Some("m4"));
    assert_eq!(stage.said, [""; 0]);
    assert!(stage.log().iter().all(|line| line.contains("CD000000") && !line.contains(OTHER_GROUP)));
}

#[test]
fn a_group_that_was_set_up_after_it_asked_is_an_ordinary_group() {
    let mut stage = Stage::new(settings());
    stage.dispatch("GROUP_AT_MESSAGE_CREATE", &message(OTHER_GROUP, "m1", "hello"));
    stage.deliver();
    let mut both = settings();
    both.groups.push(group(OTHER_GROUP));
    stage.input(Input::Reload(both));
    stage.dispatch("GROUP_MESSAGE_CREATE", &message(OTHER_GROUP, "m2", "hello"));
    assert_eq!(stage.said, ["[QQ] Ming: hello"]);
    stage.chat("hi");
    assert_eq!(stage.posts.len(), 2);
}
