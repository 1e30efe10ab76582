//! The course of a run: two lives of a server, with players of every kind, and what the group and the players are to see of it.

use std::error::Error;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use auk_end_to_end::{Artifacts, Simulator, Stage};
use auk_standin::{FabricLoader, Failure, Game, Jvm, ModJar, Mode, Outcome, Play};
use serde_json::{Value, json};

use crate::loader;

/// What is checked, as the results name it.
pub(crate) const CHECKS: [&str; 6] = ["group_sees_the_game", "round_trip", "permission_check", "command_run", "server_port", "two_lives"];

/// For one line under way, most of it for a busy machine.
const LIMIT: Duration = Duration::from_secs(20);

/// The events of Fabric API that the mod listens to.
const EVENTS: [&str; 10] = [
    "CommandRegistrationCallback.EVENT",
    "ServerLifecycleEvents.SERVER_STARTED",
    "ServerLifecycleEvents.SERVER_STARTING",
    "ServerLifecycleEvents.SERVER_STOPPED",
    "ServerLifecycleEvents.SERVER_STOPPING",
    "ServerMessageEvents.CHAT_MESSAGE",
    "ServerMessageEvents.COMMAND_MESSAGE",
    "ServerMessageEvents.GAME_MESSAGE",
    "ServerPlayConnectionEvents.DISCONNECT",
    "ServerPlayConnectionEvents.JOIN",
];

/// The templates name the player on their own, which the bridge knows by the key and the first argument of the game's text alone.
const TEMPLATES: &str =
    "\n[messages]\ndeath = \"[{server}] death of {player}: {text}\"\nadvancement = \"[{server}] advancement of {player}: {text}\"\n";

/// A player who joins.
pub(crate) struct Guest {
    /// The name.
    pub(crate) name: &'static str,
    /// The id.
    pub(crate) uuid: &'static str,
    level: u32,
    /// The round trip to the client in ms.
    pub(crate) latency_ms: u32,
}

/// With the id that a vendor's account or a proxy gives, which is not that of offline mode.
pub(crate) const STEVE: Guest = Guest { name: "Steve", uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5", level: 0, latency_ms: 42 };
/// With the id of offline mode: version 3 over `OfflinePlayer:Alex`.
pub(crate) const ALEX: Guest = Guest { name: "Alex", uuid: "36532b5e-c442-3dbb-a24c-c7e55d0f979a", level: 4, latency_ms: 7 };
/// From Bedrock, by Floodgate: a name with a prefix, and an id that holds the account's number.
pub(crate) const BEDROCK: Guest = Guest { name: ".Steve", uuid: "00000000-0000-0000-0009-01f64f65c7c3", level: 3, latency_ms: 180 };

/// What holds, or the reason why not.
pub(crate) type Seen = Result<(), Box<dyn Error>>;

/// A run under way.
pub(crate) struct Course<'a> {
    /// The game. It stands first, so that its end meets a platform that is still there.
    pub(crate) play: Play,
    simulator: Simulator,
    game: &'a Game,
}

impl<'a> Course<'a> {
    /// Starts a platform and a JVM.
    pub(crate) fn start(
        artifacts: &Artifacts,
        game: &'a Game,
        jar: &ModJar,
        loader: &FabricLoader,
        java: u32,
        directory: &Path,
    ) -> Result<Self, Box<dyn Error>> {
        let simulator = Simulator::start(artifacts, &[])?;
        Stage::settings(&simulator.base).write(directory)?;
        OpenOptions::new().append(true).open(directory.join("config/auk/auk.toml"))?.write_all(TEMPLATES.as_bytes())?;
        Ok(Self { play: Play::start(artifacts, game, jar, loader, brief(java), directory)?, simulator, game })
    }

    /// What is checked in the first life, in this order.
    const FIRST_LIFE: [fn(&mut Self) -> Seen; 5] =
        [Self::group_sees_the_game, Self::round_trip, Self::permission_check, Self::command_run, Self::server_port];

