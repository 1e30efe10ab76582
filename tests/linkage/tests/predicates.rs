//! The evaluator of version predicates says what the real Fabric Loader said.

use auk_linkage::{Loader, LoaderVersion, Predicate, accepts_any, normalize};

const OLD: &str = include_str!("../predicates/loader-predicates-0.15.11.tsv");
const CURRENT: &str = include_str!("../predicates/loader-predicates-0.19.2.tsv");

/// Holds every cell of a table of the real loader against ours. Answers how many there were of normal forms and of verdicts.
fn hold_against(table: &str, loader: Loader) -> (usize, usize) {
    let mut lines = table.lines().skip_while(|line| *line != "raw\tnormalized").skip(1);
    let mut normal_forms = 0;
    for line in lines.by_ref().take_while(|line| !line.is_empty()) {
        let (raw, normalized) = line.split_once('\t').unwrap();
        assert_eq!(normalize(raw, loader).unwrap().to_string(), normalized, "{raw}, {loader:?}");
        normal_forms += 1;
    }
    let names: Vec<&str> = lines.next().unwrap().split('\t').skip(1).collect();
    let mut verdicts = 0;
    for line in lines {
        let mut cells = line.split('\t');
        let text = cells.next().unwrap();
        let predicate = Predicate::read(text).unwrap();
        for (name, cell) in names.iter().zip(cells) {
            assert_eq!(predicate.accepts(&normalize(name, loader).unwrap()), cell == "1", "{text} on {name}, {loader:?}");
            verdicts += 1;
        }
    }
    (normal_forms, verdicts)
}

#[test]
fn every_cell_of_both_loaders_tables_is_met() {
    assert_eq!(hold_against(OLD, Loader::Old), (34, 31 * 34));
    assert_eq!(hold_against(CURRENT, Loader::Current), (34, 31 * 34));
}

#[test]
fn an_array_is_met_when_one_of_its_predicates_is() {
    let array = [Predicate::read("1.20.x").unwrap(), Predicate::read(">=26.1- <27-").unwrap()];
    let verdicts = ["1.20.4", "1.21", "26.2", "27.1"].map(|version| accepts_any(&array, &LoaderVersion::read(version)));
    assert_eq!(verdicts, [true, false, true, false]);
}

#[test]
fn what_the_loader_refuses_is_refused_with_the_reason() {
    let refusal = Predicate::read(">=1.20.x").unwrap_err().to_string();
    assert_eq!(refusal, r#"the version predicate ">=1.20.x" is refused: an x-range stands without an operator"#);
    let refusal = Predicate::read(">soon").unwrap_err().to_string();
    assert_eq!(refusal, r#"the version predicate ">soon" is refused: only a semantic version can be an open end"#);
}

#[test]
fn a_version_without_numbers_equals_itself_only() {
    let soon = LoaderVersion::read("soon");
    let accepts = |predicate| Predicate::read(predicate).unwrap().accepts(&soon);
    assert_eq!([accepts("soon"), accepts(">=soon"), accepts("later"), accepts(">=1.20")], [true, true, false, false]);
}

#[test]
fn a_pre_release_comes_before_its_release_and_numbers_in_it_count_as_numbers() {
    let before = |left: &str, right: &str| Predicate::read(&format!("<{right}")).unwrap().accepts(&LoaderVersion::read(left));
    assert!(before("1.21-", "1.21-alpha.1"));
    assert!(before("1.21-alpha.9", "1.21-alpha.10"));
    assert!(before("1.21-1", "1.21-alpha"));
    assert!(before("1.21-alpha", "1.21-alpha.0"));
    assert!(before("1.21-rc.1", "1.21"));
    assert!(!before("1.21+build", "1.21"));
}

#[test]
fn a_game_version_of_unknown_form_is_named() {
    for name in ["23w13a_or_b", "b1.7.3", "26.1-odd-1", "24w99a", "1.21-pre"] {
        let error = normalize(name, Loader::Current).unwrap_err();
        assert_eq!(error.to_string(), format!("it is not known how Fabric Loader reads the game version {name:?}"));
    }
}
