//! What the bot posts: the checks in the platform's order, and the message that people then see.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::{Answer, Failure, invalid_body, rate_limited, unknown_openid};
use super::clock::{Millis, rfc3339_beijing};
use super::intent;
use super::platform::{Audit, OpenPlatform, Outgoing};
use super::session::Template;
use super::text;
use super::ticket::{Allowance, Claim, Scene};

/// A message of the bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Posted {
    /// When it was committed, in milliseconds since the platform's origin.
    pub at_ms: Millis,
    /// Its id.
    pub id: String,
    /// The group's openid, if it went to a group.
    pub group: Option<String>,
    /// The user's openid, if it went to a single chat.
    pub user: Option<String>,
    /// 0 text, 2 markdown, 3 ark, 6 typing notice, 7 media.
    pub msg_type: i64,
    /// The text, or the markdown's content.
    pub content: String,
    /// The message it replies to.
    pub msg_id: Option<String>,
    /// The event it replies to.
    pub event_id: Option<String>,
    /// Its number among the replies; 1 if the bot named none.
    pub msg_seq: i64,
    /// Whether it is a reply, which costs no proactive quota.
    pub passive: bool,
    /// Whether the platform lost it after answering 200.
    pub lost: bool,
    /// Whether the bot recalled it.
    pub recalled: bool,
}

/// The body of `POST …/messages` as far as the platform judges it.
#[derive(Debug, Deserialize)]
struct MessageRequest {
    #[serde(default)]
    msg_type: i64,
    #[serde(default)]
    content: String,
    markdown: Option<Value>,
    media: Option<Media>,
    ark: Option<Value>,
    input_notify: Option<Value>,
    msg_id: Option<String>,
    event_id: Option<String>,
    #[serde(default = "first_seq")]
    msg_seq: i64,
    #[serde(default)]
    is_wakeup: bool,
}

#[derive(Debug, Deserialize)]
struct Media {
    file_info: String,
}

fn first_seq() -> i64 {
    1
}

impl OpenPlatform {
    /// `POST …/messages`, after authentication.
    pub(super) fn post(&mut self, scene: &Scene, body: &[u8], now: Millis) -> Result<Answer, Failure> {
        if let Some(answer) = self.faulty_post_answer(now)? {
            return Ok(answer);
        }
        if !self.quotas.take_any(scene, now) {
            return Err(rate_limited());
        }
        self.check_reach(scene)?;
        let request: MessageRequest = serde_json::from_slice(body).map_err(|error| invalid_body(&error.to_string()))?;
        self.check_content(scene, &request, now)?;
        let claim = request.claim();
        match &claim {
            Some(claim) => self.tickets.check(claim, request.msg_seq, scene, self.allowance(scene), now)?,
            None => self.check_proactive(scene, now)?,
        }
        let post = self.commit(scene, &request, claim.as_ref(), now);
        let answer = if self.faults.audit_202 { self.audit(post, now) } else { self.show(post, now) };
        Ok(answer.after(self.faults.send_delay_after_commit_ms))
    }

    /// `POST …/files` with `srv_send_msg`: the file goes out as a proactive message.
    pub(super) fn post_file(&mut self, scene: &Scene, now: Millis) -> Result<String, Failure> {
        self.check_proactive(scene, now)?;
        let request = MessageRequest {
            msg_type: 7,
            content: String::new(),
            markdown: None,
            media: None,
            ark: None,
            input_notify: None,
            msg_id: None,
            event_id: None,
            msg_seq: 1,
            is_wakeup: false,
        };
        let post = self.commit(scene, &request, None, now);
        let id = post.id.clone();
        self.show(post, now);
        Ok(id)
    }

    /// `DELETE …/messages/{id}`: own messages, for two minutes.
    pub(super) fn recall(&mut self, scene: &Scene, id: &str, now: Millis) -> Result<(), Failure> {
        self.check_reach(scene)?;
        let window_ms = self.settings.recall_window_ms;
        let post = self.posted.iter_mut().find(|post| post.id == id && post.scene() == *scene && !post.recalled);
        let Some(post) = post else {
            return Err(Failure::new(40_061_002, "请求参数msgid无效"));
        };
        if now >= post.at_ms + window_ms {
            return Err(Failure::new(40_064_004, "已超出消息撤回时限"));
        }
        post.recalled = true;
        self.notice(|| json!({"type": "recalled", "at_ms": now, "id": id}));
        Ok(())
    }