    /// Runs all of it, and notes in `outcome` what holds. Ends at the first thing that does not.
    pub(crate) fn run(mut self, outcome: &mut Outcome) -> Seen {
        self.play.order(json!({ "do": "initialize" }))?;
        for (place, check) in Self::FIRST_LIFE.into_iter().enumerate() {
            check(&mut self).map_err(|broken| self.with_seen(broken))?;
            outcome.checks[place].1 = true;
        }
        outcome.events = texts(&self.play.order(json!({ "do": "listened to" }))?);
        hold(outcome.events == EVENTS, || format!("listens to {:?}", outcome.events))?;
        self.two_lives()?;
        outcome.checks[Self::FIRST_LIFE.len()].1 = true;
        Ok(())
    }

    /// One life that begins as late after the mods as a game's does: no class of the mod keeps the server's thread waiting.
    pub(crate) fn run_loaded_ahead(mut self) -> Seen {
        self.play.order(json!({ "do": "initialize" }))?;
        self.play.order(json!({ "do": "settle" }))?;
        for check in Self::FIRST_LIFE {
            check(&mut self).map_err(|broken| self.with_seen(broken))?;
        }
        self.play.order(json!({ "do": "stop" }))?;
        let left = self.play.order(json!({ "do": "left" }))?;
        hold(texts(&left["late_classes"]).is_empty(), || format!("the server's thread loaded {}", left["late_classes"]))?;
        let code = self.play.end()?;
        hold(code == 0, || format!("the JVM ended with {code}"))
    }

