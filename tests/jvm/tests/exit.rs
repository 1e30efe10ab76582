//! A JVM ends by itself although a bridge is open and its pump is blocked in native code.

use std::time::Duration;

use auk_jvm::{JAVA_VERSIONS, Library, Program};

/// From the moment that the program's `main` has nothing more to do.
const EXIT_LIMIT: Duration = Duration::from_secs(5);

#[test]
fn the_jvm_ends_by_itself_when_main_returns() {
    ends_by_itself("return");
}

#[test]
fn the_jvm_ends_by_itself_after_system_exit() {
    ends_by_itself("exit");
}

#[track_caller]
fn ends_by_itself(how: &str) {
    for java in JAVA_VERSIONS {
        let directory = tempfile::tempdir().expect("there is a temporary directory");
        let mut process = Program::checked("Exit", java, Library::Built, directory.path()).start(&[how]);
        let pumping = process
            .await_line("the pump's start", 0, Duration::from_secs(60), |line| line.contains("the pump is in native code").then_some(()));
        pumping.unwrap_or_else(|failure| panic!("Java {java}: {failure}"));
        let status = process.wait(EXIT_LIMIT).unwrap_or_else(|| panic!("Java {java} is still there {EXIT_LIMIT:?} after its end"));
        assert!(status.success(), "Java {java}: {status}\n{}\n{}", process.stdout.text(), process.stderr.text());
        let said = process.stdout.text() + &process.stderr.text();
        assert!(!said.contains("in native method"), "Java {java}: {said}");
    }
}
