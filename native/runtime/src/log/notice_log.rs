use std::collections::BTreeSet;

use auk_bridge::{HoldCause, Notice};
use auk_gateway::{Language, Timestamp};

use super::line::{Level, Line};
use super::voice::Voice;

/// Turns the bridge's notices into log lines that an operator can live with: a group whose posts are refused all day is told of as often as
/// an outage is.
pub struct NoticeLog {
    voice: Voice,
    /// Whose hold was said, so that its end is said too.
    holds_said: BTreeSet<(String, HoldCause)>,
}

impl NoticeLog {
    /// A log that has heard nothing yet.
    pub fn new(language: Language) -> Self {
        Self { voice: Voice::new(language), holds_said: BTreeSet::new() }
    }

    /// Goes on in another language.
    pub fn set_language(&mut self, language: Language) {
        self.voice.language = language;
    }

    /// The line that a notice is worth, if any.
    pub fn note(&mut self, notice: &Notice, now: Timestamp) -> Option<Line> {
        let level = Level::of(notice.level());
        let line = Line::new(level, notice.words(self.voice.language));
        let kind = match notice {
            // They follow something that the owner does: a start, a reload, a stop.
            Notice::Settings(_) | Notice::NoGroups | Notice::LeftBehind { .. } => return Some(line),
            Notice::Held { group, cause, .. } if level != Level::Debug => return self.held(group, *cause, line, now),
            Notice::Released { group, cause } if self.holds_said.remove(&(group.clone(), *cause)) => return Some(line),
            Notice::Released { group, cause } => return self.voice.hush(&kind_of_hold("released", group, *cause), line, now),
            Notice::Held { group, cause, .. } => kind_of_hold("held", group, *cause),
            Notice::EventUnreadable { event, .. } => format!("unreadable {event}"),
            // Anybody can mention the bot in any group.
            Notice::GroupUnknown { .. } => "unknown group".to_owned(),
            Notice::GroupJoined { group } => format!("joined group {group}"),
            Notice::GroupLeft { group } => format!("left group {group}"),
            Notice::ActiveSwitched { group, allowed } => format!("active {allowed} group {group}"),
            Notice::Backlog { group, .. } => format!("backlog group {group}"),
            Notice::Refused { group, code, status, .. } => {
                format!("refused HTTP {status} code {} group {group}", code.unwrap_or_default())
            }
            Notice::Uncertain { group, .. } => format!("uncertain group {group}"),
        };
        if level == Level::Debug { self.voice.hush(&kind, line, now) } else { self.voice.say(&kind, line, now) }
    }

    fn held(&mut self, group: &str, cause: HoldCause, line: Line, now: Timestamp) -> Option<Line> {
        let kind = kind_of_hold("held", group, cause);
        match self.voice.say_pair(&kind, line, now) {
            Ok(line) => {
                self.holds_said.insert((group.to_owned(), cause));
                Some(line)
            }
            Err(line) => self.voice.hush(&kind, line, now),
        }
    }
}

fn kind_of_hold(what: &str, group: &str, cause: HoldCause) -> String {
    format!("{what} {cause:?} group {group}")
}
