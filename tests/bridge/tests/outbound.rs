//! From the game to the groups: what is sent, in which words, in which order.

use auk_bridge::Input;
use auk_bridge::frame::{GameText, ToNative};
use auk_bridge_stories::{GROUP, MINUTE, OTHER_GROUP, SECOND, Stage, group, player, settings};
use auk_gateway::Language;

#[test]
fn each_event_of_the_game_has_its_line() {
    let events = [
        (ToNative::ServerStarted, "[Survival] The server has started"),
        (ToNative::Join { player: player("Alex") }, "[Survival] Alex joined the game"),
        (ToNative::Chat { player: player("Alex"), text: "hi".to_owned() }, "[Survival] Alex: hi"),
        (announcement("Server", "back soon"), "[Survival] [Server] back soon"),
        (ToNative::Emote { name: "Alex".to_owned(), text: "waves".to_owned() }, "[Survival] * Alex waves"),
        (death("Alex drowned"), "[Survival] Alex drowned"),
        (ToNative::Death { player: None, message: told("Fido was slain by Zombie") }, "[Survival] Fido was slain by Zombie"),
        (advancement(), "[Survival] Alex has made the advancement [Stone Age]"),
        (ToNative::Leave { player: player("Alex") }, "[Survival] Alex left the game"),
        (ToNative::ServerStopping, "[Survival] The server is stopping"),
    ];
    for (event, line) in events {
        let mut stage = Stage::new(settings());
        stage.input(Input::Server(event));
        let post = stage.deliver();
        assert_eq!((post.content.as_str(), post.group_openid.as_str()), (line, GROUP));
        assert_eq!(stage.status().posted, 1);
    }
}

#[test]
fn the_lines_of_the_game_follow_the_language() {
    let mut chinese = settings();
    chinese.language = Language::ZhCn;
    let mut stage = Stage::new(chinese);
    stage.input(Input::Server(ToNative::Join { player: player("Alex") }));
    assert_eq!(stage.post().content, "[Survival] Alex 加入了游戏");
}

#[test]
fn a_group_hears_only_what_it_wants() {
    let mut some = settings();
    some.groups[0].join = false;
    some.groups.push(group(OTHER_GROUP));
    some.groups[1].from_game = false;
    let mut stage = Stage::new(some);
    stage.input(Input::Server(ToNative::Join { player: player("Alex") }));
    assert!(stage.posts.is_empty());
    stage.chat("hi");
    assert_eq!(stage.deliver().group_openid, GROUP);
    assert!(stage.posts.is_empty());
    assert_eq!(stage.status().dropped, 0, "an unwanted line is not a lost one");
}

#[test]
fn announcements_and_emotes_go_the_way_of_the_chat_and_deaths_and_advancements_have_switches_of_their_own() {
    let emote = || ToNative::Emote { name: "Alex".to_owned(), text: "waves".to_owned() };
    let events = || [announcement("Server", "hi"), emote(), death("Alex drowned"), advancement()];
    type Off = fn(&mut auk_bridge::Group);
    let cases: [(Off, [bool; 4]); 4] = [
        (|group| group.chat = false, [false, false, true, true]),
        (|group| group.death = false, [true, true, false, true]),
        (|group| group.advancement = false, [true, true, true, false]),
        (|group| group.from_game = false, [false; 4]),
    ];
    for (switch, heard) in cases {
        let mut some = settings();
        switch(&mut some.groups[0]);
        for (event, heard) in events().into_iter().zip(heard) {
            let mut stage = Stage::new(some.clone());
            let name = format!("{event:?}");
            stage.input(Input::Server(event));
            assert_eq!((stage.posts.len(), stage.status().dropped), (usize::from(heard), 0), "{name}");
        }
    }
}

#[test]
fn the_lines_of_deaths_and_the_like_may_be_worded_by_the_owner_and_have_nothing_to_show_when_the_game_says_nothing() {
    let mut own = settings();
    own.messages.announcement = Some("{player}! {text}".to_owned());
    own.messages.emote = Some("{player}~ {text}".to_owned());
    own.messages.death = Some("RIP {player}: {text} ({group})".to_owned());
    own.messages.advancement = Some("GZ {player}: {text}".to_owned());
    assert_eq!(own.validate(), []);
    let mut stage = Stage::new(own);
    for (event, line) in [
        (announcement("Server", "hi"), "Server! hi"),
        (ToNative::Emote { name: "Alex".to_owned(), text: "waves".to_owned() }, "Alex~ waves"),
        (death("Alex drowned"), "RIP Alex: Alex drowned (Friends)"),
        (ToNative::Death { player: None, message: told("Fido drowned") }, "RIP : Fido drowned (Friends)"),
        (advancement(), "GZ Alex: Alex has made the advancement [Stone Age]"),
    ] {
        stage.input(Input::Server(event));
        assert_eq!(stage.deliver().content, line);
    }
    for nothing in [announcement("Server", " §a "), death("")] {
        stage.input(Input::Server(nothing));
        assert!(stage.posts.is_empty());
    }
    assert_eq!(stage.status().dropped, 2);
}