    /// The version that is played.
    pub(crate) fn version(&self) -> &'static str {
        self.game.version.name()
    }

    fn group_sees_the_game(&mut self) -> Seen {
        self.play.order(json!({ "do": "start" }))?;
        for guest in [STEVE, ALEX, BEDROCK] {
            self.join(&guest)?;
        }
        self.play.order(json!({ "do": "chat", "player": "Steve", "text": "marker-chat 𠀀" }))?;
        self.play.order(json!({ "do": "speak", "player": "Steve", "key": "chat.type.announcement", "text": "marker-say" }))?;
        self.play.order(json!({ "do": "speak", "player": null, "key": "chat.type.announcement", "text": "marker-console" }))?;
        self.play.order(json!({ "do": "speak", "player": ".Steve", "key": "chat.type.emote", "text": "marker-emote" }))?;
        self.play.order(json!({ "do": "message", "text": death(STEVE.name, "by Zombie") }))?;
        self.play.order(json!({ "do": "message", "text": advancement(BEDROCK.name) }))?;
        // Neither of these is anything to tell the group of.
        self.play.order(json!({ "do": "message", "text": { "text": "marker-joined", "key": "multiplayer.player.joined" } }))?;
        self.play.order(json!({ "do": "message", "text": death(STEVE.name, "marker-overlay"), "overlay": true }))?;
        self.play.order(json!({ "do": "message", "text": { "text": "marker-plain" } }))?;
        self.play.order(json!({ "do": "chat", "player": "Alex", "text": "marker-last" }))?;
        self.simulator.await_post("marker-last", 0, LIMIT)?;
        self.expect_in_order(&[
            "[生存服] 服务器已启动",
            "[生存服] Steve 加入了游戏",
            "[生存服] Alex 加入了游戏",
            "[生存服] .Steve 加入了游戏",
            "[生存服] Steve: marker-chat 𠀀",
            "[生存服] [Steve] marker-say",
            "[生存服] [Server] marker-console",
            "[生存服] * .Steve marker-emote",
            "[生存服] death of Steve: [T] Steve was slain by Zombie",
            "[生存服] advancement of .Steve: [T] .Steve has made the advancement [Stone Age]",
            "[生存服] Alex: marker-last",
        ])?;
        let posted = self.posted()?;
        // The game tells of a command that speaks as chat too, which would come as a line of another form.
        for once in ["marker-chat", "marker-say", "marker-console", "marker-emote", "slain by", "Stone Age"] {
            hold(posted.matches(once).count() == 1, || format!("{once} did not come once: {posted}"))?;
        }
        for silent in ["marker-joined", "marker-overlay", "marker-plain"] {
            hold(!posted.contains(silent), || format!("the group was told of {silent}: {posted}"))?;
        }
        let text = self.play.order(json!({ "do": "game text", "text": advancement("Steve") }))?;
        hold(text["key"] == "chat.type.advancement.task", || format!("the key of {text}"))?;
        hold(text["args"][0]["text"] == "[T] Steve", || format!("the first argument of {text}"))?;
        hold(text["args"][1]["args"][0]["key"] == "advancements.story.mine_stone.title", || {
            format!("the argument of an argument of {text}")
        })
    }

    /// A member's line is shown to everybody once, and does not go back to the group as a message of the game.
    fn round_trip(&mut self) -> Seen {
        self.simulator.control.say(Stage::GROUP, "小明", "早上好 😀", false)?;
        for guest in [STEVE, ALEX, BEDROCK] {
            self.await_client(guest.name, "[QQ] 小明: 早上好 😀")?;
        }
        self.play.order(json!({ "do": "chat", "player": "Steve", "text": "marker-answer" }))?;
        self.simulator.await_post("marker-answer", 0, LIMIT)?;
        let lines = self.play.shown().iter().filter(|(_, text)| text.contains("早上好")).count();
        hold(lines == 3, || format!("the line was shown {lines} times to three players"))?;
        let posted = self.posted()?;
        hold(!posted.contains("早上好"), || format!("the line came back to the group: {posted}"))
    }

    fn permission_check(&mut self) -> Seen {
        let offered = |play: &mut Play, player: Value| play.order(json!({ "do": "offered", "player": player })).map(|list| texts(&list));
        let all = ["auk", "auk status", "auk reload", "auk reconnect", "auk send", "auk send <text>", "auk test", "auk help"];
        for owner in [json!("Alex"), Value::Null] {
            let list = offered(&mut self.play, owner.clone())?;
            hold(list == all, || format!("{owner} is offered {list:?}"))?;
        }
        let list = offered(&mut self.play, json!("Steve"))?;
        hold(list.is_empty(), || format!("a player without a level is offered {list:?}"))?;
        let list = offered(&mut self.play, json!(".Steve"))?;
        hold(list == ["auk", "auk status", "auk send", "auk send <text>", "auk test", "auk help"], || {
            format!("level 3 is offered {list:?}")
        })?;
        for (player, line) in [("Steve", "auk status"), ("Steve", "auk"), (".Steve", "auk reload")] {
            let before = self.play.shown().len();
            let count = self.play.order(json!({ "do": "run", "player": player, "line": line }))?;
            hold(count == 0, || format!("{player} ran {line}"))?;
            let shown = self.play.shown().split_off(before);
            hold(shown.first().is_some_and(|(_, text)| text.contains("Unknown")), || format!("{player} was told {shown:?} of {line}"))?;
        }
        Ok(())
    }

    fn command_run(&mut self) -> Seen {
        for player in ["Alex", ".Steve"] {
            self.play.order(json!({ "do": "run", "player": player, "line": "auk status" }))?;
            self.await_client(player, "QQ：已连接")?;
        }
        let others = self.play.shown().into_iter().filter(|(player, text)| player == "Steve" && text.contains("QQ：")).count();
        hold(others == 0, || "an answer was shown to somebody else".to_owned())?;
        self.play.order(json!({ "do": "run", "player": null, "line": "auk status" }))?;
        self.play.await_event("console", |event| event["failed"] == false && has(event, "QQ：已连接"))?;
        self.play.order(json!({ "do": "run", "player": null, "line": "auk send" }))?;
        self.play.await_event("console", |event| event["failed"] == true && has(event, "用法：/auk send <text>"))?;
        self.play.order(json!({ "do": "run", "player": "Alex", "line": "auk send 今晚 停服" }))?;
        self.simulator.await_post("[生存服] [Alex] 今晚 停服", 0, LIMIT).map(drop).map_err(Into::into)
    }

    /// The end of the first life, told by a network thread and the server's; another life; the end of the JVM by itself.
    fn two_lives(mut self) -> Seen {
        self.play.order(json!({ "do": "leave", "player": "Steve" }))?;
        let left = self.simulator.await_post("[生存服] Steve 离开了游戏", 0, LIMIT)?;
        self.play.order(json!({ "do": "stop" }))?;
        let stopped = self.simulator.await_post("[生存服] 服务器正在关闭", left.next, LIMIT)?;
        self.nothing_is_left()?;
        self.play.order(json!({ "do": "start" }))?;
        self.join(&STEVE)?;
        self.play.order(json!({ "do": "chat", "player": "Steve", "text": "marker-again" }))?;
        let again = self.simulator.await_post("[生存服] Steve: marker-again", stopped.next, LIMIT)?;
        self.simulator.control.say(Stage::GROUP, "小明", "又见面了", false)?;
        self.await_client("Steve", "[QQ] 小明: 又见面了")?;
        self.play.order(json!({ "do": "stop" }))?;
        self.simulator.await_post("[生存服] 服务器正在关闭", again.next, LIMIT)?;
        self.nothing_is_left()?;
        let lives: Vec<Value> = self.play.events("lifecycle").iter().map(|event| event["name"].clone()).collect();
        let life = ["STARTING", "STARTED", "STOPPING", "STOPPED"];
        hold(lives == [life, life].concat(), || format!("{lives:?}"))?;
        let complaints = self.play.complaints();
        hold(complaints.is_empty(), || format!("complaints: {complaints:#?}"))?;
        let code = self.play.end()?;
        hold(code == 0, || format!("the JVM ended with {code}"))
    }

    /// No thread of the mod's runs on, and no class of a Kotlin was looked for that the mod does not carry.
    fn nothing_is_left(&mut self) -> Seen {
        let left = self.play.order(json!({ "do": "left" }))?;
        hold(texts(&left["threads"]).is_empty(), || format!("threads run on: {}", left["threads"]))?;
        hold(texts(&left["foreign_classes"]).is_empty(), || format!("of a foreign Kotlin: {}", left["foreign_classes"]))?;
        hold(left["packed_classes"].as_u64() > Some(0), || "the libraries in the jar are not used".to_owned())?;
        for kind in ["unplayed", "uncaught"] {
            let events = self.play.events(kind);
            hold(events.is_empty(), || format!("{events:#?}"))?;
        }
        Ok(())
    }

    /// A failure of the program tells what was seen itself.
    fn with_seen(&self, broken: Box<dyn Error>) -> Box<dyn Error> {
        if broken.is::<Failure>() { broken } else { format!("{broken}\nseen:\n{}", self.play.seen()).into() }
    }

    fn join(&mut self, guest: &Guest) -> Seen {
        join(&mut self.play, guest)
    }

    fn await_client(&mut self, player: &str, text: &str) -> Seen {
        self.play.await_event("client", |event| event["player"] == player && has(event, text)).map(drop).map_err(Into::into)
    }

    fn posted(&self) -> Result<String, Box<dyn Error>> {
        let posts = self.simulator.control.posted()?;
        Ok(posts.iter().filter_map(|post| post["content"].as_str()).collect::<Vec<_>>().join("\n"))
    }

    /// Each line came to the group once, in this order.
    fn expect_in_order(&self, lines: &[&str]) -> Seen {
        let posted = self.posted()?;
        let mut from = 0;
        for line in lines {
            hold(posted.matches(line).count() == 1, || format!("{line:?} is not there once: {posted}"))?;
            let place = posted.find(line).unwrap_or_default();
            hold(place >= from, || format!("{line:?} came too early: {posted}"))?;
            from = place;
        }
        Ok(())
    }
}

