use auk_simulator::model::{Action, OpenPlatform};
use auk_simulator::{Act, InvalidSession};
use serde_json::{Value, json};

use super::network::Mood;

/// One change of the world.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// A switch of the platform goes on (`value`) or off (null).
    Switch { name: &'static str, value: Value },
    /// The platform does something.
    Act(Act),
    /// How connections fare from here on.
    Connects(Mood),
    /// How HTTP exchanges fare from here on.
    Http(Mood),
    /// The live link carries nothing any more.
    Freeze,
    /// The operator reloads the settings, which are right.
    Reload,
    /// The operator asks for another connection.
    Reconnect,
    /// The operator reloads with a secret that is not the bot's.
    WrongSecret,
    /// Some other call was refused because of the token.
    CallRefused,
    /// The driver's owner is slow: traffic is told without being read.
    Traffic,
    /// A frame that no platform sends, but some proxy might.
    OddFrame(&'static str),
    /// An event of a connection that is over reaches the machine late.
    Ghost(Ghost),
    /// The machine sleeps.
    Sleep { ms: u64 },
    /// The process ends, in whichever way, and another one begins after a while.
    Restart { ending: Ending, down_ms: u64 },
}

/// How a process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Without a word.
    Crash,
    /// For good: the session is given up.
    Stop,
    /// In order: the session is left to the next process.
    Suspend,
}

/// What an old connection may still have to say.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ghost {
    Opened,
    Refused,
    Closed,
    Broken,
    Hello,
    Ready,
    Reconnect,
    InvalidSession,
    Traffic,
}

/// Frames that change nothing on a live link.
pub(super) const ODD_FRAMES: [&str; 7] = [
    r#"{"op":42}"#,
    r#"{"op":"x"}"#,
    "not JSON",
    r#"{"op":0,"t":"RESUMED","d":""}"#,
    r#"{"op":11,"d":{}}"#,
    r#"{"op":10,"d":{"heartbeat_interval":1000}}"#,
    r#"{"op":1}"#,
];

/// Everything that an old connection may say.
pub(super) const GHOSTS: [Ghost; 9] = [
    Ghost::Opened,
    Ghost::Refused,
    Ghost::Closed,
    Ghost::Broken,
    Ghost::Hello,
    Ghost::Ready,
    Ghost::Reconnect,
    Ghost::InvalidSession,
    Ghost::Traffic,
];

/// What a fault asks of the time to recover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Harshness {
    /// The back-off, a limiter, a handshake.
    Transient,
    /// A token was called dead; the endpoint may hand the same one out for ten minutes.
    Token,
    /// The slow lane may have just begun its longest wait.
    Operator,
}

impl Fault {
    /// A fault, what ends it, and how harsh it is.
    pub(super) fn draw(chance: &mut fastrand::Rng) -> (Self, Option<Self>, Harshness) {
        match chance.u8(0..10) {
            0..3 => draw_moment(chance),
            3..7 => draw_switch(chance),
            7 => draw_network(chance),
            8 => draw_driver(chance),
            _ => draw_process(chance),
        }
    }

    /// Whether the platform may name a condition that only the operator can mend.
    pub(super) fn is_for_operator(&self) -> bool {
        const HALTING: [&str; 7] =
            ["token_code", "whitelist_refuses", "banned", "deleted", "delisted", "every_auth_close", "every_identify_op9"];
        match self {
            Fault::Switch { name, value } => HALTING.contains(name) && !value.is_null(),
            Fault::Act(Act::Close(code)) => (4001..=4002).contains(code) || (4010..=4014).contains(code) || *code >= 4914,
            Fault::WrongSecret => true,
            Fault::Act(_)
            | Fault::Connects(_)
            | Fault::Http(_)
            | Fault::Freeze
            | Fault::Reload
            | Fault::Reconnect
            | Fault::CallRefused
            | Fault::Traffic
            | Fault::OddFrame(_)
            | Fault::Ghost(_)
            | Fault::Sleep { .. }
            | Fault::Restart { .. } => false,
        }
    }

