use auk_gateway::{Language, Timestamp};

use super::folder::{Folder, Folding, Said};
use super::line::{Level, Line};
use super::words;

/// Says lines to the operator as far as their kinds allow it, and the others to whoever looks for details.
pub(super) struct Voice {
    pub(super) language: Language,
    operator: Folder,
    details: Folder,
}

impl Voice {
    pub(super) fn new(language: Language) -> Self {
        Self { language, operator: Folder::new(Folding::OPERATOR), details: Folder::new(Folding::DETAILS) }
    }

    /// Says a line of this kind, or lowers it to a detail.
    pub(super) fn say(&mut self, kind: &str, line: Line, now: Timestamp) -> Option<Line> {
        match self.operator.admit(kind, now) {
            Some(said) => Some(self.unfold(line, said)),
            None => self.hush(kind, line, now),
        }
    }

    /// Says the first of two lines, the second of which may then be said without being asked for, or gives it back.
    pub(super) fn say_pair(&mut self, kind: &str, line: Line, now: Timestamp) -> Result<Line, Line> {
        match self.operator.admit_pair(kind, now) {
            Some(said) => Ok(self.unfold(line, said)),
            None => Err(line),
        }
    }

    /// Says a line as a detail, if there is room for it.
    pub(super) fn hush(&mut self, kind: &str, line: Line, now: Timestamp) -> Option<Line> {
        let said = self.details.admit(kind, now)?;
        Some(Line { level: Level::Debug, ..self.unfold(line, said) })
    }

    fn unfold(&self, mut line: Line, said: Said) -> Line {
        if said.folded > 0 {
            line.text.push_str(&words::more_like_this(said.folded, said.since_ms, self.language));
        }
        line
    }
}
