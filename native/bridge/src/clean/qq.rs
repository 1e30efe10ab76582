use super::{plain_line, shorten};

/// A line of the game is at most 256 characters; a thousand leave room for templates and long death messages of mods.
const LINE_CHARS_MAX: usize = 1_000;

/// What begins markup in a text message after its `<` (QQ bot docs, text chain, July 2026; the rest as messages of members have it).
const MARKUP: [&str; 6] = ["@", "#", "qqbot-", "facetype=", "emoji:", "/qqbot-"];

/// A line of the game as a line for a group: no section sign and its code, no control or direction character, no line break, and
/// nothing that the platform would read as a mention or other markup.
pub fn qq(text: &str) -> String {
    let line = plain_line(text);
    let mut plain = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some(at) = rest.find('<') {
        let after = &rest[at + 1..];
        plain.push_str(&rest[..at]);
        plain.push(if MARKUP.iter().any(|start| begins_with(after, start)) { '＜' } else { '<' });
        rest = after;
    }
    plain.push_str(rest);
    shorten(&plain, LINE_CHARS_MAX)
}

/// Writes the dots of words that look like host names as `．`, and breaks `://`.
///
/// A bare host name is enough for a refusal, and file names and numbers with dots were suspected too, so every dot between two
/// letters or digits counts.
pub(crate) fn rewrite_hosts(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let joins = c == '.' && before.is_alphanumeric() && chars.peek().is_some_and(|next| next.is_alphanumeric());
        let opens = c == ':' && chars.peek() == Some(&'/');
        written.push(if joins {
            '．'
        } else if opens {
            '：'
        } else {
            c
        });
        before = c;
    }
    written
}

fn begins_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}
