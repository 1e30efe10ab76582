use crate::body_codes::BodyCodes;
use crate::catalogue::{Advice, CATALOGUE, Row};
use crate::{HaltReason, Language};

/// What the refusal of a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The token was not accepted.
    TokenRefused,
    /// Only the operator can mend it.
    Operator(HaltReason),
    /// Too many calls.
    RateLimited,
    /// Trouble of the platform's own.
    Transient,
    /// The message that was answered cannot be answered any more: another way is to be found.
    TicketSpent,
    /// The pair of `msg_id` and `msg_seq` was there before.
    Duplicate,
    /// Taken, and held for an audit. Not to be sent again.
    InAudit,
    /// Too many active messages.
    ActiveQuota,
    /// The group or the platform does not allow active messages.
    ActiveForbidden,
    /// The bot may not speak in the group.
    Muted,
    /// The bot is not in the group, or the group is not known for this bot.
    NotInGroup,
    /// The bot may not send: no right, offline, delisted.
    BotDisabled,
    /// The text holds something like an address of the web.
    UrlRefused,
    /// The text is too long.
    TooLong,
    /// The platform will not take this text, now or later.
    TextRefused,
    /// No call of this client should be answered so: a matter for its authors.
    Unexpected,
    /// A number that names no reason.
    Unknown,
}

/// What the refusal of an authenticated call says about the session's own means. What it says about the call's content is the caller's
/// affair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallRefusal {
    /// The token is dead: forget it, fetch another, repeat the call once.
    Token,
    /// Called too often.
    RateLimited,
    /// Only the operator can mend it.
    Operator(HaltReason),
    /// Nothing of these.
    Other,
}

/// Judges a refused call by its numbers: the HTTP status and the body's `code` and `err_code`, of which either may be missing. The words in
/// the body differ from host to host and are never judged.
///
/// Source: QQ bot docs, dev-prepare/api-call-guide, July 2026; the pairs of `code` and `err_code` as seen on the wire.
pub fn judge_call(status: u16, code: Option<i64>, err_code: Option<i64>) -> CallRefusal {
    judge(status, BodyCodes { code, err_code }, |number| CATALOGUE.call.kind(number))
}

/// Judges a refused request for a token. The endpoint has numbers of its own, and no token is there to be refused.
pub(crate) fn judge_token_request(status: u16, codes: BodyCodes) -> CallRefusal {
    match judge(status, codes, |number| CATALOGUE.token.kind(number).or_else(|| CATALOGUE.call.kind(number))) {
        CallRefusal::Token => CallRefusal::Other,
        refusal @ (CallRefusal::RateLimited | CallRefusal::Operator(_) | CallRefusal::Other) => refusal,
    }
}

/// Judges a refused post by `err_code` of its answer, else `code`, else by its HTTP status; `None` when a server failed without saying
/// what became of the request.
pub fn judge_post(status: u16, code: Option<i64>) -> Option<RefusalKind> {
    match (status, code) {
        (500.., None) => None,
        (_, _) => Some(row(status, code).map_or(RefusalKind::Unknown, |row| row.kind)),
    }
}

/// What the person who runs the server should know or do about a post that was refused so.
pub fn post_advice(status: u16, code: Option<i64>, language: Language) -> &'static str {
    row(status, code).map_or(RefusalKind::Unknown.words().in_language(language), |row| row.advice(language))
}

fn judge(status: u16, codes: BodyCodes, kind: impl Fn(i64) -> Option<RefusalKind>) -> CallRefusal {
    let mut meanings = [codes.code, codes.err_code].into_iter().flatten().filter_map(kind).map(RefusalKind::of_call);
    if let Some(refusal) = meanings.find(|refusal| *refusal != CallRefusal::Other) {
        return refusal;
    }
    match CATALOGUE.status.kind(status.into()).map_or(CallRefusal::Other, RefusalKind::of_call) {
        // With another code a 401 is about a right or a trouble of the platform: a token that is dropped for it would be missed for long,
        // since the endpoint hands out the same one for up to two hours.
        CallRefusal::Token if codes != BodyCodes::default() => CallRefusal::Other,
        refusal @ (CallRefusal::Token | CallRefusal::RateLimited | CallRefusal::Operator(_) | CallRefusal::Other) => refusal,
    }
}

fn row(status: u16, code: Option<i64>) -> Option<&'static Row<RefusalKind>> {
    let by_code = code.and_then(|code| CATALOGUE.call.find(code));
    by_code.or_else(|| match status {
        // With a code that nobody knows, a server's failure is none that is sure to pass.
        500.. if code.is_some() => None,
        _ => CATALOGUE.status.find(status.into()),
    })
}

