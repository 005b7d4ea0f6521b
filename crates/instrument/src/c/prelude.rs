//! The block before the first line: declarations, and one descriptor per region.
//!
//! No header is included, because the user may define `_GNU_SOURCE` and the like before his first
//! one. A descriptor is reached through a function: a function name has no data-sharing attribute,
//! so no clause of the user has to mention it, not even under `default(none)`.

use super::emit::Needs;
use super::{counts, integers};
use crate::decimal::Decimal;
use crate::directives::{ROWS, Row, Trait, routines};
use crate::{Abi, Region};
use std::fmt::Write;
use std::sync::LazyLock;

/// No address. Some build C++ with -Wzero-as-null-pointer-constant -Werror.
pub(super) fn null(cxx: bool) -> &'static str {
    if cxx { "__null" } else { "0" }
}

/// The declarations of all routines. They are the same in each text.
static ROUTINES: LazyLock<String> = LazyLock::new(|| {
    let mut text = String::new();
    for line in routines().chunks(3) {
        for (name, parameters) in line {
            let _ = write!(text, "extern void (POMP_{name})(struct ompregdescr*{parameters});");
        }
        text.push('\n');
    }
    text
});

/// Writes the prelude, which ends with a line end.
pub(super) fn prelude(
    text: &mut String,
    path: &str,
    cxx: bool,
    prefix: &str,
    regions: &[Region],
    needs: Needs,
) {
    text.reserve(DECLARATIONS_LENGTH + regions.len() * (DESCRIPTOR_LENGTH + path.len()));
    declarations(text, cxx, prefix);
    if needs.guards {
        guards(text, prefix);
    }
    if (needs.counters || needs.counts) && cxx {
        integers::declarations(text, prefix, needs);
    }
    if needs.counts {
        counts::declarations(text, cxx, prefix);
    }
    if needs.functions {
        functions(text, cxx, prefix);
        super::functions::declarations(text, Abi::Pomp, prefix, needs);
    }
    if regions.iter().any(|region| region.clauses.is_empty()) {
        extension(text, prefix, &[PLAIN], "");
    }
    let shared = Shared::new(path, cxx, prefix);
    for (index, region) in regions.iter().enumerate() {
        descriptor(text, &shared, index + 1, region);
    }
}

/// What `pomp.h` declares. A library may define its routines as macros (POMP paper, section 3.9),
/// so the names are in parentheses, where no macro with arguments is expanded. The descriptor's
/// type has a tag of ours, and the one of `pomp.h` is only mentioned: the text may include that
/// header as well, or have a type of its own by that name.
fn declarations(text: &mut String, cxx: bool, prefix: &str) {
    // Written without formatting: most files have few regions, and this is most of their text.
    text.extend(["struct ompregdescr;struct ", prefix, "extension{const char*mark,*clauses;};\n"]);
    text.extend(["struct ", prefix, "region{const char*name,*sub_name;int num_sections;"]);
    text.push_str(
        "const char*file_name;int begin_line1,begin_lineN,end_line1,end_lineN;void*data;",
    );
    text.extend(["struct ", prefix, "extension*next;};\n"]);
    text.push_str(if cxx { "extern \"C\" {\n" } else { "" });
    for routine in ["Init", "Finalize", "On", "Off"] {
        text.extend(["extern void (POMP_", routine, ")(void);"]);
    }
    text.push('\n');
    text.push_str(&ROUTINES);
    text.push_str(if cxx { "}\n" } else { "" });
}

/// About as long are the declarations.
const DECLARATIONS_LENGTH: usize = 8192;

/// About as long is a descriptor without its path.
const DESCRIPTOR_LENGTH: usize = 448;

/// Routines that have to run also when a `cancel` leaves the place between them and what opened it,
/// with the parameters after the descriptor: the ends of what runs in a team, and the exits of
/// what a thread may leave at its barrier.
fn cleanups() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let with_id = ["Parallel", "Task", "Taskloop"].map(|stem| (stem, "_end", ",g->id"));
    let ends = ["Section", "Iteration"].map(|stem| (stem, "_end", ""));
    let is_left = |row: &&Row| {
        (row.has(Trait::Barrier) || row.has(Trait::OwnBarrier)) && !row.has(Trait::FortranOnly)
    };
    let exits = ROWS.iter().filter(is_left).map(|row| (row.stem, "_exit", ""));
    with_id.into_iter().chain(ends).chain(exits)
}

