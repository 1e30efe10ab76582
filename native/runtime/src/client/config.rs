use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

use auk_gateway::{GatewayConfig, Language, Rate};
use reqwest::Url;

use super::dial::Dialer;
use super::rest::{Limits, Rest};
use super::store::Bot;
use super::tls;

/// Everything a [`Client`](super::Client) is told.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// The bot and its pace.
    pub gateway: GatewayConfig,
    /// Where tokens are asked for. Both documented hosts answer; which one works may depend on the region.
    pub token_url: String,
    /// What the paths of all other calls are appended to. With `http:` here the gateway's address may be `ws:` as well.
    pub api_base: String,
    /// A PEM file with roots to trust beside the webpki ones, for a proxy or a test platform.
    pub extra_root_file: Option<PathBuf>,
    /// Largest WebSocket message taken, in bytes. 16 MiB: the largest dispatches seen carry forwarded chats of some megabytes.
    pub frame_bytes_max: usize,
    /// Largest HTTP body taken, in bytes. 1 MiB: answers are a few hundred bytes.
    pub body_bytes_max: usize,
    /// Language of advice in the log.
    pub language: Language,
    /// The file in which session, token, address and limits survive the process; `None` keeps nothing. It holds a token, so it is made
    /// for its owner's eyes alone, and one process at a time uses it.
    pub store: Option<PathBuf>,
    /// How fast messages may be posted. The platform takes 100 a second (QQ bot docs, server-inter/message/send-receive/send, July 2026).
    /// 8 at once, then one in 11 ms: 98 in any second, and 90 a second for as long as it lasts.
    pub sends: Rate,
    /// Posts that may wait for their turn; one more is refused. Five thousand are the work of 55 s.
    pub sends_waiting_max: usize,
}

/// Why a client cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// An address in the settings is none.
    #[error("{setting} is no http or https address")]
    BadAddress {
        /// The setting's name.
        setting: &'static str,
    },
    /// The extra root file cannot be read.
    #[error("the root file {path} cannot be used: {reason}")]
    RootFile {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The TLS library refuses to be set up, which is a bug.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

/// What a driver is made of.
pub(super) struct Parts {
    pub(super) gateway: GatewayConfig,
    pub(super) language: Language,
    pub(super) rest: Rest,
    pub(super) dialer: Dialer,
    pub(super) bot: Bot,
}

impl ClientConfig {
    /// The shipped settings. The hosts are those that all official SDKs use; `api.bot.qq.com` is the newer one.
    /// Source: QQ bot docs, dev-prepare/access-token and dev-prepare/api-call-guide, 2026-08-10.
    pub fn new(gateway: GatewayConfig) -> Self {
        Self {
            gateway,
            token_url: "https://bots.qq.com/app/getAppAccessToken".to_owned(),
            api_base: "https://api.sgroup.qq.com".to_owned(),
            extra_root_file: None,
            frame_bytes_max: 16 * 1024 * 1024,
            body_bytes_max: 1024 * 1024,
            language: Language::EnUs,
            store: None,
            sends: Rate { burst: 8, interval_ms: 11 },
            sends_waiting_max: 5_000,
        }
    }

    /// Checks everything that can be checked without the network.
    ///
    /// # Errors
    /// As [`Client::start`](super::Client::start).
    pub fn check(&self) -> Result<(), ClientError> {
        self.clone().build().map(drop)
    }

    pub(super) fn build(mut self) -> Result<Parts, ClientError> {
        if self.gateway.seed == 0 {
            self.gateway.seed = RandomState::new().hash_one(0_u8);
        }
        let token_url = http_address(&self.token_url, "token_url")?;
        let api_base = http_address(&self.api_base, "api_base")?;
        let tls = tls::client_config(self.extra_root_file.as_deref())?;
        let limits = Limits { body_bytes: self.body_bytes_max, exchange_ms: self.gateway.pace.exchange_ms_max };
        let bot = Bot { app_id: self.gateway.credentials.app_id().to_owned(), api_base: api_base.to_string() };
        let allow_plain = api_base.scheme() == "http";
        Ok(Parts {
            rest: Rest::new(token_url, api_base, limits, &tls)?,
            dialer: Dialer::new(tls, self.frame_bytes_max, allow_plain),
            gateway: self.gateway,
            language: self.language,
            bot,
        })
    }
}

fn http_address(text: &str, setting: &'static str) -> Result<Url, ClientError> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or(ClientError::BadAddress { setting })
}
