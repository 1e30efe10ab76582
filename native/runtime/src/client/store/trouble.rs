use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use auk_gateway::Language;
use rusqlite::ErrorCode;
use tracing::Dispatch;

use crate::log::words;

/// Why nothing is remembered over a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoreTrouble {
    /// Another process holds it.
    InUse,
    /// The disk is full.
    Full,
    /// It is damaged, or was never ours.
    NotOurs,
    /// A newer version wrote it, in this format.
    Newer(i64),
    /// It is not read in time.
    Slow,
    /// Anything else that the operating system or the database has to say.
    Unusable(String),
}

impl From<rusqlite::Error> for StoreTrouble {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        if matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) {
            Self::InUse
        } else if code == Some(ErrorCode::DiskFull) {
            Self::Full
        } else if matches!(code, Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)) {
            Self::NotOurs
        } else {
            Self::Unusable(error.to_string())
        }
    }
}

impl From<std::io::Error> for StoreTrouble {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::StorageFull { Self::Full } else { Self::Unusable(error.to_string()) }
    }
}

/// Says the trouble of one store, once, into the log of the thread that opened it: the log of a bridge is that of its own thread.
pub(super) struct Voice {
    path: PathBuf,
    language: Language,
    log: Dispatch,
    has_spoken: AtomicBool,
}

impl Voice {
    pub(super) fn new(path: PathBuf, language: Language) -> Self {
        Self { path, language, log: tracing::dispatcher::get_default(Clone::clone), has_spoken: AtomicBool::new(false) }
    }

    pub(super) fn say(&self, trouble: &StoreTrouble) {
        if self.has_spoken.swap(true, Ordering::Relaxed) {
            return;
        }
        let words = words::store_trouble(trouble, &self.path, self.language);
        tracing::dispatcher::with_default(&self.log, || tracing::warn!("{words}"));
    }
}
