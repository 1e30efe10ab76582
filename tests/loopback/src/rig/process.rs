use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use auk_simulator::{Platform, Settings};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::linux::{Figures, with_resolv_conf};
use crate::eventually;

/// A program that runs as a process of its own, with what it says. Dropping it kills it.
pub struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines,
    stderr: Lines,
}

type Lines = Arc<Mutex<Vec<String>>>;

/// `examples/echo.rs` of the runtime, with shipped settings.
pub struct Echo(pub Program);

/// `examples/consumer.rs`: a client with the test profile that does what it is told and writes down what it is given.
pub struct Consumer(pub Program);

const PROXY_VARIABLES: [&str; 8] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"];

impl Program {
    /// Starts a program that reaches its platform at this address, with these further variables and no proxies but theirs.
    fn start(program: &Path, base_url: &str, resolv_conf: Option<&Path>, environment: &[(&str, &str)]) -> Self {
        let shown = Settings::default();
        let mut command = resolv_conf.map_or_else(|| Command::new(program), |file| with_resolv_conf(program, file));
        for name in PROXY_VARIABLES {
            command.env_remove(name);
        }
        command
            .env("QQ_TOKEN_URL", format!("{base_url}/app/getAppAccessToken"))
            .env("QQ_API_BASE", base_url)
            .env("QQ_APPID", shown.app_id)
            .env("QQ_SECRET", shown.secret)
            .envs(environment.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the example starts");
        let stdin = child.stdin.take();
        let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
        Self { child, stdin, stdout, stderr }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the kernel says of it.
    pub fn figures(&self) -> Figures {
        Figures::of(self.pid())
    }

    /// What it wrote to standard error so far.
    pub fn errors(&self) -> Vec<String> {
        lock(&self.stderr).clone()
    }

    /// What it wrote to standard output so far.
    pub fn lines(&self) -> Vec<String> {
        lock(&self.stdout).clone()
    }

    /// Stops it in its tracks, as the sleep of a machine does.
    pub fn suspend(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// SIGTERM; how long the end took and whether it was one with success.
    pub fn terminate(&mut self) -> (Duration, bool) {
        let began = Instant::now();
        self.signal(Signal::TERM);
        let status = eventually("the end of the example", || self.child.try_wait().expect("a child"));
        (began.elapsed(), status.success())
    }

    /// Whether it still runs.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_none()
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.pid()).ok().and_then(Pid::from_raw).expect("an id");
        kill_process(pid, signal).expect("it lives");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Echo {
    /// Starts it and waits until it is online.
    pub fn start(platform: &Platform, base_url: &str, environment: &[(&str, &str)]) -> Self {
        let echo = Self(Program::start(built("echo"), base_url, None, environment));
        eventually("the example is online", || platform.state().online.then_some(()));
        echo
    }
}

impl Consumer {
    /// Starts it.
    pub fn start(base_url: &str, environment: &[(&str, &str)]) -> Self {
        Self(Program::start(built("consumer"), base_url, None, environment))
    }

    /// Starts it with a name server of its own.
    pub fn start_with_names(base_url: &str, resolv_conf: &Path, environment: &[(&str, &str)]) -> Self {
        Self(Program::start(built("consumer"), base_url, Some(resolv_conf), environment))
    }

    /// Starts it and waits until its session is ready.
    pub fn ready(base_url: &str, environment: &[(&str, &str)]) -> Self {
        let consumer = Self::start(base_url, environment);
        consumer.wait_for("the first session", 0, |seen| (seen["kind"] == "ready").then_some(()));
        consumer
    }

    /// Gives an order, see the example.
    pub fn order(&mut self, order: &str) {
        let stdin = self.0.stdin.as_mut().expect("piped");
        writeln!(stdin, "{order}").and_then(|()| stdin.flush()).expect("it reads");
    }

    /// Everything that it wrote down so far.
    pub fn seen(&self) -> Vec<Value> {
        lock(&self.0.stdout).iter().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
    }

    /// How much that is; what comes later is found from there.
    pub fn mark(&self) -> usize {
        lock(&self.0.stdout).len()
    }

    /// Waits for a line after `mark` that `wanted` takes.
    pub fn wait_for<T>(&self, what: &str, mark: usize, mut wanted: impl FnMut(&Value) -> Option<T>) -> T {
        eventually(what, || self.seen().iter().skip(mark).find_map(&mut wanted))
    }

    /// The texts of all group messages so far, in order.
    pub fn texts(&self) -> Vec<String> {
        self.seen().iter().filter(|seen| seen["kind"] == "dispatch").filter_map(|seen| Some(seen["text"].as_str()?.to_owned())).collect()
    }

    /// How often it wrote down this kind.
    pub fn count(&self, kind: &str) -> usize {
        self.seen().iter().filter(|seen| seen["kind"] == kind).count()
    }
}

fn read(stream: Option<impl Read + Send + 'static>) -> Lines {
    let lines = Lines::default();
    let noted = Arc::clone(&lines);
    if let Some(stream) = stream {
        thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                lock(&noted).push(line);
            }
        });
    }
    lines
}

fn lock(lines: &Mutex<Vec<String>>) -> MutexGuard<'_, Vec<String>> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Both examples, built with the workspace's features and in the profile of whoever asks: where nothing changed that is a look.
fn built(example: &str) -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let own = std::env::current_exe().expect("a path");
        let folder = own.ancestors().nth(2).expect("a folder of the profile");
        let is_release = folder.ends_with("release");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--workspace", "--example", "echo", "--example", "consumer"]);
        build.args(is_release.then_some("--release"));
        build.arg("--target-dir").arg(folder.parent().expect("a target folder")).current_dir(env!("CARGO_MANIFEST_DIR"));
        assert!(build.status().expect("cargo runs").success());
        folder.join("examples")
    });
    static ECHO: LazyLock<PathBuf> = LazyLock::new(|| FOLDER.join("echo"));
    static CONSUMER: LazyLock<PathBuf> = LazyLock::new(|| FOLDER.join("consumer"));
    if example == "echo" { &ECHO } else { &CONSUMER }
}
