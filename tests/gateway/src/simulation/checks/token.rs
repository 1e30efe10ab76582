use std::collections::BTreeMap;

use auk_gateway::{AccessToken, CallRefusal, RequestId, judge_call};
use serde::Deserialize;
use serde_json::Value;

use super::super::violation::Promise;
use super::{Verdict, ensure};

/// What the client knows of its tokens.
#[derive(Default)]
pub(in super::super) struct Tokens {
    /// When the platform said that a token is dead, and for how long that counts, by its authorization.
    refused: BTreeMap<String, (u64, u64)>,
    refusals_on_their_way: BTreeMap<RequestId, String>,
    /// When a token ends by what the endpoint said last, by its authorization.
    ends: BTreeMap<String, u64>,
}

/// A token that was refused on the way to a session is not used again for ten minutes, and one that was at another call for two.
const ON_THE_WAY_MS: u64 = 600_000;
const AT_A_CALL_MS: u64 = 120_000;

impl Tokens {
    pub(super) fn answered(&mut self, request: RequestId, authorization: String, status: u16, code: i64) {
        if status != 200 && judge_call(status, Some(code), Some(code)) == CallRefusal::Token {
            self.refusals_on_their_way.insert(request, authorization);
        }
    }

    pub(super) fn address_answer_arrives(&mut self, request: RequestId, now_ms: u64) {
        if let Some(authorization) = self.refusals_on_their_way.remove(&request) {
            self.refused_on_the_way(authorization, now_ms);
        }
    }

    pub(super) fn refused_on_the_way(&mut self, authorization: String, now_ms: u64) {
        self.refuse(authorization, ON_THE_WAY_MS, now_ms);
    }

    pub(super) fn refused_at_a_call(&mut self, authorization: String, now_ms: u64) {
        self.refuse(authorization, AT_A_CALL_MS, now_ms);
    }

    fn refuse(&mut self, authorization: String, counts_ms: u64, now_ms: u64) {
        let (since, counted_ms) = self.refused.entry(authorization).or_insert((now_ms, counts_ms));
        if now_ms - *since < *counted_ms {
            *counted_ms = counts_ms.max(*counted_ms);
        } else {
            (*since, *counted_ms) = (now_ms, counts_ms);
        }
    }

    /// The endpoint hands out a token.
    pub(super) fn arrives(&mut self, body: &str, now_ms: u64) {
        #[derive(Deserialize)]
        struct Body {
            access_token: String,
            expires_in: Value,
        }
        let Ok(Body { access_token, expires_in }) = serde_json::from_str(body) else { return };
        let life_s = expires_in.as_u64().or_else(|| expires_in.as_str()?.parse().ok());
        // An unreadable life is taken for five minutes; a life of nothing for a second.
        let ends = now_ms + life_s.unwrap_or(300).clamp(1, 7_200) * 1_000;
        self.ends.insert(AccessToken::new(access_token).authorization(), ends);
    }

    pub(super) fn is_good(&self, authorization: &str, now_ms: u64) -> Verdict {
        let refused = self.refused.get(authorization);
        ensure(refused.is_none_or(|(at, counts_ms)| now_ms - at >= *counts_ms), Promise::TokenAlive, || {
            format!("refused at {refused:?} ms")
        })?;
        let ends = self.ends.get(authorization);
        ensure(ends.is_none_or(|ends| now_ms < *ends), Promise::TokenAlive, || format!("ended at {ends:?} ms"))
    }

    pub(super) fn trust_all(&mut self) {
        self.refused.clear();
    }

    /// Which tokens were refused is not kept: a new process asks anew, and one mistaken refusal does not outlive its process.
    pub(super) fn process_ended(&mut self) {
        self.trust_all();
        self.refusals_on_their_way.clear();
    }

    /// What nobody but client and platform may know.
    pub(in super::super) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.ends.keys().filter_map(|authorization| authorization.strip_prefix("QQBot "))
    }
}
