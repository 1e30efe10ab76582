//! The whole table: what Minecraft and its libraries offer in each version.

use crate::row::{self, Entry, Row};
use crate::version::Version;

const MEMBERS: (&str, &str) = ("members.tsv", include_str!("../members.tsv"));
const LIBRARIES: (&str, &str) = ("libraries.tsv", include_str!("../libraries.tsv"));

/// The lines of both tables.
#[derive(Debug, Clone)]
pub struct Table {
    rows: Vec<Row>,
}

/// A line of a table that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line}: {why}")]
pub struct UnreadableTable {
    /// The table's file.
    pub file: &'static str,
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

impl Table {
    /// Reads the tables that are built in.
    ///
    /// # Errors
    ///
    /// [`UnreadableTable`] with the file, the line and the column that is wrong.
    pub fn read() -> Result<Self, UnreadableTable> {
        let mut rows = Vec::new();
        for (file, text) in [MEMBERS, LIBRARIES] {
            for (index, line) in text.lines().enumerate().skip(1) {
                let row = row::read(line).and_then(|row| well_formed(&row).map(|()| row));
                rows.push(row.map_err(|why| UnreadableTable { file, line: index + 1, why })?);
            }
        }
        Ok(Self { rows })
    }

    /// Every line, in the order of the files.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The lines that speak of `version`.
    pub fn rows_of(&self, version: Version) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.versions.contains(version))
    }
}

fn well_formed(row: &Row) -> Result<(), String> {
    if row.versions.first > row.versions.last {
        return Err("the versions run backwards".to_owned());
    }
    match &row.entry {
        Entry::Class { .. } => Ok(()),
        Entry::Field(member) => member.descriptor.as_deref().map_or(Ok(()), |text| crate::descriptor::field(text).map(drop)),
        Entry::Method(member) => member.descriptor.as_deref().map_or(Ok(()), |text| crate::descriptor::method(text).map(drop)),
    }
}
