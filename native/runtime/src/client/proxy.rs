use std::error::Error;
use std::time::Duration;

use auk_gateway::ConnectFailure;
use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use reqwest::Url;
use tokio::net::TcpStream;
use tower_service::Service;

/// The proxies that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` name, in both cases of letters. The HTTP client reads them by
/// the same rules, so that one decision holds for both.
pub(super) struct Proxies {
    matcher: Matcher,
    connector: HttpConnector,
}

/// Limit on TCP. It is shared out over the addresses of a name, and both families are tried side by side, as the HTTP client does: one
/// dead address must not cost the way.
const CONNECT_MS_MAX: u64 = 5_000;

impl Proxies {
    pub(super) fn from_environment() -> Self {
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(Duration::from_millis(CONNECT_MS_MAX)));
        Self { matcher: Matcher::from_env(), connector }
    }

    /// How the host of an address is named in the log: with the proxy that leads to it, if one does, and never with that one's password.
    pub(super) fn way_to(&self, address: &Url) -> String {
        let host = address.host_str().unwrap_or_default();
        // The matcher knows the schemes of HTTP only.
        let scheme = if matches!(address.scheme(), "https" | "wss") { "https" } else { "http" };
        let port = address.port_or_known_default().unwrap_or(443);
        let proxy = format!("{scheme}://{host}:{port}/").parse().ok().and_then(|uri: Uri| self.matcher.intercept(&uri));
        match proxy.as_ref().and_then(|proxy| Some((proxy.uri().host()?, proxy.uri().port_u16()))) {
            Some((proxy, Some(port))) => format!("{host} (proxy {proxy}:{port})"),
            Some((proxy, None)) => format!("{host} (proxy {proxy})"),
            None => host.to_owned(),
        }
    }

    /// A TCP stream to the host, through the proxy that is named for it if there is one.
    pub(super) async fn connect(&self, host: &str, port: u16, encrypted: bool) -> Result<TcpStream, ConnectFailure> {
        let scheme = if encrypted { "https" } else { "http" };
        let authority = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        let destination: Uri = format!("{scheme}://{authority}/").parse().map_err(|_| ConnectFailure::BadAddress)?;
        match self.matcher.intercept(&destination) {
            Some(proxy) => self.tunnel(&proxy, destination).await,
            None => self.connector.clone().call(destination).await.map(|stream| stream.into_inner()).map_err(|error| of_connect(&error)),
        }
    }

    /// A CONNECT tunnel. Only plain HTTP proxies are spoken to.
    async fn tunnel(&self, proxy: &Intercept, destination: Uri) -> Result<TcpStream, ConnectFailure> {
        if proxy.uri().scheme_str() != Some("http") {
            return Err(ConnectFailure::Proxy);
        }
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.connector.clone());
        if let Some(auth) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(auth.clone());
        }
        let stream = tunnel.call(destination).await.map_err(|_| ConnectFailure::Proxy)?;
        Ok(stream.into_inner())
    }
}

/// A failed look-up of a name comes without a number of the operating system; all else on the way to a host is the network's.
fn of_connect(error: &(dyn Error + 'static)) -> ConnectFailure {
    let mut cause = Some(error);
    while let Some(current) = cause {
        match current.downcast_ref::<std::io::Error>() {
            Some(io) if io.raw_os_error().is_some() || io.kind() == std::io::ErrorKind::TimedOut => return ConnectFailure::Refused,
            Some(_) | None => cause = current.source(),
        }
    }
    ConnectFailure::Resolve
}
