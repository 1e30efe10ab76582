//! The tables are whole and contradict themselves nowhere.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use auk_linkage::{Entry, Member, Row, Scheme, Shape, Table, Usage, Version, versions};

fn member(row: &Row) -> Option<&Member> {
    match &row.entry {
        Entry::Class { .. } => None,
        Entry::Field(member) | Entry::Method(member) => Some(member),
    }
}

/// The classes that exist in `version` according to their own lines.
fn existing(table: &Table, version: Version) -> BTreeSet<&str> {
    table.rows_of(version).filter(|row| row.entry == Entry::Class { exists: true }).map(|row| row.owner.as_str()).collect()
}

#[test]
fn there_are_eighteen_versions_with_fabric_s_names_and_two_with_the_game_s_own() {
    let names: Vec<&str> = versions().map(Version::name).collect();
    assert_eq!(names.len(), 20);
    assert_eq!((names[0], names[17], names[18], names[19]), ("1.20.1", "1.21.11", "26.1", "26.2"));
    assert_eq!((Scheme::Intermediary.versions().len(), Scheme::Official.versions().len()), (18, 2));
    assert!("1.21.12".parse::<Version>().unwrap_err().to_string().contains("1.20.1 to 26.2"));
}

#[test]
fn every_version_of_a_scheme_speaks_of_the_same_readable_names() {
    let table = Table::read().unwrap();
    for scheme in [Scheme::Intermediary, Scheme::Official] {
        let spoken = |version| table.rows_of(version).map(|row| row.readable.as_str()).collect::<BTreeSet<_>>();
        let newest = *scheme.versions().last().unwrap();
        for version in scheme.versions() {
            let differing: Vec<_> = spoken(version).symmetric_difference(&spoken(newest)).copied().collect();
            assert!(differing.is_empty(), "{version} and {newest} differ in {differing:?}");
        }
    }
}

#[test]
fn no_version_has_a_member_twice_or_both_there_and_absent() {
    let table = Table::read().unwrap();
    for version in versions() {
        let mut seen = BTreeSet::new();
        for row in table.rows_of(version) {
            let key = match member(row) {
                None => (row.owner.as_str(), "", ""),
                // Constructors share a name, so an absent one is told by its readable name.
                Some(member) => (row.owner.as_str(), member.name.as_str(), member.descriptor.as_deref().unwrap_or(&row.readable)),
            };
            assert!(seen.insert(key), "{version}: {key:?}");
        }
        let (there, absent): (Vec<_>, Vec<_>) = table
            .rows_of(version)
            .filter(|row| member(row).is_some_and(|member| member.name != "<init>"))
            .partition(|row| member(row).is_some_and(|member| member.descriptor.is_some()));
        let names = |rows: &[&Row]| rows.iter().map(|row| (row.owner.clone(), member(row).unwrap().name.clone())).collect::<BTreeSet<_>>();
        let both: Vec<_> = names(&there).intersection(&names(&absent)).cloned().collect();
        assert!(both.is_empty(), "{version}: {both:?}");
    }
}

#[test]
fn every_member_has_an_owner_of_one_kind_that_exists_when_the_member_does() {
    let table = Table::read().unwrap();
    for version in versions() {
        let existing = existing(&table, version);
        let mut shapes: HashMap<&str, Shape> = HashMap::new();
        for row in table.rows_of(version) {
            let shape = *shapes.entry(&row.owner).or_insert(row.shape);
            assert_eq!(shape, row.shape, "{version}: {}", row.owner);
            if member(row).is_some_and(|member| member.descriptor.is_some()) {
                assert!(existing.contains(row.owner.as_str()), "{version}: {} of {}", row.readable, row.owner);
            }
        }
    }
}

#[test]
fn only_interfaces_have_methods_that_a_mod_implements() {
    let table = Table::read().unwrap();
    for row in table.rows() {
        if member(row).is_some_and(|member| member.usage == Usage::Abstract) {
            assert_eq!(row.shape, Shape::Interface, "{}", row.readable);
        }
    }
}

/// The classes of Minecraft that a row names.
fn game_classes(row: &Row) -> Vec<&str> {
    let descriptor = member(row).and_then(|member| member.descriptor.as_deref()).unwrap_or_default();
    let in_descriptor = descriptor.split(';').filter_map(|part| part.find("Lnet/minecraft/").map(|start| &part[start + 1..]));
    in_descriptor.chain([row.owner.as_str()]).filter(|name| name.starts_with("net/minecraft/")).collect()
}

#[test]
fn each_version_writes_the_game_s_names_in_its_own_scheme() {
    let table = Table::read().unwrap();
    for version in versions() {
        for name in table.rows_of(version).flat_map(game_classes).filter(|name| *name != "net/minecraft/server/MinecraftServer") {
            let is_intermediary = name.starts_with("net/minecraft/class_");
            assert_eq!(is_intermediary, version.scheme() == Scheme::Intermediary, "{version}: {name}");
        }
    }
}

#[test]
fn no_member_that_exists_needs_a_class_that_does_not() {
    let table = Table::read().unwrap();
    for version in versions() {
        let absent: BTreeSet<&str> =
            table.rows_of(version).filter(|row| row.entry == Entry::Class { exists: false }).map(|row| row.owner.as_str()).collect();
        for row in table.rows_of(version).filter(|row| member(row).is_some_and(|member| member.descriptor.is_some())) {
            let missing: Vec<_> = game_classes(row).into_iter().filter(|name| absent.contains(name)).collect();
            assert!(missing.is_empty(), "{version}: {} needs {missing:?}", row.readable);
        }
    }
}

#[test]
fn the_members_that_moved_are_where_they_moved() {
    let table = Table::read().unwrap();
    let mut last: BTreeMap<&str, Version> = BTreeMap::new();
    for version in Scheme::Intermediary.versions() {
        for row in table.rows_of(version).filter(|row| member(row).is_some_and(|member| member.descriptor.is_some())) {
            last.insert(&row.readable, version);
        }
    }
    let last = |readable: &str| last[readable].name();
    assert_eq!(last("ServerCommandSource.hasPermissionLevel(int)"), "1.21.10");
    assert_eq!(last("GameVersion.getName"), "1.21.5");
    assert_eq!(last("ServerPlayNetworkHandler.disconnect(Text)"), "1.20.1");
    assert_eq!(last("MinecraftServer.getTickTime"), "1.20.2");
    assert_eq!(last("PlayerManager.broadcast(Text,boolean)"), "1.21.11");
}
