use auk_gateway::{ConnectFailure, Event, HttpFailure, Language, LossCause, Setback, Timestamp, close_advice};

use super::line::{Level, Line};
use super::voice::Voice;
use super::words;

/// Turns the gateway's events into log lines that an operator can live with: one line when the session is gone, one when it is back, one
/// when the operator must act. What repeats is folded and goes to DEBUG meanwhile, and so does a loss that the first attempt mends: the
/// platform recycles connections every half hour.
pub struct EventLog {
    hosts: Hosts,
    outage: Option<Outage>,
    was_ready: bool,
    odd_hello_said: bool,
    voice: Voice,
}

/// Who is asked, for the lines that say who did not answer.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    /// The host of the token endpoint.
    pub token: String,
    /// The host of all other calls.
    pub api: String,
    /// The host of the gateway.
    pub gateway: String,
}

struct Outage {
    began: Timestamp,
    attempts_failed: u32,
    /// It was said, so its end is said too.
    is_said: bool,
}

/// A wait behind a brake that is worth a line of its own.
const LONG_WAIT_MS: u64 = 600_000;

/// The kind of everything that looks like a broken network. An outage shows many of them in turn, and they are one trouble.
const UNREACHED: &str = "unreached";

impl EventLog {
    /// A log that has heard nothing yet.
    pub fn new(language: Language, hosts: Hosts) -> Self {
        Self { hosts, outage: None, was_ready: false, odd_hello_said: false, voice: Voice::new(language) }
    }

    /// The gateway's host is known only when it is used.
    pub fn connecting(&mut self, host: String) {
        self.hosts.gateway = host;
    }

    /// The line that an event is worth, if any. Dispatches are worth none.
    pub fn note(&mut self, event: &Event, now: Timestamp) -> Option<Line> {
        match event {
            Event::Ready { bot_name } => self.ready(bot_name.as_deref(), now),
            Event::Resumed { replayed } => self.resumed(*replayed, now),
            Event::Lost { cause, retry_in_ms, session_kept } => self.lost(cause, *retry_in_ms, *session_kept, now),
            Event::SetBack { setback, retry_in_ms } => self.set_back(setback, *retry_in_ms, now),
            Event::Halted { reason, detail, retry_in_ms, .. } => {
                let line = Line::new(Level::Warn, reason.advice(self.voice.language)).with("reason", reason).with("detail", detail);
                self.failed(now);
                self.say_of_outage(&format!("halted {reason}"), line.with("retry_in_ms", retry_in_ms), now)
            }
            Event::Renewed => self.voice.say("renewed", Line::new(Level::Info, words::renewed(self.voice.language)), now),
            Event::Contested { sessions } => {
                let line = Line::new(Level::Warn, words::contested(self.voice.language)).with("sessions", sessions);
                self.voice.say("contested", line, now)
            }
            Event::OddHello if std::mem::replace(&mut self.odd_hello_said, true) => None,
            Event::OddHello => self.voice.say("odd hello", Line::new(Level::Warn, words::odd_hello(self.voice.language)), now),
            Event::UnreadableFrame { bytes } => {
                self.voice.say("unreadable", Line::new(Level::Warn, words::unreadable(self.voice.language)).with("bytes", bytes), now)
            }
            Event::Stopped => self.voice.hush("stopped", Line::new(Level::Debug, "session ended"), now),
            Event::Dispatch(_) => None,
        }
    }

    fn ready(&mut self, bot_name: Option<&str>, now: Timestamp) -> Option<Line> {
        let Outage { began, attempts_failed, is_said } = self.back(now);
        let line = Line::new(Level::Info, words::connected(self.voice.language)).with("bot", bot_name.unwrap_or("?"));
        let line = line.with("outage_ms", now.since(began)).with("attempts_failed", attempts_failed);
        if is_said { Some(line) } else { self.voice.say("ready", line, now) }
    }

    fn resumed(&mut self, replayed: u64, now: Timestamp) -> Option<Line> {
        let Outage { began, attempts_failed, is_said } = self.back(now);
        let line = Line::new(Level::Info, words::connected_again(self.voice.language)).with("replayed", replayed);
        let line = line.with("outage_ms", now.since(began)).with("attempts_failed", attempts_failed);
        if is_said { Some(line) } else { self.voice.hush("resumed", line, now) }
    }

