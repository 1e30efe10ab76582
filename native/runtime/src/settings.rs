use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use auk_gateway::{Credentials, CredentialsError, GatewayConfig, Language};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tracing::Level;

use crate::ClientConfig;

/// The settings file's content, checked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The bot, its platform and its pace.
    pub client: ClientConfig,
    /// Groups, templates and limits.
    pub bridge: auk_bridge::Settings,
    /// The least important level that goes to the server's log.
    pub log_level: Level,
}

/// Why there are no settings. The texts say what to do and hold no secret.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file was missing, and one with comments was written in its place.
    #[error("{path} was written: put the bot's app_id and secret and the group's openid in and reload")]
    Written {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read or written.
    #[error("{path} cannot be used: {reason}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file is no TOML, or a key in it is unknown or of the wrong kind.
    #[error("{path}, line {line}: {message}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where, from 1.
        line: usize,
        /// What is wrong, with the key.
        message: String,
    },
    /// The bot's app id or secret cannot be one.
    #[error("{path}, [bot]: {reason}")]
    Credentials {
        /// The file.
        path: PathBuf,
        /// Which part, and why.
        reason: CredentialsError,
    },
}

impl SettingsError {
    /// The error in words for the operator.
    pub fn words(&self, language: Language) -> String {
        match (language, self) {
            (Language::EnUs, _) => self.to_string(),
            (Language::ZhCn, SettingsError::Written { path }) => {
                format!("已写出 {}：请填入机器人的 app_id、secret 和群的 openid，然后重载或重启", path.display())
            }
            (Language::ZhCn, SettingsError::Unusable { path, reason }) => format!("无法使用 {}：{reason}", path.display()),
            (Language::ZhCn, SettingsError::Malformed { path, line, message }) => {
                format!("{} 第 {line} 行有误：{message}", path.display())
            }
            (Language::ZhCn, SettingsError::Credentials { path, reason }) => {
                let words = match reason {
                    CredentialsError::AppIdMissing => "app_id 为空",
                    CredentialsError::AppIdMalformed => "app_id 含有字母和数字以外的字符",
                    CredentialsError::SecretMissing => "secret 为空",
                    CredentialsError::SecretMalformed => "secret 含有空白或控制字符，可能没有复制完整",
                };
                format!("{} 的 [bot]：{words}", path.display())
            }
        }
    }
}

/// The language of a settings file that may not be readable as a whole. Without a word about it, it is the shipped one.
pub(crate) fn language_of(config_dir: &Path) -> Language {
    let text = fs::read_to_string(config_dir.join(FILE_NAME)).unwrap_or_default();
    let says_english = text.lines().any(|line| line.trim_start().starts_with("language") && line.contains("en-US"));
    if says_english { Language::EnUs } else { Language::ZhCn }
}

/// The settings file in the configuration directory.
pub(crate) const FILE_NAME: &str = "auk.toml";

/// What is written where there is no settings file.
const TEMPLATE: &str = include_str!("settings/auk.toml");

impl Settings {
    /// Reads the settings file of a configuration directory, or writes one with comments where there is none.
    ///
    /// # Errors
    /// See [`SettingsError`].
    pub fn load(config_dir: &Path) -> Result<Self, SettingsError> {
        let path = config_dir.join(FILE_NAME);
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text, &path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let written = fs::create_dir_all(config_dir).and_then(|()| fs::write(&path, TEMPLATE));
                Err(match written {
                    Ok(()) => SettingsError::Written { path },
                    Err(error) => unusable(path, &error),
                })
            }
            Err(error) => Err(unusable(path, &error)),
        }
    }

    /// Reads the text of a settings file; `path` is for the errors.
    ///
    /// # Errors
    /// See [`SettingsError`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, SettingsError> {
        let file: File = toml::from_str(text).map_err(|error| malformed(path, text, &error))?;
        if !file.bot.unknown.is_empty() {
            let line = text.lines().position(|line| line.trim() == "[bot]").map_or(1, |index| index + 1);
            let message = "[bot] has a key that is none: it takes app_id, secret and intents".to_owned();
            return Err(SettingsError::Malformed { path: path.to_owned(), line, message });
        }
        let credentials = Credentials::new(file.bot.app_id.0, file.bot.secret.0)
            .map_err(|reason| SettingsError::Credentials { path: path.to_owned(), reason })?;
        let log_level = file.log.level.into();
        let mut gateway = GatewayConfig::new(credentials);
        gateway.intents = file.bot.intents.unwrap_or(gateway.intents);
        let mut client = ClientConfig::new(gateway);
        client.token_url = file.platform.token_url.unwrap_or(client.token_url);
        client.api_base = file.platform.api_base.unwrap_or(client.api_base);
        // Relative to the settings file, which is where an operator puts it.
        client.extra_root_file = file.platform.extra_root_file.map(|root| path.parent().unwrap_or(Path::new("")).join(root));
        client.language = file.language;
        client.store = Some(path.with_file_name("auk.db"));
        let File { language, server, groups, messages, limits, .. } = file;
        let bridge = auk_bridge::Settings { language, server, groups, messages, limits };
        Ok(Self { client, bridge, log_level })
    }
}

