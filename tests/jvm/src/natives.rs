//! Libraries for tests of the loader: packed as the jar has them, and made in C where a good one would not do.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use lzma_rust2::{XzOptions, XzWriter};
use sha2::{Digest, Sha256};

/// What stands in for the jar on the class path: a directory with packed libraries and their table.
#[derive(Debug)]
pub struct Natives {
    directory: PathBuf,
    table: String,
}

impl Natives {
    /// A jar without a library, in this directory.
    pub fn at(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), table: String::new() }
    }

    /// Adds `library` as the one for Linux with `libc`, on this machine's processor.
    pub fn with(self, libc: &str, library: &[u8]) -> Self {
        let packed = pack(library);
        self.with_packed(libc, library, &packed)
    }

    /// The same with `packed` in place of what `library` would be packed into.
    pub fn with_packed(mut self, libc: &str, library: &[u8], packed: &[u8]) -> Self {
        let arch = std::env::consts::ARCH;
        let file = self.directory.join(format!("META-INF/native/linux-{arch}-{libc}/libauk.so.xz"));
        fs::create_dir_all(file.parent().expect("it has one")).expect("a test can write into its own directory");
        fs::write(&file, packed).expect("a test can write into its own directory");
        let hash = Sha256::digest(library).iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        let _ = writeln!(self.table, "linux\t{arch}\t{libc}\tlibauk.so\t{hash}\t{}\t{:08x}", library.len(), crc32fast::hash(library));
        self
    }

    /// Writes the table and answers the directory for the class path.
    pub fn write(self) -> PathBuf {
        let table = self.directory.join("META-INF/auk/natives.tsv");
        fs::create_dir_all(table.parent().expect("it has one")).expect("a test can write into its own directory");
        fs::write(&table, self.table).expect("a test can write into its own directory");
        self.directory
    }
}

/// Packs with xz, quickly.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).expect("the options are good");
    writer.write_all(bytes).and_then(|()| writer.finish()).expect("memory takes it")
}

/// Compiles `source` into a shared library in `directory`, with more `arguments` for the compiler.
///
/// # Panics
///
/// When the compiler does not take it.
pub fn compile(directory: &Path, name: &str, source: &str, arguments: &[&str]) -> PathBuf {
    let (code, library) = (directory.join(format!("{name}.c")), directory.join(name));
    fs::write(&code, source).expect("a test can write into its own directory");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&code).args(arguments).current_dir(directory);
    let output = cc.output().expect("a C compiler is installed, which Rust links with");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}

/// Auk's library for border number `abi`, which is another one than this shim speaks.
pub fn of_abi(directory: &Path, abi: i32) -> PathBuf {
    let source = format!("int Java_dev_auk_NativeBridge_abiVersion(void *env, void *class) {{ return {abi}; }}\n");
    compile(directory, "libother-abi.so", &source, &[])
}

/// A library that is linked as one for musl is: it asks for `libc.so`, which is a text for the linker, or nothing, where there is glibc.
pub fn for_musl(directory: &Path) -> PathBuf {
    compile(directory, "libc.so", "int auk_of_musl(void) { return 1; }\n", &["-nostdlib", "-Wl,-soname,libc.so"]);
    let source = "int auk_of_musl(void);\nint Java_dev_auk_NativeBridge_abiVersion(void *env, void *class) { return auk_of_musl(); }\n";
    compile(directory, "libfor-musl.so", source, &["-nostdlib", "-L.", "-l:libc.so"])
}
