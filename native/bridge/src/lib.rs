//! What a line becomes between a Minecraft server and QQ groups: routes, templates, cleaning, reply tickets, outboxes, group
//! commands and the frames of the border to Java.
//!
//! The crate has no clock, no socket, no thread, no file and no chance: a driver hands in what happened ([`Bridge::handle_input`])
//! and what time it is, then drains what is to be done ([`Bridge::poll_effect`]) and the next deadline ([`Bridge::poll_timeout`]).

mod backlog;
mod bridge;
mod clean;
mod command;
pub mod console;
mod contract;
mod dedupe;
pub mod frame;
mod group_message;
mod hold;
mod ledger;
mod markup;
mod notice;
mod outbox;
mod pace;
mod post;
mod problem;
mod route;
mod settings;
mod stranger;
mod template;
pub mod text;
mod ticket;
mod words;

pub use auk_gateway::RefusalKind;
pub use bridge::Bridge;
pub use clean::{minecraft as clean_for_minecraft, qq as clean_for_qq};
pub use contract::{BridgeStatus, Effect, Errand, Input};
pub use notice::{HoldCause, Level, Notice};
pub use post::{Outcome, Post, PostId};
pub use problem::Problem;
pub use settings::{Group, Limits, Messages, Server, Settings, ToGame};