#[test]
fn templates_may_be_the_owners_own() {
    let mut own = settings();
    own.messages.chat = Some("{{{group}}} <{player}> {text} {time} {".to_owned());
    let mut stage = Stage::offline(own);
    assert_eq!(
        stage.log(),
        [
            "[messages] chat has an unknown placeholder {time}, which is left as typed; it can have: {server} {player} {text} {group}",
            "[messages] chat has a \"{\" without its \"}\", which is left as typed; a brace itself is written twice",
        ]
    );
    stage.input(Input::GatewayUp);
    stage.chat("hi");
    assert_eq!(stage.post().content, "{Friends} <Steve> hi {time} {");
}

#[test]
fn a_player_can_neither_mention_nor_mark_up_nor_break_the_line() {
    let mut stage = Stage::new(settings());
    stage.chat("<@0F01> <qqbot-at-everyone /> <QQBot-cmd-enter text=\"x\" /> <faceType=1> <\u{200b}@0F01> §abold\nnext <3");
    assert_eq!(
        stage.post().content,
        "[Survival] Steve: ＜@0F01> ＜qqbot-at-everyone /> ＜QQBot-cmd-enter text=\"x\" /> ＜faceType=1> ＜@0F01> bold / next <3"
    );
}

#[test]
fn a_template_cannot_be_completed_to_a_mention() {
    let mut own = settings();
    own.messages.chat = Some("<{text}>".to_owned());
    let mut stage = Stage::new(own);
    stage.chat("@0F01");
    assert_eq!(stage.post().content, "＜@0F01>");
}

#[test]
fn a_line_with_nothing_to_show_is_dropped_and_counted() {
    let mut stage = Stage::new(settings());
    stage.chat(" §a\u{0}\n ");
    assert!(stage.posts.is_empty());
    assert_eq!(stage.status().dropped, 1);
}

#[test]
fn one_post_is_on_its_way_and_what_comes_meanwhile_goes_as_one_message() {
    let mut stage = Stage::new(settings());
    for line in ["one", "two", "three"] {
        stage.chat(line);
    }
    assert_eq!(stage.posts.len(), 1);
    assert_eq!(stage.status().waiting, 3);
    assert_eq!(stage.deliver().content, "[Survival] Steve: one");
    assert_eq!(stage.deliver().content, "[Survival] Steve: two\n[Survival] Steve: three");
    assert!(stage.posts.is_empty());
    assert_eq!((stage.status().waiting, stage.status().posted), (0, 2));
}

#[test]
fn a_message_has_at_most_twenty_lines_and_fifteen_hundred_characters() {
    let mut stage = Stage::offline(settings());
    (0..25).for_each(|number| stage.chat(&number.to_string()));
    stage.input(Input::GatewayUp);
    assert_eq!(stage.deliver().content.lines().count(), 20);
    assert_eq!(stage.deliver().content.lines().count(), 5);

    let mut stage = Stage::offline(settings());
    (0..5).for_each(|_| stage.chat(&"x".repeat(482)));
    stage.input(Input::GatewayUp);
    // Each line has 18 + 482 = 500 characters; with the breaks between them two fit into 1,500, three have 1,502.
    assert_eq!(stage.deliver().content.chars().count(), 1_001);
    assert_eq!(stage.deliver().content.chars().count(), 1_001);
    assert_eq!(stage.deliver().content.chars().count(), 500);
}

#[test]
fn groups_do_not_wait_for_each_other() {
    let mut both = settings();
    both.groups.push(group(OTHER_GROUP));
    let mut stage = Stage::new(both);
    stage.chat("one");
    stage.chat("two");
    let groups: Vec<_> = stage.posts.iter().map(|post| post.group_openid.as_str()).collect();
    assert_eq!(groups, [GROUP, OTHER_GROUP]);
}

