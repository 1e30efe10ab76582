//! The whole in motion: a platform with a group's page, a server with Auk in it, and a player.

use std::env;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use auk_end_to_end::{Artifacts, Control, Ending, Failure, Minestom, Output, Platform, Player, Process, Settings, Simulator, Stage};
use auk_end_to_end::{ServerOptions, interrupt, is_interrupted};
use serde_json::{Value, json};

use crate::problem::Problem;
use crate::{Workspace, check, natives, player, progress, shim, tool};

/// Everything has ended this long after Ctrl-C.
const END_LIMIT: Duration = Duration::from_secs(3);

/// A tick of 2 ms in place of the game's 50 ms. With 1 ms and a second player Minestom fills two cores, falls behind, and lets players
/// time out.
pub(crate) const CHECK_TICKS_PER_SECOND: u32 = 500;

/// How the demo is run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Go through a scripted round trip with real parts, print what both sides saw with times, and end
    #[arg(long)]
    check: bool,
    /// Port that players join at; a free one is taken when it is busy
    #[arg(long, default_value_t = 25565)]
    port: u16,
    /// Port of the group's page; 0 takes any
    #[arg(long, default_value_t = 0)]
    page_port: u16,
}

/// The running parts, in the order in which they end.
pub(crate) struct Parts {
    /// The player, until it leaves.
    pub(crate) player: Option<Player>,
    /// The server.
    pub(crate) server: Minestom,
    /// The simulated platform; none with the real one.
    pub(crate) simulator: Option<Simulator>,
    /// Where the built parts are, for further players.
    pub(crate) artifacts: Artifacts,
    /// The server's working directory; last, so that it goes when nobody writes there any more.
    _dir: WorkDir,
}

/// A directory of this process alone, removed when dropped. One that a killed process left behind stays.
struct WorkDir(PathBuf);

/// Builds what is missing, starts everything, and runs until Ctrl-C or, with `--check`, until the script's end. Ctrl-C is no failure, except of a
/// check that had not come to its end.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<(), Problem> {
    let aim = if options.check { Aim::Check } else { Aim::KeepRunning };
    let real = real_platform(|name| env::var(name).ok())?;
    if options.check && real.is_some() {
        return Err(Problem::Environment("--check talks to the simulator only: unset AUK_APP_ID and AUK_SECRET".to_owned()));
    }
    run_until(workspace, options, real, &aim)
}

/// Starts everything with the simulator, visits the page as a person would, and leaves a picture of it: in `docs/page.png`, or with `check`
/// where built things are. Fails when the page does not show what was said, or writes an error to its console.
pub(crate) fn picture(workspace: &Workspace, check: bool) -> Result<(), Problem> {
    let options = Options { check: false, port: 0, page_port: 0 };
    let folder = if check { workspace.artifacts() } else { workspace.root.join("docs") };
    let script = workspace.root.join("tests/end-to-end/page/visit.mjs");
    run_until(workspace, &options, None, &Aim::Picture { script, picture: folder.join("page.png") })
}

/// What everything is started for.
enum Aim {
    KeepRunning,
    Check,
    Picture {
        /// What the browser does.
        script: PathBuf,
        /// Where the picture goes.
        picture: PathBuf,
    },
}

fn run_until(workspace: &Workspace, options: &Options, real: Option<Settings>, aim: &Aim) -> Result<(), Problem> {
    ctrlc::set_handler(interrupt).map_err(|error| Problem::Environment(format!("Ctrl-C cannot be watched: {error}")))?;
    let keeps_running = matches!(aim, Aim::KeepRunning);
    let mut parts = match build(workspace).and_then(|artifacts| start(artifacts, options, real)) {
        Ok(parts) => parts,
        Err(_) if is_interrupted() && keeps_running => return Ok(()),
        Err(problem) => return Err(problem),
    };
    let result = play(&mut parts, aim);
    if result.is_err() && !is_interrupted() {
        let log = parts.server.process.stderr.tail(20).join("\n  ");
        eprintln!("the server's last lines:\n  {log}");
        let events = parts.player.as_ref().map_or(Vec::new(), |player| player.process.stdout.tail(5)).join("\n  ");
        eprintln!("the player's last events:\n  {events}");
    }
    parts.end();
    if is_interrupted() && keeps_running { Ok(()) } else { result }
}

fn build(workspace: &Workspace) -> Result<Artifacts, Problem> {
    let mut cargo = tool::cargo(workspace);
    cargo.args(["build", "--package", "auk-jni", "--package", "auk-simulator"]);
    progress::step("building the native library and the simulator", || tool::run_shown("cargo build", &mut cargo, "cargo"))?;
    natives::pack_debug(workspace)?;
    shim::build(workspace)?;
    player::install(workspace)?;
    Ok(workspace.parts())
}

