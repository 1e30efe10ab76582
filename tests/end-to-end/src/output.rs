//! The lines that a process writes, kept with the moment of their arrival.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::is_interrupted;

/// How long a wait goes on after an interrupt at most.
const INTERRUPT_CHECK: Duration = Duration::from_millis(200);

/// One line of a process.
#[derive(Debug, Clone)]
pub struct Line {
    /// When it was read.
    pub at: Instant,
    /// The line without its end. Bytes that are not UTF-8 are U+FFFD.
    pub text: String,
}

/// All lines of one stream, growing. A clone is the same stream.
#[derive(Debug, Clone, Default)]
pub struct Output(Arc<(Mutex<Lines>, Condvar)>);

#[derive(Debug, Default)]
struct Lines {
    lines: Vec<Line>,
    ended: bool,
}

impl Output {
    /// Starts to read `stream` on a thread of its own, until its end.
    pub(crate) fn read(stream: impl Read + Send + 'static) -> Self {
        let output = Self::default();
        let writer = output.clone();
        thread::spawn(move || {
            let mut reader = BufReader::new(stream);
            let mut bytes = Vec::new();
            while reader.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
                let text = String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned();
                writer.change(|lines| lines.lines.push(Line { at: Instant::now(), text }));
                bytes.clear();
            }
            writer.change(|lines| lines.ended = true);
        });
        output
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.with(|lines| lines.lines.len())
    }

    /// The lines from the `from`th on.
    pub fn since(&self, from: usize) -> Vec<Line> {
        self.with(|lines| lines.lines.get(from..).unwrap_or_default().to_vec())
    }

    /// The whole text, for messages and searches.
    pub fn text(&self) -> String {
        self.with(|lines| lines.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"))
    }

    /// The last `count` lines.
    pub fn tail(&self, count: usize) -> Vec<String> {
        self.with(|lines| lines.lines.iter().rev().take(count).rev().map(|line| line.text.clone()).collect())
    }

    /// Waits up to `limit` for a line from the `from`th on of which `pick` makes something; answers it with the line and its index.
    /// Gives up early when the stream ends, and after [`crate::interrupt`].
    pub fn wait<T>(&self, from: usize, limit: Duration, mut pick: impl FnMut(&str) -> Option<T>) -> Option<(usize, Line, T)> {
        let deadline = Instant::now() + limit;
        let mut next = from;
        let mut lines = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            while let Some(line) = lines.lines.get(next) {
                if let Some(found) = pick(&line.text) {
                    return Some((next, line.clone(), found));
                }
                next += 1;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if lines.ended || left.is_zero() || is_interrupted() {
                return None;
            }
            lines = self.0.1.wait_timeout(lines, left.min(INTERRUPT_CHECK)).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns whether the stream has ended and has no line from the `from`th on.
    pub fn is_over(&self, from: usize) -> bool {
        self.with(|lines| lines.ended && lines.lines.len() <= from)
    }

    /// Returns whether the stream has ended, as it does with the process.
    pub fn has_ended(&self) -> bool {
        self.with(|lines| lines.ended)
    }

    fn with<T>(&self, look: impl FnOnce(&Lines) -> T) -> T {
        look(&self.0.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut Lines)) {
        change(&mut self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.1.notify_all();
    }
}
