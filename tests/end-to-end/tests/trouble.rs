//! Bad input from every side leaves the server running, is told in three lines at most, and makes nobody hammer the platform.

use std::fs;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use auk_end_to_end::{Artifacts, Ending, Minestom, Native, Player, ServerOptions, Simulator, Stage, comparable, english_refusal};
use tempfile::TempDir;

/// How long trouble is watched. A client without brakes makes thousands of requests in this time.
const WATCH: Duration = Duration::from_secs(5);

/// Attempts allowed meanwhile: the back-off of 1, 2 and 4 s, each within a quarter, lets the third come after 2.25 s at the earliest and
/// the fourth not before 5.25 s.
const ATTEMPTS_MAX: u64 = 3;

#[test]
fn an_unreadable_settings_file_is_explained_and_nothing_is_asked_of_the_platform() {
    let trouble = Trouble::new();
    let simulator = trouble.simulator();
    let config = trouble.dir.path().join("config/auk");
    fs::create_dir_all(&config).expect("a test can write into its own directory");
    fs::write(config.join("auk.toml"), "[bot\nsecret = \"simulator-secret-0001\"\n").expect("a test can write into its own directory");
    let mut server = trouble.server();
    trouble.watch(&mut server, &["auk.toml"]);
    assert_eq!(tally(&simulator, "token_requests"), 0);
    stops(server);
}

#[test]
fn a_refused_secret_is_explained_and_not_offered_again_and_again() {
    let trouble = Trouble::new();
    let simulator = trouble.simulator();
    let mut settings = Stage::settings(&simulator.base);
    settings.secret = "another-secret-0002".to_owned();
    settings.write(trouble.dir.path()).expect("a test can write into its own directory");
    let mut server = trouble.server();
    trouble.watch(&mut server, &["AppSecret"]);
    let asked = tally(&simulator, "token_requests");
    // Refused credentials halt; the slow lane asks again after 45 s at the earliest.
    assert_eq!(asked, 1, "token requests in {WATCH:?}");
    assert!(!server.everything().contains("another-secret-0002"), "the server wrote the secret");
    stops(server);
}

#[test]
fn a_platform_that_hangs_up_is_tried_with_pauses() {
    let trouble = Trouble::new();
    let (base, connections) = hanging_up();
    Stage::settings(&base).write(trouble.dir.path()).expect("a test can write into its own directory");
    let mut server = trouble.server();
    trouble.watch(&mut server, &[]);
    let tried = connections.load(Ordering::SeqCst) as u64;
    // The HTTP client may try a broken connection once more by itself.
    assert!((1..=2 * ATTEMPTS_MAX).contains(&tried), "{tried} connections in {WATCH:?}");
    stops(server);
}

#[test]
fn a_port_that_nothing_listens_on_is_explained() {
    let trouble = Trouble::new();
    Stage::settings("http://127.0.0.1:9").write(trouble.dir.path()).expect("a test can write into its own directory");
    let mut server = trouble.server();
    trouble.watch(&mut server, &["127.0.0.1", "host not reached", "网络", "auk.toml"]);
    stops(server);
}