    /// Whether dispatches may come out of order from here on: changed places, or missing and brought by a later replay.
    pub(super) fn reorders(&self) -> bool {
        matches!(self, Fault::Switch { name: "reorder_frames" | "drop_every_nth" | "ack_but_no_events", .. })
    }

    /// Whether a message may come twice under two sequences from here on.
    pub(super) fn doubles(&self) -> bool {
        matches!(self, Fault::Switch { name: "duplicate_push", .. })
    }

    /// Whether a token dies unnoticed: the link that it opened lives on, and the next Resume is refused.
    pub(super) fn kills_token(&self) -> bool {
        matches!(self, Fault::Act(Act::RevokeToken))
    }

    /// What the platform does about it.
    pub(super) fn cause(&self, platform: &mut OpenPlatform, now_ms: u64) -> Vec<Action> {
        match self {
            Fault::Switch { name, value } => platform.patch_faults(&json!({ *name: value }), now_ms).expect("the switch is known"),
            Fault::Act(act) => platform.act(act, now_ms),
            Fault::Connects(_)
            | Fault::Http(_)
            | Fault::Freeze
            | Fault::Reload
            | Fault::Reconnect
            | Fault::WrongSecret
            | Fault::CallRefused
            | Fault::Traffic
            | Fault::OddFrame(_)
            | Fault::Ghost(_)
            | Fault::Sleep { .. }
            | Fault::Restart { .. } => Vec::new(),
        }
    }
}

type Drawn = (Fault, Option<Fault>, Harshness);

/// Something that happens at once and is over.
fn draw_moment(chance: &mut fastrand::Rng) -> Drawn {
    use Harshness::{Operator, Token, Transient};
    let act = |act, harshness| (Fault::Act(act), None, harshness);
    match chance.u8(0..13) {
        0 | 1 => act(Act::Cut, Transient),
        2 => act(Act::Op7, Transient),
        3 => act(Act::Op9(InvalidSession::Dead), Transient),
        4 => act(Act::Op9(InvalidSession::Resumable), Transient),
        5 => act(Act::Op9(InvalidSession::Absent), Transient),
        6 => act(Act::RevokeToken, Token),
        7 => act(Act::ForgetSessions, Transient),
        // From seconds to a day; the end of the faults ends it too.
        8 => act(Act::RateLimitAddress { seconds: 10 << chance.u8(0..14) }, Transient),
        9 => act(Act::HeartbeatRequest, Transient),
        10 => (Fault::Freeze, None, Transient),
        11 => {
            let codes = [1000, 1001, 1011, 3999, 4000, 4003, 4004, 4005, 4006, 4007, 4008, 4009, 4777];
            let code = if chance.bool() { codes[chance.usize(0..codes.len())] } else { chance.u16(4900..=4913) };
            act(Act::Close(code), Token)
        }
        _ => {
            let codes = [4001, 4002, 4010, 4011, 4012, 4013, 4014, 4914, 4915, 4924];
            act(Act::Close(codes[chance.usize(0..codes.len())]), Operator)
        }
    }
}

