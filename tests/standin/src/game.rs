//! The generated games, compiled.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use auk_end_to_end::{Artifacts, find_jdk};
use auk_linkage::{Bodies, Entry, StubSet, Table, Version};
use sha2::{Digest, Sha256};

use crate::Failure;

/// What a permissions mod brings: its static method asks the test, as everything does that is generated.
const PERMISSIONS: &str = "package me.lucko.fabric.api.permissions.v0;

/** The part of fabric-permissions-api-v0 that mods call. */
public final class Permissions {
    public static boolean check(SOURCE source, String node, boolean otherwise) {
        return dev.auk.standin.Hooks.primitive(Boolean.class, null, \"Permissions.check\", new Object[] {source, node, otherwise});
    }
}
";

/// The classes of one version of the game.
#[derive(Debug, Clone)]
pub struct Game {
    /// The version.
    pub version: Version,
    /// The directory of the classes.
    pub classes: PathBuf,
}

/// Makes the games of `versions`; those that were made from the same sources before are only found again. One process compiles all.
///
/// # Errors
///
/// When a part is missing, a file cannot be written, or the compiler refuses.
pub fn make(artifacts: &Artifacts, versions: impl IntoIterator<Item = Version>) -> Result<BTreeMap<Version, Game>, Failure> {
    let table = Table::read()?;
    let mut games = BTreeMap::new();
    let mut stale = Vec::new();
    for version in versions {
        let sources = sources(&table, version);
        let directory = artifacts.dir.join("standin").join("games").join(format!("{version}-{}", stamp(&sources)));
        if !directory.join("classes").exists() {
            stale.push((directory.clone(), sources));
        }
        games.insert(version, Game { version, classes: directory.join("classes") });
    }
    compile(artifacts, &stale)?;
    Ok(games)
}

fn sources(table: &Table, version: Version) -> BTreeMap<PathBuf, String> {
    let generated = StubSet::of_version(table, version).sources(Bodies::Delegating);
    let mut sources: BTreeMap<PathBuf, String> = generated.into_iter().map(|source| (source.path, source.text)).collect();
    let source = table.rows_of(version).find(|row| row.readable == "CommandSource" && row.entry == Entry::Class { exists: true });
    let source = source.map_or_else(|| "Object".to_owned(), |row| row.owner.replace(['/', '$'], "."));
    sources.insert("me/lucko/fabric/api/permissions/v0/Permissions.java".into(), PERMISSIONS.replace("SOURCE", &source));
    sources
}

/// Enough of a hash to tell sets of sources apart.
fn stamp(sources: &BTreeMap<PathBuf, String>) -> String {
    let mut hash = Sha256::new();
    for (path, text) in sources {
        for part in [&*path.to_string_lossy(), text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Compiles into directories of this process's own, which then appear under their names whole: several tests may do the same at once.
fn compile(artifacts: &Artifacts, stale: &[(PathBuf, BTreeMap<PathBuf, String>)]) -> Result<(), Failure> {
    let Some(games) = stale.first().and_then(|(directory, _)| directory.parent()) else { return Ok(()) };
    fs::create_dir_all(games).map_err(Failure::file(games))?;
    let workshop = tempfile::Builder::new().prefix("part-").tempdir_in(games).map_err(Failure::file(games))?;
    let mut parts = Vec::new();
    for (directory, sources) in stale {
        let part = workshop.path().join(directory.file_name().unwrap_or_default());
        for (path, text) in sources {
            write(&part.join("sources").join(path), text)?;
        }
        parts.push((part, directory));
    }
    let class_path = artifacts.class_path(&["auk-standin"], "test")?;
    let mut java = find_jdk(17)?.java();
    java.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"]).arg(class_path).arg("dev.auk.game.GameCompiler");
    let output = java.args(parts.iter().map(|(part, _)| part)).output().map_err(Failure::file(Path::new("java")))?;
    if !output.status.success() {
        return Err(Failure::Compiler(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    for (part, directory) in parts {
        remove_older(games, directory)?;
        // Whoever was first has the same in there.
        if let Err(error) = fs::rename(&part, directory)
            && !directory.join("classes").exists()
        {
            return Err(Failure::file(directory)(error));
        }
    }
    Ok(())
}

/// Removes what was made from other sources of the same version.
fn remove_older(games: &Path, directory: &Path) -> Result<(), Failure> {
    let version = |path: &Path| path.file_name().and_then(|name| Some(name.to_str()?.rsplit_once('-')?.0.to_owned()));
    for entry in fs::read_dir(games).map_err(Failure::file(games))? {
        let path = entry.map_err(Failure::file(games))?.path();
        if path != directory && version(&path) == version(directory) {
            fs::remove_dir_all(&path).map_err(Failure::file(&path))?;
        }
    }
    Ok(())
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let directory = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(Failure::file(directory))?;
    fs::write(file, text).map_err(Failure::file(file))
}
