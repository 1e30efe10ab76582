//! The simulator as a program: starts a platform, says where it listens, and ends on a signal or with its standard input.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, thread};

use auk_simulator::{Platform, Settings};
use clap::Parser;
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// A QQ open platform of its own on 127.0.0.1, for testing bot clients. The page and the control API are on the plain port.
#[derive(Parser)]
#[command(name = "auk-simulator", version)]
struct Arguments {
    /// File with a JSON object: any fields of `Settings` that are to differ from their defaults. The other flags go on top.
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Port of HTTP and ws; 0, the default, takes any.
    #[arg(long)]
    port: Option<u16>,
    /// Port of HTTPS and wss; 0, the default, takes any.
    #[arg(long)]
    tls_port: Option<u16>,
    /// The bot's AppID; by default 102000001.
    #[arg(long)]
    app_id: Option<String>,
    /// The bot's AppSecret; by default simulator-secret-0001.
    #[arg(long)]
    secret: Option<String>,
    /// Factor on the heartbeat interval and the op 7 interval, such as 0.1.
    #[arg(long, default_value_t = 1.0, value_parser = read_scale)]
    time_scale: f64,
    /// Heartbeat interval in milliseconds, before scaling; by default 45000.
    #[arg(long)]
    heartbeat_ms: Option<u64>,
    /// Milliseconds of a connection's life until op 7, before scaling; 0 for never, by default 1800000.
    #[arg(long)]
    op7_ms: Option<u64>,
    /// Seconds that the first access token has left.
    #[arg(long)]
    first_token_life_s: Option<u64>,
    /// Where events are posted besides the WebSocket.
    #[arg(long)]
    webhook_url: Option<String>,
    /// End in order at the end of standard input too, which comes when whoever holds its other end is killed.
    #[arg(long)]
    until_stdin_ends: bool,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            // Nobody is left to tell when the error stream is gone too.
            let _ = writeln!(io::stderr(), "auk-simulator: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let until_stdin_ends = arguments.until_stdin_ends;
        let platform = Platform::try_start(settings(arguments)?)?;
        let line = json!({"base": platform.base_url(), "tls": platform.tls_base_url(), "root_pem": platform.root_pem_path()});
        writeln!(io::stdout(), "{line}")?;
        io::stdout().flush()?;
        tokio::select! {
            ended = signals.end() => ended,
            () = stdin_end(), if until_stdin_ends => Ok(()),
        }
    })
}

/// What the flags ask for, over what the file asks for, over the defaults.
fn settings(arguments: Arguments) -> io::Result<Settings> {
    let mut settings = Settings { seed: fastrand::u64(..), ..Settings::default() };
    if let Some(file) = &arguments.settings {
        settings = merge_file(settings, file).map_err(|problem| io::Error::other(format!("{}: {problem}", file.display())))?;
    }
    settings.app_id = arguments.app_id.unwrap_or(settings.app_id);
    settings.secret = arguments.secret.unwrap_or(settings.secret);
    settings.port = arguments.port.unwrap_or(settings.port);
    settings.tls_port = arguments.tls_port.unwrap_or(settings.tls_port);
    settings.first_token_life_s = arguments.first_token_life_s.or(settings.first_token_life_s);
    settings.webhook_url = arguments.webhook_url.or(settings.webhook_url);
    settings.heartbeat_interval_ms = scale(arguments.heartbeat_ms.unwrap_or(settings.heartbeat_interval_ms), arguments.time_scale);
    let op7_ms = arguments.op7_ms.or(settings.op7_interval_ms).filter(|ms| *ms > 0);
    settings.op7_interval_ms = op7_ms.map(|ms| scale(ms, arguments.time_scale));
    Ok(settings)
}

fn merge_file(settings: Settings, file: &Path) -> Result<Settings, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let patch: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    settings.merged(&patch)
}

/// Waits for the end of standard input; what comes before is passed over. A failure to read is an end too.
async fn stdin_end() {
    let (told, end) = oneshot::channel();
    // A thread of its own: a read of standard input cannot be called off.
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let _ = told.send(());
    });
    // An error says that the thread is gone, and with it the standard input.
    let _ = end.await;
}

/// Scales milliseconds; at least one is left.
fn scale(ms: u64, factor: f64) -> u64 {
    std::time::Duration::from_millis(ms).mul_f64(factor).as_millis().try_into().unwrap_or(u64::MAX).max(1)
}

fn read_scale(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(factor) if factor > 0.0 && factor <= 1000.0 => Ok(factor),
        Ok(_) | Err(_) => Err("a number above 0 and at most 1000 is expected".to_owned()),
    }
}

/// The signals that end the program. They are listened for before anybody can know that it runs.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn end(&mut self) -> io::Result<()> {
        tokio::select! {
            _ = self.interrupt.recv() => Ok(()),
            _ = self.terminate.recv() => Ok(()),
        }
    }
}

/// The signal that ends the program.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    async fn end(&mut self) -> io::Result<()> {
        tokio::signal::ctrl_c().await
    }
}
