//! Whether a library works on the system that it is for: each that can be loaded here is loaded by a Java of that system, or a program
//! where there is no such Java, which goes through a whole life against the simulator.

use std::fs;
use std::time::Duration;

use auk_end_to_end::{Failure, Process, Simulator, Stage};

use crate::archive::Archive;
use crate::catalog::NativeTarget;
use crate::problem::Problem;
use crate::runner::{Runner, Runners};
use crate::{Workspace, musl, natives, progress, shim, tool};

/// An emulated Java on a busy machine takes long to start, and as long again until its first handshake.
const LIMIT: Duration = Duration::from_secs(300);

/// What the program adds to its line: letters that encodings break on.
const DIFFICULT: &str = "海雀 😀";

/// What came of one library in one program.
enum Outcome {
    Verified,
    /// No program here can load it, and this is what its file was held to.
    Inspected(String),
    /// It could not be tried here, for this reason.
    NotVerified(String),
    /// It was tried, and does not work.
    Failed(String),
}

/// Loads the libraries of `targets`, which were built before, and prints a line for each try. Fails when one does not work; what could not be
/// tried is said aloud, and is no failure.
pub(crate) fn run(workspace: &Workspace, targets: &[NativeTarget]) -> Result<(), Problem> {
    let dir = workspace.artifacts().join("verify");
    fs::create_dir_all(&dir).map_err(Problem::file(&dir))?;
    let jar = dir.join("natives.jar");
    let entries = natives::entries(workspace, targets)?;
    entries.into_iter().fold(Archive::default(), |archive, (path, bytes)| archive.entry(&path, bytes)).write(&jar)?;
    let mut simulator = tool::cargo(workspace);
    simulator.args(["build", "--package", "auk-simulator"]);
    progress::step("building the simulator", || tool::run_shown("cargo build", &mut simulator, "cargo"))?;
    shim::build(workspace)?;
    let runners = Runners::new(workspace, dir, jar)?;
    let mut rows = Vec::new();
    for target in targets {
        rows.extend(verify(&runners, target)?);
    }
    report(&rows)
}

fn report(rows: &[(String, Outcome)]) -> Result<(), Problem> {
    for (what, outcome) in rows {
        match outcome {
            Outcome::Verified => println!("{what:<41} verified: opened, linked, a line posted, closed"),
            Outcome::Inspected(what_of_it) => println!("{what:<41} inspected: {what_of_it}; NOT RUN"),
            Outcome::NotVerified(reason) => println!("{what:<41} NOT VERIFIED: {reason}"),
            Outcome::Failed(reason) => println!("{what:<41} FAILED: {reason}"),
        }
    }
    let failed: Vec<&str> =
        rows.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Failed(_))).map(|(what, _)| what.as_str()).collect();
    if failed.is_empty() { Ok(()) } else { Err(Problem::Environment(format!("these do not work: {}", failed.join(", ")))) }
}

fn verify(runners: &Runners<'_>, target: &NativeTarget) -> Result<Vec<(String, Outcome)>, Problem> {
    let name = target.name();
    if target.os == "macos" {
        return Ok(vec![(name, Outcome::Inspected(natives::inspect(runners.workspace, target)?.description()))]);
    }
    let mut rows = Vec::new();
    for runner in progress::step(&format!("preparing to load {name}"), || fitting(runners, target))? {
        rows.push(match runner {
            Err(reason) => (name.clone(), Outcome::NotVerified(reason)),
            Ok(runner) => {
                let what = format!("{name}, {}", runner.name);
                let outcome = progress::step(&format!("loading {what}"), || live(runners, &what, runner))?;
                (what, outcome)
            }
        });
    }
    Ok(rows)
}

/// What can load a library of `target` here. It may have to be fetched or compiled first.
fn fitting(runners: &Runners<'_>, target: &NativeTarget) -> Result<Vec<Result<Runner, String>>, Problem> {
    if target.name() == NativeTarget::host(runners.workspace)?.name() {
        return Ok([17, 25].map(|major| runners.of_host(major)).into());
    }
    Ok(vec![match (target.os.as_str(), target.arch.as_str(), target.libc.as_str()) {
        ("linux", "aarch64", "gnu") => runners.of_arm64(),
        ("linux", _, "musl") => musl::runner(runners, target),
        ("windows", "x86_64", _) => runners.of_windows(),
        _ => Err("there is no Java for it here".to_owned()),
    }])
}

/// Goes through a life: the line that the program hands in has to come out at the platform.
fn live(runners: &Runners<'_>, what: &str, runner: Runner) -> Result<Outcome, Problem> {
    let home = runners.dir.join("server");
    if home.exists() {
        fs::remove_dir_all(&home).map_err(Problem::file(&home))?;
    }
    let simulator = Simulator::start(&runners.workspace.parts(), &["--port".to_owned(), "0".to_owned()])?;
    Stage::settings(&simulator.base).write(&home)?;
    let line = format!("this is {what}");
    let Runner { mut command, path, .. } = runner;
    // A Java that crashes leaves its report in the directory that it runs in.
    let mut process = Process::start(what, command.arg(path(&home)).arg(&line).current_dir(&home))?;
    let result = process
        .await_line("its line", 0, LIMIT, |text| (text.trim() == "said").then_some(()))
        .and_then(|()| simulator.await_post(&format!("{line} {DIFFICULT}"), 0, LIMIT))
        .and_then(|_| process.write_line("the post is there"))
        .and_then(|()| process.await_line("its end", 0, LIMIT, |text| (text.trim() == "closed").then_some(())));
    let ended = process.wait(if result.is_ok() { LIMIT } else { Duration::ZERO });
    Ok(match (result, ended) {
        (Err(failure @ Failure::Interrupted), _) => return Err(failure.into()),
        (Err(failure), _) => Outcome::Failed(format!("{failure}\n{}\n{}", process.stdout.text(), process.stderr.text())),
        (Ok(()), Some(status)) if status.success() => Outcome::Verified,
        (Ok(()), _) => Outcome::Failed("it did not end well".to_owned()),
    })
}
