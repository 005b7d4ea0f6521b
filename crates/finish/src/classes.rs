//! Metric classes of the trace: requested metrics, and the sums of regions that were guarded. Every
//! process numbers its own; those that mean the same are one in the trace.

use std::collections::HashMap;

use pompeii_live::LiveProcess;
use pompeii_model::{IndexVec, Region, RegionId};
use pompeii_otf2::Error;
use pompeii_otf2::definition::MetricClass;
use pompeii_otf2::enums;
use pompeii_otf2::reference::{MetricMemberRef, MetricRef};
use pompeii_otf2::write::ArchiveWriter;

use crate::counted::{self, CountedMember};
use crate::guard;

/// A class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Of requested metrics.
    Counted(Vec<CountedMember>),
    /// Of the region's sums.
    Guarded(Region),
}

/// The classes of a process with the numbers that its events have for them.
pub fn of(live: &LiveProcess, regions: &IndexVec<RegionId, Region>) -> Vec<(u32, Class)> {
    let counted = counted::classes(live).into_iter().map(Class::Counted);
    let guarded = guard::classes(live, regions);
    let guarded = guarded.into_iter().map(|(number, region)| (number, Class::Guarded(region)));
    (0..).zip(counted).chain(guarded).collect()
}

/// The classes of a run, each once. Ids are dense, since readers want them so.
#[derive(Debug, Default)]
pub struct Classes {
    all: Vec<Class>,
    ids: HashMap<Class, u32>,
}

impl Classes {
    /// The class's id; a new one where it is not known.
    pub fn id(&mut self, class: &Class) -> u32 {
        let next = self.count();
        *self.ids.entry(class.clone()).or_insert_with(|| {
            self.all.push(class.clone());
            next
        })
    }

    /// Number of classes.
    pub fn count(&self) -> u32 {
        self.all.len() as u32
    }

    /// Whether it is of requested metrics that each thread counts for itself.
    pub fn is_counted(&self, id: u32) -> bool {
        self.of_marks(id) == Some(false)
    }

    /// Whether it is of the process's mark, which any of its threads may record.
    pub fn is_mark(&self, id: u32) -> bool {
        self.of_marks(id) == Some(true)
    }

    fn of_marks(&self, id: u32) -> Option<bool> {
        match &self.all[id as usize] {
            Class::Counted(members) => Some(members.iter().any(|&(_, _, mark)| mark)),
            Class::Guarded(_) => None,
        }
    }

    /// Defines all of them.
    pub fn define(&self, archive: &mut ArchiveWriter) -> Result<(), Error> {
        let mut members = 0;
        for (id, class) in (0..).map(MetricRef).zip(&self.all) {
            let metric_members = match class {
                Class::Counted(of) => {
                    let ids: Vec<MetricMemberRef> =
                        (members..).map(MetricMemberRef).take(of.len()).collect();
                    for (&id, member) in ids.iter().zip(of) {
                        counted::define_member(archive, id, member)?;
                    }
                    ids
                }
                Class::Guarded(region) => guard::define_members(archive, members, region)?,
            };
            members += metric_members.len() as u32;
            archive.define(MetricClass {
                id,
                metric_members,
                metric_occurrence: enums::MetricOccurrence::SYNCHRONOUS,
                recorder_kind: match self.is_mark(id.0) {
                    true => enums::RecorderKind::ABSTRACT,
                    false => enums::RecorderKind::CPU,
                },
            })?;
        }
        Ok(())
    }
}
