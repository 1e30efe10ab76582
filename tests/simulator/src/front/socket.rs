//! `GET /websocket`: the upgrade, and the task of each connection.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, UPGRADE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::sync::{Notify, mpsc};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{CloseFrame, Frame as WireFrame};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::http::{Front, respond};
use super::hub::{Hub, Order};
use crate::model::{ConnId, Frame, Upgrade};

/// How long a closing handshake may take before TCP ends.
const CLOSE_GRACE: Duration = Duration::from_secs(1);

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// Answers the upgrade request, and starts the connection's task.
pub(super) async fn upgrade(State(front): State<Front>, mut request: Request) -> Response {
    let Some(key) = websocket_key(request.headers()) else {
        return plain(StatusCode::UPGRADE_REQUIRED, "a WebSocket upgrade, version 13, is expected");
    };
    match front.hub.drive(|model, now| model.upgrade(now)) {
        Upgrade::Refuse(answer) => respond(answer).await,
        Upgrade::Accept { delay_ms } => {
            sleep(Duration::from_millis(delay_ms)).await;
            let upgrading = hyper::upgrade::on(&mut request);
            let hub = Arc::clone(&front.hub);
            tokio::spawn(async move {
                // A client that leaves during the upgrade never had a connection.
                if let Ok(upgraded) = upgrading.await {
                    let socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await;
                    serve(hub, socket).await;
                }
            });
            switch_protocols(&key)
        }
    }
}

async fn serve(hub: Arc<Hub>, socket: Socket) {
    let (sink, stream) = socket.split();
    let (sender, orders) = mpsc::unbounded_channel();
    let cut = Arc::new(Notify::new());
    let conn = hub.open(sender, Arc::clone(&cut));
    let code = tokio::select! {
        code = read(&hub, conn, stream) => code,
        () = write(sink, orders) => None,
        () = cut.notified() => None,
    };
    hub.gone(conn, code);
}

/// Hands what comes in to the model. Returns the client's close code once the link is over.
async fn read(hub: &Arc<Hub>, conn: ConnId, mut stream: SplitStream<Socket>) -> Option<u16> {
    let mut code = None;
    while let Some(message) = stream.next().await {
        match message {
            Ok(Message::Text(text)) => hub.act(|model, now| model.frame(conn, &text, now)),
            Ok(Message::Binary(_)) => hub.act(|model, now| model.binary_frame(conn, now)),
            Ok(Message::Close(frame)) => {
                code = frame.map(|frame| u16::from(frame.code));
                hub.act(|model, now| model.closed(conn, code, now));
            }
            // Replies to pings are the library's business.
            Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
            // The end of TCP without a close frame.
            Err(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => return code,
            Err(Error::Utf8(_) | Error::Protocol(_) | Error::Capacity(_)) => {
                hub.act(|model, now| model.binary_frame(conn, now));
                // The close frame that follows ends the link.
                return pending().await;
            }
            Err(_) => return code,
        }
    }
    code
}

/// Does the orders until the link is to end.
async fn write(mut sink: SplitSink<Socket, Message>, mut orders: mpsc::UnboundedReceiver<Order>) {
    while let Some(order) = orders.recv().await {
        match order {
            Order::Send { frame, fragment_bytes } => {
                for message in messages(frame, fragment_bytes) {
                    if sink.send(message).await.is_err() {
                        // The reading side sees the end of the link too, and tells why.
                        return pending().await;
                    }
                }
            }
            Order::Close { code, reason } => {
                let frame = CloseFrame { code: CloseCode::from(code), reason: reason.into() };
                let _ = timeout(CLOSE_GRACE, sink.send(Message::Close(Some(frame)))).await;
                return sleep(CLOSE_GRACE).await;
            }
            Order::Cut => return,
        }
    }
}

/// Raw frames, so that a text message may hold bytes that are not UTF-8, and may come in fragments.
fn messages(frame: Frame, fragment_bytes: usize) -> Vec<Message> {
    let (bytes, data) = match frame {
        Frame::Text(bytes) => (bytes, Data::Text),
        Frame::Binary(bytes) => (bytes, Data::Binary),
    };
    if bytes.len() <= fragment_bytes {
        return vec![Message::Frame(WireFrame::message(bytes, OpCode::Data(data), true))];
    }
    let pieces = bytes.chunks(fragment_bytes);
    let last = pieces.len() - 1;
    let fragment = |(n, piece): (usize, &[u8])| {
        let data = if n == 0 { data } else { Data::Continue };
        Message::Frame(WireFrame::message(piece.to_vec(), OpCode::Data(data), n == last))
    };
    pieces.enumerate().map(fragment).collect()
}

fn websocket_key(headers: &HeaderMap) -> Option<String> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let upgrades = text("upgrade").is_some_and(|value| value.eq_ignore_ascii_case("websocket"));
    let version = text("sec-websocket-version") == Some("13");
    let key = headers.get(SEC_WEBSOCKET_KEY)?.to_str().ok()?;
    (upgrades && version).then(|| key.to_owned())
}

fn switch_protocols(key: &str) -> Response {
    let response = Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_ACCEPT, derive_accept_key(key.as_bytes()))
        .body(Body::empty());
    response.expect("constant headers and a base64 text are valid")
}

fn plain(status: StatusCode, text: &'static str) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response
}
