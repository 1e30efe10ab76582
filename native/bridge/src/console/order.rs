use auk_gateway::Language;

use super::{Answer, ROOT, Subcommand};
use crate::frame::Call;
use crate::words::words;

/// A command that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// [`Subcommand::Status`]
    Status,
    /// [`Subcommand::Reload`]
    Reload,
    /// [`Subcommand::Reconnect`]
    Reconnect,
    /// [`Subcommand::Send`]
    Send {
        /// The line; never only spaces.
        text: String,
    },
    /// [`Subcommand::Test`]
    Test,
    /// [`Subcommand::Help`]
    Help,
}

impl Order {
    /// Reads what was typed.
    ///
    /// # Errors
    /// The answer, in a language, to a name that is none and to an argument that is missing.
    pub fn read(call: &Call, language: Language) -> Result<Self, Answer> {
        let words = words(language);
        let Some(command) = Subcommand::ALL.into_iter().find(|command| command.name() == call.name) else {
            let names = Subcommand::ALL.map(Subcommand::name).join(" ");
            let values = [("name", call.name.as_str().into()), ("root", ROOT.into()), ("names", names.into())];
            return Err(Answer::failure(words.fill("command-unknown", values)));
        };
        let argument = call.argument.as_deref().map(str::trim).filter(|argument| !argument.is_empty());
        match command {
            Subcommand::Status => Ok(Self::Status),
            Subcommand::Reload => Ok(Self::Reload),
            Subcommand::Reconnect => Ok(Self::Reconnect),
            Subcommand::Test => Ok(Self::Test),
            Subcommand::Help => Ok(Self::Help),
            Subcommand::Send => match argument {
                Some(text) => Ok(Self::Send { text: text.to_owned() }),
                None => Err(Answer::failure(words.fill("command-incomplete", [("usage", command.usage().into())]))),
            },
        }
    }
}
