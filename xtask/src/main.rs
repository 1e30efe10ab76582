//! `cargo xtask`: the one definition of how Auk is built, run and checked.
//!
//! Progress goes to standard error, so that standard output holds only what was asked for.

mod archive;
mod bench;
mod catalog;
mod check;
mod demo;
mod jars;
mod latency;
mod native;
mod player;
mod problem;
mod progress;
mod shim;
mod stamp;
mod storm;
mod test;
mod tool;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::problem::Problem;
use crate::workspace::Workspace;

/// Builds, runs and checks Auk.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Build the native library for this machine
    Native {
        /// Optimised, as it is shipped
        #[arg(long)]
        release: bool,
    },
    /// Fetch the jars that gradle/libs.versions.toml names, through Maven
    Jars,
    /// Compile the Kotlin shim, the Minestom server and the JVM test programs, and pack their jars
    Shim,
    /// Install the Minecraft protocol client
    Player,
    /// Start a server with Auk, a player and a simulated QQ group with its page; with AUK_APP_ID and AUK_SECRET the real platform and the groups of AUK_GROUPS
    Demo(demo::Options),
    /// Visit the demo's page in headless Chromium and leave a picture of it in docs/page.png; fails on any error on the page's console
    Picture {
        /// Leave the picture in target/auk instead
        #[arg(long)]
        check: bool,
    },
    /// Build everything, then run every test of the workspace
    Test,
    /// Build the library as it is shipped, then run every benchmark
    Bench,
    /// Print the storm table: a day of each fault on simulated time, as built and with the defects of old; takes some minutes
    Storm {
        /// Write it into the READMEs instead
        #[arg(long)]
        write: bool,
    },
    /// Run many seeds of the gateway's simulation, six simulated hours each
    Simulate {
        /// How many; a million take about an hour and a half of processor time
        #[arg(long, default_value_t = 1_000_000)]
        seeds: u64,
    },
}

fn main() -> ExitCode {
    match run(&Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> Result<(), Problem> {
    let workspace = Workspace::find()?;
    match task {
        Task::Native { release } => native::build(&workspace, *release).map(drop),
        Task::Jars => jars::fetch(&workspace),
        Task::Shim => shim::build(&workspace),
        Task::Player => player::install(&workspace),
        Task::Demo(options) => demo::run(&workspace, options),
        Task::Picture { check } => demo::picture(&workspace, *check),
        Task::Test => test::run(&workspace),
        Task::Bench => bench::run(&workspace),
        Task::Storm { write } => storm::run(&workspace, *write),
        Task::Simulate { seeds } => storm::simulate(&workspace, *seeds),
    }
}
