//! The stage of the bridge's stories: a driver on simulated time, a Minecraft server and a platform that do what the story says.

use std::collections::{BTreeMap, VecDeque};

use auk_bridge::console::Answer;
use auk_bridge::frame::{Call, Player, ToJava, ToNative};
use auk_bridge::{Bridge, BridgeStatus, Effect, Errand, Group, Input, Notice, Outcome, Post, PostId, Settings, ToGame};
use auk_gateway::{Language, Timestamp};
use serde_json::Value;
use serde_json::value::RawValue;

/// The group of most stories.
pub const GROUP: &str = "AB00000000000000000000000000C001";

/// A second group.
pub const OTHER_GROUP: &str = "CD00000000000000000000000000C002";

/// The member who speaks in most stories.
pub const MEMBER: &str = "0F00000000000000000000000000B001";

/// One second, in milliseconds.
pub const SECOND: u64 = 1_000;

/// One minute, in milliseconds.
pub const MINUTE: u64 = 60 * SECOND;

/// A bridge and everything that came out of it.
#[derive(Debug)]
pub struct Stage {
    /// The bridge.
    pub bridge: Bridge,
    /// Lines said in the game.
    pub said: Vec<String>,
    /// Posts that were not answered yet, oldest first.
    pub posts: VecDeque<Post>,
    /// When each post began.
    pub began: BTreeMap<PostId, Timestamp>,
    /// Numbers of `list_players` frames.
    pub asked: Vec<u64>,
    /// Answers to commands, with the numbers of these.
    pub replies: Vec<(u64, Answer)>,
    /// What commands asked of the driver.
    pub errands: Vec<Errand>,
    /// Everything for the log.
    pub notices: Vec<Notice>,
    now: Timestamp,
}

impl Stage {
    /// A bridge with these settings whose gateway session lives.
    pub fn new(settings: Settings) -> Self {
        let mut stage = Self::offline(settings);
        stage.input(Input::GatewayUp);
        stage
    }

    /// A bridge with these settings before its gateway session.
    pub fn offline(settings: Settings) -> Self {
        let now = Timestamp::from_ms(5 * MINUTE);
        let mut stage = Self {
            bridge: Bridge::new(settings, now),
            said: Vec::new(),
            posts: VecDeque::new(),
            began: BTreeMap::new(),
            asked: Vec::new(),
            replies: Vec::new(),
            errands: Vec::new(),
            notices: Vec::new(),
            now,
        };
        stage.drain();
        stage
    }

    /// Hands something in.
    pub fn input(&mut self, input: Input) {
        self.bridge.handle_input(input, self.now);
        self.drain();
    }

    /// Lets time pass, with every deadline on the way.
    pub fn wait(&mut self, ms: u64) {
        let until = self.now + ms;
        while let Some(at) = self.bridge.poll_timeout().filter(|at| *at <= until) {
            assert!(at > self.now, "a deadline that is over already would spin the driver");
            self.now = at;
            self.bridge.handle_timeout(at);
            self.drain();
        }
        self.now = until;
    }

    /// A player says something.
    pub fn chat(&mut self, text: &str) {
        self.input(Input::Server(ToNative::Chat { player: player("Steve"), text: text.to_owned() }));
    }

    /// Alex, an operator, types `/auk` and this.
    pub fn command(&mut self, request: u64, name: &str, argument: Option<&str>) {
        let call = Call { request, caller: "Alex".to_owned(), name: name.to_owned(), argument: argument.map(str::to_owned) };
        self.input(Input::Server(ToNative::Command(call)));
    }

    /// The only answer so far, which must be there; takes it.
    pub fn reply(&mut self) -> (u64, Answer) {
        assert_eq!(self.replies.len(), 1, "{:?}", self.replies);
        self.replies.remove(0)
    }

    /// An event of the gateway.
    pub fn dispatch(&mut self, event: &str, data: &Value) {
        let data = RawValue::from_string(data.to_string()).expect("a value is JSON");
        self.input(Input::Dispatch { event: event.to_owned(), data });
    }

