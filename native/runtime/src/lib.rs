//! Drives the pure `auk-gateway` and `auk-bridge` over real sockets.
//!
//! Two ways in: [`Client`] is a QQ bot client of its own (the gateway with its HTTP calls, see `examples/echo.rs`), and
//! [`BridgeSession`] is the whole bridge on a thread of its own, as the JNI library offers it to a Minecraft server.
//!
//! Both HTTP and WebSocket use one explicit `rustls` configuration (ring; webpki roots plus an optional file) and the proxies that the
//! usual environment variables name.

pub mod log;

mod bridge_session;
mod client;
mod elapsed;
mod settings;

pub use bridge_session::{BridgeSession, CloseOutcome, Options, OptionsError, SubmitOutcome};
pub use client::{Client, ClientConfig, ClientError, ClientEvents, GroupMessage, SendError, Sender, Sent};
pub use settings::{Settings, SettingsError};
