//! Why a class does not link.

use crate::version::Version;

/// One thing that would go wrong when a class is loaded or run on a server of some version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{class} on Minecraft {version}: {reason}")]
pub struct Failure {
    /// The class that refers to something, such as `dev/auk/fabric/Server`.
    pub class: String,
    /// The game's version.
    pub version: Version,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a reference or a class. Names are those of class files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Reason {
    /// The class file asks for a newer Java than the oldest server has.
    #[error("its class version is {major}, and Java 17 reads {limit} at most")]
    TooNew {
        /// The file's version.
        major: u16,
        /// The newest that is allowed.
        limit: u16,
    },
    /// The table says that the class does not exist in this version.
    #[error("{name} ({readable}) does not exist in this version")]
    ClassAbsent {
        /// The class.
        name: String,
        /// Its readable name.
        readable: String,
    },
    /// Nothing is known of the class: it is neither in the jars nor in the tables.
    #[error("{name} is neither in the jars nor in the tables")]
    ClassUnknown {
        /// The class.
        name: String,
    },
    /// A class of Kotlin's library that is not in the jars; nobody else brings it.
    #[error("{name} belongs to Kotlin's library, which is not packed")]
    NotPacked {
        /// The class.
        name: String,
    },
    /// The table says that the member does not exist in this version.
    #[error("{member} ({readable}) does not exist in this version")]
    MemberAbsent {
        /// The member as the reference names it.
        member: String,
        /// Its readable name.
        readable: String,
    },
    /// The class has the name with other types.
    #[error("{member} has the descriptor {known} in this version")]
    OtherDescriptor {
        /// The member as the reference names it.
        member: String,
        /// A descriptor that it has.
        known: String,
    },
    /// Neither the class nor anything above it has the member.
    #[error("{member} is not known")]
    MemberUnknown {
        /// The member as the reference names it.
        member: String,
    },
    /// The member needs an object and is used without one.
    #[error("{member} belongs to an object but is used as static")]
    NotStatic {
        /// The member as the reference names it.
        member: String,
    },
    /// The member is static and is used on an object.
    #[error("{member} is static but is used on an object")]
    Static {
        /// The member as the reference names it.
        member: String,
    },
    /// The owner is an interface and the reference takes it for a class.
    #[error("{member} is called as a method of a class, but its owner is an interface in this version")]
    OwnerIsInterface {
        /// The member as the reference names it.
        member: String,
    },
    /// The owner is a class and the reference takes it for an interface.
    #[error("{member} is called as a method of an interface, but its owner is a class in this version")]
    OwnerIsClass {
        /// The member as the reference names it.
        member: String,
    },
    /// A class is extended that is an interface, or implemented that is none.
    #[error("{name} is {used}, which it cannot be in this version")]
    WrongSupertype {
        /// The supertype.
        name: String,
        /// `extended` or `implemented`.
        used: &'static str,
    },
    /// A lambda is the body of a method that the interface does not have.
    #[error("a lambda implements {member}, which is no abstract method in this version")]
    LambdaOfNothing {
        /// The method that the lambda is made for.
        member: String,
    },
    /// A method that the game would call is missing.
    #[error("it does not implement {member} ({readable})")]
    NotImplemented {
        /// The abstract method.
        member: String,
        /// Its readable name.
        readable: String,
    },
}
