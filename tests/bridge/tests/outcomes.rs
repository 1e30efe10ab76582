//! What becomes of a post that did not simply arrive.

use auk_bridge::{Input, Level, Notice, Outcome};
use auk_bridge_stories::{GROUP, MINUTE, SECOND, Stage, delivered, refused, settings, status};
use auk_gateway::Language;
use serde_json::json;

#[test]
fn a_reply_whose_answer_was_lost_is_repeated_under_its_number_and_once_delivered_is_done() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "a");
    stage.chat("one");
    let first = stage.answer(Outcome::Unknown);
    stage.chat("two");
    stage.wait(2 * SECOND - 1);
    assert!(stage.posts.is_empty());
    stage.wait(1);
    // The platform has it already and says so: that is success.
    let second = stage.answer(refused(40054005));
    assert_eq!((&first.content, &first.msg_id, first.msg_seq), (&second.content, &second.msg_id, second.msg_seq));
    assert_ne!(first.id, second.id);
    assert_eq!(stage.status().posted, 1);
    assert_eq!(stage.deliver().content, "[Survival] Steve: two");
    assert_eq!((stage.status().uncertain, stage.status().dropped), (0, 0));
}

#[test]
fn a_reply_of_unknown_fate_is_tried_four_times_with_growing_gaps() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "a");
    stage.chat("one");
    // 2, 4 and 8 seconds between the tries.
    for gap in [2, 4, 8] {
        stage.answer(Outcome::Unknown);
        stage.wait(gap * SECOND - 1);
        assert!(stage.posts.is_empty(), "{gap}");
        stage.wait(1);
        assert_eq!(stage.posts.len(), 1, "{gap}");
    }
    stage.answer(Outcome::Unknown);
    assert_eq!((stage.status().uncertain, stage.status().waiting), (1, 0));
    stage.wait(10 * MINUTE);
    assert!(stage.posts.is_empty());
}

#[test]
fn an_active_message_of_unknown_fate_is_never_repeated() {
    for outcome in [Outcome::Unknown, status(502)] {
        let mut stage = Stage::new(settings());
        stage.chat("one");
        stage.answer(outcome);
        assert_eq!((stage.status().uncertain, stage.status().waiting), (1, 0));
        assert_eq!(warnings(&mut stage).len(), 1);
        stage.chat("two");
        assert!(stage.posts.is_empty(), "the next line is not risked at once");
        stage.wait(3 * SECOND);
        assert_eq!(stage.deliver().content, "[Survival] Steve: two");
    }
}

#[test]
fn a_message_that_certainly_never_left_goes_again_with_growing_gaps() {
    let mut stage = Stage::new(settings());
    stage.chat("one");
    // 1, 2, 4, … seconds, at most a minute.
    for gap in [1, 2, 4, 8, 16, 32, 60, 60] {
        stage.answer(Outcome::Unreachable);
        stage.wait(gap * SECOND - 1);
        assert!(stage.posts.is_empty(), "{gap}");
        stage.wait(1);
    }
    assert_eq!(stage.deliver().content, "[Survival] Steve: one");
    assert_eq!(stage.status().posted, 1);
    assert!(warnings(&mut stage).is_empty());
}

#[test]
fn a_reply_that_never_left_does_not_use_the_message_up() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "a");
    for _ in 0..3 {
        stage.chat("x");
        stage.answer(Outcome::Unreachable);
        stage.wait(MINUTE);
        assert_eq!(stage.deliver().msg_id.as_deref(), Some("m1"));
    }
}

#[test]
fn a_server_error_twice_and_then_success_is_success() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "a");
    stage.chat("one");
    stage.answer(status(500));
    stage.wait(2 * SECOND);
    stage.answer(status(500));
    stage.wait(4 * SECOND);
    stage.deliver();
    assert_eq!((stage.status().posted, stage.status().uncertain), (1, 0));
}

