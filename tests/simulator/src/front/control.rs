//! The control API under `/_sim`: JSON in, JSON out, a clear error for anything else.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use axum::routing::{get, patch, post};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::http::Front;
use crate::model::{Act, ControlError, Group, InvalidSession, MentionAs, Record, Say};

/// Bytes of a JSON body.
const JSON_BYTES_MAX: usize = 1024 * 1024;

/// Bytes of a raw frame: enough for the largest that any client should have to refuse.
const FRAME_BYTES_MAX: usize = 128 * 1024 * 1024;

pub(super) fn router() -> Router<Front> {
    Router::new()
        .route("/groups/{group}/say", post(say))
        .route("/groups/{group}", patch(change_group))
        .route("/users/{user}/say", post(say_alone))
        .route("/emit", post(emit))
        .route("/push", post(push))
        .route("/faults", get(faults).patch(patch_faults))
        .route("/actions/{name}", post(act))
        .route("/posted", get(posted))
        .route("/records", get(records))
        .route("/state", get(state))
        .route("/status", post(status))
        .route("/game/events", post(game_event))
        .route("/game/say", post(game_say))
        .method_not_allowed_fallback(async || error(StatusCode::METHOD_NOT_ALLOWED, "this path takes another method"))
        .fallback(async || error(StatusCode::NOT_FOUND, "the control API has no such path"))
}

/// A failure as the control API words it: `{"error": …}`.
pub(super) fn error(status: StatusCode, text: &str) -> Response {
    answer(status, &json!({"error": text}))
}

type Answered = Result<Response, Response>;

type Asked<T> = Result<Query<T>, QueryRejection>;

async fn say(State(front): State<Front>, Path(group): Path<String>, request: Request) -> Answered {
    let words: Say = read_json(request).await?;
    let pushed_unix_ms = unix_ms();
    let said = front.hub.drive(|model, now| model.say(&group, &words, now)).map_err(refuse)?;
    let mut body = json!(said);
    body["pushed_unix_ms"] = json!(pushed_unix_ms);
    if !said.visible {
        body["note"] = json!("the group is not in full mode, so the bot does not see a message without a mention");
    }
    Ok(ok(&body))
}

/// The machine's time in milliseconds with their fractions, for whoever measures how long a push is under way.
fn unix_ms() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64() * 1_000.0
}

async fn say_alone(State(front): State<Front>, Path(user): Path<String>, request: Request) -> Answered {
    let words: Say = read_json(request).await?;
    let said = front.hub.drive(|model, now| model.say_alone(&user, &words, now)).map_err(refuse)?;
    Ok(ok(&json!(said)))
}

/// The rights of a group that can change while the platform runs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupPatch {
    full_mode: Option<bool>,
    mention_as: Option<MentionAs>,
    proactive: Option<bool>,
    muted: Option<bool>,
    bot_is_member: Option<bool>,
}

impl GroupPatch {
    fn apply(&self, group: &mut Group) {
        let set = |place: &mut bool, value: Option<bool>| *place = value.unwrap_or(*place);
        set(&mut group.full_mode, self.full_mode);
        group.mention_as = self.mention_as.unwrap_or(group.mention_as);
        set(&mut group.proactive, self.proactive);
        set(&mut group.muted, self.muted);
        set(&mut group.bot_is_member, self.bot_is_member);
    }
}

