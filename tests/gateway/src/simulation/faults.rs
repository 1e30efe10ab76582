use auk_simulator::model::{Action, OpenPlatform};
use auk_simulator::{Act, InvalidSession};
use serde_json::{Value, json};

use super::network::{Mood, Network};

/// Faults begin within this span.
const FAULTS_MS: u64 = 3_600_000;
/// The longest that one lasts.
const FAULT_MS_MAX: u64 = 600_000;

/// Which faults come when, in order.
pub(super) struct FaultPlan {
    coming: Vec<(u64, Fault)>,
    end_ms: u64,
    harshest: Harshness,
}

/// What a fault asks of the time to recover.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Harshness {
    /// The back-off, a limiter, a handshake.
    Transient,
    /// A token was called dead; the endpoint may hand the same one out for ten minutes.
    Token,
    /// The slow lane may have just begun its longest wait.
    Operator,
}

/// One change of the world.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// A switch of the platform goes on (`value`) or off (null).
    Switch {
        name: &'static str,
        value: Value,
    },
    Act(Act),
    Connects(NetworkMood),
    Http(NetworkMood),
    Freeze,
    Reload,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum NetworkMood {
    Well,
    Refuses,
    Hangs,
}

impl FaultPlan {
    pub(super) fn draw(chance: &mut fastrand::Rng) -> Self {
        let mut coming = Vec::new();
        let mut harshest = Harshness::Transient;
        for _ in 0..chance.usize(1..=12) {
            let at = chance.u64(0..FAULTS_MS);
            let (fault, undo, harshness) = draw_one(chance);
            harshest = harshest.max(harshness);
            coming.push((at, fault));
            if let Some(undo) = undo {
                coming.push((at + chance.u64(1_000..FAULT_MS_MAX), undo));
            }
        }
        // Soonest last, so that the next one can be popped.
        coming.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        Self { coming, end_ms: FAULTS_MS + FAULT_MS_MAX, harshest }
    }

    pub(super) fn next_ms(&self) -> Option<u64> {
        self.coming.last().map(|(at, _)| *at)
    }

    pub(super) fn take(&mut self) -> Fault {
        self.coming.pop().expect("it was due").1
    }

    pub(super) fn end_ms(&self) -> u64 {
        self.end_ms
    }

    /// The bound of the time to recover. What may stand in the way when the last fault ends, each at its longest: a back-off (60 s and a
    /// quarter), twice, since a look-up and a connection may each have one; the look-up limiter (60 s) and the platform's own limit
    /// (60 s); a token request that is just being waited for (15 s) and its limiter (120 s); the Identify ceiling (90 s); steps of a
    /// handshake that time out (three of 15 s); a half-open link that is noticed last (100 s). A token that was refused is used again
    /// after 600 s, and the slow lane waits 600 s and a quarter.
    pub(super) fn recovery_ms_max(&self) -> u64 {
        let transient_ms = 2 * 75_000 + 60_000 + 60_000 + 15_000 + 120_000 + 90_000 + 45_000 + 100_000;
        transient_ms
            + match self.harshest {
                Harshness::Transient => 0,
                Harshness::Token => 600_000,
                Harshness::Operator => 600_000 + 750_000,
            }
    }
}

impl Fault {
    pub(super) fn reloads(&self) -> bool {
        matches!(self, Fault::Reload)
    }

    /// Whether the platform may name a condition that only the operator can mend.
    pub(super) fn is_for_operator(&self) -> bool {
        match self {
            Fault::Switch { name, value } => {
                let halting =
                    ["token_code", "whitelist_refuses", "banned", "deleted", "delisted", "every_auth_close", "every_identify_op9"];
                halting.contains(name) && !value.is_null()
            }
            Fault::Act(Act::Close(code)) => matches!(code, 4001 | 4014),
            Fault::Act(_) | Fault::Connects(_) | Fault::Http(_) | Fault::Freeze | Fault::Reload => false,
        }
    }

    /// Whether dispatches may come out of order from here on.
    pub(super) fn reorders(&self) -> bool {
        matches!(self, Fault::Switch { name: "reorder_frames", .. })
    }

    /// Whether a token dies unnoticed: the link that it opened lives on, and the next Resume is refused.
    pub(super) fn kills_token(&self) -> bool {
        matches!(self, Fault::Act(Act::RevokeToken))
    }

