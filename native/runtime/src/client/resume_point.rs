use std::collections::BTreeSet;

use auk_gateway::SavedSession;

/// Where another process would resume: just below the oldest dispatch that the owner has not dealt with. Within the process a link is
/// resumed from the highest received, since what waits for the owner is kept.
#[derive(Debug, Default)]
pub(super) struct ResumePoint {
    session: Option<SavedSession>,
    /// Counts the sessions: what is left of an earlier one says nothing about this one.
    session_number: u64,
    unsettled: BTreeSet<u64>,
    highest: u64,
}

/// Names a dispatch that was handed to the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    session_number: u64,
    sequence: u64,
}

impl ResumePoint {
    /// A session begins at its own sequence, or there is none any more; one that goes on keeps its point. Returns what is to be kept.
    pub(super) fn begin(&mut self, session: Option<SavedSession>) -> Option<SavedSession> {
        let goes_on = session.as_ref().is_some_and(|new| self.session.as_ref().is_some_and(|old| old.id == new.id));
        if !goes_on {
            self.highest = session.as_ref().and_then(|session| session.sequence).unwrap_or(0);
            self.session = session;
            self.session_number += 1;
            self.unsettled.clear();
        }
        self.session.clone()
    }

    /// A dispatch of this session is on its way to the owner.
    pub(super) fn deliver(&mut self, sequence: u64) -> Option<Mark> {
        if self.session.is_none() || sequence > self.highest.saturating_add(SavedSession::JUMP_MAX) {
            return None;
        }
        self.highest = self.highest.max(sequence);
        self.unsettled.insert(sequence);
        Some(Mark { session_number: self.session_number, sequence })
    }

    /// The owner has dealt with a dispatch. Returns the session with its new point, if that moved: it never moves back.
    pub(super) fn settle(&mut self, mark: Mark) -> Option<SavedSession> {
        if mark.session_number != self.session_number {
            return None;
        }
        self.unsettled.remove(&mark.sequence);
        let point = self.unsettled.first().map_or(self.highest, |oldest| oldest.saturating_sub(1));
        let session = self.session.as_mut()?;
        if session.sequence.is_some_and(|known| point <= known) {
            return None;
        }
        session.sequence = Some(point);
        Some(session.clone())
    }
}

#[cfg(test)]
mod tests {
    use auk_gateway::Timestamp;

    use super::*;

    fn begun() -> ResumePoint {
        let mut point = ResumePoint::default();
        point.begin(Some(SavedSession { id: "s".to_owned(), sequence: Some(1), began: Timestamp::from_ms(0) }));
        point
    }

    fn settle(point: &mut ResumePoint, mark: Option<Mark>) -> Option<u64> {
        point.settle(mark.expect("a mark")).and_then(|session| session.sequence)
    }

    #[test]
    fn the_point_is_just_below_the_oldest_dispatch_that_is_not_dealt_with() {
        let mut point = begun();
        let marks: Vec<_> = [2, 3, 4].map(|sequence| point.deliver(sequence)).to_vec();
        assert_eq!(settle(&mut point, marks[0]), Some(2));
        assert_eq!(settle(&mut point, marks[2]), None, "3 is not dealt with");
        assert_eq!(settle(&mut point, marks[1]), Some(4));
    }

    #[test]
    fn a_latecomer_does_not_move_the_point_back() {
        let mut point = begun();
        let five = point.deliver(5);
        assert_eq!(settle(&mut point, five), Some(5));
        let four = point.deliver(4);
        assert_eq!(settle(&mut point, four), None);
    }

    #[test]
    fn a_session_that_goes_on_keeps_its_point() {
        let mut point = begun();
        let two = point.deliver(2);
        let kept = point.begin(Some(SavedSession { id: "s".to_owned(), sequence: Some(9), began: Timestamp::from_ms(0) }));
        assert_eq!(kept.and_then(|session| session.sequence), Some(1), "2 is not dealt with");
        assert_eq!(settle(&mut point, two), Some(2));
    }

    #[test]
    fn what_is_left_of_an_earlier_session_says_nothing_about_the_next() {
        let mut point = begun();
        let old = point.deliver(900);
        point.begin(Some(SavedSession { id: "t".to_owned(), sequence: Some(1), began: Timestamp::from_ms(0) }));
        assert_eq!(settle(&mut point, old), None);
        let first = point.deliver(2);
        assert_eq!(settle(&mut point, first), Some(2));
        point.begin(None);
        assert_eq!(point.deliver(3), None, "there is nothing to resume");
    }

    #[test]
    fn a_sequence_that_is_damage_is_no_point_to_resume_at() {
        let mut point = begun();
        assert_eq!(point.deliver(u64::MAX), None);
        let next = point.deliver(2);
        assert_eq!(settle(&mut point, next), Some(2));
    }
}