/// `auk.toml` as written. A key that is not listed here is refused by name, since a misspelt one would be passed over in silence.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "config_version")]
    _config_version: Version,
    #[serde(default)]
    language: Language,
    bot: Bot,
    #[serde(default)]
    platform: Platform,
    #[serde(default)]
    server: auk_bridge::Server,
    #[serde(default)]
    groups: Vec<auk_bridge::Group>,
    #[serde(default)]
    messages: auk_bridge::Messages,
    #[serde(default)]
    limits: auk_bridge::Limits,
    #[serde(default)]
    log: Log,
}

/// The only version there is; a file of a later one is refused rather than half understood.
#[derive(Deserialize)]
#[serde(try_from = "u32")]
struct Version;

impl TryFrom<u32> for Version {
    type Error = String;

    fn try_from(version: u32) -> Result<Self, String> {
        match version {
            1 => Ok(Self),
            other => Err(format!("this Auk reads config_version 1, not {other}")),
        }
    }
}

/// `[bot]`. What stands here may be a secret at the wrong place, so no error repeats it.
#[derive(Deserialize)]
struct Bot {
    #[serde(default)]
    app_id: Unprinted,
    #[serde(default)]
    secret: Unprinted,
    #[serde(default)]
    intents: Option<u32>,
    #[serde(flatten)]
    unknown: BTreeMap<String, IgnoredAny>,
}

/// Text whose errors do not say what was found in its place.
#[derive(Default, Deserialize)]
#[serde(try_from = "toml::Value")]
struct Unprinted(String);

impl TryFrom<toml::Value> for Unprinted {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, &'static str> {
        value.as_str().map(|text| Self(text.trim().to_owned())).ok_or("app_id and secret are texts in quotes")
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Platform {
    #[serde(default)]
    token_url: Option<String>,
    #[serde(default)]
    api_base: Option<String>,
    #[serde(default)]
    extra_root_file: Option<PathBuf>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Log {
    #[serde(default)]
    level: LogLevel,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LogLevel {
    Error,
    Warn,
    #[default]
    Info,
    Debug,
    Trace,
}

impl From<LogLevel> for Level {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Error => Level::ERROR,
            LogLevel::Warn => Level::WARN,
            LogLevel::Info => Level::INFO,
            LogLevel::Debug => Level::DEBUG,
            LogLevel::Trace => Level::TRACE,
        }
    }
}

fn unusable(path: PathBuf, error: &io::Error) -> SettingsError {
    let reason = if error.kind() == io::ErrorKind::InvalidData { "it is not UTF-8".to_owned() } else { error.to_string() };
    SettingsError::Unusable { path, reason }
}

/// One line, without the excerpt that the TOML library adds: the excerpt may show the secret.
fn malformed(path: &Path, text: &str, error: &toml::de::Error) -> SettingsError {
    let line =
        error.span().map_or(1, |span| text.as_bytes()[..span.start.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1);
    let mut message = String::new();
    for (index, part) in error.message().lines().map(str::trim).filter(|part| !part.is_empty()).enumerate() {
        let _ = write!(message, "{}{part}", if index == 0 { "" } else { "; " });
    }
    SettingsError::Malformed { path: path.to_owned(), line, message }
}
