//! `cargo xtask`: the one definition of how Auk is built, run and checked.
//!
//! Progress goes to standard error, so that standard output holds only what was asked for.

mod archive;
mod bench;
mod catalog;
mod check;
mod cross;
mod demo;
mod icon;
mod jar;
mod jars;
mod latency;
mod library;
mod musl;
mod natives;
mod notices;
mod pack;
mod player;
mod problem;
mod progress;
mod publication;
mod readme;
mod runner;
mod shim;
mod shrink;
mod signature;
mod stamp;
mod storm;
mod stubs;
mod test;
mod tool;
mod verify;
mod versions;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::jar::Libraries;
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
    /// Build the native library as it is shipped, into target/auk/natives, and hold it to the rules of a release
    Natives(natives::Options),
    /// Fetch the jars that gradle/libs.versions.toml names, through Maven
    Jars,
    /// Compile the Kotlin shim, the Minestom server and the JVM test programs, and pack their jars
    Shim,
    /// Build the mod as it is shipped, in target/auk, with the native library of this machine
    Jar {
        /// With those of every system of gradle/natives.toml
        #[arg(long)]
        all: bool,
        /// With that of this machine as the tests use it, in a file of its own
        #[arg(long, conflicts_with = "all")]
        debug: bool,
    },
    /// Build the jar of every system and what is said about it where mods are published: target/auk/publication.json
    Publication,
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
    /// Print the table of Minecraft versions, from the built mod and the last run of the tests
    Versions {
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
        Task::Natives(options) => natives::run(&workspace, options),
        Task::Jars => jars::fetch(&workspace),
        Task::Shim => shim::build(&workspace),
        Task::Jar { debug: true, .. } => jar::build(&workspace, Libraries::Debug).map(drop),
        Task::Jar { all: true, .. } => jar::build(&workspace, Libraries::All).map(drop),
        Task::Jar { .. } => jar::build(&workspace, Libraries::Host).map(drop),
        Task::Publication => publication::write(&workspace),
        Task::Player => player::install(&workspace),
        Task::Demo(options) => demo::run(&workspace, options),
        Task::Picture { check } => demo::picture(&workspace, *check),
        Task::Test => test::run(&workspace),
        Task::Bench => bench::run(&workspace),
        Task::Storm { write } => storm::run(&workspace, *write),
        Task::Versions { write } => versions::run(&workspace, *write),
        Task::Simulate { seeds } => storm::simulate(&workspace, *seeds),
    }
}
