//! The built mod, taken apart and checked as a whole.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use zip::ZipArchive;

use crate::check::{Linkage, Report};
use crate::jar::UnreadableJar;
use crate::table::Table;
use crate::version::{Scheme, Version};

/// The classes of the adapter for intermediary names that run on some of its versions only, as its `Variants` chooses them, by the first
/// and the last one; the rest run on all. The stand-in games show that the choice is this one.
pub const VARIANTS: [(&str, &str, &str); 6] = [
    ("PlayConnections", "1.20.1", "1.20.1"),
    ("CommonConnections", "1.20.2", "1.21.11"),
    ("CountingConsole", "1.20.1", "1.20.2"),
    ("CallbackConsole", "1.20.3", "1.21.11"),
    ("LevelPermissions", "1.20.1", "1.21.10"),
    ("NamedPermissions", "1.21.11", "1.21.11"),
];

/// Where nested mods lie in the outer one.
const NESTED: &str = "META-INF/jars/";

/// The mod as it is shipped: the outer jar and those in it.
#[derive(Debug)]
pub struct ModJar {
    outer: PathBuf,
    /// The libraries that the game brings.
    brought: Vec<PathBuf>,
    nested: TempDir,
}

impl ModJar {
    /// Opens the mod `outer`. Of the jars in the directory `provided`, which the shim is compiled against, it finds Gson and slf4j beside
    /// it, since the game brings them; the others are packed.
    ///
    /// # Errors
    ///
    /// When the jar cannot be read, or what is in it not be laid aside.
    pub fn open(outer: &Path, provided: &Path) -> io::Result<Self> {
        let nested = tempfile::tempdir()?;
        let jars = fs::read_dir(provided)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
        let brought = jars.into_iter().filter(|jar| is_brought_by_the_game(jar)).collect();
        for (path, bytes) in entries(outer, |path| path.starts_with(NESTED))? {
            fs::write(nested.path().join(path.trim_start_matches(NESTED)), bytes)?;
        }
        Ok(Self { outer: outer.to_owned(), brought, nested })
    }

    /// Resolves every reference of every class that runs on a server of `version`: of the outer mod, and of the adapter for it.
    ///
    /// # Errors
    ///
    /// [`UnreadableJar`] when a jar or a class in it cannot be read.
    pub fn check(&self, version: Version, table: &Table) -> Result<Report, UnreadableJar> {
        let mut report = self.adapter(version)?.only(|class| runs_on(class, version)).check(version, table);
        let outer = self.outer()?.check(version, table);
        report.references_checked += outer.references_checked;
        report.failures.extend(outer.failures);
        Ok(report)
    }

    /// The adapter for a version, beside the outer mod.
    ///
    /// # Errors
    ///
    /// [`UnreadableJar`] when a jar or a class in it cannot be read.
    pub fn adapter(&self, version: Version) -> Result<Linkage, UnreadableJar> {
        let name = match version.scheme() {
            Scheme::Intermediary => "auk-adapter-intermediary.jar",
            Scheme::Official => "auk-adapter-official.jar",
        };
        let others: Vec<&Path> = self.brought.iter().chain([&self.outer]).map(PathBuf::as_path).collect();
        Linkage::read(&self.nested.path().join(name), &others)
    }

    /// The outer mod alone.
    ///
    /// # Errors
    ///
    /// [`UnreadableJar`] when a jar or a class in it cannot be read.
    pub fn outer(&self) -> Result<Linkage, UnreadableJar> {
        let others: Vec<&Path> = self.brought.iter().map(PathBuf::as_path).collect();
        Linkage::read(&self.outer, &others)
    }

    /// The classes of the outer mod whose bytes hold `text`.
    ///
    /// # Errors
    ///
    /// When the jar cannot be read.
    pub fn mentions_of(&self, text: &str) -> io::Result<Vec<String>> {
        let classes = entries(&self.outer, |path| path.ends_with(".class"))?;
        let holds = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        Ok(classes.into_iter().filter(|(_, bytes)| holds(bytes)).map(|(path, _)| path).collect())
    }
}

fn runs_on(class: &str, version: Version) -> bool {
    let simple = class.rsplit('/').next().unwrap_or(class).split('$').next().unwrap_or(class);
    let variant = VARIANTS.iter().find(|(name, ..)| simple == *name);
    variant.is_none_or(|(_, first, last)| (parse(first)..=parse(last)).contains(&version))
}

fn is_brought_by_the_game(jar: &Path) -> bool {
    let name = jar.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".jar") && (name.starts_with("gson-") || name.starts_with("slf4j-"))
}

fn parse(name: &str) -> Version {
    name.parse().expect("the variants name versions of the table")
}

/// The files of a jar whose paths are `wanted`, with their bytes.
fn entries(jar: &Path, wanted: impl Fn(&str) -> bool) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut zip = ZipArchive::new(File::open(jar)?)?;
    let mut found = Vec::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index)?;
        let path = entry.name()?.into_owned();
        if entry.is_file() && wanted(&path) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            found.push((path, bytes));
        }
    }
    Ok(found)
}
