//! A day of each fault: how much is asked for, how soon the way back is found, and that the READMEs say the same.

use auk_gateway::Language;
use auk_gateway_stories::{Course, Storm, cases, storm_table};

#[test]
fn a_day_of_any_fault_asks_for_at_most_three_tokens_and_three_addresses_a_minute() {
    for storm in Storm::ALL {
        let name = storm.name(Language::EnUs);
        let Course { attempts, logged, .. } = storm.run(&[]);
        assert!(Course::most_in_a_minute(&attempts.look_ups) <= 3, "{}", name);
        assert!(Course::most_in_a_minute(&attempts.token_requests) <= 3, "{}", name);
        // 35 + 60 / 15, and 10 + 86,400 / 90, and 35 + 86,400 / 15; 2 + 86,400 / 60, and 3 + 86,400 / 61.
        assert!(Course::most_in_a_minute(&attempts.connects) <= 39, "{}", name);
        assert!(attempts.identifies.len() <= 970, "{}", name);
        assert!(attempts.connects.len() <= 5_795, "{}", name);
        assert!(attempts.look_ups.len() <= 1_442, "{}", name);
        assert!(attempts.token_requests.len() <= 1_419, "{}", name);
        assert!(logged <= 100, "{}: {logged} lines", name);
    }
}

#[test]
fn after_a_day_of_any_fault_the_session_is_live_within_one_capped_wait_and_a_handshake() {
    for storm in Storm::ALL {
        let name = storm.name(Language::EnUs);
        let recovered_ms = storm.run(&[]).recovered_ms.unwrap_or_else(|| panic!("{}: not within an hour", name));
        let limit_ms = match storm {
            // The slow lane asks every ten minutes within a quarter; a reload would ask at once.
            Storm::RefusedAddress | Storm::InvalidSessionLoop => 750_000 + 2_000,
            // New sessions have a ceiling of one in 90 s.
            Storm::TwoInstances => 90_000 + 2_000,
            // A minute within a quarter. The secret is put right by a reload.
            Storm::DeadToken
            | Storm::RateLimit
            | Storm::Outage
            | Storm::Flap
            | Storm::HalfOpen
            | Storm::OwnClose
            | Storm::RefusedSecret => 75_000 + 2_000,
        };
        assert!(recovered_ms <= limit_ms, "{}: {recovered_ms} ms", name);
    }
}

#[test]
fn the_named_cases_of_the_original_report_come_out_right() {
    let as_built = cases::cases(Language::EnUs).map(|case| case.as_built);
    // The second token is asked for at once. While refused, the three requests of the first minute are spent at 0, 0 and 7.5 s, and the
    // next is free at 61 s.
    assert_eq!(as_built, ["ready after 0 s", "1", "1", "ready after 61 s", "0"]);
}

#[test]
fn the_readmes_have_the_table_as_it_comes_out() {
    let readmes = [(include_str!("../../../README.md"), Language::EnUs), (include_str!("../../../README.zh-CN.md"), Language::ZhCn)];
    let days = storm_table::days_as_built();
    for (readme, language) in readmes {
        for part in [storm_table::as_built(&days, language), storm_table::named_cases(language)] {
            assert!(readme.contains(&part), "to be renewed by `cargo xtask storm --write`:\n{part}");
        }
    }
}
