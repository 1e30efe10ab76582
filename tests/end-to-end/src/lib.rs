//! The parts of the whole, each a real process: the simulated QQ platform, a Minestom server with Auk in it, and Minecraft players.
//!
//! The end-to-end tests and `cargo xtask demo` start the same parts from here. Nothing in this crate is a test double; the parts are
//! built by `cargo xtask`, and [`Artifacts`] says what is missing.

mod artifacts;
mod control;
mod failure;
mod interrupt;
mod java;
mod minestom;
mod output;
mod player;
mod process;
mod refusal_text;
mod settings;
mod simulator;
mod stage;

pub use artifacts::Artifacts;
pub use control::Control;
pub use failure::Failure;
pub use interrupt::{interrupt, is_interrupted};
pub use java::{Jdk, UTF_8_LOCALE, find_jdk};
pub use minestom::{Minestom, Native, ServerOptions};
pub use output::{Line, Output};
pub use player::{ChatLine, Player};
pub use process::{Ending, Process};
pub use refusal_text::{comparable, english_refusal, refusal_file};
pub use settings::{Platform, Settings};
pub use simulator::{Post, Simulator};
pub use stage::Stage;
