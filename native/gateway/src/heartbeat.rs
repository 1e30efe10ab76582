use crate::Timestamp;

/// The heartbeat schedule of one connection. It is created at that connection's Hello and ends with it.
#[derive(Clone, Debug)]
pub(crate) struct Heartbeat {
    interval_ms: u64,
    ack_ms_max: u64,
    next: Timestamp,
    last_answer: Option<Timestamp>,
    /// Heartbeats sent since the last sign of life.
    unanswered: u8,
}

/// What is due when a [`Heartbeat`]'s time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beat {
    /// Send a heartbeat.
    Send,
    /// Two heartbeats in a row were not answered: the link is dead although the socket may claim otherwise.
    Dead,
}

/// Heartbeats without any sign of life after which the link is dead.
const UNANSWERED_MAX: u8 = 2;
/// A platform that asks for heartbeats is answered this often at most: if it took our answers for requests, nothing else would end it.
const ANSWER_MS: u64 = 1_000;
/// An interval below this would make us the storm.
const INTERVAL_MS_MIN: u64 = 1_000;
/// An interval above this would let a dead link go unnoticed for longer than the platform keeps a session.
const INTERVAL_MS_MAX: u64 = 600_000;
/// Used when Hello names no sane interval: below the 45 s that the platform announces.
const INTERVAL_MS_DEFAULT: u64 = 41_250;

impl Heartbeat {
    /// A schedule whose first beat falls at a random point of the first interval, so that bots do not beat in step.
    /// Returns whether the announced interval was usable as well.
    pub(crate) fn begin(announced_ms: Option<u64>, ack_ms_max: u64, now: Timestamp, chance: &mut fastrand::Rng) -> (Self, bool) {
        let sane = announced_ms.filter(|ms| (INTERVAL_MS_MIN..=INTERVAL_MS_MAX).contains(ms));
        let interval_ms = sane.unwrap_or(INTERVAL_MS_DEFAULT);
        let next = now + chance.u64(0..=interval_ms);
        (Self { interval_ms, ack_ms_max, next, last_answer: None, unanswered: 0 }, sane.is_some())
    }

    /// When the next beat, or the verdict on the link, is due.
    pub(crate) fn next(&self) -> Timestamp {
        self.next
    }

    /// Any frame from the platform proves life: ACKs first of all, but a busy link may have its ACK queued behind dispatches.
    pub(crate) fn on_traffic(&mut self, now: Timestamp) {
        if self.unanswered == UNANSWERED_MAX {
            self.next = now + self.interval_ms;
        }
        self.unanswered = 0;
    }

    /// The platform asks for a heartbeat. Returns whether it is to be answered.
    pub(crate) fn asked(&mut self, now: Timestamp) -> bool {
        if self.last_answer.is_some_and(|last| now.since(last) < ANSWER_MS) {
            return false;
        }
        self.last_answer = Some(now);
        true
    }

    /// What is due at `now`, if anything. A late call (a machine that slept) sends one beat, not the missed ones.
    pub(crate) fn due(&mut self, now: Timestamp) -> Option<Beat> {
        if now < self.next {
            return None;
        }
        if self.unanswered >= UNANSWERED_MAX {
            return Some(Beat::Dead);
        }
        self.unanswered += 1;
        let wait_ms = if self.unanswered == UNANSWERED_MAX { self.interval_ms.min(self.ack_ms_max) } else { self.interval_ms };
        self.next = now + wait_ms;
        Some(Beat::Send)
    }
}
