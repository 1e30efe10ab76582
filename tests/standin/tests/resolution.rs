//! What Fabric Loader makes of the jar, version by version.

use std::collections::BTreeSet;

use auk_end_to_end::Artifacts;
use auk_linkage::{Loader, LoaderVersion, Scheme, normalize, versions};
use auk_standin::{FabricLoader, ModJar, Refusal};

const INTERMEDIARY: &str = "auk-adapter-intermediary.jar";
const OFFICIAL: &str = "auk-adapter-official.jar";

#[test]
fn every_version_of_the_table_gets_the_one_adapter_for_its_names() {
    for version in versions() {
        let wanted = match version.scheme() {
            Scheme::Intermediary => INTERMEDIARY,
            Scheme::Official => OFFICIAL,
        };
        for loader in [Loader::Old, Loader::Current] {
            assert_eq!(chosen(version.name(), loader), Ok(vec![wanted.to_owned()]), "{version}, {loader:?}");
        }
    }
}

#[test]
fn versions_that_are_no_releases_get_the_adapter_that_a_real_loader_would_choose() {
    let rows = [
        ("1.20.5-pre1", INTERMEDIARY),
        ("1.21.11-rc1", INTERMEDIARY),
        ("1.21.11_unobfuscated", INTERMEDIARY),
        ("26.1-snapshot-1", OFFICIAL),
        ("26.1.2", OFFICIAL),
        ("26.2-pre-1", OFFICIAL),
        ("26.2-rc-2", OFFICIAL),
    ];
    for (minecraft, wanted) in rows {
        assert_eq!(chosen(minecraft, Loader::Current), Ok(vec![wanted.to_owned()]), "{minecraft}");
    }
}

#[test]
fn a_game_that_auk_is_not_for_is_refused_with_the_adapter_named() {
    for minecraft in ["1.19.4", "1.20", "27.1", "27.1-snapshot-1"] {
        let refusal = chosen(minecraft, Loader::Current).expect_err(minecraft);
        assert_eq!((needed(&refusal), refusal.to_string().contains("there is none")), ("auk-adapter", true), "{minecraft}: {refusal}");
    }
}

#[test]
fn what_else_is_missing_or_too_old_is_refused_by_its_name() {
    let loader = || FabricLoader::with(LoaderVersion::read("1.21.1"), 21);
    let (jar, _directory) = jar();
    let rows = [
        ("fabric-api", loader().without("fabric-api")),
        ("java", loader().and("java", "16")),
        ("fabricloader", loader().and("fabricloader", "0.14.25")),
    ];
    for (name, loader) in rows {
        assert_eq!(needed(&loader.choose(&jar).expect_err(name)), name);
    }
    for (id, version) in [("java", "17"), ("fabricloader", "0.15.0")] {
        assert_eq!(loader().and(id, version).choose(&jar).map(|chosen| chosen.len()), Ok(1), "{id} {version}");
    }
}

#[test]
fn the_adapters_share_one_id_and_bound_the_game_by_ends_before_all_pre_releases() {
    let (jar, _directory) = jar();
    let ids: BTreeSet<&str> = jar.nested.iter().map(|(nested, _)| nested.id.as_str()).collect();
    assert_eq!(ids, BTreeSet::from(["auk-adapter"]));
    assert!(jar.outer.depends.contains_key("auk-adapter"), "{:?}", jar.outer);
    for (nested, file) in &jar.nested {
        let ranges = &nested.depends["minecraft"];
        let bounds: Vec<&str> = ranges.iter().flat_map(|range| range.split(' ')).collect();
        // Without the hyphen an end takes the pre-releases of the version behind it.
        assert!(bounds.len() == 2 && bounds.iter().all(|bound| bound.ends_with('-')), "{}: {ranges:?}", file.display());
        assert_eq!(
            nested.depends.keys().collect::<Vec<_>>(),
            ["minecraft"],
            "what else is needed the outer mod asks for, so that it is said"
        );
    }
}

fn jar() -> (ModJar, tempfile::TempDir) {
    let artifacts = Artifacts::find().unwrap_or_else(|failure| panic!("{failure}"));
    let directory = tempfile::tempdir().expect("there is a temporary directory");
    let jar = ModJar::read(&artifacts.jar("auk-debug"), directory.path()).unwrap_or_else(|failure| panic!("{failure}"));
    (jar, directory)
}

fn chosen(minecraft: &str, loader: Loader) -> Result<Vec<String>, Refusal> {
    let (jar, _directory) = jar();
    let minecraft = normalize(minecraft, loader).unwrap_or_else(|odd| panic!("{odd}"));
    let places = FabricLoader::with(minecraft, 25).choose(&jar)?;
    Ok(places.iter().map(|place| jar.nested[*place].1.file_name().unwrap_or_default().to_string_lossy().into_owned()).collect())
}

fn needed(refusal: &Refusal) -> &str {
    match refusal {
        Refusal::Unmet { needed, .. } => needed,
        Refusal::Odd(odd) => panic!("{odd}"),
    }
}
