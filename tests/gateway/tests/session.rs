//! How a session begins and ends, what is told of it, and what its owner may ask.

use auk_gateway::{AddressEndpoint, Close, Event, HaltReason, Input, Language, LossCause, Timestamp};
use auk_gateway_stories::{Asked, Stage, identify, resume};
use serde_json::json;

#[test]
fn ordinary_start_asks_for_token_then_address_then_connects_and_identifies_once() {
    let mut stage = Stage::new();
    stage.begin();
    stage.ready_as("s1");
    let asked: Vec<Asked> = stage.take_asked().into_iter().map(|(_, asked)| asked).collect();
    // Everything was answered at once, so everything happens at time 0; the first heartbeat has a random place in the first 45 s.
    assert_eq!(asked, [Asked::Token, Asked::Address(AddressEndpoint::GatewayBot), Asked::Connect, identify("t1")]);
    assert!(stage.gateway.is_ready());
    assert!(matches!(&stage.take_told()[..], [(0, Event::Ready { bot_name: Some(name) })] if name == "auk"));
}

#[test]
fn nothing_is_sent_before_hello() {
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.grant_address();
    stage.open();
    stage.take_asked();
    stage.frame(json!({ "op": 1 }));
    stage.frame(json!({ "op": 11 }));
    stage.frame(json!({ "op": 0, "s": 9, "t": "GROUP_AT_MESSAGE_CREATE", "d": {} }));
    assert_eq!(stage.take_asked(), []);
    stage.hello(45_000);
    assert_eq!(stage.take_asked(), [(0, identify("t1"))]);
}

#[test]
fn a_late_close_of_an_old_connection_changes_nothing() {
    let mut stage = Stage::ready();
    let old = stage.conn();
    stage.live_for(5_000);
    stage.frame(json!({ "op": 7 }));
    stage.come_back_by_resume(2);
    stage.take_asked();
    stage.take_told();
    stage.input(Input::Closed { conn: old, close: Close::Code(Some(4009)) });
    stage.input(Input::Closed { conn: old, close: Close::Code(Some(4915)) });
    stage.input(Input::Frame { conn: old, text: json!({ "op": 9, "d": false }).to_string().into() });
    stage.input(Input::Opened { conn: old });
    assert_eq!(stage.take_asked(), []);
    assert!(stage.take_told().is_empty());
    assert!(stage.gateway.is_ready());
}

#[test]
fn each_loss_is_told_once_with_the_time_of_the_next_attempt() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(Some(1001));
    stage.refuse_connection();
    let told = stage.take_told();
    let losses: Vec<_> = told.iter().filter(|(_, event)| matches!(event, Event::Lost { .. })).collect();
    assert!(
        matches!(
            losses[..],
            [
                (_, Event::Lost { cause: LossCause::Closed(Some(1001)), retry_in_ms: 0, session_kept: true }),
                (_, Event::Lost { cause: LossCause::Transport(_), retry_in_ms: 1_050..=1_750, session_kept: true }),
            ]
        ),
        "{losses:?}"
    );
}

#[test]
fn stop_closes_with_1000_and_ends_even_when_the_platform_does_not_answer() {
    let mut stage = Stage::ready();
    stage.input(Input::Stop);
    assert_eq!(stage.take_asked(), [(0, Asked::Closed(1000))]);
    // `stop_ms_max` is one second.
    stage.run_until(1_000);
    assert_eq!(stage.state(), "stopped");
    assert!(matches!(&stage.take_told()[..], [(1_000, Event::Stopped)]));
    assert_eq!(stage.gateway.poll_timeout(), None);
    stage.refuse_token("t1");
    stage.run_for(3_600_000);
    assert_eq!(stage.take_asked(), []);
}

