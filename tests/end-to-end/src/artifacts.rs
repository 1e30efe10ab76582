//! Where the built parts are.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::Failure;

/// The directory that `cargo xtask` builds into, and the programs beside it.
#[derive(Debug, Clone)]
pub struct Artifacts {
    /// `target/auk`: jars, class paths and the player.
    pub dir: PathBuf,
    /// The native library for this machine.
    pub native: PathBuf,
    /// The simulator's program.
    pub simulator: PathBuf,
}

impl Artifacts {
    /// The parts where `cargo xtask` leaves them below Cargo's target directory.
    pub fn below(target: &Path) -> Self {
        let debug = target.join("debug");
        Self {
            dir: target.join("auk"),
            native: debug.join(format!("{}auk{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX)),
            simulator: debug.join(format!("auk-simulator{}", env::consts::EXE_SUFFIX)),
        }
    }

    /// Finds the parts through `AUK_ARTIFACTS`, `AUK_NATIVE` and `AUK_SIMULATOR`, or where `cargo xtask` leaves them by default.
    ///
    /// # Errors
    ///
    /// [`Failure::Missing`] with the command that builds the missing part.
    pub fn find() -> Result<Self, Failure> {
        let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
        let usual = Self::below(&env::var_os("CARGO_TARGET_DIR").map_or_else(default, PathBuf::from));
        let named = |variable: &str, usual: PathBuf| env::var_os(variable).map_or(usual, PathBuf::from);
        let artifacts = Self {
            dir: named("AUK_ARTIFACTS", usual.dir),
            native: named("AUK_NATIVE", usual.native),
            simulator: named("AUK_SIMULATOR", usual.simulator),
        };
        for part in [&artifacts.jar("auk-shim"), &artifacts.native, &artifacts.simulator] {
            present(part)?;
        }
        Ok(artifacts)
    }

    /// The path of one of the project's jars, such as `auk-shim`.
    pub fn jar(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.jar"))
    }

    /// A class path: these jars of ours, then all of a bundle's.
    ///
    /// # Errors
    ///
    /// [`Failure::Missing`] when a jar or the bundle is not there.
    pub fn class_path(&self, jars: &[&str], bundle: &str) -> Result<OsString, Failure> {
        let mut entries = Vec::new();
        for name in jars {
            let jar = self.jar(name);
            present(&jar)?;
            entries.push(jar);
        }
        let bundle = self.dir.join("jars").join(bundle);
        present(&bundle)?;
        entries.push(bundle.join("*"));
        env::join_paths(entries).map_err(|_| Failure::Missing {
            what: "a path without the separator of class paths".to_owned(),
            remedy: "move the repository to a directory whose name has none".to_owned(),
        })
    }

    /// The directory of the protocol client.
    ///
    /// # Errors
    ///
    /// [`Failure::Missing`] when it has not been installed.
    pub fn player(&self) -> Result<PathBuf, Failure> {
        let dir = self.dir.join("player");
        present(&dir.join("node_modules"))?;
        Ok(dir)
    }
}

fn present(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        return Ok(());
    }
    Err(Failure::Missing { what: path.display().to_string(), remedy: "run `cargo xtask test`, which builds every part first".to_owned() })
}
