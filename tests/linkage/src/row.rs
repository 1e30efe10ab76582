//! One line of a table: a class or a member, in a run of versions.

use crate::version::Span;

/// One line of a table, with the words of its columns. `README.md` beside the tables explains the columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The versions that it speaks of.
    pub versions: Span,
    /// The name that stays the same over all versions, such as `PlayerManager.broadcast(Text,boolean)`.
    pub readable: String,
    /// The class to write in a reference, such as `net/minecraft/class_3324`.
    pub owner: String,
    /// What kind of class the owner is in these versions.
    pub shape: Shape,
    /// What the line says of the owner.
    pub entry: Entry,
    /// A supertype of the owner that declares the member, where it is not the owner itself.
    pub declared_in: Option<String>,
    /// What else is known, for people; `UNSURE` marks what nobody read in a source.
    pub note: String,
}

/// What a line speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// The owner itself.
    Class {
        /// Whether it exists; `ABSENT` says that it does not.
        exists: bool,
    },
    /// A field of the owner.
    Field(Member),
    /// A method or constructor of the owner.
    Method(Member),
}

/// A field or method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name at run time, such as `method_43514`; `<init>` for a constructor.
    pub name: String,
    /// Its descriptor; `None` says that the owner has no such member (`ABSENT`).
    pub descriptor: Option<String>,
    /// How it is used.
    pub usage: Usage,
}

/// How a member is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// Without an object.
    Static,
    /// On an object, which the game provides.
    Instance,
    /// A method of an interface that a mod implements or passes in.
    Abstract,
}

/// The kind of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// An ordinary class.
    Class,
    /// A class that nobody can construct.
    AbstractClass,
    /// An interface, whose methods are reached by interface references.
    Interface,
    /// An enum.
    Enum,
    /// A record.
    Record,
}

impl Shape {
    /// Whether references to its methods must be interface references.
    pub fn is_interface(self) -> bool {
        self == Self::Interface
    }
}

/// Reads one line of columns divided by tabs. The error is a sentence about the first column that is wrong.
pub(crate) fn read(line: &str) -> Result<Row, String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let &[versions, kind, readable, owner, member, descriptor, usage, shape, declared_in, note] = columns.as_slice() else {
        return Err(format!("{} columns where ten are expected", columns.len()));
    };
    let entry = match kind {
        "class" => Entry::Class { exists: descriptor != "ABSENT" },
        "field" => Entry::Field(read_member(member, descriptor, usage)?),
        "method" => Entry::Method(read_member(member, descriptor, usage)?),
        other => return Err(format!("the kind {other:?} is none of class, field, method")),
    };
    Ok(Row {
        versions: versions.parse().map_err(|unknown: crate::UnknownVersion| unknown.to_string())?,
        readable: readable.to_owned(),
        owner: owner.to_owned(),
        shape: read_shape(shape)?,
        entry,
        declared_in: (declared_in != "-").then(|| declared_in.to_owned()),
        note: note.to_owned(),
    })
}

fn read_member(name: &str, descriptor: &str, usage: &str) -> Result<Member, String> {
    let usage = match usage {
        "static" => Usage::Static,
        "instance" => Usage::Instance,
        "abstract" => Usage::Abstract,
        other => return Err(format!("the use {other:?} is none of static, instance, abstract")),
    };
    let descriptor = (descriptor != "ABSENT").then(|| descriptor.to_owned());
    Ok(Member { name: name.to_owned(), descriptor, usage })
}

fn read_shape(word: &str) -> Result<Shape, String> {
    match word {
        "class" => Ok(Shape::Class),
        "abstract class" => Ok(Shape::AbstractClass),
        "interface" => Ok(Shape::Interface),
        "enum" => Ok(Shape::Enum),
        "record" => Ok(Shape::Record),
        other => Err(format!("the owner kind {other:?} is none of class, abstract class, interface, enum, record")),
    }
}