async fn change_group(State(front): State<Front>, Path(group): Path<String>, request: Request) -> Answered {
    let change: GroupPatch = read_json(request).await?;
    if !front.hub.drive(|model, _| model.change_group(&group, |known| change.apply(known))) {
        return Err(refuse(ControlError::NotFound(format!("group {group}"))));
    }
    Ok(ok(&json!({})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Emit {
    name: String,
    d: Value,
}

async fn emit(State(front): State<Front>, request: Request) -> Answered {
    let event: Emit = read_json(request).await?;
    let (event_id, s) = front.hub.drive(|model, now| model.emit(&event.name, &event.d, now)).map_err(refuse)?;
    Ok(ok(&json!({"event_id": event_id, "s": s})))
}

#[derive(Deserialize)]
struct PushQuery {
    #[serde(default)]
    binary: bool,
}

async fn push(State(front): State<Front>, query: Asked<PushQuery>, request: Request) -> Answered {
    let binary = read_query(query).map_err(refuse)?.binary;
    let bytes = read_bytes(request, FRAME_BYTES_MAX).await?;
    let s = front.hub.drive(|model, now| model.push_raw(&bytes, binary, now)).map_err(refuse)?;
    Ok(ok(&json!({"s": s})))
}

async fn faults(State(front): State<Front>) -> Response {
    ok(&front.hub.drive(|model, _| model.faults().list()))
}

async fn patch_faults(State(front): State<Front>, request: Request) -> Answered {
    let changes: Value = read_json(request).await?;
    let active = front.hub.drive(|model, now| {
        let actions = model.patch_faults(&changes, now)?;
        model.requeue(actions);
        Ok(model.faults().active())
    });
    Ok(ok(&json!({"active": active.map_err(refuse)?})))
}

#[derive(Deserialize)]
struct ActQuery {
    code: Option<u16>,
    d: Option<String>,
    seconds: Option<u64>,
}

async fn act(State(front): State<Front>, Path(name): Path<String>, query: Asked<ActQuery>) -> Answered {
    let act = read_query(query).and_then(|query| read_act(&name, &query)).map_err(refuse)?;
    front.hub.act(|model, now| model.act(&act, now));
    Ok(ok(&json!({})))
}

fn read_act(name: &str, query: &ActQuery) -> Result<Act, ControlError> {
    let invalid = |text: &str| ControlError::Invalid(text.to_owned());
    match name {
        "cut" => Ok(Act::Cut),
        "close" => match query.code {
            Some(code @ (1000..=1003 | 1007..=1014 | 3000..=4999)) => Ok(Act::Close(code)),
            Some(_) | None => Err(invalid("close wants ?code= with a code that may be sent, such as 4009")),
        },
        "revoke_token" => Ok(Act::RevokeToken),
        "op7" => Ok(Act::Op7),
        "op9" => {
            let d = query.d.as_deref().unwrap_or("false");
            let d = InvalidSession::parse(d).ok_or_else(|| invalid("op9 wants ?d=true, false or absent"))?;
            Ok(Act::Op9(d))
        }
        "rate_limit_address" => Ok(Act::RateLimitAddress { seconds: query.seconds.unwrap_or(60) }),
        "forget_sessions" => Ok(Act::ForgetSessions),
        "heartbeat_request" => Ok(Act::HeartbeatRequest),
        "heal" => Ok(Act::Heal),
        _ => Err(ControlError::NotFound(format!("action {name}"))),
    }
}

async fn posted(State(front): State<Front>) -> Response {
    ok(&front.hub.drive(|model, _| json!(model.posted())))
}

async fn records(State(front): State<Front>) -> Response {
    let records: Vec<Record> = front.hub.drive(|model, _| model.records().cloned().collect());
    ok(&json!(records))
}

async fn state(State(front): State<Front>) -> Response {
    ok(&front.hub.drive(|model, now| json!(model.state(now))))
}

/// The bot's own status, passed on to the page as it is.
async fn status(State(front): State<Front>, request: Request) -> Answered {
    let status: Value = read_json(request).await?;
    if !status.is_object() {
        return Err(error(StatusCode::BAD_REQUEST, "a status is a JSON object"));
    }
    front.hub.tell(&json!({"type": "status", "status": status}));
    *front.game.status.lock().await = Some(status);
    Ok(ok(&json!({})))
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum GameEventKind {
    Chat,
    Join,
    Leave,
    System,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GameEvent {
    #[serde(rename = "type")]
    kind: GameEventKind,
    player: Option<String>,
    text: String,
}

async fn game_event(State(front): State<Front>, request: Request) -> Answered {
    let event: GameEvent = read_json(request).await?;
    let kind = match event.kind {
        GameEventKind::Chat => "chat",
        GameEventKind::Join => "join",
        GameEventKind::Leave => "leave",
        GameEventKind::System => "system",
    };
    front.hub.tell(&json!({"type": "game", "kind": kind, "player": event.player, "text": event.text}));
    Ok(ok(&json!({})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GameLine {
    text: String,
}

async fn game_say(State(front): State<Front>, request: Request) -> Answered {
    let line: GameLine = read_json(request).await?;
    if !front.game.say(&line.text) {
        return Err(error(StatusCode::CONFLICT, "no player client is attached"));
    }
    Ok(ok(&json!({})))
}

fn read_query<T>(query: Asked<T>) -> Result<T, ControlError> {
    match query {
        Ok(Query(query)) => Ok(query),
        Err(problem) => Err(ControlError::Invalid(problem.body_text())),
    }
}

async fn read_json<T: DeserializeOwned>(request: Request) -> Result<T, Response> {
    let bytes = read_bytes(request, JSON_BYTES_MAX).await?;
    serde_json::from_slice(&bytes).map_err(|problem| error(StatusCode::BAD_REQUEST, &format!("the body is not as expected: {problem}")))
}

async fn read_bytes(request: Request, bytes_max: usize) -> Result<Vec<u8>, Response> {
    match to_bytes(request.into_body(), bytes_max).await {
        Ok(bytes) => Ok(bytes.to_vec()),
        Err(_) => Err(error(StatusCode::PAYLOAD_TOO_LARGE, &format!("the body broke off or has more than {bytes_max} bytes"))),
    }
}

fn refuse(problem: ControlError) -> Response {
    let status = match &problem {
        ControlError::NotFound(_) => StatusCode::NOT_FOUND,
        ControlError::Invalid(_) => StatusCode::BAD_REQUEST,
        ControlError::Offline => StatusCode::CONFLICT,
    };
    error(status, &problem.to_string())
}

fn ok(body: &Value) -> Response {
    answer(StatusCode::OK, body)
}

fn answer(status: StatusCode, body: &Value) -> Response {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, axum::http::HeaderValue::from_static("application/json"));
    response
}
