//! What things cost.

use crate::jar::Libraries;
use crate::problem::Problem;
use crate::{Workspace, jar, natives, progress, tool};

/// The benchmarks by name: a dispatch decoded, a line rendered, the border crossed, the native part at rest, a server with the mod started,
/// a bot in trouble.
const BENCHES: [&str; 6] = ["decode", "render", "border", "footprint", "start", "goals"];

/// Builds the library as it is shipped and what the benchmarks need beside it, then runs them all.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Problem> {
    let library = natives::build_plain(workspace, true)?;
    let mut simulator = tool::cargo(workspace);
    simulator.args(["build", "--package", "auk-simulator"]);
    progress::step("building the simulator", || tool::run_shown("cargo build", &mut simulator, "cargo"))?;
    let jar = jar::build(workspace, Libraries::Plain(library.clone()))?;
    let parts = workspace.parts();
    let mut bench = tool::cargo(workspace);
    bench.args(["bench", "--workspace"]);
    for name in BENCHES {
        bench.args(["--bench", name]);
    }
    bench.env("AUK_ARTIFACTS", &parts.dir).env("AUK_NATIVE", &library).env("AUK_SIMULATOR", &parts.simulator);
    bench.env("AUK_JAR", &jar);
    progress::step("running the benchmarks", || tool::run_shown("cargo bench", &mut bench, "cargo"))
}
