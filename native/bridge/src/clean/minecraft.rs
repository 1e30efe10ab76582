use super::{plain_line, shorten};

/// A text of a group as a part of one line in the game: no section sign and its code, no control or direction character, no line
/// break, at most `chars_max` characters.
pub fn minecraft(text: &str, chars_max: usize) -> String {
    shorten(&plain_line(text), chars_max)
}
