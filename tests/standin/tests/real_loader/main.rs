//! The jar under Fabric Loader itself, where somebody has it: it is on no registry that the tests may use.

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use auk_end_to_end::{Artifacts, UTF_8_LOCALE, find_jdk};
use auk_linkage::{Scheme, Version};
use auk_standin::{Game, make};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Names the directory with the jars of Fabric Loader and of the libraries that it needs.
const LOADER_DIR: &str = "FABRIC_LOADER_DIR";

/// The main class of the game, beside the generated ones.
const MAIN: &str = include_str!("Main.java");

/// What goes into a jar of its own, as the mod that everybody knows.
const FABRIC_API: &str = "net/fabricmc/fabric/";

/// What the real loader brings itself.
const LOADER_API: [&str; 2] = ["net/fabricmc/loader/", "net/fabricmc/api/"];

/// A version for each way of naming, and the one where the names' adapter has its newest variants.
const VERSIONS: [(&str, u32); 3] = [("1.20.4", 17), ("1.21.11", 25), ("26.1", 25)];

#[test]
fn the_jar_starts_under_a_real_fabric_loader() {
    let Some(loader) = env::var_os(LOADER_DIR) else {
        // Past the test harness, which shows what a passing test says to nobody.
        let _ = writeln!(io::stderr(), "SKIPPED the_jar_starts_under_a_real_fabric_loader: {LOADER_DIR} names no directory with its jars");
        return;
    };
    let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
    let chosen = VERSIONS.map(|(name, java)| (name.parse::<Version>().expect("the table has it"), java));
    let games = make(&artifacts, chosen.map(|(version, _)| version)).unwrap_or_else(|failure| panic!("{failure}"));
    for (version, java) in chosen {
        start(&artifacts, &games[&version], java, Path::new(&loader)).unwrap_or_else(|broken| panic!("Minecraft {version}: {broken}"));
    }
}

#[test]
fn the_main_class_for_it_fits_the_generated_games() {
    let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
    for (_, game) in make(&artifacts, VERSIONS.map(|(name, _)| name.parse().expect("the table has it"))).expect("they compile") {
        let home = tempfile::tempdir().expect("there is a temporary directory");
        compile_main(&game, home.path()).unwrap_or_else(|broken| panic!("Minecraft {}: {broken}", game.version));
    }
}

fn start(artifacts: &Artifacts, game: &Game, java: u32, loader: &Path) -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let server = home.path().join("server.jar");
    let mods = home.path().join("mods");
    fs::create_dir(&mods)?;
    compile_main(game, home.path())?;
    pack(&server, &[(&game.classes, &is_of_the_game), (&home.path().join("main"), &|_| true)], &[])?;
    pack(&mods.join("fabric-api.jar"), &[(&game.classes, &|path| path.starts_with(FABRIC_API))], &[("fabric.mod.json", API_JSON)])?;
    fs::copy(artifacts.jar("auk-debug"), mods.join("auk.jar"))?;
    let namespace = match game.version.scheme() {
        Scheme::Intermediary => "intermediary",
        Scheme::Official => "official",
    };
    let mut command = find_jdk(java)?.java();
    command.arg("-cp").arg(class_path(&[loader, &artifacts.dir.join("jars/game")])?);
    command.arg(format!("-Dfabric.gameJarPath={}", server.display())).arg(format!("-Dfabric.gameVersion={}", game.version));
    command.arg(format!("-Dfabric.runtimeMappingNamespace={namespace}")).arg(format!("-Dfabric.gameMappingNamespace={namespace}"));
    command.args(["-Dfabric.side=server", "net.fabricmc.loader.impl.launch.knot.KnotServer", "nogui"]).current_dir(home.path());
    let said = said_by(&mut command)?;
    for sign in ["started on ", "listener ServerLifecycleEvents.SERVER_STARTING", "listener ServerMessageEvents.CHAT_MESSAGE"] {
        if !said.contains(sign) {
            return Err(format!("the server never said {sign:?}:\n{said}").into());
        }
    }
    Ok(())
}

const API_JSON: &str = r#"{"schemaVersion":1,"id":"fabric-api","version":"0.150.0"}"#;

/// Neither Fabric's API, which is a mod, nor the loader's.
fn is_of_the_game(path: &str) -> bool {
    !path.starts_with(FABRIC_API) && !LOADER_API.iter().any(|start| path.starts_with(start))
}

fn compile_main(game: &Game, home: &Path) -> Result<(), Box<dyn Error>> {
    let source = home.join("Main.java");
    fs::write(&source, MAIN)?;
    let mut javac = find_jdk(17)?.run("javac");
    javac.args(["--release", "17", "-d"]).arg(home.join("main")).arg("-cp").arg(&game.classes).arg(source);
    said_by(&mut javac).map(drop)
}

/// What a program says on both of its streams; it has to end well.
fn said_by(command: &mut Command) -> Result<String, Box<dyn Error>> {
    let output = command.env("LC_ALL", UTF_8_LOCALE).output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(said) } else { Err(format!("{}:\n{said}", output.status).into()) }
}

type Wanted<'a> = &'a dyn Fn(&str) -> bool;

/// Packs the wanted classes of some directories and some texts into a jar.
fn pack(jar: &Path, directories: &[(&PathBuf, Wanted<'_>)], texts: &[(&str, &str)]) -> Result<(), Box<dyn Error>> {
    let mut zip = ZipWriter::new(File::create(jar)?);
    for (directory, wanted) in directories {
        for file in files(directory)? {
            let path = file.strip_prefix(directory)?.to_string_lossy().replace('\\', "/");
            if wanted(&path) {
                zip.start_file(path, SimpleFileOptions::default())?;
                zip.write_all(&fs::read(file)?)?;
            }
        }
    }
    for (path, text) in texts {
        zip.start_file(*path, SimpleFileOptions::default())?;
        zip.write_all(text.as_bytes())?;
    }
    zip.finish()?;
    Ok(())
}

fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

fn class_path(directories: &[&Path]) -> Result<OsString, Box<dyn Error>> {
    let mut jars = Vec::new();
    for directory in directories {
        jars.extend(files(directory)?.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "jar")));
    }
    Ok(env::join_paths(jars)?)
}
