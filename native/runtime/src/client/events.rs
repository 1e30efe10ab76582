use std::sync::{Arc, Mutex, PoisonError};

use auk_gateway::{Event, Memo, SavedSession};
use tokio::sync::mpsc;

use super::resume_point::{Mark, ResumePoint};
use super::store::Store;

/// Events of a [`Client`](super::Client), in order. It is bounded: an owner that stops taking them stops the reading, not the heartbeats,
/// and what was held back is resumed later.
pub struct ClientEvents {
    told: mpsc::Receiver<Told>,
    bookmark: Bookmark,
    /// The dispatch that the owner is dealing with.
    handed_out: Option<Mark>,
}

/// An event on its way to the owner.
pub(super) struct Told {
    pub(super) event: Event,
    pub(super) mark: Option<Mark>,
}

/// The [`ResumePoint`], kept in the store as the owner goes on. Without a store there is nothing to keep.
#[derive(Clone)]
pub(super) struct Bookmark(Option<(Arc<Mutex<ResumePoint>>, Store)>);

impl ClientEvents {
    pub(super) fn new(told: mpsc::Receiver<Told>, bookmark: Bookmark) -> Self {
        Self { told, bookmark, handed_out: None }
    }

    /// The next event; `None` after the end. Asking for it says that the one before is dealt with, and need not come again after a
    /// restart. A wait that is given up loses nothing.
    pub async fn recv(&mut self) -> Option<Event> {
        if let Some(mark) = self.handed_out.take() {
            self.bookmark.settle(mark);
        }
        let Told { event, mark } = self.told.recv().await?;
        self.handed_out = mark;
        Some(event)
    }
}

impl Bookmark {
    pub(super) fn new(store: Option<Store>) -> Self {
        Self(store.map(|store| (Arc::default(), store)))
    }

    /// A session begins or goes on, or is over.
    pub(super) fn begin(&self, session: Option<SavedSession>) {
        self.change(|point, store| {
            store.note(Memo::Session(point.begin(session)));
        });
    }

    /// A dispatch goes to the owner.
    pub(super) fn deliver(&self, sequence: Option<u64>) -> Option<Mark> {
        self.change(|point, _| point.deliver(sequence?)).flatten()
    }

    fn settle(&self, mark: Mark) {
        self.change(|point, store| {
            if let Some(session) = point.settle(mark) {
                store.note(Memo::Session(Some(session)));
            }
        });
    }

    /// What the store is told is told under the lock, so that no older point comes after a newer one.
    fn change<T>(&self, change: impl FnOnce(&mut ResumePoint, &Store) -> T) -> Option<T> {
        let (point, store) = self.0.as_ref()?;
        Some(change(&mut point.lock().unwrap_or_else(PoisonError::into_inner), store))
    }
}
