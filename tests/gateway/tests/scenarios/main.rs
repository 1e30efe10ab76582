//! The acceptance scenarios that need no socket, told to the pure gateway at the scenarios' pace.
//!
//! Each test is named by its scenario's number. [`rig::Rig`] plays the platform and keeps the invariants that every scenario demands.

mod delivery;
mod liveness;
mod pacing;
mod refusals;
mod rig;
mod session;
mod token;
mod wire;
