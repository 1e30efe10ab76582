use std::path::Path;
use std::process::{Command, Stdio};

/// What the kernel says of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Processor time so far, in ms.
    pub cpu_ms: u64,
    /// Resident memory, in KiB.
    pub rss_kib: u64,
    /// Open descriptors.
    pub descriptors: usize,
    /// Threads.
    pub threads: usize,
}

/// `USER_HZ`, which is 100 on every Linux.
const TICK_MS: u64 = 10;

impl Figures {
    /// The figures of the process with this id.
    pub fn of(pid: u32) -> Self {
        let root = format!("/proc/{pid}");
        let stat = std::fs::read_to_string(format!("{root}/stat")).expect("the process lives");
        // The fields behind the name, which may hold anything; user and system time are the 14th and 15th of all.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok()).expect("a number");
        let status = std::fs::read_to_string(format!("{root}/status")).expect("the process lives");
        let named = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a known line");
            line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).expect("a number")
        };
        Self {
            cpu_ms: (ticks(11) + ticks(12)) * TICK_MS,
            rss_kib: named("VmRSS:"),
            descriptors: std::fs::read_dir(format!("{root}/fd")).expect("the process lives").count(),
            threads: named("Threads:") as usize,
        }
    }
}

/// Whether this process may give a child a mount namespace of its own, as the private `resolv.conf` needs.
pub(super) fn is_namespace_permitted() -> bool {
    let tried = Command::new("unshare").args(["-m", "true"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

/// A command that runs a program with another `/etc/resolv.conf` than everybody else's.
pub(super) fn with_resolv_conf(program: &Path, resolv_conf: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", r#"mount --bind "$1" /etc/resolv.conf && exec "$2""#, "sh"]).arg(resolv_conf).arg(program);
    command
}
