//! `/auk test`: a line to each group, and what became of it.

use std::collections::BTreeMap;

use auk_gateway::{Language, Timestamp, post_advice};

use super::Answer;
use crate::frame::ToJava;
use crate::ledger::{Fate, Mark};
use crate::outbox::{Obstacle, Outbox, Shared};
use crate::words::words;

/// Whoever asked stands before a screen; a post is answered within a second or two, so what is not settled after this waits for something.
const ANSWER_MS_MAX: u64 = 10_000;

/// The trials that are not over, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Trials {
    open: Vec<Trial>,
    last_mark: u64,
}

#[derive(Debug)]
struct Trial {
    request: u64,
    deadline: Timestamp,
    lines: Vec<TestLine>,
}

#[derive(Debug)]
struct TestLine {
    openid: String,
    label: String,
    mark: Mark,
    verdict: Option<Verdict>,
}

/// What became of a line.
#[derive(Clone, Copy, Debug)]
enum Verdict {
    Settled(Fate),
    /// It was pushed out by others, or its group left the settings.
    GivenUp,
    /// It is kept, and goes out when this is over.
    Offline,
    /// It is kept, and goes out when this is over.
    Waits(Obstacle),
    /// QQ has not answered yet.
    Unanswered,
    /// It is kept, and others go out before it.
    Behind,
    Stopping,
}

impl Trials {
    /// Begins a trial of the groups, each an openid and a label. Returns each openid with the mark that its line is to bear.
    pub(crate) fn begin(&mut self, request: u64, groups: Vec<(String, String)>, now: Timestamp) -> Vec<(String, Mark)> {
        let mut lines = Vec::new();
        for (openid, label) in groups {
            self.last_mark += 1;
            lines.push(TestLine { openid, label, mark: Mark(self.last_mark), verdict: None });
        }
        let marked = lines.iter().map(|line| (line.openid.clone(), line.mark)).collect();
        self.open.push(Trial { request, deadline: now + ANSWER_MS_MAX, lines });
        marked
    }

    /// When the next trial is to be answered, whatever is known by then.
    pub(crate) fn deadline(&self) -> Option<Timestamp> {
        self.open.iter().map(|trial| trial.deadline).min()
    }

    /// Looks at every line; returns the answers to the trials that are over.
    pub(crate) fn judge(
        &mut self,
        fates: &BTreeMap<Mark, Fate>,
        outboxes: &BTreeMap<String, Outbox>,
        shared: &Shared,
        now: Timestamp,
    ) -> Vec<ToJava> {
        for trial in &mut self.open {
            for line in trial.lines.iter_mut().filter(|line| line.verdict.is_none()) {
                line.verdict = line.judge(fates, outboxes, shared, trial.deadline, now);
            }
        }
        self.close(shared.language, |trial| trial.lines.iter().all(|line| line.verdict.is_some()))
    }

    /// Ends all trials, because the bridge does; returns their answers.
    pub(crate) fn stop(&mut self, language: Language) -> Vec<ToJava> {
        for line in self.open.iter_mut().flat_map(|trial| &mut trial.lines) {
            line.verdict = line.verdict.or(Some(Verdict::Stopping));
        }
        self.close(language, |_| true)
    }

    fn close(&mut self, language: Language, is_over: impl Fn(&Trial) -> bool) -> Vec<ToJava> {
        let (over, open) = std::mem::take(&mut self.open).into_iter().partition(is_over);
        self.open = open;
        over.into_iter().map(|trial: Trial| trial.answer(language)).collect()
    }
}

impl Trial {
    fn answer(&self, language: Language) -> ToJava {
        let lines = self.lines.iter().map(|line| line.words(language)).collect();
        let all_arrived = self.lines.iter().all(|line| matches!(line.verdict, Some(Verdict::Settled(Fate::Arrived))));
        Answer { lines, failed: !all_arrived }.into_frame(self.request)
    }
}

impl TestLine {
    fn judge(
        &self,
        fates: &BTreeMap<Mark, Fate>,
        outboxes: &BTreeMap<String, Outbox>,
        shared: &Shared,
        deadline: Timestamp,
        now: Timestamp,
    ) -> Option<Verdict> {
        if let Some(fate) = fates.get(&self.mark) {
            return Some(Verdict::Settled(*fate));
        }
        let Some(outbox) = outboxes.get(&self.openid).filter(|outbox| outbox.holds(self.mark)) else { return Some(Verdict::GivenUp) };
        let is_late = deadline <= now;
        if outbox.is_in_flight() {
            return is_late.then_some(Verdict::Unanswered);
        }
        if !shared.is_up {
            return Some(Verdict::Offline);
        }
        match outbox.obstacle(shared, deadline, now) {
            Some(obstacle) => Some(Verdict::Waits(obstacle)),
            None => is_late.then_some(Verdict::Behind),
        }
    }

    fn words(&self, language: Language) -> String {
        let words = words(language);
        let verdict = match self.verdict {
            Some(Verdict::Settled(Fate::Arrived)) => words.text("test-arrived"),
            Some(Verdict::Settled(Fate::Refused { code, status })) => {
                words.fill("test-refused", [("advice", post_advice(status, code, language).into())])
            }
            Some(Verdict::Settled(Fate::Uncertain)) => words.text("test-uncertain"),
            Some(Verdict::GivenUp) => words.text("test-given-up"),
            Some(Verdict::Offline) => words.text("test-offline"),
            Some(Verdict::Waits(obstacle)) => words.fill("test-waits", [("obstacle", obstacle.words(language).into())]),
            // Only a trial whose lines are all judged is answered.
            Some(Verdict::Unanswered) | None => words.text("test-unanswered"),
            Some(Verdict::Behind) => words.text("test-behind"),
            Some(Verdict::Stopping) => words.text("command-stopping"),
        };
        words.fill("test-group", [("group", self.label.as_str().into()), ("verdict", verdict.into())])
    }
}
