use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use auk_gateway::{Memo, Memory};
use tokio::sync::oneshot;

use super::Bot;
use super::changes::Changes;
use super::file::StoreFile;
use super::trouble::Voice;

/// How long a change waits for others.
const WAIT_MS: u64 = 250;
/// How long a write that failed is not repeated.
const RETRY_MS: u64 = 60_000;

/// Where changes wait for the writer.
pub(super) struct Desk {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Whose the next change is.
    bot: Bot,
    /// By bot, in order; usually one.
    waiting: Vec<(Bot, Changes)>,
    /// When the first of them came.
    since: Option<Instant>,
    is_closed: bool,
}

/// What the thread does: reads once, then writes what is on the desk.
pub(super) struct Writer {
    pub(super) path: PathBuf,
    pub(super) desk: Arc<Desk>,
    pub(super) works: Arc<AtomicBool>,
    pub(super) voice: Arc<Voice>,
}

impl Desk {
    pub(super) fn new(bot: Bot) -> Self {
        let state = State { bot, waiting: Vec::new(), since: None, is_closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(super) fn note(&self, memo: Memo) {
        let mut state = self.lock();
        if state.is_closed {
            return;
        }
        let is_first = state.waiting.is_empty();
        let bot = state.bot.clone();
        if state.waiting.last().is_none_or(|(last, _)| *last != bot) {
            state.waiting.push((bot, Changes::default()));
        }
        let mut is_urgent = false;
        if let Some((_, changes)) = state.waiting.last_mut() {
            changes.note(memo);
            is_urgent = changes.is_urgent();
        }
        state.since.get_or_insert_with(Instant::now);
        drop(state);
        if is_first || is_urgent {
            self.changed.notify_one();
        }
    }

    pub(super) fn change_bot(&self, app_id: &str) {
        app_id.clone_into(&mut self.lock().bot.app_id);
    }

    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    fn bot(&self) -> Bot {
        self.lock().bot.clone()
    }

    /// Waits for what is to be written, not before `earliest`, and takes it. The flag says that it is the last.
    fn take(&self, earliest: Option<Instant>) -> (Vec<(Bot, Changes)>, bool) {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let due = state.due().max(earliest.filter(|_| state.since.is_some()));
            if state.is_closed || due.is_some_and(|due| due <= now) {
                state.since = None;
                return (std::mem::take(&mut state.waiting), state.is_closed);
            }
            state = match due {
                Some(due) => self.changed.wait_timeout(state, due - now).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Takes back what could not be written; it lies below what came meanwhile.
    fn put_back(&self, unwritten: Vec<(Bot, Changes)>) {
        let mut state = self.lock();
        let mut newer = std::mem::replace(&mut state.waiting, unwritten).into_iter();
        if let Some((bot, changes)) = newer.next() {
            match state.waiting.last_mut() {
                Some((last, older)) if *last == bot => *older = std::mem::take(older).then(changes),
                Some(_) | None => state.waiting.push((bot, changes)),
            }
        }
        state.waiting.extend(newer);
        state.since.get_or_insert_with(Instant::now);
    }

    /// A panic while the lock was held cannot leave a half-made change: every change is one call.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// When what waits is to be written.
    fn due(&self) -> Option<Instant> {
        let since = self.since?;
        let is_urgent = self.waiting.iter().any(|(_, changes)| changes.is_urgent());
        Some(if is_urgent { since } else { since + Duration::from_millis(WAIT_MS) })
    }
}

impl Writer {
    pub(super) fn run(self, opened: oneshot::Sender<Memory>) {
        let opened_file = StoreFile::open(&self.path).and_then(|file| {
            let memory = file.load(&self.desk.bot())?;
            Ok((file, memory))
        });
        match opened_file {
            Ok((file, memory)) => {
                self.works.store(true, Ordering::Relaxed);
                let _ = opened.send(memory);
                self.write_until_closed(file);
                self.works.store(false, Ordering::Relaxed);
            }
            Err(trouble) => {
                self.voice.say(&trouble);
                self.desk.close();
            }
        }
    }

    fn write_until_closed(&self, mut file: StoreFile) {
        let mut earliest = None;
        loop {
            let (taken, is_last) = self.desk.take(earliest);
            let written = file.write(&taken);
            if is_last {
                return;
            }
            earliest = match written {
                Ok(()) => None,
                Err(trouble) => {
                    self.voice.say(&trouble);
                    self.desk.put_back(taken);
                    Some(Instant::now() + Duration::from_millis(RETRY_MS))
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use auk_gateway::{AttemptKind, SavedAttempt, Timestamp};

    use super::*;

    fn bot(app_id: &str) -> Bot {
        Bot { app_id: app_id.to_owned(), api_base: "https://api.example/".to_owned() }
    }

    fn attempt(ms: u64) -> Memo {
        Memo::Attempt(SavedAttempt { kind: AttemptKind::Connect, at: Timestamp::from_ms(ms) })
    }

    #[test]
    fn an_attempt_is_written_at_once_and_anything_else_waits_for_more() {
        let desk = Desk::new(bot("1"));
        desk.note(Memo::Session(None));
        let due = desk.lock().due().expect("something waits");
        let since = desk.lock().since.expect("since when");
        assert_eq!(due - since, Duration::from_millis(WAIT_MS));
        desk.note(attempt(1));
        assert_eq!(desk.lock().due(), Some(since));
        let (taken, is_last) = desk.take(None);
        assert_eq!((taken.len(), is_last), (1, false));
        assert_eq!(desk.lock().due(), None);
    }

    #[test]
    fn what_could_not_be_written_goes_before_what_came_meanwhile_bot_by_bot() {
        let desk = Desk::new(bot("1"));
        desk.note(attempt(1));
        let (unwritten, _) = desk.take(None);
        desk.note(attempt(2));
        desk.change_bot("2");
        desk.note(attempt(3));
        desk.put_back(unwritten);
        desk.close();
        desk.note(attempt(4));
        let (taken, is_last) = desk.take(Some(Instant::now() + Duration::from_secs(3_600)));
        let seen: Vec<_> = taken.iter().map(|(bot, changes)| (bot.app_id.as_str(), changes.attempts.len())).collect();
        assert_eq!((seen, is_last), (vec![("1", 2), ("2", 1)], true), "the end does not wait, and nothing comes after it");
    }
}
