//! The program: one line when it listens, and an end within a second.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use auk_simulator::{Platform, Settings};
use serde_json::Value;

#[tokio::test]
async fn the_program_prints_one_line_serves_and_ends_on_sigterm_within_a_second() {
    let mut program = Program::start(&["--app-id", "42", "--secret", "s", "--time-scale", "0.1"]);
    let (base, root) = (program.told["base"].as_str().unwrap().to_owned(), program.told["root_pem"].as_str().unwrap().to_owned());
    assert!(program.told["tls"].as_str().unwrap().starts_with("https://127.0.0.1:"));
    assert!(std::fs::read_to_string(root).unwrap().contains("BEGIN CERTIFICATE"));
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let body = r#"{"appId":"42","clientSecret":"s"}"#;
    let answer = http.post(format!("{base}/app/getAppAccessToken")).body(body).send().await.unwrap();
    assert!(answer.text().await.unwrap().contains("access_token"));
    // A client that stays connected does not hold the program up.
    let _open = tokio_tungstenite::connect_async(format!("{}/websocket", base.replacen("http", "ws", 1))).await.unwrap();
    let told_at = Instant::now();
    program.terminate();
    assert!(program.child.wait().unwrap().success());
    assert!(told_at.elapsed() < Duration::from_secs(1), "{:?}", told_at.elapsed());
    assert_eq!(program.rest(), "", "exactly one line on the standard output");
}

#[test]
fn a_bad_flag_or_a_taken_port_is_explained_on_the_error_stream() {
    let bad = Command::new(env!("CARGO_BIN_EXE_auk-simulator")).args(["--time-scale", "0"]).output().unwrap();
    assert!(!bad.status.success() && String::from_utf8(bad.stderr).unwrap().contains("above 0"));
    let taken = Platform::start(Settings::default());
    let port = taken.base_url().rsplit(':').next().unwrap();
    let bad = Command::new(env!("CARGO_BIN_EXE_auk-simulator")).args(["--port", port]).output().unwrap();
    assert!(!bad.status.success() && !bad.stderr.is_empty() && bad.stdout.is_empty());
}

#[tokio::test]
async fn a_settings_file_goes_over_the_defaults_and_the_flags_over_the_file() {
    let file = settings_file(r#"{"app_id": "7", "secret": "of the file", "expires_in_as_number": true}"#);
    let program = Program::start(&["--settings", file.path().to_str().unwrap(), "--secret", "of the flag"]);
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}/app/getAppAccessToken", program.told["base"].as_str().unwrap());
    let answer = http.post(url).body(r#"{"appId":"7","clientSecret":"of the flag"}"#).send().await.unwrap();
    let answer: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
    assert!(answer["expires_in"].is_number(), "{answer}");
}

#[test]
fn a_settings_file_that_cannot_be_is_explained_on_the_error_stream() {
    for (text, named) in [(r#"{"colour": 1}"#, "colour"), ("{", "EOF")] {
        let file = settings_file(text);
        let bad = Command::new(env!("CARGO_BIN_EXE_auk-simulator")).arg("--settings").arg(file.path()).output().unwrap();
        let said = String::from_utf8(bad.stderr).unwrap();
        assert!(!bad.status.success() && said.contains(named) && said.contains(file.path().to_str().unwrap()), "{said}");
    }
}

fn settings_file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

struct Program {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
    told: Value,
}

impl Program {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_auk-simulator")).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let told = serde_json::from_str(&line).expect("one JSON line");
        Self { child, out, told }
    }

    fn terminate(&self) {
        let ended = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(ended.success());
    }

    fn rest(&mut self) -> String {
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        rest
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It has ended already unless a test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
