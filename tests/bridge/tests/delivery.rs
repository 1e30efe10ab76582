//! Whatever the platform answers, the books balance.

use std::collections::{BTreeMap, BTreeSet};

use auk_bridge::{Input, Outcome, Post, RefusalKind};
use auk_bridge_stories::{GROUP, MINUTE, SECOND, Stage, delivered, refused, settings, status};
use auk_gateway::CATALOGUE;
use auk_gateway::Timestamp;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

proptest! {
    #[test]
    fn every_line_arrives_once_and_in_order_or_is_counted_as_given_up_or_uncertain(steps in vec(step(), 1..160)) {
        let mut world = World::new();
        for step in steps {
            world.take(step);
            world.check()?;
        }
        world.calm();
        world.check()?;
        prop_assert_eq!(world.stage.status().waiting, 0, "when all is well again, nothing stays");
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// So many lines are said in the game.
    Chat(u64),
    /// A member speaks.
    Hear,
    /// The oldest post ends like this. `arrives` decides what really happened when nobody knows.
    Answer {
        outcome: Outcome,
        arrives: bool,
    },
    Wait(u64),
    Gateway(bool),
    Active(bool),
    Reload,
}

fn step() -> impl Strategy<Value = Step> {
    let codes: Vec<i64> = refusals().filter(|(_, kind)| *kind != RefusalKind::Duplicate).map(|(code, _)| code).collect();
    let outcome = prop_oneof![
        6 => Just(delivered()),
        2 => Just(Outcome::Unknown),
        2 => Just(Outcome::Unreachable),
        3 => proptest::sample::select(codes).prop_map(refused),
        1 => Just(refused(40054007)),
        1 => Just(refused(987_654_321)),
        1 => proptest::sample::select(vec![401, 404, 429, 500, 502]).prop_map(status),
    ];
    prop_oneof![
        6 => prop_oneof![4 => 1_u64..4, 1 => 1_u64..60].prop_map(Step::Chat),
        4 => Just(Step::Hear),
        12 => (outcome, any::<bool>()).prop_map(|(outcome, arrives)| Step::Answer { outcome, arrives }),
        6 => prop_oneof![0..5 * SECOND, 0..5 * MINUTE].prop_map(Step::Wait),
        1 => any::<bool>().prop_map(Step::Gateway),
        1 => any::<bool>().prop_map(Step::Active),
        1 => Just(Step::Reload),
    ]
}

/// A platform that keeps its own books.
struct World {
    stage: Stage,
    submitted: u64,
    /// When each message of a member came.
    heard: BTreeMap<String, Timestamp>,
    /// Lines that the platform took, in its order.
    arrived: Vec<u64>,
    /// When active messages began.
    active: Vec<Timestamp>,
    /// The content of every number that was ever posted.
    contents: BTreeMap<Number, String>,
    /// Numbers that reached the platform.
    seen: BTreeSet<Number>,
    /// Numbers whose content the platform took.
    taken: BTreeSet<Number>,
}

/// `msg_id` and `msg_seq`.
type Number = (String, u32);

impl World {
    fn new() -> Self {
        Self {
            stage: Stage::new(settings()),
            submitted: 0,
            heard: BTreeMap::new(),
            arrived: Vec::new(),
            active: Vec::new(),
            contents: BTreeMap::new(),
            seen: BTreeSet::new(),
            taken: BTreeSet::new(),
        }
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Chat(lines) => (0..lines).for_each(|_| self.chat()),
            Step::Hear => {
                let id = format!("m{}", self.heard.len());
                self.stage.member_says(&id, "x");
                self.heard.insert(id, self.stage.now());
            }
            Step::Answer { outcome, arrives } => {
                if let Some(post) = self.stage.posts.pop_front() {
                    let outcome = self.platform(&post, outcome, arrives);
                    self.stage.input(Input::Posted { post: post.id, outcome });
                }
            }
            Step::Wait(ms) => self.stage.wait(ms),
            Step::Gateway(true) => self.stage.input(Input::GatewayUp),
            Step::Gateway(false) => self.stage.input(Input::GatewayDown),
            Step::Active(true) => self.stage.dispatch("GROUP_MSG_RECEIVE", &json!({"group_openid": GROUP})),
            Step::Active(false) => self.stage.dispatch("GROUP_MSG_REJECT", &json!({"group_openid": GROUP})),
            Step::Reload => self.stage.input(Input::Reload(settings())),
        }
    }

    /// A line long enough to be split, whose last character is its number: however it is cut, the last piece has it whole.
    fn chat(&mut self) {
        let number = u32::try_from(self.submitted).ok().and_then(|number| char::from_u32(FIRST_NUMBER + number));
        self.stage.chat(&format!("{}{}", "x".repeat(120), number.expect("few lines")));
        self.submitted += 1;
    }

    /// The answer to a post. The platform takes no number twice and knows what it took.
    fn platform(&mut self, post: &Post, wanted: Outcome, arrives: bool) -> Outcome {
        let arrives = meaning(&wanted).unwrap_or(arrives);
        let Some(number) = post.msg_id.clone().zip(post.msg_seq) else {
            self.active.push(self.stage.began[&post.id]);
            self.arrived.extend(numbers(post).filter(|_| arrives));
            return wanted;
        };
        let content = self.contents.entry(number.clone()).or_insert_with(|| post.content.clone());
        assert_eq!(*content, post.content, "a number belongs to one content");
        if wanted != Outcome::Unreachable && self.seen.insert(number.clone()) {
            let age_ms = self.stage.began[&post.id].since(self.heard[&number.0]);
            assert!(age_ms <= 5 * MINUTE - 10 * SECOND, "{} was answered after {age_ms} ms", number.0);
        }
        if !self.taken.contains(&number) {
            if arrives {
                self.taken.insert(number);
                self.arrived.extend(numbers(post));
            }
            return wanted;
        }
        // The same content was good enough the first time; only what is not about the content can still be refused.
        if depends_on_content(&wanted) { refused(40054005) } else { wanted }
    }

    /// The platform works, everybody may speak, and time passes.
    fn calm(&mut self) {
        self.take(Step::Gateway(true));
        self.take(Step::Active(true));
        self.take(Step::Reload);
        for _ in 0..30 {
            while !self.stage.posts.is_empty() {
                self.take(Step::Answer { outcome: delivered(), arrives: true });
            }
            self.take(Step::Wait(MINUTE));
        }
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let status = self.stage.status();
        prop_assert!(self.stage.posts.len() <= 1, "one post is on its way");
        prop_assert!(self.arrived.windows(2).all(|pair| pair[0] < pair[1]), "once and in order: {:?}", self.arrived);
        prop_assert!(self.active.windows(21).all(|posts| posts[20].since(posts[0]) >= MINUTE), "{:?}", self.active);
        for msg_id in self.heard.keys() {
            let uses = self.seen.iter().filter(|(id, _)| id == msg_id).count();
            prop_assert!(uses <= 5, "{uses} answers to {msg_id}");
        }
        let accounted = status.waiting + status.dropped + status.uncertain;
        prop_assert!(accounted <= self.submitted, "{status:?} of {}", self.submitted);
        let believed = self.submitted - accounted;
        let arrived = u64::try_from(self.arrived.len()).expect("few lines");
        prop_assert!(believed <= arrived, "{believed} believed to have arrived, {arrived} did: {status:?}");
        // A line that nobody knows about, or whose repeat is under way, may have arrived.
        prop_assert!(arrived <= believed + status.uncertain + status.waiting, "{arrived} arrived of {believed}: {status:?}");
        Ok(())
    }
}

