//! Sessions: the sequence counter and the replay buffer of each.

use std::collections::VecDeque;

use super::clock::Millis;
use super::record::ConnId;

/// A frame whose sequence number is filled in when it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    /// The pieces between the places of the number.
    pieces: Vec<Vec<u8>>,
}

impl Template {
    /// Splits raw bytes at each `{{s}}`.
    pub(super) fn raw(bytes: &[u8]) -> Self {
        const MARK: &[u8] = b"{{s}}";
        let mut pieces = vec![Vec::new()];
        let mut rest = bytes;
        while let Some((&first, tail)) = rest.split_first() {
            if let Some(after) = rest.strip_prefix(MARK) {
                pieces.push(Vec::new());
                rest = after;
                continue;
            }
            if let Some(piece) = pieces.last_mut() {
                piece.push(first);
            }
            rest = tail;
        }
        Self { pieces }
    }

    /// A dispatch frame of the given name; `d` is JSON text.
    pub(super) fn dispatch(name: &str, event_id: &str, d: &str) -> Self {
        let head = format!("{{\"id\":{},\"op\":0,\"s\":", serde_json::Value::from(event_id));
        let tail = format!(",\"t\":{},\"d\":{d}}}", serde_json::Value::from(name));
        Self { pieces: vec![head.into_bytes(), tail.into_bytes()] }
    }

    pub(super) fn takes_number(&self) -> bool {
        self.pieces.len() > 1
    }

    pub(super) fn render(&self, s: u64) -> Vec<u8> {
        self.pieces.join(s.to_string().as_bytes())
    }
}

/// A session, live or waiting to be resumed.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) intents: u64,
    pub(super) created_at: Millis,
    pub(super) link: Link,
    /// No event is sent any more, although the link looks fine.
    pub(super) silent: bool,
    last_s: u64,
    buffer: VecDeque<Buffered>,
}

/// Whether a session has a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    Attached(ConnId),
    Detached { since: Millis },
}

#[derive(Debug)]
struct Buffered {
    s: u64,
    at: Millis,
    frame: Vec<u8>,
}

impl Session {
    pub(super) fn new(id: String, intents: u64, conn: ConnId, now: Millis) -> Self {
        Self { id, intents, created_at: now, link: Link::Attached(conn), silent: false, last_s: 0, buffer: VecDeque::new() }
    }

    pub(super) fn last_s(&self) -> u64 {
        self.last_s
    }

    pub(super) fn next_s(&mut self) -> u64 {
        self.last_s += 1;
        self.last_s
    }

    /// Keeps a frame for replay.
    pub(super) fn keep(&mut self, s: u64, frame: Vec<u8>, events_max: usize, now: Millis) {
        self.buffer.push_back(Buffered { s, at: now, frame });
        while self.buffer.len() > events_max {
            self.buffer.pop_front();
        }
    }

    /// The frames above `seq` that are not older than `age_ms`.
    pub(super) fn replay(&mut self, seq: u64, age_ms: u64, now: Millis) -> Vec<Vec<u8>> {
        while self.buffer.front().is_some_and(|first| first.at + age_ms < now) {
            self.buffer.pop_front();
        }
        let wanted = self.buffer.iter().filter(|kept| kept.s > seq);
        wanted.map(|kept| kept.frame.clone()).collect()
    }

    pub(super) fn buffered(&self) -> usize {
        self.buffer.len()
    }

    pub(super) fn conn(&self) -> Option<ConnId> {
        match self.link {
            Link::Attached(conn) => Some(conn),
            Link::Detached { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ConnId, Session, Template};

    #[test]
    fn a_raw_frame_keeps_its_bytes_and_gets_the_number_at_each_mark() {
        let raw = b"{\"s\":{{s}},\"d\":\"\\ud83d\\u0000\xff{{s}}\"}";
        let template = Template::raw(raw);
        assert!(template.takes_number());
        assert_eq!(template.render(42), b"{\"s\":42,\"d\":\"\\ud83d\\u0000\xff42\"}");
        assert!(!Template::raw(b"\x00\xfe{{s}").takes_number());
        assert_eq!(Template::raw(b"\x00\xfe{{s}").render(1), b"\x00\xfe{{s}");
    }

    #[test]
    fn chat_text_that_looks_like_the_mark_is_left_alone() {
        let frame = Template::dispatch("E", "E:1", "{\"content\":\"{{s}}\"}").render(3);
        assert_eq!(frame, br#"{"id":"E:1","op":0,"s":3,"t":"E","d":{"content":"{{s}}"}}"#);
    }

    #[test]
    fn replay_gives_what_is_above_the_sequence_and_young_enough() {
        let mut session = Session::new("id".to_owned(), 0, ConnId(1), 0);
        for at in [0, 1000, 2000] {
            let s = session.next_s();
            session.keep(s, vec![u8::try_from(s).unwrap()], 10, at);
        }
        assert_eq!(session.replay(1, 10_000, 2000), vec![vec![2], vec![3]]);
        // At 2500 with an age of 1500, the frame of 1000 is still in, that of 0 is not.
        assert_eq!(session.replay(0, 1500, 2500), vec![vec![2], vec![3]]);
        assert_eq!(session.replay(0, 100, 9000), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn a_full_buffer_loses_its_oldest_frame() {
        let mut session = Session::new("id".to_owned(), 0, ConnId(1), 0);
        for s in 1..=3 {
            session.keep(s, vec![u8::try_from(s).unwrap()], 2, 0);
        }
        assert_eq!(session.replay(0, 1000, 0), vec![vec![2], vec![3]]);
    }
}
