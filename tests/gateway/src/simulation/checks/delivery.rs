use std::collections::{BTreeMap, BTreeSet};

use super::super::frame::Frame;
use super::super::violation::Promise;
use super::{Verdict, ensure};

/// The session, and what was delivered in it.
#[derive(Default)]
pub(in super::super) struct Delivery {
    session: Option<Session>,
    /// After "invalid session" the next authentication is an Identify.
    must_identify: bool,
    /// After op 9 nothing counts that the connection still brings: a Resume brings it again.
    given_up: bool,
    reordered: bool,
    doubled: bool,
    ids: BTreeSet<String>,
    delivered: u64,
    /// Messages said in the calm, and when.
    calm: Option<BTreeMap<String, u64>>,
}

struct Session {
    id: String,
    highest: u64,
    first: u64,
    delivered: BTreeMap<u64, Option<String>>,
}

impl Delivery {
    /// What is allowed from here on because the platform does it.
    pub(in super::super) fn allow(&mut self, reordered: bool, doubled: bool) {
        self.reordered |= reordered;
        self.doubled |= doubled;
    }

    pub(super) fn gets(&mut self, frame: &Frame<'_>, past_authentication: bool) {
        if !past_authentication {
            return;
        }
        if frame.op == Some(9) {
            self.given_up = true;
            self.must_identify |= !frame.is_true();
        }
        if frame.op != Some(0) || self.given_up {
            return;
        }
        if frame.t.as_deref() == Some("READY") {
            let id = frame.body().session_id.unwrap_or_default();
            self.session = Some(Session { id, highest: 0, first: frame.s.unwrap_or(0), delivered: BTreeMap::new() });
        }
        if let (Some(session), Some(sequence)) = (&mut self.session, frame.s) {
            session.highest = session.highest.max(sequence);
        }
    }

    pub(super) fn identifies(&mut self) {
        (self.must_identify, self.given_up) = (false, false);
    }

    pub(super) fn resumes(&mut self, frame: &Frame<'_>) -> Verdict {
        self.given_up = false;
        ensure(!self.must_identify, Promise::IdentifyAfterInvalidSession, || "a Resume".to_owned())?;
        let Some(session) = &self.session else {
            return Err((Promise::ResumeFromTheLast, "there is no session".to_owned()));
        };
        let body = frame.body();
        ensure(body.session_id.as_deref() == Some(&session.id), Promise::ResumeFromTheLast, || "another session".to_owned())?;
        ensure(body.seq == Some(session.highest), Promise::ResumeFromTheLast, || format!("{:?}, not {}", body.seq, session.highest))
    }

    /// Each event at most once, and within a session in the order of its sequence.
    pub(super) fn delivered(&mut self, sequence: Option<u64>, id: Option<&str>) -> Verdict {
        self.delivered += 1;
        if let (Some(session), Some(sequence)) = (&mut self.session, sequence) {
            let in_order = session.delivered.last_key_value().is_none_or(|(last, _)| *last < sequence);
            let once = session.delivered.insert(sequence, id.map(ToOwned::to_owned)).is_none();
            ensure(once, Promise::DeliveredOnce, || format!("sequence {sequence} again"))?;
            ensure(in_order || self.reordered, Promise::DeliveredInOrder, || format!("sequence {sequence}"))?;
        }
        let once = id.is_none_or(|id| self.ids.insert(id.to_owned())) || self.doubled;
        ensure(once, Promise::DeliveredOnce, || "a message again".to_owned())
    }

    /// The next process resumes from what its store kept, and what came after it is delivered again.
    pub(super) fn process_ended(&mut self, resume_point: Option<u64>) {
        // It may have died before it acted on what it had heard.
        (self.must_identify, self.given_up) = (false, false);
        let (Some(session), Some(point)) = (&mut self.session, resume_point) else { return };
        session.highest = point;
        for id in session.delivered.split_off(&(point + 1)).into_values().flatten() {
            self.ids.remove(&id);
        }
    }

    /// A point that a store may have kept: `behind` dispatches before the last one that was delivered.
    pub(in super::super) fn resume_point(&self, behind: usize) -> Option<u64> {
        let session = self.session.as_ref()?;
        if behind == 0 {
            return Some(session.highest);
        }
        Some(session.delivered.keys().rev().nth(behind).copied().unwrap_or(session.first))
    }

    pub(super) fn calm_begins(&mut self) {
        self.calm = Some(BTreeMap::new());
    }

    pub(in super::super) fn said(&mut self, id: String, now_ms: u64) {
        if let Some(calm) = &mut self.calm {
            calm.insert(id, now_ms);
        }
    }

    /// How many dispatches were delivered.
    pub(in super::super) fn count(&self) -> u64 {
        self.delivered
    }

    /// Everything said in the calm before `until_ms` was delivered.
    pub(in super::super) fn all_is_delivered(&self, until_ms: u64) -> Result<(), (Promise, String)> {
        let missing = self.calm.iter().flatten().find(|(id, at)| **at <= until_ms && !self.ids.contains(*id));
        ensure(missing.is_none(), Promise::SaidIsDelivered, || format!("said at {:?} ms", missing.map(|(_, at)| at)))
    }
}