#[test]
fn garbage_frames_are_passed_over_and_the_link_lives_on() {
    let trouble = Trouble::new();
    let stage = Stage::start(trouble.dir.path()).unwrap_or_else(|failure| panic!("{failure}"));
    let mut steve = stage.join("Steve").unwrap_or_else(|failure| panic!("{failure}"));
    for garbage in
        ["", "no JSON", "{", "[]", "null", "7", "\"text\"", r#"{"op":"x"}"#, r#"{"op":99,"d":{}}"#, r#"{"op":0,"s":"x","t":7,"d":[]}"#]
    {
        stage.simulator.control.push(garbage).expect("a raw frame can be sent");
    }
    stage.simulator.control.say(Stage::GROUP, "小明", "后来", false).expect("a member can write");
    steve.await_chat("后来", 0, Duration::from_secs(15)).expect("the next line arrives");
    assert!(stage.server.complaints().len() <= 3, "{:#?}", stage.server.complaints());
    let state = stage.simulator.control.state().expect("the simulator answers");
    assert_eq!(state["connects"]["total"], 1, "the link was never lost");
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
fn whatever_keeps_the_library_from_loading_leaves_a_server_that_takes_players_and_says_why() {
    let trouble = Trouble::new();
    let whole = fs::read(&trouble.artifacts.native).expect("the library was built");
    let given = |name: &str, bytes: &[u8]| {
        let file = trouble.dir.path().join(name);
        fs::write(&file, bytes).expect("a test can write into its own directory");
        Native::File(file)
    };
    let mut arm = whole.clone();
    // System V ABI, "e_machine": 183 is AArch64.
    arm[18..20].copy_from_slice(&183_u16.to_le_bytes());
    let windows = [b"MZ".as_slice(), &[0; 4096]].concat();
    let of_java = auk_end_to_end::find_jdk(25).expect("it is needed").home.join("lib/libverify.so");
    let foreign = fs::read(of_java).expect("Java has it");
    // The whole texts are held in both languages where the loader is tried alone (tests/jvm/tests/causes.rs); these are the same.
    let causes = [
        ("no-file", Native::File(trouble.dir.path().join("nowhere/libauk.so")), vec![]),
        ("no-library", given("text.so", b"Not Found\n"), vec![]),
        ("cut-off", given("cut-off.so", &whole[..100_000]), vec![]),
        ("other-system", given("auk.dll", &windows), vec![]),
        ("other-processor", given("arm.so", &arm), vec![]),
        ("not-ours", given("libforeign.so", &foreign), vec![]),
        ("java-of-32-bits", Native::Jar, vec![("os.arch", "i386")]),
        ("unsupported-processor", Native::Jar, vec![("os.arch", "riscv64")]),
    ];
    for (cause, native, properties) in causes {
        let server = trouble.server_with(&ServerOptions { native, properties, ..ServerOptions::default() });
        let steve = Player::join(&trouble.artifacts, &server, "Steve").unwrap_or_else(|failure| panic!("{cause}: {failure}"));
        let complaints = server.complaints();
        let lines: Vec<&str> = complaints.iter().map(|line| line.trim_start_matches("WARN auk.shim - ")).collect();
        assert_eq!(comparable(&lines.join("\n"), trouble.dir.path(), &trouble.artifacts), english_refusal(cause), "{cause}");
        assert!((2..=3).contains(&lines.len()), "{cause}: {complaints:#?}");
        drop(steve);
        stops(server);
    }
}

#[test]
fn a_port_that_is_taken_ends_the_server_with_one_clear_line() {
    let trouble = Trouble::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let port = taken.local_addr().expect("a listener has an address").port();
    let failure = Minestom::start(&trouble.artifacts, trouble.dir.path(), &ServerOptions { port, ..ServerOptions::default() })
        .expect_err("the port is taken");
    let text = failure.to_string();
    assert_eq!(text.matches(&format!("port {port} cannot be had")).count(), 1, "{text}");
    assert!(text.contains("exit status: 1") && !text.contains("\tat "), "{text}");
}

struct Trouble {
    artifacts: Artifacts,
    dir: TempDir,
}

impl Trouble {
    fn new() -> Self {
        let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
        Self { artifacts, dir: tempfile::tempdir().expect("there is a temporary directory") }
    }

    fn simulator(&self) -> Simulator {
        Simulator::start(&self.artifacts, &[]).unwrap_or_else(|failure| panic!("{failure}"))
    }

    fn server(&self) -> Minestom {
        self.server_with(&ServerOptions::default())
    }

    fn server_with(&self, options: &ServerOptions) -> Minestom {
        Minestom::start(&self.artifacts, self.dir.path(), options).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// Watches a server in trouble for [`WATCH`]: it runs on, and Auk has complained in one to three lines that name `parts`.
    #[track_caller]
    fn watch(&self, server: &mut Minestom, parts: &[&str]) {
        let end = Instant::now() + WATCH;
        while Instant::now() < end {
            assert!(server.process.wait(Duration::from_millis(100)).is_none(), "the server ended:\n{}", server.everything());
        }
        let complaints = server.complaints();
        assert!((1..=3).contains(&complaints.len()), "{complaints:#?}\n{}", server.everything());
        for part in parts {
            assert!(complaints.iter().any(|line| line.contains(part)), "no line names {part:?}: {complaints:#?}");
        }
        let everything = server.everything();
        assert!(!everything.contains(&Stage::settings("").secret), "the server wrote a secret:\n{everything}");
    }
}

/// A platform that takes every connection and ends it at once; counts them.
fn hanging_up() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let base = format!("http://{}", listener.local_addr().expect("a listener has an address"));
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    thread::spawn(move || {
        for connection in listener.incoming() {
            drop(connection);
            counter.fetch_add(1, Ordering::SeqCst);
        }
    });
    (base, count)
}

fn tally(simulator: &Simulator, name: &str) -> u64 {
    let state = simulator.control.state().expect("the simulator answers");
    state[name]["total"].as_u64().unwrap_or_else(|| panic!("the simulator counts {name}"))
}

/// A server in trouble ends like any other.
#[track_caller]
fn stops(mut server: Minestom) {
    let ending = server.process.stop(Duration::from_secs(5));
    assert!(matches!(ending, Ending::Itself(..)), "{ending:?}");
}
