//! POMP2, the interface of OPARI2: which constructs it knows, the context string that stands for a
//! descriptor, and the names of the functions by which a program's handles are initialised.
//!
//! To add a clause to the string: a line in [`key`].

use std::fmt::Write;

use crate::Region;
use crate::directives::{Level, Trait};
use crate::hash::hash_of;

/// Whether POMP2 has events for a construct. The others pass through.
pub fn knows(level: Level) -> bool {
    level.row().has(Trait::Pomp2)
}

/// Why a construct has no events.
pub const UNKNOWN: &str = "POMP2 has no routines for it";

/// A context string: `LEN*key=value*key=value**`, LEN being the number of bytes behind its digits.
pub fn context(region: &Region, path: &str) -> String {
    let file = region.file.as_deref().unwrap_or(path).replace('*', "@");
    let mut text = format!("*regionType={}*sscl={file}", region_type(&region.name));
    let (begin, end) = (region.begin, region.end);
    let _ = write!(text, ":{}:{}*escl={file}:{}:{}*", begin.0, begin.1, end.0, end.1);
    if region.sections > 0 {
        let _ = write!(text, "numSections={}*", region.sections);
    }
    if !region.sub_name.is_empty() {
        let key = if region.name == "region" { "userRegionName" } else { "criticalName" };
        let _ = write!(text, "{key}={}*", region.sub_name.replace('*', "@"));
    }
    for clause in region.clauses.split(' ') {
        let (name, argument) = match clause.split_once('(') {
            Some((name, argument)) => (name, argument.strip_suffix(')').unwrap_or(argument)),
            None => (clause, ""),
        };
        text.extend(key(name, argument));
    }
    text.push('*');
    format!("{}{text}", text.len())
}

/// OPARI2's word for a construct; a combined one that it does not know is its parallel region.
fn region_type(name: &str) -> String {
    let mut words = name.split(' ').filter(|word| *word != "simd");
    match (words.next().unwrap_or(""), words.next()) {
        ("parallel", Some(inner @ ("for" | "do" | "sections" | "workshare"))) => {
            format!("parallel{inner}")
        }
        ("region", _) => "userRegion".to_owned(),
        (word, _) => word.to_owned(),
    }
}

/// The pair that says that a clause is there.
fn key(name: &str, argument: &str) -> Option<String> {
    let key = match name {
        "if" => "hasIf",
        "num_threads" => "hasNum_threads",
        "reduction" => "hasReduction",
        "collapse" => "hasCollapse",
        "ordered" => "hasOrdered",
        "nowait" => "hasNowait",
        "untied" => "hasUntied",
        "copyprivate" => "hasCopyprivate",
        "schedule" => return Some(schedule(argument)),
        _ => return None,
    };
    Some(format!("{key}=1*"))
}

/// Kind and chunk size without modifiers; a `*` would end the value.
fn schedule(argument: &str) -> String {
    let kind = argument.rsplit_once(':').map_or(argument, |(_, kind)| kind);
    format!("hasSchedule={}*", kind.to_ascii_lowercase().replace('*', "@"))
}

/// The function that initialises handles, for OpenMP or for user regions, and their numbers.
pub struct Init {
    /// Its name: `POMP2_Init_reg_<what tells the text from others>_<how many>`.
    pub name: String,
    /// The function that it calls for each.
    pub assign: &'static str,
    /// Numbers of the regions.
    pub regions: Vec<usize>,
}

/// The functions that a text with these regions needs. OPARI2's link step finds them by their
/// names, so each program must have each name once: `salt` tells compilations of one text apart.
pub fn inits(source: &[u8], path: &str, salt: &str, regions: &[Region]) -> Vec<Init> {
    let [path, salt] = [path, salt].map(|text| hash_of(text.as_bytes()));
    let hash = hash_of(source) ^ path.rotate_left(1) ^ salt.rotate_left(2);
    let init = |user: bool, prefix: &str, assign| {
        let of = |(index, region): (usize, &Region)| {
            ((region.name == "region") == user).then_some(index + 1)
        };
        let numbers: Vec<usize> = regions.iter().enumerate().filter_map(of).collect();
        let name = format!("{prefix}Init_reg_{hash:016x}_{}", numbers.len());
        Init { name, assign, regions: numbers }
    };
    let all = [
        init(false, "POMP2_", "POMP2_Assign_handle"),
        init(true, "POMP2_USER_", "POMP2_USER_Assign_handle"),
    ];
    all.into_iter().filter(|init| !init.regions.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(name: &str, clauses: &str, change: impl FnOnce(&mut Region), expected: Expect) {
        let mut region = Region::new(name, (4, 5), (8, 8));
        region.clauses = clauses.to_owned();
        change(&mut region);
        expected.assert_eq(&context(&region, "dir/a.c"));
    }

    #[test]
    fn context_strings_are_those_of_opari2() {
        check(
            "parallel for simd",
            "if(argc>0) num_threads(f(1,2)) schedule(monotonic:Dynamic,2*2) nowait",
            |_| {},
            expect![
                "120*regionType=parallelfor*sscl=dir/a.c:4:5*escl=dir/a.c:8:8*hasIf=1*hasNum_threads=1*hasSchedule=dynamic,2@2*hasNowait=1**"
            ],
        );
        check(
            "sections",
            "",
            |region| region.sections = 3,
            expect!["70*regionType=sections*sscl=dir/a.c:4:5*escl=dir/a.c:8:8*numSections=3**"],
        );
        check(
            "critical",
            "",
            |region| region.sub_name = "lock".to_owned(),
            expect!["74*regionType=critical*sscl=dir/a.c:4:5*escl=dir/a.c:8:8*criticalName=lock**"],
        );
        check(
            "region",
            "function",
            |region| region.sub_name = "main".to_owned(),
            expect![
                "78*regionType=userRegion*sscl=dir/a.c:4:5*escl=dir/a.c:8:8*userRegionName=main**"
            ],
        );
        check(
            "parallel master",
            "",
            |region| region.file = Some("b*.c".to_owned()),
            expect!["50*regionType=parallel*sscl=b@.c:4:5*escl=b@.c:8:8**"],
        );
    }

    #[test]
    fn names_of_initialisation_tell_texts_apart() {
        let regions = [Region::new("for", (1, 1), (2, 2)), Region::new("region", (3, 3), (4, 4))];
        let names = |text: &[u8], salt: &str| {
            let inits = inits(text, "a.c", salt, &regions);
            inits.iter().map(|init| (init.name.clone(), init.regions.clone())).collect::<Vec<_>>()
        };
        let first = names(b"text", "");
        assert!(first[0].0.starts_with("POMP2_Init_reg_") && first[0].0.ends_with("_1"));
        assert!(first[1].0.starts_with("POMP2_USER_Init_reg_"));
        assert_eq!((&first[0].1, &first[1].1), (&vec![1], &vec![2]));
        assert_eq!(first, names(b"text", ""));
        assert_ne!(first, names(b"other", ""));
        assert_ne!(first, names(b"text", "-DSINGLE"));
    }
}
