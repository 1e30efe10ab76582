//! The games that the adapters are compiled against: classes with signatures and nothing in them, generated from the member table.

use std::fs;
use std::path::PathBuf;

use auk_end_to_end::find_jdk;
use auk_linkage::{Bodies, Scheme, StubSet, Table, Version};

use crate::problem::Problem;
use crate::stamp::Stamp;
use crate::{Workspace, progress, tool};

/// A set of stubs. None is ever shipped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stubs {
    /// Minecraft 1.20.1 to 1.21.11 in one; where versions differ in one member, the newest.
    Intermediary,
    /// 1.20.1 alone, for what only differs in what it answers.
    Release1201,
    /// Minecraft 26.x.
    Official,
}

impl Stubs {
    const ALL: [Self; 3] = [Self::Intermediary, Self::Release1201, Self::Official];

    /// Where its classes are.
    pub(crate) fn classes(self, workspace: &Workspace) -> PathBuf {
        self.dir(workspace).join("classes")
    }

    fn dir(self, workspace: &Workspace) -> PathBuf {
        workspace.artifacts().join("stubs").join(self.name())
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Intermediary => "intermediary",
            Self::Release1201 => "1.20.1",
            Self::Official => "official",
        }
    }

    fn set(self, table: &Table) -> Result<StubSet, Problem> {
        Ok(match self {
            Self::Intermediary => StubSet::union(table, Scheme::Intermediary),
            Self::Release1201 => StubSet::of_version(table, "1.20.1".parse::<Version>().map_err(unusable)?),
            Self::Official => StubSet::union(table, Scheme::Official),
        })
    }
}

/// Generates and compiles every set whose table or generator changed.
pub(crate) fn build(workspace: &Workspace) -> Result<(), Problem> {
    let table = Table::read().map_err(unusable)?;
    Stubs::ALL.into_iter().try_for_each(|stubs| build_set(workspace, stubs, &table))
}

fn build_set(workspace: &Workspace, stubs: Stubs, table: &Table) -> Result<(), Problem> {
    let set = stubs.set(table)?;
    let sources = set.sources(Bodies::Unusable);
    let stamp = sources.iter().fold(Stamp::default(), |stamp, source| stamp.text(&source.path.to_string_lossy()).text(&source.text));
    let dir = stubs.dir(workspace);
    stamp.unless_done(&dir.join("stamp"), || {
        progress::step(&format!("compiling the stubs of {}", stubs.name()), || {
            if dir.exists() {
                fs::remove_dir_all(&dir).map_err(Problem::file(&dir))?;
            }
            let files = set.write(Bodies::Unusable, &dir.join("sources")).map_err(Problem::file(&dir))?;
            let mut command = find_jdk(17)?.run("javac");
            command.args(["-nowarn", "-encoding", "UTF-8", "--release", "17", "-d"]).arg(stubs.classes(workspace)).args(files);
            tool::run("javac", &mut command, "openjdk-17-jdk-headless")
        })
    })?;
    Ok(())
}

fn unusable(error: impl std::fmt::Display) -> Problem {
    Problem::Data { file: "tests/linkage/members.tsv", what: error.to_string() }
}
