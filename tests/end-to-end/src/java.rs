//! The Java that each part needs.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;

/// The locale without a language that every system has; for `LC_ALL` of a child that is a Java.
pub const UTF_8_LOCALE: &str = "C.UTF-8";

/// A Java installation with a compiler, or at least with a `java`.
#[derive(Debug, Clone)]
pub struct Jdk {
    /// Its home directory.
    pub home: PathBuf,
    /// Its feature number, such as 17.
    pub major: u32,
}

impl Jdk {
    /// The path of one of its programs, such as `java`.
    pub fn program(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// A run of its `java`; see [`Self::run`].
    pub fn java(&self) -> Command {
        self.run("java")
    }

    /// A run of one of its programs, with file names in UTF-8: Java takes their encoding from the locale, and in that of `LC_ALL=C` it
    /// finds no file whose path has other letters than ASCII's.
    pub fn run(&self, name: &str) -> Command {
        let mut command = Command::new(self.program(name));
        command.env("LC_ALL", UTF_8_LOCALE);
        command
    }
}

/// Finds the Java with the feature number `major`: in `JAVA_HOME`, behind `java` on the path, in `JAVA_HOME_<major>`, under
/// `/usr/lib/jvm`. Each candidate is asked for its version; its name says nothing.
///
/// # Errors
///
/// [`Failure::Missing`] with the package to install.
pub fn find_jdk(major: u32) -> Result<Jdk, Failure> {
    let found = candidates(major).into_iter().find(|home| version(home) == Some(major));
    found.map(|home| Jdk { home, major }).ok_or_else(|| {
        let package = if major == 17 { "openjdk-17-jdk-headless" } else { "temurin-25-jdk or openjdk-25-jdk-headless" };
        Failure::Missing { what: format!("Java {major}"), remedy: format!("install {package}, or name its home in JAVA_HOME_{major}") }
    })
}

fn candidates(major: u32) -> Vec<PathBuf> {
    let named = [format!("JAVA_HOME_{major}"), "JAVA_HOME".to_owned()];
    let mut homes: Vec<PathBuf> = named.iter().filter_map(env::var_os).map(PathBuf::from).collect();
    let path = env::var_os("PATH").unwrap_or_default();
    homes.extend(env::split_paths(&path).filter_map(|dir| {
        let java = dir.join("java").canonicalize().ok()?;
        Some(java.parent()?.parent()?.to_owned())
    }));
    let mut installed: Vec<PathBuf> =
        std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().filter_map(|entry| entry.ok()?.path().canonicalize().ok()).collect();
    installed.sort();
    installed.dedup();
    homes.extend(installed);
    homes
}

/// Reads `17` out of `openjdk version "17.0.15" 2025-04-15`.
fn version(home: &Path) -> Option<u32> {
    let answer = Command::new(home.join("bin").join("java")).arg("-version").output().ok()?;
    let text = String::from_utf8_lossy(&answer.stderr).into_owned();
    let quoted = text.split('"').nth(1)?;
    quoted.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::find_jdk;

    #[test]
    fn java_reads_file_names_as_utf_8_in_the_locale_c() {
        let mut java = find_jdk(17).unwrap().java();
        let settings = java.env("LANG", "C").args(["-XshowSettings:properties", "-version"]).output().unwrap();
        let text = String::from_utf8_lossy(&settings.stderr).into_owned();
        assert!(text.contains("sun.jnu.encoding = UTF-8"), "{text}");
    }
}
