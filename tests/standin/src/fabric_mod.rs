//! A Fabric mod as its jar describes it, with the mods in it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use serde_json::Value;
use zip::ZipArchive;

use crate::Failure;

/// What a loader reads of `fabric.mod.json`, in the form of schema version 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FabricMod {
    /// The mod's id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// What it needs, by mod id: one of the predicates must hold.
    pub depends: BTreeMap<String, Vec<String>>,
    /// The classes of its entry points, by their kind.
    pub entry_points: BTreeMap<String, Vec<String>>,
}

/// A mod's jar, with those that are nested in it.
#[derive(Debug, Clone)]
pub struct ModJar {
    /// The outer mod.
    pub outer: FabricMod,
    /// The nested ones, in the order of the description, each with the file that it was unpacked to.
    pub nested: Vec<(FabricMod, PathBuf)>,
    /// The jar.
    pub path: PathBuf,
}

impl ModJar {
    /// Reads the mod at `path` and unpacks what is nested in it into `directory`.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or written, or a description is no such description.
    pub fn read(path: &Path, directory: &Path) -> Result<Self, Failure> {
        if !path.exists() {
            let (what, remedy) = (path.display().to_string(), "run `cargo xtask jar --debug`".to_owned());
            return Err(auk_end_to_end::Failure::Missing { what, remedy }.into());
        }
        let bytes = fs::read(path).map_err(Failure::file(path))?;
        let mut zip = open(path, &bytes)?;
        let description = description(path, &mut zip)?;
        let mut nested = Vec::new();
        for jar in list(&description["jars"]) {
            let name = text(path, jar, "file")?;
            let bytes = entry(path, &mut zip, &name)?;
            let inner = FabricMod::read(path, &self::description(path, &mut open(path, &bytes)?)?)?;
            let file = directory.join(name.rsplit('/').next().unwrap_or(&name));
            fs::write(&file, &bytes).map_err(Failure::file(&file))?;
            nested.push((inner, file));
        }
        Ok(Self { outer: FabricMod::read(path, &description)?, nested, path: path.to_owned() })
    }
}

impl FabricMod {
    fn read(path: &Path, description: &Value) -> Result<Self, Failure> {
        let depends = description["depends"].as_object().into_iter().flatten();
        let entry_points = description["entrypoints"].as_object().into_iter().flatten();
        Ok(Self {
            id: text(path, description, "id")?,
            version: text(path, description, "version")?,
            depends: depends.map(|(id, predicates)| (id.clone(), texts(predicates))).collect(),
            entry_points: entry_points.map(|(kind, classes)| (kind.clone(), texts(classes))).collect(),
        })
    }
}

fn open<'a>(path: &Path, bytes: &'a [u8]) -> Result<ZipArchive<Cursor<&'a [u8]>>, Failure> {
    ZipArchive::new(Cursor::new(bytes)).map_err(|error| odd(path, error))
}

fn description(path: &Path, zip: &mut ZipArchive<impl Read + Seek>) -> Result<Value, Failure> {
    let bytes = entry(path, zip, "fabric.mod.json")?;
    serde_json::from_slice(&bytes).map_err(|error| odd(path, format!("fabric.mod.json: {error}")))
}

fn entry(path: &Path, zip: &mut ZipArchive<impl Read + Seek>, name: &str) -> Result<Vec<u8>, Failure> {
    let mut file = zip.by_name(name).map_err(|error| odd(path, format!("{name}: {error}")))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(Failure::file(path))?;
    Ok(bytes)
}

fn text(path: &Path, object: &Value, field: &str) -> Result<String, Failure> {
    object[field].as_str().map(str::to_owned).ok_or_else(|| odd(path, format!("no {field} in {object}")))
}

/// One text, or an array of texts.
fn texts(value: &Value) -> Vec<String> {
    let one = value.as_str().into_iter();
    one.chain(list(value).iter().filter_map(Value::as_str)).map(str::to_owned).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn odd(path: &Path, what: impl ToString) -> Failure {
    Failure::Jar { path: path.to_owned(), what: what.to_string() }
}
