use std::time::{Duration, Instant};

use auk_gateway::{Event, Language, Setback};

/// Turns the gateway's events into log lines that an operator can live with: one line when the session is lost, one when it is back,
/// one when the operator must act. What repeats in between goes to DEBUG.
pub(super) struct EventLog {
    language: Language,
    hosts: Hosts,
    outage: Option<Outage>,
    was_ready: bool,
    renewal_refused: bool,
    unreadable: Unreadable,
}

/// Who is asked, for the lines that say who did not answer.
pub(super) struct Hosts {
    pub(super) token: String,
    pub(super) api: String,
}

struct Outage {
    began: Instant,
    attempts_failed: u32,
}

/// Frames that could not be read: said once a minute at most, with their number.
#[derive(Default)]
struct Unreadable {
    count: u64,
    said: Option<Instant>,
}

const UNREADABLE_SILENCE: Duration = Duration::from_secs(60);

impl EventLog {
    pub(super) fn new(language: Language, hosts: Hosts) -> Self {
        Self { language, hosts, outage: None, was_ready: false, renewal_refused: false, unreadable: Unreadable::default() }
    }

    pub(super) fn note(&mut self, event: &Event) {
        match event {
            Event::Ready { bot_name } => {
                let bot = bot_name.as_deref().unwrap_or("?");
                self.back(|outage_ms, attempts_failed| tracing::info!(bot, outage_ms, attempts_failed, "connected, new session"));
            }
            Event::Resumed { replayed } => self.resumed(*replayed),
            Event::Lost { cause, retry_in_ms, session_kept } => {
                let is_planned = *retry_in_ms == 0 && self.outage.is_none();
                self.failed(|is_first| {
                    if is_first && !is_planned {
                        tracing::warn!(%cause, retry_in_ms, session_kept, "connection lost");
                    } else {
                        tracing::debug!(%cause, retry_in_ms, session_kept, "attempt failed");
                    }
                });
            }
            Event::SetBack { setback, retry_in_ms } => self.set_back(setback, *retry_in_ms),
            Event::Halted { reason, detail, retry_in_ms, repeated } => {
                self.failed(|_| ());
                let advice = reason.advice(self.language);
                if *repeated {
                    tracing::debug!(%reason, detail, retry_in_ms, "still refused");
                } else {
                    tracing::warn!(%reason, detail, retry_in_ms, "{advice}");
                }
            }
            Event::OddHello => tracing::warn!("the platform announced no sane heartbeat interval; a default is used"),
            Event::UnreadableFrame { bytes } => self.unreadable.note(*bytes),
            Event::Stopped => tracing::debug!("session ended"),
            Event::Dispatch(dispatch) => tracing::trace!(event = dispatch.name, sequence = dispatch.sequence, "dispatch"),
        }
    }

    /// A planned cut every half hour is no news; the end of an outage is.
    fn resumed(&mut self, replayed: u64) {
        self.back(|outage_ms, attempts_failed| {
            if attempts_failed <= 1 {
                tracing::debug!(replayed, outage_ms, "session resumed");
            } else {
                tracing::info!(replayed, outage_ms, attempts_failed, "connected again, session resumed");
            }
        });
    }

    fn set_back(&mut self, setback: &Setback, retry_in_ms: u64) {
        if let Setback::Renewal(reason, detail) = setback {
            let advice = reason.advice(self.language);
            if std::mem::replace(&mut self.renewal_refused, true) {
                tracing::debug!(%reason, detail, retry_in_ms, "token renewal still refused");
            } else {
                tracing::warn!(%reason, detail, retry_in_ms, "still connected, but the token cannot be renewed: {advice}");
            }
            return;
        }
        let (host, reason) = self.describe(setback);
        // A renewal that fails while the session lives is no outage yet.
        if self.was_ready && self.outage.is_none() {
            tracing::debug!(host, reason, retry_in_ms, "token renewal failed");
            return;
        }
        let advice = patience(self.language);
        self.failed(|is_first| {
            if is_first {
                tracing::warn!(host, reason, retry_in_ms, "{advice}");
            } else {
                tracing::debug!(host, reason, retry_in_ms, "attempt failed");
            }
        });
    }

    fn describe<'a>(&self, setback: &'a Setback) -> (String, &'a str) {
        match setback {
            Setback::Token(why) => (self.hosts.token.clone(), why),
            Setback::Renewal(_, detail) => (self.hosts.token.clone(), detail),
            Setback::SameDeadToken => (self.hosts.token.clone(), "it hands out a token that the platform refuses"),
            Setback::Address(why) => (self.hosts.api.clone(), why),
            Setback::AddressRateLimited => (self.hosts.api.clone(), "asked for the gateway's address too often"),
            Setback::IdentifyAllowance => (self.hosts.api.clone(), "the platform's allowance of new sessions is spent"),
        }
    }

    fn back(&mut self, line: impl FnOnce(u64, u32)) {
        self.was_ready = true;
        self.renewal_refused = false;
        let (outage_ms, attempts_failed) = match self.outage.take() {
            Some(outage) => (u64::try_from(outage.began.elapsed().as_millis()).unwrap_or(u64::MAX), outage.attempts_failed),
            None => (0, 0),
        };
        line(outage_ms, attempts_failed);
    }

    fn failed(&mut self, line: impl FnOnce(bool)) {
        let is_first = self.outage.is_none();
        let outage = self.outage.get_or_insert_with(|| Outage { began: Instant::now(), attempts_failed: 0 });
        outage.attempts_failed += 1;
        line(is_first);
    }
}

impl Unreadable {
    fn note(&mut self, bytes: usize) {
        self.count += 1;
        if self.said.is_some_and(|said| said.elapsed() < UNREADABLE_SILENCE) {
            return;
        }
        self.said = Some(Instant::now());
        let frames = std::mem::take(&mut self.count);
        tracing::warn!(frames, bytes, "the platform sent what could not be read; it was passed over");
    }
}

fn patience(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "暂时连不上 QQ 平台，会自动重试。若一直如此，请检查本机的网络、DNS 和代理，以及 auk.toml 里的 [platform]。",
        Language::EnUs => {
            "The QQ platform is not reached yet; it is tried again by itself. If this lasts, check this machine's network, name service and proxy, and [platform] in auk.toml."
        }
    }
}
