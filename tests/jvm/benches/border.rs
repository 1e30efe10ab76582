//! What one call across the border costs, from Java: a frame handed in, and a frame taken out.
//!
//! The library is the one that `AUK_NATIVE` names. For figures that mean something, let it be what `cargo xtask bench` builds.

use std::time::Duration;

use auk_end_to_end::Process;
use auk_jvm::{Library, Mode, Program};
use criterion::{Criterion, criterion_group, criterion_main};

fn border(criterion: &mut Criterion) {
    let directory = tempfile::tempdir().expect("there is a temporary directory");
    let mut program = Program { mode: Mode::Measured, ..Program::checked("Border", 25, Library::Built, directory.path()) }.start(&[]);
    let started = program.await_line("its start", 0, Duration::from_secs(60), |line| (line == "ready").then_some(()));
    started.unwrap_or_else(|failure| panic!("{failure}"));
    for call in ["submit", "poll"] {
        criterion.bench_function(&format!("border/{call}"), |bencher| bencher.iter_custom(|count| measure(&mut program, call, count)));
    }
}

/// Lets the JVM make `count` calls and answers how long they took, as measured there.
fn measure(program: &mut Process, call: &str, count: u64) -> Duration {
    let from = program.stdout.count();
    program.write_line(&format!("{call} {count}")).unwrap_or_else(|failure| panic!("{failure}"));
    let nanoseconds = program.await_line("a measurement", from, Duration::from_secs(300), |line| line.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_else(|failure| panic!("{failure}")))
}

criterion_group!(benches, border);
criterion_main!(benches);
