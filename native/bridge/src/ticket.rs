use std::collections::VecDeque;

use auk_gateway::Timestamp;

/// How often one group message may be answered (QQ bot docs, message overview, July 2026).
const USES_MAX: u32 = 5;

/// How long a group message may be answered: five minutes (same page), less ten seconds for the way there and back.
const GOOD_MS: u64 = (5 * 60 - 10) * 1_000;

/// 64 tickets are 320 answers in five minutes, more than a group can read.
const TICKETS_MAX: usize = 64;

/// The right to answer one message of the group.
#[derive(Debug)]
struct Ticket {
    msg_id: String,
    good_until: Timestamp,
    uses: u32,
    next_seq: u32,
}

/// One use of a ticket. Its number belongs to one content for good, so that a repeat can be told from a second answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TicketUse {
    /// The message that is answered.
    pub(crate) msg_id: String,
    /// The number of the answer, from 1.
    pub(crate) msg_seq: u32,
    /// From then on the platform may refuse it.
    pub(crate) good_until: Timestamp,
}

/// The messages of one group that may be answered, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Tickets(VecDeque<Ticket>);

impl Tickets {
    /// A message came that may be answered.
    pub(crate) fn admit(&mut self, msg_id: &str, now: Timestamp) {
        if self.0.iter().any(|ticket| ticket.msg_id == msg_id) {
            return;
        }
        self.0.retain(|ticket| now < ticket.good_until);
        if self.0.len() == TICKETS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(Ticket { msg_id: msg_id.to_owned(), good_until: now + GOOD_MS, uses: 0, next_seq: 1 });
    }

    /// Whether [`take`](Self::take) would give one.
    pub(crate) fn any_good(&self, now: Timestamp) -> bool {
        self.0.iter().any(|ticket| ticket.is_good(now))
    }

    /// A use of the oldest ticket that is still good.
    pub(crate) fn take(&mut self, now: Timestamp) -> Option<TicketUse> {
        self.0.iter_mut().find(|ticket| ticket.is_good(now)).map(Ticket::take)
    }

    /// A use of the ticket of one message.
    pub(crate) fn take_of(&mut self, msg_id: &str, now: Timestamp) -> Option<TicketUse> {
        self.find(msg_id).filter(|ticket| ticket.is_good(now)).map(Ticket::take)
    }

    /// The use never left; only its number is lost.
    pub(crate) fn give_back(&mut self, unused: &TicketUse) {
        if let Some(ticket) = self.find(&unused.msg_id) {
            ticket.uses = ticket.uses.saturating_sub(1);
        }
    }

    /// The platform says that the message cannot be answered any more.
    pub(crate) fn spend(&mut self, msg_id: &str) {
        if let Some(ticket) = self.find(msg_id) {
            ticket.uses = USES_MAX;
        }
    }

    fn find(&mut self, msg_id: &str) -> Option<&mut Ticket> {
        self.0.iter_mut().find(|ticket| ticket.msg_id == msg_id)
    }
}

impl Ticket {
    fn is_good(&self, now: Timestamp) -> bool {
        self.uses < USES_MAX && now < self.good_until
    }

    fn take(&mut self) -> TicketUse {
        let msg_seq = self.next_seq;
        self.uses += 1;
        self.next_seq += 1;
        TicketUse { msg_id: self.msg_id.clone(), msg_seq, good_until: self.good_until }
    }
}
