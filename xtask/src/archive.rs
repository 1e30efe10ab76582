//! Jars that are the same to the byte whenever their content is.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Cursor, Read, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::problem::Problem;
use crate::stamp::{Stamp, files};

/// What a jar is to hold, by path. Sorted, so that the order is always the same.
#[derive(Default)]
pub(crate) struct Archive(BTreeMap<String, Vec<u8>>);

impl Archive {
    /// Adds one entry.
    pub(crate) fn entry(mut self, path: &str, bytes: Vec<u8>) -> Self {
        self.0.insert(path.to_owned(), bytes);
        self
    }

    /// Adds every file below `dir` under its path from there.
    pub(crate) fn dir(mut self, dir: &Path) -> Result<Self, Problem> {
        for file in files(dir)? {
            let path = file.strip_prefix(dir).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            self.0.insert(path, fs::read(&file).map_err(Problem::file(&file))?);
        }
        Ok(self)
    }

    /// Adds every entry of another archive.
    pub(crate) fn all(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Leaves out what only a compiler reads, such as `META-INF/*.kotlin_module`.
    pub(crate) fn only_classes(mut self) -> Self {
        self.0.retain(|path, _| path.ends_with(".class"));
        self
    }

    /// Reads a jar back.
    pub(crate) fn read(jar: &Path) -> Result<Self, Problem> {
        let failed = |error: zip::result::ZipError| Problem::File { path: jar.to_owned(), source: error.into() };
        let mut zip = ZipArchive::new(File::open(jar).map_err(Problem::file(jar))?).map_err(failed)?;
        let mut entries = BTreeMap::new();
        for index in 0..zip.len() {
            let mut file = zip.by_index(index).map_err(failed)?;
            if file.is_file() {
                let path = file.name().map_err(failed)?.into_owned();
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes).map_err(Problem::file(jar))?;
                entries.insert(path, bytes);
            }
        }
        Ok(Self(entries))
    }

    /// Adds all of it to a stamp.
    pub(crate) fn stamped(&self, stamp: Stamp) -> Stamp {
        self.0.iter().fold(stamp, |stamp, (path, bytes)| stamp.text(path).bytes(bytes))
    }

    /// Writes a jar that never travels, with nothing compressed.
    pub(crate) fn write(&self, jar: &Path) -> Result<(), Problem> {
        let part = jar.with_extension("part");
        fs::write(&part, self.bytes(CompressionMethod::Stored).map_err(|source| Problem::File { path: jar.to_owned(), source })?)
            .map_err(Problem::file(&part))?;
        // It appears under its name at once and whole; a server that still reads the old one keeps it.
        fs::rename(&part, jar).map_err(Problem::file(jar))
    }

    /// The bytes of a jar: entries in order, all of the time that a zip file calls zero, so that they are the same whenever the content
    /// is.
    pub(crate) fn bytes(&self, method: CompressionMethod) -> std::io::Result<Vec<u8>> {
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .compression_level((method == CompressionMethod::Deflated).then_some(DEFLATE_LEVEL))
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes) in &self.0 {
            writer.start_file(path, options)?;
            writer.write_all(bytes)?;
        }
        Ok(writer.finish()?.into_inner())
    }
}

/// The strongest; a jar is packed once and downloaded often.
const DEFLATE_LEVEL: i64 = 9;
