//! Jars from wherever this machine's Maven gets them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use auk_end_to_end::UTF_8_LOCALE;

use crate::catalog::{Catalog, Coordinate};
use crate::problem::Problem;
use crate::progress;
use crate::stamp::Stamp;
use crate::{Workspace, tool};

/// Fetches every bundle of the catalog into `target/auk/jars/<bundle>`; what is there already stays.
pub(crate) fn fetch(workspace: &Workspace) -> Result<(), Problem> {
    let catalog = Catalog::read(workspace)?;
    for bundle in catalog.bundles() {
        fetch_bundle(workspace, &catalog, bundle)?;
    }
    Ok(())
}

/// The directory of a bundle's jars.
pub(crate) fn bundle_dir(workspace: &Workspace, bundle: &str) -> PathBuf {
    workspace.artifacts().join("jars").join(bundle)
}

fn fetch_bundle(workspace: &Workspace, catalog: &Catalog, bundle: &str) -> Result<(), Problem> {
    let dir = bundle_dir(workspace, bundle);
    let pom = pom(&catalog.coordinate("adventure-bom")?, &catalog.bundle(bundle)?);
    let goal = copy_goal(&catalog.coordinate("maven-dependency-plugin")?);
    Stamp::default().text(&pom).text(&goal).unless_done(&dir.join("stamp"), || {
        progress::step(&format!("fetching the jars for {bundle}"), || {
            if dir.exists() {
                fs::remove_dir_all(&dir).map_err(Problem::file(&dir))?;
            }
            fs::create_dir_all(&dir).map_err(Problem::file(&dir))?;
            let file = dir.join("pom.xml");
            fs::write(&file, &pom).map_err(Problem::file(&file))?;
            tool::run(&format!("mvn for {bundle}"), &mut maven(&goal, &file, &dir), "maven")
        })
    })?;
    Ok(())
}

/// What Maven is to do: let the plugin copy a project's dependencies into a directory.
fn copy_goal(plugin: &Coordinate) -> String {
    let Coordinate { group, artifact, version } = plugin;
    format!("{group}:{artifact}:{version}:copy-dependencies")
}

fn maven(goal: &str, pom: &Path, dir: &Path) -> Command {
    let mut command = Command::new("mvn");
    command.env("LC_ALL", UTF_8_LOCALE);
    command.args(["-B", "-q", "-ntp", "-f"]).arg(pom).arg(goal).arg("-DincludeScope=runtime");
    command.arg(format!("-DoutputDirectory={}", dir.display()));
    command
}

fn pom(bom: &Coordinate, libraries: &[Coordinate]) -> String {
    let mut text = String::from(
        "<project>\n<modelVersion>4.0.0</modelVersion>\n\
         <groupId>dev.auk</groupId><artifactId>jars</artifactId><version>1</version><packaging>pom</packaging>\n",
    );
    let _ = writeln!(
        text,
        "<dependencyManagement><dependencies>{}</dependencies></dependencyManagement>",
        dependency(bom, "<type>pom</type><scope>import</scope>")
    );
    text.push_str("<dependencies>\n");
    for library in libraries {
        let _ = writeln!(text, "{}", dependency(library, ""));
    }
    text.push_str("</dependencies>\n</project>\n");
    text
}

fn dependency(coordinate: &Coordinate, more: &str) -> String {
    let Coordinate { group, artifact, version } = coordinate;
    format!("<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>{more}</dependency>")
}
