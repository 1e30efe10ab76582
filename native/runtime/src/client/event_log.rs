use std::time::Instant;

use auk_gateway::{Event, Language, Setback};

/// Turns the gateway's events into log lines that an operator can live with: one line when the session is lost, one when it is back,
/// one when the operator must act. What repeats in between goes to DEBUG.
pub(super) struct EventLog {
    language: Language,
    outage: Option<Outage>,
    was_ready: bool,
    renewal_refused: bool,
}

struct Outage {
    began: Instant,
    attempts_failed: u32,
}

impl EventLog {
    pub(super) fn new(language: Language) -> Self {
        Self { language, outage: None, was_ready: false, renewal_refused: false }
    }

    pub(super) fn note(&mut self, event: &Event) {
        match event {
            Event::Ready { bot_name } => {
                let bot = bot_name.as_deref().unwrap_or("?");
                self.back(|outage_ms, attempts_failed| tracing::info!(bot, outage_ms, attempts_failed, "connected, new session"));
            }
            Event::Resumed { replayed } => {
                self.back(|outage_ms, attempts_failed| {
                    // A planned cut every half hour is no news.
                    if attempts_failed <= 1 {
                        tracing::debug!(replayed, outage_ms, "session resumed");
                    } else {
                        tracing::info!(replayed, outage_ms, attempts_failed, "connected again, session resumed");
                    }
                });
            }
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
            Event::SetBack { setback: Setback::Renewal(reason, detail), retry_in_ms } => {
                let advice = reason.advice(self.language);
                if std::mem::replace(&mut self.renewal_refused, true) {
                    tracing::debug!(%reason, detail, retry_in_ms, "token renewal still refused");
                } else {
                    tracing::warn!(%reason, detail, retry_in_ms, "still connected, but the token cannot be renewed: {advice}");
                }
            }
            Event::SetBack { setback, retry_in_ms } => {
                let text = describe(setback);
                // A renewal that fails while the session lives is no outage yet.
                if self.was_ready && self.outage.is_none() {
                    tracing::debug!(reason = text, retry_in_ms, "token renewal failed");
                    return;
                }
                self.failed(|is_first| {
                    if is_first {
                        tracing::warn!(reason = text, retry_in_ms, "not connected yet");
                    } else {
                        tracing::debug!(reason = text, retry_in_ms, "attempt failed");
                    }
                });
            }
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
            Event::UnreadableFrame { bytes } => tracing::warn!(bytes, "a frame could not be read and was passed over"),
            Event::Stopped => tracing::debug!("session ended"),
            Event::Dispatch(dispatch) => tracing::trace!(event = dispatch.name, sequence = dispatch.sequence, "dispatch"),
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

fn describe(setback: &Setback) -> String {
    match setback {
        Setback::Token(why) => format!("no token: {why}"),
        Setback::Renewal(reason, detail) => format!("token not renewed: {reason}, {detail}"),
        Setback::SameDeadToken => "the token endpoint hands out a token that the platform refuses".to_owned(),
        Setback::Address(why) => format!("no gateway address: {why}"),
        Setback::AddressRateLimited => "gateway address asked for too often".to_owned(),
        Setback::IdentifyAllowance => "the platform's allowance of new sessions is spent".to_owned(),
    }
}
