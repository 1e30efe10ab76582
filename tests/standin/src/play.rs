//! A JVM in which the program plays one version of the game for the mod.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use auk_end_to_end::{Artifacts, Ending, Process, find_jdk};
use auk_linkage::Scheme;
use serde_json::{Map, Value, json};

use crate::{FabricLoader, Failure, Game, ModJar};

/// For what a program does at once; most of it for a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

/// A Java virtual machine to play in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jvm {
    /// The version of Java.
    pub java: u32,
    /// What it is started for.
    pub mode: Mode,
}

/// What a JVM is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// To be done soon: with the quick compiler alone.
    Brief,
    /// To measure: as a server runs.
    Measured,
}

/// A game under way.
#[derive(Debug)]
pub struct Play {
    process: Process,
    orders: u64,
}

impl Play {
    /// Starts a JVM with `game`, `jar` and what `loader` chose of it, in `directory`.
    ///
    /// # Errors
    ///
    /// When the loader refuses, a part is missing, or the program does not start.
    pub fn start(
        artifacts: &Artifacts,
        game: &Game,
        jar: &ModJar,
        loader: &FabricLoader,
        jvm: Jvm,
        directory: &Path,
    ) -> Result<Self, Failure> {
        let file = directory.join("description.json");
        let description = description(artifacts, game, jar, loader, directory)?;
        fs::write(&file, description.to_string()).map_err(Failure::file(&file))?;
        let mut command = find_jdk(jvm.java)?.java();
        match jvm.mode {
            Mode::Brief => command.arg("-XX:TieredStopAtLevel=1"),
            Mode::Measured => &mut command,
        };
        command.args(["-Xmx192m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"]);
        command.args(["-Dauk.language=en", "-Dorg.slf4j.simpleLogger.showThreadName=false", "-Dorg.slf4j.simpleLogger.logFile=System.err"]);
        command.arg("-cp").arg(artifacts.class_path(&["auk-standin"], "test")?).arg("dev.auk.game.StandIn").arg(&file);
        command.current_dir(directory);
        let mut process = Process::start(&format!("Minecraft {} on Java {}", game.version, jvm.java), &mut command)?;
        process.await_line("its start", 0, LIMIT, |line| event(line, "ready").map(drop))?;
        Ok(Self { process, orders: 0 })
    }

    /// Gives an order, an object with its name under `do`, and waits until it is obeyed. Answers what the program answered.
    ///
    /// # Errors
    ///
    /// When the program fails at it or is gone; with all that was seen.
    pub fn order(&mut self, mut order: Value) -> Result<Value, Failure> {
        self.orders += 1;
        let id = self.orders;
        order["id"] = id.into();
        let from = self.process.stdout.count();
        self.process.write_line(&order.to_string())?;
        let mut done =
            self.process.await_line(&order.to_string(), from, LIMIT, |line| event(line, "done").filter(|done| done["id"] == id))?;
        match done["failure"].as_str() {
            Some(failure) => Err(self.disobeyed(&order, failure)),
            None => Ok(done["answer"].take()),
        }
    }

    /// Waits for an event of this kind of which `is` says that it is the one, among all that were seen.
    ///
    /// # Errors
    ///
    /// When there is none in time.
    pub fn await_event(&mut self, kind: &str, is: impl Fn(&Value) -> bool) -> Result<Value, Failure> {
        let found = self.process.stdout.wait(0, LIMIT, |line| event(line, kind).filter(|event| is(event)));
        found.map(|(_, _, event)| event).ok_or_else(|| self.disobeyed(&json!(kind), "it was never seen"))
    }

    /// All events of this kind so far.
    pub fn events(&self, kind: &str) -> Vec<Value> {
        self.process.stdout.since(0).iter().filter_map(|line| event(&line.text, kind)).collect()
    }

    /// What players' clients showed so far: the player, and the text.
    pub fn shown(&self) -> Vec<(String, String)> {
        let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
        self.events("client").iter().map(|event| (text(event, "player"), text(event, "text"))).collect()
    }

    /// The warnings and errors in the server's log so far, and what else was written to standard error.
    pub fn complaints(&self) -> Vec<String> {
        let lines = self.events("log").into_iter().filter_map(|event| event["line"].as_str().map(str::to_owned));
        lines.filter(|line| !["INFO ", "DEBUG ", "TRACE "].iter().any(|level| line.starts_with(level))).collect()
    }

    /// All that the program said.
    pub fn seen(&self) -> String {
        self.process.stdout.text()
    }

    /// Ends the orders, upon which the JVM is to end by itself. Answers its exit code.
    ///
    /// # Errors
    ///
    /// When it does not within 10 s.
    pub fn end(mut self) -> Result<i32, Failure> {
        self.process.close_stdin();
        match self.process.end_within(Duration::from_secs(10)) {
            Ending::Itself(status, _) => Ok(status.code().unwrap_or(-1)),
            Ending::Killed => Err(self.disobeyed(&json!("end"), "the JVM had to be killed")),
        }
    }

    fn disobeyed(&self, order: &Value, what: &str) -> Failure {
        Failure::Order { order: order.to_string(), what: what.to_owned(), seen: self.seen() }
    }
}

fn event(line: &str, kind: &str) -> Option<Value> {
    serde_json::from_str::<Value>(line).ok().filter(|event| event["event"] == kind)
}

fn description(artifacts: &Artifacts, game: &Game, jar: &ModJar, loader: &FabricLoader, directory: &Path) -> Result<Value, Failure> {
    let chosen = loader.choose(jar).map_err(|refusal| Failure::Jar { path: jar.path.clone(), what: refusal.to_string() })?;
    let nested: Vec<_> = chosen.iter().map(|place| &jar.nested[*place]).collect();
    let mut mods: Map<String, Value> = loader.versions().iter().map(|(id, version)| (id.clone(), version.to_string().into())).collect();
    let mut entry_points: Map<String, Value> = Map::new();
    let mut mod_jars: Map<String, Value> = Map::new();
    for (one, file) in std::iter::once((&jar.outer, &jar.path)).chain(nested.iter().map(|(nested, file)| (nested, file))) {
        mod_jars.insert(one.id.clone(), json!(file));
        mods.insert(one.id.clone(), one.version.clone().into());
        for (kind, classes) in &one.entry_points {
            entry_points.insert(kind.clone(), json!(classes));
        }
    }
    let namespace = match game.version.scheme() {
        Scheme::Intermediary => "intermediary",
        Scheme::Official => "official",
    };
    Ok(json!({
        "minecraft": mods["minecraft"],
        "namespace": namespace,
        "libraries": jars(&artifacts.dir.join("jars").join("game"))?,
        "game": game.classes,
        "jars": mod_jars,
        "mods": mods,
        "entry_points": entry_points,
        "directory": directory,
    }))
}

fn jars(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut jars = Vec::new();
    for entry in fs::read_dir(directory).map_err(Failure::file(directory))? {
        let path = entry.map_err(Failure::file(directory))?.path();
        if path.extension().is_some_and(|extension| extension == "jar") {
            jars.push(path);
        }
    }
    jars.sort();
    Ok(jars)
}
