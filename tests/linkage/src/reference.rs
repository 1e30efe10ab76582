//! What a class file refers to, and how.

use std::collections::BTreeSet;

use noak::MStr;
use noak::descriptor::MethodDescriptor;
use noak::error::DecodeError;
use noak::reader::Class;
use noak::reader::attributes::{BootstrapMethods, Code, RawInstruction};
use noak::reader::cpool::{self, ConstantPool, Item, MethodKind};

use crate::descriptor;

/// Something outside a method that it names, and the way in which it uses it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference {
    /// A class: made, cast to, caught, extended or handed on.
    Class {
        /// Its name.
        class: String,
    },
    /// A field.
    Field {
        /// The class that the reference names, which need not be the one that declares the field.
        owner: String,
        /// The field's name.
        name: String,
        /// Its descriptor.
        descriptor: String,
        /// Whether it is used without an object.
        is_static: bool,
    },
    /// A method or constructor.
    Method {
        /// The class that the reference names, which need not be the one that declares the method.
        owner: String,
        /// The method's name.
        name: String,
        /// Its descriptor.
        descriptor: String,
        /// Whether it is called without an object.
        is_static: bool,
        /// Whether the reference takes the owner for an interface.
        by_interface: bool,
    },
    /// The method of an interface that a lambda is the body of.
    Lambda {
        /// The interface.
        interface: String,
        /// The method's name.
        name: String,
        /// Its descriptor, erased.
        descriptor: String,
    },
}

/// Everything that `class` refers to: through the opcodes of its methods, its method handles and the bootstrap of its call sites.
pub(crate) fn references(class: &Class<'_>) -> Result<BTreeSet<Reference>, DecodeError> {
    let mut found = Collector { pool: class.pool(), references: BTreeSet::new() };
    for item in class.pool().iter() {
        found.add_item(item)?;
    }
    for method in class.methods() {
        if let Some(code) = method?.attributes().find_attribute::<Code<'_>>(class.pool())? {
            for instruction in code.raw_instructions() {
                found.add_instruction(&instruction?.1)?;
            }
        }
    }
    if let Some(bootstraps) = class.attributes().find_attribute::<BootstrapMethods<'_>>(class.pool())? {
        found.add_lambdas(&bootstraps)?;
    }
    Ok(found.references)
}

struct Collector<'pool, 'input> {
    pool: &'pool ConstantPool<'input>,
    references: BTreeSet<Reference>,
}

