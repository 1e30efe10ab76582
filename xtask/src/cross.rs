//! How a release library comes to be, also for systems that this machine is not.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::catalog::NativeTarget;
use crate::problem::Problem;
use crate::{Workspace, progress, tool};

/// Builds all seven where no rustup target can be had; it lies beside the repository on machines that are set up so.
const SCRIPT: &str = "../shared/natives/cross-natives.sh";

/// The crate of the library, from the root.
const CRATE: &str = "native/jni";

/// What builds a library.
#[derive(Debug, PartialEq, Eq)]
enum Way {
    /// The system's own linker.
    Cargo,
    /// zig as compiler and linker of C, which also knows old releases of glibc.
    Zigbuild,
    /// [`SCRIPT`].
    Script,
}

/// Builds the library for each of `targets` as it is shipped and leaves it in [`directory`]. Before anything is built, it is known how each is.
pub(crate) fn build(workspace: &Workspace, targets: &[NativeTarget]) -> Result<(), Problem> {
    let tools = Tools::look(workspace)?;
    let ways = targets.iter().map(|target| Ok((target, tools.way(target)?))).collect::<Result<Vec<_>, Problem>>()?;
    for (target, way) in ways {
        progress::step(&format!("building the native library for {}", target.name()), || {
            let built = match way {
                Way::Cargo | Way::Zigbuild => build_with_cargo(workspace, target, &way)?,
                Way::Script => build_with_script(workspace, target)?,
            };
            let to = directory(workspace, target);
            fs::create_dir_all(&to).map_err(Problem::file(&to))?;
            fs::copy(&built, to.join(&target.file)).map(drop).map_err(Problem::file(&built))
        })?;
    }
    Ok(())
}

/// Where the library of `target` is left: `target/auk/natives/<platform>`.
pub(crate) fn directory(workspace: &Workspace, target: &NativeTarget) -> PathBuf {
    workspace.artifacts().join("natives").join(target.name())
}

/// Where the script keeps its tools and what it built: `WORK`, or `target/auk/cross`.
pub(crate) fn work(workspace: &Workspace) -> PathBuf {
    env::var_os("WORK").map_or_else(|| workspace.artifacts().join("cross"), PathBuf::from)
}

/// zig as a compiler of C for `target`, as zig calls it: the script's own, or the one on the path.
pub(crate) fn zig_cc(workspace: &Workspace, target: &str) -> Command {
    let work = work(workspace);
    let python = work.join("venv/bin/python");
    let mut command = if python.is_file() {
        let mut command = Command::new(python);
        command.args(["-m", "ziglang"]).env("ZIG_GLOBAL_CACHE_DIR", work.join("zigcache"));
        command
    } else {
        Command::new("zig")
    };
    command.args(["cc", "-target", target]);
    command
}

/// What this machine has to build with.
struct Tools {
    /// The directory with one directory for each of Rust's targets.
    targets: PathBuf,
    has_zigbuild: bool,
    has_script: bool,
}

impl Tools {
    fn look(workspace: &Workspace) -> Result<Self, Problem> {
        let sysroot = tool::read("rustc --print sysroot", Command::new("rustc").args(["--print", "sysroot"]), "rustc")?;
        let zigbuild = Command::new("cargo-zigbuild").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        Ok(Self {
            targets: Path::new(sysroot.trim()).join("lib/rustlib"),
            has_zigbuild: zigbuild.is_ok_and(|status| status.success()),
            has_script: workspace.root.join(SCRIPT).is_file(),
        })
    }

    /// How `target` is built here, or what is missing for it.
    fn way(&self, target: &NativeTarget) -> Result<Way, Problem> {
        let has_target = self.targets.join(&target.triple).is_dir();
        // Apple's libraries come from Apple's linker: zig's ignores what is to be exported and the oldest system, without a word.
        let is_at_home = target.os == "macos";
        let has_linker = if is_at_home { env::consts::OS == "macos" } else { self.has_zigbuild };
        if has_target && has_linker {
            return Ok(if is_at_home { Way::Cargo } else { Way::Zigbuild });
        }
        if self.has_script {
            return Ok(Way::Script);
        }
        let mut missing = Vec::new();
        if !has_target {
            missing.push(format!("run `rustup target add {}`", target.triple));
        }
        if !has_linker {
            missing.push(
                if is_at_home { "build on a Mac" } else { "install cargo-zigbuild with zig (`pip install cargo-zigbuild` brings both)" }
                    .to_owned(),
            );
        }
        Err(Problem::Environment(format!("{} cannot be built here: {}", target.name(), missing.join(", and "))))
    }
}

