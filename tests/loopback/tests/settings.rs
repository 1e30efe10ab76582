//! The settings file that is written on the first start.

use std::path::Path;

use auk_loopback::ConfigDir;
use auk_runtime::{Settings, SettingsError};

#[test]
fn the_file_of_the_first_start_works_once_app_id_and_secret_are_in() {
    let config = ConfigDir::empty();
    assert!(matches!(Settings::load(config.path()), Err(SettingsError::Written { .. })));
    assert!(matches!(Settings::load(config.path()), Err(SettingsError::Credentials { .. })), "the placeholders are no credentials");
    let filled = filled(&config);
    let settings = Settings::parse(&filled, Path::new("auk.toml")).expect("usable");
    assert_eq!(settings.client.api_base, "https://api.sgroup.qq.com");
    assert!(settings.bridge.groups.is_empty());
}

#[test]
fn every_line_that_is_commented_out_in_it_may_be_used_as_it_stands() {
    let config = ConfigDir::empty();
    let _ = Settings::load(config.path());
    let used: String = filled(&config).lines().map(|line| uncommented(line).to_owned() + "\n").collect();
    let used = used.replace("openid = \"\"", "openid = \"AB00000000000000000000000000C001\"");
    let settings = Settings::parse(&used, Path::new("auk.toml")).expect("usable");
    assert_eq!(settings.bridge.validate(), []);
    assert_eq!(settings.bridge.groups.len(), 1);
    // What stands there as an example is what holds without it.
    let own = Settings::parse(&filled(&config), Path::new("auk.toml")).expect("usable");
    assert_eq!((settings.client.token_url, settings.client.api_base), (own.client.token_url, own.client.api_base));
}

fn filled(config: &ConfigDir) -> String {
    let text = std::fs::read_to_string(config.file()).expect("written");
    text.replace("app_id = \"\"", "app_id = \"102000001\"").replace("secret = \"\"", "secret = \"s3cret\"")
}

/// A line of settings without its comment sign; prose stays a comment.
fn uncommented(line: &str) -> &str {
    match line.strip_prefix("# ") {
        Some(rest) if rest.starts_with('[') || rest.split(' ').nth(1) == Some("=") => rest,
        Some(_) | None => line,
    }
}
