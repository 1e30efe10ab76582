//! Answers that stay open: server-sent events for the page, commands for a game client.

use std::convert::Infallible;
use std::future::ready;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use axum::routing::get;
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

use super::http::Front;

/// A quiet stream says so this often, so that a dead reader is noticed.
const QUIET: Duration = Duration::from_secs(10);

/// The same for a game client, which looks at such a line whether its player is still there.
const QUIET_GAME: Duration = Duration::from_secs(1);

pub(super) fn router() -> Router<Front> {
    Router::new().route("/events", get(events)).route("/game/commands", get(commands))
}

/// First a snapshot, then every notice.
async fn events(State(front): State<Front>) -> Response {
    let (history, notices) = front.hub.watch();
    let snapshot = snapshot(&front, &history).await;
    let rest = stream::unfold(notices, async |mut notices| {
        let line = match timeout(QUIET, notices.recv()).await {
            Ok(Ok(notice)) => format!("data: {notice}\n\n"),
            Ok(Err(RecvError::Lagged(missed))) => format!("data: {}\n\n", json!({"type": "missed", "count": missed})),
            Ok(Err(RecvError::Closed)) => return None,
            Err(_) => ": quiet\n\n".to_owned(),
        };
        Some((line, notices))
    });
    let first = stream::once(ready(format!("data: {snapshot}\n\n")));
    open_ended("text/event-stream", first.chain(rest))
}

/// One JSON object a line; an empty line whenever a second was quiet.
async fn commands(State(front): State<Front>) -> Response {
    let listener = front.game.listen(&front.hub);
    let lines = stream::unfold(listener, async |mut listener| {
        let line = match timeout(QUIET_GAME, listener.commands.recv()).await {
            Ok(Ok(command)) => format!("{command}\n"),
            Ok(Err(RecvError::Lagged(missed))) => format!("{}\n", json!({"type": "missed", "count": missed})),
            Ok(Err(RecvError::Closed)) => return None,
            Err(_) => "\n".to_owned(),
        };
        Some((line, listener))
    });
    open_ended("application/x-ndjson", lines)
}

async fn snapshot(front: &Front, history: &[Value]) -> String {
    let (state, faults, groups, bot) = front.hub.drive(|model, now| {
        let groups: Vec<_> = model.settings().groups.iter().map(|group| json!({"openid": group.openid, "name": group.name})).collect();
        (model.state(now), model.faults().active(), groups, model.settings().bot_name.clone())
    });
    let status = front.game.status.lock().await.clone();
    let snapshot = json!({
        "type": "snapshot", "state": state, "faults": faults, "bot": bot, "groups": groups, "history": history,
        "status": status, "game_attached": front.game.attached(),
    });
    snapshot.to_string()
}

fn open_ended(content_type: &'static str, lines: impl Stream<Item = String> + Send + 'static) -> Response {
    let bytes = lines.map(|line| Ok::<_, Infallible>(Bytes::from(line)));
    let mut response = Response::new(Body::from_stream(bytes));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
