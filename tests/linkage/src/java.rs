//! Java source of a model's classes.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

use crate::descriptor::{self, JavaType, Primitive, java_name};
use crate::model::{Declared, Model, Type};
use crate::row::{Shape, Usage};
use crate::stubs::{Bodies, Source};

const EVENT: &str = "Lnet/fabricmc/fabric/api/event/Event;";

/// One file for each class that is not nested; Java's own classes are left out.
pub(crate) fn sources(model: &Model, bodies: Bodies) -> Vec<Source> {
    let writer = Writer { model, bodies };
    let outer = model.types().filter(|(name, _)| !name.contains('$') && !name.starts_with("java/"));
    outer.map(|(name, class)| source(name, &writer.class(name, class))).collect()
}

/// A class of the package of stand-ins that is nothing but an object with the interface `name`.
pub(crate) fn implementation(model: &Model, name: &str, simple: &str) -> String {
    let writer = Writer { model, bodies: Bodies::Delegating };
    let mut text = format!("public class {simple} extends Thing implements {} {{\n", java_name(name));
    for member in owed(model, name, None) {
        text.push_str(&writer.method(&member, "public "));
    }
    text.push_str("}\n");
    text
}

/// A method that calls what mods implement and the game calls, by the readable name.
pub(crate) fn asking(model: &Model) -> String {
    let mut text = "    /** Calls what a mod implements, by the readable name. */\n    public static Object ask(String what, Object target, Object... arguments) throws \
                    Exception {\n        switch (what) {\n"
        .to_owned();
    let mut known = BTreeSet::new();
    for (name, class) in model.types().filter(|(name, class)| !name.starts_with("java/") && class.shape.is_interface()) {
        for member in class.members.iter().filter(|member| member.usage == Usage::Abstract && !member.is_field) {
            let Ok(method) = descriptor::method(&member.descriptor) else { continue };
            if !known.insert(&member.readable) {
                continue;
            }
            let arguments: Vec<String> = descriptor::parameter_types(&method).iter().enumerate().map(|(at, ty)| argument(ty, at)).collect();
            let call = format!("(({}) target).{}({})", java_name(name), member.name, arguments.join(", "));
            let result = descriptor::return_type(&method);
            let body = if result.is_void() { format!("{{ {call}; return null; }}") } else { format!("{{ return {call}; }}") };
            let _ = writeln!(text, "            case {:?}: {body}", member.readable);
        }
    }
    text + "            default: throw new AssertionError(\"this version has no \" + what);\n        }\n    }\n"
}

/// The argument of [`asking`] at this place, as its type.
fn argument(ty: &JavaType, at: usize) -> String {
    match ty.primitive {
        None => format!("({}) arguments[{at}]", ty.text),
        Some(primitive) => unboxed(ty, primitive, &format!("(({}) arguments[{at}])", box_of(primitive))),
    }
}

/// A file with a class in its package.
pub(crate) fn source(name: &str, class: &str) -> Source {
    let package = name.rsplit_once('/').map_or("", |(package, _)| package);
    Source { path: PathBuf::from(format!("{name}.java")), text: format!("package {};\n\n{class}", java_name(package)) }
}

struct Writer<'a> {
    model: &'a Model,
    bodies: Bodies,
}