/// A run without a platform: the mod's permission nodes under a permissions mod that knows two players.
pub(crate) fn permissions_mod(artifacts: &Artifacts, game: &Game, java: u32) -> Seen {
    let directory = tempfile::tempdir()?;
    let jar = ModJar::read(&artifacts.jar("auk-debug"), directory.path())?;
    let loader = loader(game, java).and("fabric-permissions-api-v0", "0.4.0");
    let mut play = Play::start(artifacts, game, &jar, &loader, brief(java), directory.path())?;
    play.order(json!({ "do": "permit", "player": "Steve", "node": "auk.command.status", "allowed": true }))?;
    play.order(json!({ "do": "permit", "player": "Alex", "node": "auk.command.reload", "allowed": false }))?;
    play.order(json!({ "do": "initialize" }))?;
    play.order(json!({ "do": "start" }))?;
    for guest in [STEVE, ALEX, BEDROCK] {
        join(&mut play, &guest)?;
    }
    let mut offered = |player: &str| play.order(json!({ "do": "offered", "player": player })).map(|list| texts(&list));
    let rows = [
        ("Steve", vec!["auk", "auk status"]),
        ("Alex", vec!["auk", "auk status", "auk reconnect", "auk send", "auk send <text>", "auk test", "auk help"]),
        (".Steve", vec!["auk", "auk status", "auk send", "auk send <text>", "auk test", "auk help"]),
    ];
    for (player, wanted) in rows {
        let list = offered(player)?;
        hold(list == wanted, || format!("{player} is offered {list:?}"))?;
    }
    let count = play.order(json!({ "do": "run", "player": "Steve", "line": "auk status" }))?;
    hold(count == 1, || "the permitted player may not run it".to_owned())?;
    let count = play.order(json!({ "do": "run", "player": "Alex", "line": "auk reload" }))?;
    hold(count == 0, || "the player who was refused it runs it".to_owned())?;
    play.order(json!({ "do": "stop" }))?;
    hold(play.events("unplayed").is_empty(), || play.seen())?;
    let code = play.end()?;
    hold(code == 0, || format!("the JVM ended with {code}"))
}

