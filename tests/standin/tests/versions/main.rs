//! The shipped jar in every version of Minecraft: everything that it does there, between a generated game and the simulated platform.

mod course;
mod port;

use std::collections::VecDeque;
use std::sync::Mutex;
use std::thread;

use auk_end_to_end::Artifacts;
use auk_linkage::{Loader, LoaderVersion, Version, normalize, versions};
use auk_standin::{FabricLoader, Game, ModJar, Outcome, make, write};

use course::{Course, Seen};

/// JVMs at one time: as many as keep two processors busy.
const SIDE_BY_SIDE: usize = 3;

#[test]
fn in_every_version_the_jar_carries_all_between_the_game_and_the_group() {
    let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
    let games = make(&artifacts, versions()).unwrap_or_else(|failure| panic!("{failure}"));
    let runs: Vec<(Version, u32)> = versions().flat_map(|version| javas(version).into_iter().map(move |java| (version, java))).collect();
    let queue = Mutex::new(VecDeque::from(runs));
    let outcomes = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while let Some((version, java)) = next(&queue) {
                    let outcome = play(&artifacts, &games[&version], java);
                    outcomes.lock().expect("no worker panics").push((version, java, outcome));
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().expect("no worker panics");
    outcomes.sort_by_key(|(version, java, _)| (*version, *java));
    let rows: Vec<Outcome> = outcomes.iter().map(|(_, _, (outcome, _))| outcome.clone()).collect();
    write(&artifacts, &rows).unwrap_or_else(|failure| panic!("{failure}"));
    let broken: Vec<String> = outcomes.into_iter().flat_map(|(.., (_, broken))| broken).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
    assert!(rows.iter().all(|row| row.checks.iter().all(|(_, held)| *held)), "{rows:#?}");
}

#[test]
fn no_class_of_the_mod_keeps_the_servers_thread_waiting() {
    // Both sides of each switch between versions.
    in_each(["1.20.1", "1.20.4", "1.21.11", "26.2"], |artifacts, game, java| {
        let directory = tempfile::tempdir()?;
        let jar = ModJar::read(&artifacts.jar("auk-debug"), directory.path())?;
        Course::start(artifacts, game, &jar, &loader(game, java), java, directory.path())?.run_loaded_ahead()
    });
}

#[test]
fn a_permissions_mod_has_the_word_and_levels_count_where_it_has_none() {
    // One of each way in which the game says who may do what, and the newest.
    in_each(["1.20.1", "1.21.10", "1.21.11", "26.2"], course::permissions_mod);
}

#[test]
fn a_game_with_names_that_its_adapter_is_not_for_runs_without_auk_and_the_log_says_so_once() {
    let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
    // The version says intermediary names to the loader, and the game has official ones.
    let names = "26.1".parse().expect("the table has it");
    let games = make(&artifacts, [names]).unwrap_or_else(|failure| panic!("{failure}"));
    let minecraft = normalize("1.21.11_unobfuscated", Loader::Current).expect("the form is known");
    course::without_auk(&artifacts, &games[&names], &FabricLoader::with(minecraft, 25)).unwrap_or_else(|broken| panic!("{broken}"));
}

/// Plays each of the versions with these names by `run`, which gets the game and the oldest Java to run it on.
#[track_caller]
fn in_each<const N: usize>(names: [&str; N], run: impl Fn(&Artifacts, &Game, u32) -> Seen) {
    let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
    let chosen = names.map(|name| name.parse().expect("the table has it"));
    let games = make(&artifacts, chosen).unwrap_or_else(|failure| panic!("{failure}"));
    for (version, game) in games {
        run(&artifacts, &game, javas(version)[0]).unwrap_or_else(|broken| panic!("{version}: {broken}"));
    }
}

/// The versions of Java for a run each, of those that are tested with. Minecraft needs 17 up to 1.20.4, 21 from 1.20.5 on, and 25 from 26.1
/// on; with a newer one it runs as well, which two of the old ones show.
fn javas(version: Version) -> Vec<u32> {
    match version.name() {
        "1.20.1" | "1.20.4" => vec![17, 25],
        "1.20.2" | "1.20.3" => vec![17],
        _ => vec![25],
    }
}

fn next(queue: &Mutex<VecDeque<(Version, u32)>>) -> Option<(Version, u32)> {
    queue.lock().expect("no worker panics").pop_front()
}

fn play(artifacts: &Artifacts, game: &Game, java: u32) -> (Outcome, Option<String>) {
    let directory = tempfile::tempdir().expect("there is a temporary directory");
    let mut outcome = Outcome {
        minecraft: game.version.name().to_owned(),
        java,
        adapter: String::new(),
        events: Vec::new(),
        checks: course::CHECKS.iter().map(|name| (*name, false)).collect(),
    };
    let result = (|| {
        let jar = ModJar::read(&artifacts.jar("auk-debug"), directory.path())?;
        let loader = loader(game, java);
        let chosen = loader.choose(&jar)?;
        outcome.adapter = chosen.iter().map(|place| file_name(&jar, *place)).collect::<Vec<_>>().join(" ");
        Course::start(artifacts, game, &jar, &loader, java, directory.path())?.run(&mut outcome)
    })();
    let broken = result.err().map(|broken: Box<dyn std::error::Error>| format!("Minecraft {} on Java {java}: {broken}", game.version));
    (outcome, broken)
}

fn loader(game: &Game, java: u32) -> FabricLoader {
    FabricLoader::with(LoaderVersion::read(game.version.name()), java)
}

fn file_name(jar: &ModJar, place: usize) -> String {
    jar.nested[place].1.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
