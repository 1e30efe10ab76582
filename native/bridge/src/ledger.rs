use std::collections::{BTreeMap, VecDeque};

use crate::contract::Effect;
use crate::frame::ToJava;
use crate::notice::Notice;
use auk_gateway::Timestamp;

/// A kind of trouble that repeats says so once a minute; the counters have the rest.
const REPEAT_MS_MIN: u64 = 60_000;

/// What is to be done, and the counters.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Lines given up.
    pub(crate) dropped: u64,
    /// Lines of unknown fate.
    pub(crate) uncertain: u64,
    /// Lines said in the game.
    pub(crate) said: u64,
    /// Messages posted.
    pub(crate) posted: u64,
    effects: VecDeque<Effect>,
    noted: BTreeMap<Trouble, Timestamp>,
    fates: BTreeMap<Mark, Fate>,
}

/// Tells one line from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark(pub(crate) u64);

/// How a line that was sent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Arrived,
    Refused { code: Option<i64>, status: u16 },
    Uncertain,
}

/// Trouble that may repeat quickly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trouble {
    Refused,
    Uncertain,
    EventUnreadable,
}

impl Ledger {
    /// Queues something to be done.
    pub(crate) fn push(&mut self, effect: Effect) {
        self.effects.push_back(effect);
    }

    /// Takes the next thing to be done.
    pub(crate) fn pop(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// Says a line in the game.
    pub(crate) fn say(&mut self, text: String) {
        self.said += 1;
        self.push(Effect::ToJava(ToJava::Say { text }));
    }

    /// What became of lines that bear marks.
    pub(crate) fn settle(&mut self, marks: impl Iterator<Item = Mark>, fate: Fate) {
        self.fates.extend(marks.map(|mark| (mark, fate)));
    }

    /// Takes what became of marked lines since the last call.
    pub(crate) fn take_fates(&mut self) -> BTreeMap<Mark, Fate> {
        std::mem::take(&mut self.fates)
    }

    /// Queues a notice.
    pub(crate) fn note(&mut self, notice: Notice) {
        self.push(Effect::Notice(notice));
    }

    /// Queues a notice unless the same trouble had one within the last minute.
    pub(crate) fn note_trouble(&mut self, trouble: Trouble, notice: Notice, now: Timestamp) {
        if self.noted.get(&trouble).is_some_and(|last| now.since(*last) < REPEAT_MS_MIN) {
            return;
        }
        self.noted.insert(trouble, now);
        self.note(notice);
    }
}
