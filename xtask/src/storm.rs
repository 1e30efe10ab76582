//! The storm table: a day of each fault on simulated time, as built and with the defects that the project began with.

use std::fs;

use crate::problem::Problem;
use crate::{Workspace, progress, tool};

/// Between these marks a README keeps the table.
const MARKS: (&str, &str) = ("<!-- storm -->\n", "<!-- /storm -->\n");

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
    renew(workspace, "README.md", en_us)?;
    renew(workspace, "README.zh-CN.md", zh_cn)
}

fn renew(workspace: &Workspace, file: &str, table: &str) -> Result<(), Problem> {
    let path = workspace.root.join(file);
    let problem = |source| Problem::File { path: path.clone(), source };
    let readme = fs::read_to_string(&path).map_err(problem)?;
    let parts = readme.split_once(MARKS.0).and_then(|(before, rest)| Some((before, rest.split_once(MARKS.1)?.1)));
    let Some((before, after)) = parts else {
        return Err(problem(std::io::Error::other("the marks of the storm table are missing")));
    };
    fs::write(&path, [before, MARKS.0, table, MARKS.1, after].concat()).map_err(problem)
}

/// Runs this many seeds of the simulation, six hours each.
pub(crate) fn simulate(workspace: &Workspace, seeds: u64) -> Result<(), Problem> {
    let mut test = tool::cargo(workspace);
    test.args(["test", "--package", "auk-gateway-stories", "--test", "simulation", "every", "--", "--nocapture"]);
    test.env("AUK_SEEDS", seeds.to_string());
    progress::step("simulating", || tool::run_shown("cargo test", &mut test, "cargo"))
}
