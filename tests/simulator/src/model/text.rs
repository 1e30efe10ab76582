//! The rules that a text message has to keep.

use super::answer::Failure;
use super::settings::Settings;

/// Endings that make a dotted word a host name for the platform's eyes.
///
/// The real detector is not published; a bare host name is enough for it, as users report.
const TOP_DOMAINS: &[&str] =
    &["com", "net", "org", "cn", "io", "top", "dev", "gg", "me", "cc", "xyz", "site", "app", "info", "tv", "fun", "club", "vip"];

/// Judges the text of a message.
pub(super) fn check(text: &str, settings: &Settings) -> Result<(), Failure> {
    if !settings.text_rules {
        return Ok(());
    }
    if text.trim().is_empty() {
        return Err(Failure::new(50_006, "消息为空"));
    }
    if text.chars().count() > settings.text_chars_max {
        return Err(Failure::new(40_054_007, "消息长度超限"));
    }
    match unregistered_host(text, &settings.registered_hosts) {
        Some(host) => Err(Failure::new(40_034_028, &format!("消息发送失败, 不允许包含url {host}"))),
        None => Ok(()),
    }
}

/// The first host name in a text that is not registered.
fn unregistered_host(text: &str, registered: &[String]) -> Option<String> {
    let in_host = |letter: char| letter.is_ascii_alphanumeric() || letter == '.' || letter == '-';
    let words = text.split(|letter: char| !in_host(letter));
    let hosts = words.map(|word| word.trim_matches('.').to_ascii_lowercase());
    let mut offending = hosts.filter(|word| is_host(word) && !registered.iter().any(|host| host == word));
    offending.next()
}

fn is_host(word: &str) -> bool {
    let Some((rest, top)) = word.rsplit_once('.') else {
        return false;
    };
    !rest.is_empty() && rest.split('.').all(|label| !label.is_empty()) && TOP_DOMAINS.contains(&top)
}

#[cfg(test)]
mod tests {
    use super::{Settings, check};

    fn code(text: &str) -> i64 {
        check(text, &Settings::default()).map_or_else(|failure| failure.err_code, |()| 0)
    }

    #[test]
    fn a_bare_host_name_counts_as_a_url() {
        assert_eq!(code("看 q.rkcn.top 吧"), 40_034_028);
        assert_eq!(code("https://example.com/x"), 40_034_028);
        assert_eq!(code("今天3.5折，版本 1.21.4。结束"), 0);
        assert_eq!(code("well... ok.then"), 0);
    }

    #[test]
    fn a_registered_host_is_let_through() {
        let settings = Settings { registered_hosts: vec!["example.com".to_owned()], ..Settings::default() };
        assert!(check("见 example.com", &settings).is_ok());
        assert!(check("见 a.example.com", &settings).is_err());
    }

    #[test]
    fn empty_and_long_texts_are_refused() {
        assert_eq!(code(" \n"), 50_006);
        assert_eq!(code(&"海".repeat(4500)), 0);
        assert_eq!(code(&"海".repeat(4501)), 40_054_007);
    }
}
