use unicode_segmentation::UnicodeSegmentation;

/// At most `chars_max` characters, of which the last is `…` when something was cut. What a reader sees as one character is not
/// cut in two, unless it is longer than the whole.
pub(crate) fn shorten(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let room = chars_max.saturating_sub(1);
    let mut cut = String::new();
    let mut chars = 0;
    for cluster in text.graphemes(true) {
        let length = cluster.chars().count();
        if chars + length > room {
            break;
        }
        chars += length;
        cut.push_str(cluster);
    }
    if cut.is_empty() {
        cut.extend(text.chars().take(room));
    }
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}
