//! Changes of a recorded run: which regions they mean, and what the scenario is.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Result, bail};
use pompeii_model::{Cube, LocationId, Region, RegionId, Role};
use pompeii_replay::Outcome;
use pompeii_replay::definitions::{Class, Definitions};
use pompeii_replay::scenario::{Scaled, Scenario, UNIT};
use pompeii_report::RemovedFinding;

/// Regions that a message about an unknown name lists.
const LISTED: usize = 5;

/// A change that the user wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Regions take a share of their own time, in parts of [`UNIT`].
    Scaled(String, i64),
    /// No thread waits in these regions.
    Free(String),
    /// All threads take the same time in each of these regions, or arrive there at the same time.
    Balanced(String),
    /// Messages take no time.
    IdealNetwork,
}

impl Wanted {
    /// The option that says it.
    pub fn option(&self) -> String {
        match self {
            Wanted::Scaled(name, share) => {
                format!("--region {name}={}", *share as f64 / UNIT as f64)
            }
            Wanted::Free(name) => format!("--remove {name}"),
            Wanted::Balanced(name) => format!("--balance {name}"),
            Wanted::IdealNetwork => "--network ideal".to_owned(),
        }
    }
}

/// Reads `R=SHARE`.
pub fn scaled(text: &str) -> Result<(String, i64), String> {
    let parts = text.rsplit_once('=').filter(|(name, _)| !name.is_empty());
    let share = parts.and_then(|(_, share)| share.parse::<f64>().ok());
    let share = share.filter(|share| (0.0..=1_000.0).contains(share));
    match parts.zip(share) {
        Some(((name, _), share)) => Ok((name.to_owned(), (share * UNIT as f64).round() as i64)),
        None => Err("expected a region and a share from 0 to 1000, as in solve=0.5".to_owned()),
    }
}

/// A change with its name for people.
#[derive(Clone, Debug)]
pub struct Named {
    /// The option, or what is changed.
    pub name: String,
    /// What is different in the run.
    pub scenario: Scenario,
    /// The finding that it removes.
    pub finding: Option<RemovedFinding>,
}

impl Named {
    /// A change that removes no finding.
    pub fn new(name: String, scenario: Scenario) -> Named {
        Named { name, scenario, finding: None }
    }

    /// Nothing takes the place of what is removed. In a real run something may, so the gain is an
    /// upper bound.
    pub fn is_bound(&self) -> bool {
        !self.scenario.without_waiting.is_empty() || self.scenario.has_ideal_network
    }
}

/// A region takes less of its own time, by this number of percent.
pub fn faster(region: RegionId, percent: i64) -> Scenario {
    let share = UNIT * (100 - percent) / 100;
    let scaled = vec![Scaled { region, location: None, share }];
    Scenario { scaled, ..Scenario::default() }
}

/// Messages take no time.
pub fn ideal_network() -> Named {
    let scenario = Scenario { has_ideal_network: true, ..Scenario::default() };
    Named::new(Wanted::IdealNetwork.option(), scenario)
}

/// All changes at once.
pub fn together<'a>(changes: impl Iterator<Item = &'a Scenario>) -> Scenario {
    let mut all = Scenario::default();
    for change in changes {
        all.scaled.extend(&change.scaled);
        all.without_waiting.extend(&change.without_waiting);
        all.even.extend(&change.even);
        all.has_ideal_network |= change.has_ideal_network;
    }
    all
}

/// The own time of regions.
pub struct Costs<'a> {
    definitions: &'a Definitions,
    /// Regions by their names in the trace.
    named: HashMap<&'a str, Vec<RegionId>>,
    /// By region and location; in ticks.
    ticks: BTreeMap<RegionId, BTreeMap<LocationId, i64>>,
}

impl<'a> Costs<'a> {
    /// Without times.
    fn new(definitions: &'a Definitions) -> Costs<'a> {
        let mut named: HashMap<&str, Vec<RegionId>> = HashMap::new();
        for (id, region) in definitions.regions.enumerated() {
            named.entry(region.name.as_str()).or_default().push(id);
        }
        Costs { definitions, named, ticks: BTreeMap::new() }
    }

    /// Those of a run.
    pub fn of(outcome: &Outcome) -> Costs<'_> {
        let mut costs = Costs::new(&outcome.definitions);
        for entry in &outcome.entries {
            let place = (outcome.calls.region(entry.call), entry.location);
            costs.add(place, entry.values.ticks);
        }
        costs
    }

