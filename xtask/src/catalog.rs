//! The tables under `gradle/`: coordinates of jars, and systems with a native library.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Workspace;
use crate::problem::Problem;

const CATALOG: &str = "gradle/libs.versions.toml";
const NATIVES: &str = "gradle/natives.toml";

/// `gradle/libs.versions.toml`.
#[derive(Debug, Deserialize)]
pub(crate) struct Catalog {
    versions: BTreeMap<String, String>,
    libraries: BTreeMap<String, Library>,
    bundles: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct Library {
    module: String,
    version: VersionRef,
}

#[derive(Debug, Deserialize)]
struct VersionRef {
    #[serde(rename = "ref")]
    name: String,
}

/// A library's coordinate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Coordinate {
    /// Such as `com.google.code.gson`.
    pub(crate) group: String,
    /// Such as `gson`.
    pub(crate) artifact: String,
    /// Such as `2.14.0`.
    pub(crate) version: String,
}

impl Catalog {
    /// Reads the file.
    pub(crate) fn read(workspace: &Workspace) -> Result<Self, Problem> {
        read(workspace, CATALOG)
    }

    /// The names of the bundles, each a class path.
    pub(crate) fn bundles(&self) -> impl Iterator<Item = &str> {
        self.bundles.keys().map(String::as_str)
    }

    /// The coordinates of a bundle.
    pub(crate) fn bundle(&self, name: &str) -> Result<Vec<Coordinate>, Problem> {
        let libraries = self.bundles.get(name).ok_or_else(|| unknown("bundle", name))?;
        libraries.iter().map(|library| self.coordinate(library)).collect()
    }

    /// The coordinate of a library.
    pub(crate) fn coordinate(&self, name: &str) -> Result<Coordinate, Problem> {
        let library = self.libraries.get(name).ok_or_else(|| unknown("library", name))?;
        let (group, artifact) = library.module.split_once(':').ok_or_else(|| unknown("module of", name))?;
        let version = self.versions.get(&library.version.name).ok_or_else(|| unknown("version", &library.version.name))?;
        Ok(Coordinate { group: group.to_owned(), artifact: artifact.to_owned(), version: version.clone() })
    }
}

/// A system with a native library: one entry of `gradle/natives.toml`.
#[derive(Debug, Deserialize)]
pub(crate) struct NativeTarget {
    /// As the path in the jar says it.
    pub(crate) os: String,
    /// As the path in the jar says it.
    pub(crate) arch: String,
    /// `gnu`, `musl`, or empty where a system has but one.
    pub(crate) libc: String,
    /// Rust's name of it.
    pub(crate) triple: String,
    /// What the library's file is called there.
    pub(crate) file: String,
}

impl NativeTarget {
    /// Reads `gradle/natives.toml`.
    pub(crate) fn read_all(workspace: &Workspace) -> Result<Vec<Self>, Problem> {
        #[derive(Deserialize)]
        struct Natives {
            native: Vec<NativeTarget>,
        }
        read::<Natives>(workspace, NATIVES).map(|natives| natives.native)
    }

    /// Where the library lies in the jar.
    pub(crate) fn resource(&self) -> String {
        let libc = if self.libc.is_empty() { String::new() } else { format!("-{}", self.libc) };
        format!("META-INF/native/{}-{}{libc}/{}", self.os, self.arch, self.file)
    }

    /// The line that the shim's loader reads.
    pub(crate) fn line(&self) -> String {
        format!("{}\t{}\t{}\t{}\n", self.os, self.arch, self.libc, self.file)
    }
}

fn read<T: DeserializeOwned>(workspace: &Workspace, file: &'static str) -> Result<T, Problem> {
    let path = workspace.root.join(file);
    let text = fs::read_to_string(&path).map_err(Problem::file(&path))?;
    toml::from_str(&text).map_err(|error| Problem::Data { file, what: error.to_string() })
}

fn unknown(kind: &str, name: &str) -> Problem {
    Problem::Data { file: CATALOG, what: format!("there is no {kind} {name}") }
}

#[cfg(test)]
mod tests {
    use super::{Catalog, Coordinate, NativeTarget};
    use crate::Workspace;

    #[test]
    fn every_bundle_names_libraries_that_have_a_version() {
        let catalog = Catalog::read(&Workspace::find().unwrap()).unwrap();
        for name in catalog.bundles() {
            assert!(!catalog.bundle(name).unwrap().is_empty(), "{name} is empty");
        }
        let gson = Coordinate { group: "com.google.code.gson".into(), artifact: "gson".into(), version: "2.14.0".into() };
        assert_eq!(catalog.coordinate("gson-test").unwrap(), gson);
    }

    #[test]
    fn the_client_of_the_tests_has_the_version_of_the_catalog_and_its_lock_names_no_host() {
        let workspace = Workspace::find().unwrap();
        let catalog = Catalog::read(&workspace).unwrap();
        let player = workspace.root.join("tests/end-to-end/player");
        let package: serde_json::Value = serde_json::from_slice(&std::fs::read(player.join("package.json")).unwrap()).unwrap();
        assert_eq!(package["dependencies"]["minecraft-protocol"], catalog.versions["minecraft-protocol"].as_str());
        let lock = std::fs::read_to_string(player.join("package-lock.json")).unwrap();
        assert!(!lock.contains("\"resolved\""), "the lock file names the host it was made from");
    }

    #[test]
    fn a_target_has_its_libc_in_its_path_where_there_are_two() {
        let targets = NativeTarget::read_all(&Workspace::find().unwrap()).unwrap();
        let paths: Vec<_> = targets.iter().map(NativeTarget::resource).collect();
        assert!(paths.contains(&"META-INF/native/linux-aarch64-musl/libauk.so".to_owned()), "{paths:?}");
        assert!(paths.contains(&"META-INF/native/windows-x86_64/auk.dll".to_owned()), "{paths:?}");
    }
}
