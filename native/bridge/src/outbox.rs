use std::collections::VecDeque;

use crate::backlog::{Backlog, Batch, Line};
use crate::hold::Hold;
use crate::ledger::{Fate, Ledger, Mark, Trouble};
use crate::notice::{HoldCause, Notice, hold_advice};
use crate::pace::Pace;
use crate::post::{Outcome, Post, PostId};
use crate::settings::Limits;
use crate::text::short_openid;
use crate::ticket::{TicketUse, Tickets};
use crate::words::words;
use auk_gateway::{HaltReason, Language, RefusalKind, Timestamp, judge_post};

/// Tries of one answer whose fate is unknown: after 2, 4 and 8 seconds, because a repeat within the five minutes is told from a
/// second answer by its number (QQ bot docs, group messages: `msg_seq`, July 2026).
const TRIES_MAX: u32 = 4;

/// The pause before the first repeat; each further one is twice as long.
const REPEAT_MS: u64 = 2_000;

/// Answers that wait for one group. Each needs a question of that group that is less than five minutes old.
const ANSWERS_MAX: usize = 20;

/// The way to one group: what waits, what is on its way, and the right to send.
#[derive(Debug)]
pub(crate) struct Outbox {
    group: String,
    state: State,
    answers: VecDeque<(Line, TicketUse)>,
    backlog: Backlog,
    tickets: Tickets,
    pace: Pace,
    active_allowed: bool,
    /// A pause of everything.
    hold: Option<Hold>,
    /// A pause of active messages.
    active_hold: Option<Hold>,
    /// Lines given up since the last message arrived. The log has the first of them at once, and the sum when the way is free again.
    given_up: u64,
}

/// One message is on its way at a time, so that lines arrive in their order.
#[derive(Debug)]
enum State {
    Idle,
    InFlight {
        post: PostId,
        flight: Flight,
    },
    /// Nobody knows whether it arrived; it goes again as it was.
    Repeating {
        flight: Flight,
        at: Timestamp,
    },
}

#[derive(Debug)]
struct Flight {
    batch: Batch,
    content: String,
    /// `None` is an active message.
    ticket: Option<TicketUse>,
    /// The ticket is the answered message's own.
    is_answer: bool,
    tries: u32,
    /// An earlier try may have arrived.
    is_unclear: bool,
}

/// What keeps the lines of the game from going out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Obstacle {
    /// A pause.
    Held(Hold),
    /// Only answers may go, and nobody has spoken in the group in the last minutes.
    NobodySpoke,
    /// As many messages went out as may in a minute.
    Pace,
}

impl Obstacle {
    /// What it is, and what to do.
    pub(crate) fn words(self, language: Language) -> String {
        match self {
            Obstacle::Held(hold) => hold_advice(hold.cause, hold.code, language),
            Obstacle::NobodySpoke => words(language).text("obstacle-nobody-spoke"),
            Obstacle::Pace => words(language).text("obstacle-pace"),
        }
    }
}

/// What all ways share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Whether the gateway session lives. What is sent without one is accepted and lost (field reports, 2026).
    pub(crate) is_up: bool,
    /// Active messages to all groups.
    pub(crate) pace: Pace,
    /// The settings' numbers.
    pub(crate) limits: Limits,
    /// The settings' language.
    pub(crate) language: Language,
    /// The last post's number.
    pub(crate) last_post: u64,
}

impl Shared {
    fn waiting_lines_max(&self) -> usize {
        usize::try_from(self.limits.waiting_lines_max).unwrap_or(usize::MAX)
    }

    fn waiting_ms_max(&self) -> u64 {
        u64::from(self.limits.waiting_minutes_max) * 60_000
    }
}

impl Outbox {
    /// The way to a group. Without `active_allowed` only answers go.
    pub(crate) fn new(group: &str, active_allowed: bool) -> Self {
        Self {
            group: group.to_owned(),
            state: State::Idle,
            answers: VecDeque::new(),
            backlog: Backlog::default(),
            tickets: Tickets::default(),
            pace: Pace::default(),
            active_allowed,
            hold: None,
            active_hold: None,
            given_up: 0,
        }
    }

