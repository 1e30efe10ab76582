//! The classes of one version, or of several versions laid over each other, with all that is known of each.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::descriptor;
use crate::row::{Entry, Row, Shape, Usage};
use crate::supertypes::{self, Relation, supertypes};
use crate::table::Table;
use crate::version::Version;

/// The classes of a version or a set of versions, by their names at run time.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    types: BTreeMap<String, Type>,
}

/// A class and what it declares.
#[derive(Debug, Clone)]
pub(crate) struct Type {
    /// The name that it has in all versions, such as `PlayerManager`; none if it is only mentioned.
    pub(crate) readable: Option<String>,
    /// What kind of class it is.
    pub(crate) shape: Shape,
    /// Its superclass, if it is none of Java's usual ones.
    pub(crate) superclass: Option<String>,
    /// The interfaces that it names itself.
    pub(crate) interfaces: Vec<String>,
    /// What it declares.
    pub(crate) members: Vec<Declared>,
}

/// A field or method that a class declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declared {
    /// Whether it is a field, and else a method or constructor.
    pub(crate) is_field: bool,
    /// Its name at run time.
    pub(crate) name: String,
    /// Its descriptor.
    pub(crate) descriptor: String,
    /// How it is used.
    pub(crate) usage: Usage,
    /// The name that it has in all versions.
    pub(crate) readable: String,
    /// Whether it throws brigadier's checked exception.
    pub(crate) throws: bool,
}

impl Declared {
    /// What no two members of a class may share.
    pub(crate) fn key(&self) -> (bool, &str, &str) {
        (self.is_field, &self.name, if self.is_field { "" } else { descriptor::parameters(&self.descriptor) })
    }
}

impl Model {
    /// Lays `versions` over each other; where two differ the newest wins.
    pub(crate) fn new(table: &Table, versions: &[Version]) -> Self {
        let mut newest_first = versions.to_vec();
        newest_first.sort_unstable_by(|left, right| right.cmp(left));
        let mut model = Self { types: BTreeMap::new() };
        let latest = model.add_classes(table, &newest_first);
        model.add_supertypes(&newest_first, &latest);
        model.add_members(table, &newest_first);
        model.add_mentioned();
        model
    }

    /// The class of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Type> {
        self.types.get(name)
    }

    /// Every class with its name, in the order of the names.
    pub(crate) fn types(&self) -> impl Iterator<Item = (&str, &Type)> {
        self.types.iter().map(|(name, class)| (name.as_str(), class))
    }

    /// `name` and everything above it; names of classes that the model does not have are among them.
    pub(crate) fn ancestry(&self, name: &str) -> Vec<String> {
        let interfaces = |name: &str| self.types.get(name).map(|class| class.interfaces.clone()).unwrap_or_default();
        ancestry(name, |name| self.superclass(name).map(str::to_owned), interfaces)
    }

    /// The superclass, Java's own ones included. An interface has `Object`, since its methods can be called on one.
    pub(crate) fn superclass(&self, name: &str) -> Option<&str> {
        let class = self.types.get(name)?;
        if let Some(above) = &class.superclass {
            return Some(above);
        }
        match class.shape {
            Shape::Enum => Some("java/lang/Enum"),
            Shape::Record => Some("java/lang/Record"),
            Shape::Class | Shape::AbstractClass | Shape::Interface => (name != "java/lang/Object").then_some("java/lang/Object"),
        }
    }

    /// Adds what the lines say of classes. Answers the newest version that each class was seen in.
    fn add_classes(&mut self, table: &Table, newest_first: &[Version]) -> BTreeMap<String, Version> {
        let mut latest = BTreeMap::new();
        for &version in newest_first {
            for row in table.rows_of(version) {
                if row.entry != (Entry::Class { exists: true }) || self.types.contains_key(&row.owner) {
                    continue;
                }
                latest.insert(row.owner.clone(), version);
                let readable = Some(row.readable.clone());
                self.types.insert(row.owner.clone(), Type { readable, ..Type::mentioned(row.shape) });
            }
        }
        latest
    }

    fn add_supertypes(&mut self, newest_first: &[Version], latest: &BTreeMap<String, Version>) {
        let Some(&newest) = newest_first.first() else { return };
        let interfaces: HashSet<&str> = supertypes::all().filter(|line| line.by == Relation::Implements).map(|line| line.of).collect();
        for &version in newest_first {
            for line in supertypes(version) {
                if latest.get(line.class).copied().unwrap_or(newest) != version {
                    continue;
                }
                for name in [line.class, line.of] {
                    let shape = if interfaces.contains(name) { Shape::Interface } else { Shape::Class };
                    self.mention(name, shape);
                }
                let Some(class) = self.types.get_mut(line.class) else { continue };
                match line.by {
                    Relation::Extends => class.superclass = Some(line.of.to_owned()),
                    Relation::Implements => class.interfaces.push(line.of.to_owned()),
                }
            }
        }
    }

    fn add_members(&mut self, table: &Table, newest_first: &[Version]) {
        let mut seen = HashSet::new();
        for &version in newest_first {
            for row in table.rows_of(version) {
                let Some(declared) = declared(row) else { continue };
                let (is_field, name, parameters) = declared.key();
                // A lambda can be given for one abstract method only, so an older one of the same name makes room.
                let parameters = if declared.usage == Usage::Abstract { "" } else { parameters };
                if seen.insert((row.owner.clone(), is_field, name.to_owned(), parameters.to_owned())) {
                    let place = self.place(row);
                    if let Some(class) = self.types.get_mut(&place)
                        && !class.members.iter().any(|other| other.key() == declared.key())
                    {
                        class.members.push(declared);
                    }
                }
            }
        }
    }

    /// Where a member is declared: in the supertype that the line names if that is one here, and else in the owner.
    fn place(&self, row: &Row) -> String {
        let declared_in = row.declared_in.as_deref().filter(|above| self.ancestry(&row.owner).iter().any(|name| name == above));
        declared_in.unwrap_or(&row.owner).to_owned()
    }

    /// Adds empty classes for whatever descriptors and nested names mention.
    fn add_mentioned(&mut self) {
        let mut mentioned: BTreeSet<String> =
            self.types.values().flat_map(|class| &class.members).flat_map(|member| descriptor::classes(&member.descriptor)).collect();
        let nested: Vec<String> = self.types.keys().chain(&mentioned).cloned().collect();
        for name in nested {
            mentioned.extend(name.match_indices('$').map(|(end, _)| name[..end].to_owned()));
        }
        for name in mentioned {
            self.mention(&name, Shape::Class);
        }
    }

    /// Adds an empty class unless it is there. Java's own are known by the tables alone, or not at all.
    fn mention(&mut self, name: &str, shape: Shape) {
        if !name.starts_with("java/") {
            self.types.entry(name.to_owned()).or_insert_with(|| Type::mentioned(shape));
        }
    }
}

