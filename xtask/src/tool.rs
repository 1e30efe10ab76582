//! Other programs.

use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::Duration;

use auk_end_to_end::{Failure, Process, is_interrupted};

use crate::problem::Problem;

/// How often a running program is looked at, and an interrupt noticed.
const PATIENCE: Duration = Duration::from_millis(20);

/// Runs `command` with its output kept for the case that it fails. `package` is what to install when the program is missing.
pub(crate) fn run(what: &str, command: &mut Command, package: &'static str) -> Result<(), Problem> {
    let mut process = match Process::start(what, command) {
        Ok(process) => process,
        Err(Failure::Process { source, .. }) => return Err(unstartable(command, package, source)),
        Err(failure) => return Err(failure.into()),
    };
    let status = until_end(|| process.wait(PATIENCE))?;
    if status.success() {
        return Ok(());
    }
    let text = process.stdout.text() + "\n" + &process.stderr.text();
    Err(Problem::Command { what: what.to_owned(), status: status.to_string(), output: format!(":\n{}", text.trim()) })
}

/// Runs `command` with its output shown as it comes.
pub(crate) fn run_shown(what: &str, command: &mut Command, package: &'static str) -> Result<(), Problem> {
    let mut child = command.spawn().map_err(|error| unstartable(command, package, error))?;
    let status = until_end(|| {
        thread::sleep(PATIENCE);
        child.try_wait().ok().flatten()
    });
    if status.is_err() {
        // The task is over, and what it started goes with it.
        let _ = child.kill();
        let _ = child.wait();
    }
    let status = status?;
    if status.success() {
        return Ok(());
    }
    Err(Problem::Command { what: what.to_owned(), status: status.to_string(), output: String::new() })
}

/// Asks `ended` again and again, until it knows a status or the user wants it all to end.
fn until_end(mut ended: impl FnMut() -> Option<ExitStatus>) -> Result<ExitStatus, Problem> {
    loop {
        if let Some(status) = ended() {
            return Ok(status);
        }
        if is_interrupted() {
            return Err(Failure::Interrupted.into());
        }
    }
}

/// Paths as one class path.
pub(crate) fn class_path(paths: impl IntoIterator<Item = PathBuf>) -> Result<OsString, Problem> {
    env::join_paths(paths).map_err(|error| Problem::Environment(format!("a path cannot be on a class path: {error}")))
}

/// What `command` writes to standard output.
pub(crate) fn read(what: &str, command: &mut Command, package: &'static str) -> Result<String, Problem> {
    let output = command.output().map_err(|error| unstartable(command, package, error))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Problem::Command { what: what.to_owned(), status: output.status.to_string(), output: format!(": {text}") });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The very cargo that started this program.
pub(crate) fn cargo(workspace: &crate::Workspace) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(&workspace.root);
    command
}

fn unstartable(command: &Command, package: &'static str, source: std::io::Error) -> Problem {
    let program = command.get_program();
    if source.kind() == ErrorKind::NotFound {
        return Problem::MissingTool { tool: program.to_string_lossy().into_owned(), package };
    }
    Problem::File { path: program.into(), source }
}
