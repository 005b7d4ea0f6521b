//! Numbers as people read them, the same in every report: two to three digits, a blank before the
//! unit, thousands with commas.

use pompeii_model::{CallId, Cube, RegionId};

/// A span of time: `4.8 s`, `0.66 s`, `3.1 ms`, `12 µs`.
pub fn seconds(seconds: f64) -> String {
    let size = seconds.abs();
    if size == 0.0 {
        return "0 s".into();
    }
    match size {
        99.95.. => format!("{} s", count(seconds.round() as i64)),
        0.995.. => format!("{seconds:.1} s"),
        0.0995.. => format!("{seconds:.2} s"),
        0.000_999_5.. => two_digits(seconds * 1e3, "ms"),
        0.000_000_999_5.. => two_digits(seconds * 1e6, "µs"),
        _ => two_digits(seconds * 1e9, "ns"),
    }
}

/// A sentence with a capital at its begin: `Thread 0 arrives last`. Names that only look like a
/// word stay as they are: `worker-3 arrives last`.
pub fn sentence(text: &str) -> String {
    let word = text.split(' ').next().unwrap_or_default();
    match word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        true => text[..word.len().min(1)].to_uppercase() + &text[word.len().min(1)..],
        false => text.to_owned(),
    }
}

fn two_digits(value: f64, unit: &str) -> String {
    match value.abs() {
        9.95.. => format!("{value:.0} {unit}"),
        _ => format!("{value:.1} {unit}"),
    }
}

/// A share of 1 in percent: `61 %`, `0.4 %`, `<0.1 %`.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    match value.abs() {
        0.95.. => format!("{value:.0} %"),
        0.095.. => format!("{value:.1} %"),
        size if size > 0.0 => "<0.1 %".into(),
        _ => "0 %".into(),
    }
}

/// A size: `310 bytes`, `4.2 kB`, `12 MB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "kB", "MB", "GB", "TB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 999.5 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1000.0, unit + 1);
    }
    if value >= 9.95 || unit == 0 {
        format!("{value:.0} {}", UNITS[unit])
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// A number of things: `2,000`, `16,384`; `1.2 million` from a million on, and `129 million`.
pub fn count(value: i64) -> String {
    if value.abs() >= 1_000_000 {
        let (scaled, word) = match value.unsigned_abs() {
            999_500_000_000.. => (value as f64 / 1e12, "trillion"),
            999_500_000.. => (value as f64 / 1e9, "billion"),
            _ => (value as f64 / 1e6, "million"),
        };
        let decimals = usize::from(scaled.abs() < 99.95);
        return format!("{scaled:.decimals$} {word}");
    }
    let digits = value.abs().to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or(""))
        .collect();
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}", groups.join(","))
}

/// `1 task`, `2,000 tasks`, `3 flushes`.
pub fn counted(value: i64, thing: &str) -> String {
    let plural = match value {
        1 => "",
        _ if thing.ends_with("sh") || thing.ends_with("ss") => "es",
        _ => "s",
    };
    format!("{} {thing}{plural}", count(value))
}

/// The last region of a call path, a construct with its place: `for flow ocean.c:118`, `relax`.
pub fn name_with_place(cube: &Cube, call: CallId) -> String {
    cube.regions[cube.calls.region(call)].label()
}

/// A region, a construct with its place.
pub fn region_with_place(cube: &Cube, region: RegionId) -> String {
    cube.regions[region].label()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn seconds_keep_two_or_three_digits() {
        let values =
            [123.4, 23.64, 9.06, 0.984, 0.66, 0.0996, 0.0031, 0.00098, 0.031, 1.2e-6, 3e-8, 0.0];
        let shown: Vec<String> = values.iter().map(|&value| seconds(value)).collect();
        expect![[r#"
            123 s
            23.6 s
            9.1 s
            0.98 s
            0.66 s
            0.10 s
            3.1 ms
            980 µs
            31 ms
            1.2 µs
            30 ns
            0 s"#]]
        .assert_eq(&shown.join(
            "
",
        ));
    }

    #[test]
    fn sentences_have_a_capital_and_names_stay() {
        let texts = ["thread 0 is late", "worker-3 is late", "It is late", "µ", ""];
        let shown = texts.map(sentence);
        assert_eq!(shown, ["Thread 0 is late", "worker-3 is late", "It is late", "µ", ""]);
    }

    #[test]
    fn counts_have_groups_and_words() {
        let values = [0, 7, 999, 2000, 16_384, 999_999, 1_234_567, 2_500_000_000, -1500];
        let shown: Vec<String> = values.iter().map(|&value| count(value)).collect();
        expect!["0, 7, 999, 2,000, 16,384, 999,999, 1.2 million, 2.5 billion, -1,500"]
            .assert_eq(&shown.join(", "));
        let values = [99_949_999, 129_200_000, 999_499_999, 999_500_000, -7_000_000_000_000];
        let shown: Vec<String> = values.iter().map(|&value| count(value)).collect();
        expect!["99.9 million, 129 million, 999 million, 1.0 billion, -7.0 trillion"]
            .assert_eq(&shown.join(", "));
        assert_eq!(counted(1, "task"), "1 task");
        assert_eq!(counted(2, "flush"), "2 flushes");
    }

    #[test]
    fn small_shares_do_not_become_zero() {
        let shown: Vec<String> = [1.0, 0.614, 0.0051, 0.0002, 0.0].map(percent).into();
        expect!["100 %, 61 %, 0.5 %, <0.1 %, 0 %"].assert_eq(&shown.join(", "));
    }
}
