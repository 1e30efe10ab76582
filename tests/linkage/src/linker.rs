//! How a JVM finds what a class refers to while a server of some version runs.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::class_file::{ClassFile, OwnMember};
use crate::failure::Reason;
use crate::model::{Declared, Model, ancestry};
use crate::reference::Reference;
use crate::row::{Entry, Row, Shape, Usage};

/// The class version of Java 17, which the oldest servers here run on.
const CLASS_VERSION_LIMIT: u16 = 61;

/// Everything that can be found while one version's server runs.
pub(crate) struct Linker<'a> {
    own: &'a HashMap<String, ClassFile>,
    model: &'a Model,
    absent: Vec<&'a Row>,
}

/// What the name of a class leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Class,
    Interface,
    /// A class of Java's own that the tables do not list: anything may be in it.
    Java,
}

/// A member that was looked for.
struct Wanted<'a> {
    is_field: bool,
    owner: &'a str,
    name: &'a str,
    descriptor: &'a str,
}

/// A member that a class of the jars or of the tables declares.
struct Known<'a> {
    is_field: bool,
    name: &'a str,
    descriptor: Cow<'a, str>,
    is_static: bool,
    is_abstract: bool,
    readable: &'a str,
}

/// What was found of a member.
enum Found {
    Static,
    OnObject,
    /// Nothing, but a class whose members nobody listed stands above the owner.
    Perhaps,
}

impl<'a> Linker<'a> {
    /// With the jars' classes, the tables' classes in some version, and all lines about that version.
    pub(crate) fn new(own: &'a HashMap<String, ClassFile>, model: &'a Model, rows: impl Iterator<Item = &'a Row>) -> Self {
        Self { own, model, absent: rows.filter(|row| is_absent(row)).collect() }
    }

    /// Whether the JVM would find what is referred to, in the way in which it is.
    pub(crate) fn resolve(&self, reference: &Reference) -> Result<(), Reason> {
        match reference {
            Reference::Class { class } => self.class(class).map(drop),
            Reference::Field { owner, .. } | Reference::Method { owner, .. } if owner.starts_with("java/") => Ok(()),
            Reference::Lambda { interface, .. } if interface.starts_with("java/") => Ok(()),
            Reference::Field { owner, name, descriptor, is_static } => {
                let wanted = Wanted { is_field: true, owner, name, descriptor };
                self.class(element(owner))?;
                self.member(&wanted, *is_static)
            }
            Reference::Method { owner, name, descriptor, is_static, by_interface } => {
                let wanted = Wanted { is_field: false, owner, name, descriptor };
                match (self.class(element(owner))?, by_interface) {
                    // An array's methods are those of `Object`.
                    (Kind::Java, _) => return Ok(()),
                    (_, _) if owner.starts_with('[') => return Ok(()),
                    (Kind::Interface, false) => return Err(Reason::OwnerIsInterface { member: wanted.to_string() }),
                    (Kind::Class, true) => return Err(Reason::OwnerIsClass { member: wanted.to_string() }),
                    (Kind::Interface, true) | (Kind::Class, false) => {}
                }
                self.member(&wanted, *is_static)
            }
            Reference::Lambda { interface, name, descriptor } => self.lambda(interface, name, descriptor),
        }
    }

    fn class(&self, name: &str) -> Result<Kind, Reason> {
        if let Some(class) = self.own.get(name) {
            return Ok(if class.is_interface { Kind::Interface } else { Kind::Class });
        }
        if let Some(class) = self.model.get(name) {
            return Ok(if class.shape.is_interface() { Kind::Interface } else { Kind::Class });
        }
        if name.starts_with("java/") {
            return Ok(Kind::Java);
        }
        let absent = self.absent.iter().find(|row| row.owner == name && row.entry == Entry::Class { exists: false });
        let name = name.to_owned();
        Err(match absent {
            Some(row) => Reason::ClassAbsent { name, readable: row.readable.clone() },
            None if name.starts_with("kotlin/") => Reason::NotPacked { name },
            None => Reason::ClassUnknown { name },
        })
    }

    fn member(&self, wanted: &Wanted<'_>, is_static: bool) -> Result<(), Reason> {
        match (self.find(wanted)?, is_static) {
            (Found::Perhaps, _) | (Found::Static, true) | (Found::OnObject, false) => Ok(()),
            (Found::Static, false) => Err(Reason::Static { member: wanted.to_string() }),
            (Found::OnObject, true) => Err(Reason::NotStatic { member: wanted.to_string() }),
        }
    }

    fn find(&self, wanted: &Wanted<'_>) -> Result<Found, Reason> {
        // A constructor is not inherited.
        let ancestry = if wanted.name == "<init>" { vec![wanted.owner.to_owned()] } else { self.ancestry(wanted.owner) };
        let mut other_descriptor = None;
        let mut everything_is_known = true;
        for name in &ancestry {
            for known in self.members(name).into_iter().filter(|known| known.is_field == wanted.is_field && known.name == wanted.name) {
                if known.descriptor == wanted.descriptor {
                    return Ok(if known.is_static { Found::Static } else { Found::OnObject });
                }
                other_descriptor.get_or_insert(known.descriptor.into_owned());
            }
            everything_is_known &= self.is_listed(name);
        }
        if !everything_is_known {
            return Ok(Found::Perhaps);
        }
        let member = wanted.to_string();
        let absent = self.absent.iter().find(|row| ancestry.contains(&row.owner) && speaks_of(row, wanted));
        Err(match (absent, other_descriptor) {
            (_, Some(known)) => Reason::OtherDescriptor { member, known },
            (Some(row), None) => Reason::MemberAbsent { member, readable: row.readable.clone() },
            (None, None) => Reason::MemberUnknown { member },
        })
    }

