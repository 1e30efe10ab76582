//! What the log says of the session, in both languages.

use std::path::Path;

use auk_gateway::Language;

use crate::client::StoreTrouble;

pub(crate) fn connected(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "已连接 QQ 平台，新会话",
        Language::EnUs => "connected, new session",
    }
}

pub(crate) fn connected_again(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "已重新连接，会话已恢复",
        Language::EnUs => "connected again, session resumed",
    }
}

pub(crate) fn connection_lost(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "与 QQ 平台的连接断开，会自动重连",
        Language::EnUs => "connection lost, it is made again by itself",
    }
}

pub(crate) fn odd_hello(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "平台给出的心跳间隔不合理，改用默认值",
        Language::EnUs => "the platform announced no sane heartbeat interval; a default is used",
    }
}

pub(crate) fn unreadable(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "平台发来无法读取的内容，已跳过",
        Language::EnUs => "the platform sent what could not be read; it was passed over",
    }
}

pub(crate) fn dead_token(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "平台发放的令牌又被平台拒绝，暂不使用它，会自动重试；重载可立即再试。",
        Language::EnUs => {
            "The platform refuses the very token that it hands out; it is not used for some minutes and then tried again. A reload tries at once."
        }
    }
}

pub(crate) fn renewed(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "令牌又可以续期了。",
        Language::EnUs => "The token can be renewed again.",
    }
}

pub(crate) fn allowance(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "今天的新会话额度已用完，等平台重置后自动继续。请确认没有另一个程序在用同一个机器人。",
        Language::EnUs => {
            "The allowance of new sessions is spent; it goes on by itself when the platform renews it. Make sure that no other program uses this bot."
        }
    }
}

pub(crate) fn patience(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "暂时连不上 QQ 平台，会自动重试。若一直如此，请检查本机的网络、DNS 和代理，以及 auk.toml 里的 [platform]。",
        Language::EnUs => {
            "The QQ platform is not reached yet; it is tried again by itself. If this lasts, check this machine's network, name service and proxy, and [platform] in auk.toml."
        }
    }
}

pub(crate) fn contested(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "机器人的会话一再被顶掉，很可能另一个程序在用同一个 AppID。请停掉它，或给两边各用一个机器人。",
        Language::EnUs => {
            "The bot's sessions are ended again and again; most likely another program runs with the same app id. Stop it, or give each its own bot."
        }
    }
}

/// How often the same happened since it was last said.
pub(crate) fn more_like_this(count: u64, since_ms: u64, language: Language) -> String {
    let minutes = since_ms.div_ceil(60_000).max(1);
    match language {
        Language::ZhCn => format!("（最近 {minutes} 分钟内另有 {count} 次）"),
        Language::EnUs if minutes == 1 => format!(" ({count} more like this in the last minute)"),
        Language::EnUs => format!(" ({count} more like this in the last {minutes} minutes)"),
    }
}

/// Why nothing is remembered over a restart.
pub(crate) fn store_trouble(trouble: &StoreTrouble, file: &Path, language: Language) -> String {
    let file = file.display();
    match (language, trouble) {
        (Language::ZhCn, StoreTrouble::InUse) => format!("{file} 正被另一个进程使用。{}", without_store(language)),
        (Language::ZhCn, StoreTrouble::Full) => format!("磁盘已满，无法写入 {file}。{}", without_store(language)),
        (Language::ZhCn, StoreTrouble::NotOurs) => {
            format!("{file} 已损坏，或不是 Auk 的文件，未作改动；移走它，下次启动会新建。{}", without_store(language))
        }
        (Language::ZhCn, StoreTrouble::Newer(version)) => {
            format!("{file} 来自更新版本的 Auk（格式 {version}），未作改动；请更新 Auk，或移走该文件。{}", without_store(language))
        }
        (Language::ZhCn, StoreTrouble::Slow) => format!("{file} 迟迟读不出来，先不等它。{}", without_store(language)),
        (Language::ZhCn, StoreTrouble::Unusable(reason)) => {
            format!("无法使用 {file}（{reason}），请检查路径和权限。{}", without_store(language))
        }
        (Language::EnUs, StoreTrouble::InUse) => format!("{file} is in use by another process. {}", without_store(language)),
        (Language::EnUs, StoreTrouble::Full) => format!("the disk is full, {file} cannot be written. {}", without_store(language)),
        (Language::EnUs, StoreTrouble::NotOurs) => {
            format!(
                "{file} is damaged or no file of Auk's; it is left as it is, move it away and the next start writes another. {}",
                without_store(language)
            )
        }
        (Language::EnUs, StoreTrouble::Newer(version)) => {
            format!(
                "{file} is of a newer Auk (format {version}) and left as it is; update Auk or move the file away. {}",
                without_store(language)
            )
        }
        (Language::EnUs, StoreTrouble::Slow) => format!("{file} takes too long to read and is not waited for. {}", without_store(language)),
        (Language::EnUs, StoreTrouble::Unusable(reason)) => {
            format!("{file} cannot be used ({reason}); check the path and its rights. {}", without_store(language))
        }
    }
}

fn without_store(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "桥接照常运行，只是重启后会重新上线，停机期间群里的消息不会补收。",
        Language::EnUs => "The bridge works all the same, but after a restart it begins anew and misses what was said meanwhile.",
    }
}