    /// Those of a run from its profile, before its trace is read. `None` if the profile has other
    /// locations than the trace.
    pub fn of_profile(definitions: &'a Definitions, profile: &Cube) -> Option<Costs<'a>> {
        let locations = definitions.system.locations.len();
        let time = profile.metric("time")?;
        if profile.system.locations.len() != locations {
            return None;
        }
        let mut costs = Costs::new(definitions);
        for call in profile.calls.ids() {
            let region = &profile.regions[profile.calls.region(call)];
            let Some(&region) = costs.in_trace(region).first() else { continue };
            for (at, &ticks) in profile.row(time, call).iter().enumerate() {
                let ticks = costs.ticks_of(profile.clock.seconds(ticks)).round() as i64;
                if ticks != 0 {
                    costs.add((region, LocationId(at as u32)), ticks);
                }
            }
        }
        Some(costs)
    }

    fn add(&mut self, (region, location): (RegionId, LocationId), ticks: i64) {
        *self.ticks.entry(region).or_default().entry(location).or_default() += ticks;
    }

    /// Ticks of the trace for a time in seconds.
    pub fn ticks_of(&self, seconds: f64) -> f64 {
        seconds * self.definitions.ticks_per_second as f64
    }

    /// The regions of the trace for one of the profile. A trace does not have the places from which
    /// routines are called: there each routine is one region.
    pub fn in_trace(&self, region: &Region) -> Vec<RegionId> {
        let regions = &self.definitions.regions;
        let is_there = |id: &RegionId| regions[*id].source() == region.source();
        let named = self.named.get(region.name.as_str()).cloned().unwrap_or_default();
        let found: Vec<RegionId> = named.iter().copied().filter(is_there).collect();
        if found.is_empty() && region.is_routine() { named } else { found }
    }

    /// Whether all who come to a region wait there for the last one.
    pub fn is_meeting(&self, region: RegionId) -> bool {
        let of = self.region(region);
        matches!(of.role, Role::Barrier | Role::ImplicitBarrier | Role::AllToAll)
    }

    /// A region.
    pub fn region(&self, region: RegionId) -> &Region {
        &self.definitions.regions[region]
    }

    /// What people read; the code outside of all regions has the name of the program.
    pub fn label(&self, region: RegionId) -> String {
        match region == self.definitions.program_region {
            true => format!("{} (outside of regions)", self.region(region).label()),
            false => self.region(region).label(),
        }
    }

    /// Its own time on all locations.
    pub fn own_ticks(&self, region: RegionId) -> i64 {
        self.ticks.get(&region).map_or(0, |of| of.values().sum())
    }

    /// Whether the program has locks whose order counts.
    pub fn has_locks(&self) -> bool {
        let roles = [Role::Critical, Role::CriticalBody, Role::Lock, Role::Ordered];
        self.ticks.keys().any(|region| roles.contains(&self.region(*region).role))
    }

    /// Whether the program calls MPI.
    pub fn has_mpi(&self) -> bool {
        self.ticks.keys().any(|region| self.region(*region).name.starts_with("MPI_"))
    }

    /// All come to barriers at the mean of their times, and no thread waits for anything else.
    pub fn no_waiting(&self) -> Named {
        let all = self.definitions.regions.ids();
        let (even, without_waiting) = all.partition(|region| self.is_meeting(*region));
        let scenario = Scenario { even, without_waiting, ..Scenario::default() };
        Named::new("no waiting".to_owned(), scenario)
    }

    /// Whether threads work in a region, and do not only wait there.
    fn has_work(&self, region: RegionId) -> bool {
        let class = self.definitions.class(region);
        let has_work = matches!(
            class,
            Class::Plain | Class::Parallel | Class::Task | Class::Creation | Class::OrderedBody
        );
        let role = self.region(region).role;
        let is_code = !matches!(role, Role::Artificial | Role::Parameter | Role::Critical);
        has_work && (is_code || region == self.definitions.program_region)
    }

    /// The regions with the most work.
    pub fn costliest(&self, most: usize) -> Vec<RegionId> {
        let mut all: Vec<RegionId> = self.ticks.keys().copied().collect();
        all.retain(|region| self.has_work(*region) && self.own_ticks(*region) > 0);
        all.sort_by_key(|region| (-self.own_ticks(*region), *region));
        all.truncate(most);
        all
    }

    /// The regions of a name: that is a label, the name in the trace, or a place, else a part of
    /// labels.
    fn find(&self, name: &str) -> Result<Vec<RegionId>> {
        let is_it = |region: &&RegionId| {
            let of = self.region(**region);
            let place = format!("{}:{}", of.file, of.begin_line);
            of.label() == name || of.name == name || place == name || self.label(**region) == name
        };
        let mut found: Vec<RegionId> = self.ticks.keys().filter(is_it).copied().collect();
        if found.is_empty() {
            let has_it = |region: &&RegionId| self.label(**region).contains(name);
            found = self.ticks.keys().filter(has_it).copied().collect();
        }
        if found.is_empty() {
            let known: Vec<String> =
                self.costliest(LISTED).into_iter().map(|region| self.label(region)).collect();
            bail!("{name}: no region of the trace has this name; some are: {}", known.join(", "));
        }
        Ok(found)
    }

    /// What a change means.
    pub fn scenario(&self, wanted: &Wanted) -> Result<Scenario> {
        let mut scenario = Scenario::default();
        match wanted {
            Wanted::Scaled(name, share) => {
                let scaled = |region| Scaled { region, location: None, share: *share };
                scenario.scaled = self.find(name)?.into_iter().map(scaled).collect();
            }
            Wanted::Free(name) => scenario.without_waiting = self.find(name)?,
            Wanted::Balanced(name) => {
                let (even, others): (Vec<RegionId>, Vec<RegionId>) =
                    self.find(name)?.into_iter().partition(|it| self.is_meeting(*it));
                scenario.even = even;
                scenario.scaled = others.into_iter().flat_map(|it| self.balanced(it)).collect();
            }
            Wanted::IdealNetwork => scenario.has_ideal_network = true,
        }
        Ok(scenario)
    }

    /// Locations of a group take the mean of their times in a region: those that were in it, and
    /// those that wait for it. The groups are processes, or threads with one number in all of them.
    pub fn shared(
        &self,
        region: RegionId,
        of_ranks: bool,
        waits: &dyn Fn(LocationId) -> bool,
    ) -> Vec<Scaled> {
        let Some(of) = self.ticks.get(&region) else { return Vec::new() };
        let system = &self.definitions.system;
        let mut groups: BTreeMap<u32, Vec<(LocationId, i64)>> = BTreeMap::new();
        let mut of_process = (None, 0);
        for (location, known) in system.locations.enumerated() {
            let number = if of_process.0 == Some(known.process) { of_process.1 + 1 } else { 0 };
            of_process = (Some(known.process), number);
            let ticks = of.get(&location).copied().unwrap_or(0);
            if ticks > 0 || waits(location) {
                let group = if of_ranks { number } else { known.process.0 };
                groups.entry(group).or_default().push((location, ticks));
            }
        }
        groups.values().flat_map(|group| even_parts(region, group)).collect()
    }

    /// Each location that was in the region takes the mean of their times.
    fn balanced(&self, region: RegionId) -> Vec<Scaled> {
        let of = self.ticks.get(&region).into_iter().flatten();
        let of: Vec<(LocationId, i64)> =
            of.filter(|(_, ticks)| **ticks > 0).map(|(at, ticks)| (*at, *ticks)).collect();
        even_parts(region, &of)
    }
}

/// Each location takes the mean of all times in a region. One without time gets none.
fn even_parts(region: RegionId, of: &[(LocationId, i64)]) -> Vec<Scaled> {
    let mean = of.iter().map(|(_, ticks)| *ticks as f64).sum::<f64>() / of.len().max(1) as f64;
    let scaled = |&(location, ticks): &(LocationId, i64)| {
        let share = (mean / ticks as f64 * UNIT as f64).round() as i64;
        Scaled { region, location: Some(location), share }
    };
    of.iter().filter(|(_, ticks)| *ticks > 0).map(scaled).collect()
}

#[cfg(test)]
mod tests {
    use pompeii_replay::{Options, replay, text};

