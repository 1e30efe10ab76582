//! Intents: the bits of an Identify that choose events.

/// Bit of guild life-cycle events.
pub const GUILDS: u64 = 1;
/// Bit of guild member events.
pub const GUILD_MEMBERS: u64 = 1 << 1;
/// Bit of all messages of private-domain guild channels.
pub const GUILD_MESSAGES: u64 = 1 << 9;
/// Bit of guild direct messages.
pub const DIRECT_MESSAGE: u64 = 1 << 12;
/// Bit of group and single-chat events.
pub const GROUP_AND_C2C_EVENT: u64 = 1 << 25;
/// Bit of button and menu interactions.
pub const INTERACTION: u64 = 1 << 26;
/// Bit of message audit results.
pub const MESSAGE_AUDIT: u64 = 1 << 27;
/// Bit of public guild messages that mention the bot.
pub const PUBLIC_GUILD_MESSAGES: u64 = 1 << 30;

/// Every bit that the platform knows; an Identify with another bit is closed with 4013.
///
/// Source: QQ bot docs, event-emit/payload, July 2026 (bits 0, 1, 9, 10, 12, 25 to 30), and for 18, 19, 23 and 24
/// older pages and SDKs, which makes these four uncertain.
pub const KNOWN: u64 = GUILDS
    | GUILD_MEMBERS
    | GUILD_MESSAGES
    | 1 << 10
    | DIRECT_MESSAGE
    | 1 << 18
    | 1 << 19
    | 1 << 23
    | 1 << 24
    | GROUP_AND_C2C_EVENT
    | INTERACTION
    | MESSAGE_AUDIT
    | 1 << 28
    | 1 << 29
    | PUBLIC_GUILD_MESSAGES;

/// What an ordinary group bot may ask for, by practice: the default mask of the newest official SDK, and audits.
pub const USUALLY_PERMITTED: u64 =
    GUILDS | GUILD_MEMBERS | DIRECT_MESSAGE | GROUP_AND_C2C_EVENT | INTERACTION | MESSAGE_AUDIT | PUBLIC_GUILD_MESSAGES;
