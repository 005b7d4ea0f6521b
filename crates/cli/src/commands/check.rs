//! `pompeii check`: do the values of a run keep within limits? The exit code is for scripts and for
//! systems that build and test: 0 if all rules hold, 1 if one is broken, 2 if one cannot be used.

mod history;
mod rule_file;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use pompeii_analysis::rules::{self, Bound, Measure, Rule};
use pompeii_analysis::{Compute, Finding, Property, properties, selection};
use pompeii_finish::{is_measured, quoted};
use pompeii_report::check::{Checked, broken, check, check_json, github, junit};

use super::report;
use crate::experiment::{Damaged, Experiment};
use crate::output::{print, print_json};
use crate::progress::Progress;
use crate::runs::Runs;
use crate::terminal::{Look, cannot, shown};

/// Options of `check`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii check first --max 'omp_ibarrier_wait<5%'      less than 5 % of wall time x threads
    pompeii check first --max 'omp_ibarrier_wait@relax*<20 ms' --min 'parallel_efficiency>0.8'
    pompeii check new --max 'wall_time<110% of base' --against old1,old2,old3
    pompeii check new --rules rules.toml --junit pompeii.xml --github

A rule is METRIC[@CALL]<LIMIT[ of WHOLE]. METRIC is a property or a cause of `pompeii explain`, an
efficiency of `report --json`, or wall_time. CALL is a name with * and ?, for the call paths that
end in such a region and all below them. LIMIT is for example 5%, 0.8, 20 ms, 1 MB or 1000. WHOLE
is allocation (wall time x threads), wall, parent, call or base.

Exit code: 0 all rules hold; 1 a rule is broken; 2 a rule or an experiment cannot be used.")]
pub struct Arguments {
    /// The experiment; several runs are separated by commas, and their median counts
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    #[command(flatten)]
    damaged: Damaged,
    /// The value must be below a limit: METRIC<LIMIT, or METRIC<=LIMIT
    #[arg(long, value_name = "RULE")]
    max: Vec<String>,
    /// The value must be above a limit: METRIC>LIMIT, or METRIC>=LIMIT
    #[arg(long, value_name = "RULE")]
    min: Vec<String>,
    /// A TOML file with a [[rule]] table for each rule
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Runs for rules that are relative to a base, separated by commas
    #[arg(long, value_name = "BASE")]
    against: Option<PathBuf>,
    /// Append the results to FILE as one line of JSON, and draw them over all runs: as a page, with
    /// the suffix .html in place of that of FILE, and as a badge (.svg)
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Write the results as those of tests, in the XML format of JUnit
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Also print broken rules as annotations of GitHub
    #[arg(long, conflicts_with = "json")]
    github: bool,
    /// Print the results as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let rules = arguments.all_rules()?;
    let history = arguments.history.as_deref().map(history::read).transpose()?;
    let runs = arguments.open(&arguments.experiment)?;
    let base = arguments.against.as_ref().map(|base| arguments.open(base)).transpose()?;
    let progress = Progress::of(format!("checking {}", shown(&arguments.experiment)));
    let checked = check_all(&rules, &runs, base.as_ref())?;
    drop(progress);
    if let Some(file) = &arguments.junit {
        std::fs::write(file, junit(&runs.name, &checked)).with_context(|| cannot("write", file))?;
    }
    if let Some(history) = history {
        history.add(&runs.name, &checked)?;
    }
    match arguments.json {
        true => print_json(&check_json(&runs.name, &checked))?,
        false => print(&check(&runs.name, &checked, &Look::of(&std::io::stdout()).report(0)))?,
    }
    if arguments.github {
        let folder = std::env::current_dir().unwrap_or_default();
        print(&github(&checked, &shown(&folder)))?;
    }
    Ok(ExitCode::from(u8::from(broken(&checked) > 0)))
}

