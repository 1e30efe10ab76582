//! What the platform means by its numbers: data, and nothing else.

use crate::CloseVerdict::*;
use crate::HaltReason::*;
use crate::RefusalKind::*;
use crate::{CloseVerdict, Language, RefusalKind};

/// The platform's numbers, by where they are said. One number may mean two things in two places.
#[derive(Debug)]
pub struct Catalogue {
    /// Close codes of the WebSocket.
    pub close: Section<CloseVerdict>,
    /// HTTP statuses of refusals, when the body names no number that is known.
    pub status: Section<RefusalKind>,
    /// `code` in the token endpoint's body.
    pub token: Section<RefusalKind>,
    /// `code` and `err_code` in the body of every call. Numbers of both are here, because either may come alone.
    pub call: Section<RefusalKind>,
}

/// The numbers of one place.
#[derive(Debug)]
pub struct Section<K: 'static> {
    /// No number is in two rows.
    pub rows: &'static [Row<K>],
}

/// Numbers that ask for the same.
#[derive(Clone, Copy, Debug)]
pub struct Row<K> {
    /// What they ask for.
    pub kind: K,
    numbers: &'static [i64],
    /// How many codes begin with each number.
    span: i64,
    advice: Advice,
}

/// One line for the person who runs the server: where to look, or what to wait for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Advice {
    zh_cn: &'static str,
    en_us: &'static str,
}