    /// Whether the bot may speak in the scene at all.
    pub(super) fn check_reach(&self, scene: &Scene) -> Result<(), Failure> {
        if !self.knows(scene) {
            return Err(unknown_openid());
        }
        match scene {
            Scene::Group(openid) => {
                let group = self.group(openid);
                if self.faults.not_in_group || group.is_some_and(|group| !group.bot_is_member) {
                    return Err(Failure::new(40_054_003, "机器人不是群成员"));
                }
                if self.faults.muted || group.is_some_and(|group| group.muted) {
                    return Err(Failure::new(40_054_002, "机器人被禁言"));
                }
            }
            Scene::User(openid) => {
                let user = self.user(openid);
                if user.is_some_and(|user| !user.friend) {
                    return Err(Failure::new(40_054_004, "无好友关系"));
                }
                if user.is_some_and(|user| !user.accepts) {
                    return Err(Failure::new(40_054_013, "用户拒收消息"));
                }
            }
        }
        Ok(())
    }

    /// Moves posts whose audit is over into view and tells the bot.
    pub(super) fn finish_audits(&mut self, now: Millis) {
        while self.audits.front().is_some_and(|audit| audit.ends_at <= now) {
            let Some(audit) = self.audits.pop_front() else { return };
            let d = json!({
                "audit_id": audit.id, "message_id": audit.post.id, "group_openid": audit.post.group,
                "user_openid": audit.post.user, "audit_time": rfc3339_beijing(self.unix_ms(now)),
                "create_time": rfc3339_beijing(self.unix_ms(audit.post.at_ms)),
            });
            self.show(audit.post, now);
            let name = "MESSAGE_AUDIT_PASS";
            let event = Outgoing {
                name: name.to_owned(),
                intent: intent::MESSAGE_AUDIT,
                template: Template::dispatch(name, &self.ids.event(name), &d.to_string()),
            };
            self.dispatch(event, now);
        }
    }

    fn faulty_post_answer(&mut self, now: Millis) -> Result<Option<Answer>, Failure> {
        if let Some(code) = self.faults.send_code {
            return Err(Failure::of_code(code));
        }
        if self.faults.delisted {
            return Err(Failure::new(40_054_016, "机器人已下线"));
        }
        if let Some(hang_ms) = self.faults.send_hang_ms {
            let failure = Failure::with(504, 50_055_001, 50_055_001, "消息发送异常，请稍后重试");
            return Ok(Some(Answer::failure(&failure, false, self.ids.trace()).after(Some(hang_ms))));
        }
        let status = self.faults.send_status;
        if status.is_none() && self.faults.send_body.is_none() {
            return Ok(None);
        }
        self.notice(|| json!({"type": "post_failed", "at_ms": now, "status": status}));
        let mut answer = Answer::json(status.unwrap_or(200), &json!({}), self.ids.trace());
        if let Some(body) = &self.faults.send_body {
            answer.body = body.clone().into_bytes();
        }
        Ok(Some(answer))
    }

    fn check_content(&self, scene: &Scene, request: &MessageRequest, now: Millis) -> Result<(), Failure> {
        let mismatch = || Failure::new(22_006, "消息类型与内容不匹配");
        if request.is_wakeup {
            return Err(Failure::new(40_034_123, "不支持召回消息"));
        }
        match (request.msg_type, scene) {
            (0, _) => text::check(&request.content, &self.settings),
            (2, _) => match &request.markdown {
                Some(markdown) if request.content.trim().is_empty() => text::check(markdown_text(markdown), &self.settings),
                Some(_) | None => Err(mismatch()),
            },
            (3, _) => request.ark.as_ref().map(|_| ()).ok_or_else(mismatch),
            (6, Scene::User(_)) => request.input_notify.as_ref().map(|_| ()).ok_or_else(mismatch),
            (7, _) => {
                let media = request.media.as_ref().ok_or_else(mismatch)?;
                self.files.check(scene, &media.file_info, now)
            }
            _ => Err(Failure::new(340_069, "消息类型无效")),
        }
    }

