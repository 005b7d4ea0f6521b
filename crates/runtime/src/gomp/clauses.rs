//! What a call says of its construct's clauses, in the words of the source.

use crate::descriptor::Words;

/// The bit of libgomp's number for a schedule that says `monotonic`.
const MONOTONIC: usize = 1 << 31;

/// No clauses.
pub fn none() -> Words {
    Words::default()
}

/// These clauses.
pub fn of(clauses: impl Into<String>) -> Words {
    Words { name: String::new(), clauses: clauses.into() }
}

/// Those of a parallel region. The word tells the report how the program was observed.
pub fn of_region() -> Words {
    of("libgomp")
}

/// The clauses of a loop that an entry point of this name starts, where `at` is the place of the
/// first argument that says something about the schedule.
pub fn of_loop(name: &str, arguments: &[usize], at: usize) -> Words {
    let argument = |at: usize| arguments.get(at).copied().unwrap_or(0);
    let named =
        ["runtime", "dynamic", "guided", "static"].into_iter().find(|&kind| has(name, kind));
    let (kind, chunk) = match named {
        Some("runtime") => ("runtime", 0),
        Some(kind) => (kind, argument(at)),
        None => (kind_of(argument(at)), argument(at + 1)),
    };
    let mut clauses = match chunk.cast_signed() {
        chunk if chunk > 0 && kind != "runtime" => format!("schedule({kind},{chunk})"),
        _ => format!("schedule({kind})"),
    };
    if has(name, "ordered") || has(name, "doacross") {
        clauses += " ordered";
    }
    of(clauses)
}

/// Whether a name of an entry point has this word.
fn has(name: &str, word: &str) -> bool {
    name.split('_').any(|part| part == word)
}

/// The schedule of this number in `GOMP_loop_start` and the like.
fn kind_of(schedule: usize) -> &'static str {
    match schedule & u32::MAX as usize & !MONOTONIC {
        0 => "runtime",
        1 => "static",
        2 => "dynamic",
        3 => "guided",
        _ => "auto",
    }
}

/// How many iterations a loop has that runs from `start` to before `end`.
#[inline(always)]
pub fn iterations(start: usize, end: usize, step: usize) -> i64 {
    let [start, end, step] = [start, end, step].map(|word| word.cast_signed() as i64);
    // What most loops have comes first.
    if let (1, Some(count @ 0..)) = (step, end.checked_sub(start)) {
        return count;
    }
    let (low, high) = if step < 0 { (end, start) } else { (start, end) };
    // It has 64 bits, but no sign.
    let distance = if low < high { high.wrapping_sub(low).cast_unsigned() } else { 0 };
    let count = match step.unsigned_abs() {
        0 => return pompeii_live::UNKNOWN_ITERATIONS,
        1 => distance,
        step => distance.div_ceil(step),
    };
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_have_their_schedules() {
        let arguments = [0, 100, 1, 4, 0, 0, 9];
        for (name, at, clauses) in [
            ("GOMP_loop_dynamic_start", 3, "schedule(dynamic,4)"),
            ("GOMP_loop_nonmonotonic_guided_start", 3, "schedule(guided,4)"),
            ("GOMP_loop_maybe_nonmonotonic_runtime_start", 3, "schedule(runtime)"),
            ("GOMP_loop_ordered_static_start", 4, "schedule(static) ordered"),
            ("GOMP_loop_ull_doacross_dynamic_start", 2, "schedule(dynamic,1) ordered"),
            ("GOMP_parallel_loop_dynamic", 6, "schedule(dynamic,9)"),
        ] {
            assert_eq!(of_loop(name, &arguments, at).clauses, clauses, "{name}");
        }
    }

    #[test]
    fn later_versions_say_the_schedule_as_a_number() {
        for (schedule, chunk, clauses) in [
            (2, 8, "schedule(dynamic,8)"),
            (MONOTONIC | 3, 2, "schedule(guided,2)"),
            (1, 0, "schedule(static)"),
            (0, 5, "schedule(runtime)"),
            (4, 0, "schedule(auto)"),
        ] {
            let arguments = [0, 100, 1, schedule, chunk];
            assert_eq!(of_loop("GOMP_loop_start", &arguments, 3).clauses, clauses);
        }
    }

    #[test]
    fn iterations_are_counted_in_both_directions() {
        let minus = |number: isize| number.cast_unsigned();
        assert_eq!(iterations(0, 100, 1), 100);
        assert_eq!(iterations(0, 100, 7), 15);
        assert_eq!(iterations(10, minus(-1), minus(-1)), 11);
        assert_eq!(iterations(5, 5, 1), 0);
        assert_eq!(iterations(7, 5, 1), 0);
        assert_eq!(iterations(0, 5, 0), pompeii_live::UNKNOWN_ITERATIONS);
        assert_eq!(iterations(minus(isize::MIN), isize::MAX as usize, 1), i64::MAX);
    }
}
