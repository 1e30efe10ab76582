//! A program of musl that goes through a life with the libraries for musl, since a Java for musl is on no package registry.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use auk_end_to_end::find_jdk;

use crate::catalog::NativeTarget;
use crate::problem::Problem;
use crate::runner::{Runner, Runners, compile, file_ending_in, qemu};
use crate::{cross, natives, tool};

/// The program, from the root.
const SOURCE: &str = "tests/jvm/programs/session.c";

/// The program with the library of `target`. It is started by musl's loader itself, which needs no place in the system then.
pub(crate) fn runner(runners: &Runners<'_>, target: &NativeTarget) -> Result<Runner, String> {
    let loader = loader(&runners.dir, &target.arch)?;
    let (name, mut command) = if env::consts::OS == "linux" && target.arch == env::consts::ARCH {
        ("a program", Command::new(loader))
    } else if target.arch == "aarch64" {
        let mut command = Command::new(qemu()?);
        command.arg(loader);
        ("a program under qemu", command)
    } else {
        return Err(format!("this machine runs no program for {}", target.arch));
    };
    command.arg(program(runners, &target.arch)?).arg(natives::built(runners.workspace, target));
    Ok(Runner { name: name.to_owned(), command, path: |path| path.into() })
}

/// Compiles the program for `arch`.
fn program(runners: &Runners<'_>, arch: &str) -> Result<PathBuf, String> {
    let program = runners.dir.join(format!("session-musl-{arch}"));
    let source = runners.workspace.root.join(SOURCE);
    let headers = find_jdk(17).map_err(|failure| failure.to_string())?.home.join("include");
    let mut compilers = Vec::new();
    if arch == env::consts::ARCH {
        compilers.push(Command::new("musl-gcc"));
    }
    let mut zig = cross::zig_cc(runners.workspace, &format!("{arch}-linux-musl"));
    zig.arg("-dynamic");
    compilers.push(zig);
    let package = if arch == env::consts::ARCH { "musl-tools" } else { "zig" };
    compile(compilers, package, |compiler| {
        // Without -O zig adds a runtime of its own, which asks musl for more than older ones have.
        compiler.arg("-O1").arg("-I").arg(&headers).arg("-I").arg(headers.join(env::consts::OS)).arg("-o").arg(&program).arg(&source)
    })?;
    Ok(program)
}

/// musl's loader for `arch`, which is all of musl: the system's, or else out of Debian's package, unpacked in `dir`.
fn loader(dir: &Path, arch: &str) -> Result<PathBuf, String> {
    let place = format!("lib/ld-musl-{arch}.so.1");
    let installed = Path::new("/").join(&place);
    let unpacked = dir.join("musl").join(&place);
    if let Some(loader) = [installed, unpacked.clone()].into_iter().find(|loader| loader.exists()) {
        return Ok(loader);
    }
    let package = match arch {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => return Err(format!("there is no musl for {other}")),
    };
    fetch(&dir.join("musl"), package).map_err(|problem| format!("install musl:{package}; to fetch it did not succeed: {problem}"))?;
    Ok(unpacked)
}

/// Unpacks Debian's package `musl` for `architecture` into `dir`. apt keeps its lists there as well, so that the system's stay as they are.
fn fetch(dir: &Path, architecture: &str) -> Result<(), Problem> {
    let (lists, cache, status) = (dir.join("apt/lists"), dir.join("apt/cache"), dir.join("apt/status"));
    for needed in [lists.join("partial"), cache.join("archives/partial")] {
        fs::create_dir_all(&needed).map_err(Problem::file(&needed))?;
    }
    fs::write(&status, "").map_err(Problem::file(&status))?;
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        for (option, value) in [("Dir::State::Lists", &lists), ("Dir::Cache", &cache), ("Dir::State::status", &status)] {
            apt.arg("-o").arg(format!("{option}={}", value.display()));
        }
        apt.args(["-o", &format!("APT::Architecture={architecture}"), "-o", &format!("APT::Architectures={architecture}")]);
        apt.args(arguments).current_dir(dir);
        tool::run("apt-get", &mut apt, "apt")
    };
    apt(&["update"])?;
    apt(&["download", "musl"])?;
    let package = file_ending_in(dir, "deb").ok_or_else(|| Problem::Environment("apt-get left no package".to_owned()))?;
    tool::run("unpacking musl", Command::new("dpkg-deb").arg("-x").arg(package).arg(dir), "dpkg")
}