    /// Whether the members of `class` are known.
    fn is_listed(&self, class: &str) -> bool {
        self.own.contains_key(class) || self.model.get(class).is_some()
    }

    /// What `class` declares.
    fn members(&self, class: &str) -> Vec<Known<'a>> {
        if let Some(own) = self.own.get(class) {
            return own.members.iter().map(Known::from).collect();
        }
        let Some(listed) = self.model.get(class) else { return Vec::new() };
        let mut members: Vec<Known<'a>> = listed.members.iter().map(Known::from).collect();
        if listed.shape == Shape::Enum {
            members.push(Known::of_enum("values", format!("()[L{class};")));
            members.push(Known::of_enum("valueOf", format!("(Ljava/lang/String;)L{class};")));
        }
        members
    }

    /// A lambda must be the body of an abstract method that the interface has in this version.
    fn lambda(&self, interface: &str, name: &str, descriptor: &str) -> Result<(), Reason> {
        self.class(interface)?;
        let ancestry = self.ancestry(interface);
        let mut members = ancestry.iter().flat_map(|above| self.members(above));
        let is_there = members.any(|known| known.is_abstract && known.name == name && known.descriptor == descriptor);
        if is_there || !ancestry.iter().all(|above| self.is_listed(above)) {
            return Ok(());
        }
        Err(Reason::LambdaOfNothing { member: format!("{interface}.{name}{descriptor}") })
    }

    /// What is wrong with a class itself rather than with something that it refers to.
    pub(crate) fn own_faults(&self, class: &ClassFile) -> Vec<Reason> {
        let mut faults = Vec::new();
        if class.major > CLASS_VERSION_LIMIT {
            faults.push(Reason::TooNew { major: class.major, limit: CLASS_VERSION_LIMIT });
        }
        if let Some(above) = class.superclass.as_deref().filter(|above| self.class(above) == Ok(Kind::Interface)) {
            faults.push(Reason::WrongSupertype { name: above.to_owned(), used: "extended" });
        }
        let not_interfaces = class.interfaces.iter().filter(|above| self.class(above) == Ok(Kind::Class));
        faults.extend(not_interfaces.map(|above| Reason::WrongSupertype { name: above.clone(), used: "implemented" }));
        if !class.is_abstract {
            faults.extend(self.unimplemented(class));
        }
        faults
    }

    /// The methods of the tables' interfaces that `class` and what stands above it leave without a body.
    fn unimplemented(&self, class: &ClassFile) -> Vec<Reason> {
        let ancestry = self.ancestry(&class.name);
        let all: Vec<(&str, Known<'_>)> =
            ancestry.iter().flat_map(|above| self.members(above).into_iter().map(move |known| (above.as_str(), known))).collect();
        let has_body = |owed: &Known<'_>| {
            all.iter().any(|(_, other)| !other.is_abstract && other.name == owed.name && other.descriptor == owed.descriptor)
        };
        let owed = all.iter().filter(|(above, known)| known.is_abstract && !self.own.contains_key(*above) && !has_body(known));
        owed.map(|(above, known)| Reason::NotImplemented {
            member: format!("{above}.{}{}", known.name, known.descriptor),
            readable: known.readable.to_owned(),
        })
        .collect()
    }

    /// `name` and everything above it, in the jars and in the tables.
    fn ancestry(&self, name: &str) -> Vec<String> {
        ancestry(
            name,
            |name| match self.own.get(name) {
                Some(class) => class.superclass.clone(),
                None => self.model.superclass(name).map(str::to_owned),
            },
            |name| match self.own.get(name) {
                Some(class) => class.interfaces.clone(),
                None => self.model.get(name).map(|class| class.interfaces.clone()).unwrap_or_default(),
            },
        )
    }
}

impl<'a> From<&'a OwnMember> for Known<'a> {
    fn from(member: &'a OwnMember) -> Self {
        Self {
            is_field: member.is_field,
            name: &member.name,
            descriptor: Cow::Borrowed(&member.descriptor),
            is_static: member.is_static,
            is_abstract: member.is_abstract,
            readable: &member.name,
        }
    }
}

impl<'a> From<&'a Declared> for Known<'a> {
    fn from(member: &'a Declared) -> Self {
        Self {
            is_field: member.is_field,
            name: &member.name,
            descriptor: Cow::Borrowed(&member.descriptor),
            is_static: member.usage == Usage::Static,
            is_abstract: member.usage == Usage::Abstract,
            readable: &member.readable,
        }
    }
}

impl Known<'_> {
    /// A method that the compiler gives to every enum.
    fn of_enum(name: &'static str, descriptor: String) -> Self {
        Self { is_field: false, name, descriptor: Cow::Owned(descriptor), is_static: true, is_abstract: false, readable: name }
    }
}

fn is_absent(row: &Row) -> bool {
    match &row.entry {
        Entry::Class { exists } => !exists,
        Entry::Field(member) | Entry::Method(member) => member.descriptor.is_none(),
    }
}

fn speaks_of(row: &Row, wanted: &Wanted<'_>) -> bool {
    match &row.entry {
        Entry::Class { .. } => false,
        Entry::Field(member) => wanted.is_field && member.name == wanted.name,
        Entry::Method(member) => !wanted.is_field && member.name == wanted.name,
    }
}

/// The class that an owner's name leads to; arrays are named by their descriptors.
fn element(owner: &str) -> &str {
    let element = owner.trim_start_matches('[');
    if element.len() == owner.len() {
        return owner;
    }
    // An array of numbers has no class of its own but Java's.
    element.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or("java/lang/Object")
}

impl std::fmt::Display for Wanted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let divider = if self.is_field { " " } else { "" };
        write!(f, "{}.{}{divider}{}", self.owner, self.name, self.descriptor)
    }
}
