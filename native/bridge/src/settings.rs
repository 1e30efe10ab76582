use std::collections::BTreeSet;

use serde::Deserialize;

use crate::problem::Problem;
use crate::route::GameEvent;
use crate::template::{Flaw, Placeholder, Template};
use crate::text::short_openid;
use auk_gateway::Language;

/// The bridge's part of `auk.toml`: the tables `[server]`, `[[groups]]`, `[messages]` and `[limits]`.
///
/// Other tables of the file are not looked at; a key that one of these tables does not know is an error of the reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The language of Auk's own words.
    pub language: Language,
    /// `[server]`
    pub server: Server,
    /// `[[groups]]`
    pub groups: Vec<Group>,
    /// `[messages]`
    pub messages: Messages,
    /// `[limits]`
    pub limits: Limits,
}

/// The Minecraft server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// The name in lines to groups: `{server}`.
    pub name: String,
}

/// A QQ group and what goes where.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The platform's name of the group for this bot. Not the group's number.
    pub openid: String,
    /// A name for `{group}`.
    #[serde(default)]
    pub name: String,
    /// Which messages of the group go to the game.
    #[serde(default)]
    pub to_game: ToGame,
    /// Whether anything of the game goes to the group.
    #[serde(default = "yes")]
    pub from_game: bool,
    /// Whether chat lines, announcements (`/say`) and emotes (`/me`) go to the group.
    #[serde(default = "yes")]
    pub chat: bool,
    /// Whether the game's words about a death go to the group.
    #[serde(default = "yes")]
    pub death: bool,
    /// Whether the game's words about an advancement go to the group.
    #[serde(default = "yes")]
    pub advancement: bool,
    /// Whether players' coming goes to the group.
    #[serde(default = "yes")]
    pub join: bool,
    /// Whether players' leaving goes to the group.
    #[serde(default = "yes")]
    pub leave: bool,
    /// Whether the server's start goes to the group.
    #[serde(default = "yes")]
    pub start: bool,
    /// Whether the server's stop goes to the group.
    #[serde(default = "yes")]
    pub stop: bool,
}

/// Which messages of a group go to the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToGame {
    /// Every message that the platform delivers.
    #[default]
    All,
    /// Those that mention the bot.
    Mentioned,
    /// None.
    Off,
}

/// Templates for the lines; `None` takes the language's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Messages {
    /// A group's message in the game: `{member}`, `{text}`, `{group}`.
    pub group_to_game: Option<String>,
    /// A chat line in a group: `{server}`, `{player}`, `{text}`, `{group}`.
    pub chat: Option<String>,
    /// An announcement in a group, by `/say` or `/auk send`: `{server}`, `{player}`, `{text}`, `{group}`.
    pub announcement: Option<String>,
    /// What somebody does, by `/me`: `{server}`, `{player}`, `{text}`, `{group}`.
    pub emote: Option<String>,
    /// Somebody died: `{server}`, `{player}`, `{text}` (all that the game says), `{group}`.
    pub death: Option<String>,
    /// Somebody made an advancement: `{server}`, `{player}`, `{text}` (all that the game says), `{group}`.
    pub advancement: Option<String>,
    /// A player came: `{server}`, `{player}`, `{group}`.
    pub join: Option<String>,
    /// A player left: `{server}`, `{player}`, `{group}`.
    pub leave: Option<String>,
    /// The server started: `{server}`, `{group}`.
    pub start: Option<String>,
    /// The server stops: `{server}`, `{group}`.
    pub stop: Option<String>,
}

/// Numbers that bound what Auk sends and keeps.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Active messages a minute to one group. 20 per relation (QQ bot docs, message overview, July 2026).
    pub active_per_minute: u32,
    /// Active messages a minute to all groups together. 30 for an uncertified bot, 60 for a certified one (same page).
    pub active_per_minute_total: u32,
    /// Lines that wait for one group. 200 are some minutes of a busy server; nobody scrolls through more.
    pub waiting_lines_max: u32,
    /// Minutes a line may wait. Ten minutes bridge an outage of the platform; older chat would read as if just said.
    pub waiting_minutes_max: u32,
    /// Characters of one group message in the game. 256 is what the game allows a player's own line.
    pub say_chars_max: u32,
}

impl Default for Server {
    fn default() -> Self {
        Self { name: "Minecraft".to_owned() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { active_per_minute: 20, active_per_minute_total: 30, waiting_lines_max: 200, waiting_minutes_max: 10, say_chars_max: 256 }
    }
}

impl Settings {
    /// Everything that is wrong, all at once. None of it stops the bridge: what is wrong is left out, left as typed, or brought
    /// within its bounds.
    pub fn validate(&self) -> Vec<Problem> {
        let mut problems = self.group_problems();
        for name in TemplateName::ALL {
            let (_, flaws) = self.template(name);
            problems.extend(flaws.into_iter().map(|flaw| Problem::from_flaw(name, flaw)));
        }
        for (limit, value, min, max) in self.limits.table() {
            if !(min..=max).contains(&value) {
                problems.push(Problem::LimitOutOfRange { limit, value, min, max });
            }
        }
        problems
    }

    /// The settings with empty and repeated groups left out and every limit within its bounds.
    pub(crate) fn usable(mut self) -> Self {
        let mut seen = BTreeSet::new();
        for group in &mut self.groups {
            group.openid = group.openid.trim().to_owned();
        }
        self.groups.retain(|group| !group.openid.is_empty() && seen.insert(group.openid.clone()));
        let [a, b, c, d, e] = self.limits.table().map(|(_, value, min, max)| value.clamp(min, max));
        self.limits =
            Limits { active_per_minute: a, active_per_minute_total: b, waiting_lines_max: c, waiting_minutes_max: d, say_chars_max: e };
        self
    }

