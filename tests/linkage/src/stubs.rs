//! Java source of classes with the shape of the game's: to compile a mod against, or to run it against.

use std::io;
use std::path::{Path, PathBuf};

use crate::java;
use crate::model::Model;
use crate::standin;
use crate::table::Table;
use crate::version::{Scheme, Version};

/// The classes of Minecraft, Fabric and brigadier in one version or in several of one naming scheme.
#[derive(Debug, Clone)]
pub struct StubSet {
    model: Model,
}

/// What the methods of the generated classes do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bodies {
    /// They throw: the classes are there to compile against only.
    Unusable,
    /// They ask `dev.auk.standin.Hooks.game`, so that a test can be the game, the same one for every version.
    Delegating,
}

/// A file of Java source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it belongs below the source directory.
    pub path: PathBuf,
    /// The text.
    pub text: String,
}

impl StubSet {
    /// All versions of `scheme`, as [`StubSet::of_versions`] lays them over each other.
    pub fn union(table: &Table, scheme: Scheme) -> Self {
        Self::of_versions(table, &scheme.versions())
    }

    /// Exactly one version.
    pub fn of_version(table: &Table, version: Version) -> Self {
        Self::of_versions(table, &[version])
    }

    /// Some versions of one naming scheme, laid over each other. Where two have a member of the same name and parameters, or a class of
    /// another kind, the newest wins; a call that this makes impossible is compiled against [`StubSet::of_version`].
    pub fn of_versions(table: &Table, versions: &[Version]) -> Self {
        Self { model: Model::new(table, versions) }
    }

    /// One file for each class that is not nested in another; for [`Bodies::Delegating`] also those of the package `dev.auk.standin`.
    /// They compile for Java 17 and need nothing but the JDK.
    pub fn sources(&self, bodies: Bodies) -> Vec<Source> {
        let mut sources = java::sources(&self.model, bodies);
        match bodies {
            Bodies::Unusable => {}
            Bodies::Delegating => sources.extend(standin::sources(&self.model)),
        }
        sources
    }

    /// Writes [`StubSet::sources`] below `directory` and answers the files in the order of their names.
    ///
    /// # Errors
    ///
    /// When a directory or file cannot be written.
    pub fn write(&self, bodies: Bodies, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for source in self.sources(bodies) {
            let file = directory.join(&source.path);
            if let Some(parent) = file.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(&file, source.text)?;
            files.push(file);
        }
        files.sort();
        Ok(files)
    }
}
