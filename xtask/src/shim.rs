//! The Kotlin side: compiled by the compiler itself, packed into jars.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use auk_end_to_end::find_jdk;

use crate::archive::Archive;
use crate::catalog::{Catalog, NativeTarget};
use crate::jars::bundle_dir;
use crate::problem::Problem;
use crate::stamp::Stamp;
use crate::{Workspace, jars, progress, tool};

/// One Kotlin module: its sources become one jar.
struct Module {
    name: &'static str,
    sources: &'static str,
    jvm_target: &'static str,
    /// The bundle it is compiled against.
    bundle: &'static str,
    /// Whether it is compiled against the shim.
    on_shim: bool,
    /// Whether it sees what is internal to the shim, as its tests do.
    friend: bool,
}

const SHIM: &str = "auk-shim";

/// In the order in which they need one another.
const MODULES: [Module; 3] = [
    Module { name: SHIM, sources: "java-shim/common/src", jvm_target: "17", bundle: "provided", on_shim: false, friend: false },
    Module { name: "auk-minestom", sources: "java-shim/minestom/src", jvm_target: "25", bundle: "minestom", on_shim: true, friend: false },
    Module { name: "auk-jvm-tests", sources: "tests/jvm/programs", jvm_target: "17", bundle: "test", on_shim: true, friend: true },
];

/// Compiles and packs every module whose sources changed.
pub(crate) fn build(workspace: &Workspace) -> Result<(), Problem> {
    jars::fetch(workspace)?;
    for module in &MODULES {
        build_module(workspace, module)?;
    }
    Ok(())
}

fn build_module(workspace: &Workspace, module: &Module) -> Result<(), Problem> {
    let sources = workspace.root.join(module.sources);
    let jar = workspace.artifacts().join(format!("{}.jar", module.name));
    let natives: String = NativeTarget::read_all(workspace)?.iter().map(NativeTarget::line).collect();
    let commands = auk_bridge::console::tree().to_string();
    let mut stamp = Stamp::default().text(&natives).text(&commands).text(env!("CARGO_PKG_VERSION")).dir(&sources)?;
    stamp = stamp.text(&Catalog::read(workspace)?.coordinate("kotlin-compiler")?.version);
    stamp = stamp.text(&format!("{:?}", arguments(workspace, module)?));
    if module.on_shim {
        stamp = stamp.dir(&workspace.root.join(MODULES[0].sources))?;
    }
    let file = workspace.artifacts().join("stamps").join(module.name);
    if !jar.exists() && file.exists() {
        fs::remove_file(&file).map_err(Problem::file(&file))?;
    }
    stamp.unless_done(&file, || {
        progress::step(&format!("compiling {}", module.name), || compile(workspace, module))?;
        let mut archive = Archive::default().dir(&classes(workspace, module.name))?;
        if module.name == SHIM {
            archive = archive.entry("META-INF/auk/natives.tsv", natives.into_bytes());
            // Out of the bridge itself, so that the game never offers a command that the bridge does not know.
            archive = archive.entry("META-INF/auk/commands.json", commands.into_bytes());
            archive = archive.entry("META-INF/auk/version", env!("CARGO_PKG_VERSION").into());
        }
        archive.write(&jar)
    })?;
    progress::say(&format!("{} is ready", jar.display()));
    Ok(())
}

fn compile(workspace: &Workspace, module: &Module) -> Result<(), Problem> {
    let classes = classes(workspace, module.name);
    if classes.exists() {
        fs::remove_dir_all(&classes).map_err(Problem::file(&classes))?;
    }
    let mut command = find_jdk(17)?.java();
    // The two flags make a run of this length three times as quick.
    command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"]).arg(bundle_dir(workspace, "compiler").join("*"));
    command.arg("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler").args(arguments(workspace, module)?);
    tool::run(&format!("compiling {}", module.name), &mut command, "openjdk-17-jdk-headless")
}

fn arguments(workspace: &Workspace, module: &Module) -> Result<Vec<OsString>, Problem> {
    let shim = classes(workspace, SHIM);
    let mut class_path = jars_of(bundle_dir(workspace, module.bundle))?;
    if module.on_shim {
        class_path.push(shim.clone());
    }
    let class_path =
        env::join_paths(class_path).map_err(|error| Problem::Environment(format!("a path cannot be on a class path: {error}")))?;
    let mut arguments: Vec<OsString> =
        ["-no-stdlib", "-no-reflect", "-Werror", "-jvm-target", module.jvm_target].map(OsString::from).into();
    arguments.extend(["-module-name".into(), module.name.into(), "-cp".into(), class_path]);
    if module.friend {
        let mut friend = OsString::from("-Xfriend-paths=");
        friend.push(&shim);
        arguments.push(friend);
    }
    arguments.extend(["-d".into(), classes(workspace, module.name).into(), workspace.root.join(module.sources).into()]);
    Ok(arguments)
}

fn classes(workspace: &Workspace, module: &str) -> PathBuf {
    workspace.artifacts().join("classes").join(module)
}

/// The compiler takes no wildcard.
fn jars_of(dir: PathBuf) -> Result<Vec<PathBuf>, Problem> {
    let mut jars = crate::stamp::files(&dir)?;
    jars.retain(|file| file.extension().is_some_and(|extension| extension == "jar"));
    Ok(jars)
}
