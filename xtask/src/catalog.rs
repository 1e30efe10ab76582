//! The tables under `gradle/`: coordinates of jars, and systems with a native library.

use std::collections::BTreeMap;
use std::{env, fmt, fs};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Workspace;
use crate::problem::Problem;
use crate::stamp::sha256;

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
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// The newest glibc whose symbols the library may need, where it is built against glibc.
    pub(crate) glibc: Option<Release>,
    /// The oldest macOS that the library is to run on, where it is one for macOS.
    pub(crate) macos: Option<Release>,
}

/// Two numbers with a dot, as glibc and macOS count their releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Release(pub(crate) u32, pub(crate) u32);

impl NativeTarget {
    /// Reads `gradle/natives.toml`.
    pub(crate) fn read_all(workspace: &Workspace) -> Result<Vec<Self>, Problem> {
        #[derive(Deserialize)]
        struct Natives {
            native: Vec<NativeTarget>,
        }
        read::<Natives>(workspace, NATIVES).map(|natives| natives.native)
    }

    /// The entry of the machine that this program runs on.
    pub(crate) fn host(workspace: &Workspace) -> Result<Self, Problem> {
        let libc = if cfg!(target_env = "musl") { "musl" } else { "gnu" };
        let is_host = |target: &Self| {
            target.os == env::consts::OS && target.arch == env::consts::ARCH && (target.libc.is_empty() || target.libc == libc)
        };
        Self::read_all(workspace)?.into_iter().find(is_host).ok_or_else(|| Problem::Data {
            file: NATIVES,
            what: format!("there is no entry for this machine, {} {}", env::consts::OS, env::consts::ARCH),
        })
    }

    /// What the platform is called, such as `linux-x86_64-gnu`.
    pub(crate) fn name(&self) -> String {
        let libc = if self.libc.is_empty() { String::new() } else { format!("-{}", self.libc) };
        format!("{}-{}{libc}", self.os, self.arch)
    }

    /// Where the library lies in the jar, packed.
    pub(crate) fn resource(&self) -> String {
        format!("META-INF/native/{}/{}.xz", self.name(), self.file)
    }

    /// The line that the shim's loader reads of this library.
    pub(crate) fn line(&self, library: &[u8]) -> String {
        let (sha256, crc32) = (sha256(library), crc32fast::hash(library));
        format!("{}\t{}\t{}\t{}\t{sha256}\t{}\t{crc32:08x}\n", self.os, self.arch, self.libc, self.file, library.len())
    }
}

impl Release {
    /// Reads `2.17`; a third number, as in glibc's 2.2.5, says nothing that matters here.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(str::parse);
        Some(Self(numbers.next()?.ok()?, numbers.next().unwrap_or(Ok(0)).ok()?))
    }
}

impl TryFrom<String> for Release {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("{text} is no release such as 2.17"))
    }
}

impl fmt::Display for Release {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.0, self.1)
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
    use super::{Catalog, Coordinate, NativeTarget, Release};
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
    fn a_release_is_compared_as_numbers() {
        assert!(Release::parse("2.4") < Release::parse("2.17"));
        assert_eq!(Release::parse("2.2.5"), Some(Release(2, 2)));
        assert_eq!(Release::parse("PRIVATE"), None);
    }

    #[test]
    fn a_target_has_its_libc_in_its_path_where_there_are_two() {
        let targets = NativeTarget::read_all(&Workspace::find().unwrap()).unwrap();
        let paths: Vec<_> = targets.iter().map(NativeTarget::resource).collect();
        assert!(paths.contains(&"META-INF/native/linux-aarch64-musl/libauk.so.xz".to_owned()), "{paths:?}");
        assert!(paths.contains(&"META-INF/native/windows-x86_64/auk.dll.xz".to_owned()), "{paths:?}");
    }
}
