//! The Minecraft protocol client: npm installs it outside the tree.

use std::fs;
use std::process::Command;

use crate::problem::Problem;
use crate::stamp::Stamp;
use crate::{Workspace, progress, tool};

/// Installs the client into `target/auk/player`, unless it is there already.
pub(crate) fn install(workspace: &Workspace) -> Result<(), Problem> {
    let source = workspace.root.join("tests/end-to-end/player");
    let dir = workspace.artifacts().join("player");
    fs::create_dir_all(&dir).map_err(Problem::file(&dir))?;
    tool::run("node --version", Command::new("node").arg("--version"), "nodejs")?;
    let mut stamp = Stamp::default();
    for name in ["package.json", "package-lock.json", "player.mjs"] {
        let file = source.join(name);
        let text = fs::read_to_string(&file).map_err(Problem::file(&file))?;
        fs::write(dir.join(name), &text).map_err(Problem::file(&dir))?;
        if name.ends_with(".json") {
            stamp = stamp.text(&text);
        }
    }
    stamp.unless_done(&dir.join("stamp"), || {
        progress::step("installing the protocol client", || {
            let mut command = Command::new("npm");
            command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&dir);
            tool::run("npm ci", &mut command, "npm")?;
            prune(&dir.join("node_modules/minecraft-data/minecraft-data/data/bedrock"))
        })
    })?;
    progress::say(&format!("{} is ready", dir.display()));
    Ok(())
}

/// Removes the data of the Bedrock edition, three quarters of half a gigabyte; only what both editions share is read.
fn prune(bedrock: &std::path::Path) -> Result<(), Problem> {
    for entry in fs::read_dir(bedrock).map_err(Problem::file(bedrock))? {
        let path = entry.map_err(Problem::file(bedrock))?.path();
        if !path.ends_with("common") {
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(Problem::file(&path))?;
        }
    }
    Ok(())
}