/// The settings for the vendor's platform, when the environment names a bot; an empty variable is one that is not set.
fn real_platform(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Settings>, Problem> {
    let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let (app_id, secret) = match (variable("AUK_APP_ID"), variable("AUK_SECRET")) {
        (None, None) => return Ok(None),
        (Some(app_id), Some(secret)) => (app_id, secret),
        (Some(_), None) => return Err(Problem::Environment("AUK_APP_ID is set, but AUK_SECRET is not".to_owned())),
        (None, Some(_)) => return Err(Problem::Environment("AUK_SECRET is set, but AUK_APP_ID is not".to_owned())),
    };
    let named = variable("AUK_GROUPS").unwrap_or_default();
    let groups = named.split(',').map(str::trim).filter(|group| !group.is_empty()).map(str::to_owned).collect();
    Ok(Some(Settings { app_id, secret, platform: Platform::Real, groups }))
}

fn start(artifacts: Artifacts, options: &Options, real: Option<Settings>) -> Result<Parts, Problem> {
    let dir = WorkDir::create(&artifacts)?;
    let (simulator, settings) = match real {
        Some(settings) => {
            if settings.groups.is_empty() {
                progress::say("AUK_GROUPS is not set: mention the bot in a group, and it tells the group's openid to put there");
            }
            (None, settings)
        }
        None => {
            let port = options.page_port.to_string();
            let simulator = progress::step("starting the simulator", || Simulator::start(&artifacts, &["--port".to_owned(), port]))?;
            let settings = Stage::settings(&simulator.base);
            (Some(simulator), settings)
        }
    };
    settings.write(&dir.0)?;
    // The check measures Auk and not the tick, in which a line waits at either end; the demo is to be like any server.
    let ticks_per_second = if options.check { CHECK_TICKS_PER_SECOND } else { ServerOptions::default().ticks_per_second };
    let server_options = ServerOptions { port: free_port(options.port), ticks_per_second, ..ServerOptions::default() };
    let server = progress::step("starting the server", || Minestom::start(&artifacts, &dir.0, &server_options))?;
    Ok(Parts { player: None, server, simulator, artifacts, _dir: dir })
}

/// Waits until the bot is linked and a player stands in the world, then goes on to what was asked for.
fn play(parts: &mut Parts, aim: &Aim) -> Result<(), Problem> {
    if parts.simulator.is_some() {
        progress::step("linking the bot", || parts.server.await_ready(Duration::from_secs(20)))?;
    }
    let player = progress::step("letting a player join", || Player::join(&parts.artifacts, &parts.server, "Steve"))?;
    parts.player = Some(player);
    match aim {
        Aim::KeepRunning => keep_running(parts),
        Aim::Check => check::run(parts),
        Aim::Picture { script, picture } => visit_page(parts, script, picture),
    }
}

impl WorkDir {
    /// Makes it, empty: what an earlier process of this number left would be taken for settings.
    fn create(artifacts: &Artifacts) -> Result<Self, Problem> {
        let dir = artifacts.dir.join(format!("demo-{}", process::id()));
        if dir.exists() {
            fs::remove_dir_all(&dir).map_err(Problem::file(&dir))?;
        }
        fs::create_dir_all(&dir).map_err(Problem::file(&dir))?;
        Ok(Self(dir))
    }
}

impl Drop for WorkDir {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            progress::say(&format!("{} stays: {error}", self.0.display()));
        }
    }
}

fn free_port(wanted: u16) -> u16 {
    if wanted == 0 || TcpListener::bind((Ipv4Addr::LOCALHOST, wanted)).is_ok() {
        return wanted;
    }
    progress::say(&format!("port {wanted} is busy, so a free one is taken"));
    0
}

fn keep_running(parts: &mut Parts) -> Result<(), Problem> {
    let commands = match &parts.simulator {
        Some(simulator) => {
            println!("page: {}", simulator.page);
            attach_page(parts, &simulator.control)
        }
        None => {
            progress::say("the bot talks to the real platform, so there is no page: write in the group itself");
            show_log(&parts.server.process.stderr);
            channel().1
        }
    };
    println!("join: 127.0.0.1:{}, Minecraft {}", parts.server.port, parts.server.minecraft);
    progress::say("running; Ctrl-C ends it");
    while !is_interrupted() {
        obey(parts, &commands)?;
        if let Some(status) = parts.server.process.wait(Duration::ZERO) {
            return Err(ended("the server", &status.to_string()));
        }
        if let Some(status) = parts.simulator.as_mut().and_then(|simulator| simulator.process.wait(Duration::ZERO)) {
            return Err(ended("the simulator", &status.to_string()));
        }
        let left = parts.player.as_mut().is_some_and(|player| player.process.wait(Duration::ZERO).is_some());
        if left {
            parts.player = None;
            progress::say("the player has left; the server and the page go on");
        }
    }
    Ok(())
}

