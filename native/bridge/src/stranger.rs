use std::collections::BTreeMap;

use auk_gateway::Timestamp;

/// A group that is not set up is told how, and then left alone for ten minutes: who reads it once knows.
const SILENT_MS: u64 = 10 * 60 * 1_000;

/// More unknown groups than this within ten minutes get no answer; a bot in so many groups is not one server's.
const GROUPS_MAX: usize = 1_000;

/// The groups that mentioned the bot and are not in the settings, with the time of the last answer.
#[derive(Debug, Default)]
pub(crate) struct Strangers(BTreeMap<String, Timestamp>);

impl Strangers {
    /// Whether a group is to be answered; then it counts as answered.
    pub(crate) fn may_answer(&mut self, group: &str, now: Timestamp) -> bool {
        self.0.retain(|_, at| now.since(*at) < SILENT_MS);
        if self.0.contains_key(group) || self.0.len() >= GROUPS_MAX {
            return false;
        }
        self.0.insert(group.to_owned(), now);
        true
    }
}
