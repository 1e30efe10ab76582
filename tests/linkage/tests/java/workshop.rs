//! A workshop that compiles small Java classes and packs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use auk_end_to_end::{Jdk, find_jdk};
use auk_linkage::{Bodies, StubSet};

/// Runs the compiler once for each file of arguments, one a line.
const COMPILER: &str = r#"
public class Compiler {
    public static void main(String[] lists) throws java.io.IOException {
        var compiler = javax.tools.ToolProvider.getSystemJavaCompiler();
        for (String list : lists) {
            var arguments = java.nio.file.Files.readAllLines(java.nio.file.Path.of(list));
            if (compiler.run(null, null, null, arguments.toArray(String[]::new)) != 0) {
                System.err.println("from " + list);
                System.exit(1);
            }
        }
    }
}
"#;

/// A directory to compile in, and the JDK that does it.
pub struct Workshop {
    directory: tempfile::TempDir,
    jdk: Jdk,
}

impl Workshop {
    /// A new, empty one with Java 17.
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), jdk: find_jdk(17).unwrap() }
    }

    /// Compiles a set of generated classes. Answers where the classes are.
    pub fn compile_stubs(&self, set: &StubSet, bodies: Bodies, name: &str) -> PathBuf {
        self.compile_all_stubs(&[(set, bodies, name)]);
        self.directory.path().join(name)
    }

    /// Compiles sets of generated classes in one JVM, where the compiler warms up once. Every warning is an error but those about erased
    /// types, which are meant, and about names that are given.
    pub fn compile_all_stubs(&self, sets: &[(&StubSet, Bodies, &str)]) {
        let options = ["--release", "17", "-proc:none", "-Werror", "-Xlint:all,-rawtypes,-serial,-overrides,-static", "-cp", "", "-d"];
        let mut arguments = Vec::new();
        for (set, bodies, name) in sets {
            let classes = self.directory.path().join(name);
            let files = set.write(*bodies, &self.directory.path().join(format!("{name}-src"))).unwrap();
            let words = options.iter().map(|option| (*option).to_owned());
            let paths = [classes].into_iter().chain(files).map(|path| path.to_str().unwrap().to_owned());
            let list = self.directory.path().join(format!("{name}.txt"));
            std::fs::write(&list, words.chain(paths).collect::<Vec<_>>().join("\n")).unwrap();
            arguments.push(list);
        }
        let compiler = self.directory.path().join("Compiler.java");
        std::fs::write(&compiler, COMPILER).unwrap();
        run(self.jdk.java().arg("-XX:+UseSerialGC").arg(compiler).args(arguments));
    }

    /// Compiles `sources`, each a class's name as in a path and its text, against the classes in `class_path`.
    pub fn compile(&self, name: &str, class_path: &[&Path], sources: &[(&str, &str)]) -> PathBuf {
        let mut files = Vec::new();
        for (class, text) in sources {
            let file = self.directory.path().join(format!("{name}-src")).join(format!("{class}.java"));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, text).unwrap();
            files.push(file);
        }
        let classes = self.directory.path().join(name);
        let mut javac = Command::new(self.jdk.program("javac"));
        javac.args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "--release", "17", "-proc:none", "-Xlint:none"]);
        run(javac.arg("-cp").arg(std::env::join_paths(class_path).unwrap()).arg("-d").arg(&classes).args(files));
        classes
    }

    /// Compiles and packs `sources`.
    pub fn jar(&self, name: &str, class_path: &[&Path], sources: &[(&str, &str)]) -> PathBuf {
        let classes = self.compile(name, class_path, sources);
        self.pack(name, &classes)
    }

    /// Packs a directory of classes.
    pub fn pack(&self, name: &str, classes: &Path) -> PathBuf {
        let jar = self.directory.path().join(format!("{name}.jar"));
        run(Command::new(self.jdk.program("jar")).arg("--create").arg("--file").arg(&jar).arg("-C").arg(classes).arg("."));
        jar
    }

    /// Runs a main class and answers what it printed.
    pub fn run(&self, class_path: &[&Path], main: &str) -> String {
        run(self.jdk.java().arg("-cp").arg(std::env::join_paths(class_path).unwrap()).arg(main))
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{said}{complained}");
    said.into_owned()
}
