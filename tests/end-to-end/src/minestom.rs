//! A Minestom server with Auk in it, as a process.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::{Artifacts, Failure, Process, find_jdk};

/// Where the server takes the native library from.
#[derive(Debug, Clone)]
pub enum Native {
    /// Out of its jar, as an operator's server does.
    Jar,
    /// From this file, by `-Dauk.native.file`.
    File(PathBuf),
}

/// How a server is started.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The port that players join at; 0 is any free one.
    pub port: u16,
    /// Where the native library comes from.
    pub native: Native,
    /// How often the game moves on. Minestom takes what players send, and sends what they get, once a tick, so that a line spends up
    /// to a tick in the server at either end.
    pub ticks_per_second: u32,
    /// The names of the players who may do everything.
    pub operators: Vec<String>,
    /// System properties, such as `os.arch`, with values in place of Java's own.
    pub properties: Vec<(&'static str, &'static str)>,
}

impl Default for ServerOptions {
    /// Any free port, the library out of the jar, the pace of the game, no operators, and Java's own properties.
    fn default() -> Self {
        Self { port: 0, native: Native::Jar, ticks_per_second: 20, operators: Vec::new(), properties: Vec::new() }
    }
}

/// A running server.
#[derive(Debug)]
pub struct Minestom {
    /// Its process. Its log is on standard error.
    pub process: Process,
    /// The port that players join at.
    pub port: u16,
    /// The Minecraft version that players name.
    pub minecraft: String,
}

impl Minestom {
    /// Starts a server in `dir`, its working directory, with `dir/config/auk` as the directory of the settings.
    ///
    /// # Errors
    ///
    /// When a part is missing, or the server does not listen within 60 s.
    pub fn start(artifacts: &Artifacts, dir: &Path, options: &ServerOptions) -> Result<Self, Failure> {
        let class_path = artifacts.class_path(&["auk-minestom", "auk-shim", "auk-native"], "minestom")?;
        let mut command = find_jdk(25)?.java();
        // Small and quick to start, and without the warnings of Java 25 about native access.
        command.args(["-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"]);
        command.arg(format!("-Dminestom.tps={}", options.ticks_per_second));
        if let Native::File(file) = &options.native {
            let mut property = std::ffi::OsString::from("-Dauk.native.file=");
            property.push(file);
            command.arg(property);
        }
        command.args(options.properties.iter().map(|(name, value)| format!("-D{name}={value}")));
        command.arg("-cp").arg(class_path).arg("dev.auk.minestom.Main");
        command.args(["--port", &options.port.to_string(), "--config-dir", "config/auk", "--status-every", "500", "--until-stdin-ends"]);
        options.operators.iter().for_each(|name| {
            command.args(["--operator", name]);
        });
        command.current_dir(dir);
        let mut process = Process::start("minestom", &mut command)?;
        let (port, minecraft) = process.await_line("listening", 0, Duration::from_secs(60), listening)?;
        Ok(Self { process, port, minecraft })
    }

    /// Waits until the bridge reports that its session is ready.
    ///
    /// # Errors
    ///
    /// When it is not within `limit`.
    pub fn await_ready(&mut self, limit: Duration) -> Result<(), Failure> {
        self.process.await_line("a session that is ready", 0, limit, |line| (state(line)? == "ready").then_some(()))
    }

    /// The lines that Auk logged as warnings or errors so far, each as `LEVEL auk.logger - text`.
    pub fn complaints(&self) -> Vec<String> {
        let lines = self.process.stderr.since(0).into_iter();
        lines.filter_map(|line| Some(line.text.split_once(' ')?.1.to_owned())).filter(|line| is_complaint(line)).collect()
    }

    /// All that the server wrote, to standard output and to its log.
    pub fn everything(&self) -> String {
        self.process.stdout.text() + "\n" + &self.process.stderr.text()
    }

    /// The state that the last status line names.
    pub fn state(&self) -> Option<String> {
        self.process.stdout.since(0).iter().rev().find_map(|line| state(&line.text))
    }
}

fn listening(line: &str) -> Option<(u16, String)> {
    let event: Value = serde_json::from_str(line).ok()?;
    if event["type"] != "listening" {
        return None;
    }
    Some((event["port"].as_u64()?.try_into().ok()?, event["minecraft"].as_str()?.to_owned()))
}

fn is_complaint(line: &str) -> bool {
    line.starts_with("WARN auk.") || line.starts_with("ERROR auk.")
}

fn state(line: &str) -> Option<String> {
    let event: Value = serde_json::from_str(line).ok()?;
    Some(event.get("status")?.get("gateway")?.get("state")?.as_str()?.to_owned())
}
