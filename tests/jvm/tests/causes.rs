//! Each cause that keeps the library from being loaded, with the whole text that an operator reads, in both languages.
//!
//! The texts are in `tests/vectors/loader`, one file a cause. With `AUK_BLESS=1` they are written anew; read the difference before it is kept.
#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use auk_end_to_end::{Artifacts, comparable, refusal_file};
use auk_jvm::natives::{self, Natives};
use auk_jvm::{JAVA_VERSIONS, Library, Program, Run, Volume};
use tempfile::TempDir;

#[test]
fn a_system_without_a_library_is_named() {
    let scene = Scene::new();
    scene.explained("unsupported-system", Library::Jar, &["-Dos.name=FreeBSD"]);
    scene.explained("unsupported-processor", Library::Jar, &["-Dos.arch=riscv64"]);
    scene.explained("java-of-32-bits", Library::Jar, &["-Dos.arch=i386"]);
    scene.explained("windows-on-arm", Library::Jar, &["-Dos.name=Windows 11", "-Dos.arch=aarch64"]);
}

#[test]
fn a_jar_that_was_built_for_other_systems_says_so() {
    let scene = Scene::new();
    scene.explained("not-in-jar", Library::Absent, &[]);
    scene.explained("not-in-jar-for-arm", Library::Jar, &["-Dos.arch=aarch64"]);
}

#[test]
fn a_volume_from_which_nothing_may_be_run_is_named_and_the_next_directory_serves() {
    let Some(wrapper) = Volume::wrapper("a volume from which nothing may be run") else { return };
    let scene = Scene::new();
    let noexec = |directory: PathBuf| Volume { directory, options: "noexec,size=128m" };
    let everywhere = [noexec(scene.game()), noexec(scene.temporary())];
    scene.explained_on("noexec", Library::Jar, &[], (&wrapper, &everywhere));
    scene.loads_on(Library::Jar, &[], (&wrapper, &everywhere[..1]));
}

#[test]
fn a_directory_that_may_only_be_read_is_named_and_the_next_one_serves() {
    let Some(wrapper) = Volume::wrapper("a directory that may only be read") else { return };
    let scene = Scene::new();
    let read_only = |directory: PathBuf| Volume { directory, options: "ro" };
    let everywhere = [read_only(scene.game()), read_only(scene.temporary())];
    scene.explained_on("read-only", Library::Jar, &[], (&wrapper, &everywhere));
    scene.loads_on(Library::Jar, &[], (&wrapper, &everywhere[..1]));
}

#[test]
fn a_full_disk_is_named_and_the_next_one_serves() {
    let Some(wrapper) = Volume::wrapper("a full disk") else { return };
    let scene = Scene::new();
    let small = |directory: PathBuf| Volume { directory, options: "size=64k" };
    let everywhere = [small(scene.game()), small(scene.temporary())];
    scene.explained_on("full-disk", Library::Jar, &[], (&wrapper, &everywhere));
    scene.loads_on(Library::Jar, &[], (&wrapper, &everywhere[..1]));
}

#[test]
fn a_jar_that_holds_half_a_library_is_called_damaged() {
    let scene = Scene::new();
    let library = b"anything at all, for it is never loaded".repeat(100);
    let packed = natives::pack(&library);
    let half = Natives::at(&scene.jar()).with_packed("gnu", &library, &packed[..packed.len() / 2]).write();
    scene.explained("half-in-jar", Library::Packed(&half), &[]);
    let other = Natives::at(&scene.jar()).with_packed("gnu", &library, &natives::pack(b"something else")).write();
    scene.explained("damaged-in-jar", Library::Packed(&other), &[]);
    assert!(!scene.game().join(".auk").exists(), "nothing of it reaches the disk");
}

#[test]
fn what_a_crash_left_of_the_library_is_replaced() {
    let scene = Scene::new();
    scene.loads_on(Library::Jar, &[], (&[], &[]));
    let directory = only_child(&scene.game().join(".auk/native"));
    let library = only_child(&directory);
    let whole = fs::read(&library).expect("the library was extracted here");
    for left in [&whole[..whole.len() / 2], b"", &vec![0; whole.len()]] {
        fs::write(&library, left).expect("a test can write into its own directory");
        fs::write(directory.join("libauk.so123.part"), left).expect("a test can write into its own directory");
        scene.loads_on(Library::Jar, &[], (&[], &[]));
        assert!(fs::read(&library).expect("it is there") == whole, "the whole library is there again");
    }
}

#[test]
fn a_library_for_the_other_libc_is_named_and_the_right_one_serves() {
    let scene = Scene::new();
    let for_musl = natives::for_musl(scene.0.path());
    scene.explained("other-libc", Library::File(&for_musl), &[]);
    let musl = fs::read(&for_musl).expect("it was just made");
    let only = Natives::at(&scene.jar()).with("musl", &musl).write();
    scene.explained("other-libc-in-jar", Library::Packed(&only), &[]);
    // The libc was guessed wrong, or a wrong library was put in: either way the other one is tried.
    let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
    let good = fs::read(&artifacts.native).expect("the library was built");
    let both = Natives::at(&scene.jar()).with("gnu", &musl).with("musl", &good).write();
    scene.loads_on(Library::Packed(&both), &[], (&[], &[]));
}

