use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// A frame as far as the checks look at it. What cannot be read is a frame without an opcode.
#[derive(Default, Deserialize)]
pub(super) struct Frame<'a> {
    #[serde(default)]
    pub(super) op: Option<u64>,
    #[serde(default)]
    pub(super) s: Option<u64>,
    #[serde(borrow, default)]
    pub(super) t: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    d: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
pub(super) struct Body {
    #[serde(default)]
    pub(super) session_id: Option<String>,
    #[serde(default)]
    pub(super) seq: Option<u64>,
    #[serde(default)]
    pub(super) heartbeat_interval: Option<u64>,
    #[serde(default)]
    token: Option<String>,
}

impl<'a> Frame<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    pub(super) fn body(&self) -> Body {
        self.d.and_then(|d| serde_json::from_str(d.get()).ok()).unwrap_or_default()
    }

    pub(super) fn is_true(&self) -> bool {
        self.d.is_some_and(|d| d.get() == "true")
    }

    /// The token that an Identify or Resume carries.
    pub(super) fn authorization(&self) -> Option<String> {
        matches!(self.op, Some(2 | 6)).then(|| self.body().token).flatten()
    }
}
