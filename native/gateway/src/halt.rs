use std::fmt;

use crate::Language;
use crate::catalogue::Advice;

/// The conditions that stop the session from trying at its usual pace. This list is complete: whatever is not on it is transient.
///
/// Each is something that only the operator (or, for [`HaltReason::ProtocolRefused`], a newer version) can mend. Even then a slow lane
/// asks again now and then, and a reload tries at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HaltReason {
    /// The token endpoint said that app id and secret do not belong together or that there is no such bot, or a call was answered with
    /// "wrong app id".
    CredentialsRefused,
    /// The bot is banned or deleted.
    BotBanned,
    /// The bot is delisted and may only live in the sandbox.
    BotDelisted,
    /// The bot has no right to the events it asks for.
    IntentsRefused,
    /// Identify was refused five times in a row without a reason (op 9, 4903). Rights, the address list or the credentials are likely.
    IdentifyRefused,
    /// The platform does not accept calls from this machine's address.
    AddressNotAllowed,
    /// The platform refuses the way this client speaks.
    ProtocolRefused,
}

impl HaltReason {
    /// What the operator can do, in one sentence or two.
    pub fn advice(self, language: Language) -> &'static str {
        self.words().in_language(language)
    }

    /// A stable word for machines to read.
    pub fn name(self) -> &'static str {
        match self {
            HaltReason::CredentialsRefused => "credentials_refused",
            HaltReason::BotBanned => "bot_banned",
            HaltReason::BotDelisted => "bot_delisted",
            HaltReason::IntentsRefused => "intents_refused",
            HaltReason::IdentifyRefused => "identify_refused",
            HaltReason::AddressNotAllowed => "address_not_allowed",
            HaltReason::ProtocolRefused => "protocol_refused",
        }
    }

    pub(crate) const fn words(self) -> Advice {
        match self {
            HaltReason::CredentialsRefused => Advice::new(
                "平台不接受这组 AppID 和密钥。请在 QQ 开放平台的“开发设置”里核对 AppID、重置并复制 AppSecret，写进配置后重载。",
                "The platform refuses this app id and secret. Compare the app id in the QQ open platform's console, reset the secret, put both into the settings and reload.",
            ),
            HaltReason::BotBanned => Advice::new(
                "平台说这个机器人已被封禁或删除。请登录 QQ 开放平台查看机器人状态。",
                "The platform says that this bot is banned or deleted. Look at the bot's state in the QQ open platform's console.",
            ),
            HaltReason::BotDelisted => Advice::new(
                "这个机器人已下架，只能在沙箱环境连接。请在 QQ 开放平台重新上架，或改用沙箱接口地址。",
                "This bot is delisted and may connect to the sandbox only. List it again in the QQ open platform's console, or use the sandbox address.",
            ),
            HaltReason::IntentsRefused => Advice::new(
                "机器人没有所订阅事件的权限。请在 QQ 开放平台开通群聊事件，或在配置里减少 intents。",
                "The bot has no right to the events it asks for. Enable group events in the QQ open platform's console, or ask for fewer intents in the settings.",
            ),
            HaltReason::IdentifyRefused => Advice::new(
                "平台一再拒绝机器人上线且不说原因。请在 QQ 开放平台依次检查：群聊事件权限（或减少 intents）、IP 白名单、AppID 和密钥。",
                "The platform refuses the bot again and again without a reason. Check in the QQ open platform's console: the right to group events (or ask for fewer intents), the IP list, app id and secret.",
            ),
            HaltReason::AddressNotAllowed => Advice::new(
                "平台不接受这台机器的 IP 地址。请在 QQ 开放平台的“IP 白名单”里加入本机地址，或清空白名单。",
                "The platform does not accept this machine's address. Add it to the IP list in the QQ open platform's console, or empty the list.",
            ),
            HaltReason::ProtocolRefused => Advice::new(
                "平台不接受本程序的请求格式。请更新 Auk；若已是最新版，请报告此问题。",
                "The platform refuses the way this program speaks. Update Auk; if it is the newest, please report this.",
            ),
        }
    }
}

impl fmt::Display for HaltReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
