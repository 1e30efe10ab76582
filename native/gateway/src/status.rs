use serde::Serialize;

/// What a person would want to know of the session, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Status {
    /// One of `awaiting_token`, `awaiting_address`, `waiting`, `connecting`, `awaiting_hello`, `authenticating`, `ready`, `halted`,
    /// `stopping`, `stopped`.
    pub state: &'static str,
    /// Time in this state, in ms.
    pub since_ms: u64,
    /// What happens next by itself.
    pub deadline: Option<DeadlineStatus>,
    /// Attempts to connect.
    pub attempts: AttemptStatus,
    /// Whether there is a session that a new connection would resume.
    pub session: bool,
    /// Why the session only tries in the slow lane.
    pub halt: Option<HaltStatus>,
    /// Why the last connection or attempt ended, in the language asked for.
    pub last_loss: Option<String>,
}

/// The next thing that happens by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DeadlineStatus {
    /// What it is, such as `heartbeat` or `back-off`.
    pub reason: &'static str,
    /// When, in ms.
    pub in_ms: u64,
}

/// How often connecting was attempted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AttemptStatus {
    /// In the last 60 s.
    pub last_minute: usize,
    /// Since the start.
    pub total: u64,
}

/// Why the session halted, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HaltStatus {
    /// The condition's stable name.
    pub reason: &'static str,
    /// The advice in the language asked for.
    pub advice: &'static str,
}
