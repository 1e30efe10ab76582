use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread::{self, JoinHandle};

use auk_simulator::{Platform, Settings};
use serde_json::{Value, json};

use crate::GROUP;

/// The least that answering a message costs: an echo on two raw sockets, without a library, a queue or a rule. Dropping it ends it.
pub struct Ruler {
    socket: TcpStream,
    thread: Option<JoinHandle<()>>,
}

impl Ruler {
    /// Connects and answers each message that mentions the bot.
    pub fn start(platform: &Platform) -> Self {
        let host = platform.base_url().trim_start_matches("http://").to_owned();
        let mut calls = Calls::open(&host);
        let shown = Settings::default();
        let asked = json!({ "appId": shown.app_id, "clientSecret": shown.secret });
        let token = calls.post("/app/getAppAccessToken", "", &asked)["access_token"].as_str().expect("a token").to_owned();
        let mut socket = upgrade(&host);
        let mut reader = BufReader::new(socket.try_clone().expect("a socket"));
        skip_head(&mut reader);
        let hello = read_frame(&mut reader).expect("Hello");
        assert_eq!(hello["op"], 10);
        write_frame(&mut socket, &json!({ "op": 2, "d": { "token": format!("QQBot {token}"), "intents": 1 << 25, "shard": [0, 1] } }));
        let ended = socket.try_clone().expect("a socket");
        let thread = thread::spawn(move || {
            while let Some(frame) = read_frame(&mut reader) {
                if frame["t"] == "GROUP_AT_MESSAGE_CREATE" {
                    let reply = json!({ "content": frame["d"]["content"].as_str().unwrap_or_default().trim(), "msg_type": 0, "msg_id": frame["d"]["id"], "msg_seq": 1 });
                    calls.post(&format!("/v2/groups/{GROUP}/messages"), &format!("Authorization: QQBot {token}\r\n"), &reply);
                }
            }
        });
        crate::eventually("the ruler is online", || platform.state().online.then_some(()));
        Self { socket: ended, thread: Some(thread) }
    }
}

impl Drop for Ruler {
    fn drop(&mut self) {
        let _ = self.socket.shutdown(Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// One kept-alive connection for calls.
struct Calls {
    socket: TcpStream,
    reader: BufReader<TcpStream>,
    host: String,
}

impl Calls {
    fn open(host: &str) -> Self {
        let socket = TcpStream::connect(host).expect("the platform listens");
        socket.set_nodelay(true).expect("a socket");
        Self { reader: BufReader::new(socket.try_clone().expect("a socket")), socket, host: host.to_owned() }
    }

    fn post(&mut self, path: &str, head: &str, body: &Value) -> Value {
        let (host, body) = (&self.host, body.to_string());
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\n{head}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.socket.write_all(request.as_bytes()).expect("sent");
        let mut answer = vec![0; skip_head(&mut self.reader)];
        self.reader.read_exact(&mut answer).expect("a whole answer");
        serde_json::from_slice(&answer).unwrap_or_default()
    }
}

/// Reads a head to its end and returns the length of the body that it announces.
fn skip_head(reader: &mut impl BufRead) -> usize {
    let (mut line, mut bytes) = (String::new(), 0);
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        if let Some(length) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            bytes = length.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    bytes
}

fn upgrade(host: &str) -> TcpStream {
    let mut socket = TcpStream::connect(host).expect("the platform listens");
    socket.set_nodelay(true).expect("a socket");
    // The key of RFC 6455's own sample; the answer to it is not looked at.
    let request = format!(
        "GET /websocket HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).expect("sent");
    socket
}

/// A text frame, whole, masked with zeros (RFC 6455, section 5.2).
fn write_frame(socket: &mut TcpStream, frame: &Value) {
    let text = frame.to_string();
    let length = u16::try_from(text.len()).expect("a short frame");
    let mut bytes = vec![0x81];
    if length < 126 {
        bytes.push(0x80 | length as u8)
    } else {
        bytes.extend([0x80 | 126, length.to_be_bytes()[0], length.to_be_bytes()[1]])
    }
    bytes.extend([0; 4]);
    bytes.extend(text.as_bytes());
    socket.write_all(&bytes).expect("sent");
}

/// The next text frame; `None` at the end.
fn read_frame(reader: &mut impl Read) -> Option<Value> {
    let mut head = [0; 2];
    reader.read_exact(&mut head).ok()?;
    let length = match head[1] & 0x7f {
        126 => {
            let mut length = [0; 2];
            reader.read_exact(&mut length).ok()?;
            usize::from(u16::from_be_bytes(length))
        }
        127 => {
            let mut length = [0; 8];
            reader.read_exact(&mut length).ok()?;
            usize::try_from(u64::from_be_bytes(length)).ok()?
        }
        short => usize::from(short),
    };
    let mut text = vec![0; length];
    reader.read_exact(&mut text).ok()?;
    (head[0] & 0x0f == 1).then(|| serde_json::from_slice(&text).unwrap_or_default())
}
