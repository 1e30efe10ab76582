//! The libraries that travel in the jar: moved into a package of Auk's own, then cut to what Auk uses.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use auk_end_to_end::find_jdk;

use crate::archive::Archive;
use crate::jars::bundle_dir;
use crate::problem::Problem;
use crate::shim::jars_of;
use crate::stamp::Stamp;
use crate::{Workspace, progress, tool};

const RENAME_RULES: &str = "java-shim/fabric/rename.rules";
const SHRINK_RULES: &str = "java-shim/fabric/shrink.pro";

/// Archives of classes: the outer mod's, which the libraries go into, and the adapters', which use them from there.
pub(crate) struct Classes {
    /// The outer mod's.
    pub(crate) outer: Archive,
    /// One for each adapter.
    pub(crate) adapters: Vec<Archive>,
}

/// The same with the libraries in `outer` and all names as they are in the shipped jar.
pub(crate) fn shrink(workspace: &Workspace, classes: &Classes) -> Result<Classes, Problem> {
    let dir = workspace.artifacts().join("shrink");
    fs::create_dir_all(&dir).map_err(Problem::file(&dir))?;
    let libraries = jars_of(&bundle_dir(workspace, "packed"))?;
    let parts: Vec<&Archive> = std::iter::once(&classes.outer).chain(&classes.adapters).collect();
    let rules = [RENAME_RULES, SHRINK_RULES].map(|file| workspace.root.join(file));
    let mut stamp = parts.iter().fold(Stamp::default(), |stamp, part| part.stamped(stamp));
    for file in rules.iter().chain(&libraries) {
        stamp = stamp.file(file)?;
    }
    stamp.unless_done(&dir.join("stamp"), || {
        progress::step("moving and cutting the libraries of the jar", || {
            let renamed: Vec<PathBuf> = libraries.iter().map(|jar| rename(workspace, &dir, jar)).collect::<Result<_, _>>()?;
            for (index, part) in parts.iter().enumerate() {
                let jar = input(&dir, index);
                part.write(&jar)?;
                rename(workspace, &dir, &jar)?;
            }
            cut(workspace, &dir, parts.len(), &renamed)
        })
    })?;
    let mut parts = (0..parts.len()).map(|index| Archive::read(&output(&dir, index)));
    Ok(Classes { outer: parts.next().unwrap_or_else(|| Ok(Archive::default()))?, adapters: parts.collect::<Result<_, _>>()? })
}

/// Moves the packages of [`RENAME_RULES`] in one jar, in its own classes and in what refers to them.
fn rename(workspace: &Workspace, dir: &Path, jar: &Path) -> Result<PathBuf, Problem> {
    let renamed = dir.join("renamed").join(jar.file_name().unwrap_or_default());
    fs::create_dir_all(dir.join("renamed")).map_err(Problem::file(dir))?;
    let mut command = java(workspace)?;
    command.arg("com.eed3si9n.jarjar.Main").arg("process").arg(workspace.root.join(RENAME_RULES)).arg(jar).arg(&renamed);
    tool::run("jarjar", &mut command, "openjdk-17-jdk-headless")?;
    Ok(renamed)
}

/// All parts in one run, so that what only an adapter uses stays in the outer jar.
fn cut(workspace: &Workspace, dir: &Path, parts: usize, libraries: &[PathBuf]) -> Result<(), Problem> {
    let mut command = java(workspace)?;
    command.arg("proguard.ProGuard");
    for index in 0..parts {
        let jar = dir.join("renamed").join(input(dir, index).file_name().unwrap_or_default());
        command.arg("-injars").arg(jar);
        if index == 0 {
            for library in libraries {
                command.arg("-injars").arg(filtered(library));
            }
        }
        let out = output(dir, index);
        if out.exists() {
            // An output that looks newer than its inputs makes ProGuard do nothing.
            fs::remove_file(&out).map_err(Problem::file(&out))?;
        }
        command.arg("-outjars").arg(out);
    }
    command.arg("-libraryjars").arg(java_base(workspace)?);
    for jar in jars_of(&bundle_dir(workspace, "provided"))?.iter().filter(|jar| jar.to_string_lossy().contains("gson")) {
        command.arg("-libraryjars").arg(jar);
    }
    command.arg("-include").arg(workspace.root.join(SHRINK_RULES));
    tool::run("ProGuard", &mut command, "openjdk-17-jdk-headless")
}

/// Neither a library's manifest nor what only Kotlin's compiler and reflection read.
fn filtered(library: &Path) -> OsString {
    let mut argument = library.as_os_str().to_owned();
    argument.push("(!META-INF/**,!**.kotlin_builtins)");
    argument
}

fn input(dir: &Path, index: usize) -> PathBuf {
    dir.join(format!("part-{index}.jar"))
}

fn output(dir: &Path, index: usize) -> PathBuf {
    dir.join(format!("cut-{index}.jar"))
}

fn java(workspace: &Workspace) -> Result<Command, Problem> {
    let mut command = find_jdk(17)?.java();
    command.args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"]).arg(tool::class_path(jars_of(&bundle_dir(workspace, "shrink"))?)?);
    Ok(command)
}

/// Java's own classes, out of the JDK's image: not every JDK has them as files beside it.
fn java_base(workspace: &Workspace) -> Result<PathBuf, Problem> {
    let jdk = find_jdk(17)?;
    let dir = workspace.artifacts().join("java.base");
    Stamp::default().text(&jdk.home.display().to_string()).unless_done(&dir.join("stamp"), || {
        let mut command = jdk.run("jimage");
        command.arg("extract").arg("--dir").arg(&dir).args(["--include", "regex:/java.base/java/.*,regex:/java.base/javax/.*"]);
        command.arg(jdk.home.join("lib/modules"));
        tool::run("jimage", &mut command, "openjdk-17-jdk-headless")
    })?;
    Ok(dir.join("java.base"))
}
