//! The class files of a jar.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use crate::class_file::ClassFile;

/// A jar that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be read as a jar{within}: {why}", path = jar.display(), within = within(entry.as_deref()))]
pub struct UnreadableJar {
    /// The jar.
    pub jar: PathBuf,
    /// The file in it that is at fault; none if it is the jar itself.
    pub entry: Option<String>,
    /// What is wrong.
    pub why: String,
}

/// Every class file of `jar` that a JVM of any version loads: not those of one release only, nor descriptions of modules.
pub(crate) fn classes(jar: &Path) -> Result<Vec<ClassFile>, UnreadableJar> {
    let failed = |entry: Option<&str>, why: String| UnreadableJar { jar: jar.to_owned(), entry: entry.map(str::to_owned), why };
    let file = File::open(jar).map_err(|error| failed(None, error.to_string()))?;
    let mut archive = ZipArchive::new(file).map_err(|error| failed(None, error.to_string()))?;
    let mut classes = Vec::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|error| failed(None, error.to_string()))?;
        let name = entry.name().map_err(|error| failed(None, error.to_string()))?.into_owned();
        if !name.ends_with(".class") || name.ends_with("module-info.class") || name.starts_with("META-INF/") {
            continue;
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(|error| failed(Some(&name), error.to_string()))?;
        classes.push(ClassFile::read(&bytes).map_err(|error| failed(Some(&name), error.to_string()))?);
    }
    Ok(classes)
}

fn within(entry: Option<&str>) -> String {
    entry.map(|entry| format!(", in {entry}")).unwrap_or_default()
}
