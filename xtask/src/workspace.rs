//! Where things are.

use std::env;
use std::path::{Path, PathBuf};

use auk_end_to_end::Artifacts;

use crate::problem::Problem;

/// The repository and the directory that is built into.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The repository.
    pub(crate) root: PathBuf,
    /// Cargo's target directory: `CARGO_TARGET_DIR`, or `target` in the repository.
    pub(crate) target: PathBuf,
}

impl Workspace {
    /// Finds it from where this program was built.
    pub(crate) fn find() -> Result<Self, Problem> {
        let manifest_dir = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest_dir.parent().unwrap_or(Path::new(".")).to_owned();
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(dir) => std::path::absolute(&dir).map_err(Problem::file(Path::new(&dir)))?,
            None => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// `target/auk`, where everything goes that is not Cargo's.
    pub(crate) fn artifacts(&self) -> PathBuf {
        self.parts().dir
    }

    /// The parts as the end-to-end crate wants them.
    pub(crate) fn parts(&self) -> Artifacts {
        Artifacts::below(&self.target)
    }
}
