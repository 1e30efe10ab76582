use auk_gateway::Language;
use serde_json::{Value, json};

use crate::words::words;

/// The command that all others hang below.
pub const ROOT: &str = "auk";

/// A command below [`ROOT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subcommand {
    /// Tells how the bridge is.
    Status,
    /// Reads the settings again.
    Reload,
    /// Makes another connection.
    Reconnect,
    /// Sends a line to the groups.
    Send,
    /// Tries the way to each group.
    Test,
    /// Lists the commands.
    Help,
}

impl Subcommand {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 6] = [Self::Status, Self::Reload, Self::Reconnect, Self::Send, Self::Test, Self::Help];

    /// The word that is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Reload => "reload",
            Self::Reconnect => "reconnect",
            Self::Send => "send",
            Self::Test => "test",
            Self::Help => "help",
        }
    }

    /// The permission level that the game asks for, 0 to 4. What only looks or speaks is for those who may use `/say` and the like from
    /// level 3 on; what changes the bridge is for the server's owner.
    pub const fn level(self) -> u8 {
        match self {
            Self::Status | Self::Send | Self::Test | Self::Help => 3,
            Self::Reload | Self::Reconnect => 4,
        }
    }

    /// The name of what has to follow the word, to the end of the line.
    pub const fn argument(self) -> Option<&'static str> {
        match self {
            Self::Send => Some("text"),
            Self::Status | Self::Reload | Self::Reconnect | Self::Test | Self::Help => None,
        }
    }

    /// What it does, in one line.
    pub fn help(self, language: Language) -> String {
        words(language).text(&format!("help-{}", self.name()))
    }

    /// The name that a permission plugin knows it by.
    pub fn node(self) -> String {
        format!("{ROOT}.command.{}", self.name())
    }

    /// As somebody types it, such as `/auk send <text>`.
    pub fn usage(self) -> String {
        let argument = self.argument().map(|argument| format!(" <{argument}>")).unwrap_or_default();
        format!("/{ROOT} {}{argument}", self.name())
    }
}

/// The commands as the shim reads them to tell the game: `{"root","commands":[{"name","level","node","argument"?,"help":{"zh_cn","en_us"}}]}`.
pub fn tree() -> Value {
    let commands = Subcommand::ALL.map(|command| {
        let mut entry = json!({
            "name": command.name(),
            "level": command.level(),
            "node": command.node(),
            "help": { "zh_cn": command.help(Language::ZhCn), "en_us": command.help(Language::EnUs) },
        });
        if let Some(argument) = command.argument() {
            entry["argument"] = argument.into();
        }
        entry
    });
    json!({ "root": ROOT, "commands": commands })
}