/// The type of the variables whose cleanup calls a routine, and the cleanups.
fn guards(text: &mut String, prefix: &str) {
    let _ = writeln!(text, "struct {prefix}guard{{struct ompregdescr*region;long id;}};");
    for (stem, end, id) in cleanups() {
        let head = "static __inline__ __attribute__((unused))void ";
        let _ = write!(text, "{head}{prefix}{stem}{end}(struct {prefix}guard*g)");
        let _ = writeln!(text, "{{POMP_{stem}{end}(g->region{id});}}");
    }
}

/// What the variable of a function is initialised with, and its cleanup.
fn functions(text: &mut String, cxx: bool, prefix: &str) {
    let null = null(cxx);
    let head = "static __inline__ __attribute__((always_inline,unused))";
    let _ = writeln!(
        text,
        "{head}struct ompregdescr*{prefix}enter(struct ompregdescr*d){{POMP_Begin(d,{null});return d;}}\n\
         {head}void {prefix}leave(struct ompregdescr**d){{POMP_End(*d,{null});}}"
    );
    extension(text, prefix, &[OF_FUNCTION], crate::region::FUNCTION);
}

/// One extension serves all regions whose clauses say nothing.
const PLAIN: &str = "x0";

/// And one all functions.
const OF_FUNCTION: &str = "xf";

fn extension(text: &mut String, prefix: &str, name: &[&str], clauses: &str) {
    text.extend(["static struct ", prefix, "extension ", prefix]);
    text.extend(name.iter().copied());
    text.push_str("={\"pompeii 1\",");
    push_literal(text, clauses);
    text.push_str("};\n");
}

/// What all descriptors have: put together once, because a text may have very many regions.
struct Shared<'a> {
    prefix: &'a str,
    /// From the begin up to the number.
    head: String,
    /// The path as a literal, with the commas around it.
    path: String,
    /// From the last line to the name of the extension.
    next: String,
    /// From the end of the descriptor to the number in the name of its function.
    function: String,
    /// From there to the number in the name of the descriptor.
    address: String,
    /// From there to the end.
    end: &'static str,
}

impl<'a> Shared<'a> {
    fn new(path: &str, cxx: bool, prefix: &'a str) -> Self {
        // A cast of C++ style, because some build with -Wold-style-cast -Werror.
        let (cast, end) = match cxx {
            true => ("reinterpret_cast<struct ompregdescr*>(", ");}\n"),
            false => ("(struct ompregdescr*)", ";}\n"),
        };
        let function =
            "};\nstatic __inline__ __attribute__((always_inline,unused))struct ompregdescr*";
        Self {
            prefix,
            head: ["static struct ", prefix, "region ", prefix, "d"].concat(),
            path: [",", &literal(path)].concat(),
            next: [",", null(cxx), ",&", prefix].concat(),
            function: [function, prefix].concat(),
            address: ["(void){return ", cast, "&", prefix, "d"].concat(),
            end,
        }
    }
}

fn descriptor(text: &mut String, shared: &Shared, number: usize, region: &Region) {
    let number = Decimal::new(number as u32);
    let number = number.text();
    let next = match region.clauses.as_str() {
        "" => [PLAIN, ""],
        crate::region::FUNCTION => [OF_FUNCTION, ""],
        clauses => {
            let own = ["x", number];
            extension(text, shared.prefix, &own, clauses);
            own
        }
    };
    // Put together without formatting: a text may have very many regions.
    text.extend([&shared.head, number, "={"]);
    push_literal(text, &region.name);
    text.push(',');
    push_literal(text, &region.sub_name);
    text.extend([",", Decimal::new(region.sections).text()]);
    match &region.file {
        None => text.push_str(&shared.path),
        Some(file) => {
            text.push(',');
            push_literal(text, file);
        }
    }
    for line in [region.begin.0, region.begin.1, region.end.0, region.end.1] {
        text.extend([",", Decimal::new(line).text()]);
    }
    text.extend([&shared.next, next[0], next[1], &shared.function, number, &shared.address]);
    text.extend([number, shared.end]);
}

/// A string literal without trigraphs and line ends.
pub(super) fn literal(text: &str) -> String {
    let mut output = String::with_capacity(text.len() + 2);
    push_literal(&mut output, text);
    output
}

/// The same, written behind a text.
fn push_literal(output: &mut String, text: &str) {
    output.push('"');
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"\"\\?".contains(&byte) || byte == b' ';
    if text.bytes().all(plain) {
        output.push_str(text);
    } else {
        for character in text.chars() {
            match character {
                '"' | '\\' | '?' => output.extend(['\\', character]),
                character if character.is_control() => {
                    let _ = write!(output, "\\{:03o}", u32::from(character));
                }
                character => output.push(character),
            }
        }
    }
    output.push('"');
}
