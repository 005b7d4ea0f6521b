//! The block before the first line: declarations, and one descriptor per region.
//!
//! No header is included, because the user may define `_GNU_SOURCE` and the like before his first
//! one. A descriptor is reached through a function: a function name has no data-sharing attribute,
//! so no clause of the user has to mention it, not even under `default(none)`.

use super::emit::Needs;
use crate::Region;
use std::fmt::Write;

/// Routines and their parameters behind the descriptor.
const ROUTINES: &[(&str, &str)] = &[
    ("Begin", ""),
    ("End", ""),
    ("Parallel_fork", ",long*"),
    ("Parallel_begin", ",long"),
    ("Parallel_end", ",long"),
    ("Parallel_join", ",long"),
    ("For_enter", ""),
    ("For_exit", ""),
    ("Sections_enter", ""),
    ("Sections_exit", ""),
    ("Section_begin", ""),
    ("Section_end", ""),
    ("Single_enter", ""),
    ("Single_begin", ""),
    ("Single_end", ""),
    ("Single_exit", ""),
    ("Master_begin", ""),
    ("Master_end", ""),
    ("Critical_enter", ""),
    ("Critical_begin", ""),
    ("Critical_end", ""),
    ("Critical_exit", ""),
    ("Atomic_enter", ""),
    ("Atomic_exit", ""),
    ("Barrier_enter", ""),
    ("Barrier_exit", ""),
    ("Task_create_begin", ",long*"),
    ("Task_begin", ",long"),
    ("Task_end", ",long"),
    ("Task_create_end", ",long"),
    ("Task_resume", ",long"),
    ("Taskwait_enter", ""),
    ("Taskwait_exit", ""),
];

/// The text of the prelude, ending with a line end.
pub(super) fn prelude(
    path: &str,
    cxx: bool,
    prefix: &str,
    regions: &[Region],
    needs: Needs,
) -> String {
    let mut text = declarations(cxx, prefix);
    if needs.guards {
        guards(&mut text, prefix);
    }
    for (index, region) in regions.iter().enumerate() {
        descriptor(&mut text, path, cxx, prefix, index + 1, region);
    }
    text
}

/// What `pomp.h` declares. The descriptor's type has a tag of ours, and the one of `pomp.h` is only
/// mentioned: the text may include that header as well, or have a type of its own by that name.
fn declarations(cxx: bool, prefix: &str) -> String {
    let mut text = format!(
        "struct ompregdescr;struct {prefix}region{{const char*name,*sub_name;int num_sections;\
         const char*file_name;int begin_line1,begin_lineN,end_line1,end_lineN;void*data;\
         struct ompregdescr*next;}};\n"
    );
    text += if cxx { "extern \"C\" {\n" } else { "" };
    for routine in ["Init", "Finalize", "On", "Off"] {
        let _ = write!(text, "extern void POMP_{routine}(void);");
    }
    text.push('\n');
    for line in ROUTINES.chunks(3) {
        for (name, parameters) in line {
            let _ = write!(text, "extern void POMP_{name}(struct ompregdescr*{parameters});");
        }
        text.push('\n');
    }
    text += if cxx { "}\n" } else { "" };
    text
}

/// Ends that run also when a `cancel` leaves the body.
fn guards(text: &mut String, prefix: &str) {
    let _ = writeln!(text, "struct {prefix}guard{{struct ompregdescr*region;long id;}};");
    for (name, call) in [
        ("parallel", "POMP_Parallel_end(g->region,g->id)"),
        ("task", "POMP_Task_end(g->region,g->id)"),
        ("section", "POMP_Section_end(g->region)"),
    ] {
        let head = "static __inline__ __attribute__((unused))void ";
        let _ = writeln!(text, "{head}{prefix}end_{name}(struct {prefix}guard*g){{{call};}}");
    }
}

fn descriptor(
    text: &mut String,
    path: &str,
    cxx: bool,
    prefix: &str,
    number: usize,
    region: &Region,
) {
    let file = region.file.as_deref().unwrap_or(path);
    // Where `data` is 2, the calls have their second argument. A cast of C++ style, because some
    // build with -Wold-style-cast -Werror.
    let cast = |to: &str, what: &str| match cxx {
        true => format!("reinterpret_cast<{to}>({what})"),
        false => format!("({to}){what}"),
    };
    let data = cast("void*", "2");
    let address = cast("struct ompregdescr*", &format!("&{prefix}d{number}"));
    let _ = writeln!(
        text,
        "static struct {prefix}region {prefix}d{number}={{{},{},{},{},{},{},{},{},{data},0}};\n\
         static __inline__ __attribute__((always_inline,unused))\
         struct ompregdescr*{prefix}{number}(void){{return {address};}}",
        literal(&region.name),
        literal(&region.sub_name),
        region.sections,
        literal(file),
        region.begin.0,
        region.begin.1,
        region.end.0,
        region.end.1,
    );
}

/// A string literal without trigraphs and line ends.
pub(super) fn literal(text: &str) -> String {
    let mut output = "\"".to_owned();
    for character in text.chars() {
        match character {
            '"' | '\\' | '?' => output.extend(['\\', character]),
            character if character.is_control() => {
                let _ = write!(output, "\\{:03o}", u32::from(character));
            }
            character => output.push(character),
        }
    }
    output.push('"');
    output
}
