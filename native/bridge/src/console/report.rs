use auk_gateway::{Language, Status};

use crate::contract::BridgeStatus;
use crate::words::{Words, words};

/// What a person would want to know of gateway and bridge, most important first. Each of `groups` is a label and what holds it, if
/// anything does.
pub(crate) fn report(gateway: &Status, bridge: BridgeStatus, groups: &[(String, Option<String>)], language: Language) -> Vec<String> {
    let words = words(language);
    let mut lines = vec![words.fill(
        "status-state",
        [("state", words.fill("state", [("state", gateway.state.into())]).into()), ("since", span(gateway.since_ms, words).into())],
    )];
    if let Some(halt) = gateway.halt {
        lines.push(words.fill("status-halt", [("advice", halt.advice.into()), ("reason", halt.reason.into())]));
    }
    if let Some(deadline) = gateway.deadline {
        let what = words.fill("deadline", [("what", deadline.reason.replace(' ', "-").into())]);
        lines.push(words.fill("status-next", [("what", what.into()), ("span", span(deadline.in_ms, words).into())]));
    }
    let (minute, total) = (gateway.attempts.last_minute, gateway.attempts.total);
    lines.push(words.fill("status-attempts", [("minute", minute.into()), ("total", total.into())]));
    if let Some(cause) = &gateway.last_loss {
        lines.push(words.fill("status-loss", [("cause", cause.into())]));
    }
    let BridgeStatus { waiting, dropped, uncertain, said, posted } = bridge;
    let counts = [("waiting", waiting), ("dropped", dropped), ("uncertain", uncertain), ("said", said), ("posted", posted)];
    lines.push(words.fill("status-counts", counts.map(|(name, count)| (name, count.into()))));
    if groups.is_empty() {
        lines.push(words.text("notice-no-groups"));
    }
    lines.extend(groups.iter().map(|(group, obstacle)| match obstacle {
        Some(obstacle) => words.fill("status-group-held", [("group", group.into()), ("obstacle", obstacle.into())]),
        None => words.fill("status-group-open", [("group", group.into())]),
    }));
    lines
}

/// A span of time as people say it: two of the next larger unit come before that unit is used.
fn span(ms: u64, words: &Words) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..120 => words.fill("span-seconds", [("count", seconds.into())]),
        120..7_200 => words.fill("span-minutes", [("count", (seconds / 60).into())]),
        7_200.. => words.fill("span-hours", [("count", (seconds / 3_600).into())]),
    }
}