/// Lets a browser visit the page while everything runs.
fn visit_page(parts: &mut Parts, script: &Path, picture: &Path) -> Result<(), Problem> {
    let simulator = parts.simulator.as_ref().ok_or_else(|| Problem::Environment("a page needs the simulator".to_owned()))?;
    let commands = attach_page(parts, &simulator.control);
    let mut command = Command::new("node");
    command.arg(script).arg(&simulator.page).arg(picture);
    let mut browser = Process::start("browser", &mut command)?;
    while !is_interrupted() {
        obey(parts, &commands)?;
        match browser.wait(Duration::ZERO) {
            Some(status) if status.success() => {
                progress::say(&format!("{} is new", picture.display()));
                return Ok(());
            }
            Some(status) => {
                let output = format!(
                    ": {} (the browser is Debian's chromium-headless-shell, with fonts-wqy-microhei)",
                    browser.stderr.text().trim()
                );
                return Err(Problem::Command { what: "the visit of the page".to_owned(), status: status.to_string(), output });
            }
            None => {}
        }
    }
    Err(Failure::Interrupted.into())
}

/// Shows on the page what player and bot say, and takes what is typed there for the player, as long as there is one.
fn attach_page(parts: &Parts, control: &Control) -> Receiver<String> {
    let (typed, commands) = channel();
    relay(parts, control);
    let Some(player) = &parts.player else { return commands };
    let (control, events) = (control.clone(), player.process.stdout.clone());
    thread::spawn(move || {
        control.follow_game_commands(|line| (line.is_empty() || typed.send(line.to_owned()).is_ok()) && !events.has_ended())
    });
    commands
}

/// Hands what was typed on the page to the player.
fn obey(parts: &mut Parts, commands: &Receiver<String>) -> Result<(), Problem> {
    const PAUSE: Duration = Duration::from_millis(50);
    match commands.recv_timeout(PAUSE) {
        Ok(line) => match &mut parts.player {
            Some(player) => player.process.write_line(&line)?,
            None => progress::say("a line for the player came after the player had left"),
        },
        Err(RecvTimeoutError::Timeout) => {}
        Err(RecvTimeoutError::Disconnected) => thread::sleep(PAUSE),
    }
    Ok(())
}

/// Shows on the page what the player's client says, and the bot's condition.
fn relay(parts: &Parts, control: &Control) {
    if let Some(player) = &parts.player {
        let control = control.clone();
        follow(&player.process.stdout, move |event| game_event(&event).is_none_or(|event| control.show_game_event(&event).is_ok()));
    }
    let control = control.clone();
    follow(&parts.server.process.stdout, move |mut line| line["type"] != "status" || control.show_status(&line["status"].take()).is_ok());
}

/// What the page is to show for an event of the player's client; none for what it says about itself.
fn game_event(event: &Value) -> Option<Value> {
    let text = event["text"].as_str()?;
    if event["type"] != "chat" {
        return Some(json!({ "type": "system", "player": null, "text": text }));
    }
    let (kind, player) = [("join", " joined the game"), ("leave", " left the game")]
        .into_iter()
        .find_map(|(kind, words)| Some((kind, text.strip_suffix(words)?)))
        .or_else(|| Some(("chat", text.strip_prefix('<')?.split_once("> ")?.0)))
        .map_or(("system", None), |(kind, player)| (kind, Some(player)));
    let said = if kind == "chat" { text.split_once("> ").map_or(text, |(_, said)| said) } else { text };
    Some(json!({ "type": kind, "player": player, "text": said }))
}

/// Hands every JSON line to `show`, until the stream ends or `show` fails.
fn follow(output: &Output, show: impl Fn(Value) -> bool + Send + 'static) {
    let output = output.clone();
    thread::spawn(move || {
        let mut next = 0;
        while !output.is_over(next) && !is_interrupted() {
            let Some((index, _, value)) = output.wait(next, Duration::from_secs(1), |line| serde_json::from_str::<Value>(line).ok()) else {
                continue;
            };
            if !show(value) {
                return;
            }
            next = index + 1;
        }
    });
}

