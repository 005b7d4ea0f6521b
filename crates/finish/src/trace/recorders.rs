//! Who records requested metrics: every thread its own, as a class says; and the process's mark,
//! which each thread sees, for the process. So a process has as many instances of the mark's class
//! as threads, and beside each thread's events stands which is its own.

use pompeii_otf2::Error;
use pompeii_otf2::definition::{MetricClassRecorder, MetricInstance};
use pompeii_otf2::enums;
use pompeii_otf2::reference::MetricRef;
use pompeii_otf2::write::ArchiveWriter;

use super::location_ref;
use crate::classes::Classes;
use crate::run::Survey;

/// Ids that a process's metric classes have in the run.
pub struct Ids {
    /// Number in its events, and id.
    ids: Vec<(u32, u32)>,
    /// The mark's number in its events, the class's id, and the id of the first thread's instance.
    mark: Option<(u32, u32, u32)>,
}

impl Ids {
    /// Those of each process. Instances are numbered behind classes.
    pub fn of(surveys: &[Survey], classes: &mut Classes) -> Vec<Ids> {
        let mut all: Vec<Ids> = surveys.iter().map(|survey| Ids::one(survey, classes)).collect();
        let mut next = classes.count();
        for (ids, survey) in all.iter_mut().zip(surveys) {
            if let Some((.., first)) = &mut ids.mark {
                *first = next;
                next += survey.locations as u32;
            }
        }
        all
    }

    fn one(survey: &Survey, classes: &mut Classes) -> Ids {
        let of = survey.classes.iter();
        let ids: Vec<(u32, u32)> = of.map(|(number, class)| (*number, classes.id(class))).collect();
        let mark = ids.iter().find(|(_, id)| classes.is_mark(*id));
        Ids { mark: mark.map(|&(number, id)| (number, id, 0)), ids }
    }

    /// Those of the thread with this number.
    pub fn of_thread(&self, thread: usize) -> Vec<(u32, u32)> {
        let mut ids = self.ids.clone();
        if let Some((mark, _, first)) = self.mark {
            let own = ids.iter_mut().filter(|(number, _)| *number == mark);
            own.for_each(|(_, id)| *id = first + thread as u32);
        }
        ids
    }
}

/// Defines who records what, where the classes are defined.
pub fn define(
    archive: &mut ArchiveWriter,
    surveys: &[Survey],
    (classes, ids): (&Classes, &[Ids]),
) -> Result<(), Error> {
    for (survey, ids) in surveys.iter().zip(ids) {
        for thread in 0..survey.locations {
            let recorder = location_ref(survey.rank(), thread);
            if let Some((_, class, first)) = ids.mark {
                archive.define(MetricInstance {
                    id: MetricRef(first + thread as u32),
                    metric_class: MetricRef(class),
                    recorder,
                    metric_scope: enums::MetricScope::LOCATION_GROUP,
                    scope: u64::from(survey.rank()),
                })?;
            }
            for (_, id) in ids.ids.iter().filter(|(_, id)| classes.is_counted(*id)) {
                archive.define(MetricClassRecorder { metric: MetricRef(*id), recorder })?;
            }
        }
    }
    Ok(())
}
