use std::collections::BTreeSet;

use crate::{SavedSession, Timestamp};

/// A session that the platform opened with READY. One without an id works, but cannot be resumed.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) id: Option<String>,
    pub(crate) began: Timestamp,
    sequences: Sequences,
}

impl Session {
    pub(crate) fn new(id: Option<String>, began: Timestamp) -> Self {
        Self { id, began, sequences: Sequences::default() }
    }

    /// One of an earlier process.
    pub(crate) fn restore(saved: SavedSession, now: Timestamp) -> Self {
        let sequences = Sequences { highest: saved.sequence, settled: saved.sequence, recent: BTreeSet::new() };
        Self { id: Some(saved.id), began: saved.began.min(now), sequences }
    }

    /// What another process needs to go on, if it can.
    pub(crate) fn saved(&self) -> Option<SavedSession> {
        let id = self.id.clone()?;
        Some(SavedSession { id, sequence: self.highest(), began: self.began })
    }

    /// Takes note of a dispatch's sequence. Returns whether it has not been seen in this session.
    pub(crate) fn note(&mut self, sequence: u64) -> bool {
        self.sequences.note(sequence)
    }

    /// Forgets which sequences were seen.
    #[cfg(feature = "plants")]
    pub(crate) fn forget_seen(&mut self) {
        self.sequences.recent.clear();
    }

    /// The highest sequence received, for heartbeats and Resume.
    pub(crate) fn highest(&self) -> Option<u64> {
        self.sequences.highest
    }
}

/// Which sequences were seen. The platform may repeat dispatches after a Resume and may deliver neighbours out of order, so the
/// highest number alone does not tell a repeat from a latecomer.
#[derive(Clone, Debug, Default)]
struct Sequences {
    highest: Option<u64>,
    /// An earlier process dealt with everything up to here.
    settled: Option<u64>,
    /// The seen ones within [`LATECOMER_SPAN`] of the highest.
    recent: BTreeSet<u64>,
}

/// A dispatch this far behind the highest is taken for a repeat. Neighbours change places; hundreds do not.
const LATECOMER_SPAN: u64 = 512;

impl Sequences {
    fn note(&mut self, sequence: u64) -> bool {
        if sequence > self.highest.unwrap_or(0).saturating_add(SavedSession::JUMP_MAX) {
            return true;
        }
        let Some(highest) = self.highest else {
            self.highest = Some(sequence);
            self.recent.insert(sequence);
            return true;
        };
        if sequence.saturating_add(LATECOMER_SPAN) <= highest || self.settled.is_some_and(|settled| sequence <= settled) {
            return false;
        }
        let is_new = self.recent.insert(sequence);
        let highest = highest.max(sequence);
        self.highest = Some(highest);
        while self.recent.first().is_some_and(|oldest| oldest.saturating_add(LATECOMER_SPAN) <= highest) {
            self.recent.pop_first();
        }
        is_new
    }
}
