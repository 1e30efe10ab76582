//! Volumes that refuse something, for one program alone.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A small volume in memory over a directory, which only one program sees; it goes with that program.
#[derive(Debug, Clone)]
pub struct Volume {
    /// The directory that it covers.
    pub directory: PathBuf,
    /// What `mount` is told, such as `noexec`.
    pub options: &'static str,
}

impl Volume {
    /// What to put before a program so that it sees the volumes; none where this system lets nobody mount any, which is said aloud.
    pub fn wrapper(test: &str) -> Option<Vec<&'static str>> {
        let ways: [&[&str]; 2] = [&["unshare", "--mount"], &["unshare", "--user", "--map-root-user", "--mount"]];
        let works = |way: &&[&'static str]| {
            let mut try_mount = Command::new(way[0]);
            try_mount.args(&way[1..]).args(["mount", "-t", "tmpfs", "tmpfs", "/mnt"]).stdout(Stdio::null()).stderr(Stdio::null());
            try_mount.status().is_ok_and(|status| status.success())
        };
        let found = ways.into_iter().find(works).map(<[_]>::to_vec);
        if found.is_none() {
            eprintln!("SKIPPED {test}: this system lets this user mount nothing, so there is no such volume to load from");
        }
        found
    }
}

/// A command that runs `program` where `volumes` are mounted, begun with `wrapper`.
pub(crate) fn inside(wrapper: &[&str], volumes: &[Volume], program: &Command) -> Command {
    let mut command = Command::new(wrapper[0]);
    command.args(&wrapper[1..]).args(["sh", "-euc"]);
    let mounts: String = (0..volumes.len()).map(|_| "mount -t tmpfs -o \"$1\" tmpfs \"$2\"; shift 2; ").collect();
    command.arg(format!("{mounts}exec \"$@\"")).arg("sh");
    for volume in volumes {
        command.arg(volume.options).arg(&volume.directory);
    }
    command.arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}
