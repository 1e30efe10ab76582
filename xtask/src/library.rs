//! What a native library says of itself, and whether it may be shipped.

use std::path::Path;

use object::macho::MachHeader64;
use object::read::elf::ElfFile64;
use object::read::macho::{LoadCommandVariant, MachOFile};
use object::{Architecture, Endianness, File, NameOrOrdinal, Object};

use crate::catalog::{NativeTarget, Release};
use crate::problem::Problem;
use crate::signature::Signature;

/// A library of this many bytes is too large for a jar with seven.
const BYTES_MAX: usize = 5_500_000;

/// What Java calls, each as the method of this name on `dev.auk.NativeBridge`.
const METHODS: [&str; 8] = ["abiVersion", "beginClose", "close", "open", "poll", "reload", "status", "submit"];

/// What the JVM looks for in any library; allowed, not needed.
const ON_LOAD: &str = "JNI_OnLoad";

/// Words that the second TLS provider cannot hide: its crates' names with the rest of a path, which its errors carry.
const SECOND_PROVIDER: [&[u8]; 2] = [b"aws-lc-sys", b"aws-lc-rs-"];

/// What every Linux with this libc has; a library must need nothing else of the system.
const NEEDED_GNU: [&str; 7] =
    ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"];
const NEEDED_MUSL: [&str; 1] = ["libc.so"];

/// Where macOS keeps its own libraries.
const PLACES_MACOS: [&str; 2] = ["/usr/lib/", "/System/Library/"];

/// What every Windows from 10 on has, in lower case; the names that begin with the word after them stand for parts of it, the C library among
/// them. A compiler's own, such as `vcruntime140.dll` and `libgcc_s_seh-1.dll`, would have to be installed.
const NEEDED_WINDOWS: [&str; 7] =
    ["kernel32.dll", "ntdll.dll", "ws2_32.dll", "advapi32.dll", "bcrypt.dll", "bcryptprimitives.dll", "userenv.dll"];
const PARTS_WINDOWS: &str = "api-ms-win-";

/// One library, as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Library {
    /// The size of the file.
    pub(crate) bytes: usize,
    /// What it exports, sorted, without the underscore that macOS puts before each name.
    pub(crate) exports: Vec<String>,
    /// The newest glibc that it needs; none where it needs none.
    pub(crate) glibc: Option<Release>,
    /// `linux-x86_64` and so on: what its header says.
    platform: String,
    /// The libraries of the system that it names.
    needs: Vec<String>,
    /// The oldest macOS that it runs on, where it is for macOS.
    macos: Option<Release>,
    /// What it carries as a signature for macOS.
    signature: Signature,
    /// Whether there is a trace of a second TLS provider.
    has_second_provider: bool,
}

impl Library {
    /// Reads the library in `file`, whose bytes are `data`.
    pub(crate) fn read(file: &Path, data: &[u8]) -> Result<Self, Problem> {
        Self::parse(data).map_err(|error| Problem::Library { file: file.to_owned(), what: error.to_string() })
    }

    fn parse(data: &[u8]) -> object::Result<Self> {
        let file = File::parse(data)?;
        let mut exports = Vec::new();
        for export in file.exports()? {
            exports.push(match export?.into_name() {
                NameOrOrdinal::Name(name) => text(name.strip_prefix(b"_").filter(|_| is_macos(&file)).unwrap_or(&name)),
                NameOrOrdinal::Ordinal(ordinal) => format!("number {ordinal}"),
            });
        }
        exports.sort();
        let needs = file.import_libraries()?.map(|library| Ok(text(library?.name()))).collect::<object::Result<_>>()?;
        let (macos, signature) = if let File::MachO64(file) = &file { loading_of_macos(file, data)? } else { (None, Signature::Absent) };
        let glibc = if let File::Elf64(file) = &file { newest_glibc(file, data)? } else { None };
        let has_second_provider = SECOND_PROVIDER.iter().any(|word| data.windows(word.len()).any(|window| window == *word));
        Ok(Self { bytes: data.len(), exports, glibc, platform: platform(&file), needs, macos, signature, has_second_provider })
    }

