//! Versions as Fabric Loader reads and compares them.
//!
//! The rules follow `SemanticVersionImpl` and `StringVersion` of Fabric Loader 0.15.11 to 0.19.2, and are held against both tables in
//! `predicates/`.

use std::cmp::Ordering;
use std::fmt;

/// A version as Fabric Loader sees it after it has read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoaderVersion {
    /// Numbers divided by dots, then perhaps `-` and a pre-release, then perhaps `+` and a build.
    Semantic(Semantic),
    /// Anything else; equal to itself only.
    Plain(String),
}

/// A version with an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Semantic {
    text: String,
    components: Vec<u32>,
    /// Whether an `x` follows the components: any number may stand there and behind it.
    wildcard: bool,
    /// An empty one, of `1.20-`, comes before every other.
    prerelease: Option<String>,
}

impl LoaderVersion {
    /// Reads a version of a mod or of the game in the form that the loader gives it, which [`crate::normalize`] makes.
    pub fn read(text: &str) -> Self {
        Semantic::read(text, false).map_or_else(|_| Self::Plain(text.to_owned()), Self::Semantic)
    }

    /// Reads a version in a predicate, where the last component may be an `x`.
    pub(crate) fn read_pattern(text: &str) -> Self {
        Semantic::read(text, true).map_or_else(|_| Self::Plain(text.to_owned()), Self::Semantic)
    }
}

impl Semantic {
    fn read(text: &str, may_be_pattern: bool) -> Result<Self, ()> {
        let (rest, build) = text.split_once('+').map_or((text, None), |(rest, build)| (rest, Some(build)));
        let (numbers, prerelease) = rest.split_once('-').map_or((rest, None), |(numbers, prerelease)| (numbers, Some(prerelease)));
        if ![prerelease, build].into_iter().flatten().all(is_dotted_id) {
            return Err(());
        }
        let mut components = Vec::new();
        let mut wildcard = false;
        for part in numbers.split('.') {
            if wildcard {
                return Err(());
            }
            if may_be_pattern && matches!(part, "x" | "X" | "*") {
                wildcard = true;
            } else {
                components.push(part.parse().map_err(drop)?);
            }
        }
        if wildcard && (components.is_empty() || prerelease.is_some()) {
            return Err(());
        }
        Ok(Self { text: text.to_owned(), components, wildcard, prerelease: prerelease.map(str::to_owned) })
    }

    /// How many numbers it has.
    pub(crate) fn length(&self) -> usize {
        self.components.len()
    }

    /// Whether its last component is an `x`.
    pub(crate) fn is_pattern(&self) -> bool {
        self.wildcard
    }

    /// The number at `index`, zero behind the last.
    pub(crate) fn component(&self, index: usize) -> u32 {
        self.components.get(index).copied().unwrap_or(0)
    }

    /// The oldest version that fits the pattern: that without the `x` and before all its pre-releases.
    pub(crate) fn floor(self) -> Self {
        let numbers: Vec<String> = self.components.iter().map(u32::to_string).collect();
        Self { text: numbers.join(".") + "-", wildcard: false, prerelease: Some(String::new()), ..self }
    }

    /// What is older and what is newer. Builds do not count.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let length = self.components.len().max(other.components.len());
        let numbers = (0..length).map(|index| self.component(index).cmp(&other.component(index)));
        numbers.fold(Ordering::Equal, Ordering::then).then_with(|| match (&self.prerelease, &other.prerelease) {
            (Some(left), Some(right)) => compare_prereleases(left, right),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        })
    }
}

impl fmt::Display for LoaderVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Semantic(version) => f.write_str(&version.text),
            Self::Plain(text) => f.write_str(text),
        }
    }
}

/// Identifiers of letters, digits and `-`, divided by dots; or nothing.
fn is_dotted_id(text: &str) -> bool {
    let is_id = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    text.is_empty() || text.split('.').all(is_id)
}

fn compare_prereleases(left: &str, right: &str) -> Ordering {
    let parts = |text: &str| -> Vec<String> { text.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect() };
    let (left, right) = (parts(left), parts(right));
    let pairs = left.iter().zip(&right).map(|(left, right)| match (is_number(left), is_number(right)) {
        (true, true) => left.len().cmp(&right.len()).then_with(|| left.cmp(right)),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => left.cmp(right),
    });
    pairs.fold(Ordering::Equal, Ordering::then).then_with(|| left.len().cmp(&right.len()))
}

fn is_number(part: &str) -> bool {
    part == "0" || (!part.starts_with('0') && part.chars().all(|c| c.is_ascii_digit()))
}
