//! The simulator's control API, as `tests/simulator` offers it below `/_sim/`.

use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

use serde_json::{Value, json};

use crate::{Failure, Output};

/// A client of the control API.
#[derive(Debug, Clone)]
pub struct Control {
    base: String,
    agent: ureq::Agent,
}

impl Control {
    /// A client for the simulator at `base`, such as `http://127.0.0.1:40000`.
    pub fn new(base: &str) -> Self {
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_connect(Some(Duration::from_secs(2)));
        Self { base: base.to_owned(), agent: config.build().into() }
    }

    /// A member writes in a group, with the bot mentioned when `at` is set. Answers the message's id.
    ///
    /// # Errors
    ///
    /// When the simulator refuses.
    pub fn say(&self, group: &str, member: &str, text: &str, at: bool) -> Result<String, Failure> {
        self.say_timed(group, member, text, at).map(|(msg_id, _)| msg_id)
    }

    /// The same, with the moment at which the platform pushed the message, in ms of the machine's clock.
    ///
    /// # Errors
    ///
    /// When the simulator refuses.
    pub fn say_timed(&self, group: &str, member: &str, text: &str, at: bool) -> Result<(String, f64), Failure> {
        let path = format!("groups/{group}/say");
        let said = self.post(&path, &json!({ "member": member, "text": text, "at": at }))?;
        let read = || Some((said["msg_id"].as_str()?.to_owned(), said["pushed_unix_ms"].as_f64()?));
        read().ok_or_else(|| refused(&path, &format!("no msg_id or no time in {said}")))
    }

    /// Every message that the bot has posted, in order.
    ///
    /// # Errors
    ///
    /// When the simulator does not answer.
    pub fn posted(&self) -> Result<Vec<Value>, Failure> {
        let posted = self.get("posted")?;
        posted.as_array().cloned().ok_or_else(|| refused("posted", &format!("not a list: {posted}")))
    }

    /// Every thing that happens on the platform from this call on, as lines of server-sent events.
    ///
    /// # Errors
    ///
    /// When the stream cannot be opened.
    pub fn watch(&self) -> Result<Output, Failure> {
        self.open("events").map(Output::read)
    }

    /// What the platform counts: sessions, connections, tallies of requests.
    ///
    /// # Errors
    ///
    /// When the simulator does not answer.
    pub fn state(&self) -> Result<Value, Failure> {
        self.get("state")
    }

    /// Does something to the platform at once, such as `cut` or `op7`.
    ///
    /// # Errors
    ///
    /// When the simulator does not know it.
    pub fn act(&self, action: &str) -> Result<Value, Failure> {
        self.post(&format!("actions/{action}"), &json!({}))
    }

    /// Sends a text frame to the bot as it is, whatever it holds.
    ///
    /// # Errors
    ///
    /// When there is no live connection.
    pub fn push(&self, frame: &str) -> Result<Value, Failure> {
        answer("push", self.agent.post(self.url("push")).config().timeout_global(Some(CALL_LIMIT)).build().send(frame))
    }

    /// Hands the bot's own condition to the group page.
    ///
    /// # Errors
    ///
    /// When the simulator does not answer.
    pub fn show_status(&self, status: &Value) -> Result<Value, Failure> {
        self.post("status", status)
    }

    /// Shows on the group page what a player saw: `type` is `chat`, `join`, `leave` or `system`, `player` may be null, `text` is the line.
    ///
    /// # Errors
    ///
    /// When the simulator does not answer.
    pub fn show_game_event(&self, event: &Value) -> Result<Value, Failure> {
        self.post("game/events", event)
    }

    /// Stands for a player's client: reads what is typed for it on the group page, one JSON command a line, and hands each to `obey` until
    /// that answers `false` or the simulator ends. Blocks meanwhile. Whenever a second was quiet, `obey` gets an empty line, so that it can
    /// tell that the client has gone.
    ///
    /// # Errors
    ///
    /// When the stream cannot be opened.
    pub fn follow_game_commands(&self, mut obey: impl FnMut(&str) -> bool) -> Result<(), Failure> {
        for line in BufReader::new(self.open("game/commands")?).lines() {
            match line {
                Ok(line) if obey(line.trim()) => {}
                Ok(_) | Err(_) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Says something in the game as the page does.
    ///
    /// # Errors
    ///
    /// When no player's client is attached, with status 409.
    pub fn say_in_game(&self, text: &str) -> Result<Value, Failure> {
        self.post("game/say", &json!({ "text": text }))
    }

    fn open(&self, path: &str) -> Result<impl Read + Send + 'static, Failure> {
        let response = self.agent.get(self.url(path)).call().map_err(|error| refused(path, &error.to_string()))?;
        Ok(response.into_body().into_reader())
    }

    fn get(&self, path: &str) -> Result<Value, Failure> {
        let call = self.agent.get(self.url(path)).config().timeout_global(Some(CALL_LIMIT)).build().call();
        answer(path, call)
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        let call = self.agent.post(self.url(path)).config().timeout_global(Some(CALL_LIMIT)).build().send_json(body);
        answer(path, call)
    }

    fn url(&self, path: &str) -> String {
        format!("{}/_sim/{path}", self.base)
    }
}

/// The simulator is on this machine; what takes longer is stuck.
const CALL_LIMIT: Duration = Duration::from_secs(10);

fn answer(path: &str, call: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value, Failure> {
    let mut response = call.map_err(|error| refused(path, &error.to_string()))?;
    let status = response.status();
    let text = response.body_mut().read_to_string().map_err(|error| refused(path, &error.to_string()))?;
    if !status.is_success() {
        return Err(refused(path, &format!("{status}: {text}")));
    }
    if text.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(&text).map_err(|error| refused(path, &error.to_string()))
}

fn refused(path: &str, problem: &str) -> Failure {
    Failure::Control { path: path.to_owned(), problem: problem.to_owned() }
}