impl Writer<'_> {
    fn class(&self, name: &str, class: &Type) -> String {
        let mut text = self.head(name, class);
        text.push_str(&self.constants(name, class));
        for member in class.members.iter().filter(|member| member.is_field && !is_constant(name, class, member)) {
            text.push_str(&self.field(class, member));
        }
        text.push_str(&self.constructors(name, class));
        let prefix = if class.shape.is_interface() { "" } else { "public " };
        for member in class.members.iter().filter(|member| !member.is_field && member.name != "<init>") {
            text.push_str(&self.method(member, prefix));
        }
        if !class.shape.is_interface() {
            for member in owed(self.model, name, class.superclass.as_deref()) {
                text.push_str(&self.method(&member, "public "));
            }
        }
        text.push_str(&self.setter(class));
        for (nested, class) in self.nested(name) {
            text.push_str(&self.class(nested, class));
        }
        text.push_str("}\n");
        text
    }

    fn head(&self, name: &str, class: &Type) -> String {
        let place = if name.contains('$') { "public static" } else { "public" };
        let word = match class.shape {
            Shape::Class | Shape::AbstractClass | Shape::Record => "class",
            Shape::Interface => "interface",
            Shape::Enum => "enum",
        };
        let mut text = format!("{place} {word} {}", simple(name));
        let interfaces: Vec<String> = class.interfaces.iter().map(|name| java_name(name)).collect();
        match class.shape {
            Shape::Class | Shape::AbstractClass | Shape::Record => {
                let root = (self.bodies == Bodies::Delegating).then_some("dev/auk/standin/Thing");
                if let Some(above) = class.superclass.as_deref().or(root) {
                    let _ = write!(text, " extends {}", java_name(above));
                }
            }
            Shape::Interface | Shape::Enum => {}
        }
        if !interfaces.is_empty() {
            let word = if class.shape.is_interface() { "extends" } else { "implements" };
            let _ = write!(text, " {word} {}", interfaces.join(", "));
        }
        text + " {\n"
    }

    /// An enum's constants. One without any known gets one, so that there can be an object of it.
    fn constants(&self, name: &str, class: &Type) -> String {
        if class.shape != Shape::Enum {
            return String::new();
        }
        let mut names: Vec<&str> =
            class.members.iter().filter(|member| is_constant(name, class, member)).map(|member| member.name.as_str()).collect();
        if names.is_empty() {
            names.push("STAND_IN");
        }
        format!("    {};\n", names.join(", "))
    }

    fn field(&self, class: &Type, member: &Declared) -> String {
        let Ok(field) = descriptor::field(&member.descriptor) else { return String::new() };
        let ty = descriptor::java_type(&field);
        let (what, name) = (&member.readable, &member.name);
        let is_static = member.usage == Usage::Static;
        let this = if is_static { "null" } else { "this" };
        let value = match (self.bodies, ty.primitive) {
            (Bodies::Unusable, _) => empty_value(&ty),
            (Bodies::Delegating, _) if member.descriptor == EVENT => format!("dev.auk.standin.Hooks.event({what:?})"),
            (Bodies::Delegating, None) => format!("dev.auk.standin.Hooks.field({}.class, {this}, {what:?}, null)", ty.text),
            (Bodies::Delegating, Some(primitive)) => {
                let (class, zero) = (box_of(primitive), zero(primitive));
                unboxed(&ty, primitive, &format!("dev.auk.standin.Hooks.field({class}.class, {this}, {what:?}, {zero})"))
            }
        };
        let words = match (class.shape.is_interface(), is_static) {
            (true, _) => "",
            (false, true) => "public static ",
            (false, false) => "public ",
        };
        format!("    {words}{} {name} = {value};\n", ty.text)
    }

    fn constructors(&self, name: &str, class: &Type) -> String {
        match class.shape {
            Shape::Interface | Shape::Enum => return String::new(),
            Shape::Class | Shape::AbstractClass | Shape::Record => {}
        }
        let mut text = format!("    public {}() {{}}\n", simple(name));
        for member in class.members.iter().filter(|member| member.name == "<init>" && member.descriptor != "()V") {
            let Ok(method) = descriptor::method(&member.descriptor) else { continue };
            let types = descriptor::parameter_types(&method);
            let body = self.body(member, &JavaType::void(), types.len());
            let _ = writeln!(text, "    public {}({}) {{ {body} }}", simple(name), parameters(&types, false));
        }
        text
    }

    fn method(&self, member: &Declared, prefix: &str) -> String {
        let Ok(method) = descriptor::method(&member.descriptor) else { return String::new() };
        let types = descriptor::parameter_types(&method);
        let result = descriptor::return_type(&method);
        let throws = if member.throws { " throws com.mojang.brigadier.exceptions.CommandSyntaxException" } else { "" };
        let list = parameters(&types, member.readable.contains("...)"));
        let signature = format!("{} {}({list}){throws}", result.text, member.name);
        let words = match (member.usage, prefix) {
            (Usage::Abstract, _) => return format!("    {signature};\n"),
            (Usage::Static, prefix) => format!("{prefix}static "),
            (Usage::Instance, "") => "default ".to_owned(),
            (Usage::Instance, prefix) => prefix.to_owned(),
        };
        format!("    {words}{signature} {{ {} }}\n", self.body(member, &result, types.len()))
    }

    fn body(&self, member: &Declared, result: &JavaType, count: usize) -> String {
        if self.bodies == Bodies::Unusable {
            return "throw new UnsupportedOperationException(\"stub\");".to_owned();
        }
        let this = if member.usage == Usage::Static { "null" } else { "this" };
        let arguments: Vec<String> = (0..count).map(|index| format!("p{index}")).collect();
        let rest = format!("{this}, {:?}, new Object[] {{{}}}", member.readable, arguments.join(", "));
        let hook = "dev.auk.standin.Hooks";
        match result.primitive {
            _ if result.is_void() => format!("{hook}.call(Object.class, {rest});"),
            None => format!("return {hook}.call({}.class, {rest});", result.text),
            Some(primitive) => {
                let call = format!("{hook}.primitive({}.class, {rest})", box_of(primitive));
                format!("return {};", unboxed(result, primitive, &call))
            }
        }
    }

    /// A way to set an object's fields by their readable names.
    fn setter(&self, class: &Type) -> String {
        let fields: Vec<&Declared> = class.members.iter().filter(|member| member.is_field && member.usage != Usage::Static).collect();
        if self.bodies == Bodies::Unusable || fields.is_empty() || class.shape.is_interface() {
            return String::new();
        }
        let mut text = "    @Override public void set(String what, Object value) {\n        switch (what) {\n".to_owned();
        for member in fields {
            let Ok(field) = descriptor::field(&member.descriptor) else { continue };
            let ty = descriptor::java_type(&field);
            let value = match ty.primitive {
                None => format!("({}) value", ty.text),
                Some(primitive) => unboxed(&ty, primitive, &format!("(({}) value)", box_of(primitive))),
            };
            let _ = writeln!(text, "            case {:?} -> this.{} = {value};", member.readable, member.name);
        }
        text + "            default -> super.set(what, value);\n        }\n    }\n"
    }

    fn nested(&self, name: &str) -> impl Iterator<Item = (&str, &Type)> {
        let prefix = format!("{name}$");
        self.model.types().filter(move |(name, _)| name.strip_prefix(&prefix).is_some_and(|rest| !rest.contains('$')))
    }
}