/// Sources: QQ bot docs, error-trace/websocket and error-trace/openapi, 2025-04-21; dev-prepare/api-call-guide and the pages of the calls,
/// July 2026; dev-prepare/access-token, 2026-08-10; the official Go SDK's list of close codes; field reports. Which of them names which
/// code is in `tests/vectors`, and a test compares both.
pub static CATALOGUE: Catalogue = Catalogue {
    close: Section {
        rows: &[
            close(Resume, &[1000, 1001, 1005, 1006, 1011]),
            close(ResumeAtOnce, &[4009]),
            close(ResumeAfterPause, &[4008]),
            close(RefreshToken, &[4004]),
            close(Identify, &[4000, 4003, 4005, 4006, 4007, 4902]),
            close(Identify, &[4900, 4901, 4904, 4905, 4906, 4907, 4908, 4909, 4910, 4911, 4912, 4913]).saying(
                "平台内部出错，会自动重新上线，无需处理；间隙里的消息可能丢失。",
                "The platform has trouble of its own. A new session begins by itself, nothing to do; messages of the gap may be missing.",
            ),
            close(Identify, &[4903]).saying(
                "平台没能建立会话，会自动重试；若持续出现，请在 QQ 开放平台检查群聊事件权限，或在配置里减少 intents。",
                "The platform would not begin a session; it is tried again. If it stays, check the right to group events in the console, or ask for fewer intents.",
            ),
            close(Halt(ProtocolRefused), &[4001, 4002, 4010, 4011, 4012]),
            close(Halt(IntentsRefused), &[4013, 4014]),
            close(Halt(BotDelisted), &[4914]),
            close(Halt(BotBanned), &[4915]),
            close(Halt(AddressNotAllowed), &[4924]),
        ],
    },
    status: Section {
        rows: &[
            refusal(Unknown, &[400]),
            refusal(TokenRefused, &[401]),
            refusal(Unknown, &[404, 405]).saying(
                "平台没有这个接口。请检查配置里的接口地址并更新 Auk；若已是最新版，请报告此问题。",
                "The platform does not know this call. Check the API address in the settings and update Auk; if it is the newest, please report this.",
            ),
            refusal(RateLimited, &[429]),
            refusal(Transient, &[500, 502, 503, 504]),
        ],
    },
    token: Section {
        rows: &[refusal(Operator(CredentialsRefused), &[10004, 100007, 100016]), refusal(RateLimited, &[100001])],
    },
    call: Section {
        rows: &[
            refusal(TokenRefused, &[11241, 11243, 11244, 11245]),
            refusal(Operator(CredentialsRefused), &[11251, 11261, 11275]),
            refusal(Operator(BotBanned), &[11265, 11700]),
            refusal(Operator(AddressNotAllowed), &[11298, 40023002]),
            refusal(RateLimited, &[20028, 50002, 100017, 1100100, 40023001]),
            refusal(Transient, &[11242, 11252, 11262, 11263, 11281, 11301, 11302, 11303, 11304, 11305, 11306, 12001, 12002, 12003]),
            refusal(Transient, &[50001, 304006, 304007, 304008, 304009, 304016, 304082, 304083, 340067, 1100300]),
            refusal(Transient, &[40034004, 40054006, 50055001, 50055002, 50055006]),
            refusal(Transient, &[304018]).saying(
                "发送时机器人恰好不在线。重新上线后会自动继续，无需处理。",
                "The bot was not connected at that moment. Sending goes on by itself once it is; nothing to do.",
            ),
            refusal(TicketSpent, &[304026, 304027, 304103, 40034005, 40034024, 40034025, 40034026, 40034027, 40034128]),
            refusal(TicketSpent, &[22009]).saying(
                "平台的消息次数已用完。群里有人发言后会立即改用回复发送；否则稍后自动重试。",
                "The platform's count of messages is used up. Lines go on as replies once somebody speaks in the group; otherwise after a pause.",
            ),
            refusal(Duplicate, &[40054005]),
            refusal(InAudit, &[304023, 304024]),
            refusal(ActiveQuota, &[40034100]),
            refusal(ActiveForbidden, &[40034102, 40034105, 40054013]),
            refusal(Muted, &[850018, 40054002]),
            refusal(NotInGroup, &[11255, 1100104, 1100301, 40011028, 40034101, 40054003]),
            refusal(BotDisabled, &[1100102, 40054016]),
            refusal(BotDisabled, &[11253, 11254]).saying(
                "机器人没有这个接口的权限，或权限已被收回。请在 QQ 开放平台查看机器人的接口权限。",
                "The bot has no right to this call, or the right was taken away. Look at its API rights in the QQ open platform's console.",
            ),
            refusal(UrlRefused, &[304003, 40034028, 40054010]),
            refusal(TooLong, &[40054007, 40054018]),
            refusal(TextRefused, &[22006, 50006, 304061]),
            refusal(TextRefused, &[304025, 1100101, 1100103, 3300006, 40034006]).saying(
                "文字没有通过平台的内容审核，不会重发；若频繁出现，请留意游戏里的发言内容。",
                "The platform's moderation refused the text. It is not sent again; if that happens often, look at what is said in the game.",
            ),
            refusal(Unknown, &[1100302, 1100303, 1100304, 1100305, 1100306, 1100307, 1100308, 1100499]),
            refusal(Unexpected, &[50035, 50059, 340069])
                .saying("平台读不懂消息的格式。请更新 Auk；若已是最新版，请报告此问题。", "The platform cannot read the message's form. Update Auk; if it is the newest, please report this."),
            refusal(
                Unexpected,
                &[
                    10001, 10003, 10004, 11264, 11273, 11274, 11282, 50038, 50039, 50043, 50045, 50046, 50047, 50048, 50049, 50050, 50051,
                    50052, 50053, 301000, 301001, 301002, 301003, 301004, 301005, 301006, 301007, 304019, 304022, 304028, 304031, 304032,
                    304033, 304034, 304035, 304044, 304045, 304046, 304047, 304048, 304049, 304050, 304051, 304052,
                ],
            )
            .saying(
                "这个错误码属于 QQ 频道，Auk 只用于 QQ 群。请带上错误码报告此问题。",
                "This code belongs to guild channels, and Auk serves groups only. Please report it, with the code.",
            ),
            refusal(
                Unexpected,
                &[
                    50037, 50040, 50041, 50042, 50054, 50055, 50056, 50057, 304004, 304005, 304010, 304011, 304012, 304014, 304029, 304030,
                    304036, 304037, 304038, 304039, 304040, 304062, 304064, 305007, 40034008, 40034009, 40034010, 40034011, 40034029,
                    40034106, 40034108, 40034109, 40034124, 40034127,
                ],
            )
            .saying(
                "这个错误码属于 Markdown、按钮或卡片消息，Auk 只发送纯文本。请带上错误码报告此问题。",
                "This code belongs to Markdown, buttons or cards, and Auk sends plain text only. Please report it, with the code.",
            ),
            refusal(
                Unexpected,
                &[
                    10000, 304017, 304020, 304021, 304080, 850012, 850019, 850026, 850027, 850031, 40034001, 40034002, 40093001, 40093002,
                ],
            )
            .saying(
                "这个错误码属于图片和文件，Auk 只发送文字。请带上错误码报告此问题。",
                "This code belongs to pictures and files, and Auk sends text only. Please report it, with the code.",
            ),
            refusal(Unexpected, &[40007, 40034122, 40034123, 40054004]).saying(
                "这个错误码属于单聊，Auk 只用于 QQ 群。请带上错误码报告此问题。",
                "This code belongs to chats with one person, and Auk serves groups only. Please report it, with the code.",
            ),
            refusal(
                Unexpected,
                &[
                    306001, 306002, 306003, 306004, 306005, 306006, 306007, 306008, 306009, 306010, 306011, 40061001, 40061002, 40062003,
                    40064004, 50065001,
                ],
            )
            .saying(
                "这个错误码属于撤回消息，Auk 不撤回消息。请带上错误码报告此问题。",
                "This code belongs to taking messages back, which Auk never does. Please report it, with the code.",
            ),
            refusal(Unexpected, &[40030013, 40030021]),
            refusal(Unexpected, &[302, 501, 502, 503, 504, 610, 620, 630]).by_thousands(),
        ],
    },
};