fn build_with_cargo(workspace: &Workspace, target: &NativeTarget, way: &Way) -> Result<PathBuf, Problem> {
    let mut cargo = tool::cargo(workspace);
    if *way == Way::Zigbuild {
        cargo.arg("zigbuild");
    } else {
        cargo.arg("build");
    }
    let triple = target.glibc.map_or_else(|| target.triple.clone(), |glibc| format!("{}.{glibc}", target.triple));
    cargo.args(["--release", "--package", "auk-jni", "--lib", "--target", &triple]);
    if let Some(macos) = target.macos {
        cargo.env("MACOSX_DEPLOYMENT_TARGET", macos.to_string());
    }
    if target.libc == "musl" {
        // Rust links musl into its programs; a library in a JVM shares the JVM's.
        cargo.env("RUSTFLAGS", "-C target-feature=-crt-static");
    }
    if target.os == "windows" {
        // cargo-zigbuild drops the list of exports that rustc writes, so this is one under another name.
        let list = workspace.artifacts().join("auk-exports.def");
        fs::write(&list, crate::library::export_list()).map_err(Problem::file(&list))?;
        cargo.env("RUSTFLAGS", format!("-C link-arg={}", list.display()));
    }
    tool::run_shown("cargo", &mut cargo, "cargo-zigbuild")?;
    Ok(workspace.target.join(&target.triple).join("release").join(&target.file))
}

fn build_with_script(workspace: &Workspace, target: &NativeTarget) -> Result<PathBuf, Problem> {
    let name = match target.libc.as_str() {
        "musl" => format!("{}-musl-{}", target.os, target.arch),
        _ => format!("{}-{}", target.os, target.arch),
    };
    let work = work(workspace);
    let out = work.join("out");
    let built = out.join(&name).join(&target.file);
    if built.exists() {
        fs::remove_file(&built).map_err(Problem::file(&built))?;
    }
    let mut script = Command::new(workspace.root.join(SCRIPT));
    script.args([CRATE.as_ref(), out.as_os_str(), name.as_ref()]).current_dir(&workspace.root).env("WORK", &work);
    if let Some(glibc) = target.glibc {
        script.env("GLIBC", glibc.to_string());
    }
    // The script builds the standard library as well; a library without symbols has no use for what reads them, which is 0.2 MB.
    script.env("CARGO_UNSTABLE_BUILD_STD_FEATURES", "panic-unwind");
    // Cargo names rustup's libraries here, and the script runs another compiler. What is asked for is this program's own output.
    script.env_remove("LD_LIBRARY_PATH").stdout(Stdio::null());
    tool::run_shown("cross-natives.sh", &mut script, "bash")?;
    if built.is_file() {
        return Ok(built);
    }
    let log = work.join(format!("build-{name}.log"));
    let text = fs::read_to_string(&log).map_err(Problem::file(&log))?;
    let last: Vec<&str> = text.lines().rev().take(30).collect();
    let output = format!(":\n{}", last.into_iter().rev().collect::<Vec<_>>().join("\n"));
    Err(Problem::Command { what: format!("building {}", target.name()), status: "no library came of it".to_owned(), output })
}

#[cfg(test)]
mod tests {
    use super::{Tools, Way};
    use crate::Workspace;
    use crate::catalog::NativeTarget;

    fn tools(has_zigbuild: bool, has_script: bool, targets: &std::path::Path) -> Tools {
        Tools { targets: targets.to_owned(), has_zigbuild, has_script }
    }

    #[test]
    fn a_target_that_is_installed_is_built_with_zig_and_the_script_serves_for_the_rest() {
        let target = NativeTarget::read_all(&Workspace::find().unwrap()).unwrap().remove(0);
        let installed = std::env::temp_dir().join(format!("auk-targets-{}", std::process::id()));
        std::fs::create_dir_all(installed.join(&target.triple)).unwrap();
        assert_eq!(tools(true, true, &installed).way(&target).unwrap(), Way::Zigbuild);
        assert_eq!(tools(false, true, &installed).way(&target).unwrap(), Way::Script);
        let nowhere = std::path::Path::new("/nowhere");
        assert_eq!(tools(true, true, nowhere).way(&target).unwrap(), Way::Script);
        let said = tools(false, false, nowhere).way(&target).unwrap_err().to_string();
        assert!(said.contains("rustup target add x86_64-unknown-linux-gnu") && said.contains("install cargo-zigbuild"), "{said}");
        std::fs::remove_dir_all(installed).unwrap();
    }
}
