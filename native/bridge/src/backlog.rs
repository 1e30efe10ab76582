use std::collections::VecDeque;

use crate::clean;
use crate::ledger::Mark;
use crate::words::Words;
use auk_gateway::Timestamp;

/// Lines in one message: about a telephone's screen, beyond which QQ folds the message.
const BATCH_LINES_MAX: usize = 20;

/// Characters in one message. The platform's limit is not published; senders that cut use 4000 to 5000, and a message this long
/// is folded anyway.
const BATCH_CHARS_MAX: usize = 1_500;

/// A message of so few characters that is still too long has something else wrong with it.
const BATCH_CHARS_MIN: usize = 100;

/// How slowly a limit that the platform lowered is tried again, for each message that arrived.
const BATCH_CHARS_STEP: usize = 25;

/// A line on its way to a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    text: String,
    since: Timestamp,
    /// Host names in it were rewritten.
    rewritten: bool,
    /// More of the same line follows; the last piece counts for all.
    is_piece: bool,
    /// Somebody waits to hear what becomes of it.
    mark: Option<Mark>,
}

/// Lines that go out as one message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    lines: Vec<Line>,
    /// Lines given up that the message tells of.
    untold: u64,
}

/// The lines that wait for one group, oldest first.
#[derive(Debug)]
pub(crate) struct Backlog {
    lines: VecDeque<Line>,
    /// Lines given up that the group was not told of.
    untold: u64,
    chars_max: usize,
}

impl Default for Backlog {
    fn default() -> Self {
        Self { lines: VecDeque::new(), untold: 0, chars_max: BATCH_CHARS_MAX }
    }
}

impl Line {
    /// A cleaned line.
    pub(crate) const fn new(text: String, since: Timestamp) -> Self {
        Self { text, since, rewritten: false, is_piece: false, mark: None }
    }

    /// A cleaned line of which somebody wants to hear.
    pub(crate) fn marked(text: String, mark: Mark, since: Timestamp) -> Self {
        Self { mark: Some(mark), ..Self::new(text, since) }
    }
}

impl Batch {
    /// One line by itself.
    pub(crate) fn single(line: Line) -> Self {
        Self { lines: vec![line], untold: 0 }
    }

    /// The line, if it is by itself and nothing else is told.
    pub(crate) fn as_single(&self) -> Option<&Line> {
        self.lines.first().filter(|_| self.lines.len() == 1 && self.untold == 0)
    }

    /// How many lines it counts for.
    pub(crate) fn count(&self) -> u64 {
        count(&self.lines)
    }

    /// The marks of the lines that it completes.
    pub(crate) fn marks(&self) -> impl Iterator<Item = Mark> {
        self.lines.iter().filter(|line| !line.is_piece).filter_map(|line| line.mark)
    }

    /// The text of the message.
    pub(crate) fn content(&self, words: &Words) -> String {
        let told = (self.untold > 0).then(|| words.fill("backlog-dropped", [("lines", self.untold.into())]));
        let lines: Vec<&str> = told.as_deref().into_iter().chain(self.lines.iter().map(|line| line.text.as_str())).collect();
        lines.join("\n")
    }

    /// Rewrites host names; false when that was done before.
    pub(crate) fn rewrite_hosts(&mut self) -> bool {
        let mut is_first_time = false;
        for line in self.lines.iter_mut().filter(|line| !line.rewritten) {
            line.text = clean::rewrite_hosts(&line.text);
            line.rewritten = true;
            is_first_time = true;
        }
        is_first_time
    }
}

impl Backlog {
    /// How many lines wait.
    pub(crate) fn count(&self) -> u64 {
        self.lines.iter().map(|line| u64::from(!line.is_piece)).sum()
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether the marked line waits.
    pub(crate) fn holds(&self, mark: Mark) -> bool {
        self.lines.iter().any(|line| line.mark == Some(mark))
    }

    /// When the oldest line came.
    pub(crate) fn oldest(&self) -> Option<Timestamp> {
        self.lines.front().map(|line| line.since)
    }

    /// Puts a line at the end.
    pub(crate) fn push(&mut self, line: Line) {
        self.lines.push_back(line);
    }

    /// Puts back what could not be sent, before everything else.
    pub(crate) fn put_back(&mut self, batch: Batch) {
        self.untold += batch.untold;
        for line in batch.lines.into_iter().rev() {
            self.lines.push_front(line);
        }
    }

    /// What a message that is lost would have told is still to be told.
    pub(crate) fn lose(&mut self, batch: &Batch) {
        self.untold += batch.untold;
    }

    /// Gives up the oldest lines beyond `lines_max` and those older than `age_ms_max`; returns how many.
    pub(crate) fn give_up(&mut self, lines_max: usize, age_ms_max: u64, now: Timestamp) -> u64 {
        let mut given_up = 0;
        while self.lines.len() > lines_max || self.oldest().is_some_and(|since| now.since(since) >= age_ms_max) {
            given_up += self.lines.pop_front().map_or(0, |line| u64::from(!line.is_piece));
        }
        self.untold += given_up;
        given_up
    }

    /// Gives up everything; returns how many.
    pub(crate) fn clear(&mut self) -> u64 {
        let given_up = self.count();
        self.lines.clear();
        given_up
    }

    /// Takes the oldest lines as one message, as many as fit.
    pub(crate) fn take(&mut self) -> Batch {
        let mut lines: Vec<Line> = Vec::new();
        let mut chars = 0;
        while let Some(next) = self.lines.front() {
            let length = next.text.chars().count();
            // Lines with rewritten hosts stay among themselves, so that a second refusal hits only those.
            let fits = lines.first().is_none_or(|first| chars + length <= self.chars_max && first.rewritten == next.rewritten);
            if !fits || lines.len() == BATCH_LINES_MAX {
                break;
            }
            // The line and the break after it.
            chars += length + 1;
            lines.extend(if length > self.chars_max { self.split_front() } else { self.lines.pop_front() });
        }
        Batch { lines, untold: std::mem::take(&mut self.untold) }
    }

    /// A message of this length was too long. Returns false when it cannot get much shorter.
    pub(crate) fn learn_too_long(&mut self, content: &str) -> bool {
        let chars = content.chars().count();
        self.chars_max = (chars / 2).clamp(BATCH_CHARS_MIN, BATCH_CHARS_MAX);
        // Twice, because half of it and the word about lines given up must be shorter than the whole.
        chars > 2 * BATCH_CHARS_MIN
    }

    /// A message arrived.
    pub(crate) fn learn_arrived(&mut self) {
        self.chars_max = (self.chars_max + BATCH_CHARS_STEP).min(BATCH_CHARS_MAX);
    }

    /// Cuts as much off the first line as one message holds.
    fn split_front(&mut self) -> Option<Line> {
        let mut rest = self.lines.pop_front()?;
        let cut = rest.text.char_indices().nth(self.chars_max).map_or(rest.text.len(), |(at, _)| at);
        let tail = rest.text.split_off(cut);
        self.lines.push_front(Line { text: tail, ..rest.clone() });
        rest.is_piece = true;
        Some(rest)
    }
}

fn count(lines: &[Line]) -> u64 {
    lines.iter().map(|line| u64::from(!line.is_piece)).sum()
}