    /// A template as written, else the language's own.
    pub(crate) fn template(&self, name: TemplateName) -> (Template, Vec<Flaw>) {
        let written = match name {
            TemplateName::GroupToGame => &self.messages.group_to_game,
            TemplateName::Chat => &self.messages.chat,
            TemplateName::Announcement => &self.messages.announcement,
            TemplateName::Emote => &self.messages.emote,
            TemplateName::Death => &self.messages.death,
            TemplateName::Advancement => &self.messages.advancement,
            TemplateName::Join => &self.messages.join,
            TemplateName::Leave => &self.messages.leave,
            TemplateName::Start => &self.messages.start,
            TemplateName::Stop => &self.messages.stop,
        };
        let source = written.as_deref().unwrap_or_else(|| name.own(self.language));
        Template::read(source, name.known())
    }

    fn group_problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut seen = BTreeSet::new();
        for (index, group) in self.groups.iter().enumerate() {
            let openid = group.openid.trim();
            let position = index + 1;
            if openid.is_empty() {
                problems.push(Problem::OpenidEmpty { position });
            } else if !seen.insert(openid) {
                problems.push(Problem::OpenidTwice { position, openid: short_openid(openid) });
            } else if openid.len() <= GROUP_NUMBER_DIGITS_MAX && openid.chars().all(|c| c.is_ascii_digit()) {
                problems.push(Problem::OpenidIsNumber { position });
            }
        }
        problems
    }
}

/// Group numbers of QQ have up to ten digits, openids have 32 characters (QQ bot docs, unique-id, 2025-04-21).
const GROUP_NUMBER_DIGITS_MAX: usize = 12;

impl Limits {
    /// Name, value, least and greatest value of each.
    fn table(&self) -> [(&'static str, u32, u32, u32); 5] {
        [
            ("active_per_minute", self.active_per_minute, 0, 60),
            ("active_per_minute_total", self.active_per_minute_total, 0, 600),
            ("waiting_lines_max", self.waiting_lines_max, 1, 10_000),
            ("waiting_minutes_max", self.waiting_minutes_max, 1, 24 * 60),
            ("say_chars_max", self.say_chars_max, 16, 4_000),
        ]
    }
}

/// The name of a template in `[messages]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemplateName {
    GroupToGame,
    Chat,
    Announcement,
    Emote,
    Death,
    Advancement,
    Join,
    Leave,
    Start,
    Stop,
}

impl TemplateName {
    const ALL: [Self; 10] = [
        Self::GroupToGame,
        Self::Chat,
        Self::Announcement,
        Self::Emote,
        Self::Death,
        Self::Advancement,
        Self::Join,
        Self::Leave,
        Self::Start,
        Self::Stop,
    ];

    /// The template that renders an event of the game.
    pub(crate) const fn of(event: GameEvent<'_>) -> Self {
        match event {
            GameEvent::Chat { .. } => Self::Chat,
            GameEvent::Announcement { .. } | GameEvent::Sent { .. } => Self::Announcement,
            GameEvent::Emote { .. } => Self::Emote,
            GameEvent::Death { .. } => Self::Death,
            GameEvent::Advancement { .. } => Self::Advancement,
            GameEvent::Join { .. } => Self::Join,
            GameEvent::Leave { .. } => Self::Leave,
            GameEvent::Start => Self::Start,
            GameEvent::Stop => Self::Stop,
        }
    }

    /// The key in `[messages]`.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::GroupToGame => "group_to_game",
            Self::Chat => "chat",
            Self::Announcement => "announcement",
            Self::Emote => "emote",
            Self::Death => "death",
            Self::Advancement => "advancement",
            Self::Join => "join",
            Self::Leave => "leave",
            Self::Start => "start",
            Self::Stop => "stop",
        }
    }

    /// The placeholders it may have.
    pub(crate) const fn known(self) -> &'static [Placeholder] {
        match self {
            Self::GroupToGame => &[Placeholder::Member, Placeholder::Text, Placeholder::Group],
            Self::Chat | Self::Announcement | Self::Emote | Self::Death | Self::Advancement => {
                &[Placeholder::Server, Placeholder::Player, Placeholder::Text, Placeholder::Group]
            }
            Self::Join | Self::Leave => &[Placeholder::Server, Placeholder::Player, Placeholder::Group],
            Self::Start | Self::Stop => &[Placeholder::Server, Placeholder::Group],
        }
    }

    const fn own(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::GroupToGame, Language::ZhCn | Language::EnUs) => "[QQ] {member}: {text}",
            (Self::Chat, Language::ZhCn | Language::EnUs) => "[{server}] {player}: {text}",
            (Self::Announcement, Language::ZhCn | Language::EnUs) => "[{server}] [{player}] {text}",
            (Self::Emote, Language::ZhCn | Language::EnUs) => "[{server}] * {player} {text}",
            // The game's own words name who it is about.
            (Self::Death | Self::Advancement, Language::ZhCn | Language::EnUs) => "[{server}] {text}",
            (Self::Join, Language::ZhCn) => "[{server}] {player} 加入了游戏",
            (Self::Join, Language::EnUs) => "[{server}] {player} joined the game",
            (Self::Leave, Language::ZhCn) => "[{server}] {player} 离开了游戏",
            (Self::Leave, Language::EnUs) => "[{server}] {player} left the game",
            (Self::Start, Language::ZhCn) => "[{server}] 服务器已启动",
            (Self::Start, Language::EnUs) => "[{server}] The server has started",
            (Self::Stop, Language::ZhCn) => "[{server}] 服务器正在关闭",
            (Self::Stop, Language::EnUs) => "[{server}] The server is stopping",
        }
    }
}

const fn yes() -> bool {
    true
}
