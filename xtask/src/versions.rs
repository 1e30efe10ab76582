//! The table of versions: what the built mod refers to in each, and what was seen when it ran in each.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use auk_linkage::{ModJar, Table, Version, versions};
use serde::Deserialize;

use crate::jars::bundle_dir;
use crate::problem::Problem;
use crate::{Workspace, readme};

/// What the READMEs call the table.
const TABLE: &str = "versions";
/// What the last run of the stand-in games left.
const RESULTS: &str = "target/auk/standin/results.json";

/// What was seen in one run, as the tests write it.
#[derive(Deserialize)]
struct Run {
    minecraft: String,
    java: u32,
    adapter: String,
    events: Vec<String>,
    #[serde(flatten)]
    checks: BTreeMap<String, bool>,
}

/// Prints the table, or writes it into both READMEs. It needs what `cargo xtask test` builds and finds out.
pub(crate) fn run(workspace: &Workspace, write: bool) -> Result<(), Problem> {
    let rows = rows(workspace)?;
    let head = "| Minecraft | Java | adapter | references | events | levels and nodes | console command | round trip |\n|---|---|---|---|---|---|---|---|\n";
    if !write {
        print!("{head}{rows}");
        return Ok(());
    }
    readme::renew(workspace, "README.md", TABLE, &format!("{head}{rows}"))?;
    let head = "| Minecraft | Java | 适配 | 引用 | 事件 | 等级与权限 | 控制台命令 | 往返 |\n|---|---|---|---|---|---|---|---|\n";
    readme::renew(workspace, "README.zh-CN.md", TABLE, &format!("{head}{rows}"))
}

fn rows(workspace: &Workspace) -> Result<String, Problem> {
    let path = workspace.artifacts().join("standin/results.json");
    let text = fs::read_to_string(&path).map_err(Problem::file(&path))?;
    let runs: Vec<Run> = serde_json::from_str(&text).map_err(|error| Problem::Data { file: RESULTS, what: error.to_string() })?;
    let (jar, table) = (mod_jar(workspace)?, Table::read().map_err(|error| odd(&error))?);
    versions().try_fold(String::new(), |mut rows, version| {
        let runs: Vec<&Run> = runs.iter().filter(|run| run.minecraft == version.name()).collect();
        let references = references(&jar, version, &table)?;
        let Some(first) = runs.first() else {
            return Err(Problem::Data { file: RESULTS, what: format!("there is no run of Minecraft {version}") });
        };
        let javas: Vec<String> = runs.iter().map(|run| run.java.to_string()).collect();
        let held = |check: &str| if runs.iter().all(|run| run.checks.get(check) == Some(&true)) { "✓" } else { "✗" };
        let adapter = first.adapter.trim_start_matches("auk-adapter-").trim_end_matches(".jar");
        let _ = writeln!(
            rows,
            "| {version} | {} | {adapter} | {references} | {} | {} | {} | {} |",
            javas.join(", "),
            first.events.len(),
            held("permission_check"),
            held("command_run"),
            held("round_trip"),
        );
        Ok(rows)
    })
}

/// How many references resolve in a version; none may fail.
fn references(jar: &ModJar, version: Version, table: &Table) -> Result<usize, Problem> {
    let report = jar.check(version, table).map_err(|error| odd(&error))?;
    match report.failures.first() {
        Some(failure) => Err(odd(failure)),
        None => Ok(report.references_checked),
    }
}

fn mod_jar(workspace: &Workspace) -> Result<ModJar, Problem> {
    let jar = workspace.parts().jar("auk-debug");
    ModJar::open(&jar, &bundle_dir(workspace, "provided")).map_err(Problem::file(&jar))
}

fn odd(what: &impl ToString) -> Problem {
    Problem::Data { file: "target/auk/auk-debug.jar", what: what.to_string() }
}
