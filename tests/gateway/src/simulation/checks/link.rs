use std::collections::BTreeSet;

use auk_gateway::{ConnId, LossCause};
use auk_simulator::model::ConnId as PlatformConn;

use super::super::frame::Frame;
use super::super::network::Network;
use super::super::violation::Promise;
use super::{Verdict, ensure};

/// The client's one connection, and what goes over it.
#[derive(Default)]
pub(in super::super) struct Link {
    current: Option<Current>,
    open_at_platform: BTreeSet<PlatformConn>,
    awake_since_ms: u64,
    /// Since when the last connection was ready, and its interval. A loss is told after the connection was given up.
    last_ready: Option<(u64, u64)>,
}

struct Current {
    conn: ConnId,
    hello: bool,
    authentications: u32,
    interval_ms: u64,
    ready_since: Option<u64>,
    last_beat_ms: Option<u64>,
    /// The platform asked for a heartbeat since the last one.
    beat_wanted: bool,
}

/// Used by the gateway where Hello names no sane interval.
const INTERVAL_MS_DEFAULT: u64 = 41_250;

impl Link {
    pub(super) fn begins(&mut self, conn: ConnId) -> Verdict {
        ensure(self.current.is_none(), Promise::OneConnection, || "a second one is opened".to_owned())?;
        self.current = Some(Current {
            conn,
            hello: false,
            authentications: 0,
            interval_ms: INTERVAL_MS_DEFAULT,
            ready_since: None,
            last_beat_ms: None,
            beat_wanted: false,
        });
        Ok(())
    }

    pub(super) fn ends(&mut self, conn: ConnId) {
        if self.current.as_ref().is_some_and(|link| link.conn == conn) {
            self.current = None;
        }
    }

    pub(super) fn process_ended(&mut self) {
        self.current = None;
    }

    pub(super) fn sleeps_until(&mut self, ms: u64) {
        self.awake_since_ms = ms;
    }

    /// A frame arrives. Returns whether the authentication was sent before.
    pub(super) fn gets(&mut self, conn: ConnId, frame: &Frame<'_>) -> bool {
        let Some(link) = self.current.as_mut().filter(|link| link.conn == conn) else { return false };
        if frame.op == Some(10) && !link.hello {
            link.hello = true;
            let announced = frame.body().heartbeat_interval.filter(|ms| (1_000..=600_000).contains(ms));
            link.interval_ms = announced.unwrap_or(INTERVAL_MS_DEFAULT);
        }
        link.beat_wanted |= frame.op == Some(1);
        link.authentications > 0
    }

    pub(super) fn sends(&mut self, conn: ConnId, frame: &Frame<'_>, now_ms: u64) -> Verdict {
        let Some(link) = self.current.as_mut().filter(|link| link.conn == conn) else {
            return Err((Promise::OldConnectionsIgnored, "a frame on another connection".to_owned()));
        };
        ensure(link.hello, Promise::HelloFirst, || format!("op {:?}", frame.op))?;
        match frame.op {
            Some(2 | 6) => {
                link.authentications += 1;
                ensure(link.authentications == 1, Promise::OneAuthentication, || "a second one".to_owned())
            }
            Some(1) => {
                ensure(link.authentications == 1, Promise::OneAuthentication, || "a heartbeat before it".to_owned())?;
                if std::mem::take(&mut link.beat_wanted) {
                    return Ok(());
                }
                let gap_ms = link.last_beat_ms.replace(now_ms).map(|last| now_ms - last);
                // A second heartbeat follows an unanswered one after a second and a quarter at the earliest.
                ensure(gap_ms.is_none_or(|ms| ms >= 1_000), Promise::HeartbeatsSpaced, || format!("{gap_ms:?} ms after the last"))
            }
            other => Err((Promise::HelloFirst, format!("op {other:?} goes out"))),
        }
    }

    pub(super) fn ready(&mut self, now_ms: u64) {
        if let Some(link) = &mut self.current {
            let since = *link.ready_since.get_or_insert(now_ms);
            self.last_ready = Some((since, link.interval_ms));
        }
    }

    /// No connection is called dead before it was ready for an interval.
    pub(super) fn verdict_is_not_early(&mut self, cause: &LossCause, now_ms: u64) -> Verdict {
        if *cause != LossCause::HeartbeatUnanswered {
            return Ok(());
        }
        let early = self.last_ready.take().filter(|(ready, interval)| now_ms - ready < *interval);
        ensure(early.is_none(), Promise::VerdictNotEarly, || format!("ready and interval: {early:?} ms"))
    }

    /// The longest life of a half-open link is the rest of an interval until the next beat, two waits of a quarter of it, of 10 s at most,
    /// and what was on its way; or, on a young link, one interval after it was ready. Before READY the deadlines of the handshake are
    /// shorter.
    pub(super) fn half_open_is_left(&self, network: &Network, now_ms: u64) -> Verdict {
        let Some(link) = &self.current else { return Ok(()) };
        let Some(frozen) = network.half_open_since(link.conn) else { return Ok(()) };
        let since = frozen.max(self.awake_since_ms).max(link.ready_since.unwrap_or(0));
        let limit_ms = link.interval_ms + 2 * 10_000 + 2_000;
        ensure(now_ms.saturating_sub(since) <= limit_ms.max(60_000), Promise::HalfOpenLinkLeft, || format!("frozen since {frozen} ms"))
    }

    /// One that froze does not count, since the platform cannot know of its end.
    pub(super) fn opens_at_platform(&mut self, number: PlatformConn, network: &Network) -> Verdict {
        self.open_at_platform.retain(|open| !network.is_frozen(*open));
        let alone = self.open_at_platform.is_empty();
        self.open_at_platform.insert(number);
        ensure(alone, Promise::OneConnection, || "the platform sees two".to_owned())
    }

    pub(in super::super) fn is_open_at_platform(&self, number: PlatformConn) -> bool {
        self.open_at_platform.contains(&number)
    }

    pub(in super::super) fn ended_at_platform(&mut self, number: PlatformConn) {
        self.open_at_platform.remove(&number);
    }
}
