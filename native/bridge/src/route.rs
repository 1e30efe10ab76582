use std::collections::BTreeMap;

use crate::clean;
use crate::frame::{Player, ToNative};
use crate::settings::{Group, Limits, Settings, TemplateName, ToGame};
use crate::template::{Placeholder, Template};
use crate::text::short_openid;

/// A name in the game longer than this is cut; nobody's is who did not mean to disturb.
const MEMBER_CHARS_MAX: usize = 32;

/// Something in the game that groups may want to hear of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GameEvent<'a> {
    Chat {
        player: &'a Player,
        text: &'a str,
    },
    Announcement {
        name: &'a str,
        text: &'a str,
    },
    /// An announcement that `/auk send` makes to the groups alone.
    Sent {
        name: &'a str,
        text: &'a str,
    },
    Emote {
        name: &'a str,
        text: &'a str,
    },
    Death {
        player: Option<&'a Player>,
        text: &'a str,
    },
    Advancement {
        player: Option<&'a Player>,
        text: &'a str,
    },
    Join {
        player: &'a Player,
    },
    Leave {
        player: &'a Player,
    },
    Start,
    Stop,
}

impl<'a> GameEvent<'a> {
    /// The event in a frame, if it has one.
    pub(crate) fn of(frame: &'a ToNative) -> Option<Self> {
        match frame {
            ToNative::ServerStarted => Some(Self::Start),
            ToNative::ServerStopping => Some(Self::Stop),
            ToNative::Chat { player, text } => Some(Self::Chat { player, text }),
            ToNative::Announcement { name, text } => Some(Self::Announcement { name, text }),
            ToNative::Emote { name, text } => Some(Self::Emote { name, text }),
            ToNative::Death { player, message } => Some(Self::Death { player: player.as_ref(), text: &message.text }),
            ToNative::Advancement { player, message } => Some(Self::Advancement { player: player.as_ref(), text: &message.text }),
            ToNative::Join { player } => Some(Self::Join { player }),
            ToNative::Leave { player } => Some(Self::Leave { player }),
            ToNative::Players { .. } | ToNative::Command(_) => None,
        }
    }

    fn player(self) -> &'a str {
        match self {
            Self::Chat { player, .. } | Self::Join { player } | Self::Leave { player } => &player.name,
            Self::Announcement { name, .. } | Self::Sent { name, .. } | Self::Emote { name, .. } => name,
            Self::Death { player, .. } | Self::Advancement { player, .. } => player.map_or("", |player| &player.name),
            Self::Start | Self::Stop => "",
        }
    }

    /// What it says beside its template; `None` when the template says it all.
    fn text(self) -> Option<&'a str> {
        match self {
            Self::Chat { text, .. }
            | Self::Announcement { text, .. }
            | Self::Sent { text, .. }
            | Self::Emote { text, .. }
            | Self::Death { text, .. }
            | Self::Advancement { text, .. } => Some(text),
            Self::Join { .. } | Self::Leave { .. } | Self::Start | Self::Stop => None,
        }
    }

    const fn wanted_by(self, group: &Group) -> bool {
        group.from_game
            && match self {
                Self::Chat { .. } | Self::Announcement { .. } | Self::Emote { .. } => group.chat,
                Self::Sent { .. } => true,
                Self::Death { .. } => group.death,
                Self::Advancement { .. } => group.advancement,
                Self::Join { .. } => group.join,
                Self::Leave { .. } => group.leave,
                Self::Start => group.start,
                Self::Stop => group.stop,
            }
    }
}

/// Which line goes where, and how it reads there.
#[derive(Debug)]
pub(crate) struct Routes {
    server: String,
    groups: BTreeMap<String, Group>,
    group_to_game: Template,
    chat: Template,
    announcement: Template,
    emote: Template,
    death: Template,
    advancement: Template,
    join: Template,
    leave: Template,
    start: Template,
    stop: Template,
    say_chars_max: usize,
}