    /// A message of the group came: the bot is in it, and with `msg_id` the message may be answered.
    pub(crate) fn hear(&mut self, msg_id: Option<&str>, now: Timestamp) {
        if let Some(msg_id) = msg_id {
            self.tickets.admit(msg_id, now);
        }
        self.hold = self.hold.filter(|hold| hold.cause != HoldCause::NotInGroup);
    }

    /// Keeps a use of a message's own ticket.
    pub(crate) fn reserve(&mut self, msg_id: &str, now: Timestamp) -> Option<TicketUse> {
        self.tickets.take_of(msg_id, now)
    }

    /// A cleaned line of the game.
    pub(crate) fn submit(&mut self, line: String, now: Timestamp) {
        self.backlog.push(Line::new(line, now));
    }

    /// A cleaned line of which somebody wants to hear.
    pub(crate) fn submit_marked(&mut self, line: String, mark: Mark, now: Timestamp) {
        self.backlog.push(Line::marked(line, mark, now));
    }

    /// Whether the marked line waits or is on its way.
    pub(crate) fn holds(&self, mark: Mark) -> bool {
        let is_on_its_way = match &self.state {
            State::Idle => false,
            State::InFlight { flight, .. } | State::Repeating { flight, .. } => flight.batch.marks().any(|own| own == mark),
        };
        is_on_its_way || self.backlog.holds(mark)
    }

    /// What keeps a line of the game from going out until after `until`, the lack of a gateway session and lines before it aside.
    pub(crate) fn obstacle(&self, shared: &Shared, until: Timestamp, now: Timestamp) -> Option<Obstacle> {
        let lasting = |hold: &Hold| hold.until > until;
        if let Some(hold) = self.hold.filter(lasting) {
            return Some(Obstacle::Held(hold));
        }
        if self.tickets.any_good(now) {
            return None;
        }
        match (self.active_hold.filter(lasting), self.active_at(shared, now)) {
            (Some(hold), _) => Some(Obstacle::Held(hold)),
            (None, None) => Some(Obstacle::NobodySpoke),
            (None, Some(at)) => (at > until).then_some(Obstacle::Pace),
        }
    }

    /// An answer to a message. Without its ticket it goes like any line.
    pub(crate) fn answer(&mut self, text: String, ticket: Option<TicketUse>, now: Timestamp) {
        let line = Line::new(text, now);
        match ticket {
            Some(ticket) => self.answers.push_back((line, ticket)),
            None => self.backlog.push(line),
        }
    }

    /// The group switched active messages on or off; returns whether that is news.
    pub(crate) fn allow_active(&mut self, allowed: bool) -> bool {
        if allowed {
            self.active_hold = None;
        }
        std::mem::replace(&mut self.active_allowed, allowed) != allowed
    }

    /// The platform was reached: a pause for the network is over.
    pub(crate) fn reach(&mut self) {
        self.hold = self.hold.filter(|hold| hold.cause != HoldCause::Network);
    }

    /// Somebody may have mended the cause: try at once.
    pub(crate) fn release(&mut self) {
        self.hold = None;
        self.active_hold = None;
    }

