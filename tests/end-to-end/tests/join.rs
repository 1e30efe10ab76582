//! A player gets in, or it is told why not.

use auk_end_to_end::{Artifacts, Failure, Minestom, Player, ServerOptions};
use tempfile::TempDir;

#[test]
fn a_player_whose_answer_about_data_packs_is_lost_gets_in() {
    let (artifacts, server, _dir) = server();
    let withheld = "select_known_packs";
    let steve = Player::join_without(&artifacts, &server, "Steve", withheld).unwrap_or_else(|failure| panic!("{failure}"));
    let events = steve.process.stdout.text();
    assert!(events.contains(&format!(r#"{{"type":"withheld","name":"{withheld}"}}"#)), "the answer was withheld: {events}");
}

#[test]
fn a_player_who_is_thrown_out_while_joining_is_explained_by_the_words_of_both_sides() {
    let (artifacts, mut server, _dir) = server();
    // A version that the client knows and the server does not.
    server.minecraft = "1.20.4".to_owned();
    let failure = Player::join(&artifacts, &server, "Steve").expect_err("the versions differ");
    let Failure::Outside { problem, client, server, .. } = &failure else { panic!("{failure}") };
    assert!(problem.contains(r#""type":"kicked""#), "{failure}");
    assert!(client.contains(problem) && client.contains(r#""name":"login""#), "{failure}");
    assert!(server.contains("server started"), "{failure}");
}

fn server() -> (Artifacts, Minestom, TempDir) {
    let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
    let dir = tempfile::tempdir().expect("there is a temporary directory");
    let server = Minestom::start(&artifacts, dir.path(), &ServerOptions::default()).unwrap_or_else(|failure| panic!("{failure}"));
    (artifacts, server, dir)
}
