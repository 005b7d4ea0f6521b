//! A row of the table: one program under a seed, from its sources to the verdict.

use std::path::Path;

use anyhow::Result;

use super::distance::Distance;
use super::header::Setting;
use super::machine::{self, Span};
use super::observe::{Observation, Tool};
use super::pairs::Ratios;
use super::program::Program;
use super::seed::Stream;
use super::trial::Trial;
use super::verdict::{Evidence, Verdict};
use super::version::{self, Version, Workshop};
use super::{header, surroundings};

/// A program, and whether it is measured with the waits of MPI.
pub(super) struct Row<'a> {
    pub(super) program: &'a Program,
    pub(super) wait: bool,
}

/// What became of a row.
pub(super) enum Outcome {
    /// The machine lacks what the row needs.
    NotRun(String),
    /// Something does not compile, run or report.
    Failed(String),
    Observed(Box<Observed>),
}

/// A row with what was seen of it.
pub(super) struct Observed {
    /// Macros with the values that the seed has chosen.
    pub(super) chosen: header::Chosen,
    /// The measured runs that the verdict rests on.
    pub(super) observations: Vec<Observation>,
    /// All runs.
    trial: Trial,
    pub(super) ratios: Option<Ratios>,
    pub(super) verdict: Verdict,
}

impl Observed {
    /// What was set for the advice of the first finding, where it could be applied.
    pub(super) fn advised(&self) -> Option<&[Setting]> {
        self.trial.advised.as_deref()
    }
}

impl<'a> Row<'a> {
    /// The rows of some programs.
    pub(super) fn of(programs: &'a [Program]) -> Vec<Self> {
        let mut rows = Vec::new();
        for program in programs {
            rows.push(Self { program, wait: true });
            if program.header.also_without_wait {
                rows.push(Self { program, wait: false });
            }
        }
        rows
    }

    pub(super) fn name(&self) -> String {
        let wait = if self.wait { "" } else { " (no --mpi-wait)" };
        format!("{}{wait}", self.program.name)
    }

    /// What this machine lacks.
    pub(super) fn lacks(&self) -> Option<String> {
        let header = &self.program.header;
        let lacking = header.needs.iter().find_map(|need| machine::lacks(*need));
        match header.surroundings {
            header::Surroundings::Quota(_) => lacking.or_else(surroundings::quota_is_missing),
            _ => lacking,
        }
    }

    /// How far apart the CPUs are now. How long a program sleeps does not depend on it, and the
    /// measurement would take the CPUs from the rows next to it.
    pub(super) fn distance(&self) -> Distance {
        if self.program.header.computes { Distance::now() } else { Distance::default() }
    }

    /// Chooses values and a folder.
    pub(super) fn workshop(&self, seed: u64, folder: &Path) -> Result<Workshop<'a>> {
        let chosen = self.program.header.choose(&mut Stream::new(seed, &self.program.name));
        let name = format!("{}{}", self.program.name, if self.wait { "" } else { "_no_wait" });
        Ok(Workshop { program: self.program, chosen, folder: version::fresh(&folder.join(name))? })
    }

    /// Measures all versions, which are built, with Pompeii and against each other.
    pub(super) fn judge(
        &self,
        tool: &Tool,
        workshop: &Workshop<'_>,
        machine: &mut Span,
    ) -> Result<Observed> {
        self.conclude(Trial::default(), (tool, workshop), machine)
    }

    /// Runs all versions once more, if they were undecided. The measured runs before count for
    /// whether the first finding is always the same.
    pub(super) fn judge_again(
        &self,
        tool: &Tool,
        workshop: &Workshop<'_>,
        (observed, machine): (&mut Observed, &mut Span),
    ) -> Result<()> {
        let trial = std::mem::take(&mut observed.trial);
        *observed = self.conclude(trial, (tool, workshop), machine)?;
        Ok(())
    }

    fn conclude(
        &self,
        mut trial: Trial,
        (tool, workshop): (&Tool, &Workshop<'_>),
        machine: &mut Span,
    ) -> Result<Observed> {
        trial.run(self, (tool, workshop), machine)?;
        let (observations, ratios) = trial.result();
        let verdict = self.verdict((&observations, &trial.observed), ratios.as_ref());
        Ok(Observed { chosen: workshop.chosen.clone(), observations, trial, ratios, verdict })
    }

    /// Builds the faulty, the repaired and the measured version, and runs the last.
    pub(super) fn observe(
        &self,
        tool: &Tool,
        workshop: &Workshop<'_>,
        runs: usize,
    ) -> Result<Vec<Observation>> {
        self.build(tool, workshop)?;
        (0..runs).map(|number| tool.observe(workshop, number, self.wait)).collect()
    }

    /// Builds the faulty, the repaired and the measured version.
    pub(super) fn build(&self, tool: &Tool, workshop: &Workshop<'_>) -> Result<()> {
        workshop.build(&Version::Faulty, &[])?;
        workshop.build(&Version::Repaired, &[])?;
        let compile = tool.compile(&self.program.header.instrument);
        workshop.build(&Version::Measured, &compile)
    }

    /// Builds what the first finding advises; `None` where it advises nothing that can be applied.
    pub(super) fn build_advised(
        &self,
        workshop: &Workshop<'_>,
        observations: &[Observation],
    ) -> Result<Option<Vec<Setting>>> {
        let first = observations.first().and_then(|run| run.findings.first());
        let Some(advice) = first.and_then(|finding| finding.advice.as_ref()) else {
            return Ok(None);
        };
        let settings = self.program.header.settings_for(&advice.kind);
        let value = advice.value.as_deref();
        let settings = settings.and_then(|settings| version::with_value(settings, value));
        if let Some(settings) = &settings {
            workshop.build(&Version::Advised(settings.clone()), &[])?;
        }
        Ok(settings)
    }

    fn verdict(
        &self,
        (observations, all): (&[Observation], &[Observation]),
        ratios: Option<&Ratios>,
    ) -> Verdict {
        let evidence = Evidence {
            header: &self.program.header,
            at: self.program.at.as_ref(),
            gain_is_known: self.wait,
            observations,
            all,
            ratios,
        };
        evidence.verdict()
    }
}
