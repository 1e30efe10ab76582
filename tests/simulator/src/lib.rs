//! A QQ open platform of its own, which misbehaves on request and which a bot client can be held against.
//!
//! [`model`] owns the truth and is pure; [`Platform`] puts it behind HTTP, WebSocket and TLS on 127.0.0.1.

pub mod model;

mod front;

pub use front::Platform;
pub use model::{
    Act, ControlError, Faults, Group, InvalidSession, MentionAs, Overlap, Posted, Record, Said, Say, Seen, Settings, State, UnknownSession,
    UnpermittedIntents, User, WrongToken,
};