/// The abstract methods that an object of `name` must have and nobody above it gives it, turned into ordinary ones. What `superclass` owes
/// is left to it.
fn owed(model: &Model, name: &str, superclass: Option<&str>) -> Vec<Declared> {
    let ancestry = model.ancestry(name);
    let settled = superclass.map(|above| model.ancestry(above)).unwrap_or_default();
    let mut owed: Vec<Declared> = Vec::new();
    for above in ancestry.iter().filter(|above| !settled.contains(above)) {
        for member in model.get(above).into_iter().flat_map(|class| &class.members).filter(|member| member.usage == Usage::Abstract) {
            let given = ancestry.iter().filter_map(|above| model.get(above)).flat_map(|class| &class.members);
            let given = given.filter(|other| other.usage != Usage::Abstract).any(|other| other.key() == member.key());
            if !given && !owed.iter().any(|other| other.key() == member.key()) {
                owed.push(Declared { usage: Usage::Instance, ..member.clone() });
            }
        }
    }
    owed
}

fn is_constant(name: &str, class: &Type, member: &Declared) -> bool {
    class.shape == Shape::Enum && member.is_field && member.usage == Usage::Static && member.descriptor == format!("L{name};")
}

fn simple(name: &str) -> &str {
    name.rsplit(['/', '$']).next().unwrap_or(name)
}

fn parameters(types: &[JavaType], varargs: bool) -> String {
    let last = types.len().saturating_sub(1);
    let words = types.iter().enumerate().map(|(index, ty)| match ty.text.strip_suffix("[]") {
        Some(element) if varargs && index == last => format!("{element}... p{index}"),
        Some(_) | None => format!("{} p{index}", ty.text),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The class that holds a primitive value on its way through the hooks.
fn box_of(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Boolean => "Boolean",
        Primitive::Character => "Character",
        Primitive::Number => "Number",
    }
}

fn unboxed(ty: &JavaType, primitive: Primitive, value: &str) -> String {
    match primitive {
        Primitive::Boolean | Primitive::Character => value.to_owned(),
        Primitive::Number => format!("{value}.{}Value()", ty.text),
    }
}

fn zero(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Boolean => "false",
        Primitive::Character => "'\\0'",
        Primitive::Number => "0",
    }
}

/// A value that is no constant to the compiler: it would copy a constant into its user, and no reference would be left to check.
fn empty_value(ty: &JavaType) -> String {
    ty.primitive.map_or_else(
        || "null".to_owned(),
        |primitive| unboxed(ty, primitive, &format!("java.util.Objects.requireNonNull(({}) {})", box_of(primitive), zero(primitive))),
    )
}
