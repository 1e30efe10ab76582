//! Lines between a real group page's platform and a real Minecraft client.

use std::time::Duration;

use auk_end_to_end::{Ending, Player, Post, Stage};
use tempfile::TempDir;

/// For one line under way, most of it for a busy machine.
const LINE_LIMIT: Duration = Duration::from_secs(15);

/// Outside the basic plane, joined, with a variation selector: what encodings break on.
const DIFFICULT: &str = "𠀀𪚥 😀 👨‍👩‍👧 ❤️";

#[test]
fn lines_go_both_ways_and_replies_are_numbered_per_group_message() {
    let (stage, _dir) = stage();
    let mut steve = join(&stage);
    let mut asked = Vec::new();
    for question in ["早上好，服务器", "还有人吗"] {
        asked.push(stage.simulator.control.say(Stage::GROUP, "小明", question, false).expect("a member can write"));
        let line = steve.await_chat(question, 0, LINE_LIMIT).expect("the player sees the member's line");
        assert!(line.text.contains("小明"), "who wrote it is told: {}", line.text);
        // Three lines for each question: more than one message's five replies, so that both are used.
        for number in 0..3 {
            let answer = format!("{question} {number}");
            steve.say(&answer).expect("the player can write");
            let post = posted(&stage, &answer, 0);
            assert!(post.content.contains("Steve"), "who wrote it is told: {post:?}");
            stage.simulator.expect_reply(&post, &asked).unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
    assert_no_secret(&stage);
}

#[test]
fn the_group_is_told_of_start_stop_coming_and_going() {
    let (mut stage, _dir) = stage();
    let started = posted(&stage, "生存服", 0);
    let steve = join(&stage);
    let came = posted(&stage, "Steve", started.next);
    steve.quit().expect("the player can leave");
    let went = posted(&stage, "Steve", came.next);
    assert_ne!(came.content, went.content, "coming and going read differently");
    // 3 s is what a stopping server is held up at most; the JVM's own end comes on top.
    let ending = stage.server.process.stop(Duration::from_secs(5));
    assert!(matches!(ending, Ending::Itself(..)), "the server ends by itself: {ending:?}");
    let stopped = posted(&stage, "生存服", went.next);
    assert_ne!(started.content, stopped.content, "start and stop read differently");
    assert_no_secret(&stage);
}

#[test]
fn difficult_characters_arrive_in_both_directions() {
    let (stage, _dir) = stage();
    let mut steve = join(&stage);
    stage.simulator.control.say(Stage::GROUP, "小明", DIFFICULT, false).expect("a member can write");
    steve.await_chat(DIFFICULT, 0, LINE_LIMIT).expect("the player sees the member's line as it was written");
    steve.say(DIFFICULT).expect("the player can write");
    posted(&stage, DIFFICULT, 0);
    assert_eq!(stage.server.complaints(), [""; 0]);
}

#[test]
fn nul_and_lone_surrogates_become_readable_text_and_the_link_lives_on() {
    let (stage, _dir) = stage();
    let mut steve = join(&stage);
    let lines = [
        (r"nul \u0000 one", "nul  one"),
        (r"high \ud83d two", "high \u{fffd} two"),
        (r"low \ude00 three", "low \u{fffd} three"),
        (r"\ude00\ud83d four", "\u{fffd}\u{fffd} four"),
    ];
    for (number, (text, readable)) in lines.into_iter().enumerate() {
        stage.simulator.control.push(&group_message(number, text)).expect("a raw frame can be sent");
        let word = text.rsplit(' ').next().unwrap_or_default();
        let line = steve.await_chat(word, 0, LINE_LIMIT).expect("the player sees the rest of the line");
        assert!(line.text.ends_with(readable), "{:?}", line.text);
    }
    stage.simulator.control.say(Stage::GROUP, "小明", "后来", false).expect("a member can write");
    steve.await_chat("后来", 0, LINE_LIMIT).expect("the next line arrives");
    assert_eq!(connects(&stage), 1, "the link was never lost");
}

fn stage() -> (Stage, TempDir) {
    let dir = tempfile::tempdir().expect("there is a temporary directory");
    let stage = Stage::start(dir.path()).unwrap_or_else(|failure| panic!("{failure}"));
    (stage, dir)
}

#[track_caller]
fn join(stage: &Stage) -> Player {
    stage.join("Steve").unwrap_or_else(|failure| panic!("{failure}"))
}

#[track_caller]
fn posted(stage: &Stage, part: &str, from: usize) -> Post {
    stage.simulator.await_post(part, from, LINE_LIMIT).unwrap_or_else(|failure| panic!("{failure}\n{}", stage.server.everything()))
}

/// A group message as a raw frame (QQ bot docs, GROUP_MESSAGE_CREATE), because no JSON library writes half a surrogate pair.
/// `text` is the inside of a JSON string; `{{s}}` is where the simulator puts the sequence number.
fn group_message(number: usize, text: &str) -> String {
    let member = "0F00000000000000000000000000B001";
    let group = Stage::GROUP;
    format!(
        r#"{{"id":"GROUP_MESSAGE_CREATE:raw{number}","op":0,"s":{{{{s}}}},"t":"GROUP_MESSAGE_CREATE","d":{{"id":"ROBOT1.0_raw{number}!","author":{{"id":"{member}","member_openid":"{member}","member_role":"member","username":"小明","bot":false}},"content":"{text}","group_id":"{group}","group_openid":"{group}","message_type":0,"timestamp":"2026-09-20T10:00:00+08:00"}}}}"#
    )
}

fn connects(stage: &Stage) -> u64 {
    let state = stage.simulator.control.state().expect("the simulator answers");
    state["connects"]["total"].as_u64().expect("the simulator counts connections")
}

#[track_caller]
fn assert_no_secret(stage: &Stage) {
    let everything = stage.server.everything();
    for secret in [Stage::settings("").secret.as_str(), "tok_"] {
        assert!(!everything.contains(secret), "the server wrote a secret:\n{everything}");
    }
}
