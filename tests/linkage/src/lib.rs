//! What Minecraft, Fabric and brigadier offer a server mod in each version, as data, and what can be made of it without any of their jars:
//! stubs to compile against, stand-ins to run against, and checks that a built jar links and that a loader takes it.
//!
//! `README.md` beside this crate explains the tables.

mod check;
mod class_file;
mod descriptor;
mod failure;
mod jar;
mod java;
mod linker;
mod loader_version;
mod mod_jar;
mod model;
mod normal;
mod predicate;
mod reference;
mod row;
mod standin;
mod stubs;
mod supertypes;
mod table;
mod version;

pub use check::{Linkage, Report, check};
pub use failure::{Failure, Reason};
pub use jar::UnreadableJar;
pub use loader_version::{LoaderVersion, Semantic};
pub use mod_jar::{ModJar, VARIANTS};
pub use normal::{Loader, OddGameVersion, normalize};
pub use predicate::{OddPredicate, Predicate, accepts_any};
pub use row::{Entry, Member, Row, Shape, Usage};
pub use stubs::{Bodies, Source, StubSet};
pub use table::{Table, UnreadableTable};
pub use version::{Scheme, Span, UnknownVersion, Version, versions};