#[test]
fn a_file_that_no_system_of_this_kind_can_load_is_named() {
    let scene = Scene::new();
    let ours = fs::read(natives::of_abi(scene.0.path(), 1)).expect("it was just made");
    let mut arm = ours.clone();
    // System V ABI, "e_machine": 183 is AArch64.
    arm[18..20].copy_from_slice(&183_u16.to_le_bytes());
    let windows = [b"MZ".as_slice(), &[0; 4096]].concat();
    for (cause, name, bytes) in [
        ("other-processor", "arm.so", &*arm),
        ("other-system", "auk.dll", &windows),
        ("no-library", "text.so", b"Not Found\n"),
        ("cut-off", "cut-off.so", &ours[..10_000]),
    ] {
        let file = scene.0.path().join(name);
        fs::write(&file, bytes).expect("a test can write into its own directory");
        scene.explained(cause, Library::File(&file), &[]);
    }
    scene.explained("no-file", Library::File(&scene.0.path().join("nowhere/libauk.so")), &[]);
}

#[test]
fn a_library_with_another_border_is_not_used() {
    let scene = Scene::new();
    let other = natives::of_abi(scene.0.path(), 99);
    scene.explained("other-abi", Library::File(&other), &[]);
    let in_jar = Natives::at(&scene.jar()).with("gnu", &fs::read(&other).expect("it was just made")).write();
    scene.explained("other-abi-in-jar", Library::Packed(&in_jar), &[]);
}

#[test]
fn a_library_of_somebody_else_is_not_used() {
    let scene = Scene::new();
    let foreign = natives::compile(scene.0.path(), "libforeign.so", "int foreign(void) { return 1; }\n", &[]);
    scene.explained("not-ours", Library::File(&foreign), &[]);
}

#[test]
fn a_java_that_was_told_to_load_no_native_code_is_explained() {
    let scene = Scene::new();
    // The flag came with JEP 472 in Java 24.
    let denied = ["--illegal-native-access=deny", "--enable-native-access=java.base"];
    scene.explained_in(&[25], "forbidden", Library::Jar, &denied, (&[], &[]));
}

#[test]
fn several_servers_that_start_at_once_share_one_file() {
    for java in JAVA_VERSIONS {
        let scene = Scene::new();
        let shared = format!("-Dauk.native.dir={}", scene.0.path().join("shared").display());
        let options = scene.options(&[&shared], "en");
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let homes: Vec<TempDir> = (0..3).map(|_| tempfile::tempdir().expect("there is a temporary directory")).collect();
        let programs: Vec<_> = homes
            .iter()
            .map(|home| Program { options: &options, ..Program::checked("Loading", java, Library::Jar, home.path()) }.start(&[]))
            .collect();
        for mut program in programs {
            let status = program.wait(LIMIT).unwrap_or_else(|| panic!("Java {java} does not end"));
            let said = program.stdout.text() + &program.stderr.text();
            assert!(status.success() && said.contains("status there"), "Java {java}: {said}");
        }
        let directory = only_child(&scene.0.path().join("shared"));
        assert_eq!(only_child(&directory).file_name(), Some("libauk.so".as_ref()), "one file, and nothing half");
    }
}

#[test]
fn a_directory_with_chinese_letters_serves() {
    let scene = Scene::new();
    let named = scene.0.path().join("我的 服务器");
    fs::create_dir(&named).expect("there is a temporary directory");
    for java in JAVA_VERSIONS {
        let run = Program::checked("Loading", java, Library::Jar, &named).run(&[], LIMIT);
        run.assert_clean();
        assert!(run.stdout.contains("status there"), "{run}");
        assert!(only_child(&only_child(&named.join(".auk/native"))).ends_with("libauk.so"));
    }
}

#[test]
fn an_older_version_of_the_library_is_tidied_away_and_nothing_else() {
    for java in JAVA_VERSIONS {
        let scene = Scene::new();
        let base = scene.game().join(".auk/native");
        let (old, recent, foreign) = (base.join("0123456789abcdef"), base.join("fedcba9876543210"), base.join("notes"));
        for directory in [&old, &recent, &foreign] {
            fs::create_dir_all(directory).expect("a test can write into its own directory");
            fs::write(directory.join("libauk.so"), "a library of another version").expect("a test can write into its own directory");
        }
        let two_days_ago = std::time::SystemTime::now() - Duration::from_secs(172_800);
        for path in [&old.join("libauk.so"), &old, &foreign.join("libauk.so"), &foreign] {
            let file = fs::File::open(path).expect("it was just made");
            file.set_modified(two_days_ago).expect("a test can set the time of its own files");
        }
        scene.loads_in(&[java], Library::Jar, &[], (&[], &[]));
        assert!(!old.exists(), "Java {java}: what nobody used for two days goes");
        assert!(recent.join("libauk.so").exists() && foreign.join("libauk.so").exists(), "Java {java}: the rest stays");
    }
}

