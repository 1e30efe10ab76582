//! What a step was done from, so that it is done again only when that changed.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::problem::Problem;

/// A hash over all that a step depends on.
#[derive(Default)]
pub(crate) struct Stamp(Sha256);

impl Stamp {
    /// Adds a text. Its length goes in as well, so that two texts cannot be taken for one.
    pub(crate) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    /// Adds bytes, with their length.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.add(bytes);
        self
    }

    /// Adds one file.
    pub(crate) fn file(self, file: &Path) -> Result<Self, Problem> {
        Ok(self.bytes(&fs::read(file).map_err(Problem::file(file))?))
    }

    /// Adds every file below `dir`, with its path, in the order of the paths.
    pub(crate) fn dir(mut self, dir: &Path) -> Result<Self, Problem> {
        for file in files(dir)? {
            self.add(file.strip_prefix(dir).unwrap_or(&file).to_string_lossy().as_bytes());
            self.add(&fs::read(&file).map_err(Problem::file(&file))?);
        }
        Ok(self)
    }

    /// Does `work` unless it was done for this very stamp, as `file` remembers. Answers whether it was done.
    pub(crate) fn unless_done(self, file: &Path, work: impl FnOnce() -> Result<(), Problem>) -> Result<bool, Problem> {
        let hash = hexadecimal(&self.0.finalize());
        if fs::read_to_string(file).is_ok_and(|known| known == hash) {
            return Ok(false);
        }
        work()?;
        if let Some(dir) = file.parent() {
            fs::create_dir_all(dir).map_err(Problem::file(dir))?;
        }
        fs::write(file, hash).map_err(Problem::file(file))?;
        Ok(true)
    }

    fn add(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }
}

/// The SHA-256 of `bytes` in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Every file below `dir`, sorted by path.
pub(crate) fn files(dir: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(Problem::file(dir))? {
        let path = entry.map_err(Problem::file(dir))?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