impl Arguments {
    /// The rules of the command line and of the file.
    fn all_rules(&self) -> Result<Vec<Rule>> {
        let mut rules = Vec::new();
        let sides = [("--max", Bound::Max, &self.max), ("--min", Bound::Min, &self.min)];
        for (option, bound, texts) in sides {
            for text in texts {
                let rule = Rule::parse(text).with_context(|| option.to_owned())?;
                if rule.bound != bound {
                    let sign = if bound == Bound::Max { '<' } else { '>' };
                    bail!("{option} {}: expected `{sign}` before the limit", shown(text));
                }
                rules.push(rule);
            }
        }
        if let Some(file) = &self.rules {
            rules.extend(rule_file::read(file)?);
        }
        if rules.is_empty() {
            bail!("there is no rule to check; name one with --max, --min or --rules");
        }
        Ok(rules)
    }

    /// Runs, with names that a terminal may show if the results are text.
    fn open(&self, word: &Path) -> Result<Runs> {
        let runs = Runs::open(word, self.damaged)?;
        Ok(if self.json { runs } else { runs.printable() })
    }
}

fn check_all(rules: &[Rule], runs: &Runs, base: Option<&Runs>) -> Result<Vec<Checked>> {
    let needs_findings = rules.iter().any(|rule| matches!(rule.measure, Measure::Lost(_)));
    // They cost more than everything else, and most rules do not need them.
    let found = |runs: &Runs| match needs_findings {
        true => report::findings_of_all(runs),
        false => vec![Vec::new(); runs.all.len()],
    };
    let found_in_base = base.map(found).unwrap_or_default();
    let found = found(runs);
    let with_findings = with_findings(&runs.all, &found);
    let base_runs = base.map_or(&[][..], |base| base.all.as_slice());
    let base = self::with_findings(base_runs, &found_in_base);
    let check = |rule: &Rule| -> Result<Checked> {
        for run in runs.all.iter().chain(base_runs) {
            is_known(rule, run)?;
        }
        let verdict = rules::evaluate(rule, &with_findings, &base)?;
        Ok(Checked { rule: rule.clone(), verdict })
    };
    rules.iter().map(check).collect()
}

fn with_findings<'a>(runs: &'a [Experiment], found: &'a [Vec<Finding>]) -> Vec<rules::Run<'a>> {
    let pairs = runs.iter().zip(found);
    pairs.map(|(run, findings)| rules::Run { cube: &run.cube, findings }).collect()
}

/// Refuses metrics that only a trace has if there is no analysis of one: all their values would be
/// 0, and each limit would hold.
fn is_known(rule: &Rule, run: &Experiment) -> Result<()> {
    let Measure::Metric(property) = rule.measure else { return Ok(()) };
    let is_analyzed = run.trace_note.is_some() || !run.folder.is_dir();
    if needs_trace(property) && !is_analyzed {
        bail!(
            "`{}` comes from a trace, and that of {} has not been analyzed: record one with \
             `pompeii run --trace`, and call `pompeii analyze {}`",
            property.name,
            shown(&run.named),
            quoted(&run.named)
        );
    }
    Ok(())
}

/// Whether profiles of Pompeii do not have the metric, nor any part of it.
fn needs_trace(property: &Property) -> bool {
    match property.compute {
        Compute::Found(_) => true,
        Compute::Measured if !is_measured(property.name) => true,
        Compute::Parts => properties::children(property).all(needs_trace),
        _ => selection::of_causes().contains(&property.name),
    }
}

#[cfg(test)]
mod tests {
    use super::needs_trace;
    use pompeii_analysis::properties;

    #[test]
    fn some_metrics_need_a_trace() {
        let needs = |name: &str| needs_trace(properties::find(name).unwrap());
        let traced = ["delay_omp", "delay_mpi", "critical_path", "omp_lock_handover", "task_span"];
        assert!(traced.iter().all(|name| needs(name)));
        let measured = ["time", "comp", "mpi", "omp_ibarrier_wait", "omp_ibarrier_starvation"];
        assert!(!measured.iter().any(|name| needs(name)));
        let measured = ["visits", "mpi_latesender", "bytes_sent", "tasks", "omp_idle_threads"];
        assert!(!measured.iter().any(|name| needs(name)));
    }
}
