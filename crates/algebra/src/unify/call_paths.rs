//! Regions and call paths by name, file, parameters, line and order.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use pompeii_cubex::{CallPath, CallPathId, Id, Region, RegionId, Report};

/// What a region is known by: its line is not among it, lines move when programs are edited. The
/// folder of the file is not, either: programs are built in more than one place.
type RegionKey = (String, String, String);

fn region_key(region: &Region) -> RegionKey {
    let file = region.file.rsplit('/').next().unwrap_or_default();
    (region.name.clone(), region.mangled_name.clone(), file.to_owned())
}

/// Definitions that may be chosen, each by one of the operand's only: first by what they are known
/// by and their line, then without the line. Each of them is looked at once by either, since there
/// may be 100,000 with one name.
struct Candidates<K, I> {
    by_line: HashMap<(K, Option<u32>), VecDeque<I>>,
    by_key: HashMap<K, VecDeque<I>>,
    taken: Vec<bool>,
}

impl<K: Hash + Eq + Clone, I: Id> Candidates<K, I> {
    fn new(known: impl Iterator<Item = (K, Option<u32>, I)>, count: usize) -> Self {
        let (by_line, by_key) = (HashMap::new(), HashMap::new());
        let mut candidates = Self { by_line, by_key, taken: vec![false; count] };
        for (key, line, id) in known {
            candidates.by_line.entry((key.clone(), line)).or_default().push_back(id);
            candidates.by_key.entry(key).or_default().push_back(id);
        }
        candidates
    }

    /// Takes the first one that is free, with this line if it must be `exact`.
    fn take(&mut self, key: K, line: Option<u32>, exact: bool) -> Option<I> {
        let waiting = match exact {
            true => self.by_line.get_mut(&(key, line))?,
            false => self.by_key.get_mut(&key)?,
        };
        while let Some(id) = waiting.pop_front() {
            if !std::mem::replace(&mut self.taken[id.index()], true) {
                return Some(id);
            }
        }
        None
    }
}

/// Adds what `report` lacks of `operand`'s regions and says where each is.
pub(super) fn regions(report: &mut Report, operand: &Report) -> Vec<RegionId> {
    let known = report.regions.iter();
    let known = known.map(|(id, region)| (region_key(region), region.begin_line, id));
    let mut candidates = Candidates::new(known, report.regions.len());
    let mut found: Vec<Option<RegionId>> = vec![None; operand.regions.len()];
    // Those whose lines agree come first, so that they are not taken by others of the same name.
    for exact in [true, false] {
        for (id, region) in operand.regions.iter() {
            if found[id.index()].is_none() {
                let key = region_key(region);
                found[id.index()] = candidates.take(key, region.begin_line, exact);
            }
        }
    }
    let missing = |(index, found): (usize, Option<RegionId>)| {
        let region = || operand.regions[RegionId::from_index(index)].clone();
        found.unwrap_or_else(|| report.regions.push(region()))
    };
    found.into_iter().enumerate().map(missing).collect()
}

/// A call path among the children of its parent.
type CallPathKey = (Option<CallPathId>, RegionId, String);

fn key(parent: Option<CallPathId>, call_path: &CallPath, region: RegionId) -> CallPathKey {
    let parameter = |p: &pompeii_cubex::Parameter| format!("{:?}={:?};", p.key, p.value);
    (parent, region, call_path.parameters.iter().map(parameter).collect())
}

/// Adds what `report` lacks of `operand`'s call paths and says where each is. `regions` says where
/// the operand's regions are.
pub(super) fn unify(
    report: &mut Report,
    operand: &Report,
    regions: &[RegionId],
) -> Vec<CallPathId> {
    let known = report.call_paths.iter().map(|(id, call_path)| {
        let key = key(report.call_paths.parent(id), call_path, call_path.region);
        (key, call_path.line, id)
    });
    let mut candidates = Candidates::new(known, report.call_paths.len());
    let mut found: Vec<Option<CallPathId>> = vec![None; operand.call_paths.len()];
    let mut open: Vec<Option<CallPathId>> = vec![None];
    while let Some(parent) = open.pop() {
        let children = match parent {
            Some(parent) => operand.call_paths.children(parent),
            None => operand.call_paths.roots(),
        };
        let target = parent.and_then(|parent| found[parent.index()]);
        for exact in [true, false] {
            for &child in children.iter().filter(|_| parent.is_none() || target.is_some()) {
                let own = &operand.call_paths[child];
                let region = regions[own.region.index()];
                if found[child.index()].is_none() {
                    let key = key(target, own, region);
                    found[child.index()] = candidates.take(key, own.line, exact);
                }
            }
        }
        for &child in children {
            if found[child.index()].is_none() {
                let own = &operand.call_paths[child];
                let call_path = CallPath { region: regions[own.region.index()], ..own.clone() };
                found[child.index()] = Some(report.call_paths.push(target, call_path));
            }
        }
        open.extend(children.iter().rev().map(|&child| Some(child)));
    }
    found.into_iter().map(|found| found.unwrap_or(CallPathId(0))).collect()
}
