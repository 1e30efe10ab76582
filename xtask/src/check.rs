//! The scripted round trip of `demo --check`.

use std::thread;
use std::time::{Duration, Instant};

use auk_end_to_end::{Artifacts, Failure, Minestom, Player, Post, Simulator, Stage};

use crate::demo::{CHECK_TICKS_PER_SECOND, Parts};
use crate::latency::Latency;
use crate::problem::Problem;
use crate::progress;

/// How long one line may be under way, most of it for a busy machine.
const LINE_LIMIT: Duration = Duration::from_secs(5);

/// Lines each way for the latencies.
const LATENCY_LINES: usize = 200;

/// Replies that one group message allows are 5 (QQ bot docs, server-inter/message/send-receive/send, 2026-07); one is left over for a
/// notice that comes in between.
const LINES_PER_TICKET: usize = 4;

/// Between the lines for the latency: the platform takes 100 messages a second (QQ bot docs, message overview, July 2026), and this
/// keeps well below, so that no line waits for that limit.
const LINE_PAUSE: Duration = Duration::from_millis(20);

/// The pauses before lines whose time is taken differ by multiples of this, which are spread evenly over the server's tick of 2 ms. Without
/// them the script would write at the same moment of the tick again and again, and measure that moment.
const SWAY: Duration = Duration::from_micros(730);

/// Characters that encodings break on: outside the basic plane, joined, and with a variation selector.
const DIFFICULT: &str = "𠀀𪚥 😀 👨‍👩‍👧 ❤️";

/// Goes through all steps and prints what both sides saw.
pub(crate) fn run(parts: &mut Parts) -> Result<(), Problem> {
    let missing = |what: &str| Problem::Environment(format!("the check needs {what}"));
    let simulator = parts.simulator.as_ref().ok_or_else(|| missing("the simulator"))?;
    let player = parts.player.as_mut().ok_or_else(|| missing("a player"))?;
    Script { simulator, server: &parts.server, artifacts: &parts.artifacts, player, asked: Vec::new(), posts: 0 }.run()
}

struct Script<'a> {
    simulator: &'a Simulator,
    server: &'a Minestom,
    artifacts: &'a Artifacts,
    player: &'a mut Player,
    /// The ids of the group's messages so far, which replies may name.
    asked: Vec<String>,
    /// Where the posts begin that no step has seen.
    posts: usize,
}

impl Script<'_> {
    fn run(&mut self) -> Result<(), Problem> {
        let begun = Instant::now();
        step("the server's start in the group", self.notice("生存服"))?;
        step("the player's coming in the group", self.notice("Steve"))?;
        step("member → player", self.member_to_player("早上好，服务器"))?;
        step("player → group, first reply", self.player_to_group("你好，群友"))?;
        step("player → group, second reply", self.player_to_group("今天挖到钻石了"))?;
        step("member → player, difficult characters", self.member_to_player(DIFFICULT))?;
        step("player → group, difficult characters", self.player_to_group(DIFFICULT))?;
        step("member asks who is online", self.who_is_online())?;
        step("another player comes and goes", self.come_and_go())?;
        println!("      the server ticks {CHECK_TICKS_PER_SECOND} times a second, and a line waits up to a tick at either end");
        step("latency, member → player", self.latency_to_player())?;
        step("latency, player → group", self.latency_to_group())?;
        progress::say(&format!("the check took {:.1} s", begun.elapsed().as_secs_f64()));
        Ok(())
    }

    fn member_to_player(&mut self, text: &str) -> Result<String, Failure> {
        let (line, time) = self.pass_to_player(text)?;
        Ok(format!("{} · the player saw: {line}", ms(time)))
    }

    /// Answers the line that the player saw, and how long it was under way.
    fn pass_to_player(&mut self, text: &str) -> Result<(String, Duration), Failure> {
        let from = self.player.process.stdout.count();
        let (msg_id, pushed_unix_ms) = self.simulator.control.say_timed(Stage::GROUP, "小明", text, false)?;
        self.asked.push(msg_id);
        let line = self.player.await_chat(text, from, LINE_LIMIT)?;
        Ok((line.text, Duration::from_secs_f64((line.seen_unix_ms - pushed_unix_ms).max(0.0) / 1_000.0)))
    }

    fn player_to_group(&mut self, text: &str) -> Result<String, Failure> {
        let begun = Instant::now();
        self.player.say(text)?;
        let post = self.next_post(text)?;
        self.simulator.expect_reply(&post, &self.asked)?;
        let time = post.at.saturating_duration_since(begun);
        Ok(format!("{} · the group saw: {} · a member's msg_id, msg_seq {}", ms(time), post.content, post.msg_seq))
    }

    fn who_is_online(&mut self) -> Result<String, Failure> {
        let begun = Instant::now();
        self.asked.push(self.simulator.control.say(Stage::GROUP, "小明", "查在线", true)?);
        let post = self.next_post("Steve")?;
        Ok(format!("{} · the group saw: {}", ms(post.at.saturating_duration_since(begun)), post.content))
    }

    fn come_and_go(&mut self) -> Result<String, Failure> {
        let guest = Player::join(self.artifacts, self.server, "Alex")?;
        let came = self.notice("Alex")?;
        guest.quit()?;
        Ok(format!("{came} · then: {}", self.notice("Alex")?))
    }

    fn notice(&mut self, part: &str) -> Result<String, Failure> {
        Ok(format!("the group saw: {}", self.next_post(part)?.content))
    }

    fn latency_to_player(&mut self) -> Result<String, Failure> {
        let mut latency = Latency::default();
        for number in 0..LATENCY_LINES {
            thread::sleep(sway(number));
            latency.add(self.pass_to_player(&format!("第{number:03}条"))?.1);
        }
        Ok(latency.summary())
    }

    /// Each line is posted before the next is written, so that none is merged, and every fourth follows a fresh message to reply to.
    fn latency_to_group(&mut self) -> Result<String, Failure> {
        let mut latency = Latency::default();
        for number in 0..LATENCY_LINES {
            if number % LINES_PER_TICKET == 0 {
                self.pass_to_player(&format!("请讲{number:03}"))?;
            }
            thread::sleep(LINE_PAUSE + sway(number));
            let text = format!("回{number:03}");
            let begun = Instant::now();
            self.player.say(&text)?;
            latency.add(self.next_post(&text)?.at.saturating_duration_since(begun));
        }
        Ok(latency.summary())
    }

    /// The next post with `part`, after those that were seen.
    fn next_post(&mut self, part: &str) -> Result<Post, Failure> {
        let post = self.simulator.await_post(part, self.posts, LINE_LIMIT)?;
        self.posts = post.next;
        Ok(post)
    }
}

fn step(name: &str, outcome: Result<String, Failure>) -> Result<(), Problem> {
    match outcome {
        Ok(seen) => {
            println!("ok    {name}: {seen}");
            Ok(())
        }
        Err(failure) => {
            println!("FAILED {name}: {failure}");
            Err(Problem::Check { step: name.to_owned(), what: failure.to_string() })
        }
    }
}

/// The pause before the line `number`: 0 to 10 times [`SWAY`], each once in eleven lines.
fn sway(number: usize) -> Duration {
    SWAY * (number * 7 % 11) as u32
}

fn ms(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1000.0)
}
