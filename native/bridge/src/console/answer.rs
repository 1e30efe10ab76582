use auk_gateway::Language;

use super::{Order, Subcommand};
use crate::frame::ToJava;
use crate::problem::Problem;
use crate::words::words;

/// What whoever typed a command is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// One line after the other.
    pub lines: Vec<String>,
    /// Whether the command did not do what it was asked for.
    pub failed: bool,
}

impl Answer {
    /// It did what it was asked for.
    pub const fn success(lines: Vec<String>) -> Self {
        Self { lines, failed: false }
    }

    /// It did not.
    pub fn failure(line: String) -> Self {
        Self { lines: vec![line], failed: true }
    }

    /// The commands and what they do.
    pub fn help(language: Language) -> Self {
        Self::success(Subcommand::ALL.map(|command| format!("{}: {}", command.usage(), command.help(language))).into())
    }

    /// Nothing more is done, because the bridge is about to end.
    pub fn stopping(language: Language) -> Self {
        Self::failure(words(language).text("command-stopping"))
    }

    /// The answer to an order while there is no bridge, because of `reason`; `None` for a reload, which may mend that.
    pub fn without_bridge(order: &Order, reason: &str, language: Language) -> Option<Self> {
        match order {
            Order::Help => Some(Self::help(language)),
            Order::Status => Some(Self { failed: false, ..Self::off(reason, language) }),
            Order::Reconnect | Order::Send { .. } | Order::Test => Some(Self::off(reason, language)),
            Order::Reload => None,
        }
    }

    /// The bridge is off, because of `reason`, and how to switch it on.
    pub fn off(reason: &str, language: Language) -> Self {
        let words = words(language);
        Self { lines: vec![words.fill("off-reason", [("reason", reason.into())]), words.text("off-advice")], failed: true }
    }

    /// The settings were read and are in use, `problems` aside.
    pub fn reloaded(groups: usize, problems: &[Problem], language: Language) -> Self {
        let mut lines = vec![words(language).fill("reload-taken", [("groups", groups.into())])];
        lines.extend(problems.iter().map(|problem| problem.words(language)));
        if groups == 0 {
            lines.push(words(language).text("notice-no-groups"));
        }
        Self::success(lines)
    }

    /// The settings cannot be used, because of `reason`, and those in use stay.
    pub fn not_reloaded(reason: &str, language: Language) -> Self {
        Self { lines: vec![reason.to_owned(), words(language).text("reload-refused")], failed: true }
    }

    /// Another connection was asked for while the gateway was in `state`, as its status names it.
    pub fn reconnected(state: &str, language: Language) -> Self {
        let words = words(language);
        match state {
            "ready" => Self::success(vec![words.text("reconnect-ready")]),
            "awaiting_address" | "connecting" | "awaiting_hello" | "authenticating" => {
                Self::success(vec![words.text("reconnect-under-way")])
            }
            "stopping" | "stopped" => Self::stopping(language),
            _ => Self::success(vec![words.text("reconnect-now")]),
        }
    }

    /// The frame that answers a request.
    pub fn into_frame(self, request: u64) -> ToJava {
        ToJava::Reply { request, lines: self.lines, failed: self.failed }
    }
}
