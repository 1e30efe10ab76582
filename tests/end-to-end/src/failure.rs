//! What can go wrong while the parts are started and driven.

use std::time::Duration;

/// Why a part does not do what was asked of it.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Something that has to be built or installed is not there; the text says what to do.
    #[error("{what} is missing: {remedy}")]
    Missing {
        /// What was looked for.
        what: String,
        /// The command to run or the package to install.
        remedy: String,
    },
    /// A process could not be started, spoken to or read.
    #[error("{process}: {source}")]
    Process {
        /// Which one.
        process: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A process ended although it was needed.
    #[error("{process} ended ({status}) before {awaited}")]
    Ended {
        /// Which one.
        process: String,
        /// How it ended.
        status: String,
        /// What was waited for.
        awaited: String,
    },
    /// Something did not happen in time.
    #[error("{awaited} did not happen within {} ms", limit.as_millis())]
    Late {
        /// What was waited for.
        awaited: String,
        /// How long.
        limit: Duration,
    },
    /// A player did not get into the world.
    #[error("{player} did not get in: {problem}\n  the client said:\n    {client}\n  the server said:\n    {server}\n")]
    Outside {
        /// Which one.
        player: String,
        /// What stood in the way.
        problem: String,
        /// The last lines of the client.
        client: String,
        /// The last lines of the server.
        server: String,
    },
    /// The user wants it all to end.
    #[error("interrupted")]
    Interrupted,
    /// The simulator's control API refused or could not be reached.
    #[error("control API, {path}: {problem}")]
    Control {
        /// The path below `/_sim/`.
        path: String,
        /// What it said.
        problem: String,
    },
}
