//! What a start costs the game: from the mod's initializer to the bridge being open, and the longest that anything held the server's
//! thread.
//!
//! A cold start unpacks the native library, a warm one finds it unpacked; the JVM is new each time, so that the mod waits for whatever of
//! Java and the game's libraries nobody has used before. The jar is the one that `AUK_JAR` names, or the tests' own, whose library is not as
//! it is shipped.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use auk_end_to_end::{Artifacts, Simulator, Stage};
use auk_linkage::LoaderVersion;
use auk_standin::{FabricLoader, Failure, Game, Jvm, ModJar, Mode, Play, make};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How often each is done; the middle one is printed.
const TIMES: usize = 11;

/// A version of each kind of names, with the Java that it needs.
const VERSIONS: [(&str, u32); 2] = [("1.20.4", 17), ("26.2", 25)];

fn main() {
    run().unwrap_or_else(|failure| panic!("{failure}"));
}

fn run() -> Result<(), Failure> {
    let artifacts = Artifacts::find()?;
    let jar = env::var_os("AUK_JAR").map_or_else(|| artifacts.jar("auk-debug"), PathBuf::from);
    let chosen = VERSIONS.map(|(name, java)| (name.parse().expect("the table has it"), java));
    let games = make(&artifacts, chosen.map(|(version, _)| version))?;
    for (version, java) in chosen {
        let server = Server { artifacts: &artifacts, game: &games[&version], jar: &jar, java };
        let cold = (0..TIMES).map(|_| server.start(directory()?.path())).collect::<Result<Vec<_>, _>>()?;
        let warm = directory()?;
        // The first run unpacks for the others.
        server.start(warm.path())?;
        let warm_starts = (0..TIMES).map(|_| server.start(warm.path())).collect::<Result<Vec<_>, _>>()?;
        for (kind, spans) in [("cold", cold), ("warm", warm_starts)] {
            let (ns, processor_ns): (Vec<u64>, Vec<u64>) =
                spans.into_iter().map(|(us, processor_us)| (us * 1_000, processor_us * 1_000)).unzip();
            let (ms, processor_ms) = (middle_ms(ns), middle_ms(processor_ns));
            println!("start/{version} on java {java}: {ms:.1} ms {kind}, in {processor_ms:.1} ms of processor time");
        }
        let mut held: BTreeMap<String, Vec<Held>> = BTreeMap::new();
        for _ in 0..TIMES {
            for (kind, longest) in server.hold(warm.path())? {
                held.entry(kind).or_default().push(longest);
            }
        }
        for (kind, held) in held {
            let (ns, processor_ns): (Vec<u64>, Vec<u64>) = held.iter().map(|held| (held.ns, held.processor_ns)).unzip();
            let (most_ms, most_processor_ms) = (largest_ms(&ns), largest_ms(&processor_ns));
            let (ms, processor_ms) = (middle_ms(ns), middle_ms(processor_ns));
            println!(
                "start/{version} on java {java}: {kind} held the server thread for {ms:.2} ms, {most_ms:.2} ms at most; {processor_ms:.2} \
                 and {most_processor_ms:.2} ms of processor time"
            );
        }
    }
    Ok(())
}

/// The longest that the mod held the server's thread in one life, by the clock and by the thread's processor time: a collector of garbage,
/// or a compiler that needs the processor, makes the first longer.
struct Held {
    ns: u64,
    processor_ns: u64,
}

struct Server<'a> {
    artifacts: &'a Artifacts,
    game: &'a Game,
    jar: &'a Path,
    java: u32,
}

impl Server<'_> {
    /// Starts at once after the mods, as no game can. Answers the microseconds until the bridge was open, by the clock and by the JVM's
    /// processor time.
    fn start(&self, directory: &Path) -> Result<(u64, u64), Failure> {
        let (_simulator, mut play) = self.initialize(directory)?;
        play.order(json!({ "do": "start" }))?;
        let opened = play.order(json!({ "do": "opened" }))?;
        play.order(json!({ "do": "stop" }))?;
        play.end()?;
        let span = || Some((opened["us"].as_u64()?, opened["processorUs"].as_u64()?));
        span().ok_or_else(|| Failure::Order { order: "opened".to_owned(), what: "it answers no time".to_owned(), seen: opened.to_string() })
    }

    /// One life, begun as late after the mods as a game begins it. Answers the longest that the mod held the server's thread for each kind of
    /// work, the first of its kind among them.
    fn hold(&self, directory: &Path) -> Result<BTreeMap<String, Held>, Failure> {
        let (_simulator, mut play) = self.initialize(directory)?;
        play.order(json!({ "do": "settle" }))?;
        play.order(json!({ "do": "start" }))?;
        play.order(json!({ "do": "opened" }))?;
        play.order(
            json!({ "do": "join", "player": "Steve", "uuid": "069a79f4-44e9-4726-a5be-fca90e38aaf5", "level": 4, "latency_ms": 1 }),
        )?;
        for number in 0..20 {
            play.order(json!({ "do": "chat", "player": "Steve", "text": format!("line {number}") }))?;
            play.order(
                json!({ "do": "message", "text": { "text": "Steve drowned", "key": "death.attack.drown", "args": [{ "text": "Steve" }] } }),
            )?;
            play.order(json!({ "do": "run", "player": "Steve", "line": "auk status" }))?;
        }
        let longest = play.order(json!({ "do": "stop" }))?;
        play.end()?;
        let held = |share: &Value| Some(Held { ns: share["ns"].as_u64()?, processor_ns: share["processorNs"].as_u64()? });
        Ok(longest.as_object().into_iter().flatten().filter_map(|(kind, share)| Some((kind.clone(), held(share)?))).collect())
    }

    fn initialize(&self, directory: &Path) -> Result<(Simulator, Play), Failure> {
        let simulator = Simulator::start(self.artifacts, &[])?;
        Stage::settings(&simulator.base).write(directory)?;
        let jar = ModJar::read(self.jar, directory)?;
        let loader = FabricLoader::with(LoaderVersion::read(self.game.version.name()), self.java);
        let jvm = Jvm { java: self.java, mode: Mode::Measured };
        let mut play = Play::start(self.artifacts, self.game, &jar, &loader, jvm, directory)?;
        play.order(json!({ "do": "initialize" }))?;
        Ok((simulator, play))
    }
}

fn directory() -> Result<TempDir, Failure> {
    tempfile::tempdir().map_err(|source| Failure::File { path: env::temp_dir(), source })
}

fn middle_ms(mut ns: Vec<u64>) -> f64 {
    ns.sort_unstable();
    ns[ns.len() / 2] as f64 / 1e6
}

fn largest_ms(ns: &[u64]) -> f64 {
    ns.iter().max().copied().unwrap_or_default() as f64 / 1e6
}
