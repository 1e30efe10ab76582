//! The model behind sockets: HTTP, WebSocket and TLS on 127.0.0.1.

mod control;
mod game;
mod http;
mod hub;
mod platform;
mod serve;
mod socket;
mod stream;
mod tls;
mod webhook;

pub use platform::Platform;