    /// Gives up what waits; returns how many lines. What is on its way stays there.
    pub(crate) fn clear(&mut self, ledger: &mut Ledger, now: Timestamp) -> u64 {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Repeating { flight, .. } => self.uncertain(&flight, ledger, now),
            state @ (State::Idle | State::InFlight { .. }) => self.state = state,
        }
        let lines = self.answers.drain(..).count() as u64 + self.backlog.clear();
        ledger.dropped += lines;
        lines
    }

    /// Lines that have neither arrived nor been given up.
    pub(crate) fn waiting(&self) -> u64 {
        let on_its_way = match &self.state {
            State::Idle => 0,
            State::InFlight { flight, .. } | State::Repeating { flight, .. } => flight.batch.count(),
        };
        self.answers.len() as u64 + self.backlog.count() + on_its_way
    }

    /// Whether a message is on its way.
    pub(crate) const fn is_in_flight(&self) -> bool {
        match self.state {
            State::InFlight { .. } => true,
            State::Idle | State::Repeating { .. } => false,
        }
    }

    /// When the oldest line came; the way that waited longest sends first.
    pub(crate) fn oldest(&self) -> Option<Timestamp> {
        self.backlog.oldest()
    }

    /// Gives up what waited too long or is too much.
    pub(crate) fn give_up(&mut self, shared: &Shared, ledger: &mut Ledger, now: Timestamp) {
        let mut lines = self.backlog.give_up(shared.waiting_lines_max(), shared.waiting_ms_max(), now);
        while self.answers.len() > ANSWERS_MAX || self.answers.front().is_some_and(|(_, ticket)| ticket.good_until <= now) {
            self.answers.pop_front();
            lines += 1;
        }
        ledger.dropped += lines;
        if lines > 0 && self.given_up == 0 {
            ledger.note(Notice::Backlog { group: short_openid(&self.group), lines });
        }
        self.given_up += lines;
    }

    /// Starts the next message, if one may go.
    pub(crate) fn advance(&mut self, shared: &mut Shared, now: Timestamp) -> Option<Post> {
        if self.send_at(shared, now).is_none_or(|at| at > now) {
            return None;
        }
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Repeating { flight, .. } => Some(self.launch(flight, shared)),
            State::Idle => {
                let flight = self.next_flight(shared, now);
                Some(self.launch(flight, shared))
            }
            state @ State::InFlight { .. } => {
                self.state = state;
                None
            }
        }
    }

    /// When something is to be done next if nothing happens.
    pub(crate) fn deadline(&self, shared: &Shared, now: Timestamp) -> Option<Timestamp> {
        let line = self.backlog.oldest().map(|since| since + shared.waiting_ms_max());
        let answer = self.answers.front().map(|(_, ticket)| ticket.good_until);
        [line, answer, self.send_at(shared, now)].into_iter().flatten().min()
    }

    /// A post ended; returns whether it was this way's.
    pub(crate) fn settle(&mut self, post: PostId, outcome: &Outcome, ledger: &mut Ledger, now: Timestamp) -> bool {
        let flight = match std::mem::replace(&mut self.state, State::Idle) {
            State::InFlight { post: own, flight } if own == post => flight,
            state @ (State::Idle | State::InFlight { .. } | State::Repeating { .. }) => {
                self.state = state;
                return false;
            }
        };
        match outcome {
            Outcome::Delivered { .. } => self.arrived(&flight, ledger),
            Outcome::Unreachable => {
                if let Some(ticket) = flight.ticket.as_ref().filter(|_| !flight.is_unclear && !flight.is_answer) {
                    self.tickets.give_back(ticket);
                }
                self.pause(flight, Reason::of(HoldCause::Network), ledger, now);
            }
            Outcome::Unknown => self.unclear(flight, ledger, now),
            Outcome::Refused { code, status, retry_after_ms, .. } => match judge_post(*status, *code) {
                None => self.unclear(flight, ledger, now),
                Some(kind) => {
                    let refusal = Refusal { kind, code: *code, status: *status, retry_after_ms: *retry_after_ms };
                    self.refused(flight, refusal, ledger, now);
                }
            },
        }
        true
    }

    /// When the next message may go; `None` when there is nothing, or only something else can change that.
    fn send_at(&self, shared: &Shared, now: Timestamp) -> Option<Timestamp> {
        if !shared.is_up {
            return None;
        }
        let free = self.hold.map_or(now, |hold| hold.until.max(now));
        match &self.state {
            State::InFlight { .. } => None,
            State::Repeating { at, .. } => Some(free.max(*at)),
            State::Idle if !self.answers.is_empty() => Some(free),
            State::Idle if self.backlog.is_empty() => None,
            State::Idle if self.tickets.any_good(now) => Some(free),
            State::Idle => self.active_at(shared, now).map(|at| free.max(at)),
        }
    }

    fn active_at(&self, shared: &Shared, now: Timestamp) -> Option<Timestamp> {
        if !self.active_allowed {
            return None;
        }
        let own = self.pace.free_at(shared.limits.active_per_minute, now)?;
        let total = shared.pace.free_at(shared.limits.active_per_minute_total, now)?;
        Some(self.active_hold.map_or(now, |hold| hold.until).max(own).max(total))
    }

    fn next_flight(&mut self, shared: &mut Shared, now: Timestamp) -> Flight {
        let answer = self.answers.pop_front();
        let is_answer = answer.is_some();
        let (batch, ticket) = match answer {
            Some((line, ticket)) => (Batch::single(line), Some(ticket)),
            None => (self.backlog.take(), self.tickets.take(now)),
        };
        if ticket.is_none() {
            self.pace.take(now);
            shared.pace.take(now);
        }
        let content = batch.content(words(shared.language));
        Flight { batch, content, ticket, is_answer, tries: 0, is_unclear: false }
    }

    fn launch(&mut self, mut flight: Flight, shared: &mut Shared) -> Post {
        flight.tries += 1;
        shared.last_post += 1;
        let id = PostId(shared.last_post);
        let post = Post {
            id,
            group_openid: self.group.clone(),
            content: flight.content.clone(),
            msg_id: flight.ticket.as_ref().map(|ticket| ticket.msg_id.clone()),
            msg_seq: flight.ticket.as_ref().map(|ticket| ticket.msg_seq),
        };
        self.state = State::InFlight { post: id, flight };
        post
    }

    fn arrived(&mut self, flight: &Flight, ledger: &mut Ledger) {
        ledger.posted += 1;
        ledger.settle(flight.batch.marks(), Fate::Arrived);
        let given_up = std::mem::take(&mut self.given_up);
        if given_up > 1 {
            ledger.note(Notice::Backlog { group: short_openid(&self.group), lines: given_up });
        }
        self.backlog.learn_arrived();
        // An answer says nothing about the way of active messages.
        let active_hold = if flight.ticket.is_none() { self.active_hold.take() } else { None };
        for hold in [self.hold.take(), active_hold].into_iter().flatten() {
            ledger.note(Notice::Released { group: short_openid(&self.group), cause: hold.cause });
        }
    }

    fn refused(&mut self, mut flight: Flight, refusal: Refusal, ledger: &mut Ledger, now: Timestamp) {
        let pause = |cause| Reason { cause, code: refusal.code, least_ms: refusal.retry_after_ms };
        match refusal.kind {
            RefusalKind::InAudit => self.arrived(&flight, ledger),
            // A second try's pair was there before: the first try had arrived.
            RefusalKind::Duplicate if flight.is_unclear => self.arrived(&flight, ledger),
            // The number says nothing about the first try.
            RefusalKind::Unexpected | RefusalKind::Unknown if flight.is_unclear => self.uncertain(&flight, ledger, now),
            RefusalKind::TicketSpent | RefusalKind::Duplicate => self.change_ticket(flight, refusal, ledger, now),
            RefusalKind::UrlRefused if flight.batch.rewrite_hosts() => self.backlog.put_back(flight.batch),
            RefusalKind::TooLong if self.backlog.learn_too_long(&flight.content) => self.backlog.put_back(flight.batch),
            RefusalKind::UrlRefused | RefusalKind::TooLong | RefusalKind::TextRefused | RefusalKind::Unexpected | RefusalKind::Unknown => {
                self.lose(&flight, refusal, ledger, now);
            }
            RefusalKind::ActiveQuota => self.pause(flight, pause(HoldCause::ActiveQuota), ledger, now),
            RefusalKind::ActiveForbidden => self.pause(flight, pause(HoldCause::ActiveForbidden), ledger, now),
            RefusalKind::RateLimited => self.pause(flight, pause(HoldCause::RateLimited), ledger, now),
            RefusalKind::Muted => self.pause(flight, pause(HoldCause::Muted), ledger, now),
            RefusalKind::NotInGroup => self.pause(flight, pause(HoldCause::NotInGroup), ledger, now),
            RefusalKind::BotDisabled | RefusalKind::Operator(HaltReason::BotBanned | HaltReason::BotDelisted) => {
                self.pause(flight, pause(HoldCause::BotDisabled), ledger, now);
            }
            RefusalKind::Transient => self.pause(flight, pause(HoldCause::PlatformTrouble), ledger, now),
            RefusalKind::TokenRefused
            | RefusalKind::Operator(
                HaltReason::CredentialsRefused
                | HaltReason::IntentsRefused
                | HaltReason::IdentifyRefused
                | HaltReason::AddressNotAllowed
                | HaltReason::ProtocolRefused,
            ) => self.pause(flight, pause(HoldCause::Unauthorized), ledger, now),
        }
    }

    /// The message that was answered cannot be answered (again): another ticket, or an active message.
    fn change_ticket(&mut self, flight: Flight, refusal: Refusal, ledger: &mut Ledger, now: Timestamp) {
        match &flight.ticket {
            // An earlier try may have arrived, and the platform may look at the ticket before it looks at the number.
            Some(_) if flight.is_unclear => self.uncertain(&flight, ledger, now),
            Some(ticket) => {
                self.tickets.spend(&ticket.msg_id);
                self.backlog.put_back(flight.batch);
            }
            // 22009 counts active messages as well (QQ bot docs, error-trace/openapi, 2025-04-21).
            None if refusal.kind == RefusalKind::TicketSpent => {
                let reason = Reason { cause: HoldCause::ActiveQuota, code: refusal.code, least_ms: refusal.retry_after_ms };
                self.pause(flight, reason, ledger, now);
            }
            None => self.lose(&flight, refusal, ledger, now),
        }
    }

    /// Nobody knows whether it arrived. An answer can be repeated under its number, an active message has none.
    fn unclear(&mut self, mut flight: Flight, ledger: &mut Ledger, now: Timestamp) {
        if flight.ticket.is_none() || flight.tries >= TRIES_MAX {
            self.uncertain(&flight, ledger, now);
            // What waits is not risked in the same trouble at once.
            self.hold_back(Reason::of(HoldCause::PlatformTrouble), false, ledger, now);
            return;
        }
        flight.is_unclear = true;
        let at = now + (REPEAT_MS << (flight.tries - 1));
        self.state = State::Repeating { flight, at };
    }

    /// Keeps the lines and sends nothing for a while.
    fn pause(&mut self, flight: Flight, reason: Reason, ledger: &mut Ledger, now: Timestamp) {
        let only_active = matches!(reason.cause, HoldCause::ActiveQuota | HoldCause::ActiveForbidden) && flight.ticket.is_none();
        let until = self.hold_back(reason, only_active, ledger, now);
        if flight.is_unclear && flight.tries >= TRIES_MAX {
            self.uncertain(&flight, ledger, now);
        } else if flight.is_unclear {
            self.state = State::Repeating { flight, at: until };
        } else {
            self.put_back(flight);
        }
    }

    fn put_back(&mut self, flight: Flight) {
        match (flight.ticket.filter(|_| flight.is_answer), flight.batch.as_single()) {
            (Some(ticket), Some(line)) => self.answers.push_front((line.clone(), ticket)),
            (_, _) => self.backlog.put_back(flight.batch),
        }
    }

    fn hold_back(&mut self, reason: Reason, only_active: bool, ledger: &mut Ledger, now: Timestamp) -> Timestamp {
        let place = if only_active { &mut self.active_hold } else { &mut self.hold };
        let hold = Hold::after(*place, reason.cause, reason.code, reason.least_ms, now);
        *place = Some(hold);
        if hold.is_first() {
            ledger.note(Notice::Held {
                group: short_openid(&self.group),
                cause: reason.cause,
                code: reason.code,
                retry_in_ms: hold.until.since(now),
            });
        }
        hold.until
    }

    fn uncertain(&mut self, flight: &Flight, ledger: &mut Ledger, now: Timestamp) {
        let lines = flight.batch.count();
        ledger.uncertain += lines;
        ledger.settle(flight.batch.marks(), Fate::Uncertain);
        ledger.note_trouble(Trouble::Uncertain, Notice::Uncertain { group: short_openid(&self.group), lines }, now);
    }

    fn lose(&mut self, flight: &Flight, refusal: Refusal, ledger: &mut Ledger, now: Timestamp) {
        let lines = flight.batch.count();
        self.backlog.lose(&flight.batch);
        ledger.dropped += lines;
        let Refusal { code, status, .. } = refusal;
        ledger.settle(flight.batch.marks(), Fate::Refused { code, status });
        ledger.note_trouble(Trouble::Refused, Notice::Refused { group: short_openid(&self.group), code, status, lines }, now);
    }
}

#[derive(Clone, Copy, Debug)]
struct Refusal {
    kind: RefusalKind,
    code: Option<i64>,
    status: u16,
    retry_after_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Reason {
    cause: HoldCause,
    code: Option<i64>,
    least_ms: Option<u64>,
}

impl Reason {
    const fn of(cause: HoldCause) -> Self {
        Self { cause, code: None, least_ms: None }
    }
}