#[test]
fn an_expired_message_is_not_answered_again() {
    for code in [22009, 304103, 40034005, 40034024, 40034025, 40034026, 40034027, 40034128] {
        let mut stage = Stage::new(settings());
        stage.member_says("m1", "a");
        stage.member_says("m2", "b");
        stage.chat("one");
        assert_eq!(stage.answer(refused(code)).msg_id.as_deref(), Some("m1"));
        assert_eq!(stage.answer(refused(code)).msg_id.as_deref(), Some("m2"));
        let post = stage.deliver();
        assert_eq!((post.msg_id, post.content.as_str()), (None, "[Survival] Steve: one"));
        stage.chat("two");
        assert_eq!(stage.deliver().msg_id, None, "{code}");
    }
}

#[test]
fn a_repeat_that_finds_its_message_expired_is_not_sent_another_way() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "a");
    stage.chat("one");
    stage.answer(Outcome::Unknown);
    stage.wait(2 * SECOND);
    stage.answer(refused(40034005));
    assert!(stage.posts.is_empty());
    assert_eq!(stage.status().uncertain, 1);
}

#[test]
fn the_active_quota_pauses_active_messages_but_not_answers() {
    let mut stage = Stage::new(settings());
    stage.chat("one");
    stage.answer(refused(40034100));
    stage.wait(MINUTE - 1);
    assert!(stage.posts.is_empty());
    stage.member_says("m1", "a");
    (0..5).for_each(|_| {
        assert_eq!(stage.deliver().msg_id.as_deref(), Some("m1"));
        stage.chat("next");
    });
    assert!(stage.posts.is_empty(), "the message is used up and the minute is not over");
    stage.wait(1);
    assert_eq!(stage.deliver().msg_id, None);
    assert_eq!(stage.log().len(), 2, "one word when it begins, one when it ends");
}

#[test]
fn too_many_calls_wait_as_long_as_the_platform_asks() {
    let mut stage = Stage::new(settings());
    stage.chat("one");
    stage.answer(Outcome::Refused { code: None, status: 429, message: String::new(), retry_after_ms: Some(2 * SECOND) });
    stage.wait(2 * SECOND - 1);
    assert!(stage.posts.is_empty());
    stage.wait(1);
    stage.answer(refused(100017));
    // The second in a row: 2 seconds without the platform asking.
    stage.wait(2 * SECOND);
    stage.deliver();
}

#[test]
fn an_address_of_the_web_is_rewritten_once() {
    let mut stage = Stage::new(settings());
    stage.chat("see https://mc.example.com/map v1.2 now. ok...");
    for code in [40034028, 40054010, 304003] {
        stage.answer(refused(code));
        let post = stage.answer(refused(code));
        assert_eq!(post.content, "[Survival] Steve: see https：//mc．example．com/map v1．2 now. ok...");
        assert!(stage.posts.is_empty());
        stage.chat("see https://mc.example.com/map v1.2 now. ok...");
    }
    assert_eq!(stage.status().dropped, 3);
}

#[test]
fn a_second_refusal_of_an_address_does_not_take_innocent_lines_along() {
    let mut stage = Stage::new(settings());
    stage.chat("mc.example.com");
    stage.chat("hello");
    stage.answer(refused(40034028));
    stage.answer(refused(40034028));
    assert_eq!(stage.deliver().content, "[Survival] Steve: hello");
}

#[test]
fn a_group_that_forbids_is_left_alone_for_minutes_with_its_lines_kept() {
    for code in [40054002, 40054003, 40034101, 11255, 40011028, 40054016, 40034105, 40034102] {
        let mut stage = Stage::new(settings());
        stage.chat("one");
        // 2, 4 and then 8 minutes, but no line waits for more than ten.
        for gap in [2, 4] {
            stage.answer(refused(code));
            stage.wait(gap * MINUTE - 1);
            assert!(stage.posts.is_empty(), "{code}");
            stage.wait(1);
        }
        assert_eq!(stage.deliver().content, "[Survival] Steve: one", "{code}");
        let words = warnings(&mut stage);
        assert_eq!(words.len(), 1, "{code}");
        assert!(words[0].contains(&code.to_string()) && !words[0].contains(GROUP), "{}", words[0]);
    }
}

