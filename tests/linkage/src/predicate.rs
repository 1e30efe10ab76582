//! Fabric Loader's version predicates: what a mod writes into `depends`.
//!
//! The rules follow `VersionPredicateParser` and `VersionComparisonOperator` of Fabric Loader.

use std::cmp::Ordering;

use crate::loader_version::LoaderVersion;

/// One predicate: `>=1.20.1- <26-`, `1.21.x`, `~1.20.1`, `*`. All that it asks for must hold; of several in an array one must.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate {
    terms: Vec<Term>,
}

/// A predicate at which the loader stops with an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the version predicate {predicate:?} is refused: {why}")]
pub struct OddPredicate {
    /// The whole predicate.
    pub predicate: String,
    /// What the loader has against it.
    pub why: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    operator: Operator,
    version: LoaderVersion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    AtLeast,
    AtMost,
    After,
    Before,
    Equal,
    SameMinor,
    SameMajor,
}

/// In the order in which the loader looks for them.
const OPERATORS: [(&str, Operator); 7] = [
    (">=", Operator::AtLeast),
    ("<=", Operator::AtMost),
    (">", Operator::After),
    ("<", Operator::Before),
    ("=", Operator::Equal),
    ("~", Operator::SameMinor),
    ("^", Operator::SameMajor),
];

impl Predicate {
    /// Reads a predicate.
    ///
    /// # Errors
    ///
    /// [`OddPredicate`] where the loader would refuse the mod.
    pub fn read(text: &str) -> Result<Self, OddPredicate> {
        let words = text.split(' ').map(str::trim).filter(|word| !word.is_empty() && *word != "*");
        let terms = words.map(|word| Term::read(word).map_err(|why| OddPredicate { predicate: text.to_owned(), why }));
        Ok(Self { terms: terms.collect::<Result<_, _>>()? })
    }

    /// Whether `version` is one that the predicate asks for.
    pub fn accepts(&self, version: &LoaderVersion) -> bool {
        self.terms.iter().all(|term| term.accepts(version))
    }
}

/// Whether one of `predicates` accepts `version`: what an array in `depends` means.
pub fn accepts_any(predicates: &[Predicate], version: &LoaderVersion) -> bool {
    predicates.iter().any(|predicate| predicate.accepts(version))
}

impl Term {
    fn read(word: &str) -> Result<Self, &'static str> {
        let stripped = OPERATORS.iter().find_map(|(sign, operator)| Some((*operator, word.strip_prefix(sign)?)));
        let (operator, version) = stripped.unwrap_or((Operator::Equal, word));
        match LoaderVersion::read_pattern(version) {
            LoaderVersion::Semantic(version) if version.is_pattern() => {
                if operator != Operator::Equal {
                    return Err("an x-range stands without an operator");
                }
                let operator = if version.length() == 1 { Operator::SameMajor } else { Operator::SameMinor };
                Ok(Self { operator, version: LoaderVersion::Semantic(version.floor()) })
            }
            version @ LoaderVersion::Semantic(_) => Ok(Self { operator, version }),
            LoaderVersion::Plain(_) if !operator.includes_its_end() => Err("only a semantic version can be an open end"),
            version @ LoaderVersion::Plain(_) => Ok(Self { operator, version }),
        }
    }

    fn accepts(&self, version: &LoaderVersion) -> bool {
        let (LoaderVersion::Semantic(left), LoaderVersion::Semantic(right)) = (version, &self.version) else {
            return self.operator.includes_its_end() && version.to_string() == self.version.to_string();
        };
        let order = left.compare(right);
        let same = |count| (0..count).all(|index| left.component(index) == right.component(index));
        match self.operator {
            Operator::AtLeast => order != Ordering::Less,
            Operator::AtMost => order != Ordering::Greater,
            Operator::After => order == Ordering::Greater,
            Operator::Before => order == Ordering::Less,
            Operator::Equal => order == Ordering::Equal,
            Operator::SameMinor => order != Ordering::Less && same(2),
            Operator::SameMajor => order != Ordering::Less && same(1),
        }
    }
}

impl Operator {
    fn includes_its_end(self) -> bool {
        match self {
            Self::AtLeast | Self::AtMost | Self::Equal | Self::SameMinor | Self::SameMajor => true,
            Self::After | Self::Before => false,
        }
    }
}
