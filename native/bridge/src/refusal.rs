//! What the platform means by its numbers: data, and nothing else.

use self::RefusalKind::*;

/// What a refusal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The message that was answered cannot be answered any more: another way is to be found.
    TicketSpent,
    /// The pair of `msg_id` and `msg_seq` was there before.
    Duplicate,
    /// Taken, and held for an audit. Not to be sent again.
    InAudit,
    /// Too many active messages.
    ActiveQuota,
    /// Too many calls.
    RateLimited,
    /// The text holds something like an address of the web.
    UrlRefused,
    /// The group or the platform does not allow active messages.
    ActiveForbidden,
    /// The bot may not speak in the group.
    Muted,
    /// The bot is not in the group, or the group is not known for this bot.
    NotInGroup,
    /// The bot may not send at all: banned, delisted, deleted.
    BotDisabled,
    /// The text is too long.
    TooLong,
    /// Trouble of the platform's own.
    Transient,
    /// The token or the caller's address was not accepted.
    Unauthorized,
    /// The platform will not take this text, now or later.
    TextRefused,
    /// A number without a known meaning.
    Unknown,
}

/// Code and meaning. Sources: QQ bot docs, group messages and api-call-guide (error tables, July 2026); error-trace/openapi
/// (2025-04-21). Numbers of both `err_code` and the older `code` are here, because either may come alone.
pub const REFUSALS: &[(i64, RefusalKind)] = &[
    (22009, TicketSpent),
    (304026, TicketSpent),
    (304027, TicketSpent),
    (304103, TicketSpent),
    (40034005, TicketSpent),
    (40034024, TicketSpent),
    (40034025, TicketSpent),
    (40034026, TicketSpent),
    (40034027, TicketSpent),
    (40034128, TicketSpent),
    (40054005, Duplicate),
    (304023, InAudit),
    (304024, InAudit),
    (40034100, ActiveQuota),
    (20028, RateLimited),
    (100017, RateLimited),
    (1100100, RateLimited),
    (40023001, RateLimited),
    (304003, UrlRefused),
    (40034028, UrlRefused),
    (40054010, UrlRefused),
    (40034102, ActiveForbidden),
    (40034105, ActiveForbidden),
    (40054013, ActiveForbidden),
    (850018, Muted),
    (40054002, Muted),
    (11255, NotInGroup),
    (1100104, NotInGroup),
    (1100301, NotInGroup),
    (40011028, NotInGroup),
    (40034101, NotInGroup),
    (40054003, NotInGroup),
    (11253, BotDisabled),
    (11254, BotDisabled),
    (11265, BotDisabled),
    (11700, BotDisabled),
    (40054016, BotDisabled),
    (40054007, TooLong),
    (40054018, TooLong),
    (11252, Transient),
    (11263, Transient),
    (11281, Transient),
    (12001, Transient),
    (12002, Transient),
    (12003, Transient),
    (304006, Transient),
    (304018, Transient),
    (340067, Transient),
    (1100300, Transient),
    (50055001, Transient),
    (50055002, Transient),
    (11241, Unauthorized),
    (11242, Unauthorized),
    (11243, Unauthorized),
    (11244, Unauthorized),
    (11245, Unauthorized),
    (11251, Unauthorized),
    (11261, Unauthorized),
    (11275, Unauthorized),
    (11298, Unauthorized),
    (40023002, Unauthorized),
    (22006, TextRefused),
    (50006, TextRefused),
    (304061, TextRefused),
    (1100101, TextRefused),
    (40034006, TextRefused),
];

impl RefusalKind {
    /// The meaning of an answer: by its code, else by its HTTP status; `None` when a server failed without saying what became of
    /// the request.
    pub(crate) fn of(code: Option<i64>, status: u16) -> Option<Self> {
        let by_code = code.and_then(|code| REFUSALS.iter().find(|(known, _)| *known == code));
        match (by_code, status) {
            (Some((_, kind)), _) => Some(*kind),
            (None, 401) => Some(Unauthorized),
            (None, 429) => Some(RateLimited),
            (None, 500..) if code.is_none() => None,
            (None, _) => Some(Unknown),
        }
    }
}