    pub(super) fn change(&self, network: &mut Network, now_ms: u64) {
        let mood = |mood: NetworkMood| match mood {
            NetworkMood::Well => Mood::Well,
            NetworkMood::Refuses => Mood::Refuses,
            NetworkMood::Hangs => Mood::Hangs,
        };
        match self {
            Fault::Connects(to) => network.set_connects(mood(*to)),
            Fault::Http(to) => network.set_http(mood(*to)),
            Fault::Freeze => network.freeze(now_ms),
            Fault::Switch { .. } | Fault::Act(_) | Fault::Reload => {}
        }
    }

    pub(super) fn cause(&self, platform: &mut OpenPlatform, now_ms: u64) -> Vec<Action> {
        match self {
            Fault::Switch { name, value } => platform.patch_faults(&json!({ *name: value }), now_ms).expect("the switch is known"),
            Fault::Act(act) => platform.act(act, now_ms),
            Fault::Connects(_) | Fault::Http(_) | Fault::Freeze | Fault::Reload => Vec::new(),
        }
    }
}

/// A fault, what ends it, and how harsh it is.
fn draw_one(chance: &mut fastrand::Rng) -> (Fault, Option<Fault>, Harshness) {
    use Harshness::{Operator, Token, Transient};
    let switch = |name: &'static str, value: Value, harshness| {
        (Fault::Switch { name, value }, Some(Fault::Switch { name, value: Value::Null }), harshness)
    };
    let network = |fault: fn(NetworkMood) -> Fault, mood| (fault(mood), Some(fault(NetworkMood::Well)), Transient);
    match chance.u8(0..40) {
        0 => network(Fault::Connects, NetworkMood::Refuses),
        1 => network(Fault::Connects, NetworkMood::Hangs),
        2 => network(Fault::Http, NetworkMood::Refuses),
        3 => network(Fault::Http, NetworkMood::Hangs),
        4 | 5 => (Fault::Freeze, None, Transient),
        6 => (Fault::Reload, None, Transient),
        7 | 8 => (Fault::Act(Act::Cut), None, Transient),
        9 => (Fault::Act(Act::Op7), None, Transient),
        10 => (Fault::Act(Act::Op9(InvalidSession::Dead)), None, Transient),
        11 => (Fault::Act(Act::Op9(InvalidSession::Resumable)), None, Transient),
        12 => (Fault::Act(Act::Op9(InvalidSession::Absent)), None, Transient),
        13 => (Fault::Act(Act::RevokeToken), None, Token),
        14 => (Fault::Act(Act::ForgetSessions), None, Transient),
        15 => (Fault::Act(Act::RateLimitAddress { seconds: chance.u64(10..600) }), None, Transient),
        16 => (Fault::Act(Act::HeartbeatRequest), None, Transient),
        17 | 18 => {
            let codes = [1000, 1001, 1011, 4000, 4003, 4004, 4005, 4006, 4007, 4008, 4009, 4900, 4902, 4903, 4913, 4777, 3999];
            (Fault::Act(Act::Close(codes[chance.usize(0..codes.len())])), None, Token)
        }
        19 => (Fault::Act(Act::Close(if chance.bool() { 4014 } else { 4001 })), None, Operator),
        20 => switch("no_hello", json!(true), Transient),
        21 => switch("ignore_auth", json!(true), Transient),
        22 => switch("no_ack", json!(true), Transient),
        23 => switch("address_rate_limited", json!(true), Transient),
        24 => switch("address_unauthorized", json!(true), Token),
        25 => switch("address_html", json!(true), Transient),
        26 => switch("token_status", json!(502), Transient),
        27 => switch("token_code", json!([100_001, 100_016, 100_007, 10_004][chance.usize(0..4)]), Operator),
        28 => switch("every_auth_close", json!([4004, 4006, 4009, 4902, 4903, 4014, 4915][chance.usize(0..7)]), Operator),
        29 => switch("every_identify_op9", json!(false), Operator),
        30 => switch("every_resume_op9", json!(chance.bool()), Transient),
        31 => switch("flap_after_ms", json!(chance.u64(10..20_000)), Transient),
        32 => switch("whitelist_refuses", json!(true), Operator),
        33 => switch("hello_interval_ms", json!([0, 1_000, 5_000, 999_999_999][chance.usize(0..4)]), Transient),
        34 => switch("garbage_frames", json!(true), Transient),
        35 => switch("dead_sessions", json!(true), Transient),
        36 => switch("refuse_upgrade", json!(503), Transient),
        37 => switch("replay_again", json!(chance.u64(1..20)), Transient),
        38 => switch("reorder_frames", json!(true), Transient),
        _ => switch("banned", json!(true), Operator),
    }
}
