//! A Minecraft player: a protocol client that is not ours, as a process.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::{Artifacts, Failure, Minestom, Process};

/// For a join, most of it for a busy machine.
const JOIN_LIMIT: Duration = Duration::from_secs(60);

/// A player on a server.
#[derive(Debug)]
pub struct Player {
    /// Its process; standard output has one JSON event a line.
    pub process: Process,
}

/// A line in the game's chat, as a player's client has it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatLine {
    /// The line without its colours.
    pub text: String,
    /// When the client had it, in ms of the machine's clock.
    pub seen_unix_ms: f64,
}

impl Player {
    /// Joins `server` under `name` and waits up to 60 s until the player stands in the world.
    ///
    /// # Errors
    ///
    /// When the client is missing, and [`Failure::Outside`] when it does not get in, at once if it says why.
    pub fn join(artifacts: &Artifacts, server: &Minestom, name: &str) -> Result<Self, Failure> {
        Self::join_with(artifacts, server, name, &[])
    }

    /// The same with a client that never sends the packet `withheld`, as if it were lost.
    ///
    /// # Errors
    ///
    /// As those of [`Player::join`].
    pub fn join_without(artifacts: &Artifacts, server: &Minestom, name: &str, withheld: &str) -> Result<Self, Failure> {
        Self::join_with(artifacts, server, name, &["--withhold", withheld])
    }

    fn join_with(artifacts: &Artifacts, server: &Minestom, name: &str, flags: &[&str]) -> Result<Self, Failure> {
        let dir = artifacts.player()?;
        let port = server.port.to_string();
        let mut command = Command::new("node");
        command.arg("player.mjs").current_dir(dir).args(["--port", &port, "--name", name, "--version", &server.minecraft]).args(flags);
        let mut process = Process::start(&format!("player {name}"), &mut command)?;
        match process.await_line("spawned", 0, JOIN_LIMIT, outcome) {
            Ok(Outcome::Spawned) => Ok(Self { process }),
            Ok(Outcome::Refused(line)) => Err(outside(&process, server, line)),
            Err(Failure::Interrupted) => Err(Failure::Interrupted),
            Err(failure) => Err(outside(&process, server, failure.to_string())),
        }
    }

    /// Writes `text` in the game's chat; with a slash before it, it is a command.
    ///
    /// # Errors
    ///
    /// When the client has gone.
    pub fn say(&mut self, text: &str) -> Result<(), Failure> {
        self.process.write_line(&json!({ "type": "say", "text": text }).to_string())
    }

    /// Waits for a chat line, from the `from`th event on, that holds `part`; answers it.
    ///
    /// # Errors
    ///
    /// When none comes within `limit`.
    pub fn await_chat(&mut self, part: &str, from: usize, limit: Duration) -> Result<ChatLine, Failure> {
        let found = self.process.stdout.wait(from, limit, |line| {
            let chat = event(line, "chat")?;
            let text = chat["text"].as_str().filter(|text| text.contains(part))?.to_owned();
            Some(ChatLine { text, seen_unix_ms: chat["seen_unix_ms"].as_f64()? })
        });
        let awaited = || format!("{}: a chat line with {part:?}", self.process.name());
        found.map(|(_, _, line)| line).ok_or_else(|| Failure::Late { awaited: awaited(), limit })
    }

    /// Every chat line so far.
    pub fn chat(&self) -> Vec<String> {
        let lines = self.process.stdout.since(0);
        lines.iter().filter_map(|line| Some(event(&line.text, "chat")?["text"].as_str()?.to_owned())).collect()
    }

    /// Waits until the server has offered commands of which `is_wanted` is true; they are the words that may follow `/`, and those that
    /// may follow these.
    ///
    /// # Errors
    ///
    /// When it does not within `limit`.
    pub fn await_commands(&mut self, limit: Duration, is_wanted: impl Fn(&[String]) -> bool) -> Result<Vec<String>, Failure> {
        let found = self.process.stdout.wait(0, limit, |line| {
            let names: Vec<String> = serde_json::from_value(event(line, "commands")?["names"].clone()).ok()?;
            is_wanted(&names).then_some(names)
        });
        let awaited = || format!("{}: the commands of the server", self.process.name());
        found.map(|(_, _, names)| names).ok_or_else(|| Failure::Late { awaited: awaited(), limit })
    }

    /// Leaves the server and waits for the client's end.
    ///
    /// # Errors
    ///
    /// When the client has gone already.
    pub fn quit(mut self) -> Result<(), Failure> {
        self.process.write_line(&json!({ "type": "quit" }).to_string())?;
        self.process.end_within(Duration::from_secs(5));
        Ok(())
    }
}

/// What a join comes to.
enum Outcome {
    Spawned,
    /// The client's own line about it.
    Refused(String),
}

fn outcome(line: &str) -> Option<Outcome> {
    if event(line, "spawned").is_some() {
        return Some(Outcome::Spawned);
    }
    let refused = ["kicked", "error", "end"].iter().any(|kind| event(line, kind).is_some());
    refused.then(|| Outcome::Refused(line.to_owned()))
}

fn outside(process: &Process, server: &Minestom, problem: String) -> Failure {
    // The server tells its status again and again; the last one is enough.
    let (client, server) = (last_words(process, 20), last_words(&server.process, 1));
    Failure::Outside { player: process.name().to_owned(), problem, client, server }
}

/// The last `events` lines of standard output, then those of standard error.
fn last_words(process: &Process, events: usize) -> String {
    [process.stdout.tail(events), process.stderr.tail(20)].concat().join("\n    ")
}

fn event(line: &str, kind: &str) -> Option<Value> {
    let event: Value = serde_json::from_str(line).ok()?;
    (event["type"] == kind).then_some(event)
}
