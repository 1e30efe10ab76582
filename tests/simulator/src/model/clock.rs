//! Time as the platform counts and prints it.

/// Milliseconds since an origin that the driver chooses; never goes back.
pub type Millis = u64;

/// Prints a unix time (milliseconds) as RFC 3339 with the offset `+08:00`, the form of message time stamps.
///
/// Source: QQ bot docs, autogen/event pages, July 2026.
#[must_use]
pub fn rfc3339_beijing(unix_ms: u64) -> String {
    let local_s = unix_ms / 1000 + 8 * 3600;
    let (year, month, day) = civil_date(local_s / 86_400);
    let (hour, minute, second) = (local_s / 3600 % 24, local_s / 60 % 60, local_s % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+08:00")
}

/// Year, month and day of a number of days since 1970-01-01.
fn civil_date(days: u64) -> (u64, u64, u64) {
    let mut year = 1970;
    let mut rest = days;
    while rest >= year_days(year) {
        rest -= year_days(year);
        year += 1;
    }
    let mut month = 1;
    while rest >= month_days(year, month) {
        rest -= month_days(year, month);
        month += 1;
    }
    (year, month, rest + 1)
}

fn is_leap(year: u64) -> bool {
    (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400)
}

fn year_days(year: u64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

fn month_days(year: u64, month: u64) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::rfc3339_beijing;

    #[test]
    fn unix_times_print_as_beijing_time() {
        assert_eq!(rfc3339_beijing(0), "1970-01-01T08:00:00+08:00");
        // 2024-10-15 16:33:15 in Beijing is 1728981195, the pair of the official signature sample.
        assert_eq!(rfc3339_beijing(1_728_981_195_000), "2024-10-15T16:33:15+08:00");
        // 29 February of a leap year: 2024-02-29 00:00 UTC.
        assert_eq!(rfc3339_beijing(1_709_164_800_000), "2024-02-29T08:00:00+08:00");
    }
}
