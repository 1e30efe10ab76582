use std::ops::Add;

/// A moment, as milliseconds since an origin that the driver chooses. It must never run backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The moment `ms` milliseconds after the driver's origin.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the driver's origin.
    pub const fn as_ms(self) -> u64 {
        self.0
    }

    /// Milliseconds from `earlier` to this moment; 0 when `earlier` is later.
    pub const fn since(self, earlier: Timestamp) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Adds milliseconds.
impl Add<u64> for Timestamp {
    type Output = Timestamp;

    fn add(self, ms: u64) -> Timestamp {
        Timestamp(self.0.saturating_add(ms))
    }
}