const fn close(verdict: CloseVerdict, numbers: &'static [i64]) -> Row<CloseVerdict> {
    Row { kind: verdict, numbers, span: 1, advice: verdict.words() }
}

const fn refusal(kind: RefusalKind, numbers: &'static [i64]) -> Row<RefusalKind> {
    Row { kind, numbers, span: 1, advice: kind.words() }
}

impl<K: Copy> Section<K> {
    /// The row of a code, if it has one.
    pub fn find(&self, code: i64) -> Option<&'static Row<K>> {
        self.rows.iter().find(|row| row.numbers.contains(&code.div_euclid(row.span)))
    }

    pub(crate) fn kind(&self, code: i64) -> Option<K> {
        self.find(code).map(|row| row.kind)
    }
}

impl<K: Copy> Row<K> {
    /// Every code of the row.
    pub fn codes(&self) -> impl Iterator<Item = i64> + use<K> {
        let Self { numbers, span, .. } = *self;
        numbers.iter().flat_map(move |number| number * span..(number + 1) * span)
    }

    /// What the person who runs the server should know or do about it.
    pub fn advice(&self, language: Language) -> &'static str {
        self.advice.in_language(language)
    }

    /// More than the kind's own advice.
    const fn saying(self, zh_cn: &'static str, en_us: &'static str) -> Self {
        Self { advice: Advice::new(zh_cn, en_us), ..self }
    }

    /// The platform gives these numbers out by the thousand: 302 stands for 302000 to 302999.
    const fn by_thousands(self) -> Self {
        Self { span: 1000, ..self }
    }
}

impl Advice {
    pub(crate) const fn new(zh_cn: &'static str, en_us: &'static str) -> Self {
        Self { zh_cn, en_us }
    }

    pub(crate) const fn in_language(self, language: Language) -> &'static str {
        match language {
            Language::ZhCn => self.zh_cn,
            Language::EnUs => self.en_us,
        }
    }
}
