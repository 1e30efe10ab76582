//! The platform's HTTP calls, handed to the model.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{Html, Response};
use axum::routing::get;
use tokio::time::sleep;

use super::control;
use super::game::Game;
use super::hub::Hub;
use super::{socket, stream};
use crate::model::{Answer, Call};

/// Bytes of a call's body: base64 of the largest file a client sends in one piece, with room.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What a handler needs.
#[derive(Clone)]
pub(super) struct Front {
    pub(super) hub: Arc<Hub>,
    pub(super) game: Arc<Game>,
    /// `http` or `https`.
    pub(super) scheme: &'static str,
}

/// All routes: the page, the control API, the WebSocket and the platform's calls.
pub(super) fn router(front: Front) -> Router {
    Router::new()
        .route("/", get(async || Html(include_str!("../page/index.html"))))
        .route("/websocket", get(socket::upgrade))
        .route("/websocket/", get(socket::upgrade))
        .nest("/_sim", control::router().merge(stream::router()))
        .fallback(call)
        .with_state(front)
}

async fn call(State(front): State<Front>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_BYTES_MAX).await else {
        return control::error(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large or broke off");
    };
    let base = format!("{}://{}", front.scheme, text(&parts.headers, &HOST).unwrap_or("127.0.0.1"));
    let call = Call {
        method: parts.method.as_str(),
        path: parts.uri.path(),
        authorization: text(&parts.headers, &AUTHORIZATION),
        base: &base,
        body: &body,
    };
    let answer = front.hub.drive(|model, now| model.call(&call, now));
    respond(answer).await
}

/// Sends an answer of the model, when its time has come.
pub(super) async fn respond(answer: Answer) -> Response {
    sleep(Duration::from_millis(answer.delay_ms)).await;
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    if response_has_body(answer.status) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    }
    if let Ok(trace_id) = HeaderValue::from_str(&answer.trace_id) {
        headers.insert("X-Tps-trace-ID", trace_id);
    }
    response
}

fn response_has_body(status: u16) -> bool {
    status != 204
}

fn text<'a>(headers: &'a HeaderMap, name: &axum::http::HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
