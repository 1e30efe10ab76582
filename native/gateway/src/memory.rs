use std::fmt;

use crate::{AccessToken, Timestamp};

/// What one process leaves to the next, so that a restart resumes, and a server that restarts again and again stays within every limit.
///
/// Its times mean something to another process only when the driver's origin does, as the Unix epoch does. They are not trusted further
/// than they can harm: a time in the future counts as now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The session to resume.
    pub session: Option<SavedSession>,
    /// The token, while it lives.
    pub token: Option<SavedToken>,
    /// The gateway's address.
    pub address: Option<SavedAddress>,
    /// The platform's allowance of new sessions.
    pub allowance: Option<SavedAllowance>,
    /// The attempts of the last day, oldest first.
    pub attempts: Vec<SavedAttempt>,
}

/// One change of the [`Memory`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Memo {
    /// A session began or went on; `None`: it is over.
    Session(Option<SavedSession>),
    /// A token was granted; `None`: it was refused.
    Token(Option<SavedToken>),
    /// The address was learned; `None`: it is not to be used any more.
    Address(Option<SavedAddress>),
    /// The allowance was announced or used.
    Allowance(SavedAllowance),
    /// Something that is limited was attempted.
    Attempt(SavedAttempt),
}

/// A session that another process may resume.
#[derive(Clone, PartialEq, Eq)]
pub struct SavedSession {
    /// The platform's name for it.
    pub id: String,
    /// Where to resume: the sequence below the oldest dispatch that the owner has not dealt with.
    pub sequence: Option<u64>,
    /// When it began.
    pub began: Timestamp,
}

/// A token and its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedToken {
    /// The token.
    pub token: AccessToken,
    /// When it expires.
    pub expires: Timestamp,
}

/// The gateway's address and its age.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedAddress {
    /// A `ws` or `wss` address.
    pub url: String,
    /// When the platform named it.
    pub learned: Timestamp,
}

/// How many sessions may still be begun. Source: QQ bot docs, openapi/wss/shard_url_get, 2025-04-21.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedAllowance {
    /// Identifies left.
    pub remaining: u64,
    /// When the platform's counter begins anew.
    pub reset: Timestamp,
    /// Identifies allowed in 5 s.
    pub max_concurrency: u64,
}

/// One attempt at something limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedAttempt {
    /// At what.
    pub kind: AttemptKind,
    /// When.
    pub at: Timestamp,
}

/// What is limited by a [`Rate`](crate::Rate) of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AttemptKind {
    /// A request to the token endpoint.
    TokenRequest,
    /// An address look-up.
    LookUp,
    /// A connection.
    Connect,
    /// An Identify.
    Identify,
}

impl Memory {
    /// Attempts older than this bound nothing any more.
    pub const ATTEMPT_AGE_MS_MAX: u64 = 24 * 3_600_000;

    /// Takes a change over.
    pub fn note(&mut self, memo: Memo) {
        match memo {
            Memo::Session(session) => self.session = session,
            Memo::Token(token) => self.token = token,
            Memo::Address(address) => self.address = address,
            Memo::Allowance(allowance) => self.allowance = Some(allowance),
            Memo::Attempt(attempt) => {
                self.attempts.retain(|old| attempt.at.since(old.at) < Self::ATTEMPT_AGE_MS_MAX);
                self.attempts.push(attempt);
            }
        }
    }

    /// When something was attempted, oldest first.
    pub(crate) fn attempts_at(&self, kind: AttemptKind) -> impl Iterator<Item = Timestamp> + Clone + '_ {
        self.attempts.iter().filter(move |attempt| attempt.kind == kind).map(|attempt| attempt.at)
    }
}

impl SavedSession {
    /// A sequence that jumps further than this is damage: following it would make every later dispatch look like a repeat.
    pub const JUMP_MAX: u64 = 100_000;
}

impl fmt::Debug for SavedSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SavedSession").field("sequence", &self.sequence).field("began", &self.began).finish_non_exhaustive()
    }
}
