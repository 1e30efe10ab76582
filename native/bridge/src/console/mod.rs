//! The commands of `/auk`: which there are, how one is read, and what is answered. What a command does is done by the
//! [`Bridge`](crate::Bridge), and by its driver where it takes more than that.

mod answer;
mod order;
mod report;
mod subcommand;
mod trial;

pub use answer::Answer;
pub use order::Order;
pub use subcommand::{ROOT, Subcommand, tree};

pub(crate) use report::report;
pub(crate) use trial::Trials;
