use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use auk_gateway::Timestamp;

/// The platform pushes a message more than once, above all when a session is resumed (QQ bot docs, message events, 2025-04-21).
/// It was seen to do so within seconds; ten minutes also outlast every ticket, so no message gets a second one.
const REMEMBERED_MS: u64 = 10 * 60 * 1_000;

/// About 3 MB of ids: thirty messages a second for ten minutes.
const REMEMBERED_MAX: usize = 20_000;

/// The ids of the messages handled lately.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    ids: BTreeSet<Arc<str>>,
    order: VecDeque<(Timestamp, Arc<str>)>,
}

impl Seen {
    /// Remembers `id`, and tells whether it is new.
    pub(crate) fn is_new(&mut self, id: &str, now: Timestamp) -> bool {
        self.forget(now);
        if self.ids.contains(id) {
            return false;
        }
        let id: Arc<str> = id.into();
        self.ids.insert(Arc::clone(&id));
        self.order.push_back((now, id));
        true
    }

    fn forget(&mut self, now: Timestamp) {
        while let Some((since, id)) = self.order.front() {
            if now.since(*since) < REMEMBERED_MS && self.order.len() < REMEMBERED_MAX {
                return;
            }
            self.ids.remove(id);
            self.order.pop_front();
        }
    }
}
