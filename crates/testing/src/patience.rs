//! Programs that sleep or wait in a test: on a busy machine others keep them from their processor
//! for longer than that.

/// Tests what holds if a program sleeps, or may run, for longer than others keep it from its
/// processor: `holds` is called with 1, and if it fails, with numbers by which its times grow.
pub fn with_more_time(holds: impl Fn(u32) -> Result<(), String>) {
    let mut why = String::new();
    for times in [1, 5, 25, 100] {
        match holds(times) {
            Ok(()) => return,
            Err(other) => why = other,
        }
    }
    panic!("{why}");
}

#[cfg(test)]
mod tests {
    use super::with_more_time;

    #[test]
    fn the_times_grow_until_it_holds() {
        with_more_time(|times| if times >= 25 { Ok(()) } else { Err("too short".to_owned()) });
    }

    #[test]
    #[should_panic(expected = "never, not even with 100")]
    fn a_failure_says_why() {
        with_more_time(|times| Err(format!("never, not even with {times}")));
    }
}
