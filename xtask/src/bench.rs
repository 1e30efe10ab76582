//! What things cost.

use crate::problem::Problem;
use crate::{Workspace, native, progress, shim, tool};

/// The benchmarks by name: a dispatch decoded, a line rendered, the border crossed, the native part at rest, a bot in trouble.
const BENCHES: [&str; 5] = ["decode", "render", "border", "footprint", "goals"];

/// Builds the library as it is shipped and what the benchmarks need beside it, then runs them all.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Problem> {
    let library = native::build(workspace, true)?;
    let mut simulator = tool::cargo(workspace);
    simulator.args(["build", "--package", "auk-simulator"]);
    progress::step("building the simulator", || tool::run_shown("cargo build", &mut simulator, "cargo"))?;
    shim::build(workspace)?;
    let parts = workspace.parts();
    let mut bench = tool::cargo(workspace);
    bench.args(["bench", "--workspace"]);
    for name in BENCHES {
        bench.args(["--bench", name]);
    }
    bench.env("AUK_ARTIFACTS", &parts.dir).env("AUK_NATIVE", &library).env("AUK_SIMULATOR", &parts.simulator);
    progress::step("running the benchmarks", || tool::run_shown("cargo bench", &mut bench, "cargo"))
}
