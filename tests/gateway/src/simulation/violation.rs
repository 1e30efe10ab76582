use std::fmt;

/// A promise that was broken, when, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub promise: Promise,
    /// When, in ms of simulated time.
    pub at_ms: u64,
    /// What was seen.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} ms: {}", self.promise.sentence(), self.at_ms, self.detail)
    }
}

macro_rules! promises {
    ($($name:ident: $sentence:literal,)*) => {
        /// What the gateway promises, whatever happens. Each is checked after every step.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Promise {
            $(#[doc = $sentence] $name,)*
        }

        impl Promise {
            /// The promise in words.
            pub fn sentence(self) -> &'static str {
                match self {
                    $(Promise::$name => $sentence,)*
                }
            }
        }
    };
}

promises! {
    OneConnection: "at most one connection is open or opening",
    ConnectsWithinBound: "connects stay within their bound",
    LookUpsWithinBound: "address look-ups stay within their bound",
    TokenRequestsWithinBound: "token requests stay within their bound",
    IdentifiesWithinBound: "identifies stay within their bound",
    AllowanceRespected: "identifies stay within the allowance that the platform announced",
    HelloFirst: "nothing is sent before Hello",
    OneAuthentication: "a connection is authenticated once, before any heartbeat",
    TokenAlive: "no token is used that is known to be refused or expired",
    ResumeFromTheLast: "Resume names the session and the last sequence",
    IdentifyAfterInvalidSession: "after an invalid session the next authentication is an Identify",
    DeliveredOnce: "each dispatch is delivered once",
    DeliveredInOrder: "dispatches are delivered in order",
    HalfOpenLinkLeft: "a half-open link is left within two intervals",
    VerdictNotEarly: "no link is called dead before it was ready for an interval",
    HeartbeatsSpaced: "heartbeats keep their distance",
    StatesAreLeft: "every state but Halted is left by its deadline",
    SomethingDue: "something is due until the end",
    HaltedForAReason: "the session halts for a condition on the list only",
    BackoffHonoured: "the back-off is honoured until a session was stable",
    BackoffCleared: "a stable session clears the back-off",
    OldConnectionsIgnored: "what names another connection changes nothing",
    NoBusyLoop: "no step is repeated without time passing",
    QueuesWithinLimits: "every queue stays within its limit",
    QuietAfterRateLimit: "a look-up that was refused as too frequent is not repeated for a minute",
    ComesBack: "a session is live again soon after the last fault",
    StaysUp: "a live session without faults stays",
    SaidIsDelivered: "what is said after the faults is delivered",
    StopsInTime: "a stop ends within its time, and nothing follows",
    NothingConfided: "no secret and no chat text is in what is logged",
}
