//! How a run was observed, in words that follow "observed by": one run can be observed in several
//! ways, for example if an instrumented program loads a library that was not instrumented.

use pompeii_model::{IndexVec, Region, RegionId, Role};

/// All ways in which the regions of a run were observed; empty if it has no regions, for example
/// because a sampled program ended before the first sample. A run without OpenMP and without
/// samples has events of MPI or of the user's regions, and the source or the linker put their calls
/// there.
pub fn observed_by(regions: &IndexVec<RegionId, Region>) -> String {
    let is_any = |of: fn(&Region) -> bool| regions.iter().any(of);
    let ways = [
        (is_any(is_instrumented), "source"),
        (is_any(Region::is_seen_by_libgomp), "calls of libgomp"),
        (is_any(Region::is_seen_by_ompt), "OMPT"),
        (is_any(Region::is_sampled), "sampling"),
    ];
    let named: Vec<&str> = ways.iter().filter(|(is, _)| *is).map(|(_, way)| *way).collect();
    match named.split_last() {
        None if is_any(|region| region.role != Role::Artificial) => "source".to_owned(),
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// Whether a parallel region or a function has calls in its source.
fn is_instrumented(region: &Region) -> bool {
    match region.role {
        Role::Parallel => !region.is_seen_by_libgomp() && !region.is_seen_by_ompt(),
        Role::Function | Role::User => !region.is_sampled(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use pompeii_model::Paradigm;

    use super::*;

    fn check(regions: &[(Role, &str)], expect: &str) {
        let region = |&(role, clauses): &(Role, &str)| Region {
            name: String::new(),
            role,
            paradigm: Paradigm::User,
            file: String::new(),
            begin_line: 0,
            end_line: 0,
            clauses: clauses.into(),
        };
        assert_eq!(observed_by(&regions.iter().map(region).collect()), expect);
    }

    #[test]
    fn all_ways_are_named() {
        check(&[(Role::Artificial, "")], "");
        check(&[(Role::Artificial, ""), (Role::Barrier, "")], "source");
        check(&[(Role::Parallel, "in(f) schedule(static)"), (Role::Barrier, "")], "source");
        check(&[(Role::Parallel, "in(f) libgomp")], "calls of libgomp");
        check(&[(Role::Parallel, "ompt"), (Role::Function, "sampled")], "OMPT and sampling");
        let all = [
            (Role::Parallel, ""),
            (Role::Parallel, "libgomp"),
            (Role::Parallel, "ompt"),
            (Role::Function, "sampled"),
        ];
        check(&all, "source, calls of libgomp, OMPT and sampling");
    }
}