    fn lost(&mut self, cause: &LossCause, retry_in_ms: u64, session_kept: bool, now: Timestamp) -> Option<Line> {
        let attempts_failed = self.failed(now).attempts_failed;
        let may_be_mended_at_once = retry_in_ms == 0 && attempts_failed == 1;
        let kind = kind_of_loss(cause);
        let text = if let LossCause::Closed(Some(code)) = cause {
            format!("{} {}", words::connection_lost(self.voice.language), close_advice(Some(*code), self.voice.language))
        } else if self.was_ready && !self.is_outage_said() {
            words::connection_lost(self.voice.language).to_owned()
        } else {
            words::patience(self.voice.language).to_owned()
        };
        let line = Line::new(Level::Warn, text).with("host", &self.hosts.gateway).with("cause", cause);
        let line = line.with("retry_in_ms", retry_in_ms).with("session_kept", session_kept);
        if may_be_mended_at_once { self.voice.hush(&kind, line, now) } else { self.say_of_outage(&kind, line, now) }
    }

    fn set_back(&mut self, setback: &Setback, retry_in_ms: u64, now: Timestamp) -> Option<Line> {
        let is_live = self.was_ready && self.outage.is_none();
        let (host, reason) = self.describe(setback);
        let (kind, text) = match setback {
            Setback::Renewal(reason, _) => (format!("renewal {reason}"), reason.advice(self.voice.language)),
            Setback::SameDeadToken => ("dead token".to_owned(), words::dead_token(self.voice.language)),
            Setback::Token(_) | Setback::Address(_) if is_network(reason) => (UNREACHED.to_owned(), words::patience(self.voice.language)),
            Setback::Token(_) => (format!("token {reason}"), words::patience(self.voice.language)),
            Setback::Address(_) | Setback::AddressRateLimited => (format!("address {reason}"), words::patience(self.voice.language)),
            Setback::Braked(brake) => (format!("braked {brake}"), words::allowance(self.voice.language)),
        };
        let line = Line::new(Level::Warn, text).with("host", host).with("reason", reason).with("retry_in_ms", retry_in_ms);
        match setback {
            // A live session needs no address.
            Setback::Address(_) | Setback::AddressRateLimited if is_live => self.voice.hush(&kind, line, now),
            Setback::Braked(_) if retry_in_ms < LONG_WAIT_MS => {
                self.failed(now);
                self.voice.hush(&kind, line, now)
            }
            // The session lives on with the token that it has.
            Setback::Token(_) | Setback::Renewal(..) | Setback::SameDeadToken if is_live => self.voice.say(&kind, line, now),
            Setback::Token(_)
            | Setback::Renewal(..)
            | Setback::SameDeadToken
            | Setback::Address(_)
            | Setback::AddressRateLimited
            | Setback::Braked(_) => {
                self.failed(now);
                self.say_of_outage(&kind, line, now)
            }
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

    /// Says a line of an outage. The first takes the right to say the end with it.
    fn say_of_outage(&mut self, kind: &str, line: Line, now: Timestamp) -> Option<Line> {
        if self.is_outage_said() {
            return self.voice.say(kind, line, now);
        }
        let said = self.voice.say_pair(kind, line, now);
        if let Some(outage) = &mut self.outage {
            outage.is_said = said.is_ok();
        }
        said.map_or_else(|line| self.voice.hush(kind, line, now), Some)
    }

    fn is_outage_said(&self) -> bool {
        self.outage.as_ref().is_some_and(|outage| outage.is_said)
    }

    /// Ends the outage, or one of no length.
    fn back(&mut self, now: Timestamp) -> Outage {
        self.was_ready = true;
        self.outage.take().unwrap_or(Outage { began: now, attempts_failed: 0, is_said: false })
    }

    fn failed(&mut self, now: Timestamp) -> &Outage {
        let outage = self.outage.get_or_insert(Outage { began: now, attempts_failed: 0, is_said: false });
        outage.attempts_failed += 1;
        outage
    }
}

fn kind_of_loss(cause: &LossCause) -> String {
    match cause {
        LossCause::Closed(Some(code)) => format!("closed {code}"),
        LossCause::Transport(ConnectFailure::Upgrade(status)) => format!("upgrade HTTP {status}"),
        LossCause::Closed(None)
        | LossCause::HeartbeatUnanswered
        | LossCause::Deadline(_)
        | LossCause::Transport(ConnectFailure::Resolve | ConnectFailure::Refused | ConnectFailure::Other) => UNREACHED.to_owned(),
        LossCause::Transport(
            failure @ (ConnectFailure::BadAddress | ConnectFailure::Tls | ConnectFailure::TooLarge { .. } | ConnectFailure::Proxy),
        ) => failure.to_string(),
        LossCause::Reconnect
        | LossCause::InvalidSession { .. }
        | LossCause::TokenGone
        | LossCause::Reloaded
        | LossCause::Asked
        | LossCause::Oversized { .. } => cause.to_string(),
    }
}

/// Whether the words are those of a host that was not reached, rather than those of an answer.
fn is_network(why: &str) -> bool {
    [HttpFailure::Unreachable, HttpFailure::Timeout, HttpFailure::Other].iter().any(|failure| failure.to_string() == why)
}
