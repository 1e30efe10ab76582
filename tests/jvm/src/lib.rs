//! Runs the Kotlin programs under `programs/` in real Java virtual machines, with the native library that was built.

pub mod natives;
mod volume;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use auk_end_to_end::{Artifacts, Ending, Process, find_jdk};

pub use volume::Volume;

/// The versions of Java that every program runs on: the oldest that the shim is compiled for, and the one of the newest game.
pub const JAVA_VERSIONS: [u32; 2] = [17, 25];

/// Settings that read well and lead nowhere: the discard port of this machine, which nothing listens on. No test of this crate uses a network.
const SETTINGS: &str = "config_version = 1\nlanguage = \"en-US\"\n\n[bot]\napp_id = \"102000001\"\nsecret = \"a-secret-of-the-tests\"\n\n\
    [platform]\ntoken_url = \"http://127.0.0.1:9/app/getAppAccessToken\"\napi_base = \"http://127.0.0.1:9\"\n\n\
    [server]\nname = \"test\"\n\n[[groups]]\nopenid = \"AB00000000000000000000000000C001\"\n";

/// Where a program takes the native library from.
#[derive(Debug, Clone, Copy)]
pub enum Library<'a> {
    /// The one that was built, by `-Dauk.native.file`.
    Built,
    /// The one that was built, out of its jar.
    Jar,
    /// There is none in any jar.
    Absent,
    /// Out of this directory, which stands in for a jar.
    Packed(&'a Path),
    /// This file, by `-Dauk.native.file`.
    File(&'a Path),
}

/// What a JVM is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// To find faults: with the JVM's own checks of native code, which cost time.
    Checked,
    /// To measure: with every optimisation, and no checks.
    Measured,
}

/// What a program did.
#[derive(Debug)]
pub struct Run {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit code; none when it was killed because it did not end.
    pub code: Option<i32>,
}

/// One program in one Java.
#[derive(Debug)]
pub struct Program<'a> {
    /// The name of its Kotlin object.
    pub name: &'a str,
    /// Which Java.
    pub java: u32,
    /// What for.
    pub mode: Mode,
    /// Where it takes the library from.
    pub library: Library<'a>,
    /// A directory of the test's own. Settings are written into it, unless it has some.
    pub directory: &'a Path,
    /// What else is said before the program's name, such as properties.
    pub options: &'a [&'a str],
    /// Volumes that the program alone sees, and what mounts them ([`Volume::wrapper`]); mostly none.
    pub volumes: (&'a [&'a str], &'a [Volume]),
}

impl<'a> Program<'a> {
    /// A program that is searched for faults, with nothing special about it.
    pub fn checked(name: &'a str, java: u32, library: Library<'a>, directory: &'a Path) -> Self {
        Self { name, java, mode: Mode::Checked, library, directory, options: &[], volumes: (&[], &[]) }
    }
}

impl Program<'_> {
    /// Starts it with `arguments`, after the directory.
    ///
    /// # Panics
    ///
    /// When a part is missing; the message says what to run.
    pub fn start(&self, arguments: &[&str]) -> Process {
        let settings = self.directory.join("auk.toml");
        if !settings.exists() {
            fs::write(&settings, SETTINGS).expect("a test can write into its own directory");
        }
        let mut command = self.command();
        command.arg(self.directory).args(arguments);
        if let (wrapper @ [_, ..], volumes) = self.volumes {
            command = volume::inside(wrapper, volumes, &command);
        }
        Process::start(self.name, &mut command).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// Runs it to its end, which must come by itself within `limit` after the JVM's own start-up.
    pub fn run(&self, arguments: &[&str], limit: Duration) -> Run {
        let mut process = self.start(arguments);
        let ending = process.end_within(limit);
        let code = match ending {
            Ending::Itself(status, _) => status.code(),
            Ending::Killed => None,
        };
        // The streams end with the process; their readers may be a moment behind.
        process.stdout.wait(usize::MAX, Duration::from_secs(2), |_| Some(()));
        process.stderr.wait(usize::MAX, Duration::from_secs(2), |_| Some(()));
        Run { stdout: process.stdout.text(), stderr: process.stderr.text(), code }
    }

    fn command(&self) -> Command {
        let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
        let jdk = find_jdk(self.java).unwrap_or_else(|failure| panic!("{failure}"));
        let jars: &[&str] = match self.library {
            Library::Jar => &["auk-jvm-tests", "auk-shim", "auk-native"],
            Library::Built | Library::Absent | Library::Packed(_) | Library::File(_) => &["auk-jvm-tests", "auk-shim"],
        };
        let mut class_path = artifacts.class_path(jars, "test").unwrap_or_else(|failure| panic!("{failure}"));
        if let Library::Packed(directory) = self.library {
            class_path = std::env::join_paths(std::env::split_paths(&class_path).chain([directory.to_owned()]))
                .expect("a temporary directory has no separator of class paths in its name");
        }
        let mut command = jdk.java();
        match self.mode {
            Mode::Checked => command.args(["-Xcheck:jni", "-XX:TieredStopAtLevel=1"]),
            Mode::Measured => &mut command,
        };
        command.args(["-Xmx128m", "-XX:+UseSerialGC"]);
        if !self.options.contains(&"--illegal-native-access=deny") {
            command.arg("--enable-native-access=ALL-UNNAMED");
        }
        command.args(["-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-Dsun.stdout.encoding=UTF-8", "-Dauk.language=en"]);
        let file = match self.library {
            Library::Built => Some(artifacts.native.as_path()),
            Library::File(file) => Some(file),
            Library::Jar | Library::Absent | Library::Packed(_) => None,
        };
        if let Some(file) = file {
            let mut property = OsString::from("-Dauk.native.file=");
            property.push(file);
            command.arg(property);
        }
        command.args(self.options).arg("-cp").arg(class_path).arg(format!("dev.auk.programs.{}", self.name));
        command
    }
}

impl Run {
    /// Asserts that the program ended well and that the JVM found nothing wrong with the native code.
    ///
    /// # Panics
    ///
    /// When not, with all that the program said.
    #[track_caller]
    pub fn assert_clean(&self) {
        assert_eq!(self.code, Some(0), "the program's end\n{self}");
        for complaint in ["WARNING in native method", "FATAL ERROR in native method", "WARNING: JNI", "FAILED"] {
            assert!(!self.stdout.contains(complaint) && !self.stderr.contains(complaint), "{complaint}\n{self}");
        }
    }

    /// The lines of the server's log that the program wrote, without their level and logger.
    pub fn log(&self) -> Vec<&str> {
        self.stdout.lines().filter_map(|line| line.strip_prefix("log ")?.split_once(": ")).map(|(_, text)| text).collect()
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "exit code {:?}\n--- standard output\n{}\n--- standard error\n{}", self.code, self.stdout, self.stderr)
    }
}
