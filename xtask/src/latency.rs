//! How long lines are under way.

use std::time::Duration;

/// Durations of one way, in the order they were measured.
#[derive(Debug, Default)]
pub(crate) struct Latency(Vec<Duration>);

impl Latency {
    /// Adds one.
    pub(crate) fn add(&mut self, duration: Duration) {
        self.0.push(duration);
    }

    /// The median, the 99th percentile and the longest, in milliseconds, for a report.
    pub(crate) fn summary(&self) -> String {
        format!("{} lines: median {:.2} ms, p99 {:.2} ms, longest {:.2} ms", self.0.len(), self.ms(50), self.ms(99), self.ms(100))
    }

    /// The smallest value that `percent` of all do not exceed (nearest rank), in milliseconds; 0 without any.
    fn ms(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort();
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).map_or(0.0, |duration| duration.as_secs_f64() * 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Latency;
    use std::time::Duration;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        // 1 to 200 ms in reverse: half of 200 values are 100 ms or less, 198 of them 198 ms or less.
        let latency = Latency((1..=200).rev().map(Duration::from_millis).collect());
        assert_eq!(latency.summary(), "200 lines: median 100.00 ms, p99 198.00 ms, longest 200.00 ms");
    }
}