impl Routes {
    /// The routes of usable settings.
    pub(crate) fn new(settings: &Settings) -> Self {
        let template = |name| settings.template(name).0;
        let Limits { say_chars_max, .. } = settings.limits;
        Self {
            server: settings.server.name.clone(),
            groups: settings.groups.iter().map(|group| (group.openid.clone(), group.clone())).collect(),
            group_to_game: template(TemplateName::GroupToGame),
            chat: template(TemplateName::Chat),
            announcement: template(TemplateName::Announcement),
            emote: template(TemplateName::Emote),
            death: template(TemplateName::Death),
            advancement: template(TemplateName::Advancement),
            join: template(TemplateName::Join),
            leave: template(TemplateName::Leave),
            start: template(TemplateName::Start),
            stop: template(TemplateName::Stop),
            say_chars_max: usize::try_from(say_chars_max).unwrap_or(usize::MAX),
        }
    }

    /// The openids of all groups.
    pub(crate) fn openids(&self) -> impl Iterator<Item = &String> {
        self.groups.keys()
    }

    /// Whether the settings name the group.
    pub(crate) fn knows(&self, openid: &str) -> bool {
        self.groups.contains_key(openid)
    }

    /// The groups, each with a label for the owner: the openid's beginning and the name, if it has one.
    pub(crate) fn labels(&self) -> impl Iterator<Item = (&String, String)> {
        self.groups.iter().map(|(openid, group)| {
            let short = short_openid(openid);
            let name = clean::minecraft(&group.name, MEMBER_CHARS_MAX);
            (openid, if name.is_empty() { short } else { format!("{short} {name}") })
        })
    }

    /// A line of the owner's for the groups, with the server's name before it.
    pub(crate) fn own_line(&self, text: &str) -> String {
        clean::qq(&format!("[{}] {text}", self.server))
    }

    /// The line of an event for each group that wants it. A line may be empty: then nothing of it can be shown.
    pub(crate) fn to_groups<'a>(&'a self, event: GameEvent<'a>) -> impl Iterator<Item = (&'a str, String)> {
        let template = match TemplateName::of(event) {
            TemplateName::GroupToGame => &self.group_to_game,
            TemplateName::Chat => &self.chat,
            TemplateName::Announcement => &self.announcement,
            TemplateName::Emote => &self.emote,
            TemplateName::Death => &self.death,
            TemplateName::Advancement => &self.advancement,
            TemplateName::Join => &self.join,
            TemplateName::Leave => &self.leave,
            TemplateName::Start => &self.start,
            TemplateName::Stop => &self.stop,
        };
        let says_nothing = event.text().is_some_and(|text| clean::qq(text).is_empty());
        self.groups.values().filter(move |group| event.wanted_by(group)).map(move |group| {
            let line = if says_nothing { String::new() } else { self.group_line(template, event, group) };
            (group.openid.as_str(), line)
        })
    }

    /// The line of a group's message for the game; `None` when the group's messages do not go there or nothing is left to show.
    pub(crate) fn to_game(&self, openid: &str, member: &str, text: &str, mentioned: bool) -> Option<String> {
        let group = self.groups.get(openid)?;
        let goes = match group.to_game {
            ToGame::All => true,
            ToGame::Mentioned => mentioned,
            ToGame::Off => false,
        };
        let text = clean::minecraft(text, self.say_chars_max);
        if !goes || text.is_empty() {
            return None;
        }
        let member = clean::minecraft(member, MEMBER_CHARS_MAX);
        let name = clean::minecraft(&group.name, MEMBER_CHARS_MAX);
        let line = self.group_to_game.fill(|placeholder| match placeholder {
            Placeholder::Member => &member,
            Placeholder::Text => &text,
            Placeholder::Group => &name,
            Placeholder::Server | Placeholder::Player => "",
        });
        // Once more, because a template may hold a section sign or a line break, and the border promises clean lines.
        Some(clean::minecraft(&line, usize::MAX))
    }

    fn group_line<'a>(&'a self, template: &Template, event: GameEvent<'a>, group: &'a Group) -> String {
        clean::qq(&template.fill(|placeholder| match placeholder {
            Placeholder::Server => &self.server,
            Placeholder::Player => event.player(),
            Placeholder::Group => &group.name,
            Placeholder::Text => event.text().unwrap_or_default(),
            Placeholder::Member => "",
        }))
    }
}
