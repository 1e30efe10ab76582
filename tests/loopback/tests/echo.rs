//! `examples/echo.rs` as a process of its own: the client with shipped settings, and the proxies of the environment.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use auk_loopback::{GROUP, eventually};
use auk_simulator::model::Seen;
use auk_simulator::{Platform, Say, Settings};
use serde_json::json;

#[test]
fn each_mention_is_answered_once_even_when_pushed_twice_and_sigterm_ends_it_in_order() {
    let platform = Platform::start(Settings::default());
    platform.patch_faults(&json!({ "duplicate_push": true })).expect("known");
    let mut echo = Echo::start(&platform, &[]);
    let asked: Vec<String> = (0..5).map(|n| platform.say(GROUP, &Say::at("a", &format!("q{n}"))).expect("known").msg_id).collect();
    let posted = eventually("five answers", || Some(platform.posted()).filter(|posted| posted.len() >= 5));
    let mut answered: Vec<String> = posted.iter().map(|posted| posted.msg_id.clone().expect("passive")).collect();
    answered.sort();
    let mut asked = asked;
    asked.sort();
    assert_eq!(answered, asked);
    let began = Instant::now();
    assert!(echo.terminate(), "it ends by itself with success");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    eventually("the closing", || platform.records().into_iter().find(|r| matches!(r.seen, Seen::Closed { code: Some(1000), .. })));
    assert_eq!(platform.posted().len(), 5);
}

#[test]
fn one_proxy_decision_holds_for_http_and_websocket() {
    let platform = Platform::start(Settings::default());
    let proxy = Proxy::start();
    let mut echo = Echo::start(&platform, &[("HTTP_PROXY", &proxy.address), ("NO_PROXY", "")]);
    platform.say(GROUP, &Say::at("a", "hi")).expect("known");
    eventually("the answer", || platform.posted().into_iter().next());
    let asked = proxy.asked.lock().expect("no panic").clone();
    assert!(asked.iter().any(|line| line.starts_with("CONNECT ")), "the WebSocket: {asked:?}");
    assert!(asked.iter().any(|line| line.starts_with("POST http://") && line.contains("/messages")), "the calls: {asked:?}");
    echo.terminate();
}

#[test]
fn a_host_in_no_proxy_is_reached_directly_by_both() {
    let platform = Platform::start(Settings::default());
    let proxy = Proxy::start();
    let mut echo = Echo::start(&platform, &[("HTTP_PROXY", &proxy.address), ("NO_PROXY", "127.0.0.1")]);
    platform.say(GROUP, &Say::at("a", "hi")).expect("known");
    eventually("the answer", || platform.posted().into_iter().next());
    assert_eq!(*proxy.asked.lock().expect("no panic"), Vec::<String>::new());
    echo.terminate();
}

struct Echo(Child);

impl Echo {
    /// Starts the example and waits until it is online.
    fn start(platform: &Platform, environment: &[(&str, &str)]) -> Self {
        let shown = Settings::default();
        let mut command = Command::new(built_example());
        for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"] {
            command.env_remove(name);
        }
        let child = command
            .env("QQ_TOKEN_URL", format!("{}/app/getAppAccessToken", platform.base_url()))
            .env("QQ_API_BASE", platform.base_url())
            .env("QQ_APPID", shown.app_id)
            .env("QQ_SECRET", shown.secret)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .spawn()
            .expect("the example starts");
        let echo = Self(child);
        eventually("the example is online", || platform.state().online.then_some(()));
        echo
    }

    /// SIGTERM; whether it then ended with success.
    fn terminate(&mut self) -> bool {
        let killed = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status().expect("kill runs");
        assert!(killed.success());
        eventually("the end of the example", || self.0.try_wait().expect("a child")).success()
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Builds the example with the workspace's features, as the test run has done already: where nothing changed that is a look.
fn built_example() -> PathBuf {
    let target = std::env::current_exe().expect("a path").ancestors().nth(3).expect("a target folder").to_owned();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--example", "echo", "--target-dir"])
        .arg(&target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .expect("cargo runs");
    assert!(built.success());
    target.join("debug/examples/echo")
}

/// A forward proxy that notes the first line of each request.
struct Proxy {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("bound"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let noted = Arc::clone(&noted);
                thread::spawn(move || serve(client, &noted));
            }
        });
        Self { address, asked }
    }
}

fn serve(client: TcpStream, noted: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(client.try_clone().ok()?);
    let (mut head, mut line) = (String::new(), String::new());
    reader.read_line(&mut head).ok()?;
    noted.lock().ok()?.push(head.trim().to_owned());
    let target = head.split_whitespace().nth(1)?.to_owned();
    let is_tunnel = head.starts_with("CONNECT ");
    while reader.read_line(&mut line).ok()? > 2 {
        head.push_str(&line);
        line.clear();
    }
    let host = target.trim_start_matches("http://").split('/').next()?.to_owned();
    let mut server = TcpStream::connect(host).ok()?;
    let mut client = client;
    if is_tunnel {
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").ok()?;
    } else {
        // One request a connection, so that each is noted.
        server.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).ok()?;
    }
    let (mut to_server, mut from_server) = (server.try_clone().ok()?, server);
    thread::spawn(move || {
        let _ = std::io::copy(&mut reader, &mut to_server);
    });
    let mut bytes = Vec::new();
    if is_tunnel {
        std::io::copy(&mut from_server, &mut client).ok()?;
    } else {
        from_server.read_to_end(&mut bytes).ok()?;
        client.write_all(&bytes).ok()?;
        client.shutdown(std::net::Shutdown::Both).ok()?;
    }
    Some(())
}
