//! The HTTP side: which call is which, and who may make it.

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::answer::{self, Answer, Failure};
use super::clock::Millis;
use super::platform::OpenPlatform;
use super::record::Seen;
use super::ticket::Scene;
use super::token::Verdict;

/// An HTTP call as the platform reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call<'a> {
    /// Method in capital letters.
    pub method: &'a str,
    /// Path, percent-encoded, without the query.
    pub path: &'a str,
    /// Header `Authorization`.
    pub authorization: Option<&'a str>,
    /// Scheme and host the call was sent to, such as `http://127.0.0.1:8080`; addresses handed out follow it.
    pub base: &'a str,
    /// The body.
    pub body: &'a [u8],
}

/// The calls besides token and look-up.
enum Endpoint {
    Post(Scene),
    Recall(Scene, String),
    File(Scene),
    Prepare(Scene),
    FinishPart(Scene),
    Put(String, u64),
    Me,
    Interaction(String),
}

impl OpenPlatform {
    /// Answers any HTTP call of the platform. Actions that follow are in [`OpenPlatform::take_actions`].
    pub fn call(&mut self, call: &Call<'_>, now: Millis) -> Answer {
        match (call.method, call.path.trim_end_matches('/')) {
            ("POST", "/app/getAppAccessToken") => self.read_token_request(call.body, now),
            ("GET", "/gateway") => self.address_request(call.authorization, call.base, now),
            ("GET", "/gateway/bot") => self.bot_address_request(call.authorization, call.base, now),
            (method, path) => {
                let answer = self.other_call(call, path, now).unwrap_or_else(|failure| self.refuse(&failure));
                let seen = Seen::Api {
                    method: method.to_owned(),
                    path: path.to_owned(),
                    authorization: call.authorization.map(str::to_owned),
                    status: answer.status,
                    code: answer.code,
                };
                self.records.note(now, seen);
                answer
            }
        }
    }

    /// The checks of every authenticated call, in the platform's order.
    pub(super) fn check_caller(&mut self, authorization: Option<&str>, now: Millis) -> Result<(), Failure> {
        if self.faults.whitelist_refuses {
            return Err(answer::ip_not_in_whitelist());
        }
        if self.faults.deleted {
            return Err(answer::bot_deleted());
        }
        if self.faults.banned {
            return Err(answer::bot_banned());
        }
        let authorization = authorization.unwrap_or("");
        if authorization.starts_with("Bot ") {
            return Err(answer::token_legacy());
        }
        let Some(token) = authorization.strip_prefix("QQBot ") else {
            return Err(answer::token_missing());
        };
        match self.tokens.judge(token, now) {
            Verdict::Good => Ok(()),
            Verdict::Dead => Err(answer::token_expired()),
            Verdict::Unknown => Err(answer::token_wrong()),
        }
    }

    pub(super) fn refuse(&mut self, failure: &Failure) -> Answer {
        Answer::failure(failure, self.settings.failures_as_http_200, self.ids.trace())
    }

    fn other_call(&mut self, call: &Call<'_>, path: &str, now: Millis) -> Result<Answer, Failure> {
        let endpoint = endpoint(call.method, path)?;
        if let Endpoint::Put(upload, index) = &endpoint {
            // A presigned address carries no token.
            self.files.put(upload, *index, call.body)?;
            return Ok(Answer::ok(&json!({}), self.ids.trace()));
        }
        if self.faults.html_502 {
            return Ok(Answer::html_502(self.ids.trace()));
        }
        self.check_caller(call.authorization, now)?;
        let body = self.run(endpoint, call, now)?;
        Ok(match body {
            Done::Answer(answer) => answer,
            Done::Body(body) => Answer::ok(&body, self.ids.trace()),
            Done::Nothing => Answer::no_content(self.ids.trace()),
        })
    }

    fn run(&mut self, endpoint: Endpoint, call: &Call<'_>, now: Millis) -> Result<Done, Failure> {
        match endpoint {
            Endpoint::Post(scene) => self.counted_post(&scene, call.body, now).map(Done::Answer),
            Endpoint::Recall(scene, id) => self.recall(&scene, &id, now).map(|()| Done::Body(json!({}))),
            Endpoint::File(scene) => self.store_file(&scene, call.body, now).map(Done::Body),
            Endpoint::Prepare(scene) => {
                self.check_reach(&scene)?;
                self.files.prepare(&scene, call.body, call.base, &mut self.ids).map(Done::Body)
            }
            Endpoint::FinishPart(scene) => self.files.finish(&scene, call.body).map(Done::Body),
            Endpoint::Me => Ok(Done::Body(self.me())),
            Endpoint::Interaction(id) => self.acknowledge(&id, call.body).map(|()| Done::Nothing),
            Endpoint::Put(..) => unreachable!("blocks are put before the caller is checked"),
        }
    }

