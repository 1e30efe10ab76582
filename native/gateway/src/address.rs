use crate::answer::{AddressGrant, Denial};
use crate::limiter::Limiter;
use crate::{AddressEndpoint, Pace, SavedAddress, Timestamp};

/// What is known of the gateway's address, and when it may be asked for.
///
/// An address is used over reconnects. It is asked for again only when there is none, when connections to it failed twice in a row, when
/// it is a day old, or when the answer tells something else that is wanted; and while it cannot be asked for, the old one serves on.
#[derive(Clone, Debug)]
pub(crate) struct AddressBook {
    known: Option<Known>,
    endpoint: AddressEndpoint,
    pub(crate) limiter: Limiter,
    pub(crate) not_before: Timestamp,
}

#[derive(Clone, Debug)]
struct Known {
    url: String,
    learned: Timestamp,
    failures: u32,
}

/// Connect failures in a row after which the address itself is doubted.
const FAILURES_MAX: u32 = 2;

/// What to connect to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Known(String),
    LookUp(AddressEndpoint),
    Wait(Timestamp),
}

impl AddressBook {
    pub(crate) fn new(pace: &Pace) -> Self {
        Self { known: None, endpoint: AddressEndpoint::GatewayBot, limiter: Limiter::new(pace.look_ups), not_before: Timestamp::from_ms(0) }
    }

    /// Where to connect at `now`, or what must come first. `wants_look_up`: the allowance that comes with the address is needed.
    pub(crate) fn target(&self, pace: &Pace, wants_look_up: bool, now: Timestamp) -> Target {
        let is_fresh = |known: &&Known| known.failures < FAILURES_MAX && now.since(known.learned) < pace.address_age_ms_max;
        let fresh = self.known.as_ref().filter(|known| !wants_look_up && is_fresh(known));
        if let Some(known) = fresh {
            return Target::Known(known.url.clone());
        }
        let free = self.next_look_up(now);
        match &self.known {
            _ if free <= now => Target::LookUp(self.endpoint),
            Some(known) => Target::Known(known.url.clone()),
            None => Target::Wait(free),
        }
    }

    /// Takes over what an earlier process knew.
    pub(crate) fn restore(&mut self, address: Option<SavedAddress>, look_ups: impl Iterator<Item = Timestamp> + Clone, now: Timestamp) {
        self.known = address.map(|address| Known { url: address.url, learned: address.learned.min(now), failures: 0 });
        self.limiter.restore(look_ups, now);
    }

    pub(crate) fn look_up_begins(&mut self, now: Timestamp) {
        self.limiter.take(now);
    }

    pub(crate) fn granted(&mut self, grant: &AddressGrant, now: Timestamp) {
        self.known = Some(Known { url: grant.url.clone(), learned: now, failures: 0 });
        self.endpoint = AddressEndpoint::GatewayBot;
    }

    /// Takes note of a refusal. Returns whether the other endpoint is worth a try at once.
    pub(crate) fn denied(&mut self, denial: &Denial, pace: &Pace, now: Timestamp) -> bool {
        match denial {
            Denial::RateLimited { retry_after_ms } => {
                self.not_before = now + retry_after_ms.unwrap_or(0).max(pace.rate_limited_ms);
                false
            }
            Denial::TokenRefused | Denial::Operator { .. } => false,
            Denial::Transient(_) => {
                let was_first = self.endpoint == AddressEndpoint::GatewayBot;
                self.endpoint = match self.endpoint {
                    AddressEndpoint::GatewayBot => AddressEndpoint::Gateway,
                    AddressEndpoint::Gateway => AddressEndpoint::GatewayBot,
                };
                was_first
            }
        }
    }

    pub(crate) fn connect_failed(&mut self) {
        if let Some(known) = &mut self.known {
            known.failures += 1;
        }
    }

    pub(crate) fn connect_worked(&mut self) {
        if let Some(known) = &mut self.known {
            known.failures = 0;
        }
    }

    /// When the next look-up may come.
    pub(crate) fn next_look_up(&self, now: Timestamp) -> Timestamp {
        self.limiter.next_free(now).max(self.not_before)
    }

    pub(crate) fn has_known(&self) -> bool {
        self.known.is_some()
    }

    /// The operator asked for a try at once: the cool-down ends, the limiter stays.
    pub(crate) fn retry_at_once(&mut self, pace: &Pace, now: Timestamp) {
        self.not_before = now;
        self.limiter.set_rate(pace.look_ups);
    }

    /// Forgets the address: the hosts may have changed.
    pub(crate) fn forget(&mut self) {
        self.known = None;
        self.endpoint = AddressEndpoint::GatewayBot;
    }
}
