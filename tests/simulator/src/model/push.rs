//! Webhook pushes: validation, signature, repetition.

use serde_json::{Value, json};

use super::action::{Action, Push};
use super::clock::Millis;
use super::platform::{OpenPlatform, Outgoing, PendingPush};
use super::record::Seen;
use super::webhook::sign;

impl OpenPlatform {
    /// Asks the webhook to prove that it knows the secret (op 13). Events are pushed once it did.
    pub fn validate_webhook(&mut self, now: Millis) -> Vec<Action> {
        let token = self.ids.trace();
        let event_ts = (self.unix_ms(now) / 1000).to_string();
        let expected = sign(&self.settings.secret, &[event_ts.as_bytes(), token.as_bytes()]);
        let body = json!({"d": {"plain_token": token, "event_ts": event_ts}, "op": 13}).to_string();
        self.start_push(body.into_bytes(), Some(expected), now);
        self.take_actions()
    }

    /// Whether the webhook proved that it knows the secret.
    #[must_use]
    pub fn webhook_is_validated(&self) -> bool {
        self.webhook.validated
    }

    /// The webhook's answer to a push: HTTP status, none when nobody answered, and body. `{"op":12,"d":1}` asks for a repetition.
    pub fn webhook_answer(&mut self, delivery: u64, status: Option<u16>, body: &[u8], now: Millis) -> Vec<Action> {
        let (retry_ms, tries_max) = (self.settings.webhook_retry_ms, self.settings.webhook_tries_max);
        if let Some(mut pending) = self.webhook.pending.remove(&delivery) {
            let taken = status.is_some_and(|status| (200..300).contains(&status)) && pending.accepts(body);
            self.records.note(now, Seen::Webhook { delivery, status, taken });
            if taken {
                self.webhook.validated |= pending.expected.is_some();
            } else if pending.tries < tries_max {
                pending.retry_at = Some(now + retry_ms);
                self.webhook.pending.insert(delivery, pending);
            }
        }
        self.take_actions()
    }

    pub(super) fn push_event(&mut self, event: &Outgoing, now: Millis) {
        if self.webhook.validated {
            let number = self.events_sent;
            self.start_push(event.template.render(number), None, now);
        }
    }

    pub(super) fn repeat_pushes(&mut self, now: Millis) {
        let due = self.webhook.pending.values_mut().filter(|pending| pending.retry_at.is_some_and(|at| at <= now));
        for pending in due {
            pending.retry_at = None;
            pending.tries += 1;
            self.actions.push(Action::Webhook(pending.push.clone()));
        }
    }

    fn start_push(&mut self, body: Vec<u8>, expected: Option<String>, now: Millis) {
        let Some(url) = self.settings.webhook_url.clone() else { return };
        let timestamp = (self.unix_ms(now) / 1000).to_string();
        let secret = if self.faults.webhook_bad_signature { "another secret" } else { &self.settings.secret };
        let signature = sign(secret, &[timestamp.as_bytes(), &body]);
        self.webhook.next_delivery += 1;
        let push = Push {
            delivery: self.webhook.next_delivery,
            url,
            headers: vec![
                ("Content-Type", "application/json".to_owned()),
                ("User-Agent", "QQBot-Callback".to_owned()),
                ("X-Bot-Appid", self.settings.app_id.clone()),
                ("X-Signature-Ed25519", signature),
                ("X-Signature-Timestamp", timestamp),
            ],
            body,
        };
        let pending = PendingPush { push: push.clone(), tries: 1, retry_at: None, expected };
        self.webhook.pending.insert(push.delivery, pending);
        self.actions.push(Action::Webhook(push));
    }
}

impl PendingPush {
    /// A validation wants the right signature; an event takes anything but a plea to push again.
    fn accepts(&self, body: &[u8]) -> bool {
        let answer: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        match &self.expected {
            Some(expected) => answer["signature"] == json!(expected),
            None => answer["op"] != json!(12) || answer["d"] != json!(1),
        }
    }
}
