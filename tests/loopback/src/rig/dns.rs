use std::io::{self, Write};
use std::net::{Ipv4Addr, UdpSocket};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::linux::is_namespace_permitted;

/// What a name server says to every question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Every name is this machine.
    Known,
    /// It failed to find out (SERVFAIL).
    Failing,
    /// There is no such name (NXDOMAIN).
    Unknown,
    /// Nothing at all.
    Silent,
}

/// A name server on an address of its own on the loopback network, at the port where resolvers look for one.
pub struct NameServer {
    address: Ipv4Addr,
    names: Arc<Mutex<Names>>,
    asked: Arc<AtomicUsize>,
    directory: tempfile::TempDir,
    is_over: Arc<Mutex<bool>>,
}

const PORT: u16 = 53;
const TYPE_A: [u8; 2] = [0, 1];

impl NameServer {
    /// Starts one. The port is reserved, so this needs the right to bind it.
    ///
    /// # Errors
    /// When the port cannot be had.
    pub fn start(names: Names) -> io::Result<Self> {
        static NUMBER: AtomicUsize = AtomicUsize::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed) as u8;
        let [_, _, high, low] = std::process::id().to_be_bytes();
        let address = Ipv4Addr::new(127, high.max(1), low, number);
        let socket = UdpSocket::bind((address, PORT))?;
        socket.set_read_timeout(Some(Duration::from_millis(100)))?;
        let directory = tempfile::tempdir()?;
        std::fs::write(directory.path().join("resolv.conf"), format!("nameserver {address}\n"))?;
        let server = Self { address, names: Arc::new(Mutex::new(names)), asked: Arc::default(), directory, is_over: Arc::default() };
        let (names, asked, is_over) = (Arc::clone(&server.names), Arc::clone(&server.asked), Arc::clone(&server.is_over));
        thread::spawn(move || {
            let mut question = [0; 512];
            while !*is_over.lock().unwrap_or_else(PoisonError::into_inner) {
                let Ok((bytes, client)) = socket.recv_from(&mut question) else { continue };
                asked.fetch_add(1, Ordering::Relaxed);
                let names = *names.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(answer) = answer(&question[..bytes], names) {
                    // A client that does not wait any more asks again.
                    let _ = socket.send_to(&answer, client);
                }
            }
        });
        Ok(server)
    }

    /// What it says from here on.
    pub fn set(&self, names: Names) {
        *self.names.lock().unwrap_or_else(PoisonError::into_inner) = names;
    }

    /// Questions so far.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// The address that it listens on.
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// A resolver's configuration that names this server alone.
    pub fn resolv_conf(&self) -> std::path::PathBuf {
        Path::new(self.directory.path()).join("resolv.conf")
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

/// RFC 1035, section 4: a head of 12 bytes, the question as it came, and at most one answer.
fn answer(asked: &[u8], names: Names) -> Option<Vec<u8>> {
    let name_bytes = asked.get(12..)?.iter().position(|byte| *byte == 0)? + 1;
    let question = asked.get(12..12 + name_bytes + 4)?;
    let (code, has_address) = match names {
        Names::Silent => return None,
        Names::Failing => (2, false),
        Names::Unknown => (3, false),
        Names::Known => (0, question[name_bytes..name_bytes + 2] == TYPE_A),
    };
    let mut answer = asked[..2].to_vec();
    // An answer, recursion asked for and offered; one question, no further sections.
    answer.extend([0x81, 0x80 | code, 0, 1, 0, u8::from(has_address), 0, 0, 0, 0]);
    answer.extend(question);
    if has_address {
        // The name of the question, type A, class IN, to be kept for no time at all, four bytes.
        answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
    }
    Some(answer)
}

/// Whether a program can be given this name server here. Where it cannot, that is said past the test harness, which shows nothing of a test
/// that passes, and whoever asked tests nothing.
pub fn has_private_names(scenario: &str) -> bool {
    let reason = if !is_namespace_permitted() {
        "a mount namespace of one's own is not permitted"
    } else if NameServer::start(Names::Known).is_err() {
        "port 53 of the loopback network cannot be had"
    } else {
        return true;
    };
    // Nothing more can be done for whoever has no standard error.
    let _ = writeln!(io::stderr(), "\nNOT TESTED: {scenario}: {reason} here; run it as root");
    false
}
