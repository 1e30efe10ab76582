use auk_gateway::ConnectFailure;
use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use tokio::net::TcpStream;
use tower_service::Service;

/// The proxies that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` name, in both cases of letters. The HTTP client reads them by
/// the same rules, so that one decision holds for both.
pub(super) struct Proxies(Matcher);

impl Proxies {
    pub(super) fn from_environment() -> Self {
        Self(Matcher::from_env())
    }

    /// A TCP stream to the host, through the proxy that is named for it if there is one.
    pub(super) async fn connect(&self, host: &str, port: u16, encrypted: bool) -> Result<TcpStream, ConnectFailure> {
        let scheme = if encrypted { "https" } else { "http" };
        let authority = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        let destination: Uri = format!("{scheme}://{authority}/").parse().map_err(|_| ConnectFailure::BadAddress)?;
        match self.0.intercept(&destination) {
            Some(proxy) => tunnel(&proxy, destination).await,
            None => TcpStream::connect((host, port)).await.map_err(|error| of_io(&error)),
        }
    }
}

/// A CONNECT tunnel. A SOCKS proxy cannot be used, by the HTTP client neither.
async fn tunnel(proxy: &Intercept, destination: Uri) -> Result<TcpStream, ConnectFailure> {
    if proxy.uri().scheme_str() != Some("http") {
        return Err(ConnectFailure::Proxy);
    }
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    let mut tunnel = Tunnel::new(proxy.uri().clone(), connector);
    if let Some(auth) = proxy.basic_auth() {
        tunnel = tunnel.with_auth(auth.clone());
    }
    let stream = tunnel.call(destination).await.map_err(|_| ConnectFailure::Proxy)?;
    Ok(stream.into_inner())
}

/// A failed look-up of a name comes without a number of the operating system; all else on the way to a host is the network's.
fn of_io(error: &std::io::Error) -> ConnectFailure {
    if error.raw_os_error().is_some() { ConnectFailure::Refused } else { ConnectFailure::Resolve }
}
