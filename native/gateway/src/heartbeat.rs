use crate::Timestamp;

/// The heartbeat schedule of one connection. It is created at that connection's Hello and ends with it.
///
/// A heartbeat that stays without any sign of life for a quarter of the interval is followed by a second one, and if that stays without
/// one as well, the link is dead, although the socket may claim otherwise.
#[derive(Clone, Debug)]
pub(crate) struct Heartbeat {
    interval_ms: u64,
    /// Wait for a sign of life after a heartbeat.
    ack_ms: u64,
    next: Timestamp,
    /// When the last heartbeat was sent.
    sent: Timestamp,
    /// No verdict comes before this: the connection has been ready for one interval.
    verdict_from: Timestamp,
    last_answer: Option<Timestamp>,
    /// Heartbeats sent since the last sign of life.
    unanswered: u8,
}

/// What is due when a [`Heartbeat`]'s time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beat {
    /// Send a heartbeat.
    Send,
    /// Two heartbeats in a row were not answered.
    Dead,
}

/// Heartbeats without any sign of life after which the link is dead.
const UNANSWERED_MAX: u8 = 2;
/// Shortest wait for a sign of life, in ms: slow lines answer within a second.
const ACK_MS_MIN: u64 = 1_250;
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
        let heartbeat = Self {
            interval_ms,
            ack_ms: (interval_ms / 4).min(ack_ms_max).max(ACK_MS_MIN).min(interval_ms),
            next: now + chance.u64(0..=interval_ms),
            sent: now,
            verdict_from: now + interval_ms,
            last_answer: None,
            unanswered: 0,
        };
        (heartbeat, sane.is_some())
    }

    /// A schedule whose verdict falls at `at`.
    #[cfg(feature = "plants")]
    pub(crate) fn about_to_judge(at: Timestamp) -> Self {
        let interval_ms = INTERVAL_MS_DEFAULT;
        let (unanswered, last_answer) = (UNANSWERED_MAX, None);
        Self { interval_ms, ack_ms: interval_ms, next: at, sent: at, verdict_from: at, last_answer, unanswered }
    }

    /// The connection is ready. Its life is judged from here on.
    pub(crate) fn ready(&mut self, now: Timestamp) {
        self.verdict_from = now + self.interval_ms;
    }

    /// When the next beat, or the verdict on the link, is due.
    pub(crate) fn next(&self) -> Timestamp {
        self.next
    }

    /// Any frame from the platform proves life: ACKs first of all, but a busy link may have its ACK queued behind dispatches.
    pub(crate) fn on_traffic(&mut self) {
        if self.unanswered > 0 {
            self.unanswered = 0;
            self.next = self.sent + self.interval_ms;
        }
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
        self.sent = now;
        self.next = now + self.ack_ms;
        if self.unanswered == UNANSWERED_MAX {
            self.next = self.next.max(self.verdict_from);
        }
        Some(Beat::Send)
    }
}
