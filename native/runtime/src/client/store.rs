mod changes;
mod file;
mod trouble;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use auk_gateway::{Language, Memo, Memory};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

pub(crate) use trouble::StoreTrouble;

use trouble::Voice;
use writer::{Desk, Writer};

/// What survives the process: one file, written by a thread of its own, so that a disk that stands still holds nothing up. The thread is
/// never attached to the JVM, whose end it therefore does not delay. Whatever is wrong with the file is said once, and the client works
/// without it.
#[derive(Clone)]
pub(super) struct Store {
    desk: Arc<Desk>,
    works: Arc<AtomicBool>,
    ended: watch::Receiver<()>,
    voice: Arc<Voice>,
}

/// What an opened store holds, once it is read.
pub(super) struct Opening(oneshot::Receiver<Memory>);

/// Whose memory it is: a sandbox and the real platform do not mix, nor do two bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bot {
    pub(super) app_id: String,
    pub(super) api_base: String,
}

/// Limit on the wait for what an earlier process left. It is a few kilobytes; above it there is a disk that stands still, or a lock.
const LOAD_MS_MAX: u64 = 3_000;
/// Limit on writing the last changes at an orderly end.
const CLOSE_MS_MAX: u64 = 500;

impl Store {
    /// Begins to open a file. What is wrong with it goes to the log of the calling thread.
    pub(super) fn open(path: PathBuf, bot: Bot, language: Language) -> (Self, Opening) {
        let desk = Arc::new(Desk::new(bot));
        let works = Arc::new(AtomicBool::new(false));
        let (ended_in, ended) = watch::channel(());
        let (opened, opening) = oneshot::channel();
        let voice = Arc::new(Voice::new(path.clone(), language));
        let writer = Writer { path, desk: Arc::clone(&desk), works: Arc::clone(&works), voice: Arc::clone(&voice) };
        let spawned = thread::Builder::new().name("auk-store".to_owned()).spawn(move || {
            writer.run(opened);
            drop(ended_in);
        });
        if let Err(error) = spawned {
            voice.say(&StoreTrouble::Unusable(error.to_string()));
        }
        (Self { desk, works, ended, voice }, Opening(opening))
    }

    /// What an earlier process left; nothing, if that cannot be had soon.
    pub(super) async fn load(&self, opening: Opening) -> Memory {
        match timeout(Duration::from_millis(LOAD_MS_MAX), opening.0).await {
            Ok(memory) => memory.unwrap_or_default(),
            Err(_) => {
                self.voice.say(&StoreTrouble::Slow);
                Memory::default()
            }
        }
    }

    /// Keeps a change. Never waits.
    pub(super) fn note(&self, memo: Memo) {
        self.desk.note(memo);
    }

    /// From here on the changes are another bot's.
    pub(super) fn change_bot(&self, app_id: &str) {
        self.desk.change_bot(app_id);
    }

    /// Whether what is noted will be there for the next process.
    pub(super) fn works(&self) -> bool {
        self.works.load(Ordering::Relaxed)
    }

    /// Lets the last changes be written and the file go, without waiting for it.
    pub(super) fn begin_close(&self) {
        self.desk.close();
    }

    /// The same, and waits for it, but not for long.
    pub(super) async fn close(&mut self) {
        self.begin_close();
        // It ends with an error: the thread, which held the other end, is gone.
        let _ = timeout(Duration::from_millis(CLOSE_MS_MAX), self.ended.changed()).await;
    }
}