const FIRST_NUMBER: u32 = 0x4e00;

/// The lines that a post ends.
fn numbers(post: &Post) -> impl Iterator<Item = u64> {
    let last = |line: &str| line.chars().last().map(u32::from).filter(|last| *last >= FIRST_NUMBER);
    post.content.lines().filter_map(last).map(|last| u64::from(last - FIRST_NUMBER))
}

/// Whether the content was taken, as far as the outcome says.
fn meaning(outcome: &Outcome) -> Option<bool> {
    match outcome {
        Outcome::Delivered { .. } => Some(true),
        Outcome::Unknown | Outcome::Refused { code: None, status: 500.., .. } => None,
        Outcome::Unreachable => Some(false),
        Outcome::Refused { code, .. } => Some(kind(*code) == Some(RefusalKind::InAudit)),
    }
}

fn depends_on_content(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Delivered { .. } => true,
        Outcome::Unknown | Outcome::Unreachable => false,
        Outcome::Refused { code, .. } => {
            matches!(kind(*code), Some(RefusalKind::InAudit | RefusalKind::UrlRefused | RefusalKind::TooLong | RefusalKind::TextRefused))
        }
    }
}

/// The numbers of the catalogue that say something about a post, and what.
fn refusals() -> impl Iterator<Item = (i64, RefusalKind)> {
    let rows = CATALOGUE.call.rows.iter().filter(|row| !matches!(row.kind, RefusalKind::Unexpected | RefusalKind::Unknown));
    rows.flat_map(|row| row.codes().map(|code| (code, row.kind)))
}

fn kind(code: Option<i64>) -> Option<RefusalKind> {
    refusals().find(|(known, _)| Some(*known) == code).map(|(_, kind)| kind)
}
