//! Nothing that anybody writes gets through as more than text, and nothing makes the bridge fall over.

use auk_bridge::{Input, clean_for_minecraft, clean_for_qq};
use auk_bridge_stories::{GROUP, Stage, settings};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

proptest! {
    #[test]
    fn a_line_for_the_game_holds_nothing_but_visible_text(text in nasty_text(), chars_max in 1_usize..300) {
        let line = clean_for_minecraft(&text, chars_max);
        prop_assert!(line.chars().all(is_harmless), "{line:?}");
        prop_assert!(line.chars().count() <= chars_max);
        prop_assert_eq!(clean_for_minecraft(&line, chars_max), line, "cleaning twice is cleaning once");
    }

    #[test]
    fn a_line_for_a_group_holds_nothing_but_visible_text_without_markup(text in nasty_text()) {
        let line = clean_for_qq(&text);
        prop_assert!(line.chars().all(is_harmless), "{line:?}");
        let low = line.to_ascii_lowercase();
        for start in ["<@", "<#", "<qqbot-", "<facetype=", "<emoji:"] {
            prop_assert!(!low.contains(start), "{line:?}");
        }
        prop_assert_eq!(clean_for_qq(&line), line);
    }

    #[test]
    fn plain_words_are_left_as_they_are(text in "[a-zA-Z0-9\u{4e00}-\u{9fff}](?:[ a-zA-Z0-9\u{4e00}-\u{9fff}.,!?:&;>]{0,60}[a-zA-Z0-9.])?") {
        prop_assert_eq!(&clean_for_minecraft(&text, 256), &text);
        prop_assert_eq!(&clean_for_qq(&text), &text);
    }

    #[test]
    fn whatever_a_member_and_a_player_write_each_side_sees_one_clean_line(
        name in nasty_text(), text in nasty_text(), said in nasty_text(),
    ) {
        let mut stage = Stage::new(settings());
        let data = json!({"id": "m1", "group_openid": GROUP, "author": {"username": name}, "content": text});
        stage.dispatch("GROUP_MESSAGE_CREATE", &data);
        stage.chat(&said);
        for line in stage.said.iter().chain(stage.posts.iter().map(|post| &post.content)) {
            prop_assert!(line.chars().all(is_harmless), "{line:?}");
        }
    }

    #[test]
    fn no_json_makes_the_bridge_fall_over(event in event_name(), data in any_json()) {
        let mut stage = Stage::new(settings());
        stage.dispatch(event, &data);
        let mut half = message_with(data);
        half["group_openid"] = json!(GROUP);
        stage.dispatch(event, &half);
    }

    #[test]
    fn no_escape_makes_the_bridge_fall_over(units in vec(prop_oneof![any::<u16>(), 0xd7f0_u16..0xe010], 0..20)) {
        let escapes: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let json = format!(r#"{{"id":"m1","group_openid":"{GROUP}","author":{{"username":"Ming"}},"content":"a{escapes}"}}"#);
        let mut stage = Stage::new(settings());
        let data = RawValue::from_string(json).expect("escapes of any unit are JSON");
        stage.input(Input::Dispatch { event: "GROUP_MESSAGE_CREATE".to_owned(), data });
        prop_assert_eq!(stage.said.len(), 1, "the message is not lost");
        prop_assert_eq!(stage.notices.len(), 0);
    }
}

/// Neither a section sign, nor a control character, a line break, a direction character or a character that is none.
fn is_harmless(c: char) -> bool {
    let direction = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}');
    let line_break = matches!(c, '\u{2028}' | '\u{2029}');
    let no_character = matches!(c, '\u{fdd0}'..='\u{fdef}') || c as u32 & 0xfffe == 0xfffe;
    c != '§' && !c.is_control() && !direction && !line_break && !no_character
}

fn nasty_text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("§".to_owned()),
        Just("§k".to_owned()),
        Just("<".to_owned()),
        Just("<@".to_owned()),
        Just("@0F01>".to_owned()),
        Just("qqbot-at-user id=\"x\" />".to_owned()),
        Just("<faceType=1,faceId=\"5\",ext=\"eyJ0ZXh0IjoiXHUwMGE3a1xuIn0=\">".to_owned()),
        Just("<emoji:4>".to_owned()),
        Just("\r\n".to_owned()),
        Just("👨‍👩‍👧".to_owned()),
        Just("e\u{301}\u{323}".to_owned()),
        "[\u{0}-\u{a0}]",
        "[\u{200b}-\u{2070}]",
        "[\u{fdd0}-\u{fdef}\u{feff}\u{fffe}\u{ffff}\u{10ffff}]",
        "\\PC{0,3}",
        any::<char>().prop_map(String::from),
    ];
    vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

fn event_name() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "GROUP_AT_MESSAGE_CREATE",
        "GROUP_MESSAGE_CREATE",
        "GROUP_MSG_REJECT",
        "GROUP_MSG_RECEIVE",
        "GROUP_ADD_ROBOT",
        "GROUP_DEL_ROBOT",
        "MESSAGE_CREATE",
    ])
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        nasty_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        let known = proptest::sample::select(FIELDS.to_vec()).prop_map(str::to_owned);
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((known, inner), 0..8).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn message_with(data: Value) -> Value {
    if data.is_object() { data } else { json!({"content": data}) }
}

const FIELDS: [&str; 18] = [
    "id",
    "author",
    "username",
    "member_openid",
    "bot",
    "content",
    "group_openid",
    "group_id",
    "mentions",
    "is_you",
    "scope",
    "attachments",
    "content_type",
    "filename",
    "asr_refer_text",
    "msg_elements",
    "ark_data",
    "fields",
];
