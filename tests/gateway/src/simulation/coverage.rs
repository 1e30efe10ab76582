use std::collections::BTreeSet;

use auk_gateway::{ConnId, Input};

use super::frame::Frame;

/// What can come in. `Old…` names a connection or request that is not the current one.
pub const INPUTS: [&str; 28] = [
    "timeout",
    "token answer",
    "old token answer",
    "address answer",
    "old address answer",
    "token refused",
    "opened",
    "connect failed",
    "closed",
    "traffic",
    "hello",
    "ready",
    "resumed",
    "dispatch",
    "reconnect",
    "invalid session",
    "heartbeat request",
    "heartbeat ack",
    "unknown or unreadable frame",
    "old opened",
    "old connect failed",
    "old closed",
    "old traffic",
    "old frame",
    "reload",
    "another connection asked for",
    "stop",
    "suspend",
];

/// Every state of the gateway.
pub const STATES: [&str; 10] = [
    "awaiting_token",
    "awaiting_address",
    "waiting",
    "connecting",
    "awaiting_hello",
    "authenticating",
    "ready",
    "halted",
    "stopping",
    "stopped",
];

/// Why no driver can bring an input about in a state; `None` when it can.
pub fn unreachable(state: &str, input: &str) -> Option<&'static str> {
    let has_socket = matches!(state, "awaiting_hello" | "authenticating" | "ready" | "stopping");
    let is_spoken = SPOKEN.contains(&input);
    match input {
        "timeout" if state == "stopped" => Some("nothing is due after the end"),
        "address answer" if state != "awaiting_address" => Some("only one look-up is under way, in the state that waits for it"),
        "opened" | "connect failed" if state != "connecting" => Some("a connection opens or fails once, while it is being opened"),
        _ if (is_spoken || input == "closed") && !has_socket => Some("there is no open connection that it could come from"),
        _ if is_spoken && state == "stopping" => Some("after the final close frame the driver reads nothing but the close"),
        "ready" | "dispatch" if state == "awaiting_hello" => Some("the platform answers nobody who has not spoken"),
        "ready" if state == "ready" => Some("READY answers the one Identify of a connection"),
        _ => None,
    }
}

/// What the platform says on an open connection.
const SPOKEN: [&str; 10] = [
    "traffic",
    "hello",
    "ready",
    "resumed",
    "dispatch",
    "reconnect",
    "invalid session",
    "heartbeat request",
    "heartbeat ack",
    "unknown or unreadable frame",
];

/// Which inputs met which states.
pub type Coverage = BTreeSet<(&'static str, &'static str)>;

/// The name of an input, `current` being the connection that the machine is on.
pub(super) fn name(input: &Input, current: Option<ConnId>, is_current_request: bool) -> &'static str {
    let is_old = |conn: &ConnId| current != Some(*conn);
    match input {
        Input::TokenAnswered { .. } => {
            if is_current_request {
                "token answer"
            } else {
                "old token answer"
            }
        }
        Input::AddressAnswered { .. } => {
            if is_current_request {
                "address answer"
            } else {
                "old address answer"
            }
        }
        Input::TokenRefused { .. } => "token refused",
        Input::Opened { conn } => {
            if is_old(conn) {
                "old opened"
            } else {
                "opened"
            }
        }
        Input::ConnectFailed { conn, .. } => {
            if is_old(conn) {
                "old connect failed"
            } else {
                "connect failed"
            }
        }
        Input::Closed { conn, .. } => {
            if is_old(conn) {
                "old closed"
            } else {
                "closed"
            }
        }
        Input::Traffic { conn } => {
            if is_old(conn) {
                "old traffic"
            } else {
                "traffic"
            }
        }
        Input::Frame { conn, .. } if is_old(conn) => "old frame",
        Input::Frame { text, .. } => frame_name(text.as_str()),
        Input::Reload(_) => "reload",
        Input::Reconnect => "another connection asked for",
        Input::Stop => "stop",
        Input::Suspend => "suspend",
    }
}

fn frame_name(text: &str) -> &'static str {
    let frame = Frame::read(text);
    match (frame.op, frame.t.as_deref()) {
        (Some(0), Some("READY")) => "ready",
        (Some(0), Some("RESUMED")) => "resumed",
        (Some(0), _) => "dispatch",
        (Some(1), _) => "heartbeat request",
        (Some(7), _) => "reconnect",
        (Some(9), _) => "invalid session",
        (Some(10), _) => "hello",
        (Some(11), _) => "heartbeat ack",
        _ => "unknown or unreadable frame",
    }
}
