//! The storm table: a day of each fault on simulated time, as built and with the defects that the project began with.

use crate::problem::Problem;
use crate::{Workspace, progress, readme, tool};

/// What the READMEs call the table.
const TABLE: &str = "storm";

/// Prints the table, or writes it into both READMEs.
pub(crate) fn run(workspace: &Workspace, write: bool) -> Result<(), Problem> {
    let mut storm = tool::cargo(workspace);
    storm.args(["run", "--quiet", "--package", "auk-gateway-stories", "--example", "storm"]);
    let tables = progress::step("simulating a day of each fault", || tool::read("storm", &mut storm, "cargo"))?;
    let (en_us, zh_cn) = tables.split_once('\u{c}').unwrap_or((&tables, ""));
    if !write {
        print!("{en_us}");
        return Ok(());
    }
    readme::renew(workspace, "README.md", TABLE, en_us)?;
    readme::renew(workspace, "README.zh-CN.md", TABLE, zh_cn)
}

/// Runs this many seeds of the simulation, six hours each.
pub(crate) fn simulate(workspace: &Workspace, seeds: u64) -> Result<(), Problem> {
    let mut test = tool::cargo(workspace);
    test.args(["test", "--package", "auk-gateway-stories", "--test", "simulation", "every", "--", "--nocapture"]);
    test.env("AUK_SEEDS", seeds.to_string());
    progress::step("simulating", || tool::run_shown("cargo test", &mut test, "cargo"))
}