    use super::*;

    /// Thread 0 works for 30 ticks, thread 1 for 10; both wait at the barrier.
    fn outcome() -> Outcome {
        let trace = "end 60
             team A = 0.0 0.1
             0 0.0 fork; team A; + parallel; + work
             0 0.1 team A; + parallel; + work
             10 0.1 -; + ibarrier:7
             30 0.0 -; + ibarrier:7
             40 0.0 -; -; endteam A; join
             40 0.1 -; -; endteam A
             40 0.0 + workshop
             45 0.0 -";
        replay(text::parse(trace).unwrap().trace(), Options::default(), &mut |_| {})
    }

    #[test]
    fn shares_are_numbers_after_the_last_sign() {
        assert_eq!(scaled("solve=0.5"), Ok(("solve".to_owned(), UNIT / 2)));
        assert_eq!(scaled("a=b=2"), Ok(("a=b".to_owned(), 2 * UNIT)));
        for wrong in ["solve", "=1", "solve=", "solve=-1", "solve=NaN", "solve=1001"] {
            assert!(scaled(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_are_whole_ones_or_parts() {
        let outcome = outcome();
        let costs = Costs::of(&outcome);
        let names = |name: &str| -> Vec<String> {
            let found = costs.find(name).unwrap().into_iter();
            found.map(|region| costs.region(region).name.clone()).collect()
        };
        assert_eq!(names("work"), ["work"]);
        assert_eq!(names("works"), ["workshop"]);
        assert_eq!(names("wor"), ["work", "workshop"]);
        let error = costs.find("nothing").unwrap_err().to_string();
        assert!(error.starts_with("nothing: no region of the trace has this name"), "{error}");
        assert!(error.contains("work, "), "{error}");
    }

    #[test]
    fn threads_with_the_same_time_have_the_mean() {
        let outcome = outcome();
        let costs = Costs::of(&outcome);
        let scenario = costs.scenario(&Wanted::Balanced("work".to_owned())).unwrap();
        let shares: Vec<(Option<LocationId>, i64)> =
            scenario.scaled.iter().map(|it| (it.location, it.share)).collect();
        // 20 of 30 ticks, and 20 of 10.
        assert_eq!(shares, [(Some(LocationId(0)), 6_667), (Some(LocationId(1)), 20_000)]);
    }

    #[test]
    fn threads_arrive_evenly_at_barriers() {
        let outcome = outcome();
        let costs = Costs::of(&outcome);
        let scenario = costs.scenario(&Wanted::Balanced("ibarrier".to_owned())).unwrap();
        let even: Vec<&str> =
            scenario.even.iter().map(|it| costs.region(*it).name.as_str()).collect();
        assert_eq!((even, scenario.scaled.len()), (vec!["ibarrier:7"], 0));
    }

    #[test]
    fn regions_of_the_profile_are_found_by_name_and_place() {
        let outcome = outcome();
        let costs = Costs::of(&outcome);
        let work = costs.find("work").unwrap();
        let of = costs.region(work[0]);
        assert_eq!(costs.in_trace(of), work);
        let elsewhere = Region { file: "b.c".to_owned(), begin_line: 900, ..of.clone() };
        assert!(costs.in_trace(&elsewhere).is_empty());
        let routine = Region { role: Role::Lock, ..elsewhere };
        assert_eq!(costs.in_trace(&routine), work);
    }

    #[test]
    fn regions_in_which_threads_only_wait_are_not_in_the_table() {
        let outcome = outcome();
        let costs = Costs::of(&outcome);
        let names: Vec<&str> =
            costs.costliest(9).into_iter().map(|it| costs.region(it).name.as_str()).collect();
        assert_eq!(names[..2], ["work", "program"], "{names:?}");
        assert!(!names.contains(&"ibarrier:7"), "{names:?}");
        assert_eq!(costs.costliest(1).len(), 1);
    }

    #[test]
    fn changes_are_made_together() {
        let outcome = outcome();
        let costs = Costs::of(&outcome);
        let wanted = [
            Wanted::Scaled("work".to_owned(), 0),
            Wanted::Free("ibarrier".to_owned()),
            Wanted::IdealNetwork,
        ];
        let changes: Vec<Scenario> =
            wanted.iter().map(|wanted| costs.scenario(wanted).unwrap()).collect();
        let all = together(changes.iter());
        assert_eq!((all.scaled.len(), all.without_waiting.len()), (1, 1));
        assert!(all.has_ideal_network);
        let options: Vec<String> = wanted.iter().map(Wanted::option).collect();
        assert_eq!(options, ["--region work=0", "--remove ibarrier", "--network ideal"]);
    }
}
