//! Jars that are the same to the byte whenever their content is.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::problem::Problem;
use crate::stamp::files;

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

    /// Writes the jar: entries in order, all of the time that a zip file calls zero, and stored, because these jars never travel.
    /// It appears under its name at once and whole; a server that still reads the old one keeps it.
    pub(crate) fn write(&self, jar: &Path) -> Result<(), Problem> {
        let part = jar.with_extension("part");
        let failed = |error: zip::result::ZipError| Problem::File { path: jar.to_owned(), source: error.into() };
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        let mut writer = ZipWriter::new(File::create(&part).map_err(Problem::file(&part))?);
        for (path, bytes) in &self.0 {
            writer.start_file(path, options).map_err(failed)?;
            writer.write_all(bytes).map_err(Problem::file(&part))?;
        }
        writer.finish().map_err(failed)?;
        fs::rename(&part, jar).map_err(Problem::file(jar))
    }
}
