use serde::Serialize;
use serde_json::value::RawValue;

use crate::frame::{ToJava, ToNative};
use crate::notice::Notice;
use crate::post::{Outcome, Post, PostId};
use crate::settings::Settings;

/// What happened, told by the driver.
#[derive(Debug)]
pub enum Input {
    /// A frame from the Minecraft server.
    Server(ToNative),
    /// An event of the gateway.
    Dispatch {
        /// The event's name: `t` of the payload.
        event: String,
        /// The event's data: `d` of the payload.
        data: Box<RawValue>,
    },
    /// The gateway session lives: READY or RESUMED.
    GatewayUp,
    /// The gateway session is lost.
    GatewayDown,
    /// A [`Post`] ended.
    Posted {
        /// Which one.
        post: PostId,
        /// How.
        outcome: Outcome,
    },
    /// The settings file was read again.
    Reload(Settings),
    /// Say what can still be said; [`Bridge::is_drained`](crate::Bridge::is_drained) tells when that is done.
    Stop,
    /// The time that [`Input::Stop`] was given is over: what is left is counted and given up.
    GiveUp,
}

/// What the driver is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Send this and answer with [`Input::Posted`], always.
    Post(Post),
    /// Hand this frame to the Minecraft server.
    ToJava(ToJava),
    /// Log this.
    Notice(Notice),
    /// Do what somebody asked for by a command, and answer with [`ToJava::Reply`], always.
    Errand(Errand),
}

/// A command that takes more than the bridge has. Each names the request that is to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errand {
    /// Tell how gateway and bridge are: [`Bridge::report`](crate::Bridge::report).
    Status {
        /// The command's number.
        request: u64,
    },
    /// Read the settings again.
    Reload {
        /// The command's number.
        request: u64,
    },
    /// Make another connection.
    Reconnect {
        /// The command's number.
        request: u64,
    },
}

impl Errand {
    /// The command's number.
    pub const fn request(self) -> u64 {
        match self {
            Self::Status { request } | Self::Reload { request } | Self::Reconnect { request } => request,
        }
    }
}

/// Counters since the bridge began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BridgeStatus {
    /// Lines for groups that have neither arrived nor been given up.
    pub waiting: u64,
    /// Lines for groups that were given up.
    pub dropped: u64,
    /// Lines for groups of which nobody knows whether they arrived.
    pub uncertain: u64,
    /// Lines said in the game.
    pub said: u64,
    /// Messages posted to groups.
    pub posted: u64,
}
