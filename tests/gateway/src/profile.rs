use auk_gateway::{Pace, Rate};

/// The heartbeat interval that the scenarios' platform announces.
pub const HEARTBEAT_MS: u64 = 2_000;

/// The pace of the acceptance scenarios: real intervals are too long for tests, and the bounds of the scenarios assume this one.
pub fn profile() -> Pace {
    Pace {
        backoff_ms_base: 250,
        backoff_ms_max: 4_000,
        backoff_flat_ms: 0,
        token_backoff_ms_base: 250,
        stable_ms: 10_000,
        exchange_ms_max: 2_000,
        connect_ms_max: 2_000,
        hello_ms_max: 2_000,
        authenticate_ms_max: 2_000,
        flood_pause_ms: 1_000,
        rate_limited_ms: 1_000,
        // Waits between 4 and 8 s, a quarter of jitter included: 5.4 s is 4.05 to 6.75 s, and 6.4 s is 4.8 to 8 s.
        slow_lane_ms_base: 5_400,
        slow_lane_ms_max: 6_400,
        // The back-off is what is measured; this only bounds a test that has gone wrong.
        connects: Rate { burst: 60, interval_ms: 1_000 },
        // Two look-ups in the 20 s of a busy address call, and nine in 15 s of one that refuses.
        look_ups: Rate { burst: 2, interval_ms: 4_000 },
        // Ten calls in 20 s, and none further apart than 6 s.
        token_requests: Rate { burst: 5, interval_ms: 4_000 },
        identifies: Rate { burst: 12, interval_ms: 5_000 },
        ..Pace::default()
    }
}
