//! Descriptors of fields and methods, read and turned into Java's words.

use noak::MStr;
use noak::descriptor::{BaseType, MethodDescriptor, TypeDescriptor};

/// Reads the descriptor of a field. The error is a sentence.
pub(crate) fn field(text: &str) -> Result<TypeDescriptor<'_>, String> {
    let words = MStr::from_mutf8(text.as_bytes()).map_err(|error| format!("{text:?} is no text of a class file: {error}"))?;
    TypeDescriptor::parse(words).map_err(|error| format!("{text:?} is no descriptor of a field: {error}"))
}

/// Reads the descriptor of a method. The error is a sentence.
pub(crate) fn method(text: &str) -> Result<MethodDescriptor<'_>, String> {
    let words = MStr::from_mutf8(text.as_bytes()).map_err(|error| format!("{text:?} is no text of a class file: {error}"))?;
    MethodDescriptor::parse(words).map_err(|error| format!("{text:?} is no descriptor of a method: {error}"))
}

/// The part of a method's descriptor that tells overloads apart in Java: everything but what it returns.
pub(crate) fn parameters(descriptor: &str) -> &str {
    descriptor.rfind(')').map_or(descriptor, |end| &descriptor[..=end])
}

/// The classes that a descriptor of either kind names.
pub(crate) fn classes(descriptor: &str) -> Vec<String> {
    let types = match method(descriptor) {
        Ok(method) => method.parameters().chain(method.return_type()).collect(),
        Err(_) => field(descriptor).into_iter().collect::<Vec<_>>(),
    };
    types.iter().filter_map(class).collect()
}

/// The class that a type is, or that an array of it has at the bottom.
pub(crate) fn class(descriptor: &TypeDescriptor<'_>) -> Option<String> {
    match descriptor.base {
        BaseType::Object(name) => Some(name.display().to_string()),
        BaseType::Boolean
        | BaseType::Byte
        | BaseType::Short
        | BaseType::Integer
        | BaseType::Long
        | BaseType::Float
        | BaseType::Double
        | BaseType::Char => None,
    }
}

/// A type as Java source writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JavaType {
    /// Such as `int`, `java.lang.String[]` or `void`.
    pub(crate) text: String,
    /// How its values are held in objects; `None` for objects, arrays and `void`.
    pub(crate) primitive: Option<Primitive>,
}

/// The kinds of primitive values that need different ways out of an `Object`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Primitive {
    /// `boolean`.
    Boolean,
    /// `char`.
    Character,
    /// Any kind of number.
    Number,
}

impl JavaType {
    /// The type `void`.
    pub(crate) fn void() -> Self {
        Self { text: "void".to_owned(), primitive: None }
    }

    /// Whether there is no value of it.
    pub(crate) fn is_void(&self) -> bool {
        self.text == "void"
    }
}

/// A field's or parameter's type in Java's words.
pub(crate) fn java_type(descriptor: &TypeDescriptor<'_>) -> JavaType {
    let (name, primitive) = match &descriptor.base {
        BaseType::Boolean => ("boolean".to_owned(), Some(Primitive::Boolean)),
        BaseType::Char => ("char".to_owned(), Some(Primitive::Character)),
        BaseType::Byte => ("byte".to_owned(), Some(Primitive::Number)),
        BaseType::Short => ("short".to_owned(), Some(Primitive::Number)),
        BaseType::Integer => ("int".to_owned(), Some(Primitive::Number)),
        BaseType::Long => ("long".to_owned(), Some(Primitive::Number)),
        BaseType::Float => ("float".to_owned(), Some(Primitive::Number)),
        BaseType::Double => ("double".to_owned(), Some(Primitive::Number)),
        BaseType::Object(name) => (java_name(&name.display().to_string()), None),
    };
    let dimensions = usize::from(descriptor.dimensions);
    JavaType { text: name + &"[]".repeat(dimensions), primitive: primitive.filter(|_| dimensions == 0) }
}

/// What a method takes in Java's words.
pub(crate) fn parameter_types(descriptor: &MethodDescriptor<'_>) -> Vec<JavaType> {
    descriptor.parameters().map(|parameter| java_type(&parameter)).collect()
}

/// What a method returns in Java's words.
pub(crate) fn return_type(descriptor: &MethodDescriptor<'_>) -> JavaType {
    descriptor.return_type().map_or_else(JavaType::void, |result| java_type(&result))
}

/// `a/b/C$D` as Java source writes it: `a.b.C.D`.
pub(crate) fn java_name(class: &str) -> String {
    class.replace(['/', '$'], ".")
}
