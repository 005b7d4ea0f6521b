//! Copies of one construct in programs that were not instrumented. A compiler may put the code of
//! a function into several callers, or make a variant of it for a constant argument, and each copy
//! has addresses of its own. The source has one construct, which is therefore one region:
//! constructs of one kind with the same name, function, file and line are equal in all fields from
//! here on, and equal regions become one when the definitions are unified
//! ([`pompeii_model::unify`]).
//!
//! Copies can differ in what their calls show, for example in the size of a loop's chunks if one
//! copy has a constant there. The copy that was visited first decides.

use std::collections::{HashMap, HashSet};

use pompeii_live::Definition;

/// What the copies of a construct have in common.
#[derive(PartialEq, Eq, Hash)]
struct Construct {
    kind: u8,
    name: String,
    /// `in(FUNCTION)`, the first of the clauses.
    function: String,
    file: String,
    line: u32,
}

/// Gives all copies of a construct the clauses of the first one. The constructs must have their
/// places in the source. One without a line stays as it is, because only its address is known.
pub fn join(definitions: &mut [Definition]) {
    let is_construct: HashSet<u32> = definitions.iter().filter_map(construct).collect();
    let mut first: HashMap<Construct, String> = HashMap::new();
    for definition in definitions {
        let Definition::Region { id, kind, begin_line, name, file, clauses, .. } = definition
        else {
            continue;
        };
        if *begin_line == 0 || !is_construct.contains(id) {
            continue;
        }
        let of = Construct {
            kind: *kind as u8,
            name: name.clone(),
            function: clauses.split(' ').next().unwrap_or_default().to_owned(),
            file: file.clone(),
            line: *begin_line,
        };
        let known = first.entry(of).or_insert_with(|| clauses.clone()).clone();
        *clauses = known;
    }
}

/// The region that stands for a construct.
fn construct(definition: &Definition) -> Option<u32> {
    match definition {
        Definition::Construct { region, .. } => Some(*region),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use pompeii_live::RegionKind;

    use super::*;

    /// The clauses of regions with these kinds, lines and clauses after joining. All but the last
    /// one are constructs that are known by an address.
    fn joined(regions: &[(RegionKind, u32, &str)]) -> Vec<String> {
        let region =
            |(id, &(kind, line, clauses)): (usize, &(RegionKind, u32, &str))| Definition::Region {
                id: id as u32,
                kind,
                begin_line: line,
                end_line: line,
                name: format!("!$omp something @a.c:{line}"),
                file: "/src/a.c".into(),
                clauses: clauses.into(),
            };
        let construct = |region: usize| Definition::Construct {
            region: region as u32,
            object: 0,
            address: 64 * region as u64,
            is_function: false,
        };
        let mut all: Vec<Definition> = regions.iter().enumerate().map(region).collect();
        all.extend((0..regions.len() - 1).map(construct));
        join(&mut all);
        let clauses = all.into_iter().filter_map(|definition| match definition {
            Definition::Region { clauses, .. } => Some(clauses),
            _ => None,
        });
        clauses.collect()
    }

    #[test]
    fn copies_have_the_clauses_of_the_first_one() {
        use RegionKind::{Barrier, Loop, Parallel};
        let found = joined(&[
            (Loop, 7, "in(f) schedule(dynamic,4)"),
            (Loop, 7, "in(f) schedule(dynamic,8)"),
            // Another function, kind or line is another construct.
            (Loop, 7, "in(g) schedule(dynamic,8)"),
            (Barrier, 7, "in(f)"),
            (Loop, 8, "in(f) schedule(guided,1)"),
            (Parallel, 9, "in(f) libgomp from(step)"),
            (Parallel, 9, "in(f) libgomp from(start;solve)"),
            // Instrumented: its clauses are those in the source.
            (Loop, 7, "in(f) schedule(static)"),
        ]);
        let expected = [
            "in(f) schedule(dynamic,4)",
            "in(f) schedule(dynamic,4)",
            "in(g) schedule(dynamic,8)",
            "in(f)",
            "in(f) schedule(guided,1)",
            "in(f) libgomp from(step)",
            "in(f) libgomp from(step)",
            "in(f) schedule(static)",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn constructs_without_a_line_stay_apart() {
        use RegionKind::Loop;
        let found = joined(&[
            (Loop, 0, "in(a.out+0x10) schedule(dynamic,4)"),
            (Loop, 0, "in(a.out+0x10) schedule(dynamic,8)"),
            (Loop, 0, ""),
        ]);
        assert_eq!(found[1], "in(a.out+0x10) schedule(dynamic,8)");
    }
}
