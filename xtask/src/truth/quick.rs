//! One row in a few seconds, for whoever works on a finding: one pair, no statistics, and all that
//! is known of it.

use std::path::Path;

use anyhow::Result;

use super::machine::Span;
use super::observe::{Observation, Tool};
use super::pairs::Turn;
use super::row::Row;
use super::table;
use super::version::Version;

/// Builds the row's versions, runs each once, and prints what is expected, reported and measured.
pub(super) fn look(row: &Row<'_>, tool: &Tool, seed: u64, folder: &Path) -> Result<()> {
    let header = &row.program.header;
    let kinds: Vec<&str> = header.advice.iter().map(|(kind, _)| kind.as_str()).collect();
    println!(
        "\n{}: {} {}",
        row.name(),
        header.cause,
        row.program.at.as_ref().map_or_else(String::new, |at| format!("at {at}"))
    );
    if let Some(why) = row.lacks() {
        println!("  not run: this machine lacks {why}");
        return Ok(());
    }
    let workshop = row.workshop(seed, folder)?;
    let macros = workshop.chosen.macros.iter().map(|(name, value)| format!("{name}={value}"));
    println!("  seed {seed}: {}", macros.collect::<Vec<_>>().join(" "));
    let advice = if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") };
    println!("  advice that repairs it: {advice}");
    let observations = row.observe(tool, &workshop, 1)?;
    let advised = row.build_advised(&workshop, &observations)?.map(Version::Advised);
    observations.iter().for_each(print_findings);
    let turn = Turn::run(&workshop, advised.as_ref(), false)?;
    print_turn(&turn, advised.as_ref(), observations.first());
    println!("  kept in {}", workshop.folder.display());
    Ok(())
}

fn print_findings(observation: &Observation) {
    println!("  findings:");
    for finding in &observation.findings {
        let cause = finding.cause.as_deref().unwrap_or("not stated");
        let place = finding.place.as_ref().map_or("?".to_owned(), ToString::to_string);
        let advice = finding.advice.as_ref().map_or("none given".to_owned(), |advice| {
            let value = advice.value.as_deref().unwrap_or_default();
            format!("{} {} {value}", advice.kind, advice.target)
        });
        println!(
            "    {place}: {cause} ({}), lost {:.3} CPU s, gain {}; advice: {advice}",
            finding.property,
            finding.lost_s,
            table::predicted(finding),
        );
    }
}

fn print_turn(turn: &Turn, advised: Option<&Version>, observation: Option<&Observation>) {
    let (faulty, repaired) = (turn.faulty.seconds, turn.repaired.seconds);
    let mut machine = Span::default();
    turn.spans().for_each(|span| machine += span);
    println!("  others took {:.0} % of the machine", 100.0 * machine.others());
    println!("  faulty {faulty:.3} s, repaired {repaired:.3} s: gain {:.3} s", faulty - repaired);
    if let (Some(Version::Advised(settings)), Some(run)) = (advised, &turn.advised) {
        println!("  advised {:.3} s with {}", run.seconds, table::shown(settings));
    }
    if let Some(observation) = observation {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let stated = observation.dilation.map_or("not stated".to_owned(), percent);
        let measured = percent(observation.seconds / faulty - 1.0);
        println!("  measured {:.3} s: dilation {measured}, stated: {stated}", observation.seconds);
    }
}
