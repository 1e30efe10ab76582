//! The jar as it is shipped, in every version of Minecraft that it is for: Fabric Loader's choice among the mods in it, then a JVM with
//! that choice, in which a Kotlin program plays the game with generated classes. What the program sees is judged by the tests of this crate.

mod fabric_loader;
mod fabric_mod;
mod failure;
mod game;
mod play;
mod results;

pub use fabric_loader::{FabricLoader, Refusal};
pub use fabric_mod::{FabricMod, ModJar};
pub use failure::Failure;
pub use game::{Game, make};
pub use play::{Jvm, Mode, Play};
pub use results::{Outcome, write};