#[test]
fn unreadable_frames_change_nothing_but_are_told() {
    let mut stage = Stage::ready();
    for text in ["", "garbage", "[]", "{}", "{\"op\":\"x\"}", "{\"op\":0", "\u{0}"] {
        let conn = stage.conn();
        stage.input(Input::Frame { conn, text: text.to_owned().into() });
        assert!(matches!(&stage.take_told()[..], [(0, Event::UnreadableFrame { bytes })] if *bytes == text.len()), "{text:?}");
    }
    stage.frame(json!({ "op": 99, "d": { "new": true } }));
    assert_eq!(stage.take_asked(), []);
    assert!(stage.gateway.is_ready());
}

#[test]
fn the_end_begins_nothing_new() {
    let mut stage = Stage::ready();
    stage.live_for(7_154_500);
    stage.take_asked();
    stage.input(Input::Stop);
    // The token would be renewed at 7,155 s, half a second later and half a second before the end.
    stage.run_for(2_000);
    assert_eq!(stage.take_asked(), [(7_154_500, Asked::Closed(1000))]);
    assert_eq!(stage.state(), "stopped");
}

#[test]
fn the_end_comes_with_the_end_of_its_own_connection_only() {
    let mut stage = Stage::ready();
    let old = stage.conn();
    stage.live_for(5_000);
    stage.frame(json!({ "op": 7 }));
    stage.come_back_by_resume(2);
    stage.input(Input::Stop);
    stage.input(Input::Closed { conn: old, close: Close::Code(None) });
    assert_eq!(stage.state(), "stopping");
    stage.close(Some(1000));
    assert_eq!(stage.state(), "stopped");
}

#[test]
fn the_status_says_where_the_session_is_since_when_what_is_due_and_what_was_lost() {
    let status = |stage: &Stage| stage.gateway.status(Language::EnUs, Timestamp::from_ms(stage.now_ms()));
    let mut stage = Stage::new();
    stage.run_for(10_000);
    // A token request may take 15 s.
    let first = status(&stage);
    assert_eq!((first.state, first.since_ms, first.session, first.halt, first.last_loss), ("awaiting_token", 10_000, false, None, None));
    assert_eq!(first.deadline.map(|deadline| (deadline.reason, deadline.in_ms)), Some(("token request", 5_000)));
    // The second request is still one and the same wait for a token: 7.5 s within a quarter after the first.
    stage.run_until(24_500);
    assert_eq!((status(&stage).state, status(&stage).since_ms), ("awaiting_token", 24_500));
    stage.begin();
    stage.ready_as("s1");
    stage.live_for(60_000);
    let ready = status(&stage);
    assert_eq!((ready.state, ready.since_ms, ready.session, ready.halt, ready.last_loss), ("ready", 60_000, true, None, None));
    assert_eq!((ready.attempts.last_minute, ready.attempts.total), (0, 1));
    stage.close(Some(4009));
    let in_chinese = stage.gateway.status(Language::ZhCn, Timestamp::from_ms(stage.now_ms()));
    assert_eq!(in_chinese.last_loss.as_deref(), Some("平台关闭了连接，代码 4009"));
    let lost = status(&stage);
    assert_eq!((lost.state, lost.since_ms, lost.session), ("connecting", 0, true));
    assert_eq!(lost.last_loss.as_deref(), Some("closed with code 4009"));
    assert_eq!((lost.attempts.last_minute, lost.attempts.total), (1, 2));
    stage.open();
    stage.hello(45_000);
    stage.close(Some(4924));
    stage.run_for(10_000);
    let halted = status(&stage);
    assert_eq!((halted.state, halted.session), ("halted", false));
    assert_eq!(halted.last_loss.as_deref(), Some("closed with code 4924"));
    let reason = HaltReason::AddressNotAllowed;
    assert_eq!(halted.halt.map(|halt| (halt.reason, halt.advice)), Some((reason.name(), reason.advice(Language::EnUs))));
    // A minute within a quarter, ten seconds ago.
    assert!(matches!(halted.deadline, Some(deadline) if deadline.reason == "slow lane" && (35_000..=65_000).contains(&deadline.in_ms)));
}

