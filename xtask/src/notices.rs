//! The notices of what is built into the jar: the licence texts of every crate in the native library and of the Java libraries beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::problem::Problem;
use crate::{Workspace, tool};

/// The crate that becomes the native library.
const LIBRARY: &str = "auk-jni";

/// What the jar carries of other people's Java, changed as said here. Their jars hold no licence text of their own.
const JAVA: &str = "kotlin-stdlib, Copyright JetBrains s.r.o. and Kotlin Programming Language contributors, Apache-2.0 (see LICENSE-APACHE)\n\
    XZ for Java, The Tukaani Project, 0BSD\n\
    Classes of both were moved into the package dev.auk.lib, and those that are not used were left out.\n";

/// `cargo metadata`, as far as it matters here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    authors: Vec<String>,
    manifest_path: String,
    source: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `null` for what is built in, `build` and `dev` for the rest.
    kind: Option<String>,
}

/// The whole text, the same on every machine.
pub(crate) fn text(workspace: &Workspace) -> Result<String, Problem> {
    let mut command = tool::cargo(workspace);
    command.args(["metadata", "--format-version", "1", "--locked"]);
    let json = tool::read("cargo metadata", &mut command, "cargo")?;
    let metadata: Metadata = serde_json::from_str(&json)
        .map_err(|error| Problem::Data { file: "Cargo.lock", what: format!("cargo metadata is not readable: {error}") })?;
    let mut text = format!("Auk contains the following works.\n\n{JAVA}");
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in built_in(&metadata) {
        let licence = package.license.as_deref().unwrap_or("see its page");
        let _ = writeln!(text, "{} {}, {}, {licence}", package.name, package.version, package.authors.join(", "));
        for licence_text in licence_texts(Path::new(&package.manifest_path))? {
            texts.entry(licence_text).or_default().push(package.name.clone());
        }
    }
    for (licence_text, names) in texts {
        let _ = write!(text, "\n---- {}\n\n{}\n", names.join(", "), licence_text.trim());
    }
    Ok(text)
}

/// Other people's crates that the library is linked from, by name.
fn built_in(metadata: &Metadata) -> Vec<&Package> {
    let nodes: BTreeMap<&str, &Node> = metadata.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let mut open: Vec<&str> =
        metadata.packages.iter().filter(|package| package.name == LIBRARY).map(|package| package.id.as_str()).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if let Some(node) = nodes.get(id).filter(|_| seen.insert(id)) {
            open.extend(node.deps.iter().filter(|dep| dep.dep_kinds.iter().any(|kind| kind.kind.is_none())).map(|dep| dep.pkg.as_str()));
        }
    }
    let mut packages: Vec<&Package> =
        metadata.packages.iter().filter(|package| package.source.is_some() && seen.contains(package.id.as_str())).collect();
    packages.sort_by_key(|package| (&package.name, &package.version));
    packages
}

/// The licence files beside a crate's manifest.
fn licence_texts(manifest: &Path) -> Result<Vec<String>, Problem> {
    let Some(dir) = manifest.parent() else { return Ok(Vec::new()) };
    let mut texts = Vec::new();
    for entry in fs::read_dir(dir).map_err(Problem::file(dir))? {
        let path = entry.map_err(Problem::file(dir))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if path.is_file() && ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|start| name.starts_with(start)) {
            texts.push(String::from_utf8_lossy(&fs::read(&path).map_err(Problem::file(&path))?).replace("\r\n", "\n"));
        }
    }
    texts.sort();
    Ok(texts)
}
