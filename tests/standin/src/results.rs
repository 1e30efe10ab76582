//! What was seen in each version, for machines: `target/auk/standin/results.json`.

use std::fs;
use std::path::PathBuf;

use auk_end_to_end::Artifacts;
use serde_json::{Value, json};

use crate::Failure;

/// What was seen in one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The version of Minecraft.
    pub minecraft: String,
    /// The version of Java.
    pub java: u32,
    /// The file of the nested mod that the loader chose.
    pub adapter: String,
    /// The events of Fabric API that the mod listens to; each is told to it in every run.
    pub events: Vec<String>,
    /// Whether what was checked held; sorted by name.
    pub checks: Vec<(&'static str, bool)>,
}

/// Writes the outcomes, in the order that they are given in, and answers where.
///
/// # Errors
///
/// When the file cannot be written.
pub fn write(artifacts: &Artifacts, outcomes: &[Outcome]) -> Result<PathBuf, Failure> {
    let directory = artifacts.dir.join("standin");
    fs::create_dir_all(&directory).map_err(Failure::file(&directory))?;
    let file = directory.join("results.json");
    let rows: Vec<Value> = outcomes.iter().map(row).collect();
    let mut text = serde_json::to_string_pretty(&rows).unwrap_or_default();
    text.push('\n');
    fs::write(&file, text).map_err(Failure::file(&file))?;
    Ok(file)
}

fn row(outcome: &Outcome) -> Value {
    let mut row = json!({
        "minecraft": outcome.minecraft,
        "java": outcome.java,
        "adapter": outcome.adapter,
        "events": outcome.events,
    });
    for (check, held) in &outcome.checks {
        row[*check] = (*held).into();
    }
    row
}
