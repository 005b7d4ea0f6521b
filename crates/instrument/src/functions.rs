//! User functions: which of them are measured, and what their regions are called. Where their
//! bodies begin and end is the business of the fronts.

use crate::region::FUNCTION;
use crate::{Language, Options, Region};
use pompeii_filter::{Filter, Naming};
use std::path::PathBuf;

/// Asks for events of user functions; see [`Options::functions`].
#[derive(Debug, Clone, Default)]
pub struct Functions {
    /// Which of them.
    pub filter: Filter,
    /// The folder that relative paths are in, for file patterns that name absolute ones.
    pub folder: Option<PathBuf>,
}

/// A function as its source shows it.
#[derive(Debug, Clone)]
pub(crate) struct Named<'a> {
    /// What reports show: `ns::Class::method`, `module::procedure`.
    pub(crate) name: &'a str,
    /// First and last line.
    pub(crate) lines: (u32, u32),
    /// The file, if it is not the one of the options.
    pub(crate) file: Option<String>,
}

/// The region of a function; `None` if it gets no events.
pub(crate) fn region(options: &Options, function: Named) -> Option<Region> {
    let wanted = options.functions.as_ref()?;
    // A library of POMP functions that is part of the program would measure itself for ever.
    if function.name.to_ascii_lowercase().starts_with("pomp_") {
        return None;
    }
    let path = function.file.as_deref().unwrap_or(&options.path);
    let naming = match options.language {
        Language::C => Naming::C,
        Language::Cxx => Naming::Cxx,
        Language::FortranFree | Language::FortranFixed => Naming::Fortran,
    };
    if !wanted.filter.wants_file(path, wanted.folder.as_deref())
        || !wanted.filter.wants_function(function.name, naming)
    {
        return None;
    }
    let (first, last) = function.lines;
    let mut region = Region::new("region", (first, first), (last, last));
    region.sub_name = function.name.to_owned();
    region.file = function.file;
    region.add_clause(FUNCTION);
    Some(region)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(path: &str, language: Language, filter: &str, name: &str) -> bool {
        let mut options = Options::new(path, language);
        let rules = format!("SCOREP_REGION_NAMES_BEGIN {filter}\nSCOREP_REGION_NAMES_END");
        let filter = Filter::parse(&rules).unwrap();
        options.functions = Some(Functions { filter, folder: None });
        region(&options, Named { name, lines: (1, 2), file: None }).is_some()
    }

    #[test]
    fn names_are_those_of_the_language() {
        let fortran = |filter| wanted("m.f90", Language::FortranFree, filter, "m::s");
        assert!(!fortran("EXCLUDE s") && !fortran("EXCLUDE MANGLED __m_MOD_s"));
        assert!(wanted("m.cpp", Language::Cxx, "EXCLUDE s", "m::s"));
        assert!(!wanted("m.c", Language::C, "INCLUDE *", "POMP_Begin"));
    }
}
