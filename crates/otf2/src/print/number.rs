//! Numbers as C's `printf` has them.

/// Two digits at a time halve the divisions.
pub(super) const PAIRS: [[u8; 2]; 100] = pairs();

const fn pairs() -> [[u8; 2]; 100] {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
}

/// Writes the digits of a number to the end of `room`; returns where they begin. What does not fit
/// is left out.
#[inline(always)]
pub(super) fn put_digits(room: &mut [u8], number: u64) -> usize {
    let (mut at, mut rest) = (room.len(), number);
    while rest >= 10 && at >= 2 {
        let pair = PAIRS[(rest % 100) as usize];
        rest /= 100;
        at -= 2;
        if let Some(place) = room.get_mut(at..at + 2) {
            place.copy_from_slice(&pair);
        }
    }
    // Of two digits at a time, the last one may be the number's only one.
    if (rest > 0 || at == room.len()) && at >= 1 {
        at -= 1;
        if let Some(place) = room.get_mut(at) {
            *place = b'0' + (rest % 10) as u8;
        }
    }
    at
}

/// The digits of a number, at the end of the array, and where they begin.
pub(super) fn digits(number: u64) -> ([u8; 20], usize) {
    let mut text = [b' '; 20];
    let at = put_digits(&mut text, number);
    (text, at)
}

/// `%g`: six significant digits, without zeros behind them.
pub(super) fn general(value: f64) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan".into() } else { "nan".into() };
    }
    if value.is_infinite() {
        return if value < 0.0 { "-inf".into() } else { "inf".into() };
    }
    // The exponent of the rounded number decides on the form.
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = (5 - exponent) as usize;
        return without_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_zeros(digits), exponent.abs())
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// `YYYY-MM-DD HH:MM:SS.NNNNNNNNN +HHMM` of a time in nanoseconds since 1970.
pub(super) fn date(realtime_ns: u64, utc_offset: fn(i64) -> i32) -> String {
    let (utc_s, ns) = ((realtime_ns / 1_000_000_000) as i64, realtime_ns % 1_000_000_000);
    let offset_s = i64::from(utc_offset(utc_s));
    let (days, second) =
        ((utc_s + offset_s).div_euclid(86400), (utc_s + offset_s).rem_euclid(86400));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let sign = if offset_s < 0 { '-' } else { '+' };
    let (zone_h, zone_min) = (offset_s.abs() / 3600, offset_s.abs() / 60 % 60);
    format!(
        "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{ns:09} \
         {sign}{zone_h:02}{zone_min:02}"
    )
}

/// Year, month and day of a number of days since 1970. Years are reckoned from March on, so that
/// the leap day is their last; 400 of them have 146097 days.
fn civil(days: i64) -> (i64, i64, i64) {
    let from_march = days + 719_468;
    let (era, day) = (from_march.div_euclid(146_097), from_march.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (400 * era + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for number in [0, 7, 10, 99, 100, 105, 999, 1000, 12345, 1_000_000, u64::MAX - 1, u64::MAX]
        {
            let (text, at) = digits(number);
            assert_eq!(text[at..], *number.to_string().as_bytes());
        }
    }

    #[test]
    fn as_printf_has_them() {
        let values = [
            0.0,
            -0.0,
            1.0,
            2.5,
            100_000.0,
            999_999.5,
            1e6,
            123_456_789.0,
            0.0001,
            0.000_012_345_67,
            -1.0 / 3.0,
            1e300,
            5e-324,
            f64::INFINITY,
            f64::NAN,
        ];
        let text = values.map(general).join(" ");
        let expected = "0 -0 1 2.5 100000 1e+06 1e+06 1.23457e+08 0.0001 1.23457e-05 -0.333333 \
                        1e+300 4.94066e-324 inf nan";
        assert_eq!(text, expected);
    }

    #[test]
    fn dates() {
        let utc = date(951_782_400_000_000_007, |_| 0);
        assert_eq!(utc, "2000-02-29 00:00:00.000000007 +0000");
        assert_eq!(date(0, |_| -12600), "1969-12-31 20:30:00.000000000 -0330");
        assert_eq!(
            date(1_700_000_000_123_456_789, |_| 3600),
            "2023-11-14 23:13:20.123456789 +0100"
        );
    }
}