    fn check_proactive(&mut self, scene: &Scene, now: Millis) -> Result<(), Failure> {
        let switched_on = match scene {
            Scene::Group(openid) => self.group(openid).is_some_and(|group| group.proactive),
            Scene::User(_) => true,
        };
        if !self.settings.proactive_allowed || !switched_on {
            return Err(Failure::new(40_034_105, "主动消息失败, 无权限"));
        }
        if !self.quotas.has_room(scene, now) {
            return Err(Failure::new(40_034_100, "主动消息发送超过频控限制"));
        }
        Ok(())
    }

    fn allowance(&self, scene: &Scene) -> Allowance {
        match scene {
            Scene::Group(_) => Allowance { window_ms: self.settings.group_reply_window_ms, replies_max: self.settings.group_replies_max },
            Scene::User(_) => Allowance { window_ms: self.settings.user_reply_window_ms, replies_max: self.settings.user_replies_max },
        }
    }

    fn commit(&mut self, scene: &Scene, request: &MessageRequest, claim: Option<&Claim>, now: Millis) -> Posted {
        match claim {
            Some(claim) => self.tickets.use_up(claim, request.msg_seq),
            None => self.quotas.take(scene, now),
        }
        let (group, user) = match scene {
            Scene::Group(openid) => (Some(openid.clone()), None),
            Scene::User(openid) => (None, Some(openid.clone())),
        };
        let markdown = request.markdown.as_ref().filter(|_| request.msg_type == 2);
        Posted {
            at_ms: now,
            id: self.ids.message(),
            group,
            user,
            msg_type: request.msg_type,
            content: markdown.map_or_else(|| request.content.clone(), |markdown| markdown_text(markdown).to_owned()),
            msg_id: request.msg_id.clone(),
            event_id: request.event_id.clone(),
            msg_seq: request.msg_seq,
            passive: claim.is_some(),
            lost: self.faults.send_lost || (self.faults.lose_sends_while_offline && !self.is_online()),
            recalled: false,
        }
    }

    fn show(&mut self, post: Posted, now: Millis) -> Answer {
        let body = json!({
            "id": post.id,
            "timestamp": rfc3339_beijing(self.unix_ms(now)),
            "ext_info": {"ref_idx": self.ids.reference()},
        });
        self.notice(|| json!({"type": "posted", "post": post}));
        self.posted.push(post);
        Answer::ok(&body, self.ids.trace())
    }

    /// HTTP 202 with an error-shaped body: 304023 for proactive messages, 304024 for replies.
    fn audit(&mut self, post: Posted, now: Millis) -> Answer {
        let (code, message) = if post.passive {
            (304_024, "reply message is waiting for audit now")
        } else {
            (304_023, "push message is waiting for audit now")
        };
        let id = self.ids.uuid();
        let body = json!({"code": code, "message": message, "data": {"message_audit": {"audit_id": id}}});
        let ends_at = now + self.settings.audit_ms;
        self.audits.push_back(Audit { id, ends_at, post });
        Answer::json(202, &body, self.ids.trace())
    }
}

impl Posted {
    fn scene(&self) -> Scene {
        match (&self.group, &self.user) {
            (Some(group), _) => Scene::Group(group.clone()),
            (None, user) => Scene::User(user.clone().unwrap_or_default()),
        }
    }
}

impl MessageRequest {
    fn claim(&self) -> Option<Claim> {
        let given = |id: &Option<String>| id.clone().filter(|id| !id.is_empty());
        given(&self.msg_id).map(Claim::Message).or_else(|| given(&self.event_id).map(Claim::Event))
    }
}

/// The text of a markdown object; a template has none that the rules could judge.
fn markdown_text(markdown: &Value) -> &str {
    let template = markdown.get("custom_template_id").and_then(Value::as_str);
    markdown.get("content").and_then(Value::as_str).or(template).unwrap_or("")
}
