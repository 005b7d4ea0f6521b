//! Dates in universal time: for names of experiments, and for the time at which a run began.

/// Year, month, day, hour and minute of a time since 1970.
pub fn of_seconds(seconds: u64) -> (u64, u64, u64, u64, u64) {
    let minutes = seconds / 60;
    let (year, month, day) = civil_date(minutes / (24 * 60));
    (year, month, day, minutes / 60 % 24, minutes % 60)
}

/// `2026-11-20 11:32 UTC`.
pub fn text(seconds: u64) -> String {
    let (year, month, day, hour, minute) = of_seconds(seconds);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

/// The date of a day since 1970 (Gregorian calendar; counts from March, so that the leap day is
/// the last of its year).
fn civil_date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let leap_days = day_of_era / 1_460 + day_of_era / 146_096;
    let year_of_era = (day_of_era + day_of_era / 36_524 - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        assert_eq!(civil_date(0), (1970, 1, 1));
        assert_eq!(civil_date(11_016), (2000, 2, 29));
        assert_eq!(civil_date(20_777), (2026, 11, 20));
        assert_eq!(text(20_777 * 86_400 + 41_579), "2026-11-20 11:32 UTC");
    }
}