/// `name` and everything above it, in the order in which the JVM looks for a member: first the superclasses, then the interfaces.
pub(crate) fn ancestry(name: &str, superclass: impl Fn(&str) -> Option<String>, interfaces: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let mut chain = vec![name.to_owned()];
    while let Some(above) = chain.last().and_then(|name| superclass(name)) {
        chain.push(above);
    }
    let mut next = 0;
    while next < chain.len() {
        for interface in interfaces(&chain[next]) {
            if !chain.contains(&interface) {
                chain.push(interface);
            }
        }
        next += 1;
    }
    chain
}

impl Type {
    fn mentioned(shape: Shape) -> Self {
        Self { readable: None, shape, superclass: None, interfaces: Vec::new(), members: Vec::new() }
    }
}

fn declared(row: &Row) -> Option<Declared> {
    let (is_field, member) = match &row.entry {
        Entry::Class { .. } => return None,
        Entry::Field(member) => (true, member),
        Entry::Method(member) => (false, member),
    };
    Some(Declared {
        is_field,
        name: member.name.clone(),
        descriptor: member.descriptor.clone()?,
        usage: member.usage,
        readable: row.readable.clone(),
        throws: row.note.contains("throws CommandSyntaxException"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions;

    #[test]
    fn the_list_of_supertypes_leads_to_every_class_that_the_tables_say_declares_a_member() {
        let table = Table::read().unwrap();
        for version in versions() {
            let model = Model::new(&table, &[version]);
            for row in table.rows_of(version).filter(|row| declared(row).is_some()) {
                let declared_in = row.declared_in.as_deref().unwrap_or(&row.owner);
                assert_eq!(model.place(row), declared_in, "{version}: {}", row.readable);
            }
        }
    }

    #[test]
    fn a_class_finds_what_its_superclasses_declare_before_what_interfaces_do() {
        let table = Table::read().unwrap();
        let model = Model::new(&table, &["1.20.4".parse().unwrap()]);
        let ancestry = model.ancestry("net/minecraft/class_3222");
        let position = |name: &str| ancestry.iter().position(|above| above == name).unwrap();
        assert!(position("net/minecraft/class_1297") < position("java/lang/Object"));
        assert!(position("java/lang/Object") < position("net/minecraft/class_9015"));
        assert!(position("net/minecraft/class_2165") > 0);
    }

    #[test]
    fn the_newest_of_several_versions_wins() {
        let table = Table::read().unwrap();
        let parse = |name: &str| name.parse().unwrap();
        let model = Model::new(&table, &[parse("1.21.11"), parse("1.20.1")]);
        assert_eq!(model.get("net/minecraft/class_2558").unwrap().shape, Shape::Interface);
        let commands = model.get("net/minecraft/class_2170").unwrap();
        let run: Vec<_> = commands.members.iter().filter(|member| member.name == "method_44252").map(|member| &member.descriptor).collect();
        assert_eq!(run, ["(Lnet/minecraft/class_2168;Ljava/lang/String;)V"]);
        let source = model.ancestry("net/minecraft/class_2168");
        let mut members = source.iter().filter_map(|name| model.get(name)).flat_map(|class| &class.members);
        assert!(members.any(|member| member.name == "method_9259"), "what the newest lacks is there from the older one");
    }
}
