//! The texts that say why a library cannot be loaded, as they are kept to be compared: `tests/vectors/loader`, one file a cause, first in
//! English and then in Chinese.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Artifacts;

/// What ends a word that differs from run to run. A full stop does not: there are some within a version.
const ENDS: [char; 9] = [' ', '/', '(', '。', ')', '：', ':', '\n', '-'];

/// The text without what differs from run to run: the test's own directory `scene`, the build's directory, Java's version, numbers, hashes.
pub fn comparable(text: &str, scene: &Path, artifacts: &Artifacts) -> String {
    let build = artifacts.dir.canonicalize().unwrap_or_else(|_| artifacts.dir.clone());
    let text = text.replace(&*build.to_string_lossy(), "BUILD").replace(&*scene.to_string_lossy(), "SCENE");
    text.split_inclusive(&ENDS).map(comparable_word).collect()
}

/// The file with the text for `cause`.
pub fn refusal_file(cause: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/loader").join(format!("{cause}.txt"))
}

/// The English half of what is kept for `cause`; empty where nothing is.
pub fn english_refusal(cause: &str) -> String {
    let both = fs::read_to_string(refusal_file(cause)).unwrap_or_default();
    let lines: Vec<&str> = both.lines().collect();
    lines[..lines.len() / 2].join("\n")
}

fn comparable_word(word: &str) -> String {
    let core = word.trim_end_matches(ENDS).trim_end_matches('.');
    let rest = &word[core.len()..];
    match core.split('.').next() {
        Some("17" | "25") => format!("JAVA{rest}"),
        // A hash may happen to have no letter.
        _ if core.len() == 16 && core.chars().all(|c| c.is_ascii_hexdigit()) => format!("HASH{rest}"),
        _ if core.len() >= 5 && core.chars().all(|c| c.is_ascii_digit()) => format!("NUMBER{rest}"),
        _ => word.to_owned(),
    }
}