    /// Why this library may not be shipped for `target`, in sentences; empty when it may.
    pub(crate) fn faults(&self, target: &NativeTarget) -> Vec<String> {
        let mut faults = Vec::new();
        let wanted = format!("{}-{}", target.os, target.arch);
        if self.platform != wanted {
            faults.push(format!("it is a library for {}", self.platform));
        }
        let methods: Vec<String> = methods().collect();
        let more: Vec<&str> = self.exports.iter().filter(|name| *name != ON_LOAD && !methods.contains(name)).map(String::as_str).collect();
        if !more.is_empty() {
            faults.push(format!("it exports {} names too many, such as {}", more.len(), more[0]));
        }
        faults.extend(methods.iter().filter(|name| !self.exports.contains(name)).map(|name| format!("it does not export {name}")));
        if self.glibc > target.glibc {
            let needed = self.glibc.map_or_else(String::new, |release| release.to_string());
            faults.push(match target.glibc {
                Some(oldest) => format!("it needs glibc {needed}, and {oldest} has to do"),
                None => format!("it needs glibc {needed}, where there is none"),
            });
        }
        faults.extend(self.needs.iter().filter(|name| !is_of_system(name, target)).map(|name| format!("it needs {name}")));
        if self.macos != target.macos {
            let found = self.macos.map_or_else(|| "no macOS".to_owned(), |release| format!("macOS {release}"));
            faults.push(format!("it names {found} as the oldest that it runs on"));
        }
        match &self.signature {
            Signature::Absent if target.os == "macos" && target.arch == "aarch64" => {
                faults.push("it is not signed, and macOS on ARM loads nothing unsigned".to_owned());
            }
            Signature::Absent | Signature::AdHoc { .. } => {}
            Signature::Bad(why) => faults.push(format!("its signature is bad: {why}")),
        }
        if self.has_second_provider {
            faults.push("it contains aws-lc beside ring, and two TLS providers end at the first handshake".to_owned());
        }
        if self.bytes > BYTES_MAX {
            faults.push(format!("it has {} bytes, and {BYTES_MAX} are allowed", self.bytes));
        }
        faults
    }

    /// What the rules looked at in a library for macOS.
    pub(crate) fn description(&self) -> String {
        let macos = self.macos.map_or_else(|| "any macOS".to_owned(), |release| format!("macOS {release}"));
        format!("{} exports, {macos}, needs {} libraries of the system, {}", self.exports.len(), self.needs.len(), self.signature)
    }
}

/// The exports as a linker for Windows reads them.
pub(crate) fn export_list() -> String {
    let lines: String = methods().map(|method| format!("  {method}\n")).collect();
    format!("EXPORTS\n{lines}")
}

/// Whether every machine that `target` is for has the library called `name`.
fn is_of_system(name: &str, target: &NativeTarget) -> bool {
    match (target.os.as_str(), target.libc.as_str()) {
        ("linux", "gnu") => NEEDED_GNU.contains(&name),
        ("linux", _) => NEEDED_MUSL.contains(&name),
        ("macos", _) => PLACES_MACOS.iter().any(|place| name.starts_with(place)),
        _ => {
            let name = name.to_ascii_lowercase();
            NEEDED_WINDOWS.contains(&name.as_str()) || name.starts_with(PARTS_WINDOWS)
        }
    }
}

fn methods() -> impl Iterator<Item = String> {
    METHODS.iter().map(|method| format!("Java_dev_auk_NativeBridge_{method}"))
}

fn platform(file: &File<'_>) -> String {
    let os = if matches!(file, File::Elf64(_)) {
        "linux"
    } else if is_macos(file) {
        "macos"
    } else if matches!(file, File::Pe64(_)) {
        "windows"
    } else {
        "another system"
    };
    let arch = file.architecture();
    if arch == Architecture::X86_64 {
        format!("{os}-x86_64")
    } else if arch == Architecture::Aarch64 {
        format!("{os}-aarch64")
    } else {
        format!("{os}-{arch:?}")
    }
}

fn is_macos(file: &File<'_>) -> bool {
    matches!(file, File::MachO64(_))
}

/// The newest version `GLIBC_n.m` that the dynamic linker will ask glibc for.
fn newest_glibc(file: &ElfFile64<'_, Endianness>, data: &[u8]) -> object::Result<Option<Release>> {
    let (sections, endian) = (file.elf_section_table(), file.endian());
    let mut newest = None;
    let Some((needs, names)) = sections.gnu_verneed(endian, data)? else { return Ok(None) };
    let names = sections.strings(endian, data, names)?;
    for need in needs {
        for version in need?.1 {
            let name = text(version?.name(endian, names)?);
            newest = newest.max(name.strip_prefix("GLIBC_").and_then(Release::parse));
        }
    }
    Ok(newest)
}

