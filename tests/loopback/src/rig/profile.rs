use auk_gateway::{Pace, Rate};
pub use auk_gateway_stories::HEARTBEAT_MS;
use auk_gateway_stories::profile;
use auk_runtime::ClientConfig;
use auk_simulator::{Platform, Settings};

/// Limit of each stage: an HTTP exchange, connecting up to the upgrade, Hello, READY or RESUMED.
pub const STAGE_MS: u64 = 2_000;

/// The scenarios' test profile: the shipped rules at a speed at which a test can wait for them.
///
/// Connects and token requests are loosened so that a scenario counts what its own bounds say, and look-ups as far as that goes: while
/// connections to a known address fail and look-ups too, their limiter is what spaces them. Identifies have the ceiling of the profile, 12 a
/// minute.
pub fn pace() -> Pace {
    let loose = Rate { burst: 100, interval_ms: 100 };
    Pace {
        connects: loose,
        look_ups: Rate { burst: 6, interval_ms: 2_000 },
        token_requests: loose,
        slow_lane_ms_base: 4_000,
        slow_lane_ms_max: 8_000,
        ..profile()
    }
}

/// A platform that announces the scenarios' heartbeat interval.
pub fn platform() -> Platform {
    platform_with(|_| {})
}

/// The same with changed settings.
pub fn platform_with(change: impl FnOnce(&mut Settings)) -> Platform {
    let mut settings = Settings { heartbeat_interval_ms: HEARTBEAT_MS, ..Settings::default() };
    change(&mut settings);
    Platform::start(settings)
}

/// A client with the test profile, which reaches its platform at this address: the platform's own, or a relay's.
pub fn config(base_url: &str) -> ClientConfig {
    let shown = Settings::default();
    let credentials = auk_gateway::Credentials::new(shown.app_id, shown.secret).expect("the simulator's own");
    let gateway = auk_gateway::GatewayConfig { pace: pace(), ..auk_gateway::GatewayConfig::new(credentials) };
    let mut config = ClientConfig::new(gateway);
    config.token_url = format!("{base_url}/app/getAppAccessToken");
    config.api_base = base_url.to_owned();
    config
}