impl<'input> Collector<'_, 'input> {
    /// Adds what an entry of the constant pool refers to by itself. Members are added where they are used, since only that says how.
    fn add_item(&mut self, item: &Item<'input>) -> Result<(), DecodeError> {
        match item {
            Item::Class(class) => self.add_class(&text(self.pool.retrieve(class.name)?)),
            Item::MethodType(method) => self.add_classes_of(&text(self.pool.retrieve(method.descriptor)?)),
            Item::Dynamic(site) => self.add_classes_of(&text(self.pool.retrieve(site.name_and_type)?.descriptor)),
            Item::InvokeDynamic(site) => self.add_classes_of(&text(self.pool.retrieve(site.name_and_type)?.descriptor)),
            Item::MethodHandle(handle) => {
                let is_static = match handle.kind {
                    MethodKind::GetStatic | MethodKind::PutStatic | MethodKind::InvokeStatic => true,
                    MethodKind::GetField
                    | MethodKind::PutField
                    | MethodKind::InvokeVirtual
                    | MethodKind::InvokeSpecial
                    | MethodKind::NewInvokeSpecial
                    | MethodKind::InvokeInterface => false,
                };
                self.add_member(handle.reference.as_u16(), is_static)?;
            }
            Item::FieldRef(_)
            | Item::MethodRef(_)
            | Item::InterfaceMethodRef(_)
            | Item::String(_)
            | Item::Integer(_)
            | Item::Long(_)
            | Item::Float(_)
            | Item::Double(_)
            | Item::NameAndType(_)
            | Item::Utf8(_)
            | Item::Module(_)
            | Item::Package(_) => {}
        }
        Ok(())
    }

    /// Adds the member that an opcode uses. The classes that others name are in the constant pool.
    fn add_instruction(&mut self, instruction: &RawInstruction<'input>) -> Result<(), DecodeError> {
        if let RawInstruction::GetStatic { index } | RawInstruction::PutStatic { index } = instruction {
            self.add_member(index.as_u16(), true)
        } else if let RawInstruction::GetField { index } | RawInstruction::PutField { index } = instruction {
            self.add_member(index.as_u16(), false)
        } else if let RawInstruction::InvokeStatic { index } = instruction {
            self.add_member(index.as_u16(), true)
        } else if let RawInstruction::InvokeSpecial { index } = instruction {
            self.add_member(index.as_u16(), false)
        } else if let RawInstruction::InvokeVirtual { index } = instruction {
            self.add_member(index.as_u16(), false)
        } else if let RawInstruction::InvokeInterface { index, .. } = instruction {
            self.add_member(index.as_u16(), false)
        } else {
            Ok(())
        }
    }

    fn add_member(&mut self, index: u16, is_static: bool) -> Result<(), DecodeError> {
        let item: &Item<'input> = self.pool.get(cpool::Index::new(index)?)?;
        let parts = |class, name_and_type| -> Result<(String, String, String), DecodeError> {
            let (class, member) =
                (self.pool.retrieve::<cpool::Class<'_>>(class)?, self.pool.retrieve::<cpool::NameAndType<'_>>(name_and_type)?);
            Ok((text(class.name), text(member.name), text(member.descriptor)))
        };
        let reference = match item {
            Item::FieldRef(field) => {
                let (owner, name, descriptor) = parts(field.class, field.name_and_type)?;
                Reference::Field { owner, name, descriptor, is_static }
            }
            Item::MethodRef(method) => {
                let (owner, name, descriptor) = parts(method.class, method.name_and_type)?;
                Reference::Method { owner, name, descriptor, is_static, by_interface: false }
            }
            Item::InterfaceMethodRef(method) => {
                let (owner, name, descriptor) = parts(method.class, method.name_and_type)?;
                Reference::Method { owner, name, descriptor, is_static, by_interface: true }
            }
            Item::Class(_)
            | Item::String(_)
            | Item::Integer(_)
            | Item::Long(_)
            | Item::Float(_)
            | Item::Double(_)
            | Item::NameAndType(_)
            | Item::Utf8(_)
            | Item::MethodHandle(_)
            | Item::MethodType(_)
            | Item::Dynamic(_)
            | Item::InvokeDynamic(_)
            | Item::Module(_)
            | Item::Package(_) => return Ok(()),
        };
        self.references.insert(reference);
        Ok(())
    }

    /// Adds what each lambda of the class implements. Its call site names the method and returns the interface; the first argument of its
    /// bootstrap is the method's descriptor.
    fn add_lambdas(&mut self, bootstraps: &BootstrapMethods<'input>) -> Result<(), DecodeError> {
        let methods = bootstraps.methods().into_iter().collect::<Result<Vec<_>, _>>()?;
        for item in self.pool.iter() {
            let Item::InvokeDynamic(site) = item else { continue };
            let Some(bootstrap) = methods.get(usize::from(site.bootstrap_method_attr)) else { continue };
            let handle = self.pool.get(bootstrap.method_ref())?;
            let Item::MethodRef(maker) = self.pool.get::<Item<'_>>(handle.reference)? else { continue };
            if text(self.pool.retrieve(maker.class)?.name) != "java/lang/invoke/LambdaMetafactory" {
                continue;
            }
            let member = self.pool.retrieve(site.name_and_type)?;
            let Some(first) = bootstrap.arguments().into_iter().next() else { continue };
            let Item::MethodType(erased) = self.pool.get::<Item<'_>>(first?)? else { continue };
            let Some(interface) = MethodDescriptor::parse(member.descriptor)?.return_type() else { continue };
            let Some(interface) = descriptor::class(&interface) else { continue };
            let descriptor = text(self.pool.retrieve(erased.descriptor)?);
            self.references.insert(Reference::Lambda { interface, name: text(member.name), descriptor });
        }
        Ok(())
    }

    /// Adds a class by the name that the constant pool gives it, which is a descriptor for an array.
    fn add_class(&mut self, name: &str) {
        if name.starts_with('[') {
            self.add_classes_of(name);
        } else {
            self.references.insert(Reference::Class { class: name.to_owned() });
        }
    }

    fn add_classes_of(&mut self, descriptor: &str) {
        self.references.extend(descriptor::classes(descriptor).into_iter().map(|class| Reference::Class { class }));
    }
}

/// A text of the constant pool in Rust's words.
pub(crate) fn text(words: &MStr) -> String {
    words.display().to_string()
}