const LIMIT: Duration = Duration::from_secs(60);

/// A directory of the test's own, in which a server has one, the system has one for temporary files, and a jar may stand.
struct Scene(TempDir);

impl Scene {
    fn new() -> Self {
        let scene = Self(tempfile::tempdir().expect("there is a temporary directory"));
        for directory in [scene.game(), scene.temporary()] {
            fs::create_dir(directory).expect("a test can write into its own directory");
        }
        scene
    }

    fn game(&self) -> PathBuf {
        self.0.path().join("game")
    }

    fn temporary(&self) -> PathBuf {
        self.0.path().join("temporary")
    }

    fn jar(&self) -> PathBuf {
        self.0.path().join("jar")
    }

    fn options(&self, more: &[&str], language: &str) -> Vec<String> {
        // Without the JVM's own files in the temporary directory, which may be full or unwritable here.
        let own =
            [format!("-Djava.io.tmpdir={}", self.temporary().display()), format!("-Dauk.language={language}"), "-XX:-UsePerfData".into()];
        own.into_iter().chain(more.iter().map(ToString::to_string)).collect()
    }

    fn run(&self, java: u32, library: Library<'_>, options: &[&str], language: &str, volumes: (&[&str], &[Volume])) -> Run {
        let options = self.options(options, language);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        // The settings lie beside the game's directory, which may be one that cannot be written.
        let game = self.game();
        let program = Program { options: &options, volumes, ..Program::checked("Loading", java, library, self.0.path()) };
        program.run(&[game.to_str().expect("a temporary directory has a plain name")], LIMIT)
    }

    #[track_caller]
    fn explained(&self, cause: &str, library: Library<'_>, options: &[&str]) {
        self.explained_on(cause, library, options, (&[], &[]));
    }

    #[track_caller]
    fn explained_on(&self, cause: &str, library: Library<'_>, options: &[&str], volumes: (&[&str], &[Volume])) {
        self.explained_in(&JAVA_VERSIONS, cause, library, options, volumes);
    }

    /// The text is the file's in either language, and no bridge came of it.
    #[track_caller]
    fn explained_in(&self, versions: &[u32], cause: &str, library: Library<'_>, options: &[&str], volumes: (&[&str], &[Volume])) {
        let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
        for java in versions {
            let mut text = String::new();
            for language in ["en", "zh"] {
                let run = self.run(*java, library, options, language, volumes);
                run.assert_clean();
                assert!(run.stdout.contains("the server runs on") && !run.stdout.contains("status there"), "Java {java}\n{run}");
                let log = run.log();
                let (first, second) = log.split_at(log.len() / 2);
                assert_eq!(first, second, "Java {java}: the outcome is remembered\n{run}");
                assert!((2..=3).contains(&first.len()), "Java {java}: two or three lines\n{run}");
                text += &comparable(&first.join("\n"), self.0.path(), &artifacts);
                text += "\n";
            }
            golden(cause, &text, *java);
        }
    }

    #[track_caller]
    fn loads_on(&self, library: Library<'_>, options: &[&str], volumes: (&[&str], &[Volume])) {
        self.loads_in(&JAVA_VERSIONS, library, options, volumes);
    }

    #[track_caller]
    fn loads_in(&self, versions: &[u32], library: Library<'_>, options: &[&str], volumes: (&[&str], &[Volume])) {
        for java in versions {
            let run = self.run(*java, library, options, "en", volumes);
            run.assert_clean();
            assert!(run.stdout.contains("status there"), "Java {java}\n{run}");
        }
    }
}

/// Compares `text` with the file of `cause`, or writes it.
#[track_caller]
fn golden(cause: &str, text: &str, java: u32) {
    let file = refusal_file(cause);
    if std::env::var_os("AUK_BLESS").is_some() {
        fs::create_dir_all(file.parent().expect("it has one")).expect("the repository can be written");
        fs::write(&file, text).expect("the repository can be written");
    }
    let known = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(text, known, "Java {java}: {} says something else; AUK_BLESS=1 writes it anew", file.display());
}

#[track_caller]
fn only_child(directory: &Path) -> PathBuf {
    let mut children: Vec<PathBuf> =
        fs::read_dir(directory).expect("it can be read").map(|entry| entry.expect("it can be read").path()).collect();
    children.retain(|path| path.extension().is_none_or(|extension| extension != "part"));
    assert_eq!(children.len(), 1, "one in {}: {children:?}", directory.display());
    children.remove(0)
}
