//! The simulated QQ platform as a process.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Artifacts, Control, Failure, Output, Process};

/// A message that the bot posted to a group.
#[derive(Debug, Clone)]
pub struct Post {
    /// When this process learnt of it.
    pub at: Instant,
    /// Its text.
    pub content: String,
    /// The message that it replies to.
    pub msg_id: Option<String>,
    /// Its number among the replies to that message.
    pub msg_seq: i64,
    /// Where to go on looking for the next one.
    pub next: usize,
}

/// A running simulator.
#[derive(Debug)]
pub struct Simulator {
    /// Its process.
    pub process: Process,
    /// The address of its plain HTTP front, such as `http://127.0.0.1:40000`.
    pub base: String,
    /// The address of the group's page.
    pub page: String,
    /// Its control API.
    pub control: Control,
    events: Output,
}

impl Simulator {
    /// Starts one; `arguments` go to the program as they are.
    ///
    /// # Errors
    ///
    /// When it does not say its address within 10 s.
    pub fn start(artifacts: &Artifacts, arguments: &[String]) -> Result<Self, Failure> {
        let mut command = Command::new(&artifacts.simulator);
        command.arg("--until-stdin-ends").args(arguments);
        let mut process = Process::start("simulator", &mut command)?;
        let base = process.await_line("its address", 0, Duration::from_secs(10), |line| {
            let value: Value = serde_json::from_str(line).ok()?;
            Some(value.get("base")?.as_str()?.to_owned())
        })?;
        let control = Control::new(&base);
        let page = format!("{base}/");
        let events = control.watch()?;
        Ok(Self { process, base, page, control, events })
    }

    /// Waits for a post whose text holds `part`, among those from `from` on: 0, or an earlier post's [`Post::next`].
    ///
    /// # Errors
    ///
    /// [`Failure::Late`] when there is none within `limit`.
    pub fn await_post(&self, part: &str, from: usize, limit: Duration) -> Result<Post, Failure> {
        let found = self.events.wait(from, limit, |line| posted(line).filter(|post| text(post, "content").contains(part)));
        let (index, line, post) = found.ok_or_else(|| Failure::Late { awaited: format!("a group message with {part:?}"), limit })?;
        Ok(Post {
            at: line.at,
            content: text(&post, "content").to_owned(),
            msg_id: post["msg_id"].as_str().map(str::to_owned),
            msg_seq: post["msg_seq"].as_i64().unwrap_or_default(),
            next: index + 1,
        })
    }

    /// Checks that `post` replies to one of the messages `asked`, with the next number among the replies to it: 1, 2, …
    ///
    /// # Errors
    ///
    /// When it is no reply, a reply to something else, or has another number.
    pub fn expect_reply(&self, post: &Post, asked: &[String]) -> Result<(), Failure> {
        let lines = self.events.since(0);
        let posts = lines.iter().take(post.next).filter_map(|line| posted(&line.text));
        let number = posts.filter(|earlier| earlier["msg_id"].as_str() == post.msg_id.as_deref()).count();
        let known = post.msg_id.as_ref().is_some_and(|msg_id| asked.contains(msg_id));
        if known && usize::try_from(post.msg_seq) == Ok(number) {
            return Ok(());
        }
        let problem = format!("{post:?} is not reply {number} to one of {asked:?}");
        Err(Failure::Control { path: "events".to_owned(), problem })
    }

    /// Where a search begins that is to find only what comes after this call.
    pub fn now(&self) -> usize {
        self.events.count()
    }
}

/// The message in a line of the event stream, when the line is about one.
fn posted(line: &str) -> Option<Value> {
    let mut event: Value = serde_json::from_str(line.strip_prefix("data: ")?).ok()?;
    (event["type"] == "posted").then(|| event["post"].take())
}

fn text<'a>(post: &'a Value, field: &str) -> &'a str {
    post[field].as_str().unwrap_or_default()
}
