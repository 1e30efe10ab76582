use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Something else where the platform should be, such as the page of a router: it gives the same answer to everything, and notes what
/// it was told.
pub struct Page {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Page {
    /// A page that answers with these bytes, head and body.
    pub fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&heads);
        thread::spawn(move || {
            for mut visitor in listener.incoming().flatten() {
                let mut head = String::new();
                let mut reader = BufReader::new(&visitor);
                while reader.read_line(&mut head).is_ok_and(|bytes| bytes > 2) {}
                noted.lock().unwrap_or_else(PoisonError::into_inner).push(head);
                // Whoever does not listen to the end has heard enough.
                let _ = visitor.write_all(&answer);
            }
        });
        Self { port, heads }
    }

    /// Status, further head lines, and a body of HTML.
    pub fn html(status: &str, head: &str, body: &str) -> Self {
        let bytes = body.len();
        Self::answering(format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {bytes}\r\nConnection: close\r\n{head}\r\n{body}"
        ))
    }

    /// Where it is, as `scheme://127.0.0.1:PORT`.
    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://127.0.0.1:{}", self.port)
    }

    /// The heads of all requests so far.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
