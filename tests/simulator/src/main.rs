//! The simulator as a program: starts a platform, says where it listens, and ends on a signal.

use std::io::{self, Write};
use std::process::ExitCode;

use auk_simulator::{Platform, Settings};
use clap::Parser;
use serde_json::json;
use tokio::runtime::Builder;

/// A QQ open platform of its own on 127.0.0.1, for testing bot clients. The page and the control API are on the plain port.
#[derive(Parser)]
#[command(name = "auk-simulator", version)]
struct Arguments {
    /// Port of HTTP and ws; 0 takes any.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Port of HTTPS and wss; 0 takes any.
    #[arg(long, default_value_t = 0)]
    tls_port: u16,
    /// The bot's AppID.
    #[arg(long, default_value = "102000001")]
    app_id: String,
    /// The bot's AppSecret.
    #[arg(long, default_value = "simulator-secret-0001")]
    secret: String,
    /// Factor on the heartbeat interval (45 s) and the op 7 interval (30 min), such as 0.1.
    #[arg(long, default_value_t = 1.0, value_parser = read_scale)]
    time_scale: f64,
    /// Heartbeat interval in milliseconds, before scaling.
    #[arg(long, default_value_t = 45_000)]
    heartbeat_ms: u64,
    /// Milliseconds of a connection's life until op 7, before scaling; 0 for never.
    #[arg(long, default_value_t = 1_800_000)]
    op7_ms: u64,
    /// Seconds that the first access token has left.
    #[arg(long)]
    first_token_life_s: Option<u64>,
    /// Where events are posted besides the WebSocket.
    #[arg(long)]
    webhook_url: Option<String>,
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
        let platform = Platform::try_start(settings(arguments))?;
        let line = json!({"base": platform.base_url(), "tls": platform.tls_base_url(), "root_pem": platform.root_pem_path()});
        writeln!(io::stdout(), "{line}")?;
        io::stdout().flush()?;
        signals.end().await
    })
}

fn settings(arguments: Arguments) -> Settings {
    let scaled = |ms: u64| scale(ms, arguments.time_scale);
    Settings {
        app_id: arguments.app_id,
        secret: arguments.secret,
        port: arguments.port,
        tls_port: arguments.tls_port,
        heartbeat_interval_ms: scaled(arguments.heartbeat_ms),
        op7_interval_ms: (arguments.op7_ms > 0).then(|| scaled(arguments.op7_ms)),
        first_token_life_s: arguments.first_token_life_s,
        webhook_url: arguments.webhook_url,
        seed: fastrand::u64(..),
        ..Settings::default()
    }
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
