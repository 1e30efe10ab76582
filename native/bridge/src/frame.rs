//! The frames that cross the border to Java: JSON in UTF-8 with a type tag.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::text::mend_surrogates;

/// The largest frame either side takes, in bytes.
///
/// 256 KiB hold a list of about three thousand players, which is far beyond any server; everything else is a line.
pub const FRAME_BYTES_MAX: usize = 256 * 1024;

/// A player on the Minecraft server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// The name shown in the game.
    pub name: String,
    /// The account's UUID with hyphens.
    pub uuid: String,
}

/// A text of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameText {
    /// As an English client reads it.
    pub text: String,
    /// The key that the game translates it by, such as `death.attack.mob`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What goes into the translation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<GameText>,
}

/// A command of `/auk` as somebody typed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The number that [`ToJava::Reply`] repeats.
    pub request: u64,
    /// The name that the game shows for whoever typed it.
    pub caller: String,
    /// The subcommand.
    pub name: String,
    /// What follows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
}

/// What the Minecraft server tells the bridge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToNative {
    /// Players can join.
    ServerStarted,
    /// The server begins to stop.
    ServerStopping,
    /// A player said something.
    Chat {
        /// Who said it.
        player: Player,
        /// What was said.
        text: String,
    },
    /// Somebody, who need not be a player, said something to everyone: `/say`.
    Announcement {
        /// Who said it, as the game shows it.
        name: String,
        /// What was said.
        text: String,
    },
    /// Somebody, who need not be a player, told what they do: `/me`.
    Emote {
        /// Who told it, as the game shows it.
        name: String,
        /// What was told.
        text: String,
    },
    /// Somebody died and the game said so.
    Death {
        /// Who died, if it was a player.
        player: Option<Player>,
        /// What the game said.
        message: GameText,
    },
    /// Somebody made an advancement and the game said so.
    Advancement {
        /// Who made it.
        player: Option<Player>,
        /// What the game said.
        message: GameText,
    },
    /// A player came.
    Join {
        /// Who came.
        player: Player,
    },
    /// A player left.
    Leave {
        /// Who left.
        player: Player,
    },
    /// The answer to [`ToJava::ListPlayers`].
    Players {
        /// The number of the question.
        request: u64,
        /// Everyone online.
        online: Vec<Player>,
        /// How many the server admits.
        max: i32,
    },
    /// Somebody typed a command; [`ToJava::Reply`] answers it.
    Command(Call),
}

/// What the bridge tells the Minecraft server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToJava {
    /// One line for every player, already cleaned.
    Say {
        /// The line.
        text: String,
    },
    /// Asks for the players online.
    ListPlayers {
        /// The number that the answer repeats.
        request: u64,
    },
    /// The one answer to [`ToNative::Command`].
    Reply {
        /// The number of the command.
        request: u64,
        /// What to show to the caller.
        lines: Vec<String>,
        /// Whether the command did not do what it was asked for.
        failed: bool,
    },
    /// A line for the server's own logger.
    Log {
        /// How much it matters.
        level: LogLevel,
        /// The part that speaks, such as `gateway`.
        logger: String,
        /// The line.
        text: String,
    },
    /// The last frame.
    End,
}

/// How much a log line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// A bug of ours.
    Error,
    /// Unusual, still working.
    Warn,
    /// Rare and worth knowing.
    Info,
    /// For whoever looks for a fault.
    Debug,
    /// For each message.
    Trace,
}

/// Why a frame was not taken.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The frame is longer than [`FRAME_BYTES_MAX`].
    #[error("the frame has {bytes} bytes, more than {FRAME_BYTES_MAX}")]
    TooLarge {
        /// Its length.
        bytes: usize,
    },
    /// The bytes are not UTF-8.
    #[error("the frame is not UTF-8")]
    NotUtf8,
    /// The text is not one of the frames of this border.
    #[error("the frame is not readable: {0}")]
    Unreadable(#[from] serde_json::Error),
}

impl ToNative {
    /// Reads a frame from Java.
    ///
    /// # Errors
    /// When the bytes are too many, not UTF-8, or no frame.
    pub fn decode(bytes: &[u8]) -> Result<Self, FrameError> {
        decode(bytes)
    }

    /// Writes the frame as Java would.
    ///
    /// # Errors
    /// When the frame is longer than [`FRAME_BYTES_MAX`].
    pub fn encode(&self) -> Result<Vec<u8>, FrameError> {
        encode(self)
    }
}

impl ToJava {
    /// Reads a frame as Java would.
    ///
    /// # Errors
    /// When the bytes are too many, not UTF-8, or no frame.
    pub fn decode(bytes: &[u8]) -> Result<Self, FrameError> {
        decode(bytes)
    }

    /// Writes a frame for Java.
    ///
    /// # Errors
    /// When the frame is longer than [`FRAME_BYTES_MAX`].
    pub fn encode(&self) -> Result<Vec<u8>, FrameError> {
        encode(self)
    }
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, FrameError> {
    check_length(bytes.len())?;
    let json = std::str::from_utf8(bytes).map_err(|_| FrameError::NotUtf8)?;
    serde_json::from_str(json).or_else(|first| {
        let mended = mend_surrogates(json);
        if mended == json { Err(first.into()) } else { Ok(serde_json::from_str(&mended)?) }
    })
}

fn encode<T: Serialize>(frame: &T) -> Result<Vec<u8>, FrameError> {
    let bytes = serde_json::to_vec(frame)?;
    check_length(bytes.len())?;
    Ok(bytes)
}

fn check_length(bytes: usize) -> Result<(), FrameError> {
    if bytes > FRAME_BYTES_MAX { Err(FrameError::TooLarge { bytes }) } else { Ok(()) }
}
