//! `dump --check`: whether a trace keeps the rules that other tools rely on.

use std::collections::HashMap;
use std::io::Write;
use std::ops::ControlFlow;

use anyhow::Result;
use pompeii_otf2::check::{Checker, Rule};

use super::{Dump, EVENTS_COUNTED};

/// Limit for the violations of one rule that are printed.
const PRINTED: u64 = 10;

/// Prints what breaks a rule, and the result. Whether there was nothing.
pub(super) fn print(dump: &mut Dump<'_>, mut out: impl Write) -> Result<bool> {
    let mut checker = Checker::new(dump.archive);
    let (mut counts, mut events) = (HashMap::new(), 0_u64);
    let mut merged = dump.merged();
    tell(&mut checker, &mut counts, &mut out)?;
    loop {
        let mut left = EVENTS_COUNTED;
        let flow = merged.visit(|event| {
            match event {
                Ok(event) => checker.event(event),
                Err(error) => dump.tell(&error),
            }
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        events += EVENTS_COUNTED - left;
        dump.count_events();
        if flow.is_continue() {
            checker.end();
        }
        tell(&mut checker, &mut counts, &mut out)?;
        if flow.is_continue() {
            break;
        }
    }
    for rule in Rule::ALL {
        let more = counts.get(&rule).map_or(0, |count: &u64| count.saturating_sub(PRINTED));
        if more > 0 {
            writeln!(out, "{more} more of rule {}", rule.name())?;
        }
    }
    let violations: u64 = counts.values().sum();
    let (locations, errors) = (dump.archive.locations().count(), dump.errors);
    writeln!(
        out,
        "{events} events of {locations} locations: {violations} violations, {errors} errors"
    )?;
    Ok(violations == 0)
}

fn tell(
    checker: &mut Checker,
    counts: &mut HashMap<Rule, u64>,
    out: &mut impl Write,
) -> Result<()> {
    for violation in checker.take() {
        let count = counts.entry(violation.rule).or_default();
        *count += 1;
        if *count <= PRINTED {
            writeln!(out, "{violation}")?;
        }
    }
    Ok(())
}
