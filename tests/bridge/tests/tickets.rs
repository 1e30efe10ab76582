//! The right to send: answers to messages, and active messages.

use auk_bridge::Input;
use auk_bridge_stories::{GROUP, MINUTE, OTHER_GROUP, SECOND, Stage, delivered, group, settings};
use serde_json::json;

#[test]
fn lines_go_as_answers_to_the_oldest_message_that_may_be_answered() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "a");
    stage.member_says("m2", "b");
    let uses: Vec<_> = (0..12).map(|_| chat_and_deliver(&mut stage)).collect();
    let five = |id: &str| (1..=5).map(|seq| (Some(id.to_owned()), Some(seq))).collect::<Vec<_>>();
    let expected = [five("m1"), five("m2"), vec![(None, None); 2]].concat();
    assert_eq!(uses, expected);
}

#[test]
fn a_message_is_answered_for_five_minutes_less_ten_seconds() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "a");
    stage.wait(5 * MINUTE - 10 * SECOND - 1);
    assert_eq!(chat_and_deliver(&mut stage), (Some("m1".to_owned()), Some(1)));
    stage.wait(1);
    assert_eq!(chat_and_deliver(&mut stage), (None, None));
}

#[test]
fn a_group_gets_at_most_twenty_active_messages_in_any_minute() {
    let mut stage = Stage::new(settings());
    let mut sent = 0;
    for _ in 0..10 * 60 {
        stage.chat("x");
        sent += u64::from(!stage.posts.is_empty());
        while !stage.posts.is_empty() {
            stage.deliver();
        }
        stage.wait(SECOND);
    }
    // 20 in each of the first nine minutes, the tenth began with 20 more.
    assert_eq!(sent, 200);
    assert_eq!(stage.status().posted, 200);
    assert_eq!(stage.status().dropped, 0, "lines that wait for the minute go together");
}

#[test]
fn what_waits_for_the_quota_goes_when_the_minute_is_over() {
    let mut stage = Stage::new(settings());
    for _ in 0..20 {
        chat_and_deliver(&mut stage);
    }
    stage.chat("one");
    stage.chat("two");
    stage.wait(MINUTE - 1);
    assert!(stage.posts.is_empty());
    stage.wait(1);
    assert_eq!(stage.post().content, "[Survival] Steve: one\n[Survival] Steve: two");
}

#[test]
fn an_answer_needs_no_quota() {
    let mut none = settings();
    none.limits.active_per_minute = 0;
    let mut stage = Stage::new(none);
    stage.chat("one");
    assert!(stage.posts.is_empty());
    stage.member_says("m1", "a");
    assert_eq!(stage.post().msg_id.as_deref(), Some("m1"));
}

#[test]
fn all_groups_together_keep_the_bots_quota() {
    let mut both = settings();
    both.groups.push(group(OTHER_GROUP));
    let mut stage = Stage::new(both);
    for _ in 0..20 {
        stage.chat("x");
        while !stage.posts.is_empty() {
            stage.deliver();
        }
    }
    assert_eq!(stage.status().posted, 30);
}

#[test]
fn without_active_messages_lines_wait_for_somebody_to_speak() {
    let mut stage = Stage::new(settings());
    stage.dispatch("GROUP_MSG_REJECT", &json!({"group_openid": GROUP, "timestamp": 1}));
    stage.chat("one");
    assert!(stage.posts.is_empty());
    stage.member_says("m1", "anyone?");
    assert_eq!(stage.deliver().msg_id.as_deref(), Some("m1"));
    (0..4).for_each(|_| drop(chat_and_deliver(&mut stage)));
    stage.chat("six");
    assert!(stage.posts.is_empty());
    stage.dispatch("GROUP_MSG_RECEIVE", &json!({"group_openid": GROUP, "timestamp": "2"}));
    assert_eq!(stage.deliver().msg_id, None);
    assert_eq!(stage.log().len(), 2);
}

#[test]
fn eight_answers_to_one_message_have_different_numbers_and_only_five_use_it() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "a");
    let posts: Vec<_> = (0..8).map(|_| chat_and_deliver(&mut stage)).collect();
    let numbers: Vec<_> = posts.iter().filter_map(|(_, seq)| *seq).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
}

#[test]
fn fifty_thousand_messages_leave_no_trace() {
    let mut quiet = settings();
    quiet.groups[0].chat = false;
    let mut stage = Stage::new(quiet);
    for number in 0..50_000 {
        stage.member_says(&format!("m{number}"), "x");
    }
    stage.input(Input::Reload(settings()));
    // Of the messages that came within one instant, only the last 64 are kept for answers.
    assert_eq!(chat_and_deliver(&mut stage).0.as_deref(), Some("m49936"));
}

fn chat_and_deliver(stage: &mut Stage) -> (Option<String>, Option<u32>) {
    stage.chat("x");
    let post = stage.answer(delivered());
    (post.msg_id, post.msg_seq)
}
