//! The acceptance scenarios in which the transport or the process matters, by number. The others are stories of the pure crates.
//!
//! One program, so that scenarios wait side by side: nearly all of their time is waiting.

mod lifecycle;
mod liveness;
mod load;
mod replies;
mod secrecy;
mod tokens;
mod transport;
