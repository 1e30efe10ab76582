//! What may not go from one side to the other.

mod length;
mod minecraft;
mod qq;

pub(crate) use length::shorten;
pub use minecraft::minecraft;
pub use qq::qq;
pub(crate) use qq::rewrite_hosts;

/// Stands where a line ended.
const SEPARATOR: &str = " / ";

/// A character that nobody sees, or that changes how its neighbours are shown.
///
/// U+200D and the variation selectors stay: they build emoji.
const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        // Direction marks, embeddings, overrides and isolates.
        '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
        // Zero width, and format characters that have been out of use for long.
        | '\u{FEFF}' | '\u{200B}' | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}' | '\u{FFF9}'..='\u{FFFB}'
        // Not characters.
        | '\u{FDD0}'..='\u{FDEF}'
    ) || c as u32 & 0xFFFE == 0xFFFE
}

const fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// One line without section codes, control characters, hidden characters and line breaks; empty when nothing visible is left.
fn plain_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut break_before_next = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '§' {
            chars.next_if(|code| matches!(code.to_ascii_lowercase(), '0'..='9' | 'a'..='f' | 'k'..='o' | 'r' | 'x'));
        } else if is_line_break(c) {
            break_before_next = true;
        } else if c == '\t' {
            line.push(' ');
        } else if !c.is_control() && !is_hidden(c) {
            if break_before_next && !c.is_whitespace() {
                line.truncate(line.trim_end().len());
                if !line.is_empty() {
                    line.push_str(SEPARATOR);
                }
                break_before_next = false;
            }
            line.push(c);
        }
    }
    let line = line.trim();
    if line.chars().all(is_blank) { String::new() } else { line.to_owned() }
}

/// Shows nothing by itself.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{2800}' | '\u{3164}')
}