    fn counted_post(&mut self, scene: &Scene, body: &[u8], now: Millis) -> Result<Answer, Failure> {
        self.counters.posts.count(now);
        let posted = self.post(scene, body, now);
        if let Err(failure) = &posted {
            self.notice(|| json!({"type": "post_failed", "at_ms": now, "status": failure.status, "code": failure.err_code, "message": failure.message}));
        }
        posted
    }

    fn store_file(&mut self, scene: &Scene, body: &[u8], now: Millis) -> Result<Value, Failure> {
        self.check_reach(scene)?;
        let stored = self.files.store(scene, body, &mut self.ids, now)?;
        let mut body = stored.body;
        if stored.send {
            body["id"] = json!(self.post_file(scene, now)?);
        }
        Ok(body)
    }

    fn me(&self) -> Value {
        json!({"id": self.settings.bot_id, "username": self.settings.bot_name, "avatar": "", "bot": true, "union_openid": ""})
    }

    /// An interaction is acknowledged once; how the platform answers another time is not documented.
    fn acknowledge(&mut self, id: &str, body: &[u8]) -> Result<(), Failure> {
        let body: Value = serde_json::from_slice(body).map_err(|error| answer::invalid_body(&error.to_string()))?;
        if !body["code"].as_i64().is_some_and(|code| (0..=5).contains(&code)) {
            return Err(answer::invalid_body("code is a number from 0 to 5"));
        }
        match self.interactions.get_mut(id) {
            Some(done) if !*done => *done = true,
            Some(_) | None => return Err(Failure::new(11_255, "invalid request")),
        }
        Ok(())
    }
}

enum Done {
    Answer(Answer),
    Body(Value),
    Nothing,
}

/// 404 for a path that is no call, 405 for one that takes another method.
fn endpoint(method: &str, path: &str) -> Result<Endpoint, Failure> {
    let pieces: Vec<String> = path.split('/').skip(1).map(decode).collect::<Result<_, _>>()?;
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let (wanted, endpoint) = match pieces.as_slice() {
        ["v2", kind @ ("groups" | "users"), id, rest @ ..] => scene_endpoint(scene(kind, id), rest)?,
        ["users", "@me"] => ("GET", Endpoint::Me),
        ["interactions", id] => ("PUT", Endpoint::Interaction((*id).to_owned())),
        ["_upload", upload, index] => {
            let index = index.parse().map_err(|_| no_such_call())?;
            ("PUT", Endpoint::Put((*upload).to_owned(), index))
        }
        ["gateway"] | ["gateway", "bot"] | ["app", "getAppAccessToken"] => return Err(wrong_method()),
        _ => return Err(no_such_call()),
    };
    if method == wanted { Ok(endpoint) } else { Err(wrong_method()) }
}

fn scene_endpoint(scene: Scene, rest: &[&str]) -> Result<(&'static str, Endpoint), Failure> {
    match rest {
        ["messages"] => Ok(("POST", Endpoint::Post(scene))),
        ["messages", id] => Ok(("DELETE", Endpoint::Recall(scene, (*id).to_owned()))),
        ["files"] => Ok(("POST", Endpoint::File(scene))),
        ["upload_prepare"] => Ok(("POST", Endpoint::Prepare(scene))),
        ["upload_part_finish"] => Ok(("POST", Endpoint::FinishPart(scene))),
        _ => Err(no_such_call()),
    }
}

fn scene(kind: &str, id: &str) -> Scene {
    if kind == "groups" { Scene::Group(id.to_owned()) } else { Scene::User(id.to_owned()) }
}

fn decode(piece: &str) -> Result<String, Failure> {
    let text = percent_decode_str(piece).decode_utf8().map_err(|_| no_such_call())?;
    Ok(text.into_owned())
}

fn no_such_call() -> Failure {
    Failure::with(404, 404, 404, "no such API")
}

fn wrong_method() -> Failure {
    Failure::with(405, 405, 405, "method not allowed")
}
