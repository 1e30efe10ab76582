//! Fabric Loader's choice: which of a mod's nested mods it loads with a version of everything, or why it refuses the start.
//!
//! A mod in `mods/` must load, so what it lacks stops the start. One that is nested is loaded if it can be, and left out in silence else.

use std::collections::BTreeMap;

use auk_linkage::{LoaderVersion, OddPredicate, Predicate, accepts_any};

use crate::{FabricMod, ModJar};

/// What there is beside the mod: the game, Java, the loader and other mods, by mod id, in the form that the loader gives versions.
#[derive(Debug, Clone)]
pub struct FabricLoader {
    versions: BTreeMap<String, LoaderVersion>,
}

/// Why the loader does not start the game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A mod needs another that is not there, or not in a version that fits.
    #[error("mod {needy:?} needs {needed:?} in {wanted:?}, and there is {found}")]
    Unmet {
        /// The mod that needs it.
        needy: String,
        /// The mod that is needed.
        needed: String,
        /// The predicates, one of which must hold.
        wanted: Vec<String>,
        /// The version that there is, or `none`.
        found: String,
    },
    /// A predicate is none to the loader.
    #[error(transparent)]
    Odd(#[from] OddPredicate),
}

impl FabricLoader {
    /// A loader with this much and nothing else.
    pub fn new<'a>(versions: impl IntoIterator<Item = (&'a str, LoaderVersion)>) -> Self {
        Self { versions: versions.into_iter().map(|(id, version)| (id.to_owned(), version)).collect() }
    }

    /// A loader of the newest kind with the newest Fabric API, on `minecraft` and `java`.
    pub fn with(minecraft: LoaderVersion, java: u32) -> Self {
        let read = |text: &str| LoaderVersion::read(text);
        Self::new([
            ("minecraft", minecraft),
            ("java", read(&java.to_string())),
            ("fabricloader", read("0.19.2")),
            ("fabric-api", read("0.150.0")),
        ])
    }

    /// The same with one more, or another version of it.
    #[must_use]
    pub fn and(mut self, id: &str, version: &str) -> Self {
        self.versions.insert(id.to_owned(), LoaderVersion::read(version));
        self
    }

    /// The same without one.
    #[must_use]
    pub fn without(mut self, id: &str) -> Self {
        self.versions.remove(id);
        self
    }

    /// What there is, by mod id.
    pub fn versions(&self) -> &BTreeMap<String, LoaderVersion> {
        &self.versions
    }

    /// The nested mods that are loaded with `jar`, by their places in [`ModJar::nested`].
    ///
    /// # Errors
    ///
    /// [`Refusal`] where the loader would stop with an error.
    pub fn choose(&self, jar: &ModJar) -> Result<Vec<usize>, Refusal> {
        let mut chosen = Vec::new();
        let mut there = self.versions.clone();
        for (place, (nested, _)) in jar.nested.iter().enumerate() {
            match unmet(nested, &self.versions) {
                Ok(()) => {
                    chosen.push(place);
                    there.insert(nested.id.clone(), LoaderVersion::read(&nested.version));
                }
                Err(Refusal::Unmet { .. }) => {}
                Err(odd @ Refusal::Odd(_)) => return Err(odd),
            }
        }
        unmet(&jar.outer, &there).map(|()| chosen)
    }
}

fn unmet(needy: &FabricMod, there: &BTreeMap<String, LoaderVersion>) -> Result<(), Refusal> {
    for (needed, wanted) in &needy.depends {
        let predicates = wanted.iter().map(|text| Predicate::read(text)).collect::<Result<Vec<_>, _>>()?;
        let found = there.get(needed);
        if !found.is_some_and(|version| accepts_any(&predicates, version)) {
            return Err(Refusal::Unmet {
                needy: needy.id.clone(),
                needed: needed.clone(),
                wanted: wanted.clone(),
                found: found.map_or_else(|| "none".to_owned(), ToString::to_string),
            });
        }
    }
    Ok(())
}
