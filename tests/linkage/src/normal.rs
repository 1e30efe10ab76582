//! The form in which Fabric Loader gives the game's version to predicates.

use crate::loader_version::LoaderVersion;

/// The generations of Fabric Loader that read the game's version differently; releases are the same in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loader {
    /// 0.15 and 0.16, made before the snapshots of 1.21.11 and the names of 26.1.
    Old,
    /// 0.18.6 and 0.19.2.
    Current,
}

/// A version of the game whose normal form is not known here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is not known how Fabric Loader reads the game version {0:?}")]
pub struct OddGameVersion(pub String);

/// What `loader` makes of the game's own version name: `1.20.5-pre1` is read as `1.20.5-beta.1`.
///
/// # Errors
///
/// [`OddGameVersion`] for anything but releases, pre-releases and snapshots from 1.20 on.
pub fn normalize(name: &str, loader: Loader) -> Result<LoaderVersion, OddGameVersion> {
    normal_form(name, loader).map(|text| LoaderVersion::read(&text)).ok_or_else(|| OddGameVersion(name.to_owned()))
}

fn normal_form(name: &str, loader: Loader) -> Option<String> {
    if let Some((year, rest)) = name.split_once('w') {
        return weekly(year, rest, loader);
    }
    let end = name.find(['-', '_']).unwrap_or(name.len());
    let (release, rest) = name.split_at(end);
    if !release.split('.').all(is_digits) {
        return None;
    }
    if rest.is_empty() {
        return Some(name.to_owned());
    }
    if rest == "_unobfuscated" {
        return Some(match loader {
            Loader::Old => format!("{release}.unobfuscated"),
            Loader::Current => format!("{release}+unobfuscated"),
        });
    }
    // From 26.1 on a hyphen stands before the number, which the older loaders were not made for.
    let (word, digits, is_new) = split_stage(rest)?;
    Some(match (word, is_new, loader) {
        ("pre", false, _) => format!("{release}-beta.{digits}"),
        ("rc", false, _) | ("rc", true, Loader::Current) => format!("{release}-rc.{digits}"),
        ("pre", true, Loader::Current) => format!("{release}-pre.{digits}"),
        ("snapshot", true, Loader::Current) => format!("{release}-alpha.{digits}"),
        ("pre", true, Loader::Old) => format!("{release}-{name}"),
        ("rc" | "snapshot", true, Loader::Old) => name.to_owned(),
        _ => return None,
    })
}

/// Takes `-pre1` or `-pre-1` apart: the word, the number, and whether a hyphen stands before it.
fn split_stage(rest: &str) -> Option<(&str, &str, bool)> {
    let rest = rest.strip_prefix('-')?;
    let start = rest.find(|c: char| c.is_ascii_digit())?;
    let (word, digits) = rest.split_at(start);
    is_digits(digits).then(|| word.strip_suffix('-').map_or((word, digits, false), |word| (word, digits, true)))
}

/// A weekly snapshot such as `24w14a` counts as an alpha of the release that it led to. Only those weeks are known here that the tables of
/// the real loaders show.
fn weekly(year: &str, rest: &str, loader: Loader) -> Option<String> {
    let (week, letter) = rest.split_at_checked(2)?;
    let (year_number, week_number) = (year.parse::<u32>().ok()?, week.parse::<u32>().ok()?);
    let is_letter = letter.len() == 1 && letter.chars().all(|c| c.is_ascii_lowercase());
    let release = match (year_number, week_number, loader) {
        (24, 3..=14, _) => "1.20.5",
        (25, 41..=46, Loader::Old) => "1.21",
        (25, 41..=46, Loader::Current) => "1.21.11",
        _ => return None,
    };
    is_letter.then(|| format!("{release}-alpha.{year_number}.{week_number}.{letter}"))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}
