use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use auk_gateway::ConnectFailure;
use reqwest::Url;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::error::CapacityError;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::proxy::Proxies;

/// An open WebSocket.
pub(super) type OpenSocket = WebSocketStream<Transport>;

/// Opens WebSockets: proxy, TCP, TLS, upgrade.
pub(super) struct Dialer {
    tls: TlsConnector,
    proxies: Proxies,
    limits: WebSocketConfig,
    allow_plain: bool,
}

impl Dialer {
    pub(super) fn new(tls: Arc<ClientConfig>, frame_bytes_max: usize, allow_plain: bool) -> Self {
        let limits = WebSocketConfig::default().max_message_size(Some(frame_bytes_max)).max_frame_size(Some(frame_bytes_max));
        Self { tls: TlsConnector::from(tls), proxies: Proxies::from_environment(), limits, allow_plain }
    }

    /// How the host of an address is named in the log.
    pub(super) fn way_to(&self, address: &str) -> String {
        Url::parse(address).map(|url| self.proxies.way_to(&url)).unwrap_or_default()
    }

    /// Opens a WebSocket. The gateway's deadline for connecting is the limit: it drops this future.
    pub(super) async fn dial(&self, address: &str) -> Result<OpenSocket, ConnectFailure> {
        let url = Url::parse(address).map_err(|_| ConnectFailure::BadAddress)?;
        let encrypted = match url.scheme() {
            "wss" => true,
            // The first frame carries the token: it crosses the open net only where the operator chose plain HTTP as well.
            "ws" if self.allow_plain => false,
            _ => return Err(ConnectFailure::BadAddress),
        };
        let host = url.host_str().ok_or(ConnectFailure::BadAddress)?.trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = url.port().unwrap_or(if encrypted { 443 } else { 80 });
        let tcp = self.proxies.connect(&host, port, encrypted).await?;
        let stream = if encrypted { self.encrypt(tcp, host).await? } else { Transport::Plain(tcp) };
        let upgraded = tokio_tungstenite::client_async_with_config(address, stream, Some(self.limits)).await;
        upgraded.map(|(socket, _)| socket).map_err(|error| failure(&error))
    }

    async fn encrypt(&self, tcp: TcpStream, host: String) -> Result<Transport, ConnectFailure> {
        let name = ServerName::try_from(host).map_err(|_| ConnectFailure::BadAddress)?;
        let stream = self.tls.connect(name, tcp).await.map_err(|_| ConnectFailure::Tls)?;
        Ok(Transport::Encrypted(Box::new(stream)))
    }
}

/// What a WebSocket error says about the transport.
pub(super) fn failure(error: &WsError) -> ConnectFailure {
    match error {
        WsError::Capacity(CapacityError::MessageTooLong { size, .. }) => ConnectFailure::TooLarge { bytes: u64::try_from(*size).ok() },
        WsError::Capacity(CapacityError::TooManyHeaders) => ConnectFailure::Other,
        WsError::Http(answer) => ConnectFailure::Upgrade(answer.status().as_u16()),
        WsError::Url(_) => ConnectFailure::BadAddress,
        WsError::Tls(_) => ConnectFailure::Tls,
        WsError::Io(_)
        | WsError::ConnectionClosed
        | WsError::AlreadyClosed
        | WsError::Protocol(_)
        | WsError::WriteBufferFull(_)
        | WsError::Utf8(_)
        | WsError::AttackAttempt
        | WsError::HttpFormat(_) => ConnectFailure::Other,
    }
}

/// TCP, with TLS on it or without.
pub(super) enum Transport {
    Plain(TcpStream),
    Encrypted(Box<TlsStream<TcpStream>>),
}

impl AsyncRead for Transport {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        match self.get_mut() {
            Transport::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Transport::Encrypted(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Transport {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<std::io::Result<usize>> {
        match self.get_mut() {
            Transport::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Transport::Encrypted(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        match self.get_mut() {
            Transport::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Transport::Encrypted(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        match self.get_mut() {
            Transport::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Transport::Encrypted(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
