use std::time::{Duration, Instant};

use auk_gateway::{Event, Language, LossCause, Setback};

use super::words;
use crate::elapsed::elapsed_ms;

/// Turns the gateway's events into log lines that an operator can live with: one line when the session is gone, one when it is back, one
/// when the operator must act. What repeats in between goes to DEBUG, and so does a loss that the first attempt mends: the platform
/// recycles connections every half hour.
pub(super) struct EventLog {
    language: Language,
    hosts: Hosts,
    outage: Option<Outage>,
    was_ready: bool,
    /// The token cannot be renewed while the session lives, and that was said.
    renewal_warned: bool,
    odd_hello_said: bool,
    unreadable: Unreadable,
}

/// Who is asked, for the lines that say who did not answer.
pub(super) struct Hosts {
    pub(super) token: String,
    pub(super) api: String,
    pub(super) gateway: String,
}

struct Outage {
    began: Instant,
    attempts_failed: u32,
    /// It was said at WARN, so its end is said too.
    warned: bool,
}

/// Frames that could not be read: said once a minute at most, with their number.
#[derive(Default)]
struct Unreadable {
    count: u64,
    said: Option<Instant>,
}

/// A wait behind a brake that is worth a line of its own.
const LONG_WAIT_MS: u64 = 600_000;

const UNREADABLE_SILENCE: Duration = Duration::from_secs(60);

impl EventLog {
    pub(super) fn new(language: Language, hosts: Hosts) -> Self {
        Self {
            language,
            hosts,
            outage: None,
            was_ready: false,
            renewal_warned: false,
            odd_hello_said: false,
            unreadable: Unreadable::default(),
        }
    }

    /// The gateway's address is known only here.
    pub(super) fn connecting(&mut self, url: &str) {
        let host = url.split("://").nth(1).and_then(|rest| rest.split(['/', ':']).next());
        self.hosts.gateway = host.unwrap_or_default().to_owned();
    }

    pub(super) fn note(&mut self, event: &Event) {
        match event {
            Event::Ready { bot_name } => self.ready(bot_name.as_deref()),
            Event::Resumed { replayed } => self.resumed(*replayed),
            Event::Lost { cause, retry_in_ms, session_kept } => self.lost(cause, *retry_in_ms, *session_kept),
            Event::SetBack { setback, retry_in_ms } => self.set_back(setback, *retry_in_ms),
            Event::Halted { reason, detail, retry_in_ms, repeated } => {
                self.failed().warned = true;
                let advice = reason.advice(self.language);
                if *repeated {
                    tracing::debug!(%reason, detail, retry_in_ms, "still refused");
                } else {
                    tracing::warn!(%reason, detail, retry_in_ms, "{advice}");
                }
            }
            Event::OddHello => {
                if !std::mem::replace(&mut self.odd_hello_said, true) {
                    tracing::warn!("{}", words::odd_hello(self.language));
                }
            }
            Event::UnreadableFrame { bytes } => self.unreadable.note(*bytes, self.language),
            Event::Stopped => tracing::debug!("session ended"),
            Event::Dispatch(dispatch) => tracing::trace!(event = dispatch.name, sequence = dispatch.sequence, "dispatch"),
        }
    }

    fn ready(&mut self, bot_name: Option<&str>) {
        let (outage_ms, attempts_failed, _) = self.back();
        let words = words::connected(self.language);
        tracing::info!(bot = bot_name.unwrap_or("?"), outage_ms, attempts_failed, "{words}");
    }

    fn resumed(&mut self, replayed: u64) {
        let (outage_ms, attempts_failed, warned) = self.back();
        if warned {
            let words = words::connected_again(self.language);
            tracing::info!(replayed, outage_ms, attempts_failed, "{words}");
        } else {
            tracing::debug!(replayed, outage_ms, "session resumed");
        }
    }

    fn lost(&mut self, cause: &LossCause, retry_in_ms: u64, session_kept: bool) {
        let was_ready = self.was_ready;
        let outage = self.failed();
        let may_be_mended_at_once = retry_in_ms == 0 && outage.attempts_failed == 1;
        let is_news = !outage.warned && !may_be_mended_at_once;
        outage.warned |= is_news;
        let host = &self.hosts.gateway;
        match (is_news, was_ready) {
            (true, true) => tracing::warn!(host, %cause, retry_in_ms, session_kept, "{}", words::connection_lost(self.language)),
            (true, false) => tracing::warn!(host, %cause, retry_in_ms, "{}", words::patience(self.language)),
            (false, _) => tracing::debug!(host, %cause, retry_in_ms, session_kept, "connection lost or not made"),
        }
    }

    fn set_back(&mut self, setback: &Setback, retry_in_ms: u64) {
        let (host, reason) = self.describe(setback);
        let is_live = self.was_ready && self.outage.is_none();
        let (is_news, words) = match setback {
            Setback::Renewal(reason, _) => (!std::mem::replace(&mut self.renewal_warned, true), reason.advice(self.language)),
            Setback::SameDeadToken => (!std::mem::replace(&mut self.renewal_warned, true), words::dead_token(self.language)),
            // The session lives on the old token; it is news once.
            Setback::Token(_) if is_live => (!std::mem::replace(&mut self.renewal_warned, true), words::patience(self.language)),
            Setback::Address(_) | Setback::AddressRateLimited if is_live => (false, words::patience(self.language)),
            Setback::Braked(_) => {
                self.failed();
                (retry_in_ms >= LONG_WAIT_MS, words::allowance(self.language))
            }
            Setback::Token(_) | Setback::Address(_) | Setback::AddressRateLimited => {
                let outage = self.failed();
                (!std::mem::replace(&mut outage.warned, true), words::patience(self.language))
            }
        };
        if is_news {
            tracing::warn!(host, reason, retry_in_ms, "{words}");
        } else {
            tracing::debug!(host, reason, retry_in_ms, "a step failed");
        }
    }

    fn describe<'a>(&self, setback: &'a Setback) -> (String, &'a str) {
        match setback {
            Setback::Token(why) => (self.hosts.token.clone(), why),
            Setback::Renewal(_, detail) => (self.hosts.token.clone(), detail),
            Setback::SameDeadToken => (self.hosts.token.clone(), "it hands out a token that the platform refuses"),
            Setback::Address(why) => (self.hosts.api.clone(), why),
            Setback::AddressRateLimited => (self.hosts.api.clone(), "asked for the gateway's address too often"),
            Setback::Braked(brake) => (self.hosts.api.clone(), brake),
        }
    }

    /// Ends the outage: how long it was, how many attempts failed, and whether it was said.
    fn back(&mut self) -> (u64, u32, bool) {
        self.was_ready = true;
        self.renewal_warned = false;
        self.outage.take().map_or((0, 0, false), |outage| {
            let outage_ms = elapsed_ms(outage.began);
            (outage_ms, outage.attempts_failed, outage.warned)
        })
    }

    fn failed(&mut self) -> &mut Outage {
        let outage = self.outage.get_or_insert_with(|| Outage { began: Instant::now(), attempts_failed: 0, warned: false });
        outage.attempts_failed += 1;
        outage
    }
}

impl Unreadable {
    fn note(&mut self, bytes: usize, language: Language) {
        self.count += 1;
        if self.said.is_some_and(|said| said.elapsed() < UNREADABLE_SILENCE) {
            return;
        }
        self.said = Some(Instant::now());
        let frames = std::mem::take(&mut self.count);
        tracing::warn!(frames, bytes, "{}", words::unreadable(language));
    }
}
