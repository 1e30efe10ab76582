use serde::Deserialize;

/// A language of the texts for people: advice in the log, words in the group and in the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Language {
    /// Simplified Chinese.
    #[default]
    #[serde(rename = "zh-CN")]
    ZhCn,
    /// English.
    #[serde(rename = "en-US")]
    EnUs,
}