/// A switch of the platform that stays on for a while.
fn draw_switch(chance: &mut fastrand::Rng) -> Drawn {
    use Harshness::{Operator, Token, Transient};
    let (name, value, harshness) = match chance.u8(0..36) {
        0 => ("no_hello", json!(true), Transient),
        1 => ("ignore_auth", json!(true), Transient),
        2 => ("no_ack", json!(true), Transient),
        3 => ("address_rate_limited", json!(true), Transient),
        4 => ("address_unauthorized", json!(true), Token),
        5 => ("address_html", json!(true), Transient),
        6 => ("address_status", json!([204, 403, 404, 500, 503][chance.usize(0..5)]), Transient),
        7 => ("address_body", json!(["", "{}", "{\"url\":\"http://x\"}", "{\"url\":7}"][chance.usize(0..4)]), Transient),
        8 => ("address_hang_ms", json!(chance.u64(100..40_000)), Transient),
        9 => ("token_status", json!([429, 500, 502][chance.usize(0..3)]), Transient),
        10 => ("token_body", json!(["", "{}", "<html>", "{\"access_token\":\"\"}", "[1]"][chance.usize(0..5)]), Transient),
        11 => ("token_hang_ms", json!(chance.u64(100..40_000)), Transient),
        12 => ("token_code", json!([100_001, 100_002, 100_016, 100_007, 10_004][chance.usize(0..5)]), Operator),
        13 => ("same_dead_token", json!(true), Token),
        14 => ("every_auth_close", json!([4004, 4006, 4009, 4902, 4903, 4014, 4915, 4924][chance.usize(0..8)]), Operator),
        15 => ("every_identify_op9", json!(false), Operator),
        16 => ("every_resume_op9", json!(chance.bool()), Transient),
        17 => ("every_resume_close", json!([4006, 4007, 4902][chance.usize(0..3)]), Transient),
        18 => ("flap_after_ms", json!(chance.u64(10..20_000)), Transient),
        19 => ("whitelist_refuses", json!(true), Operator),
        20 => ("hello_interval_ms", json!([0, 1, 1_000, 5_000, 999_999_999][chance.usize(0..5)]), Transient),
        21 => ("hello_delay_ms", json!(chance.u64(100..6_000)), Transient),
        22 => ("garbage_frames", json!(true), Transient),
        23 => ("dead_sessions", json!(true), Transient),
        24 => ("refuse_upgrade", json!([403, 502, 503][chance.usize(0..3)]), Transient),
        25 => ("upgrade_hang_ms", json!(chance.u64(100..40_000)), Transient),
        26 => ("replay_again", json!(chance.u64(1..20)), Transient),
        27 => ("reorder_frames", json!(true), Transient),
        28 => ("duplicate_push", json!(true), Transient),
        29 => ("drop_every_nth", json!(chance.u64(2..5)), Transient),
        30 => ("huge_frame_bytes", json!(100_000), Transient),
        31 => ("unknown_events", json!(true), Transient),
        32 => ("ack_but_no_events", json!(true), Transient),
        33 => ("banned", json!(true), Operator),
        34 => ("deleted", json!(true), Operator),
        _ => ("delisted", json!(true), Operator),
    };
    (Fault::Switch { name, value }, Some(Fault::Switch { name, value: Value::Null }), harshness)
}

fn draw_network(chance: &mut fastrand::Rng) -> Drawn {
    let mood = if chance.bool() { Mood::Refuses } else { Mood::Hangs };
    let fault: fn(Mood) -> Fault = if chance.bool() { Fault::Connects } else { Fault::Http };
    (fault(mood), Some(fault(Mood::Well)), Harshness::Transient)
}

fn draw_driver(chance: &mut fastrand::Rng) -> Drawn {
    let fault = match chance.u8(0..6) {
        0 => return (Fault::CallRefused, None, Harshness::Token),
        1 => Fault::Traffic,
        2 => Fault::OddFrame(ODD_FRAMES[chance.usize(0..ODD_FRAMES.len())]),
        3 if chance.bool() => Fault::Reconnect,
        3 => Fault::Reload,
        4 => Fault::Sleep { ms: 1_000 << chance.u8(0..14) },
        _ => Fault::Ghost(GHOSTS[chance.usize(0..GHOSTS.len())]),
    };
    (fault, None, Harshness::Transient)
}

fn draw_process(chance: &mut fastrand::Rng) -> Drawn {
    if chance.u8(0..5) == 0 {
        return (Fault::WrongSecret, Some(Fault::Reload), Harshness::Operator);
    }
    let ending = [Ending::Crash, Ending::Stop, Ending::Suspend][chance.usize(0..3)];
    (Fault::Restart { ending, down_ms: chance.u64(100..400_000) }, None, Harshness::Transient)
}
