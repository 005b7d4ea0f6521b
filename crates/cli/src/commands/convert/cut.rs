//! Which part of a trace `convert --to otf2` writes: a window of time, locations, functions.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use pompeii_export::cut::Choice;
use pompeii_model::{Paradigm, Role};
use pompeii_otf2::definition::Definition;
use pompeii_otf2::read::Archive;
use pompeii_replay::Within;
use pompeii_replay::definitions::Definitions;

use crate::recording::read_filter;

/// The part that is wanted.
#[derive(clap::Args)]
pub struct Options {
    /// For otf2: only this part of the time, in seconds since the begin of the measurement, for
    /// example 10:12.5. An end that is left out is that of the trace
    #[arg(long, value_name = "START:END")]
    window: Option<String>,
    /// For otf2: only the events of these locations, as RANK or RANK.THREAD, for example 0,3.1
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    locations: Vec<String>,
    /// For otf2: without the functions and user regions that this filter file excludes
    #[arg(long, value_name = "FILE")]
    filter: Option<PathBuf>,
}

impl Options {
    /// Refuses the options for another format, which has no use for them.
    ///
    /// # Errors
    /// One of them was given.
    pub fn check(&self, is_cut: bool) -> Result<()> {
        if !is_cut && (self.window.is_some() || !self.locations.is_empty() || self.filter.is_some())
        {
            bail!("--window, --locations and --filter are for --to otf2 only");
        }
        Ok(())
    }

    /// What the cut has.
    ///
    /// # Errors
    /// A window or a location that the trace does not have, or a filter that cannot be read.
    pub fn choice(&self, archive: &Archive, definitions: &Definitions) -> Result<Choice> {
        let mut choice = Choice::all(definitions);
        if let Some(window) = &self.window {
            choice.within = within(window, definitions)?;
        }
        if !self.locations.is_empty() {
            choice.locations = vec![false; choice.locations.len()];
        }
        for word in &self.locations {
            choose(word, definitions, &mut choice.locations)?;
        }
        choice.without = self.without(archive, definitions)?;
        Ok(choice)
    }

    /// Ids of the regions that the filter excludes.
    fn without(&self, archive: &Archive, definitions: &Definitions) -> Result<HashSet<u32>> {
        let Some(path) = &self.filter else { return Ok(HashSet::new()) };
        let filter = read_filter(path)?;
        let is_excluded = |definition: &Definition| {
            let Definition::Region(region) = definition else { return None };
            let known = &definitions.regions[definitions.region(region.id)];
            let can_be = known.paradigm == Paradigm::User
                && matches!(known.role, Role::Function | Role::User);
            let is_wanted = filter.wants_file(&known.file, None)
                && filter.wants_region(&[&known.name], &known.name);
            (can_be && !is_wanted).then_some(region.id.0)
        };
        Ok(archive.definitions().iter().filter_map(is_excluded).collect())
    }
}

/// A window in seconds since the begin of the measurement, in ticks.
fn within(text: &str, definitions: &Definitions) -> Result<Within> {
    let expected = || format!("--window {text}: expected START:END in seconds");
    let (from, until) = text.split_once(':').with_context(expected)?;
    let ticks = |text: &str, missing: u64| match text.trim() {
        "" => Some(missing),
        number => {
            let seconds: f64 = number.parse().ok()?;
            let ticks = (seconds * definitions.ticks_per_second as f64).round();
            let is_time = (0.0..1e9).contains(&seconds);
            is_time.then(|| definitions.begin.saturating_add(ticks as u64))
        }
    };
    let begin = ticks(from, definitions.begin).with_context(expected)?;
    let end = ticks(until, u64::MAX).with_context(expected)?;
    if begin >= end {
        bail!("--window {text}: ends before it starts");
    }
    if begin >= definitions.end {
        let ticks = definitions.end.saturating_sub(definitions.begin);
        let seconds = ticks as f64 / definitions.ticks_per_second as f64;
        bail!("--window {text}: starts after the end of the trace, which has {seconds:.3} s");
    }
    Ok(Within { begin, end })
}

/// Chooses all locations of a rank, or one of its threads.
fn choose(word: &str, definitions: &Definitions, chosen: &mut [bool]) -> Result<()> {
    let expected = || format!("--locations {word}: expected RANK or RANK.THREAD");
    let (rank, thread) = match word.split_once('.') {
        Some((rank, thread)) => (rank, Some(thread.parse::<usize>().with_context(expected)?)),
        None => (word, None),
    };
    let rank: u32 = rank.trim().parse().with_context(expected)?;
    let system = &definitions.system;
    let locations = system.locations.iter().zip(chosen);
    let mut of_rank: Vec<&mut bool> = locations
        .filter(|(location, _)| system.processes[location.process].rank == rank)
        .map(|(_, is_chosen)| is_chosen)
        .collect();
    let found = match thread {
        None => of_rank.as_mut_slice(),
        Some(thread) => of_rank.get_mut(thread..=thread).unwrap_or_default(),
    };
    if found.is_empty() {
        bail!("--locations {word}: the trace has no such location");
    }
    found.iter_mut().for_each(|is_chosen| **is_chosen = true);
    Ok(())
}
