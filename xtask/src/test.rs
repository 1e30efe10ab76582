//! Everything: every part is built, then every test runs.

use crate::jar::Libraries;
use crate::problem::Problem;
use crate::{Workspace, jar, natives, player, progress, tool};

/// Builds all parts and runs the workspace's tests, which find the parts through the environment.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Problem> {
    // With the tests, so that the same dependencies with the same features serve both this build and theirs.
    let mut build = tool::cargo(workspace);
    build.args(["build", "--workspace", "--lib", "--bins", "--tests"]);
    progress::step("building the workspace", || tool::run_shown("cargo build", &mut build, "cargo"))?;
    natives::pack_debug(workspace)?;
    jar::build(workspace, Libraries::Debug)?;
    player::install(workspace)?;
    let parts = workspace.parts();
    let mut test = tool::cargo(workspace);
    test.args(["test", "--workspace", "--no-fail-fast"]);
    test.env("AUK_ARTIFACTS", &parts.dir).env("AUK_NATIVE", &parts.native).env("AUK_SIMULATOR", &parts.simulator);
    progress::step("running the tests", || tool::run_shown("cargo test", &mut test, "cargo"))
}
