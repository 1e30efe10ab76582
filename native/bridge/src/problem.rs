use std::fmt;

use crate::settings::TemplateName;
use crate::template::Flaw;
use crate::words::words;
use auk_gateway::Language;

/// Something in the settings that is not as its owner meant it. None stops the bridge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A group without an openid; it is left out.
    OpenidEmpty {
        /// Which `[[groups]]` entry, from 1.
        position: usize,
    },
    /// A group that was named before; the first entry counts.
    OpenidTwice {
        /// Which `[[groups]]` entry, from 1.
        position: usize,
        /// The openid's first characters.
        openid: String,
    },
    /// A group's number where its openid belongs; the platform does not know groups by number.
    OpenidIsNumber {
        /// Which `[[groups]]` entry, from 1.
        position: usize,
    },
    /// A template asks for something it cannot have; it is left as typed.
    PlaceholderUnknown {
        /// The key in `[messages]`.
        template: &'static str,
        /// The name between the braces.
        name: String,
        /// What this template knows.
        known: Vec<&'static str>,
    },
    /// A template has a `{` without its `}`; it is left as typed.
    BraceNotClosed {
        /// The key in `[messages]`.
        template: &'static str,
    },
    /// A template has a `}` without its `{`; it is left as typed.
    BraceNotOpened {
        /// The key in `[messages]`.
        template: &'static str,
    },
    /// A template has a section sign; it and its code are taken out of every line.
    SectionSign {
        /// The key in `[messages]`.
        template: &'static str,
    },
    /// A limit beyond its bounds; the nearest bound counts.
    LimitOutOfRange {
        /// The key in `[limits]`.
        limit: &'static str,
        /// What was written.
        value: u32,
        /// The least that counts.
        min: u32,
        /// The most that counts.
        max: u32,
    },
}

impl Problem {
    pub(crate) fn from_flaw(template: TemplateName, flaw: Flaw) -> Self {
        let key = template.key();
        match flaw {
            Flaw::Unknown(name) => Self::PlaceholderUnknown {
                template: key,
                name,
                known: template.known().iter().map(|placeholder| placeholder.name()).collect(),
            },
            Flaw::NotClosed => Self::BraceNotClosed { template: key },
            Flaw::NotOpened => Self::BraceNotOpened { template: key },
            Flaw::SectionSign => Self::SectionSign { template: key },
        }
    }

    /// The problem in words for the owner.
    pub fn words(&self, language: Language) -> String {
        let words = words(language);
        match self {
            Self::OpenidEmpty { position } => words.fill("problem-openid-empty", [("position", (*position).into())]),
            Self::OpenidTwice { position, openid } => {
                words.fill("problem-openid-twice", [("position", (*position).into()), ("openid", openid.into())])
            }
            Self::OpenidIsNumber { position } => words.fill("problem-openid-is-number", [("position", (*position).into())]),
            Self::PlaceholderUnknown { template, name, known } => words.fill(
                "problem-placeholder-unknown",
                [
                    ("template", (*template).into()),
                    ("name", format!("{{{name}}}").into()),
                    ("known", known.iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(" ").into()),
                ],
            ),
            Self::BraceNotClosed { template } => words.fill("problem-brace-not-closed", [("template", (*template).into())]),
            Self::BraceNotOpened { template } => words.fill("problem-brace-not-opened", [("template", (*template).into())]),
            Self::SectionSign { template } => words.fill("problem-section-sign", [("template", (*template).into())]),
            Self::LimitOutOfRange { limit, value, min, max } => words.fill(
                "problem-limit-out-of-range",
                [("limit", (*limit).into()), ("value", (*value).into()), ("min", (*min).into()), ("max", (*max).into())],
            ),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(Language::EnUs))
    }
}
