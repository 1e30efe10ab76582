use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use auk_gateway::{AccessToken, AddressEndpoint, Credentials, HttpAnswer, HttpFailure};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::{Request, RequestBuilder, Url};
use rustls::ClientConfig;

use super::ClientError;
use crate::log::Hosts;

/// Limit on reaching the host: TCP and TLS.
const CONNECT_MS_MAX: u64 = 5_000;
/// Limit on a whole exchange. The docs ask for at least 5 s on a send, since the message may go out although the answer is late
/// (QQ bot docs, server-inter/message/send-receive/send, 2025-04-21).
const EXCHANGE_MS_MAX: u64 = 10_000;

/// The platform's HTTP calls, one method each. Redirects are not followed: they would carry the token to another host.
pub(super) struct Rest {
    /// The client with its pool of connections.
    http: Mutex<reqwest::Client>,
    tls: Arc<ClientConfig>,
    exchange: Duration,
    token_url: Url,
    api_base: Url,
    body_bytes_max: usize,
}

/// What an exchange may cost.
pub(super) struct Limits {
    pub(super) body_bytes: usize,
    /// The session's own limit, where it is shorter than [`EXCHANGE_MS_MAX`].
    pub(super) exchange_ms: u64,
}

impl Rest {
    pub(super) fn new(token_url: Url, api_base: Url, limits: Limits, tls: &Arc<ClientConfig>) -> Result<Self, ClientError> {
        let exchange = Duration::from_millis(limits.exchange_ms.min(EXCHANGE_MS_MAX));
        let http = Mutex::new(client(tls, exchange)?);
        Ok(Self { http, tls: Arc::clone(tls), exchange, token_url, api_base, body_bytes_max: limits.body_bytes })
    }

    /// Lets all kept connections go, so that the next call makes a new one. A network that swallowed the gateway's link without a word has
    /// most likely swallowed these as well, and a call on one would hang for [`EXCHANGE_MS_MAX`] and its fate be unknown.
    pub(super) fn forget_connections(&self) {
        if let Ok(fresh) = client(&self.tls, self.exchange) {
            *self.http.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
        }
    }

    fn http(&self) -> reqwest::Client {
        self.http.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The hosts, for the log, each named by `way_to`.
    pub(super) fn hosts(&self, way_to: impl Fn(&str) -> String) -> Hosts {
        Hosts { token: way_to(self.token_url.as_str()), api: way_to(self.api_base.as_str()), gateway: String::new() }
    }

    /// Asks for a token. Source: QQ bot docs, dev-prepare/access-token, 2026-08-10.
    pub(super) async fn fetch_token(&self, credentials: &Credentials) -> HttpAnswer {
        let request = self.http().post(self.token_url.clone()).header(CONTENT_TYPE, "application/json");
        self.exchange(request.body(credentials.token_request_body()).build()).await
    }

    /// Asks for the gateway's address. Source: QQ bot docs, openapi/wss, 2025-04-21.
    pub(super) async fn look_up(&self, token: &AccessToken, endpoint: AddressEndpoint) -> HttpAnswer {
        let request = self.http().get(self.url(endpoint.path().trim_start_matches('/').split('/')));
        self.exchange(authorized(request, token).build()).await
    }

    /// Posts a message to a group. Source: QQ bot docs, server-inter/message/send-receive/send, July 2026.
    pub(super) async fn post_group_message(&self, token: &AccessToken, group_openid: &str, body: String) -> HttpAnswer {
        let request = self.http().post(self.url(["v2", "groups", group_openid, "messages"])).header(CONTENT_TYPE, "application/json");
        self.exchange(authorized(request, token).body(body).build()).await
    }

    /// A path below the API base, each segment percent-encoded: ids of the platform are opaque.
    fn url<'a>(&self, segments: impl IntoIterator<Item = &'a str>) -> Url {
        let mut url = self.api_base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    async fn exchange(&self, request: reqwest::Result<Request>) -> HttpAnswer {
        let answer = async { self.http().execute(request?).await }.await;
        match answer {
            Ok(answer) => self.receive(answer).await,
            Err(error) => HttpAnswer::Failed(failure(&error)),
        }
    }

    async fn receive(&self, mut answer: reqwest::Response) -> HttpAnswer {
        let status = answer.status().as_u16();
        let retry_after_ms = answer.headers().get(RETRY_AFTER).and_then(seconds).map(|s| s.saturating_mul(1_000));
        let mut body = Vec::new();
        loop {
            match answer.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() > self.body_bytes_max => return HttpAnswer::Failed(HttpFailure::TooLarge),
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(error) => return HttpAnswer::Failed(failure(&error)),
            }
        }
        HttpAnswer::Received { status, body: String::from_utf8_lossy(&body).into_owned(), retry_after_ms }
    }
}

fn client(tls: &ClientConfig, exchange: Duration) -> Result<reqwest::Client, ClientError> {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls.clone())
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_millis(CONNECT_MS_MAX))
        .timeout(exchange)
        .tcp_nodelay(true)
        .user_agent(concat!("auk/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| ClientError::Tls(error.to_string()))
}

fn authorized(request: RequestBuilder, token: &AccessToken) -> RequestBuilder {
    match HeaderValue::try_from(token.authorization()) {
        Ok(mut value) => {
            value.set_sensitive(true);
            request.header(AUTHORIZATION, value)
        }
        // A token that cannot stand in a header is refused by the platform like any other wrong one.
        Err(_) => request,
    }
}

fn seconds(value: &HeaderValue) -> Option<u64> {
    value.to_str().ok()?.trim().parse().ok()
}

fn failure(error: &reqwest::Error) -> HttpFailure {
    if error.is_connect() {
        HttpFailure::Unreachable
    } else if error.is_timeout() {
        HttpFailure::Timeout
    } else {
        HttpFailure::Other
    }
}
