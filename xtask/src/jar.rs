//! The jar that an owner drops into `mods/`: the outer mod with the shim and its libraries, an adapter for each way of naming the game's
//! members, and the native libraries.

use std::fs;
use std::path::{Path, PathBuf};

use zip::CompressionMethod;

use crate::archive::Archive;
use crate::catalog::NativeTarget;
use crate::pack::{self, Effort};
use crate::problem::Problem;
use crate::shim::{Nested, SHIM, classes};
use crate::shrink::{Classes, shrink};
use crate::{Workspace, cross, icon, natives, notices, progress, shim};

/// What owners may be asked to download: the jar with the libraries of every system.
const BYTES_MAX: usize = 14_000_000;
/// The outer mod's room.
const ROOM: &str = "java-shim/fabric";

/// Whose native libraries a jar carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Libraries {
    /// This machine's, as the tests use it; in a file of its own.
    Debug,
    /// This one, which cargo alone built for this machine, packed as it is shipped; in a file of its own.
    Plain(PathBuf),
    /// This machine's, as it is shipped.
    Host,
    /// Those of every system, as they are shipped.
    All,
}

/// Builds the jar and answers where it is.
pub(crate) fn build(workspace: &Workspace, libraries: Libraries) -> Result<PathBuf, Problem> {
    let natives = match &libraries {
        Libraries::Debug => natives::debug_entries(workspace)?,
        Libraries::Plain(library) => pack::entries(workspace, &[(NativeTarget::host(workspace)?, library.clone())], Effort::Shipped)?,
        Libraries::Host => shipped(workspace, &[NativeTarget::host(workspace)?])?,
        Libraries::All => shipped(workspace, &NativeTarget::read_all(workspace)?)?,
    };
    shim::build(workspace)?;
    let code = shrink(workspace, &code(workspace)?)?;
    let mut jar = code.outer.all(resources(workspace, ROOM)?).all(about(workspace)?);
    for (nested, code) in Nested::ALL.iter().zip(code.adapters) {
        let bytes = bytes(&code.all(resources(workspace, nested.room)?), CompressionMethod::Stored)?;
        jar = jar.entry(&format!("META-INF/jars/{}.jar", nested.jar), bytes);
    }
    jar = natives.into_iter().fold(jar, |jar, (path, library)| jar.entry(&path, library));
    let (file, bytes) = (path(workspace, &libraries), bytes(&jar, CompressionMethod::Deflated)?);
    fs::write(&file, &bytes).map_err(Problem::file(&file))?;
    progress::say(&format!("{}: {} bytes", file.display(), bytes.len()));
    if libraries == Libraries::All && bytes.len() > BYTES_MAX {
        return Err(Problem::Library { file, what: format!("it is larger than {BYTES_MAX} bytes") });
    }
    Ok(file)
}

fn shipped(workspace: &Workspace, targets: &[NativeTarget]) -> Result<Vec<(String, Vec<u8>)>, Problem> {
    cross::build(workspace, targets)?;
    natives::entries(workspace, targets)
}

/// Where a jar is built.
fn path(workspace: &Workspace, libraries: &Libraries) -> PathBuf {
    match libraries {
        Libraries::Debug => workspace.parts().jar("auk-debug"),
        Libraries::Plain(_) => workspace.parts().jar("auk-plain"),
        Libraries::Host | Libraries::All => workspace.artifacts().join(format!("auk-{}.jar", env!("CARGO_PKG_VERSION"))),
    }
}

/// The compiled classes, before any of them is moved.
fn code(workspace: &Workspace) -> Result<Classes, Problem> {
    let of = |module: &str| Archive::default().dir(&classes(workspace, module)).map(Archive::only_classes);
    let adapters =
        Nested::ALL.iter().map(|nested| nested.modules.iter().try_fold(Archive::default(), |archive, module| Ok(archive.all(of(module)?))));
    Ok(Classes { outer: of(SHIM)?.all(of(shim::MOD)?), adapters: adapters.collect::<Result<_, Problem>>()? })
}

/// A mod's own description, with the version in it.
fn resources(workspace: &Workspace, room: &str) -> Result<Archive, Problem> {
    let path = workspace.root.join(room).join("resources/fabric.mod.json");
    let text = fs::read_to_string(&path).map_err(Problem::file(&path))?;
    Ok(Archive::default().entry("fabric.mod.json", text.replace("${version}", env!("CARGO_PKG_VERSION")).into_bytes()))
}

/// What Auk says about itself, and the licences of all that is in the jar.
fn about(workspace: &Workspace) -> Result<Archive, Problem> {
    let mut archive = shim::resources();
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        archive = archive.entry(&format!("META-INF/{name}"), read(&workspace.root.join(name))?);
    }
    archive = archive.entry("META-INF/NOTICE", notices::text(workspace)?.into_bytes());
    Ok(archive.entry("assets/auk/icon.png", icon::png(workspace)?))
}

fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    fs::read(path).map_err(Problem::file(path))
}

fn bytes(archive: &Archive, method: CompressionMethod) -> Result<Vec<u8>, Problem> {
    archive.bytes(method).map_err(|error| Problem::Environment(format!("the jar cannot be packed: {error}")))
}
