//! What the native part costs a JVM that does nothing: memory once it is linked, and processor time while idle.
//!
//! The library is the one that `AUK_NATIVE` names. For figures that mean something, let it be what `cargo xtask bench` builds.

use std::time::Duration;

use auk_end_to_end::{Artifacts, Simulator, Stage};
use auk_jvm::{Library, Mode, Program};

/// Long enough for one heartbeat at least to fall into it.
const IDLE_S: &str = "50";

fn main() {
    let directory = tempfile::tempdir().expect("there is a temporary directory");
    let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
    let simulator = Simulator::start(&artifacts, &[]).unwrap_or_else(|failure| panic!("{failure}"));
    Stage::settings(&simulator.base).write(directory.path()).unwrap_or_else(|failure| panic!("{failure}"));
    let settings = directory.path().join("config/auk");
    for java in auk_jvm::JAVA_VERSIONS {
        let program = Program { mode: Mode::Measured, ..Program::checked("Footprint", java, Library::Built, &settings) };
        let run = program.run(&[IDLE_S], Duration::from_secs(90));
        assert_eq!(run.code, Some(0), "{run}");
        let figure = |name: &str| {
            let line = run.stdout.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.and_then(|number| number.parse::<f64>().ok()).unwrap_or_else(|| panic!("no {name}\n{run}"))
        };
        println!(
            "footprint/java {java}: {:.1} MiB once linked, {:.1} MiB after {IDLE_S} s idle, {:.0} ms of processor time in these",
            figure("resident_kib") / 1024.0,
            figure("resident_idle_kib") / 1024.0,
            figure("idle_ticks") * 10.0,
        );
    }
}