impl RefusalKind {
    /// What the person who runs the server should know or do.
    pub fn advice(self, language: Language) -> &'static str {
        self.words().in_language(language)
    }

    const fn of_call(self) -> CallRefusal {
        match self {
            RefusalKind::TokenRefused => CallRefusal::Token,
            RefusalKind::Operator(reason) => CallRefusal::Operator(reason),
            RefusalKind::RateLimited => CallRefusal::RateLimited,
            RefusalKind::Transient
            | RefusalKind::TicketSpent
            | RefusalKind::Duplicate
            | RefusalKind::InAudit
            | RefusalKind::ActiveQuota
            | RefusalKind::ActiveForbidden
            | RefusalKind::Muted
            | RefusalKind::NotInGroup
            | RefusalKind::BotDisabled
            | RefusalKind::UrlRefused
            | RefusalKind::TooLong
            | RefusalKind::TextRefused
            | RefusalKind::Unexpected
            | RefusalKind::Unknown => CallRefusal::Other,
        }
    }

    pub(crate) const fn words(self) -> Advice {
        match self {
            RefusalKind::Operator(reason) => reason.words(),
            RefusalKind::TokenRefused => Advice::new(
                "平台不接受当前的访问令牌，会自动更换；若持续出现，请在 QQ 开放平台核对 AppID、密钥和 IP 白名单。",
                "The platform did not accept the token. Another is fetched by itself; if it stays, check app id, secret and IP list in the QQ open platform's console.",
            ),
            RefusalKind::RateLimited => Advice::new(
                "调用过于频繁，稍后自动继续；若持续出现，请检查是否有别的程序在用同一个 AppID。",
                "Called too often. It goes on by itself after a pause; if it stays, see whether another program runs with the same app id.",
            ),
            RefusalKind::Transient => Advice::new(
                "QQ 平台暂时出错，会自动重试，无需处理。",
                "QQ has trouble of its own. It is tried again by itself; nothing to do.",
            ),
            RefusalKind::TicketSpent => Advice::new(
                "所回复的消息已过期，或回复次数已用完。会自动换一种方式发送，无需处理。",
                "The message that was replied to is too old or has its replies. Another way is found by itself; nothing to do.",
            ),
            RefusalKind::Duplicate => Advice::new(
                "同一编号的回复已经有了，不会重复发送；若频繁出现，请检查是否有别的程序在用同一个 AppID。",
                "A reply with this number was there before, nothing is sent twice; if that happens often, another program may run with the same app id.",
            ),
            RefusalKind::InAudit => Advice::new(
                "消息正在等待平台审核，通过后才会显示。无需处理。",
                "The platform reviews the message before it shows it. Nothing to do but wait.",
            ),
            RefusalKind::ActiveQuota => Advice::new(
                "主动消息超过平台配额。群里有人发言后，会立即改用回复继续发送；否则稍后自动重试。",
                "Too many active messages for the platform's quota. As soon as somebody speaks in the group, lines go on as replies; otherwise after a pause.",
            ),
            RefusalKind::ActiveForbidden => Advice::new(
                "本群不允许机器人主动发消息。请群主在群设置的机器人页面打开“主动消息”。",
                "The group does not allow active messages. Its owner can allow them on the bot's page in the group settings.",
            ),
            RefusalKind::Muted => {
                Advice::new("机器人在群里被禁言。请群管理员解除禁言。", "The bot is muted in the group. A group admin can unmute it.")
            }
            RefusalKind::NotInGroup => Advice::new(
                "机器人不在这个群，或者 openid 属于另一个机器人。请重新把机器人拉进群，并核对 [[groups]] 的 openid。",
                "The bot is not in this group, or the openid belongs to another bot. Add the bot to the group again and check the openid in [[groups]].",
            ),
            RefusalKind::BotDisabled => Advice::new(
                "机器人没有发送权限，或已下线、下架。请在 QQ 开放平台查看机器人状态。",
                "The bot may not send, or is offline or delisted. Look at its state in the QQ open platform's console.",
            ),
            RefusalKind::UrlRefused => Advice::new(
                "文字里有未登记的网址。请在 QQ 开放平台“开发设置”的“消息URL配置”里登记，或不要在消息里写网址。",
                "The text holds an unregistered web address. Register it under message URLs in the QQ open platform's console, or leave addresses out.",
            ),
            RefusalKind::TooLong => Advice::new(
                "文字太长，会自动拆分后重发；拆到很短仍被拒绝的会放弃。无需处理。",
                "The text is too long. It is split by itself, and given up only if short pieces are refused as well; nothing to do.",
            ),
            RefusalKind::TextRefused => Advice::new(
                "平台不接受这段文字，不会重发；若每条都这样，请检查配置里的消息模板。",
                "The platform does not take this text, and it is not sent again. If it happens with every line, look at the templates in the settings.",
            ),
            RefusalKind::Unexpected => Advice::new(
                "这个错误码属于 Auk 没有用到的平台功能。请带上错误码报告此问题。",
                "This code belongs to something of the platform that Auk does not use. Please report it, with the code.",
            ),
            RefusalKind::Unknown => Advice::new(
                "平台没有说明原因。可在 QQ 机器人文档里查找这个错误码；若持续出现，请带上错误码报告此问题。",
                "The platform names no known reason. Look the code up in the QQ bot docs; if it stays, please report it, with the code.",
            ),
        }
    }
}
