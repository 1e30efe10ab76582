use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A forward proxy that notes the first line of each request. Every name leads to this machine, so that what only the proxy can reach is
/// a name that nobody knows.
pub struct Proxy {
    port: u16,
    books: Arc<Mutex<Books>>,
}

#[derive(Default)]
struct Books {
    asked: Vec<String>,
    refusal: Option<u16>,
}

impl Proxy {
    /// A proxy that works.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let books = Arc::<Mutex<Books>>::default();
        let noted = Arc::clone(&books);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let noted = Arc::clone(&noted);
                thread::spawn(move || serve(client, &noted));
            }
        });
        Self { port, books }
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What goes into the environment.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// From here on every request is answered with this status; `None`: it is served.
    pub fn refuse_with(&self, status: Option<u16>) {
        lock(&self.books).refusal = status;
    }

    /// The first lines of all requests so far.
    pub fn asked(&self) -> Vec<String> {
        lock(&self.books).asked.clone()
    }
}

fn lock(books: &Mutex<Books>) -> MutexGuard<'_, Books> {
    books.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut client: TcpStream, books: &Mutex<Books>) -> Option<()> {
    let mut reader = BufReader::new(client.try_clone().ok()?);
    let (mut head, mut line) = (String::new(), String::new());
    reader.read_line(&mut head).ok()?;
    let target = head.split_whitespace().nth(1)?.to_owned();
    let is_tunnel = head.starts_with("CONNECT ");
    let refusal = {
        let mut books = lock(books);
        books.asked.push(head.trim().to_owned());
        books.refusal
    };
    while reader.read_line(&mut line).ok()? > 2 {
        head.push_str(&line);
        line.clear();
    }
    if let Some(status) = refusal {
        return write!(client, "HTTP/1.1 {status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").ok();
    }
    let port = target.trim_start_matches("http://").split('/').next()?.rsplit(':').next()?.parse::<u16>().ok()?;
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    if is_tunnel {
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").ok()?;
    } else {
        // One request a connection, so that each is noted.
        server.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).ok()?;
    }
    let (mut to_server, mut from_server) = (server.try_clone().ok()?, server);
    thread::spawn(move || {
        let _ = std::io::copy(&mut reader, &mut to_server);
        let _ = to_server.shutdown(std::net::Shutdown::Write);
    });
    if is_tunnel {
        std::io::copy(&mut from_server, &mut client).ok()?;
    } else {
        let mut bytes = Vec::new();
        from_server.read_to_end(&mut bytes).ok()?;
        client.write_all(&bytes).ok()?;
    }
    client.shutdown(std::net::Shutdown::Both).ok()
}
