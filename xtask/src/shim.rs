//! The Kotlin side: compiled by the compiler itself, packed into jars.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use auk_end_to_end::find_jdk;

use crate::archive::Archive;
use crate::catalog::Catalog;
use crate::jars::bundle_dir;
use crate::problem::Problem;
use crate::stamp::{Stamp, files};
use crate::stubs::Stubs;
use crate::{Workspace, jars, progress, stubs, tool};

/// One Kotlin module: its sources become one directory of classes and one jar.
struct Module {
    name: &'static str,
    sources: &'static str,
    jvm_target: &'static str,
    /// The bundles it is compiled against.
    bundles: &'static [&'static str],
    /// The game it is compiled against.
    stubs: Option<Stubs>,
    /// The modules it is compiled against.
    on: &'static [&'static str],
    /// Those of them whose internals it sees: it ships in one jar with them, or tests them.
    friends: &'static [&'static str],
}

/// What knows neither Minecraft nor Fabric.
pub(crate) const SHIM: &str = "auk-shim";
/// The outer mod.
pub(crate) const MOD: &str = "auk-fabric";
/// A mod in the outer one: Minecraft under one way of naming its members.
pub(crate) struct Nested {
    /// Its file's name in the outer jar.
    pub(crate) jar: &'static str,
    /// Where its `fabric.mod.json` lies.
    pub(crate) room: &'static str,
    /// Whose classes it has.
    pub(crate) modules: &'static [&'static str],
}

impl Nested {
    /// All of them.
    pub(crate) const ALL: [Self; 2] = [
        Self {
            jar: "auk-adapter-intermediary",
            room: "java-shim/fabric-intermediary",
            modules: &["auk-fabric-1.20.1", "auk-fabric-intermediary"],
        },
        Self { jar: "auk-adapter-official", room: "java-shim/fabric-official", modules: &["auk-fabric-official"] },
    ];
}

/// In the order in which they need one another.
const MODULES: [Module; 8] = [
    Module { name: SHIM, sources: "java-shim/common/src", jvm_target: "17", bundles: &["provided"], stubs: None, on: &[], friends: &[] },
    Module {
        name: "auk-minestom",
        sources: "java-shim/minestom/src",
        jvm_target: "25",
        bundles: &["minestom"],
        stubs: None,
        on: &[SHIM],
        friends: &[],
    },
    Module {
        name: "auk-jvm-tests",
        sources: "tests/jvm/programs",
        jvm_target: "17",
        bundles: &["test"],
        stubs: None,
        on: &[SHIM],
        friends: &[SHIM],
    },
    Module {
        name: "auk-standin",
        sources: "tests/standin/programs",
        jvm_target: "17",
        bundles: &["test"],
        stubs: None,
        on: &[],
        friends: &[],
    },
    Module {
        name: MOD,
        sources: "java-shim/fabric/src",
        jvm_target: "17",
        bundles: &["provided"],
        stubs: Some(Stubs::Official),
        on: &[SHIM],
        friends: &[SHIM],
    },
    Module {
        name: "auk-fabric-1.20.1",
        sources: "java-shim/fabric-intermediary/src-1.20.1",
        jvm_target: "17",
        bundles: &["provided"],
        stubs: Some(Stubs::Release1201),
        on: &[],
        friends: &[],
    },
    Module {
        name: "auk-fabric-intermediary",
        sources: "java-shim/fabric-intermediary/src",
        jvm_target: "17",
        bundles: &["provided"],
        stubs: Some(Stubs::Intermediary),
        on: &[SHIM, MOD, "auk-fabric-1.20.1"],
        friends: &["auk-fabric-1.20.1"],
    },
    Module {
        name: "auk-fabric-official",
        sources: "java-shim/fabric-official/src",
        jvm_target: "17",
        bundles: &["provided"],
        stubs: Some(Stubs::Official),
        on: &[SHIM, MOD],
        friends: &[],
    },
];

/// Compiles and packs every module whose sources changed.
pub(crate) fn build(workspace: &Workspace) -> Result<(), Problem> {
    jars::fetch(workspace)?;
    stubs::build(workspace)?;
    for module in &MODULES {
        build_module(workspace, module)?;
    }
    Ok(())
}

fn build_module(workspace: &Workspace, module: &Module) -> Result<(), Problem> {
    let sources = workspace.root.join(module.sources);
    let jar = workspace.artifacts().join(format!("{}.jar", module.name));
    let mut stamp = resources().stamped(Stamp::default()).dir(&sources)?;
    stamp = stamp.text(&Catalog::read(workspace)?.coordinate("kotlin-compiler")?.version);
    stamp = stamp.text(&format!("{:?}", arguments(workspace, module)?));
    for needed in module.on {
        stamp = stamp.dir(&classes(workspace, needed))?;
    }
    if let Some(stubs) = module.stubs {
        stamp = stamp.dir(&stubs.classes(workspace))?;
    }
    let file = workspace.artifacts().join("stamps").join(module.name);
    if !jar.exists() && file.exists() {
        fs::remove_file(&file).map_err(Problem::file(&file))?;
    }
    stamp.unless_done(&file, || {
        progress::step(&format!("compiling {}", module.name), || compile(workspace, module))?;
        let mut archive = Archive::default().dir(&classes(workspace, module.name))?;
        if module.name == SHIM {
            archive = archive.all(resources());
        }
        archive.write(&jar)
    })?;
    progress::say(&format!("{} is ready", jar.display()));
    Ok(())
}

/// What the shim reads about itself.
pub(crate) fn resources() -> Archive {
    // The commands come out of the bridge itself, so that the game never offers one that the bridge does not know.
    Archive::default()
        .entry("META-INF/auk/commands.json", auk_bridge::console::tree().to_string().into_bytes())
        .entry("META-INF/auk/version", env!("CARGO_PKG_VERSION").into())
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
    let mut class_path = Vec::new();
    for bundle in module.bundles {
        class_path.extend(jars_of(&bundle_dir(workspace, bundle))?);
    }
    class_path.extend(module.stubs.map(|stubs| stubs.classes(workspace)));
    class_path.extend(module.on.iter().map(|needed| classes(workspace, needed)));
    let mut arguments: Vec<OsString> =
        ["-no-stdlib", "-no-reflect", "-Werror", "-jvm-target", module.jvm_target].map(OsString::from).into();
    // A lambda that is a class can be loaded ahead; one that Java makes at its first use costs whoever comes first a millisecond.
    arguments.extend(["-Xlambdas=class", "-Xsam-conversions=class", "-Xstring-concat=inline"].map(OsString::from));
    arguments.extend(["-module-name".into(), module.name.into(), "-cp".into(), tool::class_path(class_path)?]);
    if !module.friends.is_empty() {
        let friends: Vec<String> = module.friends.iter().map(|friend| classes(workspace, friend).display().to_string()).collect();
        arguments.push(format!("-Xfriend-paths={}", friends.join(",")).into());
    }
    arguments.extend(["-d".into(), classes(workspace, module.name).into(), workspace.root.join(module.sources).into()]);
    Ok(arguments)
}

/// Where a module's classes are.
pub(crate) fn classes(workspace: &Workspace, module: &str) -> PathBuf {
    workspace.artifacts().join("classes").join(module)
}

/// The jars of a directory, since neither compiler nor tools take a wildcard everywhere.
pub(crate) fn jars_of(dir: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut jars = files(dir)?;
    jars.retain(|file| file.extension().is_some_and(|extension| extension == "jar"));
    Ok(jars)
}
