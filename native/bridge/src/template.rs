//! Lines with named gaps, such as `[{server}] {player}: {text}`.

/// A gap that a template may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placeholder {
    /// The server's name.
    Server,
    /// The player's name.
    Player,
    /// The group member's name.
    Member,
    /// The group's name.
    Group,
    /// What was said.
    Text,
}

impl Placeholder {
    /// The name between the braces.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Placeholder::Server => "server",
            Placeholder::Player => "player",
            Placeholder::Member => "member",
            Placeholder::Group => "group",
            Placeholder::Text => "text",
        }
    }
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// A name that this template does not know.
    Unknown(String),
    /// A `{` without its `}`.
    NotClosed,
    /// A `}` without its `{`.
    NotOpened,
    /// A section sign, which the cleaning takes out.
    SectionSign,
}

/// A template, ready to be filled. `{{` and `}}` are literal braces; what is flawed stays as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Gap(Placeholder),
}

impl Template {
    /// Reads a template that knows `known`, and tells all its flaws.
    pub(crate) fn read(source: &str, known: &[Placeholder]) -> (Self, Vec<Flaw>) {
        let mut pieces = Vec::new();
        let mut flaws = Vec::new();
        let mut literal = String::new();
        let mut rest = source;
        while let Some(at) = rest.find(['{', '}']) {
            literal.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            let after = &rest[at + 1..];
            if let Some(beyond) = after.strip_prefix(brace) {
                literal.push_str(brace);
                rest = beyond;
            } else if brace == "}" {
                flaws.push(Flaw::NotOpened);
                literal.push('}');
                rest = after;
            } else if let Some((name, beyond)) = after.split_once('}').filter(|(name, _)| !name.contains('{')) {
                match known.iter().find(|placeholder| placeholder.name() == name.trim()) {
                    Some(placeholder) => {
                        pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                        pieces.push(Piece::Gap(*placeholder));
                    }
                    None => {
                        flaws.push(Flaw::Unknown(name.to_owned()));
                        literal.push_str(&rest[at..at + name.len() + 2]);
                    }
                }
                rest = beyond;
            } else {
                flaws.push(Flaw::NotClosed);
                literal.push('{');
                rest = after;
            }
        }
        literal.push_str(rest);
        if source.contains('§') {
            flaws.push(Flaw::SectionSign);
        }
        pieces.push(Piece::Literal(literal));
        (Self(pieces), flaws)
    }

    /// Fills the gaps.
    pub(crate) fn fill<'a>(&self, value: impl Fn(Placeholder) -> &'a str) -> String {
        let mut line = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Literal(text) => line.push_str(text),
                Piece::Gap(placeholder) => line.push_str(value(*placeholder)),
            }
        }
        line
    }
}
