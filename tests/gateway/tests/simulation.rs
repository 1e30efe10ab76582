//! Many seeds: an hour of faults, then calm. `AUK_SEED=n` runs one, `AUK_SEEDS=n` so many.

use auk_gateway_stories::Simulation;

/// A few seconds of work in an unoptimised build.
const SEEDS: u64 = 300;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn every_promise_holds_under_every_fault_and_the_session_comes_back_after_the_last() {
    if let Some(seed) = number("AUK_SEED") {
        println!("{:?}", Simulation::new(seed).telling().run());
        return;
    }
    let seeds = 0..number("AUK_SEEDS").unwrap_or(SEEDS);
    let (mut readies, mut delivered, mut slowest) = (0, 0, 0);
    for seed in seeds.clone() {
        let told = std::panic::catch_unwind(|| Simulation::new(seed).run());
        let report = told
            .unwrap_or_else(|_| panic!("replay: AUK_SEED={seed} cargo test -p auk-gateway-stories --test simulation every -- --nocapture"));
        readies += report.readies;
        delivered += report.delivered;
        slowest = slowest.max(report.recovered_ms);
    }
    println!("{} seeds: {readies} times ready, {delivered} messages, slowest recovery {slowest} ms", seeds.end - seeds.start);
    assert!(readies > seeds.end - seeds.start, "the runs reach sessions at all: {readies}");
}

#[test]
fn two_runs_of_one_seed_are_identical() {
    for seed in 0..10 {
        assert_eq!(Simulation::new(seed).run(), Simulation::new(seed).run());
    }
}
