//! The frames of the border.

use std::fs;
use std::path::Path;

use auk_bridge::frame::{FRAME_BYTES_MAX, FrameError, ToJava, ToNative};
use auk_bridge::text::mend_surrogates;
use auk_bridge_stories::player;

#[test]
fn every_golden_frame_is_read_and_written_byte_for_byte() {
    let mut kinds = Vec::new();
    for (name, bytes) in vectors() {
        let (written, kind) = if name.starts_with("to_native.") {
            let frame = ToNative::decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            (frame.encode(), to_native_kind(&frame))
        } else {
            let frame = ToJava::decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            (frame.encode(), to_java_kind(&frame))
        };
        assert_eq!(text(&written.expect("it fits")), text(&bytes), "{name}");
        assert_eq!(name, format!("{kind}.json"));
        kinds.push(kind);
    }
    kinds.sort_unstable();
    let mut all = ALL_KINDS;
    all.sort_unstable();
    assert_eq!(kinds, all, "each kind has one vector");
}

#[test]
fn half_a_character_becomes_a_replacement_character() {
    let frame = ToNative::decode(br#"{"type":"chat","player":{"name":"Steve","uuid":"u"},"text":"a\ud83d b\ude00 c\ud83d\ude00"}"#);
    let ToNative::Chat { text, .. } = frame.expect("a readable frame") else { panic!("a chat frame") };
    assert_eq!(text, "a\u{fffd} b\u{fffd} c😀");
}

#[test]
fn mending_leaves_everything_else_alone() {
    for whole in [r#"{"a":"\\ud83d"}"#, r#""\ud83d\ude00""#, r#""\u00e9\n\"""#, r#""\u12"#, r#"\"#, "😀"] {
        assert_eq!(mend_surrogates(whole), whole);
    }
    assert_eq!(mend_surrogates(r#""\uD83D\uD83D\uDE00""#), r#""\ufffd\uD83D\uDE00""#);
    assert_eq!(mend_surrogates(r#""\\\ud83d""#), r#""\\\ufffd""#);
}

#[test]
fn unknown_fields_are_ignored_and_unknown_kinds_are_refused() {
    assert_eq!(ToNative::decode(br#"{"type":"server_started","later":1}"#).expect("readable"), ToNative::ServerStarted);
    let error = ToNative::decode(br#"{"type":"explode"}"#).expect_err("no such frame");
    assert!(error.to_string().contains("explode"), "{error}");
}

#[test]
fn bytes_that_are_no_frame_are_refused_by_kind() {
    assert!(matches!(ToNative::decode(b"\xff\xfe"), Err(FrameError::NotUtf8)));
    assert!(matches!(ToNative::decode(b"{"), Err(FrameError::Unreadable(_))));
    assert!(matches!(ToNative::decode(b"[]"), Err(FrameError::Unreadable(_))));
    assert!(matches!(ToNative::decode(b"\"\\ud83d\""), Err(FrameError::Unreadable(_))));
    let long = vec![b' '; FRAME_BYTES_MAX + 1];
    assert!(matches!(ToNative::decode(&long), Err(FrameError::TooLarge { bytes }) if bytes == FRAME_BYTES_MAX + 1));
}

#[test]
fn a_text_that_is_nested_beyond_sense_is_refused_and_not_followed() {
    let depth = 10_000;
    let open = r#"{"text":"x","args":["#.repeat(depth);
    let frame = format!(r#"{{"type":"death","player":null,"message":{open}{{"text":"x"}}{}}}"#, "]}".repeat(depth));
    assert!(frame.len() < FRAME_BYTES_MAX);
    assert!(matches!(ToNative::decode(frame.as_bytes()), Err(FrameError::Unreadable(_))));
}

#[test]
fn a_frame_that_java_would_refuse_is_not_written() {
    let frame = ToJava::Say { text: "x".repeat(FRAME_BYTES_MAX) };
    assert!(matches!(frame.encode(), Err(FrameError::TooLarge { .. })));
}

#[test]
fn three_thousand_players_fit() {
    let frame = ToNative::Players { request: u64::MAX, online: vec![player("SixteenLetters16"); 3_000], max: i32::MAX };
    let bytes = frame.encode().expect("it fits");
    assert_eq!(ToNative::decode(&bytes).expect("readable"), frame);
}

const ALL_KINDS: [&str; 16] = [
    "to_java.end",
    "to_java.list_players",
    "to_java.log",
    "to_java.reply",
    "to_java.say",
    "to_native.advancement",
    "to_native.announcement",
    "to_native.chat",
    "to_native.command",
    "to_native.death",
    "to_native.emote",
    "to_native.join",
    "to_native.leave",
    "to_native.players",
    "to_native.server_started",
    "to_native.server_stopping",
];

fn to_native_kind(frame: &ToNative) -> &'static str {
    match frame {
        ToNative::ServerStarted => "to_native.server_started",
        ToNative::ServerStopping => "to_native.server_stopping",
        ToNative::Chat { .. } => "to_native.chat",
        ToNative::Announcement { .. } => "to_native.announcement",
        ToNative::Emote { .. } => "to_native.emote",
        ToNative::Death { .. } => "to_native.death",
        ToNative::Advancement { .. } => "to_native.advancement",
        ToNative::Command(_) => "to_native.command",
        ToNative::Join { .. } => "to_native.join",
        ToNative::Leave { .. } => "to_native.leave",
        ToNative::Players { .. } => "to_native.players",
    }
}

fn to_java_kind(frame: &ToJava) -> &'static str {
    match frame {
        ToJava::Say { .. } => "to_java.say",
        ToJava::ListPlayers { .. } => "to_java.list_players",
        ToJava::Reply { .. } => "to_java.reply",
        ToJava::Log { .. } => "to_java.log",
        ToJava::End => "to_java.end",
    }
}

fn vectors() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/frames");
    let entries = fs::read_dir(folder).expect("the vectors are there");
    entries
        .map(|entry| {
            let entry = entry.expect("readable");
            let mut bytes = fs::read(entry.path()).expect("readable");
            if bytes.last() == Some(&b'\n') {
                bytes.pop();
            }
            (entry.file_name().into_string().expect("a UTF-8 name"), bytes)
        })
        .collect()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}
