//! What the log says of the session, in both languages.

use auk_gateway::Language;

pub(super) fn connected(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "已连接 QQ 平台，新会话",
        Language::EnUs => "connected, new session",
    }
}

pub(super) fn connected_again(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "已重新连接，会话已恢复",
        Language::EnUs => "connected again, session resumed",
    }
}

pub(super) fn connection_lost(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "与 QQ 平台的连接断开，会自动重连",
        Language::EnUs => "connection lost, it is made again by itself",
    }
}

pub(super) fn odd_hello(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "平台给出的心跳间隔不合理，改用默认值",
        Language::EnUs => "the platform announced no sane heartbeat interval; a default is used",
    }
}

pub(super) fn unreadable(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "平台发来无法读取的内容，已跳过",
        Language::EnUs => "the platform sent what could not be read; it was passed over",
    }
}

pub(super) fn dead_token(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "平台发放的令牌又被平台拒绝，暂不使用它，会自动重试；重载可立即再试。",
        Language::EnUs => {
            "The platform refuses the very token that it hands out; it is not used for ten minutes and then tried again. A reload tries at once."
        }
    }
}

pub(super) fn allowance(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "今天的新会话额度已用完，等平台重置后自动继续。请确认没有另一个程序在用同一个机器人。",
        Language::EnUs => {
            "The allowance of new sessions is spent; it goes on by itself when the platform renews it. Make sure that no other program uses this bot."
        }
    }
}

pub(super) fn patience(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "暂时连不上 QQ 平台，会自动重试。若一直如此，请检查本机的网络、DNS 和代理，以及 auk.toml 里的 [platform]。",
        Language::EnUs => {
            "The QQ platform is not reached yet; it is tried again by itself. If this lasts, check this machine's network, name service and proxy, and [platform] in auk.toml."
        }
    }
}
