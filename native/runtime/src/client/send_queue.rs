use std::sync::{Mutex, MutexGuard, PoisonError};

use auk_gateway::{Bucket, Rate, Timestamp};
use tokio::sync::Semaphore;

use super::SendError;
use super::clock::Clock;

/// The line in which posts wait for their turn, in the order in which they came.
pub(super) struct SendQueue {
    turns: Mutex<Turns>,
    /// Whoever holds it is first in line; the lock is a fair one.
    head: tokio::sync::Mutex<()>,
    places: Semaphore,
    clock: Clock,
}

/// When a post may go.
#[derive(Debug)]
struct Turns {
    bucket: Bucket,
    paused_until: Timestamp,
}

/// Pause after a refusal that names no time of its own; none is documented.
const PAUSE_MS: u64 = 1_000;
/// A longer pause is not kept here: whoever posts is not held longer than an exchange may take, and is refused by the platform again.
const PAUSE_MS_MAX: u64 = 10_000;

impl SendQueue {
    pub(super) fn new(rate: Rate, waiting_max: usize, clock: Clock) -> Self {
        Self {
            turns: Mutex::new(Turns::new(rate)),
            head: tokio::sync::Mutex::new(()),
            places: Semaphore::new(waiting_max.clamp(1, Semaphore::MAX_PERMITS)),
            clock,
        }
    }

    /// Waits for a turn; not at all while there is room. A wait that is given up costs nobody a turn.
    pub(super) async fn turn(&self) -> Result<(), SendError> {
        let _place = self.places.try_acquire().map_err(|_| SendError::QueueFull)?;
        let _head = self.head.lock().await;
        loop {
            let taken = self.turns().try_take(self.clock.now());
            match taken {
                Ok(()) => return Ok(()),
                Err(free_at) => self.clock.sleep_until(free_at).await,
            }
        }
    }

    /// The platform says that it was too much.
    pub(super) fn pause(&self, retry_after_ms: Option<u64>) {
        self.turns().pause(retry_after_ms, self.clock.now());
    }

    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turns {
    fn new(rate: Rate) -> Self {
        Self { bucket: Bucket::new(rate), paused_until: Timestamp::from_ms(0) }
    }

    /// Takes a turn at `now`, or says when to ask again.
    fn try_take(&mut self, now: Timestamp) -> Result<(), Timestamp> {
        let free_at = self.bucket.free_at(1, now).max(self.paused_until);
        if free_at > now {
            return Err(free_at);
        }
        self.bucket.take(1, now);
        Ok(())
    }

    fn pause(&mut self, retry_after_ms: Option<u64>, now: Timestamp) {
        let pause_ms = retry_after_ms.unwrap_or(PAUSE_MS).clamp(PAUSE_MS, PAUSE_MS_MAX);
        self.paused_until = self.paused_until.max(now + pause_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    /// When each of `count` posts that all came at 0 goes.
    fn times(turns: &mut Turns, count: usize) -> Vec<u64> {
        let mut now = at(0);
        let mut times = Vec::new();
        while times.len() < count {
            match turns.try_take(now) {
                Ok(()) => times.push(now.as_ms()),
                Err(free_at) => now = free_at,
            }
        }
        times
    }

    #[test]
    fn the_burst_goes_at_once_and_the_rest_one_by_one() {
        let mut turns = Turns::new(Rate { burst: 3, interval_ms: 10 });
        // Three at once; the bucket that they filled at 0 loses one in 10 ms, and each makes room for one.
        assert_eq!(times(&mut turns, 6), [0, 0, 0, 10, 20, 30]);
        // At 60 it is empty again: three more at once.
        assert!((0..3).all(|_| turns.try_take(at(60)).is_ok()));
        assert_eq!(turns.try_take(at(60)), Err(at(70)));
    }

    #[test]
    fn no_second_sees_more_than_the_platform_takes() {
        let rate =
            super::super::ClientConfig::new(auk_gateway::GatewayConfig::new(auk_gateway::Credentials::new("1", "s").expect("usable")));
        let times = times(&mut Turns::new(rate.sends), 1_000);
        // 8 at 0, then one each 11 ms: the fullest second holds 8 + 1,000 / 11 = 98, rounded down.
        let within = |span_ms| times.iter().map(|from| times.iter().filter(|time| (*from..from + span_ms).contains(time)).count()).max();
        assert_eq!(within(1_000), Some(98));
        // The last of 1,000 goes after the 992 that are not in the burst: 992 x 11 ms.
        assert_eq!(times.last(), Some(&10_912));
    }

    #[test]
    fn a_refusal_for_the_rate_holds_everybody_for_as_long_as_it_says_within_reason() {
        let mut turns = Turns::new(Rate { burst: 5, interval_ms: 10 });
        turns.pause(None, at(0));
        assert_eq!(turns.try_take(at(999)), Err(at(1_000)));
        turns.pause(Some(3_000), at(500));
        turns.pause(Some(0), at(600));
        assert_eq!(turns.try_take(at(1_000)), Err(at(3_500)), "the longest counts");
        turns.pause(Some(3_600_000), at(1_000));
        assert_eq!(turns.try_take(at(3_500)), Err(at(11_000)));
        assert_eq!(turns.try_take(at(11_000)), Ok(()));
    }
}
