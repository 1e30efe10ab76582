//! Many seeds: hours of faults, then calm. `AUK_SEED=n` runs one and tells it, `AUK_SEEDS=n` so many.

use std::ops::Range;

use auk_gateway_stories::{Coverage, INPUTS, Report, STATES, Simulation, Violation, unreachable};

/// Six simulated hours each.
const SEEDS: u64 = 10_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// What many runs came to.
#[derive(Default)]
struct Total {
    /// Seeds in which a promise was broken.
    broken: u64,
    readies: u64,
    delivered: u64,
    simulated_ms: u64,
    slowest_ms: u64,
    coverage: Coverage,
}

impl Total {
    fn add(&mut self, report: Report) {
        self.readies += report.readies;
        self.delivered += report.delivered;
        self.simulated_ms += report.simulated_ms;
        self.slowest_ms = self.slowest_ms.max(report.recovered_ms);
        self.coverage.extend(report.coverage);
    }
}

/// All of them: of a million seeds one wants to know every one that fails.
fn run(seeds: Range<u64>) -> Total {
    let mut total = Total::default();
    for seed in seeds {
        match Simulation::new(seed).run() {
            Ok(report) => total.add(report),
            Err(violation) => {
                println!("{}", told(seed, &violation));
                total.broken += 1;
            }
        }
    }
    total
}

fn told(seed: u64, violation: &Violation) -> String {
    format!("{violation}\nreplay: AUK_SEED={seed} cargo test -p auk-gateway-stories --test simulation every -- --nocapture")
}

#[test]
fn every_promise_holds_under_every_fault_and_the_session_comes_back_after_the_last() {
    if let Some(seed) = number("AUK_SEED") {
        match Simulation::new(seed).telling().run() {
            Ok(report) => println!("{report:?}"),
            Err(violation) => panic!("{}", told(seed, &violation)),
        }
        return;
    }
    let seeds = number("AUK_SEEDS").unwrap_or(SEEDS);
    // Two threads, since nothing is shared; a seed's course does not depend on the thread it runs on.
    let half = seeds / 2;
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| run(0..half));
        let second = scope.spawn(|| run(half..seeds));
        (first.join(), second.join())
    });
    let (mut total, second) = (first.expect("it does not panic"), second.expect("it does not panic"));
    total.broken += second.broken;
    assert_eq!(total.broken, 0, "of {seeds} seeds, see above");
    total.readies += second.readies;
    total.delivered += second.delivered;
    total.simulated_ms += second.simulated_ms;
    total.slowest_ms = total.slowest_ms.max(second.slowest_ms);
    total.coverage.extend(second.coverage);
    let hours = total.simulated_ms / 3_600_000;
    println!(
        "{seeds} seeds, {hours} hours: {} times ready, {} dispatches, slowest recovery {} ms",
        total.readies, total.delivered, total.slowest_ms
    );
    assert!(hours >= seeds * 59 / 10, "a run is six hours long: {hours} hours");
    assert!(total.readies > seeds * 3, "the runs reach sessions at all: {}", total.readies);
    if seeds >= SEEDS {
        assert_covered(&total.coverage);
    }
}

/// What chance brings about too seldom to count on it, each with the story that does: a renewal that is answered during a look-up is
/// `a_renewal_that_is_answered_while_the_address_is_looked_up_is_taken_and_the_look_up_goes_on` in token.rs.
const TOLD_BY_STORIES: [(&str, &str); 1] = [("awaiting_address", "token answer")];

fn assert_covered(coverage: &Coverage) {
    let pairs = STATES.iter().flat_map(|state| INPUTS.iter().map(move |input| (*state, *input)));
    let (mut missed, mut impossible) = (Vec::new(), Vec::new());
    for (state, input) in pairs {
        match (unreachable(state, input), coverage.contains(&(state, input))) {
            (None, false) if TOLD_BY_STORIES.contains(&(state, input)) => {}
            (None, false) => missed.push((state, input)),
            (Some(_), true) => impossible.push((state, input)),
            (None, true) | (Some(_), false) => {}
        }
    }
    assert!(missed.is_empty() && impossible.is_empty(), "never met: {missed:?}\nmet although it cannot be: {impossible:?}");
}

#[test]
fn two_runs_of_one_seed_are_identical() {
    for seed in 0..50 {
        assert_eq!(Simulation::new(seed).run(), Simulation::new(seed).run());
    }
}
