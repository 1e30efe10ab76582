//! The native libraries: built, held to the rules of a release, and handed to whoever makes a jar.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use crate::archive::Archive;
use crate::catalog::NativeTarget;
use crate::library::Library;
use crate::pack::{self, Effort};
use crate::problem::Problem;
use crate::{Workspace, cross, progress, tool, verify};

/// What `cargo xtask natives` is to do.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Build for every system of gradle/natives.toml, not for this machine alone
    #[arg(long, conflicts_with = "platforms")]
    all: bool,
    /// Build the library for this machine with its debug checks, as the tests use it; no other tool than cargo is needed
    #[arg(long, conflicts_with_all = ["all", "platforms"])]
    debug: bool,
    /// Load each library afterwards in a Java or another program of its system, as far as this machine can, and go through a life against the simulator
    #[arg(long, conflicts_with = "debug")]
    verify: bool,
    /// Build nothing and take the libraries in target/auk/natives as they are, such as those that other machines built
    #[arg(long, conflicts_with = "debug")]
    built: bool,
    /// Build for these systems, such as linux-aarch64-musl
    platforms: Vec<String>,
}

/// Builds what `options` name and prints the table of it; fails when one may not be shipped.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<(), Problem> {
    if options.debug {
        build_plain(workspace, false)?;
        return pack_debug(workspace);
    }
    let targets = chosen(workspace, options)?;
    if !options.built {
        cross::build(workspace, &targets)?;
    }
    report(workspace, &targets)?;
    if options.verify { verify::run(workspace, &targets) } else { Ok(()) }
}

/// Builds this machine's library with cargo alone, for the systems as new as this one, and says where it is.
pub(crate) fn build_plain(workspace: &Workspace, release: bool) -> Result<PathBuf, Problem> {
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

/// The jar's entries, path and bytes, for the libraries of `targets`, which `cargo xtask natives` built before; each is held to the rules
/// of a release. `META-INF/native/<platform>/<file>.xz` for each, and `META-INF/auk/natives.tsv`, from which the loader knows them.
pub(crate) fn entries(workspace: &Workspace, targets: &[NativeTarget]) -> Result<Vec<(String, Vec<u8>)>, Problem> {
    for target in targets {
        refuse(target, &inspect(workspace, target)?.faults(target))?;
    }
    let libraries: Vec<_> = targets.iter().map(|target| (target.clone(), built(workspace, target))).collect();
    pack::entries(workspace, &libraries, Effort::Shipped)
}

/// The same for the library that the tests use, packed with little effort.
pub(crate) fn debug_entries(workspace: &Workspace) -> Result<Vec<(String, Vec<u8>)>, Problem> {
    let library = (NativeTarget::host(workspace)?, workspace.parts().native);
    progress::step("packing the native library", || pack::entries(workspace, &[library], Effort::Quick))
}

/// Packs the library of the tests into `target/auk/auk-native.jar`, at the place where the shim's loader looks for it.
pub(crate) fn pack_debug(workspace: &Workspace) -> Result<(), Problem> {
    let archive = debug_entries(workspace)?.into_iter().fold(Archive::default(), |archive, (path, bytes)| archive.entry(&path, bytes));
    archive.write(&workspace.artifacts().join("auk-native.jar"))
}

fn chosen(workspace: &Workspace, options: &Options) -> Result<Vec<NativeTarget>, Problem> {
    let targets = NativeTarget::read_all(workspace)?;
    if options.all {
        return Ok(targets);
    }
    if options.platforms.is_empty() {
        return Ok(vec![NativeTarget::host(workspace)?]);
    }
    let known: Vec<String> = targets.iter().map(NativeTarget::name).collect();
    if let Some(stranger) = options.platforms.iter().find(|name| !known.contains(name)) {
        return Err(Problem::Environment(format!("there is no platform {stranger}; there are {}", known.join(", "))));
    }
    Ok(targets.into_iter().filter(|target| options.platforms.contains(&target.name())).collect())
}

/// Prints a line for each library, then fails with every broken rule of all.
fn report(workspace: &Workspace, targets: &[NativeTarget]) -> Result<(), Problem> {
    let mut faults = Vec::new();
    println!("{:<20} {:>9} {:>9} {:>6} {:>7}", "platform", "bytes", "packed", "glibc", "exports");
    for target in targets {
        let library = inspect(workspace, target)?;
        let packed = pack::packed(workspace, target, &built(workspace, target), Effort::Shipped)?.len();
        let glibc = library.glibc.map_or_else(|| "-".to_owned(), |release| release.to_string());
        println!("{:<20} {:>9} {packed:>9} {glibc:>6} {:>7}", target.name(), library.bytes, library.exports.len());
        faults.push((target, library.faults(target)));
    }
    faults.iter().try_for_each(|(target, faults)| refuse(target, faults))
}

fn refuse(target: &NativeTarget, faults: &[String]) -> Result<(), Problem> {
    if faults.is_empty() {
        return Ok(());
    }
    Err(Problem::Library { file: target.name().into(), what: faults.join("; ") })
}

/// What the library of `target` says of itself.
pub(crate) fn inspect(workspace: &Workspace, target: &NativeTarget) -> Result<Library, Problem> {
    let file = built(workspace, target);
    if !file.exists() {
        return Err(Problem::Environment(format!("{} is missing: run `cargo xtask natives {}`", file.display(), target.name())));
    }
    Library::read(&file, &fs::read(&file).map_err(Problem::file(&file))?)
}

/// Where the library of `target` is when it was built.
pub(crate) fn built(workspace: &Workspace, target: &NativeTarget) -> PathBuf {
    cross::directory(workspace, target).join(&target.file)
}