/// The oldest macOS that a library names, and its signature.
fn loading_of_macos(file: &MachOFile<'_, MachHeader64<Endianness>>, data: &[u8]) -> object::Result<(Option<Release>, Signature)> {
    let endian = file.endian();
    let (mut oldest, mut signature) = (None, Signature::Absent);
    for command in file.macho_load_commands()? {
        let command = command?;
        let variant = command.variant()?;
        if let LoadCommandVariant::LinkeditData(place) = variant
            && command.cmd() == object::macho::LC_CODE_SIGNATURE
        {
            signature = Signature::read(data, place.dataoff.get(endian) as usize, place.datasize.get(endian) as usize);
        }
        let version = if let LoadCommandVariant::BuildVersion(build, _) = variant {
            build.minos.get(endian).0
        } else if let LoadCommandVariant::VersionMin(least) = variant {
            least.version.get(endian).0
        } else {
            continue;
        };
        // Mach-O loader.h: "X.Y.Z is encoded in nibbles xxxx.yy.zz".
        oldest = Some(Release(version >> 16, version >> 8 & 0xff));
    }
    Ok((oldest, signature))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Library, methods};
    use crate::Workspace;
    use crate::catalog::{NativeTarget, Release};
    use crate::signature::Signature;

    fn target(name: &str) -> NativeTarget {
        NativeTarget::read_all(&Workspace::find().unwrap()).unwrap().into_iter().find(|target| target.name() == name).unwrap()
    }

    fn good() -> Library {
        Library {
            bytes: 4_000_000,
            exports: methods().collect(),
            glibc: Some(Release(2, 17)),
            platform: "linux-x86_64".into(),
            needs: vec!["libc.so.6".into()],
            macos: None,
            signature: Signature::Absent,
            has_second_provider: false,
        }
    }

    #[track_caller]
    fn one_fault(library: &Library, name: &str, words: &str) {
        let faults = library.faults(&target(name));
        assert!(faults.len() == 1 && faults[0].contains(words), "{faults:?}");
    }

    #[test]
    fn a_library_that_keeps_every_rule_may_be_shipped() {
        let mut library = good();
        assert_eq!(library.faults(&target("linux-x86_64-gnu")), Vec::<String>::new());
        library.exports.push("JNI_OnLoad".into());
        assert_eq!(library.faults(&target("linux-x86_64-gnu")), Vec::<String>::new(), "JNI_OnLoad is allowed");
    }

    #[test]
    fn every_broken_rule_is_a_fault_of_its_own() {
        let gnu = "linux-x86_64-gnu";
        one_fault(&Library { bytes: 5_500_001, ..good() }, gnu, "5500001 bytes");
        one_fault(&Library { exports: good().exports[1..].into(), ..good() }, gnu, "does not export Java_dev_auk_NativeBridge_abiVersion");
        one_fault(&Library { exports: [good().exports, vec!["rust_eh_personality".into()]].concat(), ..good() }, gnu, "1 names too many");
        one_fault(&Library { glibc: Some(Release(2, 18)), ..good() }, gnu, "glibc 2.18");
        one_fault(&Library { needs: vec!["libgcc_s.so.1".into()], ..good() }, gnu, "libgcc_s.so.1");
        one_fault(&Library { has_second_provider: true, ..good() }, gnu, "aws-lc");
        one_fault(&Library { platform: "linux-aarch64".into(), ..good() }, gnu, "linux-aarch64");
        let musl = Library { needs: vec!["libc.so".into()], ..good() };
        one_fault(&musl, "linux-x86_64-musl", "glibc 2.17, where there is none");
    }

    #[test]
    fn a_library_for_macos_on_arm_is_signed_and_names_its_oldest_macos() {
        let arm = Library {
            platform: "macos-aarch64".into(),
            glibc: None,
            needs: vec!["/usr/lib/libSystem.B.dylib".into(), "/System/Library/Frameworks/Security.framework/Versions/A/Security".into()],
            macos: Some(Release(11, 0)),
            signature: Signature::AdHoc { pages: 3 },
            ..good()
        };
        assert_eq!(arm.faults(&target("macos-aarch64")), Vec::<String>::new());
        assert_eq!(arm.description(), "8 exports, macOS 11.0, needs 2 libraries of the system, signed ad hoc, 3 pages with good hashes");
        one_fault(&Library { signature: Signature::Absent, ..arm.clone() }, "macos-aarch64", "not signed");
        one_fault(&Library { signature: Signature::Bad("for a test".into()), ..arm.clone() }, "macos-aarch64", "bad: for a test");
        one_fault(&Library { macos: Some(Release(14, 2)), ..arm.clone() }, "macos-aarch64", "macOS 14.2");
        one_fault(&Library { macos: None, ..arm.clone() }, "macos-aarch64", "no macOS");
        for stranger in ["/opt/homebrew/lib/libssl.3.dylib", "@rpath/libzstd.dylib", "libz.dylib"] {
            one_fault(&Library { needs: vec![stranger.into()], ..arm.clone() }, "macos-aarch64", stranger);
        }
    }

    #[test]
    fn a_library_for_windows_needs_what_windows_has_and_no_compiler_s_own() {
        let needs = ["KERNEL32.dll", "api-ms-win-crt-heap-l1-1-0.dll"].map(str::to_owned).into();
        let windows = Library { platform: "windows-x86_64".into(), glibc: None, needs, ..good() };
        assert_eq!(windows.faults(&target("windows-x86_64")), Vec::<String>::new());
        for stranger in ["VCRUNTIME140.dll", "libgcc_s_seh-1.dll", "libwinpthread-1.dll"] {
            one_fault(&Library { needs: vec![stranger.into()], ..windows.clone() }, "windows-x86_64", stranger);
        }
    }

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn a_program_of_this_machine_is_read_as_the_system_reads_it() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let library = Library::parse(&own).unwrap();
        assert_eq!(library.platform, format!("linux-{}", std::env::consts::ARCH));
        assert!(library.glibc > Some(Release(2, 2)), "{library:?}");
        assert!(library.needs.contains(&"libc.so.6".to_owned()), "{library:?}");
        assert!(library.has_second_provider, "this test names the provider itself: {library:?}");
        assert!(Library::parse(&own[..100]).is_err(), "a part of it is none");
    }
}
