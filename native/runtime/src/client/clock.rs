use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use auk_gateway::Timestamp;

use crate::elapsed::elapsed_ms;

/// The driver's time: milliseconds since the Unix epoch, so that it means the same to the next process. The system's clock is read once;
/// from there on time only goes forward, whatever becomes of that clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    began: Instant,
    began_ms: u64,
}

/// Waits beyond this are cut short; whoever waits looks again.
const WAIT_MS_MAX: u64 = 24 * 3_600_000;

impl Clock {
    pub(super) fn start() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { began: Instant::now(), began_ms: u64::try_from(since_epoch.as_millis()).unwrap_or(0) }
    }

    pub(super) fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.began_ms) + elapsed_ms(self.began)
    }

    /// Waits until a moment, or a day at most.
    pub(super) async fn sleep_until(&self, moment: Timestamp) {
        let since_began_ms = moment.since(Timestamp::from_ms(self.began_ms));
        let wait_ms = since_began_ms.min(elapsed_ms(self.began) + WAIT_MS_MAX);
        tokio::time::sleep_until((self.began + Duration::from_millis(wait_ms)).into()).await;
    }
}
