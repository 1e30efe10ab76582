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
            let Span { ms, processor_ms } = Span::middle(&spans);
            println!("start/{version} on java {java}: {ms:.1} ms {kind}, in {processor_ms:.1} ms of processor time");
        }
        let mut held: BTreeMap<String, Vec<Span>> = BTreeMap::new();
        for _ in 0..TIMES {
            for (kind, longest) in server.hold(warm.path())? {
                held.entry(kind).or_default().push(longest);
            }
        }
        for (kind, spans) in held {
            let (middle, most) = (Span::middle(&spans), Span::most(&spans));
            println!(
                "start/{version} on java {java}: {kind} held the server thread for {:.2} ms, {:.2} ms at most; {:.2} and {:.2} ms of processor \
                 time",
                middle.ms, most.ms, middle.processor_ms, most.processor_ms
            );
        }
    }
    Ok(())
}

/// A time by the clock and by the processor time of a thread or of the JVM: a collector of garbage, or a compiler that needs the processor,
/// makes the first longer.
struct Span {
    ms: f64,
    processor_ms: f64,
}

impl Span {
    fn read(span: &Value) -> Option<Self> {
        let ms = |field: &str| span[field].as_u64().map(|ns| ns as f64 / 1e6);
        Some(Self { ms: ms("ns")?, processor_ms: ms("processorNs")? })
    }

    /// The middle one of each kind of time.
    fn middle(spans: &[Self]) -> Self {
        Self::pick(spans, |sorted| sorted.len() / 2)
    }

    /// The longest of each kind of time.
    fn most(spans: &[Self]) -> Self {
        Self::pick(spans, |sorted| sorted.len() - 1)
    }

    fn pick(spans: &[Self], place: fn(&[f64]) -> usize) -> Self {
        let of = |time: fn(&Self) -> f64| {
            let mut sorted: Vec<f64> = spans.iter().map(time).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            sorted[place(&sorted)]
        };
        Self { ms: of(|span| span.ms), processor_ms: of(|span| span.processor_ms) }
    }
}

struct Server<'a> {
    artifacts: &'a Artifacts,
    game: &'a Game,
    jar: &'a Path,
    java: u32,
}

impl Server<'_> {
    /// Starts at once after the mods, as no game can. Answers the time until the bridge was open.
    fn start(&self, directory: &Path) -> Result<Span, Failure> {
        let (_simulator, mut play) = self.initialize(directory)?;
        play.order(json!({ "do": "start" }))?;
        let opened = play.order(json!({ "do": "opened" }))?;
        play.order(json!({ "do": "stop" }))?;
        play.end()?;
        Span::read(&opened).ok_or_else(|| Failure::Order {
            order: "opened".to_owned(),
            what: "it answers no time".to_owned(),
            seen: opened.to_string(),
        })
    }

    /// One life, begun as late after the mods as a game begins it. Answers the longest that the mod held the server's thread for each kind of
    /// work, the first of its kind among them.
    fn hold(&self, directory: &Path) -> Result<BTreeMap<String, Span>, Failure> {
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
        Ok(longest.as_object().into_iter().flatten().filter_map(|(kind, span)| Some((kind.clone(), Span::read(span)?))).collect())
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
