use std::fmt;

use crate::problem::Problem;
use crate::words::words;
use auk_gateway::{CATALOGUE, Language, RefusalKind, post_advice};

/// Something for the log. It never holds a chat line, and of an openid only the first characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The settings are not as their owner meant them.
    Settings(Problem),
    /// No group is set up.
    NoGroups,
    /// An event of the gateway could not be read.
    EventUnreadable {
        /// Its name.
        event: String,
        /// What was wrong with it.
        cause: String,
    },
    /// The bot was mentioned in a group that the settings do not name; the group was told how to add itself.
    GroupUnknown {
        /// The group.
        group: String,
    },
    /// The bot was added to a group.
    GroupJoined {
        /// The group.
        group: String,
    },
    /// The bot was removed from a group.
    GroupLeft {
        /// The group.
        group: String,
    },
    /// The group's owner switched active messages on or off.
    ActiveSwitched {
        /// The group.
        group: String,
        /// Whether they are allowed.
        allowed: bool,
    },
    /// Nothing is sent to a group for a while; the lines are kept.
    Held {
        /// The group.
        group: String,
        /// Why.
        cause: HoldCause,
        /// The platform's code, if there was one.
        code: Option<i64>,
        /// How long, at first.
        retry_in_ms: u64,
    },
    /// The way to a group is free again.
    Released {
        /// The group.
        group: String,
        /// What held it.
        cause: HoldCause,
    },
    /// Lines were given up because too many waited or they waited too long.
    Backlog {
        /// The group.
        group: String,
        /// How many.
        lines: u64,
    },
    /// The platform refused a message for good.
    Refused {
        /// The group.
        group: String,
        /// The platform's code, if there was one.
        code: Option<i64>,
        /// The HTTP status.
        status: u16,
        /// How many lines the message held.
        lines: u64,
    },
    /// Nobody knows whether a message arrived, and it is not repeated, because it could appear twice.
    Uncertain {
        /// The group.
        group: String,
        /// How many lines the message held.
        lines: u64,
    },
    /// Lines that could not be sent before the end.
    LeftBehind {
        /// How many.
        lines: u64,
    },
}

/// Why nothing is sent to a group for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HoldCause {
    /// The platform cannot be reached.
    Network,
    /// The platform has trouble of its own.
    PlatformTrouble,
    /// Too many calls.
    RateLimited,
    /// The token or the caller's address was not accepted.
    Unauthorized,
    /// Too many active messages.
    ActiveQuota,
    /// Active messages are not allowed.
    ActiveForbidden,
    /// The bot may not speak in the group.
    Muted,
    /// The bot is not in the group, or the openid is not one of this bot's groups.
    NotInGroup,
    /// The bot may not send at all.
    BotDisabled,
}

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Unusual, and somebody should know.
    Warn,
    /// Rare and worth knowing.
    Info,
    /// For whoever looks for a fault.
    Debug,
}

impl HoldCause {
    /// Whether it passes by itself.
    pub const fn passes(self) -> bool {
        match self {
            HoldCause::Network | HoldCause::PlatformTrouble | HoldCause::RateLimited => true,
            HoldCause::Unauthorized
            | HoldCause::ActiveQuota
            | HoldCause::ActiveForbidden
            | HoldCause::Muted
            | HoldCause::NotInGroup
            | HoldCause::BotDisabled => false,
        }
    }

    /// Why and what to do, in words for the owner.
    pub fn words(self, language: Language) -> String {
        let kind = match self {
            HoldCause::Network => return words(language).text("hold-network"),
            HoldCause::PlatformTrouble => RefusalKind::Transient,
            HoldCause::RateLimited => RefusalKind::RateLimited,
            HoldCause::Unauthorized => RefusalKind::TokenRefused,
            HoldCause::ActiveQuota => RefusalKind::ActiveQuota,
            HoldCause::ActiveForbidden => RefusalKind::ActiveForbidden,
            HoldCause::Muted => RefusalKind::Muted,
            HoldCause::NotInGroup => RefusalKind::NotInGroup,
            HoldCause::BotDisabled => RefusalKind::BotDisabled,
        };
        kind.advice(language).to_owned()
    }
}

impl Notice {
    /// How much it matters.
    pub const fn level(&self) -> Level {
        match self {
            Notice::Settings(_)
            | Notice::EventUnreadable { .. }
            | Notice::GroupLeft { .. }
            | Notice::Backlog { .. }
            | Notice::Refused { .. }
            | Notice::Uncertain { .. }
            | Notice::LeftBehind { .. } => Level::Warn,
            Notice::NoGroups | Notice::GroupUnknown { .. } | Notice::GroupJoined { .. } | Notice::ActiveSwitched { .. } => Level::Info,
            Notice::Held { cause, .. } if cause.passes() => Level::Debug,
            Notice::Held { .. } => Level::Warn,
            Notice::Released { cause, .. } if cause.passes() => Level::Debug,
            Notice::Released { .. } => Level::Info,
        }
    }

    /// The notice in words for the owner.
    pub fn words(&self, language: Language) -> String {
        let words = words(language);
        match self {
            Notice::Settings(problem) => problem.words(language),
            Notice::NoGroups => words.text("notice-no-groups"),
            Notice::EventUnreadable { event, cause } => {
                words.fill("notice-event-unreadable", [("event", event.into()), ("cause", cause.into())])
            }
            Notice::GroupUnknown { group } => words.fill("notice-group-unknown", [("group", group.into())]),
            Notice::GroupJoined { group } => words.fill("notice-group-joined", [("group", group.into())]),
            Notice::GroupLeft { group } => words.fill("notice-group-left", [("group", group.into())]),
            Notice::ActiveSwitched { group, allowed: true } => words.fill("notice-active-on", [("group", group.into())]),
            Notice::ActiveSwitched { group, allowed: false } => words.fill("notice-active-off", [("group", group.into())]),
            Notice::Held { group, cause, code, retry_in_ms } => words.fill(
                "notice-held",
                [
                    ("group", group.into()),
                    ("code", code_text(*code).into()),
                    ("seconds", retry_in_ms.div_ceil(1_000).into()),
                    ("advice", hold_advice(*cause, *code, language).into()),
                ],
            ),
            Notice::Released { group, .. } => words.fill("notice-released", [("group", group.into())]),
            Notice::Backlog { group, lines } => words.fill("notice-backlog", [("group", group.into()), ("lines", (*lines).into())]),
            Notice::Refused { group, code, status, lines } => words.fill(
                "notice-refused",
                [
                    ("group", group.into()),
                    ("code", code_text(*code).into()),
                    ("status", (*status).into()),
                    ("lines", (*lines).into()),
                    ("advice", post_advice(*status, *code, language).into()),
                ],
            ),
            Notice::Uncertain { group, lines } => words.fill("notice-uncertain", [("group", group.into()), ("lines", (*lines).into())]),
            Notice::LeftBehind { lines } => words.fill("notice-left-behind", [("lines", (*lines).into())]),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(Language::EnUs))
    }
}

/// Why nothing is sent and what to do. The code may know more than the cause.
pub(crate) fn hold_advice(cause: HoldCause, code: Option<i64>, language: Language) -> String {
    let row = code.and_then(|code| CATALOGUE.call.find(code));
    row.map_or_else(|| cause.words(language), |row| row.advice(language).to_owned())
}

/// As text, because a code is a name and must not be written like an amount.
fn code_text(code: Option<i64>) -> String {
    code.map_or_else(|| "-".to_owned(), |code| code.to_string())
}
