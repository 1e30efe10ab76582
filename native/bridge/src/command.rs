use std::collections::BTreeMap;

use crate::clean;
use crate::frame::Player;
use crate::ticket::TicketUse;
use crate::words::Words;
use auk_gateway::Timestamp;

/// A server that is alive answers within a tick or two; after three seconds a member of the group begins to wonder, and a server
/// that lags longer has nothing true to say about this moment.
const ANSWER_MS_MAX: u64 = 3_000;

/// Names beyond these fold the message on a telephone.
const NAMES_MAX: usize = 40;

/// A name in the game has up to 16 characters; proxies put a prefix before it.
const NAME_CHARS_MAX: usize = 32;

/// What a group can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Who is online.
    ListPlayers,
}

impl Command {
    /// The command that a text is, all of it.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let word = text.trim();
        let word = word.strip_prefix(['/', '／']).unwrap_or(word).trim();
        (word == "查在线" || word.eq_ignore_ascii_case("list")).then_some(Self::ListPlayers)
    }
}

/// A group that waits for an answer of the server.
#[derive(Debug)]
pub(crate) struct Asker {
    /// The group.
    pub(crate) group: String,
    /// The use of the asking message's own ticket that was kept for the answer.
    pub(crate) ticket: Option<TicketUse>,
    deadline: Timestamp,
}

/// The questions to the server that are open, by their number. A group has at most one.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    open: BTreeMap<u64, Asker>,
    last: u64,
}

impl Questions {
    /// Whether a group waits already; then the answer to come is also for who asks again.
    pub(crate) fn is_open(&self, group: &str) -> bool {
        self.open.values().any(|asker| asker.group == group)
    }

    /// Opens a question and returns its number.
    pub(crate) fn open(&mut self, group: String, ticket: Option<TicketUse>, now: Timestamp) -> u64 {
        self.last += 1;
        self.open.insert(self.last, Asker { group, ticket, deadline: now + ANSWER_MS_MAX });
        self.last
    }

    /// Closes a question that the server answered; `None` when it is closed already.
    pub(crate) fn close(&mut self, request: u64) -> Option<Asker> {
        self.open.remove(&request)
    }

    /// Closes a question that the server did not answer in time.
    pub(crate) fn close_late(&mut self, now: Timestamp) -> Option<Asker> {
        let late = self.open.iter().find(|(_, asker)| asker.deadline <= now).map(|(request, _)| *request)?;
        self.close(late)
    }

    /// When the first question is late.
    pub(crate) fn deadline(&self) -> Option<Timestamp> {
        self.open.values().map(|asker| asker.deadline).min()
    }
}

/// The answer to [`Command::ListPlayers`].
pub(crate) fn players_online(online: &[Player], max: i32, words: &Words) -> String {
    let names: Vec<String> = online.iter().take(NAMES_MAX).map(|player| clean::shorten(&clean::qq(&player.name), NAME_CHARS_MAX)).collect();
    let count = online.len();
    let key = match (count, count > NAMES_MAX) {
        (0, _) => "online-nobody",
        (_, false) => "online",
        (_, true) => "online-and-more",
    };
    let names = names.join(&words.text("name-separator"));
    words.fill(
        key,
        [("count", count.into()), ("max", max.max(0).into()), ("names", names.into()), ("more", count.saturating_sub(NAMES_MAX).into())],
    )
}