fn show_log(output: &Output) {
    let output = output.clone();
    thread::spawn(move || {
        let mut next = 0;
        while !output.is_over(next) && !is_interrupted() {
            for line in output.since(next) {
                eprintln!("{}", line.text);
                next += 1;
            }
            output.wait(next, Duration::from_secs(1), |_| Some(()));
        }
    });
}

fn ended(process: &str, status: &str) -> Problem {
    Problem::Part(Failure::Ended { process: process.to_owned(), status: status.to_owned(), awaited: "Ctrl-C".to_owned() })
}

impl Parts {
    /// Ends everything in order within [`END_LIMIT`]: the player first, then the server, whose bridge still finds its platform, then that.
    pub(crate) fn end(mut self) {
        let begun = Instant::now();
        let left = |reserve: u64| (END_LIMIT - Duration::from_millis(reserve)).saturating_sub(begun.elapsed());
        if let Some(player) = &mut self.player {
            end_one(&mut player.process, Duration::from_millis(700));
        }
        end_one(&mut self.server.process, left(300));
        if let Some(simulator) = &mut self.simulator {
            end_one(&mut simulator.process, left(0));
        }
        progress::say(&format!("everything ended within {:.2} s", begun.elapsed().as_secs_f64()));
    }
}

fn end_one(process: &mut Process, limit: Duration) {
    let ending = process.stop(limit);
    match ending {
        Ending::Itself(_, time) => progress::say(&format!("{} ended after {:.2} s", process.name(), time.as_secs_f64())),
        Ending::Killed => progress::say(&format!("{} did not end in time and was killed", process.name())),
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process};

    use auk_end_to_end::Artifacts;
    use serde_json::json;

    use super::{WorkDir, game_event, real_platform};

    #[test]
    fn the_working_directory_is_this_process_s_own_empty_at_first_and_gone_in_the_end() {
        let target = env::temp_dir().join(format!("auk-xtask-test-{}", process::id()));
        let artifacts = Artifacts::below(&target);
        let path = artifacts.dir.join(format!("demo-{}", process::id()));
        fs::create_dir_all(path.join("left over")).unwrap();
        let dir = WorkDir::create(&artifacts).unwrap();
        assert_eq!((&dir.0, fs::read_dir(&path).unwrap().count()), (&path, 0));
        drop(dir);
        assert!(!path.exists());
        fs::remove_dir_all(target).unwrap();
    }

    #[test]
    fn the_page_is_told_who_spoke_came_and_went() {
        let shown = |kind: &str, text: &str| game_event(&json!({ "type": kind, "text": text }));
        let event = |kind: &str, player: Option<&str>, text: &str| Some(json!({ "type": kind, "player": player, "text": text }));
        assert_eq!(shown("chat", "<Steve> 1 > 0"), event("chat", Some("Steve"), "1 > 0"));
        assert_eq!(shown("chat", "Steve joined the game"), event("join", Some("Steve"), "Steve joined the game"));
        assert_eq!(shown("chat", "Steve left the game"), event("leave", Some("Steve"), "Steve left the game"));
        assert_eq!(shown("chat", "[QQ] 小明: 你好"), event("system", None, "[QQ] 小明: 你好"));
        assert_eq!(shown("kicked", "full"), event("system", None, "full"));
        assert_eq!(game_event(&json!({ "type": "spawned" })), None);
    }

    #[test]
    fn the_real_platform_is_taken_with_an_id_and_a_secret_and_needs_no_group() {
        let with = |pairs: &'static [(&str, &str)]| {
            real_platform(move |name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        };
        assert!(with(&[]).unwrap().is_none());
        assert!(with(&[("AUK_APP_ID", "1")]).is_err());
        assert!(with(&[("AUK_SECRET", "s")]).is_err());
        assert!(with(&[("AUK_APP_ID", "1"), ("AUK_SECRET", "")]).is_err());
        assert!(with(&[("AUK_APP_ID", ""), ("AUK_SECRET", " "), ("AUK_GROUPS", "")]).unwrap().is_none());
        let settings = with(&[("AUK_APP_ID", "1"), ("AUK_SECRET", "s")]).unwrap().unwrap();
        assert_eq!(settings.groups, [""; 0]);
        let settings = with(&[("AUK_APP_ID", "1"), ("AUK_SECRET", "s"), ("AUK_GROUPS", "")]).unwrap().unwrap();
        assert_eq!(settings.groups, [""; 0]);
        let settings = with(&[("AUK_APP_ID", "1"), ("AUK_SECRET", "s"), ("AUK_GROUPS", "A, B")]).unwrap().unwrap();
        assert_eq!(settings.groups, ["A", "B"]);
    }
}
