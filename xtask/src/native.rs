//! The native library for this machine.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::archive::Archive;
use crate::catalog::NativeTarget;
use crate::problem::Problem;
use crate::{Workspace, progress, tool};

/// Builds the library and says where it is.
pub(crate) fn build(workspace: &Workspace, release: bool) -> Result<PathBuf, Problem> {
    let mut command = tool::cargo(workspace);
    command.args(["build", "--package", "auk-jni"]);
    let mut library = workspace.parts().native;
    if release {
        command.arg("--release");
        let name = library.file_name().unwrap_or_default().to_owned();
        library = workspace.target.join("release").join(name);
    }
    progress::step("building the native library", || tool::run_shown("cargo build", &mut command, "cargo"))?;
    let bytes = fs::metadata(&library).map_err(Problem::file(&library))?.len();
    progress::say(&format!("{}: {bytes} bytes", library.display()));
    Ok(library)
}

/// Packs the library that is not optimised into `target/auk/auk-native.jar`, at the place where the shim's loader looks for it.
pub(crate) fn pack(workspace: &Workspace) -> Result<(), Problem> {
    let answer = tool::read("rustc -vV", Command::new("rustc").arg("-vV"), "rustc")?;
    let host = answer.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let targets = NativeTarget::read_all(workspace)?;
    let target = targets
        .iter()
        .find(|target| target.triple == host)
        .ok_or_else(|| Problem::Data { file: "gradle/natives.toml", what: format!("there is no entry for this machine, {host}") })?;
    let dir = workspace.artifacts();
    fs::create_dir_all(&dir).map_err(Problem::file(&dir))?;
    let library = workspace.parts().native;
    let bytes = fs::read(&library).map_err(Problem::file(&library))?;
    Archive::default().entry(&target.resource(), bytes).write(&dir.join("auk-native.jar"))
}
