//! The Minecraft versions that the table knows, in order.

use std::fmt;
use std::str::FromStr;

const NAMES: [&str; 20] = [
    "1.20.1", "1.20.2", "1.20.3", "1.20.4", "1.20.5", "1.20.6", "1.21", "1.21.1", "1.21.2", "1.21.3", "1.21.4", "1.21.5", "1.21.6",
    "1.21.7", "1.21.8", "1.21.9", "1.21.10", "1.21.11", "26.1", "26.2",
];
const FIRST_OFFICIAL: u8 = 18;

/// A Minecraft version of the table; a later one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(u8);

/// The names that Minecraft's classes have while a server of some version runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Fabric's stable numbers, such as `class_3324`: up to 1.21.11.
    Intermediary,
    /// Mojang's own names, which the game carries itself from 26.1 on.
    Official,
}

/// A version that the table does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Minecraft {0:?} is not in the table, which has {first} to {last}", first = NAMES[0], last = NAMES[NAMES.len() - 1])]
pub struct UnknownVersion(pub String);

/// All versions of the table, oldest first.
pub fn versions() -> impl DoubleEndedIterator<Item = Version> + ExactSizeIterator {
    (0..NAMES.len() as u8).map(Version)
}

impl Version {
    /// Its name, such as `1.20.1`.
    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0)]
    }

    /// Which names its classes have while it runs.
    pub fn scheme(self) -> Scheme {
        if self.0 < FIRST_OFFICIAL { Scheme::Intermediary } else { Scheme::Official }
    }
}

impl Scheme {
    /// The versions of this scheme, oldest first.
    pub fn versions(self) -> Vec<Version> {
        versions().filter(|version| version.scheme() == self).collect()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(name: &str) -> Result<Self, UnknownVersion> {
        versions().find(|version| version.name() == name).ok_or_else(|| UnknownVersion(name.to_owned()))
    }
}

/// A run of versions, both ends in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The oldest.
    pub first: Version,
    /// The newest.
    pub last: Version,
}

impl Span {
    /// Whether `version` is in it.
    pub fn contains(self, version: Version) -> bool {
        (self.first..=self.last).contains(&version)
    }
}

impl FromStr for Span {
    type Err = UnknownVersion;

    /// Reads `all`, `1.20.1` or `1.20.1..1.21.11`.
    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        if text == "all" {
            return Ok(Self { first: Version(0), last: Version(NAMES.len() as u8 - 1) });
        }
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        Ok(Self { first: first.parse()?, last: last.parse()? })
    }
}
