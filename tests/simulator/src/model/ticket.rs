//! Reply tickets: what a post may answer, for how long, how often, and which pairs were used.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::Failure;
use super::clock::Millis;

/// The conversations a message can belong to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scene {
    /// A group, by its openid.
    Group(String),
    /// A single chat, by the user's openid.
    User(String),
}

/// What a post names as the thing it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Claim {
    Message(String),
    Event(String),
}

/// Windows and counts of a scene.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    pub(super) window_ms: u64,
    pub(super) replies_max: u32,
}

/// All tickets handed out with pushed messages and events.
#[derive(Debug, Default)]
pub(super) struct TicketBook {
    tickets: BTreeMap<String, Ticket>,
    used: BTreeSet<(String, i64)>,
}

#[derive(Debug)]
struct Ticket {
    scene: Scene,
    issued_at: Millis,
    replies: u32,
    repliable: bool,
}

impl TicketBook {
    /// Registers a message id or an event id. `repliable` is false for events that cannot be answered.
    pub(super) fn issue(&mut self, id: &str, scene: Scene, repliable: bool, now: Millis) {
        let ticket = Ticket { scene, issued_at: now, replies: 0, repliable };
        self.tickets.entry(id.to_owned()).or_insert(ticket);
    }

    /// Whether a reply may go out. A pair that was used is named first, since that answer means "already delivered".
    ///
    /// Which of two failures the real platform names is not documented.
    pub(super) fn check(&self, claim: &Claim, msg_seq: i64, scene: &Scene, allowance: Allowance, now: Millis) -> Result<(), Failure> {
        let id = claim.id();
        let ticket = self.tickets.get(id).filter(|ticket| ticket.scene == *scene);
        let Some(ticket) = ticket else {
            return Err(claim.invalid());
        };
        if !ticket.repliable {
            return Err(claim.not_repliable());
        }
        if self.used.contains(&(id.to_owned(), msg_seq)) {
            return Err(Failure::new(40_054_005, "消息被去重，请检查请求msgseq"));
        }
        if now >= ticket.issued_at + allowance.window_ms {
            return Err(claim.expired());
        }
        if ticket.replies >= allowance.replies_max {
            return Err(Failure::new(40_034_128, "被动回复时间或次数超限"));
        }
        Ok(())
    }

    /// Counts a reply that went out.
    pub(super) fn use_up(&mut self, claim: &Claim, msg_seq: i64) {
        if let Some(ticket) = self.tickets.get_mut(claim.id()) {
            ticket.replies += 1;
        }
        self.used.insert((claim.id().to_owned(), msg_seq));
    }
}

impl Claim {
    fn id(&self) -> &str {
        match self {
            Self::Message(id) | Self::Event(id) => id,
        }
    }

    fn invalid(&self) -> Failure {
        match self {
            Self::Message(_) => Failure::new(40_034_024, "请求参数msg_id无效或越权"),
            Self::Event(_) => Failure::new(40_034_025, "请求参数event_id无效"),
        }
    }

    fn expired(&self) -> Failure {
        match self {
            Self::Message(_) => Failure::new(40_034_005, "回复消息msg_id已过期"),
            Self::Event(_) => Failure::new(40_034_026, "请求参数event_id已过期"),
        }
    }

    fn not_repliable(&self) -> Failure {
        match self {
            Self::Message(_) => self.invalid(),
            Self::Event(_) => Failure::new(40_034_027, "该事件不支持回复消息"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Allowance, Claim, Scene, TicketBook};

    const GROUP: Allowance = Allowance { window_ms: 300_000, replies_max: 5 };

    fn book() -> (TicketBook, Claim, Scene) {
        let mut book = TicketBook::default();
        let scene = Scene::Group("g".to_owned());
        book.issue("m", scene.clone(), true, 0);
        (book, Claim::Message("m".to_owned()), scene)
    }

    fn code(result: Result<(), super::Failure>) -> i64 {
        result.map_or_else(|failure| failure.err_code, |()| 0)
    }

    #[test]
    fn five_replies_fit_within_five_minutes_and_no_sixth() {
        let (mut book, claim, scene) = book();
        for seq in 1..=5 {
            assert_eq!(code(book.check(&claim, seq, &scene, GROUP, 299_999)), 0);
            book.use_up(&claim, seq);
        }
        assert_eq!(code(book.check(&claim, 6, &scene, GROUP, 299_999)), 40_034_128);
    }

    #[test]
    fn a_used_pair_is_named_before_the_window_is_judged() {
        let (mut book, claim, scene) = book();
        book.use_up(&claim, 1);
        assert_eq!(code(book.check(&claim, 1, &scene, GROUP, 10)), 40_054_005);
        assert_eq!(code(book.check(&claim, 1, &scene, GROUP, 300_000)), 40_054_005);
        assert_eq!(code(book.check(&claim, 2, &scene, GROUP, 300_000)), 40_034_005);
    }

    #[test]
    fn a_ticket_of_another_scene_is_no_ticket() {
        let (mut book, claim, _) = book();
        let other = Scene::Group("h".to_owned());
        assert_eq!(code(book.check(&claim, 1, &other, GROUP, 0)), 40_034_024);
        let event = Claim::Event("GROUP_DEL_ROBOT:x".to_owned());
        assert_eq!(code(book.check(&event, 1, &other, GROUP, 0)), 40_034_025);
        book.issue("GROUP_DEL_ROBOT:x", other.clone(), false, 0);
        assert_eq!(code(book.check(&event, 1, &other, GROUP, 0)), 40_034_027);
    }
}
