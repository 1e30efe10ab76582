//! A class as its file declares it.

use std::collections::BTreeSet;

use noak::AccessFlags;
use noak::error::DecodeError;
use noak::reader::{Class, cpool};

use crate::reference::{Reference, references, text};

/// What is needed of a class file to link it and to link others against it.
#[derive(Debug, Clone)]
pub(crate) struct ClassFile {
    /// Its name, such as `dev/auk/Bridge`.
    pub(crate) name: String,
    /// The class file's major version; 61 is Java 17.
    pub(crate) major: u16,
    /// Whether it is an interface.
    pub(crate) is_interface: bool,
    /// Whether it is an interface or an abstract class.
    pub(crate) is_abstract: bool,
    /// Its superclass; only `java/lang/Object` has none.
    pub(crate) superclass: Option<String>,
    /// The interfaces that it names itself.
    pub(crate) interfaces: Vec<String>,
    /// What it declares.
    pub(crate) members: Vec<OwnMember>,
    /// What it refers to.
    pub(crate) references: BTreeSet<Reference>,
}

/// A field or method that a class file declares.
#[derive(Debug, Clone)]
pub(crate) struct OwnMember {
    /// Whether it is a field.
    pub(crate) is_field: bool,
    /// Its name.
    pub(crate) name: String,
    /// Its descriptor.
    pub(crate) descriptor: String,
    /// Whether it needs no object.
    pub(crate) is_static: bool,
    /// Whether it has no body.
    pub(crate) is_abstract: bool,
}

impl ClassFile {
    /// Reads the bytes of a class file.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let class = Class::new(bytes)?;
        let pool = class.pool();
        let flags = class.access_flags();
        let name = |index: cpool::Index<cpool::Class<'_>>| pool.retrieve(index).map(|class| text(class.name));
        let mut members = Vec::new();
        for field in class.fields() {
            let field = field?;
            let (field_name, descriptor) = (text(pool.retrieve(field.name())?), text(pool.retrieve(field.descriptor())?));
            members.push(OwnMember::new(true, field_name, descriptor, field.access_flags()));
        }
        for method in class.methods() {
            let method = method?;
            let (method_name, descriptor) = (text(pool.retrieve(method.name())?), text(pool.retrieve(method.descriptor())?));
            members.push(OwnMember::new(false, method_name, descriptor, method.access_flags()));
        }
        Ok(Self {
            name: name(class.this_class())?,
            major: class.version().major,
            is_interface: flags.contains(AccessFlags::INTERFACE),
            is_abstract: flags.contains(AccessFlags::ABSTRACT),
            superclass: class.super_class().map(name).transpose()?,
            interfaces: class.interfaces().into_iter().map(|index| name(index?)).collect::<Result<_, _>>()?,
            members,
            references: references(&class)?,
        })
    }
}

impl OwnMember {
    fn new(is_field: bool, name: String, descriptor: String, flags: AccessFlags) -> Self {
        let (is_static, is_abstract) = (flags.contains(AccessFlags::STATIC), flags.contains(AccessFlags::ABSTRACT));
        Self { is_field, name, descriptor, is_static, is_abstract }
    }
}
