//! Why a task failed.

use std::path::{Path, PathBuf};

use auk_end_to_end::Failure;

/// What stops a task, by what somebody can do about it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// A program is not installed.
    #[error("{tool} is missing: install the package {package}")]
    MissingTool {
        /// The program.
        tool: String,
        /// The package that has it, as Debian calls it.
        package: &'static str,
    },
    /// A program failed; its own output says why.
    #[error("{what} failed ({status}){output}")]
    Command {
        /// What it was to do.
        what: String,
        /// How it ended.
        status: String,
        /// What it wrote, where that was not shown yet.
        output: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file of the repository says something that makes no sense.
    #[error("{file}: {what}")]
    Data {
        /// Which one.
        file: &'static str,
        /// What is wrong.
        what: String,
    },
    /// A library may not be shipped, or is none.
    #[error("{}: {what}", file.display())]
    Library {
        /// Which one.
        file: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A part of the demo did not start or went away.
    #[error(transparent)]
    Part(#[from] Failure),
    /// A step of the check failed.
    #[error("check failed at: {step}: {what}")]
    Check {
        /// Which step.
        step: String,
        /// What was wrong.
        what: String,
    },
    /// The environment asks for something that cannot be.
    #[error("{0}")]
    Environment(String),
}

impl Problem {
    /// Makes a [`Problem::File`] out of an I/O error.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        |source| Self::File { path: path.to_owned(), source }
    }
}
