//! A child process whose lines are read, and which never outlives its owner: dropped, it is ended, and when the owner itself is killed,
//! the child's standard input ends, which every program here that would run on takes as the order to end.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Failure, Output, is_interrupted};

/// What a dropped child has to end in order, such as removing its temporary files.
const DROP_LIMIT: Duration = Duration::from_millis(300);

/// How a process ended.
#[derive(Debug)]
pub enum Ending {
    /// By itself or when asked, with this status, after this time.
    Itself(ExitStatus, Duration),
    /// It had to be killed, because it was still there after its time.
    Killed,
}

/// A running child. Dropping it asks it to end, and kills it when it has not ended after 300 ms.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    stdin: Option<ChildStdin>,
    /// What it writes to standard output.
    pub stdout: Output,
    /// What it writes to standard error.
    pub stderr: Output,
}

impl Process {
    /// Starts `command` in a process group of its own: a Ctrl-C at the terminal reaches the owner alone, who then ends things in order.
    ///
    /// # Errors
    ///
    /// When the program cannot be started.
    pub fn start(name: &str, command: &mut Command) -> Result<Self, Failure> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut child = command.spawn().map_err(|source| failed(name, source))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().map(Output::read).unwrap_or_default();
        let stderr = child.stderr.take().map(Output::read).unwrap_or_default();
        Ok(Self { name: name.to_owned(), child, stdin, stdout, stderr })
    }

    /// The name it was started under, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes one line to its standard input.
    ///
    /// # Errors
    ///
    /// When it no longer reads.
    pub fn write_line(&mut self, line: &str) -> Result<(), Failure> {
        let Some(stdin) = &mut self.stdin else { return Ok(()) };
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).map_err(|source| failed(&self.name, source))
    }

    /// Waits for a line of standard output of which `pick` makes something.
    ///
    /// # Errors
    ///
    /// [`Failure::Ended`] when the process ends first, with its last words; [`Failure::Late`] when time is up; [`Failure::Interrupted`]
    /// after [`crate::interrupt`].
    pub fn await_line<T>(
        &mut self,
        awaited: &str,
        from: usize,
        limit: Duration,
        pick: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Failure> {
        if let Some((_, _, found)) = self.stdout.wait(from, limit, pick) {
            return Ok(found);
        }
        if is_interrupted() {
            return Err(Failure::Interrupted);
        }
        let awaited = format!("{}: {awaited}", self.name);
        // An ended stream means an ended process, which may need a moment more.
        match self.wait(Duration::from_millis(500)) {
            Some(status) => {
                let last_words = self.stderr.tail(20).join("\n  ");
                Err(Failure::Ended { process: self.name.clone(), status: format!("{status}; it said:\n  {last_words}\n"), awaited })
            }
            None => Err(Failure::Late { awaited, limit }),
        }
    }

    /// Returns how it ended, waiting up to `limit` for it.
    pub fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Asks it to end, as a service manager would (SIGTERM), and kills it after `limit`.
    pub fn stop(&mut self, limit: Duration) -> Ending {
        self.terminate();
        self.end_within(limit)
    }

    /// Asks it to end and does not wait.
    pub fn terminate(&mut self) {
        #[cfg(unix)]
        if matches!(self.child.try_wait(), Ok(None)) {
            // A child that has not been waited for keeps its id, so the signal cannot reach a stranger.
            let _ = rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), rustix::process::Signal::TERM);
        }
        self.close_stdin();
    }

    /// Ends its standard input, as the system does when the owner is killed.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for its end up to `limit`, then kills it.
    pub fn end_within(&mut self, limit: Duration) -> Ending {
        let start = Instant::now();
        match self.wait(limit) {
            Some(status) => Ending::Itself(status, start.elapsed()),
            None => {
                self.kill();
                Ending::Killed
            }
        }
    }

    fn kill(&mut self) {
        // Both fail only for a child that is gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop(DROP_LIMIT);
    }
}

fn failed(name: &str, source: std::io::Error) -> Failure {
    Failure::Process { process: name.to_owned(), source }
}
