//! Which functions and user regions are recorded: a filter file, asked at the first visit.
//!
//! What it leaves out is noted in the descriptor in place of a region (see
//! [`crate::descriptor::Handle::define`]), so a region that is recorded costs nothing more, and one
//! that is not, only the way to that note. Constructs of OpenMP are never filtered: teams, tasks
//! and barrier arrivals stay whole.

use std::path::PathBuf;

use pompeii_live::RegionKind;
use pompeii_live::filter::{Filter, Naming};

use crate::definitions::RegionText;
use pompeii_live::quoted;

use crate::folder::{self, Started};

/// A filter, and the folder that relative paths of sources are looked for in.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    rules: Filter,
    folder: PathBuf,
}

impl Selection {
    /// The filter file that the environment names. One that cannot be used is told and left:
    /// `pompeii run` refuses it before the start, a measured process never does.
    pub fn of_environment(started: &Started) -> Self {
        let names = ["POMPEII_FILTER", "SCOREP_FILTERING_FILE"];
        let Some(path) = folder::path(&names) else {
            return Self::default();
        };
        let text = std::fs::read(started.absolute(&path)).map_err(|error| error.to_string());
        let rules = text.and_then(|text| {
            Filter::parse(&String::from_utf8_lossy(&text)).map_err(|error| error.to_string())
        });
        match rules {
            Ok(rules) => Self::new(rules, started.folder()),
            Err(error) => {
                started.say(&format!(
                    "warning: measuring without the filter {}: {error}",
                    quoted(&path)
                ));
                Self::default()
            }
        }
    }

    /// A filter for a program that runs in `folder`.
    pub fn new(rules: Filter, folder: impl Into<PathBuf>) -> Self {
        Self { rules, folder: folder.into() }
    }

    /// Whether the region is recorded.
    pub fn wants(&self, region: &RegionText) -> bool {
        let naming = match region.kind {
            RegionKind::Function => Naming::of_path(&region.file),
            // The name of a user region is what the user has made of it, in every language.
            RegionKind::User => Naming::C,
            _ => return true,
        };
        self.rules.wants_file(&region.file, Some(&self.folder))
            && self.rules.wants_function(&region.name, naming)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructs_are_never_filtered() {
        let all = "SCOREP_FILE_NAMES_BEGIN EXCLUDE *\nSCOREP_FILE_NAMES_END\n\
                   SCOREP_REGION_NAMES_BEGIN EXCLUDE *\nSCOREP_REGION_NAMES_END";
        let selection = Selection::new(Filter::parse(all).unwrap(), "/home");
        let wanted: Vec<_> = RegionKind::ALL
            .iter()
            .filter(|kind| !selection.wants(&RegionText::without_source(**kind, "x")))
            .collect();
        assert_eq!(wanted, [&RegionKind::User, &RegionKind::Function]);
    }

    #[test]
    fn relative_sources_are_in_the_working_folder() {
        let rules = "SCOREP_FILE_NAMES_BEGIN EXCLUDE /home/me/*.c\nSCOREP_FILE_NAMES_END";
        let selection = Selection::new(Filter::parse(rules).unwrap(), "/home/me");
        let region = |file: &str| RegionText {
            file: file.to_owned(),
            ..RegionText::without_source(RegionKind::Function, "f")
        };
        assert!(!selection.wants(&region("a.c")) && selection.wants(&region("/usr/a.c")));
    }
}
