//! Whether a jar links on a server of some version.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use crate::class_file::ClassFile;
use crate::failure::{Failure, Reason};
use crate::jar::{self, UnreadableJar};
use crate::linker::Linker;
use crate::model::Model;
use crate::table::Table;
use crate::version::Version;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// How many references were resolved: different ones of each class, those to Java's own classes included.
    pub references_checked: usize,
    /// What would go wrong, in the order of the classes.
    pub failures: Vec<Failure>,
}

/// A jar to check together with the jars that it finds beside it at run time; read once, to be checked for many versions.
#[derive(Debug, Clone)]
pub struct Linkage {
    /// The names of the classes to check, in their order.
    checked: Vec<String>,
    own: HashMap<String, ClassFile>,
}

/// Reads the jars and checks `adapter_jar` for one version: [`Linkage::read`] and [`Linkage::check`].
///
/// # Errors
///
/// As [`Linkage::read`].
pub fn check(adapter_jar: &Path, others: &[&Path], version: Version, table: &Table) -> Result<Report, UnreadableJar> {
    Ok(Linkage::read(adapter_jar, others)?.check(version, table))
}

impl Linkage {
    /// Reads the jar to check, and `others`: the jars whose classes it may refer to, which are not checked themselves, such as the mod's
    /// common part, Gson and slf4j.
    ///
    /// # Errors
    ///
    /// [`UnreadableJar`] when a jar or a class in it cannot be read.
    pub fn read(adapter_jar: &Path, others: &[&Path]) -> Result<Self, UnreadableJar> {
        let mut own = HashMap::new();
        for other in others {
            own.extend(jar::classes(other)?.into_iter().map(|class| (class.name.clone(), class)));
        }
        let adapter = jar::classes(adapter_jar)?;
        let mut checked: Vec<String> = adapter.iter().map(|class| class.name.clone()).collect();
        checked.sort();
        own.extend(adapter.into_iter().map(|class| (class.name.clone(), class)));
        Ok(Self { checked, own })
    }

    /// The same jar, of which only the classes that `runs` on the server in question are checked.
    pub fn only(mut self, runs: impl Fn(&str) -> bool) -> Self {
        self.checked.retain(|class| runs(class));
        self
    }

    /// Resolves every reference of the jar as a server of `version` would.
    pub fn check(&self, version: Version, table: &Table) -> Report {
        let model = Model::new(table, &[version]);
        let linker = Linker::new(&self.own, &model, table.rows_of(version));
        let mut report = Report { references_checked: 0, failures: Vec::new() };
        for class in self.checked.iter().filter_map(|name| self.own.get(name)) {
            report.references_checked += class.references.len();
            let mut reasons: BTreeSet<Reason> = class.references.iter().filter_map(|reference| linker.resolve(reference).err()).collect();
            reasons.extend(linker.own_faults(class));
            report.failures.extend(reasons.into_iter().map(|reason| Failure { class: class.name.clone(), version, reason }));
        }
        report
    }
}
