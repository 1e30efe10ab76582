//! The built mod against the member table: whatever a class refers to is there, in every version that the class can run on.

use std::fs;
use std::path::Path;

use auk_end_to_end::Artifacts;
use auk_linkage::{ModJar, Report, Scheme, Table, VARIANTS, Version, versions};

#[test]
fn every_reference_of_every_class_resolves_in_every_version_that_the_class_can_run_on() {
    let (jar, table) = open();
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).expect("readable");
    let mut checked = 0;
    for version in versions() {
        let report = jar.check(version, &table).expect("readable");
        assert_no_failures(&report);
        let row = readme.lines().find(|line| line.starts_with(&format!("| {version} | ")));
        let told = row.and_then(|row| row.split(" | ").nth(3));
        assert_eq!(
            told,
            Some(report.references_checked.to_string().as_str()),
            "`cargo xtask versions --write` renews README's row of {version}"
        );
        checked += report.references_checked;
    }
    println!("{checked} references resolved in {} versions", versions().len());
}

#[test]
fn the_outer_mod_knows_no_class_of_the_game_and_no_kotlin_but_its_own() {
    let (jar, _) = open();
    // As a descriptor, which a class file names others by: in texts, Kotlin calls itself by its old name.
    for name in ["net/minecraft/", "Lkotlin/"] {
        let mentions = jar.mentions_of(name).expect("readable");
        assert!(mentions.is_empty(), "{name}: {mentions:?}");
    }
}

#[test]
fn a_variant_that_would_run_on_a_version_too_new_for_it_is_named_with_the_member_that_is_missing() {
    let (jar, table) = open();
    let version: Version = "1.21.11".parse().expect("known");
    let report = jar.adapter(version).expect("readable").only(|class| class.ends_with("/LevelPermissions")).check(version, &table);
    let names: Vec<String> = report.failures.iter().map(|failure| failure.reason.to_string()).collect();
    assert!(names.iter().any(|name| name.contains("method_9259")), "{names:?}");
}

#[test]
fn each_variant_is_there_and_links_only_where_it_is_chosen() {
    let (jar, table) = open();
    for (variant, first, last) in VARIANTS {
        let chosen = |version: Version| (parse(first)..=parse(last)).contains(&version);
        let alone = jar.adapter(parse(first)).expect("readable").only(|class| class.ends_with(&format!("/{variant}")));
        let fails: Vec<Version> =
            Scheme::Intermediary.versions().into_iter().filter(|version| fails(&alone.check(*version, &table))).collect();
        assert!(!fails.is_empty(), "{variant} links in every version, so its twin is not needed");
        assert!(!fails.iter().any(|version| chosen(*version)), "{variant}: {fails:?}");
    }
}

fn fails(report: &Report) -> bool {
    assert!(report.references_checked > 0, "a variant is missing");
    !report.failures.is_empty()
}

fn open() -> (ModJar, Table) {
    let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
    let jar = ModJar::open(&artifacts.jar("auk-debug"), &artifacts.dir.join("jars/provided"));
    (jar.expect("`cargo xtask test` builds the mod first"), Table::read().expect("the table is readable"))
}

fn parse(version: &str) -> Version {
    version.parse().expect("a version of the table")
}

#[track_caller]
fn assert_no_failures(report: &Report) {
    let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
