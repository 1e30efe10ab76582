use std::collections::BTreeMap;

use auk_gateway::{Bucket, Rate, Timestamp};

/// Decides which of many lines are said. Lines of one kind are folded: the first is said at once, repeats are counted and told with a
/// later one, after silences that grow. Over all kinds a bucket holds, whatever happens.
///
/// In any span of `t` ms at most `burst + t / interval_ms` lines are said, by the bucket alone.
#[derive(Clone, Debug)]
pub struct Folder {
    silences_ms: &'static [u64],
    bucket: Bucket,
    kinds: BTreeMap<String, Kind>,
}

/// How a [`Folder`] folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folding {
    /// Lines over all kinds.
    pub rate: Rate,
    /// Shortest time between the first line of a kind and the second, the second and the third, and so on; the last one stays.
    pub silences_ms: &'static [u64],
}

/// What a line that may be said has to add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// Lines of the same kind that were not said since the last one.
    pub folded: u64,
    /// How long ago the last one was, in ms.
    pub since_ms: u64,
}

#[derive(Clone, Debug)]
struct Kind {
    seen: Timestamp,
    said: Timestamp,
    times_said: usize,
    folded: u64,
}

/// A kind that did not come up for so long begins anew. Longer than the longest pause between two tries of the gateway's slow lane, so
/// that one trouble stays one.
const QUIET_MS: u64 = 20 * 60_000;

/// Kinds remembered. There are two dozen, and a dozen more for a group; what the platform makes up beyond them is bounded by the bucket.
const KINDS_MAX: usize = 256;

impl Folding {
    const MINUTE_MS: u64 = 60_000;

    /// For what an operator reads by default of the gateway, or of the bridge. In ten days at most 100 + 14,400 min / 10 min = 1,540 lines, which at
    /// [`Line::BYTES_MAX`](super::Line::BYTES_MAX) of 640 bytes are 985,600 bytes, under any fault. One outage of ten days is a line at
    /// its begin, after a minute, after ten more, then hourly: 243 with its end.
    pub const OPERATOR: Self = Self {
        rate: Rate { burst: 100, interval_ms: 10 * Self::MINUTE_MS },
        silences_ms: &[Self::MINUTE_MS, 10 * Self::MINUTE_MS, 60 * Self::MINUTE_MS],
    };

    /// For whoever looks for a reason: each event of a trouble that is not endless. In ten days at most 1,000 + 14,400 min / 1 min =
    /// 15,400 lines, 9.9 MB, beside those for the operator.
    pub const DETAILS: Self = Self { rate: Rate { burst: 1_000, interval_ms: Self::MINUTE_MS }, silences_ms: &[] };
}

impl Folder {
    /// A folder that has seen nothing.
    pub fn new(folding: Folding) -> Self {
        Self { silences_ms: folding.silences_ms, bucket: Bucket::new(folding.rate), kinds: BTreeMap::new() }
    }

    /// Whether a line of this kind is said at `now`. Numbers in `kind` that are no codes and no group's name make no difference.
    pub fn admit(&mut self, kind: &str, now: Timestamp) -> Option<Said> {
        self.admit_with(kind, 1, now)
    }

    /// The same for the first of two lines, the second of which is then always said, without being asked for.
    pub fn admit_pair(&mut self, kind: &str, now: Timestamp) -> Option<Said> {
        self.admit_with(kind, 2, now)
    }

    fn admit_with(&mut self, kind: &str, lines: u32, now: Timestamp) -> Option<Said> {
        let has_room = self.bucket.free_at(lines, now) <= now;
        let silences_ms = self.silences_ms;
        let kind = self.kind(kind, now);
        if now.since(kind.seen) >= QUIET_MS {
            kind.times_said = 0;
        }
        kind.seen = now;
        let silence_ms = match kind.times_said {
            0 => 0,
            said => silences_ms.get(said - 1).or(silences_ms.last()).copied().unwrap_or(0),
        };
        let since_ms = now.since(kind.said);
        if !has_room || since_ms < silence_ms {
            kind.folded += 1;
            return None;
        }
        kind.said = now;
        kind.times_said += 1;
        let folded = std::mem::take(&mut kind.folded);
        self.bucket.take(lines, now);
        Some(Said { folded, since_ms })
    }

    fn kind(&mut self, kind: &str, now: Timestamp) -> &mut Kind {
        let kind = normalised(kind);
        if self.kinds.len() >= KINDS_MAX && !self.kinds.contains_key(&kind) {
            let oldest = self.kinds.iter().min_by_key(|(_, kind)| kind.seen).map(|(name, _)| name.clone());
            oldest.and_then(|oldest| self.kinds.remove(&oldest));
        }
        self.kinds.entry(kind).or_insert(Kind { seen: now, said: now, times_said: 0, folded: 0 })
    }
}

/// Replaces whatever has a digit in it by `#`, unless the word before says that it is a code or a group: those make kinds, while sequences,
/// ports and ids make none.
fn normalised(kind: &str) -> String {
    const CODES: [&str; 4] = ["HTTP", "code", "err_code", "closed"];
    let mut before = "";
    let mut words = Vec::new();
    for word in kind.split_whitespace() {
        let is_code = CODES.contains(&before) && word.trim_end_matches(',').bytes().all(|byte| byte.is_ascii_digit());
        words.push(if is_code || before == "group" || !word.contains(|c: char| c.is_ascii_digit()) { word } else { "#" });
        before = word;
    }
    words.join(" ")
}