#[test]
fn lines_wait_while_the_gateway_is_down() {
    let mut stage = Stage::new(settings());
    stage.input(Input::GatewayDown);
    stage.chat("one");
    stage.wait(9 * MINUTE);
    assert!(stage.posts.is_empty());
    stage.input(Input::GatewayUp);
    assert_eq!(stage.post().content, "[Survival] Steve: one");
}

#[test]
fn lines_beyond_the_bound_are_dropped_oldest_first_and_the_group_is_told() {
    let mut stage = Stage::offline(settings());
    (0..205).for_each(|number| stage.chat(&number.to_string()));
    assert_eq!((stage.status().waiting, stage.status().dropped), (200, 5));
    assert_eq!(stage.log(), ["Too many lines waited for group AB000000, or too long. Given up so far: 1"]);
    stage.input(Input::GatewayUp);
    let post = stage.deliver();
    let mut lines = post.content.lines();
    assert_eq!(lines.next(), Some("(lines not delivered: 5)"));
    assert_eq!(lines.next(), Some("[Survival] Steve: 5"));
    assert!(!stage.deliver().content.contains("not delivered"), "it is told once");
}

#[test]
fn lines_older_than_ten_minutes_are_dropped_and_the_group_is_told() {
    let mut stage = Stage::offline(settings());
    stage.chat("one");
    stage.wait(MINUTE);
    stage.chat("two");
    // The first line is ten minutes old.
    stage.wait(9 * MINUTE);
    assert_eq!((stage.status().waiting, stage.status().dropped), (1, 1));
    stage.input(Input::GatewayUp);
    assert_eq!(stage.post().content, "(lines not delivered: 1)\n[Survival] Steve: two");
}

#[test]
fn a_group_that_cannot_be_reached_for_a_day_is_warned_of_once() {
    let mut stage = Stage::offline(settings());
    for _ in 0..24 * 60 {
        stage.chat("x");
        stage.wait(MINUTE);
    }
    assert_eq!(stage.log().len(), 1);
    // The lines of the last ten minutes wait, but the oldest of these is ten minutes old.
    assert_eq!((stage.status().waiting, stage.status().dropped), (9, 24 * 60 - 9));
}

#[test]
fn a_reload_keeps_what_waits_for_a_group_that_stays() {
    let mut both = settings();
    both.groups.push(group(OTHER_GROUP));
    let mut stage = Stage::offline(both);
    stage.chat("one");
    let mut next = settings();
    next.server.name = "Creative".to_owned();
    stage.input(Input::Reload(next));
    stage.chat("two");
    assert_eq!((stage.status().waiting, stage.status().dropped), (2, 1), "the other group's line is given up and counted");
    stage.input(Input::GatewayUp);
    assert_eq!(stage.deliver().content, "[Survival] Steve: one\n[Creative] Steve: two");
    assert!(stage.posts.is_empty());
}

#[test]
fn stopping_says_farewell_and_then_is_drained() {
    let mut stage = Stage::new(settings());
    stage.chat("one");
    stage.input(Input::Server(ToNative::ServerStopping));
    stage.input(Input::Stop);
    assert!(!stage.bridge.is_drained());
    stage.deliver();
    assert!(!stage.bridge.is_drained());
    assert_eq!(stage.deliver().content, "[Survival] The server is stopping");
    assert!(stage.bridge.is_drained());
    assert_eq!(stage.log(), [""; 0]);
}

#[test]
fn stopping_does_not_wait_for_what_cannot_be_sent() {
    let mut stage = Stage::offline(settings());
    stage.input(Input::Server(ToNative::ServerStopping));
    stage.input(Input::Stop);
    assert!(stage.bridge.is_drained());
    assert_eq!(stage.log(), ["Lines that could not be sent before the end: 1"]);
    assert_eq!((stage.status().waiting, stage.status().dropped), (0, 1));
    stage.chat("late");
    stage.wait(SECOND);
    assert_eq!((stage.status().waiting, stage.status().dropped), (0, 2));
    assert_eq!(stage.bridge.poll_timeout(), None);
}

fn announcement(name: &str, text: &str) -> ToNative {
    ToNative::Announcement { name: name.to_owned(), text: text.to_owned() }
}

fn told(text: &str) -> GameText {
    GameText { text: text.to_owned(), key: None, args: Vec::new() }
}

fn death(text: &str) -> ToNative {
    ToNative::Death { player: Some(player("Alex")), message: told(text) }
}

fn advancement() -> ToNative {
    ToNative::Advancement { player: Some(player("Alex")), message: told("Alex has made the advancement [Stone Age]") }
}
