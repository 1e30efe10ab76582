use std::fmt::{self, Display};

use auk_bridge::Level as NoticeLevel;

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// An operator should read it.
    Warn,
    /// Good to know.
    Info,
    /// For whoever looks for the reason of something.
    Debug,
}

impl Level {
    pub(super) const fn of(notice: NoticeLevel) -> Self {
        match notice {
            NoticeLevel::Warn => Self::Warn,
            NoticeLevel::Info => Self::Info,
            NoticeLevel::Debug => Self::Debug,
        }
    }
}

/// One line of the log. It prints as the text and each field as ` name=value`, at most [`Line::BYTES_MAX`] long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How much it matters.
    pub level: Level,
    /// What happened, in the operator's language.
    pub text: String,
    /// The details, in order. No secret is among them.
    pub fields: Vec<(&'static str, String)>,
}

impl Line {
    /// Longest line that is printed, in bytes. Above every line that is made here; what the platform says may be of any length.
    pub const BYTES_MAX: usize = 640;

    /// Hands the line on to whoever writes the log of this thread.
    pub(crate) fn write(&self) {
        match self.level {
            Level::Warn => tracing::warn!("{self}"),
            Level::Info => tracing::info!("{self}"),
            Level::Debug => tracing::debug!("{self}"),
        }
    }

    pub(super) fn new(level: Level, text: impl Into<String>) -> Self {
        Self { level, text: text.into(), fields: Vec::new() }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Display) -> Self {
        self.fields.push((name, value.to_string()));
        self
    }
}

impl Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = self.text.clone();
        for (name, value) in &self.fields {
            line.extend([" ", name, "=", value]);
        }
        if line.len() <= Self::BYTES_MAX {
            return f.write_str(&line);
        }
        let mut end = Self::BYTES_MAX - '…'.len_utf8();
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        write!(f, "{}…", &line[..end])
    }
}