#[test]
fn a_reload_with_other_intents_begins_another_session() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.take_asked();
    let mut other = auk_gateway_stories::config();
    other.intents = 1 << 9;
    stage.input(Input::Reload(Box::new(other)));
    assert_eq!(stage.take_asked(), [(10_000, Asked::Closed(1000)), (10_000, Asked::Connect)]);
    let told = stage.take_told();
    assert!(matches!(told[..], [(_, Event::Lost { cause: LossCause::Reloaded, retry_in_ms: 0, session_kept: false })]), "{told:?}");
    let status = stage.gateway.status(Language::EnUs, Timestamp::from_ms(10_000));
    assert_eq!(status.last_loss.as_deref(), Some("settings reloaded"));
    stage.open();
    stage.hello(45_000);
    assert!(matches!(&stage.take_asked()[..], [(_, Asked::Sent(frame))] if frame["op"] == 2 && frame["d"]["intents"] == 1 << 9));
}

#[test]
fn a_reload_with_other_intents_forgets_the_session_though_no_connection_is_there() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    stage.refuse_connection();
    assert_eq!(stage.state(), "waiting");
    let mut other = auk_gateway_stories::config();
    other.intents = 1 << 9;
    stage.take_asked();
    stage.input(Input::Reload(Box::new(other)));
    assert_eq!(stage.take_asked(), [(10_000, Asked::Connect)]);
    stage.open();
    stage.hello(45_000);
    assert!(matches!(&stage.take_asked()[..], [(_, Asked::Sent(frame))] if frame["op"] == 2));
}

#[test]
fn a_wish_for_another_connection_gives_a_live_one_up_and_resumes_and_twenty_wishes_make_one_attempt() {
    let mut stage = Stage::ready();
    stage.live_for(1_000);
    stage.take_asked();
    (0..20).for_each(|_| stage.input(Input::Reconnect));
    assert_eq!(stage.take_asked(), [(1_000, Asked::Closed(4000)), (1_000, Asked::Connect)]);
    let told = stage.take_told();
    assert!(matches!(told[..], [(_, Event::Lost { cause: LossCause::Asked, retry_in_ms: 0, session_kept: true })]), "{told:?}");
    stage.open();
    stage.input(Input::Reconnect);
    stage.hello(45_000);
    stage.input(Input::Reconnect);
    assert_eq!(stage.take_asked(), [(1_000, resume("t1", "s1", 1))]);
    stage.resumed(2);
    assert_eq!(stage.state(), "ready");
}

#[test]
fn a_wish_for_a_connection_where_there_is_none_makes_one_attempt_at_once() {
    let mut stage = Stage::ready();
    stage.live_for(10_000);
    stage.close(None);
    stage.refuse_connection();
    assert_eq!(stage.state(), "waiting");
    stage.take_asked();
    (0..20).for_each(|_| stage.input(Input::Reconnect));
    assert_eq!(stage.take_asked(), [(10_000, Asked::Connect)]);
    stage.close(Some(4914));
    assert_eq!(stage.state(), "halted");
    (0..20).for_each(|_| stage.input(Input::Reconnect));
    assert_eq!(stage.take_asked(), [(10_000, Asked::Connect)]);
}

#[test]
fn wishes_for_other_connections_without_end_stay_within_the_limit() {
    let mut stage = Stage::ready();
    let mut attempts = 0;
    for _ in 0..3_600 {
        stage.input(Input::Reconnect);
        if stage.state() == "connecting" {
            stage.come_back_by_resume(2);
        }
        stage.live_for(1_000);
        attempts += stage.count(|asked| *asked == Asked::Connect);
        stage.take_asked();
    }
    // A bucket of 35 that regains one in 15 s.
    assert!((200..=35 + 3_600 / 15).contains(&attempts), "{attempts}");
}
