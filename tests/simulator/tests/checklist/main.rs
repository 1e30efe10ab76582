//! The simulator's checklist, point by point, with a raw client over real sockets.

mod client;

mod address;
mod ban;
mod control;
mod disorder;
mod file;
mod gateway;
mod heartbeat;
mod op7;
mod overlap;
mod post;
mod program;
mod secure;
mod session;
mod settings;
mod token;
mod webhook;
mod whitelist;
