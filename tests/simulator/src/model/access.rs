//! The two calls before a connection: the access token and the gateway's address.

use serde_json::{Value, json};

use super::answer::{self, Answer, Failure};
use super::clock::Millis;
use super::platform::OpenPlatform;
use super::record::Seen;

impl OpenPlatform {
    /// `POST /app/getAppAccessToken` with these two values. A failure is HTTP 200 with `code` and `message`
    /// (QQ bot docs, dev-prepare/access-token, July 2026).
    pub fn token_request(&mut self, app_id: &str, secret: &str, now: Millis) -> Answer {
        self.counters.token_requests.count(now);
        let mut answer = match self.token_answer(app_id, secret, now) {
            Ok(body) => Answer::ok(&body, self.ids.trace()),
            Err(failure) => {
                let body = json!({"code": failure.code, "message": failure.message});
                Answer { code: failure.code, ..Answer::ok(&body, self.ids.trace()) }
            }
        };
        if let Some(status) = self.faults.token_status {
            answer.status = status;
        }
        if let Some(body) = &self.faults.token_body {
            answer.body = body.clone().into_bytes();
        }
        let seen = Seen::TokenRequest { app_id: app_id.to_owned(), status: answer.status, code: answer.code };
        self.records.note(now, seen);
        self.notice(|| json!({"type": "token_request", "at_ms": now, "status": answer.status, "code": answer.code}));
        answer.after(self.faults.token_hang_ms)
    }

    /// `GET /gateway` with the header `Authorization`; the address follows `base`, `ws` for `http` and `wss` for `https`.
    pub fn address_request(&mut self, authorization: Option<&str>, base: &str, now: Millis) -> Answer {
        self.lookup(false, authorization, base, now)
    }

    /// `GET /gateway/bot`, which also tells the session starts that are left.
    pub fn bot_address_request(&mut self, authorization: Option<&str>, base: &str, now: Millis) -> Answer {
        self.lookup(true, authorization, base, now)
    }

    pub(super) fn read_token_request(&mut self, body: &[u8], now: Millis) -> Answer {
        let body: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        let text = |key: &str| body[key].as_str().unwrap_or("").to_owned();
        self.token_request(&text("appId"), &text("clientSecret"), now)
    }

    fn token_answer(&mut self, app_id: &str, secret: &str, now: Millis) -> Result<Value, Failure> {
        if let Some(code) = self.faults.token_code {
            return Err(Failure::new(code, token_message(code)));
        }
        let failure = |code| Err(Failure::new(code, token_message(code)));
        if !self.token_requests.try_take(now) {
            return failure(100_001);
        }
        if self.faults.deleted {
            return failure(10_004);
        }
        if self.faults.banned || app_id != self.settings.app_id {
            return failure(100_007);
        }
        if secret != self.settings.secret {
            return failure(100_016);
        }
        let grant = self.tokens.grant(self.faults.same_dead_token, &mut self.ids, now);
        let expires_in = if self.settings.expires_in_as_number { json!(grant.expires_in_s) } else { json!(grant.expires_in_s.to_string()) };
        Ok(json!({"access_token": grant.token, "expires_in": expires_in}))
    }

    fn lookup(&mut self, bot: bool, authorization: Option<&str>, base: &str, now: Millis) -> Answer {
        self.counters.lookups.count(now);
        let mut answer = match self.lookup_answer(bot, authorization, base, now) {
            Ok(answer) => answer,
            Err(failure) => self.refuse(&failure),
        };
        if let Some(status) = self.faults.address_status {
            answer.status = status;
        }
        if let Some(body) = &self.faults.address_body {
            answer.body = body.clone().into_bytes();
        }
        let seen = Seen::Lookup { bot, authorization: authorization.map(str::to_owned), status: answer.status, code: answer.code };
        self.records.note(now, seen);
        self.notice(|| json!({"type": "lookup", "at_ms": now, "status": answer.status, "code": answer.code}));
        answer.after(self.faults.address_hang_ms)
    }

    fn lookup_answer(&mut self, bot: bool, authorization: Option<&str>, base: &str, now: Millis) -> Result<Answer, Failure> {
        if self.faults.address_html || self.faults.html_502 {
            return Ok(Answer::html_502(self.ids.trace()));
        }
        self.check_caller(authorization, now)?;
        if self.faults.address_unauthorized {
            return Err(answer::token_expired());
        }
        let bucket = if bot { &mut self.bot_lookups } else { &mut self.lookups };
        let fits = bucket.try_take(now);
        if !fits || self.faults.address_rate_limited || now < self.lookups_refused_until {
            return Err(answer::rate_limited());
        }
        let mut body = json!({"url": self.address(base)});
        if bot {
            body["shards"] = json!(1);
            body["session_start_limit"] = json!({
                "total": self.settings.session_starts_per_day,
                "remaining": self.session_starts.room(now),
                "reset_after": self.session_starts.resets_in_ms(now),
                "max_concurrency": 1,
            });
        }
        Ok(Answer::ok(&body, self.ids.trace()))
    }

    fn address(&self, base: &str) -> String {
        if let Some(url) = &self.faults.address_url {
            return url.clone();
        }
        let slash = if self.settings.address_trailing_slash { "/" } else { "" };
        let base = base.replacen("http", "ws", 1);
        format!("{base}/websocket{slash}")
    }
}

/// The literal messages of the token endpoint (same page).
fn token_message(code: i64) -> &'static str {
    match code {
        100_001 => "Too many requests",
        100_007 => "appid invalid",
        100_016 => "invalid appid or secret",
        10_004 => "机器人不存在",
        _ => "simulated failure",
    }
}