    /// A member says something to everyone in the group.
    pub fn member_says(&mut self, id: &str, text: &str) {
        self.dispatch("GROUP_MESSAGE_CREATE", &message(GROUP, id, text));
    }

    /// A member says something to the bot.
    pub fn member_mentions(&mut self, id: &str, text: &str) {
        self.dispatch("GROUP_AT_MESSAGE_CREATE", &message(GROUP, id, text));
    }

    /// The oldest post that was not answered, which must be there.
    pub fn post(&mut self) -> Post {
        self.posts.pop_front().expect("a post")
    }

    /// The oldest post arrives; returns it.
    pub fn deliver(&mut self) -> Post {
        self.answer(delivered())
    }

    /// The oldest post ends like this; returns it.
    pub fn answer(&mut self, outcome: Outcome) -> Post {
        let post = self.post();
        self.input(Input::Posted { post: post.id, outcome });
        post
    }

    /// The counters.
    pub fn status(&self) -> BridgeStatus {
        self.bridge.status()
    }

    /// The notices since the last call, in English.
    pub fn log(&mut self) -> Vec<String> {
        self.notices.drain(..).map(|notice| notice.to_string()).collect()
    }

    /// What time it is.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    fn drain(&mut self) {
        while let Some(effect) = self.bridge.poll_effect() {
            match effect {
                Effect::Post(post) => {
                    self.began.insert(post.id, self.now);
                    self.posts.push_back(post);
                }
                Effect::ToJava(ToJava::Say { text }) => self.said.push(text),
                Effect::ToJava(ToJava::ListPlayers { request }) => self.asked.push(request),
                Effect::ToJava(ToJava::Reply { request, lines, failed }) => self.replies.push((request, Answer { lines, failed })),
                Effect::Errand(errand) => self.errands.push(errand),
                Effect::ToJava(frame @ (ToJava::Log { .. } | ToJava::End)) => panic!("the driver writes {frame:?}"),
                Effect::Notice(notice) => self.notices.push(notice),
            }
        }
    }
}

/// English settings with [`GROUP`], which gets everything.
pub fn settings() -> Settings {
    let mut settings = Settings { groups: vec![group(GROUP)], ..Settings::default() };
    settings.server.name = "Survival".to_owned();
    settings.language = Language::EnUs;
    settings
}

/// A group that gets everything.
pub fn group(openid: &str) -> Group {
    Group {
        openid: openid.to_owned(),
        name: "Friends".to_owned(),
        to_game: ToGame::All,
        from_game: true,
        chat: true,
        death: true,
        advancement: true,
        join: true,
        leave: true,
        start: true,
        stop: true,
    }
}

/// A player.
pub fn player(name: &str) -> Player {
    Player { name: name.to_owned(), uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5".to_owned() }
}

/// The data of a group message by Ming.
pub fn message(group: &str, id: &str, text: &str) -> Value {
    serde_json::json!({
        "id": id,
        "group_openid": group,
        "group_id": group,
        "author": {"id": MEMBER, "member_openid": MEMBER, "member_role": "member", "username": "Ming", "bot": false},
        "content": text,
        "message_type": 0,
        "mentions": [],
        "attachments": [],
        "timestamp": "2026-09-20T10:00:01+08:00",
    })
}

/// The platform took it.
pub fn delivered() -> Outcome {
    Outcome::Delivered { message_id: Some("ROBOT1.0_own!".to_owned()) }
}

/// The platform refused it with HTTP 400 and this code.
pub fn refused(code: i64) -> Outcome {
    Outcome::Refused { code: Some(code), status: 400, message: "refused".to_owned(), retry_after_ms: None }
}

/// A server answered with this status and no code.
pub fn status(status: u16) -> Outcome {
    Outcome::Refused { code: None, status, message: "<html>".to_owned(), retry_after_ms: None }
}
