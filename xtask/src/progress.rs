//! Progress lines on standard error.

use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A step that says nothing for this long is reported as still going.
const SILENCE: Duration = Duration::from_secs(10);

/// Writes one line with the seconds since the first one.
pub(crate) fn say(text: &str) {
    eprintln!("[{:>4} s] {text}", start().elapsed().as_secs());
}

/// Does `work` and reports it: at its start, every ten seconds, and at its end with the time it took.
pub(crate) fn step<T, E>(what: &str, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    say(&format!("{what} …"));
    let begun = Instant::now();
    let (done, waiting) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while waiting.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout) {
                say(&format!("{what}: still going after {} s", begun.elapsed().as_secs()));
            }
        });
        let result = work();
        drop(done);
        let outcome = if result.is_ok() { "done" } else { "failed" };
        say(&format!("{what}: {outcome} in {:.1} s", begun.elapsed().as_secs_f64()));
        result
    })
}

fn start() -> &'static Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now)
}
