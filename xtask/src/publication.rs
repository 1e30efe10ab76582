//! What the places where mods are published ask about a release.

use std::fs;

use auk_linkage::versions;
use serde_json::json;
use sha2::{Digest, Sha512};

use crate::jar::{self, Libraries};
use crate::problem::Problem;
use crate::stamp::hexadecimal;
use crate::{Workspace, progress};

/// Builds the jar of all systems and writes `publication.json` beside it, with the fields that Modrinth's API calls a version:
/// name, number, the games and loaders it is for, what it needs, and the file with its hash.
pub(crate) fn write(workspace: &Workspace) -> Result<(), Problem> {
    let jar = jar::build(workspace, Libraries::All)?;
    let bytes = fs::read(&jar).map_err(Problem::file(&jar))?;
    let version = env!("CARGO_PKG_VERSION");
    let publication = json!({
        "name": format!("Auk {version}"),
        "version_number": version,
        "version_type": if version.starts_with("0.") { "beta" } else { "release" },
        "loaders": ["fabric"],
        "game_versions": versions().map(|version| version.name()).collect::<Vec<_>>(),
        "dependencies": [{ "slug": "fabric-api", "dependency_type": "required" }],
        "changelog": changelog(workspace)?,
        "file": { "name": jar.file_name().unwrap_or_default().to_string_lossy(), "bytes": bytes.len(), "sha512": hexadecimal(&Sha512::digest(&bytes)) },
    });
    let file = workspace.artifacts().join("publication.json");
    fs::write(&file, format!("{publication:#}\n")).map_err(Problem::file(&file))?;
    progress::say(&format!("{} is ready", file.display()));
    Ok(())
}

/// The newest section of the changelog.
fn changelog(workspace: &Workspace) -> Result<String, Problem> {
    let path = workspace.root.join("CHANGELOG.md");
    let text = fs::read_to_string(&path).map_err(Problem::file(&path))?;
    let sections = text.split("\n## ").nth(1).unwrap_or_default();
    Ok(sections.split_once('\n').map_or("", |(_, body)| body).trim().to_owned())
}
