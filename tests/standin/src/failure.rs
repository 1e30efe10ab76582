//! What keeps a stand-in from being played.

use std::path::{Path, PathBuf};

/// Why something could not be read, made or played.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A part of the whole is missing or does not do what was asked of it.
    #[error(transparent)]
    Part(#[from] auk_end_to_end::Failure),
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A jar or a description in it is not what it should be.
    #[error("{}: {what}", path.display())]
    Jar {
        /// The jar.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The generated game cannot be compiled.
    #[error("the games cannot be compiled:\n{0}")]
    Compiler(String),
    /// The program did not obey an order.
    #[error("{order}: {what}\nseen:\n{seen}")]
    Order {
        /// What was asked of it.
        order: String,
        /// What happened in its place.
        what: String,
        /// All that it said.
        seen: String,
    },
    /// The member table cannot be read.
    #[error(transparent)]
    Table(#[from] auk_linkage::UnreadableTable),
}

impl Failure {
    /// For the errors of a file.
    pub(crate) fn file(path: &Path) -> impl Fn(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), source }
    }
}
