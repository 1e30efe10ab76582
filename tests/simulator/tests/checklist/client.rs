//! A raw client: no logic of its own, so that a test sees what the platform does.

use std::time::Duration;

use auk_simulator::{Platform, Settings};
use futures_util::{SinkExt, StreamExt};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// The default group.
pub const GROUP: &str = "AB00000000000000000000000000C001";

/// The default user.
pub const USER: &str = "0F00000000000000000000000000A001";

/// Intents of a group bot: 1 << 25.
pub const INTENTS: u64 = 1 << 25;

/// How long anything may take on one machine.
const PATIENCE: Duration = Duration::from_secs(5);

/// A platform and a bot's HTTP side.
pub struct Rig {
    pub platform: Platform,
    pub http: reqwest::Client,
}

/// An HTTP answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub trace_id: String,
    pub text: String,
    pub body: Value,
}

/// An open WebSocket.
pub struct Link {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

/// How a link ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Closed(u16, String),
    Cut,
}

impl Rig {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings::default();
        change(&mut settings);
        let platform = Platform::start(settings);
        let http = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
        Self { platform, http }
    }

    pub fn faults(&self, patch: Value) {
        self.platform.patch_faults(&patch).unwrap();
    }

    pub async fn token_answer(&self) -> Answer {
        let body = json!({"appId": "102000001", "clientSecret": "simulator-secret-0001"});
        self.call(Method::POST, "/app/getAppAccessToken", None, Some(&body)).await
    }

    pub async fn token(&self) -> String {
        let answer = self.token_answer().await;
        answer.body["access_token"].as_str().expect("a token").to_owned()
    }

    /// An API call with a good token.
    pub async fn api(&self, method: Method, path: &str, body: Option<&Value>) -> Answer {
        let authorization = format!("QQBot {}", self.token().await);
        self.call(method, path, Some(&authorization), body).await
    }

    pub async fn post(&self, body: Value) -> Answer {
        self.api(Method::POST, &format!("/v2/groups/{GROUP}/messages"), Some(&body)).await
    }

    pub async fn call(&self, method: Method, path: &str, authorization: Option<&str>, body: Option<&Value>) -> Answer {
        let mut request = self.http.request(method, format!("{}{path}", self.platform.base_url()));
        if let Some(authorization) = authorization {
            request = request.header("Authorization", authorization);
        }
        if let Some(body) = body {
            request = request.header("Content-Type", "application/json").body(body.to_string());
        }
        let response = request.send().await.expect("an HTTP answer");
        let status = response.status().as_u16();
        let trace_id = response.headers().get("X-Tps-trace-ID").map_or("", |value| value.to_str().unwrap()).to_owned();
        let text = response.text().await.expect("a whole body");
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Answer { status, trace_id, text, body }
    }

    pub async fn connect(&self) -> Link {
        self.connect_with(WebSocketConfig::default()).await
    }

    /// A link with limits of its own.
    pub async fn connect_with(&self, limits: WebSocketConfig) -> Link {
        let url = format!("{}/websocket", self.platform.base_url().replacen("http", "ws", 1));
        let connecting = connect_async_with_config(url, Some(limits), false);
        let (socket, _) = timeout(PATIENCE, connecting).await.expect("an upgrade in time").expect("an upgrade");
        Link { socket }
    }

    /// A link past Hello.
    pub async fn greeted(&self) -> Link {
        let mut link = self.connect().await;
        assert_eq!(link.receive().await["op"], 10);
        link
    }

    pub async fn identify(&self, link: &mut Link) {
        let token = format!("QQBot {}", self.token().await);
        link.send(json!({"op": 2, "d": {"token": token, "intents": INTENTS, "shard": [0, 1]}})).await;
    }

    pub async fn resume(&self, link: &mut Link, session: &str, seq: u64) {
        let token = format!("QQBot {}", self.token().await);
        link.send(json!({"op": 6, "d": {"token": token, "session_id": session, "seq": seq}})).await;
    }

    /// A link past READY, and its session.
    pub async fn ready(&self) -> (Link, String) {
        let mut link = self.greeted().await;
        self.identify(&mut link).await;
        let ready = link.receive().await;
        assert_eq!(ready["t"], "READY", "{ready}");
        let session = ready["d"]["session_id"].as_str().unwrap().to_owned();
        (link, session)
    }

    /// Waits until the platform has no connection.
    pub async fn until_offline(&self) {
        self.until(|platform| platform.state().connections.is_empty()).await;
    }

    /// Waits until something about the platform is true.
    pub async fn until(&self, condition: impl Fn(&Platform) -> bool) {
        for _ in 0..500 {
            if condition(&self.platform) {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("the condition did not come true in time");
    }
}

impl Link {
    pub async fn send(&mut self, frame: Value) {
        self.send_text(&frame.to_string()).await;
    }

    pub async fn send_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.expect("an open link");
    }

    pub async fn send_binary(&mut self, bytes: &[u8]) {
        self.socket.send(Message::binary(bytes.to_vec())).await.expect("an open link");
    }

    /// The stream below the WebSocket.
    pub fn raw(&mut self) -> &mut MaybeTlsStream<TcpStream> {
        self.socket.get_mut()
    }

    /// The next message of any kind.
    pub async fn message(&mut self) -> Option<Message> {
        match timeout(PATIENCE, self.socket.next()).await.expect("a message in time") {
            Some(Ok(message)) => Some(message),
            Some(Err(_)) | None => None,
        }
    }

    /// The text of the next message.
    pub async fn text(&mut self) -> String {
        match self.message().await {
            Some(Message::Text(text)) => text.to_string(),
            other => panic!("a text message is expected: {other:?}"),
        }
    }

    /// The next frame.
    pub async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.text().await).expect("a JSON frame")
    }

    /// Asserts that nothing comes before the answer to a heartbeat.
    pub async fn expect_silence(&mut self) {
        self.send(json!({"op": 1, "d": null})).await;
        assert_eq!(self.receive().await, json!({"op": 11}));
    }

    /// How the link ends; anything before the end is a failure.
    pub async fn end(&mut self) -> End {
        match self.message().await {
            Some(Message::Close(Some(frame))) => End::Closed(frame.code.into(), frame.reason.to_string()),
            None => End::Cut,
            Some(other) => panic!("the end of the link is expected: {other:?}"),
        }
    }

    pub async fn end_code(&mut self) -> u16 {
        match self.end().await {
            End::Closed(code, _) => code,
            End::Cut => 0,
        }
    }

    /// Ends TCP without a close frame.
    pub fn drop_link(self) {
        drop(self.socket);
    }

    /// Closes with a code.
    pub async fn close(mut self, code: u16) {
        use tokio_tungstenite::tungstenite::protocol::CloseFrame;
        let frame = CloseFrame { code: code.into(), reason: "".into() };
        self.socket.close(Some(frame)).await.expect("an open link");
        while timeout(PATIENCE, self.socket.next()).await.expect("an end in time").is_some() {}
    }
}