#[test]
fn forbidden_active_messages_leave_answers_possible() {
    let mut stage = Stage::new(settings());
    stage.chat("one");
    stage.answer(refused(40034105));
    stage.member_says("m1", "a");
    assert_eq!(stage.deliver().msg_id.as_deref(), Some("m1"));
}

#[test]
fn what_a_person_mends_is_tried_at_once() {
    let mut stage = Stage::new(settings());
    let mend: [fn(&mut Stage); 3] = [
        |stage| stage.input(Input::Reload(settings())),
        |stage| stage.dispatch("GROUP_ADD_ROBOT", &json!({"group_openid": GROUP, "timestamp": 1})),
        |stage| stage.member_says("m1", "the bot is here"),
    ];
    for mend in mend {
        stage.chat("one");
        stage.answer(refused(40054003));
        assert!(stage.posts.is_empty());
        mend(&mut stage);
        stage.deliver();
    }
}

#[test]
fn a_network_that_is_back_is_used_at_once() {
    let mut stage = Stage::new(settings());
    stage.chat("one");
    for _ in 0..7 {
        stage.answer(Outcome::Unreachable);
        stage.wait(MINUTE);
    }
    stage.answer(Outcome::Unreachable);
    stage.input(Input::GatewayDown);
    stage.input(Input::GatewayUp);
    stage.deliver();
}

#[test]
fn a_message_that_is_too_long_is_split() {
    let mut stage = Stage::offline(settings());
    (0..4).for_each(|number| stage.chat(&format!("{number}{}", "x".repeat(281))));
    stage.input(Input::GatewayUp);
    // Four lines of 18 + 282 = 300 characters and three breaks are 1,203; half of that holds two lines.
    assert_eq!(stage.answer(refused(40054007)).content.chars().count(), 1_203);
    assert_eq!(stage.deliver().content.chars().count(), 601);
    assert_eq!(stage.deliver().content.chars().count(), 601);
    assert_eq!((stage.status().waiting, stage.status().dropped), (0, 0));
}

#[test]
fn one_line_that_is_too_long_is_split_and_counts_once() {
    let mut stage = Stage::new(settings());
    stage.chat(&"x".repeat(482));
    assert_eq!(stage.answer(refused(40054018)).content.chars().count(), 500);
    assert_eq!(stage.deliver().content.chars().count(), 250);
    assert_eq!(stage.status().waiting, 1);
    assert_eq!(stage.deliver().content.chars().count(), 250);
    assert_eq!((stage.status().waiting, stage.status().posted), (0, 2));
}

#[test]
fn a_short_message_that_is_too_long_all_the_same_is_given_up() {
    let mut stage = Stage::new(settings());
    stage.chat(&"x".repeat(482));
    let mut tries = 0;
    while !stage.posts.is_empty() {
        stage.answer(refused(40054007));
        tries += 1;
    }
    // 500, 250, and 125 is given up. From then on a message has 100: the other 125 are 100 and 25, the other 250 are 100, 100, 50.
    assert_eq!(tries, 8);
    assert_eq!(stage.status().dropped, 1);
}

#[test]
fn a_message_in_audit_is_delivered() {
    for code in [304023, 304024] {
        let mut stage = Stage::new(settings());
        stage.chat("one");
        stage.answer(Outcome::Refused { code: Some(code), status: 202, message: String::new(), retry_after_ms: None });
        assert!(stage.posts.is_empty());
        assert_eq!(stage.status().posted, 1);
    }
}

#[test]
fn rejected_credentials_keep_the_lines_and_are_tried_again() {
    let mut stage = Stage::new(settings());
    stage.chat("one");
    // 10, 20 seconds: the first by the status alone, the second by its code.
    stage.answer(status(401));
    stage.wait(10 * SECOND);
    stage.answer(refused(11298));
    stage.wait(20 * SECOND);
    stage.deliver();
    assert_eq!(warnings(&mut stage).len(), 1);
}

