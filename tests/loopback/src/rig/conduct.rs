use std::collections::BTreeMap;

use auk_simulator::Platform;
use auk_simulator::model::{ConnId, Record, Seen};

/// What may differ from scenario to scenario in how a client has to behave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conduct {
    /// Calls with a token that is no good are part of the scenario.
    pub dead_tokens: bool,
}

#[derive(Default)]
struct Link {
    hello_ms: Option<u64>,
    is_closed: bool,
    auths: usize,
    beats: usize,
    highest_beat: u64,
}

/// The rules that hold in every scenario, as far as the platform sees them: one connection past Hello at a time, nothing before Hello, one
/// authentication a connection and it first, heartbeats that never go back, and one scheme for tokens, which are good ones.
pub fn assert_conduct(platform: &Platform, conduct: Conduct) {
    let records = platform.records();
    let mut links = BTreeMap::<ConnId, Link>::new();
    for Record { at_ms, seen } in &records {
        match seen {
            Seen::Connected { conn } => drop(links.insert(*conn, Link::default())),
            Seen::Hello { conn } => greet(&mut links, *conn, *at_ms),
            Seen::Identify { conn, token, .. } | Seen::Resume { conn, token, .. } => {
                assert!(token.starts_with("QQBot "), "the scheme of an authentication");
                assert_is_youngest(&links, *conn, *at_ms);
                let link = links.entry(*conn).or_default();
                assert!(link.hello_ms.is_some(), "an authentication before Hello at {at_ms} ms");
                assert_eq!((link.auths, link.beats), (0, 0), "something before the authentication at {at_ms} ms");
                link.auths += 1;
            }
            Seen::Heartbeat { conn, seq, .. } => {
                assert_is_youngest(&links, *conn, *at_ms);
                let link = links.entry(*conn).or_default();
                assert_eq!(link.auths, 1, "a heartbeat without authentication at {at_ms} ms");
                assert!(seq.is_none_or(|seq| seq >= link.highest_beat), "a heartbeat goes back at {at_ms} ms");
                (link.beats, link.highest_beat) = (link.beats + 1, seq.unwrap_or(0));
            }
            Seen::Frame { conn, text } => panic!("a frame that is none of the protocol's on {conn:?}: {text}"),
            Seen::Closed { conn, .. } => links.entry(*conn).or_default().is_closed = true,
            Seen::Lookup { authorization, status, .. } | Seen::Api { authorization, status, .. } => {
                let has_scheme = authorization.as_deref().is_some_and(|value| value.starts_with("QQBot ") && value.len() > "QQBot ".len());
                assert!(has_scheme, "a call without token at {at_ms} ms");
                assert!(conduct.dead_tokens || *status != 401, "a call with a dead token at {at_ms} ms");
            }
            Seen::TokenRequest { .. }
            | Seen::UpgradeRefused { .. }
            | Seen::Ready { .. }
            | Seen::Resumed { .. }
            | Seen::Dispatched { .. }
            | Seen::Control { .. }
            | Seen::Webhook { .. } => {}
        }
    }
}

/// A new connection is past Hello: of the older ones at most the last is still on its way out.
fn greet(links: &mut BTreeMap<ConnId, Link>, conn: ConnId, at_ms: u64) {
    let lingering = links.iter().filter(|(older, link)| **older < conn && link.hello_ms.is_some() && !link.is_closed).count();
    assert!(lingering <= 1, "{lingering} older connections are still open at {at_ms} ms");
    links.entry(conn).or_default().hello_ms = Some(at_ms);
}

fn assert_is_youngest(links: &BTreeMap<ConnId, Link>, conn: ConnId, at_ms: u64) {
    let is_replaced = links.iter().any(|(younger, link)| *younger > conn && link.hello_ms.is_some());
    assert!(!is_replaced, "{conn:?} is written to at {at_ms} ms although it was replaced");
}
