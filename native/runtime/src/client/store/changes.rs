use auk_gateway::{Memo, Memory, SavedAddress, SavedAllowance, SavedAttempt, SavedSession, SavedToken};

/// Changes that are not written yet. Of two changes of one thing the later one is left, so that a burst is one write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) session: Option<Option<SavedSession>>,
    pub(super) token: Option<Option<SavedToken>>,
    pub(super) address: Option<Option<SavedAddress>>,
    pub(super) allowance: Option<SavedAllowance>,
    pub(super) attempts: Vec<SavedAttempt>,
}

impl Changes {
    pub(super) fn note(&mut self, memo: Memo) {
        match memo {
            Memo::Session(session) => self.session = Some(session),
            Memo::Token(token) => self.token = Some(token),
            Memo::Address(address) => self.address = Some(address),
            Memo::Allowance(allowance) => self.allowance = Some(allowance),
            Memo::Attempt(attempt) => {
                // A disk that is full for weeks must not fill the memory.
                self.attempts.retain(|old| attempt.at.since(old.at) < Memory::ATTEMPT_AGE_MS_MAX);
                self.attempts.push(attempt);
            }
        }
    }

    /// Puts later changes on top.
    pub(super) fn then(mut self, later: Self) -> Self {
        self.attempts.extend(later.attempts);
        Self {
            session: later.session.or(self.session),
            token: later.token.or(self.token),
            address: later.address.or(self.address),
            allowance: later.allowance.or(self.allowance),
            attempts: self.attempts,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// An attempt is counted before it is made, so that a process that dies of it has counted it.
    pub(super) fn is_urgent(&self) -> bool {
        !self.attempts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use auk_gateway::{AttemptKind, Timestamp};

    use super::*;

    fn attempt(ms: u64) -> SavedAttempt {
        SavedAttempt { kind: AttemptKind::Connect, at: Timestamp::from_ms(ms) }
    }

    fn session(sequence: u64) -> Option<SavedSession> {
        Some(SavedSession { id: "s".to_owned(), sequence: Some(sequence), began: Timestamp::from_ms(0) })
    }

    #[test]
    fn of_a_burst_the_last_is_left_and_each_attempt_counts() {
        let mut changes = Changes::default();
        for sequence in 1..=50 {
            changes.note(Memo::Session(session(sequence)));
        }
        assert!(!changes.is_urgent());
        changes.note(Memo::Attempt(attempt(1)));
        changes.note(Memo::Attempt(attempt(2)));
        assert!(changes.is_urgent());
        assert_eq!(changes, Changes { session: Some(session(50)), attempts: vec![attempt(1), attempt(2)], ..Changes::default() });
    }

    #[test]
    fn what_could_not_be_written_lies_below_what_came_later() {
        let older = Changes { session: Some(session(1)), token: Some(None), attempts: vec![attempt(1)], ..Changes::default() };
        let later = Changes { session: Some(None), attempts: vec![attempt(2)], ..Changes::default() };
        let both = Changes { session: Some(None), token: Some(None), attempts: vec![attempt(1), attempt(2)], ..Changes::default() };
        assert_eq!(older.then(later), both);
    }

    #[test]
    fn attempts_older_than_a_day_are_not_kept_for_a_disk_that_is_full() {
        let mut changes = Changes::default();
        let day_ms = Memory::ATTEMPT_AGE_MS_MAX;
        for ms in [0, 1, day_ms] {
            changes.note(Memo::Attempt(attempt(ms)));
        }
        assert_eq!(changes.attempts, [attempt(1), attempt(day_ms)]);
    }
}
