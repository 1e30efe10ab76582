use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use auk_gateway::{CODE_FINAL, Close, ConnId, FrameText, Input};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::dial::{Dialer, OpenSocket, failure};

/// Limit on handing a close frame to the kernel. On a live link it takes microseconds, on a dead one it may never end.
const CLOSE_MS_MAX: u64 = 250;
/// Limit on the platform's half of the final handshake; a little below the gateway's own.
const FINAL_CLOSE_MS_MAX: u64 = 900;

/// Inputs of a socket that wait for the driver. Beyond them the bytes wait in the kernel.
const INPUTS_WAITING_MAX: usize = 64;

/// One connection of the gateway, on a task of its own. Dropping it drops the socket, and what it had to say with it.
pub(super) struct Socket {
    pub(super) conn: ConnId,
    inputs: mpsc::Receiver<Input>,
    orders: mpsc::UnboundedSender<Order>,
    task: JoinHandle<()>,
}

/// What the driver wants of a socket.
enum Order {
    Send(String),
    Close(u16),
}

impl Socket {
    /// Begins to connect, as soon as the predecessor's socket is gone: at most one is open at any time, from the platform's view too.
    pub(super) fn connect(conn: ConnId, url: String, dialer: Arc<Dialer>, predecessor: Option<Socket>) -> Self {
        let (orders, taken) = mpsc::unbounded_channel();
        let (told, inputs) = mpsc::channel(INPUTS_WAITING_MAX);
        let task = tokio::spawn(async move {
            if let Some(mut predecessor) = predecessor {
                let _ = timeout(Duration::from_millis(CLOSE_MS_MAX), &mut predecessor.task).await;
            }
            run(conn, &url, &dialer, &told, taken).await;
        });
        Self { conn, inputs, orders, task }
    }

    /// The next thing that the socket has to tell; `None` when it has told everything.
    pub(super) async fn next_input(&mut self) -> Option<Input> {
        self.inputs.recv().await
    }

    pub(super) fn send(&self, text: String) {
        let _ = self.orders.send(Order::Send(text));
    }

    pub(super) fn close(&self, code: u16) {
        let _ = self.orders.send(Order::Close(code));
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn run(conn: ConnId, url: &str, dialer: &Dialer, inputs: &mpsc::Sender<Input>, mut orders: mpsc::UnboundedReceiver<Order>) {
    let dialed = tokio::select! {
        dialed = dialer.dial(url) => dialed,
        // The only order before the socket is open is to give it up.
        _ = orders.recv() => return,
    };
    let end = match dialed {
        Err(failure) => Input::ConnectFailed { conn, failure },
        Ok(socket) => {
            if inputs.send(Input::Opened { conn }).await.is_err() {
                return;
            }
            match carry(conn, socket, inputs, orders).await {
                Some(close) => Input::Closed { conn, close },
                None => return,
            }
        }
    };
    let _ = inputs.send(end).await;
}

/// Carries frames both ways until the connection ends. `None` when nobody listens any more.
///
/// A frame that the driver has no room for holds back the reading, never the sending: heartbeats go out all the same.
async fn carry(
    conn: ConnId,
    mut socket: OpenSocket,
    inputs: &mpsc::Sender<Input>,
    mut orders: mpsc::UnboundedReceiver<Order>,
) -> Option<Close> {
    let mut held: Option<FrameText> = None;
    loop {
        tokio::select! {
            order = orders.recv() => match order? {
                Order::Send(text) => {
                    if let Err(error) = socket.send(Message::text(text)).await {
                        return Some(Close::Transport(failure(&error)));
                    }
                }
                Order::Close(code) => return Some(close(socket, code).await),
            },
            room = inputs.reserve(), if held.is_some() => {
                let text = held.take()?;
                room.ok()?.send(Input::Frame { conn, text });
            }
            message = socket.next(), if held.is_none() => match read(message) {
                Read::Frame(text) => match inputs.try_send(Input::Frame { conn, text: text.into() }) {
                    Ok(()) => {}
                    Err(mpsc::error::TrySendError::Full(Input::Frame { text, .. })) => held = Some(text),
                    Err(_) => return None,
                },
                Read::Nothing => {}
                Read::End(close) => return Some(close),
            },
        }
    }
}

enum Read {
    Frame(String),
    Nothing,
    End(Close),
}

fn read(message: Option<Result<Message, tokio_tungstenite::tungstenite::Error>>) -> Read {
    match message {
        None => Read::End(Close::Code(None)),
        Some(Err(error)) => Read::End(Close::Transport(failure(&error))),
        Some(Ok(Message::Text(text))) => Read::Frame(text.to_string()),
        // The platform speaks text; what comes as binary is read the same way, and judged by its content.
        Some(Ok(Message::Binary(bytes))) => Read::Frame(match String::from_utf8_lossy(&bytes) {
            Cow::Borrowed(text) => text.to_owned(),
            Cow::Owned(text) => text,
        }),
        Some(Ok(Message::Close(frame))) => Read::End(Close::Code(frame.map(|frame| frame.code.into()))),
        // Pings are answered by the library; they say nothing about the session, whose judge is the heartbeat of op 1.
        Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Read::Nothing,
    }
}

async fn close(mut socket: OpenSocket, code: u16) -> Close {
    let frame = CloseFrame { code: CloseCode::from(code), reason: "".into() };
    let sent = timeout(Duration::from_millis(CLOSE_MS_MAX), socket.send(Message::Close(Some(frame)))).await;
    if code == CODE_FINAL && matches!(sent, Ok(Ok(()))) {
        let ended = timeout(Duration::from_millis(FINAL_CLOSE_MS_MAX), async {
            while let Some(Ok(message)) = socket.next().await {
                if matches!(message, Message::Close(_)) {
                    break;
                }
            }
        });
        let _ = ended.await;
    }
    Close::Code(Some(code))
}
