//! What needs a Java compiler: the generated classes, and the check of small classes compiled against them.

mod linkage;
mod stubs;
mod workshop;