/// A run in which the mod has no adapter for the names of the game: the server starts and stops, and one line of the log says why Auk is
/// off.
pub(crate) fn without_auk(artifacts: &Artifacts, game: &Game, loader: &FabricLoader) -> Seen {
    let directory = tempfile::tempdir()?;
    let jar = ModJar::read(&artifacts.jar("auk-debug"), directory.path())?;
    let mut play = Play::start(artifacts, game, &jar, loader, brief(25), directory.path())?;
    for order in ["initialize", "start"] {
        play.order(json!({ "do": order }))?;
    }
    join(&mut play, &STEVE)?;
    play.order(json!({ "do": "chat", "player": "Steve", "text": "hello" }))?;
    let listened = play.order(json!({ "do": "listened to" }))?;
    hold(texts(&listened).is_empty(), || format!("listens to {listened}"))?;
    play.order(json!({ "do": "stop" }))?;
    let complaints = play.complaints();
    let [line] = complaints.as_slice() else { return Err(format!("{complaints:#?}").into()) };
    hold(line.contains("1.21.11+unobfuscated") && line.contains("official names"), || line.clone())?;
    let code = play.end()?;
    hold(code == 0, || format!("the JVM ended with {code}"))
}

fn brief(java: u32) -> Jvm {
    Jvm { java, mode: Mode::Brief }
}

fn join(play: &mut Play, guest: &Guest) -> Seen {
    let Guest { name, uuid, level, latency_ms } = guest;
    play.order(json!({ "do": "join", "player": name, "uuid": uuid, "level": level, "latency_ms": latency_ms }))?;
    Ok(())
}

/// Fails with `problem` where something does not hold.
pub(crate) fn hold(condition: bool, problem: impl FnOnce() -> String) -> Seen {
    if condition { Ok(()) } else { Err(problem().into()) }
}

fn has(event: &Value, text: &str) -> bool {
    event["text"].as_str().is_some_and(|own| own.contains(text))
}

/// An array of texts.
pub(crate) fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

/// What the game says of a death; it names the player as the team shows them.
fn death(name: &str, how: &str) -> Value {
    let shown = format!("[T] {name}");
    let by = json!({ "text": "Zombie", "key": "entity.minecraft.zombie" });
    json!({ "text": format!("{shown} was slain {how}"), "key": "death.attack.mob", "args": [{ "text": shown }, by] })
}

fn advancement(name: &str) -> Value {
    let shown = format!("[T] {name}");
    let title = json!({ "text": "Stone Age", "key": "advancements.story.mine_stone.title" });
    let brackets = json!({ "text": "[Stone Age]", "key": "chat.square_brackets", "args": [title] });
    let text = format!("{shown} has made the advancement [Stone Age]");
    json!({ "text": text, "key": "chat.type.advancement.task", "args": [{ "text": shown }, brackets] })
}
