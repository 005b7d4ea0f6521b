//! Regions and call paths by name, file, parameters, line and order.

use std::collections::HashMap;

use pompeii_cubex::{CallPath, CallPathId, Id, Region, RegionId, Report};

/// What a region is known by: its line is not among it, lines move when programs are edited. The
/// folder of the file is not, either: programs are built in more than one place.
type RegionKey = (String, String, String);

fn region_key(region: &Region) -> RegionKey {
    let file = region.file.rsplit('/').next().unwrap_or_default();
    (region.name.clone(), region.mangled_name.clone(), file.to_owned())
}

/// Definitions that may be chosen, each by one of the operand's only.
struct Candidates<K, I> {
    by_key: HashMap<K, Vec<I>>,
    taken: Vec<bool>,
}

impl<K: std::hash::Hash + Eq, I: Id> Candidates<K, I> {
    fn new(known: impl Iterator<Item = (K, I)>, count: usize) -> Self {
        let mut by_key: HashMap<K, Vec<I>> = HashMap::new();
        for (key, id) in known {
            by_key.entry(key).or_default().push(id);
        }
        Self { by_key, taken: vec![false; count] }
    }

    /// Takes the first one that is free and `fits`.
    fn take(&mut self, key: &K, fits: impl Fn(I) -> bool) -> Option<I> {
        let ids = self.by_key.get(key)?;
        let free = |id: &&I| !self.taken.get(id.index()).copied().unwrap_or(true) && fits(**id);
        let id = *ids.iter().find(free)?;
        self.taken[id.index()] = true;
        Some(id)
    }
}

/// Adds what `report` lacks of `operand`'s regions and says where each is.
pub(super) fn regions(report: &mut Report, operand: &Report) -> Vec<RegionId> {
    let known = report.regions.iter().map(|(id, region)| (region_key(region), id));
    let mut candidates = Candidates::new(known, report.regions.len());
    let mut found: Vec<Option<RegionId>> = vec![None; operand.regions.len()];
    // Those whose lines agree come first, so that they are not taken by others of the same name.
    for exact in [true, false] {
        for (id, region) in operand.regions.iter() {
            let line = |id: RegionId| !exact || report.regions[id].begin_line == region.begin_line;
            if found[id.index()].is_none() {
                found[id.index()] = candidates.take(&region_key(region), line);
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
        (key(report.call_paths.parent(id), call_path, call_path.region), id)
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
                let line = |id: CallPathId| !exact || report.call_paths[id].line == own.line;
                if found[child.index()].is_none() {
                    found[child.index()] = candidates.take(&key(target, own, region), line);
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