#[test]
fn an_unknown_refusal_is_not_repeated_and_warned_of_once_a_minute() {
    let mut stage = Stage::new(settings());
    for outcome in [refused(987_654_321), status(404), refused(40034006)] {
        stage.chat("secret");
        stage.answer(outcome);
        assert!(stage.posts.is_empty());
    }
    assert_eq!(stage.status().dropped, 3);
    let words = warnings(&mut stage);
    assert_eq!(words.len(), 1);
    assert!(words[0].contains("987654321") && !words[0].contains("secret"), "{}", words[0]);
    stage.wait(MINUTE);
    stage.chat("x");
    stage.answer(status(404));
    assert_eq!(warnings(&mut stage).len(), 1);
}

#[test]
fn a_number_that_somebody_else_used_first_is_not_taken_for_a_delivery() {
    let mut stage = Stage::new(settings());
    stage.member_says("m1", "a");
    stage.chat("one");
    stage.answer(refused(40054005));
    let post = stage.deliver();
    assert_eq!((post.msg_id, post.content.as_str()), (None, "[Survival] Steve: one"));
}

#[test]
fn an_outcome_for_another_post_changes_nothing() {
    let mut stage = Stage::new(settings());
    stage.chat("one");
    let post = stage.deliver();
    stage.chat("two");
    stage.input(Input::Posted { post: post.id, outcome: delivered() });
    assert_eq!((stage.status().posted, stage.status().waiting), (1, 1));
}

#[test]
fn a_refusal_names_its_code_and_what_its_reader_can_do() {
    for (outcome, english, chinese) in [
        (refused(11253), "(code 11253), next try in 120 s, lines are kept. The bot has no right to this call", "接口权限"),
        (refused(40054016), "(code 40054016), next try in 120 s, lines are kept. The bot may not send", "下架"),
        (
            refused(11298),
            "(code 11298), next try in 10 s, lines are kept. The platform does not accept this machine's address",
            "IP 白名单",
        ),
        (status(401), "(code -), next try in 10 s, lines are kept. The platform did not accept the token", "访问令牌"),
        (status(429), "(code -), next try in 1 s, lines are kept. Called too often", "过于频繁"),
        (Outcome::Unreachable, "(code -), next try in 1 s, lines are kept. QQ cannot be reached", "无法连接"),
        (refused(40034006), "(code 40034006, HTTP 400). Lines given up: 1. The platform's moderation refused the text", "内容审核"),
        (refused(304036), "(code 304036, HTTP 400). Lines given up: 1. This code belongs to Markdown", "Markdown"),
        (refused(987_654_321), "(code 987654321, HTTP 400). Lines given up: 1. The platform names no known reason", "没有说明原因"),
        (status(404), "(code -, HTTP 404). Lines given up: 1. The platform does not know this call", "接口地址"),
    ] {
        let mut stage = Stage::new(settings());
        stage.chat("one");
        stage.answer(outcome);
        let [notice] = &stage.notices[..] else { panic!("{:?}", stage.notices) };
        assert!(notice.to_string().contains(english), "{notice}");
        assert!(notice.words(Language::ZhCn).contains(chinese), "{}", notice.words(Language::ZhCn));
    }
}

#[test]
fn a_token_that_the_platform_failed_to_check_is_trouble_of_its_own() {
    let mut stage = Stage::new(settings());
    stage.chat("one");
    stage.answer(refused(11242));
    stage.wait(3 * SECOND);
    stage.deliver();
    assert!(warnings(&mut stage).is_empty());
}

fn warnings(stage: &mut Stage) -> Vec<String> {
    let warnings = stage.notices.drain(..).filter(|notice: &Notice| notice.level() == Level::Warn);
    warnings.map(|notice| notice.to_string()).collect()
}
