//! Programs that check themselves: frames, strings, lives, class loaders, extraction.

use std::path::Path;
use std::time::Duration;

use auk_jvm::{JAVA_VERSIONS, Library, Program};

/// A JVM with its checks on needs seconds on a busy machine; what has to be quick is measured inside the programs.
const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn the_codec_agrees_with_the_golden_frames_and_the_native_part_takes_them() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/frames");
    everywhere("Vectors", Library::Built, &[vectors.to_str().expect("the repository's path is UTF-8")]);
}

#[test]
fn text_that_encodings_break_on_is_taken_as_utf_8() {
    everywhere("Strings", Library::Built, &[]);
}

#[test]
fn two_lives_in_one_jvm_and_closing_in_any_order_are_ordinary() {
    everywhere("Lives", Library::Built, &[]);
}

#[test]
fn every_command_is_answered_once_whatever_state_the_bridge_is_in() {
    everywhere("Commands", Library::Built, &["built"]);
    everywhere("Commands", Library::Absent, &["absent"]);
}

#[test]
fn a_second_class_loader_gets_a_copy_of_the_library_of_the_jar() {
    everywhere("ClassLoaders", Library::Jar, &[]);
}

#[test]
fn a_second_class_loader_gets_a_copy_of_a_named_file() {
    everywhere("ClassLoaders", Library::Built, &[]);
}

#[test]
fn each_machine_gets_its_library_or_the_reason_why_there_is_none() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gradle/natives.toml");
    everywhere("Machines", Library::Absent, &[table.to_str().expect("the repository's path is UTF-8")]);
}

#[test]
fn an_extracted_library_is_never_written_over_and_old_ones_are_tidied_away() {
    everywhere("Extraction", Library::Absent, &[]);
}

#[track_caller]
fn everywhere(name: &str, library: Library<'_>, arguments: &[&str]) {
    for java in JAVA_VERSIONS {
        let directory = tempfile::tempdir().expect("there is a temporary directory");
        let run = Program::checked(name, java, library, directory.path()).run(arguments, LIMIT);
        run.assert_clean();
        assert!(run.stdout.contains(" passed, 0 failed"), "Java {java}: no closing line\n{run}");
    }
}
