//! A library that cannot be loaded leaves the server running, and three lines at most say why.

use std::fs;
use std::path::Path;
use std::time::Duration;

use auk_end_to_end::Artifacts;
use auk_jvm::{JAVA_VERSIONS, Library, Program, Run};

#[test]
fn a_library_in_the_jar_is_extracted_and_used() {
    for java in JAVA_VERSIONS {
        let directory = tempfile::tempdir().expect("there is a temporary directory");
        let run = load(java, Library::Jar, directory.path());
        run.assert_clean();
        assert!(run.stdout.contains("status there"), "{run}");
        let extracted = fs::read_dir(directory.path().join(".auk/native")).expect("the library was extracted here").count();
        assert_eq!(extracted, 1, "one directory, named by the library's hash");
    }
}

#[test]
fn a_missing_library_is_explained() {
    explained(Library::Absent, "this jar does not hold the library for ");
}

#[test]
fn a_missing_file_is_explained() {
    explained(Library::File(Path::new("/nowhere/libauk.so")), "there is no file /nowhere/libauk.so");
}

#[test]
fn a_directory_in_place_of_a_file_is_explained() {
    explained(Library::File(Path::new("/")), "there is no file /");
}

#[test]
fn garbage_is_explained() {
    let garbage: Vec<u8> = (0..10_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    file_is_explained(&garbage, "the file is no library");
}

#[test]
fn a_text_file_is_explained() {
    file_is_explained("Not Found\n".as_bytes(), "the file is no library");
}

#[test]
fn an_empty_file_is_explained() {
    file_is_explained(b"", "the file is no library");
}

#[test]
fn a_windows_library_is_explained() {
    let mut bytes = b"MZ".to_vec();
    bytes.resize(4096, 0);
    file_is_explained(&bytes, "made for windows, and this is ");
}

#[test]
fn a_macos_library_is_explained() {
    let mut bytes = 0xfeed_facf_u32.to_le_bytes().to_vec();
    bytes.resize(4096, 0);
    file_is_explained(&bytes, "made for macos, and this is ");
}

#[test]
fn a_library_for_another_processor_is_explained() {
    // The two machines that Auk has a library for: 62 is x86-64, 183 is AArch64 (System V ABI, "e_machine").
    let other = if cfg!(target_arch = "x86_64") { 183 } else { 62 };
    let mut bytes = elf_header(other);
    bytes.resize(4096, 0);
    file_is_explained(&bytes, "made for linux ");
}

#[test]
fn a_cut_off_library_is_explained_and_does_not_kill_the_jvm() {
    let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
    let whole = fs::read(&artifacts.native).expect("the library can be read");
    // Less than the code alone: what is only for debuggers stands behind it and is never mapped.
    file_is_explained(&whole[..100_000], "the file is cut off");
}

#[test]
fn a_directory_that_cannot_be_written_is_passed_over() {
    for java in JAVA_VERSIONS {
        let directory = tempfile::tempdir().expect("there is a temporary directory");
        fs::write(directory.path().join(".auk"), "a file where a directory should be").expect("a test can write into its own directory");
        let run = load(java, Library::Jar, directory.path());
        run.assert_clean();
        assert!(run.stdout.contains("status there"), "the temporary directory serves as well\n{run}");
    }
}

#[track_caller]
fn file_is_explained(bytes: &[u8], cause: &str) {
    let directory = tempfile::tempdir().expect("there is a temporary directory");
    let file = directory.path().join("given.so");
    fs::write(&file, bytes).expect("a test can write into its own directory");
    explained(Library::File(&file), cause);
}

/// The program goes through two lives: the lines are logged for each, and `explain` has them meanwhile.
#[track_caller]
fn explained(library: Library<'_>, cause: &str) {
    for java in JAVA_VERSIONS {
        let directory = tempfile::tempdir().expect("there is a temporary directory");
        let run = load(java, library, directory.path());
        run.assert_clean();
        assert!(run.stdout.contains("the server runs on"), "Java {java}\n{run}");
        assert!(!run.stdout.contains("status there"), "Java {java}: a bridge without a library\n{run}");
        let log = run.log();
        let (first, second) = log.split_at(log.len() / 2);
        assert_eq!(first, second, "Java {java}: the outcome is remembered\n{run}");
        assert!((1..=3).contains(&first.len()), "Java {java}: {} lines\n{run}", first.len());
        assert!(first[0].contains(cause), "Java {java}: the cause should say {cause:?}\n{run}");
        assert!(first.last().is_some_and(|line| line.starts_with("What to do: ")), "Java {java}: no advice\n{run}");
    }
}

fn load(java: u32, library: Library<'_>, directory: &Path) -> Run {
    Program::checked("Loading", java, library, directory).run(&[], Duration::from_secs(60))
}

/// The head of a shared library of 64 bits, little endian, for `machine`.
fn elf_header(machine: u16) -> Vec<u8> {
    let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
    bytes.resize(16, 0);
    bytes.extend(3_u16.to_le_bytes());
    bytes.extend(machine.to_le_bytes());
    bytes
}
