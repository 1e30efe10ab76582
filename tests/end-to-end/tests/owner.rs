//! No part outlives who started it, and a player who has left is no longer there for the page.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use auk_end_to_end::{Artifacts, Ending, Process, Simulator, Stage};
use serde_json::Value;

#[test]
fn the_simulator_ends_in_order_when_its_standard_input_ends() {
    let mut simulator = simulator();
    simulator.process.close_stdin();
    ends_in_order(&mut simulator.process, Duration::from_secs(2));
    assert!(!root_pem(&simulator).exists(), "its temporary files are gone");
}

#[test]
fn the_server_ends_in_order_when_its_standard_input_ends() {
    let dir = tempfile::tempdir().expect("there is a temporary directory");
    let mut stage = Stage::start(dir.path()).unwrap_or_else(|failure| panic!("{failure}"));
    let started = stage.simulator.await_post("生存服", 0, Duration::from_secs(15)).expect("the group is told of the start");
    stage.server.process.close_stdin();
    // A stopping bridge holds the server up for 3 s at most; the JVM's own end comes on top.
    ends_in_order(&mut stage.server.process, Duration::from_secs(5));
    stage.simulator.await_post("生存服", started.next, Duration::from_secs(1)).expect("the group is told of the stop");
}

#[test]
fn a_dropped_simulator_removes_its_temporary_files() {
    let simulator = simulator();
    let file = root_pem(&simulator);
    assert!(file.exists(), "{} is there while the simulator runs", file.display());
    drop(simulator);
    assert!(!file.exists(), "{} is still there", file.display());
}

#[test]
fn the_page_finds_no_player_once_the_player_has_left() {
    let simulator = simulator();
    let present = AtomicBool::new(true);
    thread::scope(|scope| {
        let player = scope.spawn(|| simulator.control.follow_game_commands(|_| present.load(Ordering::SeqCst)));
        until("a player is there", || simulator.control.say_in_game("hi").is_ok());
        present.store(false, Ordering::SeqCst);
        // Nothing more is typed: the quiet second alone ends the stream.
        until("the stream has ended", || player.is_finished());
    });
    until("no player is there", || simulator.control.say_in_game("hi").is_err_and(|refusal| refusal.to_string().contains("409")));
}

fn simulator() -> Simulator {
    let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
    Simulator::start(&artifacts, &[]).unwrap_or_else(|failure| panic!("{failure}"))
}

/// A file in the simulator's temporary directory, of which its first line tells.
fn root_pem(simulator: &Simulator) -> PathBuf {
    let told: Value = serde_json::from_str(&simulator.process.stdout.text()).expect("the simulator writes one line of JSON");
    told["root_pem"].as_str().expect("the line names the root certificate").into()
}

#[track_caller]
fn ends_in_order(process: &mut Process, limit: Duration) {
    let ending = process.end_within(limit);
    assert!(matches!(ending, Ending::Itself(status, _) if status.success()), "{ending:?}");
}

#[track_caller]
fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(5);
    while !condition() {
        assert!(Instant::now() < deadline, "{what}: not within 5 s");
        thread::sleep(Duration::from_millis(10));
    }
}
