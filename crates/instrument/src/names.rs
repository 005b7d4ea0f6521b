//! Names in directives: the words of a construct and the names of clauses. The usual ones are
//! constants, so that a directive costs no allocation per word; any other name is one of its own.

use std::borrow::Cow;
use std::ops::Range;

/// A name as it is compared with others.
pub type Name = Cow<'static, str>;

/// The usual names in alphabetical order: a name comes in front of those that it begins.
const USUAL: &[&str] = &[
    "absent",
    "acq_rel",
    "acquire",
    "adjust_args",
    "affinity",
    "align",
    "aligned",
    "allocate",
    "allocator",
    "allocators",
    "altend",
    "append_args",
    "apply",
    "assume",
    "assumes",
    "at",
    "atomic",
    "atomic_default_mem_order",
    "barrier",
    "begin",
    "bind",
    "cancel",
    "cancellation",
    "cancellation_point",
    "capture",
    "collapse",
    "combiner",
    "compare",
    "contains",
    "copyin",
    "copyprivate",
    "counts",
    "critical",
    "data",
    "declare",
    "declare_induction",
    "declare_mapper",
    "declare_reduction",
    "declare_simd",
    "declare_target",
    "declare_variant",
    "default",
    "depend",
    "depobj",
    "destroy",
    "detach",
    "device",
    "device_safesync",
    "device_type",
    "dispatch",
    "dist_schedule",
    "distribute",
    "do",
    "doacross",
    "dynamic_allocators",
    "end",
    "enter",
    "error",
    "exclusive",
    "exit",
    "extensions",
    "fail",
    "filter",
    "final",
    "finalize",
    "firstprivate",
    "flush",
    "for",
    "from",
    "full",
    "fuse",
    "grainsize",
    "graph_id",
    "graph_reset",
    "groupprivate",
    "has_device_ptr",
    "hint",
    "holds",
    "if",
    "in_reduction",
    "inbranch",
    "inclusive",
    "indirect",
    "induction",
    "inductor",
    "init",
    "init_complete",
    "initializer",
    "inout",
    "inst",
    "instrument",
    "interchange",
    "interop",
    "is_device_ptr",
    "lastprivate",
    "linear",
    "link",
    "local",
    "loop",
    "looprange",
    "map",
    "mapper",
    "masked",
    "master",
    "match",
    "memscope",
    "mergeable",
    "message",
    "metadirective",
    "no_openmp",
    "no_openmp_constructs",
    "no_openmp_routines",
    "no_parallelism",
    "nocontext",
    "nogroup",
    "noinstrument",
    "nontemporal",
    "nothing",
    "notinbranch",
    "novariants",
    "nowait",
    "num_tasks",
    "num_teams",
    "num_threads",
    "off",
    "on",
    "order",
    "ordered",
    "otherwise",
    "parallel",
    "partial",
    "permutation",
    "point",
    "priority",
    "private",
    "proc_bind",
    "read",
    "reduction",
    "relaxed",
    "release",
    "replayable",
    "requires",
    "reverse",
    "reverse_offload",
    "safelen",
    "safesync",
    "scan",
    "schedule",
    "scope",
    "section",
    "sections",
    "self_maps",
    "seq_cst",
    "severity",
    "shared",
    "simd",
    "simdlen",
    "single",
    "sizes",
    "split",
    "stripe",
    "target",
    "target_data",
    "target_enter_data",
    "target_exit_data",
    "target_update",
    "task",
    "task_iteration",
    "task_reduction",
    "taskgraph",
    "taskgroup",
    "taskloop",
    "taskwait",
    "taskyield",
    "teams",
    "thread_limit",
    "threadprivate",
    "threads",
    "threadset",
    "tile",
    "to",
    "transparent",
    "unified_address",
    "unified_shared_memory",
    "uniform",
    "unroll",
    "untied",
    "update",
    "use",
    "use_device_addr",
    "use_device_ptr",
    "uses_allocators",
    "variant",
    "weak",
    "when",
    "workdistribute",
    "workshare",
    "write",
];

/// Slots of [`SLOTS`]: few names share one.
const SLOT_COUNT: usize = 512;

/// The places of names in [`USUAL`], from 1, each in the slot of its hash or the next free one.
const SLOTS: [u8; SLOT_COUNT] = {
    let mut slots = [0; SLOT_COUNT];
    let mut at = 0;
    while at < USUAL.len() {
        let mut slot = slot(USUAL[at].as_bytes());
        while slots[slot] != 0 {
            slot = (slot + 1) % SLOT_COUNT;
        }
        at += 1;
        slots[slot] = at as u8;
    }
    slots
};

/// Where the search for a name begins. It is not empty.
const fn slot(name: &[u8]) -> usize {
    let (first, middle, last) = (name[0], name[name.len() / 2], name[name.len() - 1]);
    (first as usize * 37 + middle as usize * 11 + last as usize * 5 + name.len()) % SLOT_COUNT
}

/// Where the words with each first letter begin in a list that is sorted by first letters.
pub(crate) struct Letters([usize; 27]);

impl Letters {
    pub(crate) const fn of(words: &[&str]) -> Self {
        let mut first = [words.len(); 27];
        let mut at = words.len();
        while at > 0 {
            at -= 1;
            first[(words[at].as_bytes()[0] - b'a') as usize] = at;
        }
        // A letter without words begins where the next one does.
        let mut letter = 26;
        while letter > 0 {
            letter -= 1;
            if first[letter] == words.len() {
                first[letter] = first[letter + 1];
            }
        }
        Self(first)
    }

    /// The words that begin with this letter, in any case: their indices.
    pub(crate) fn range(&self, letter: u8) -> Range<usize> {
        match letter.to_ascii_lowercase() {
            letter @ b'a'..=b'z' => {
                let letter = usize::from(letter - b'a');
                self.0[letter]..self.0[letter + 1]
            }
            _ => 0..0,
        }
    }
}

/// A longer text is no usual name.
const LONGEST: usize = 24;

/// The name that a text spells; in lower case if `fold_case`.
pub(crate) fn name(text: &[u8], fold_case: bool) -> Name {
    let mut lower = [0; LONGEST];
    let spelled = match lower.get_mut(..text.len()) {
        Some(lower) if fold_case => {
            lower.copy_from_slice(text);
            lower.make_ascii_lowercase();
            &*lower
        }
        _ => text,
    };
    if let Some(usual) = usual(spelled) {
        return Cow::Borrowed(usual);
    }
    let text = String::from_utf8_lossy(text);
    Cow::Owned(if fold_case { text.to_ascii_lowercase() } else { text.into_owned() })
}

/// Where the names begin that a text consists of, if there are only usual ones in it, the longest
/// ones first. In lower case.
pub(crate) fn cut(text: &[u8]) -> Option<Vec<usize>> {
    // By place, from the end: the length of the name there behind which the rest can be cut.
    let mut lengths = vec![0; text.len() + 1];
    for at in (0..text.len()).rev() {
        let same_letter = USUAL[USUAL_LETTERS.range(text[at])].iter().rev();
        let mut fitting = same_letter.filter(|name| {
            let end = at + name.len();
            text[at..].starts_with(name.as_bytes()) && (end == text.len() || lengths[end] > 0)
        });
        lengths[at] = fitting.next().map_or(0, |name| name.len());
    }
    let next = |&at: &usize| Some(at + lengths[at]).filter(|&next| next < text.len());
    (!text.is_empty() && lengths[0] > 0).then(|| std::iter::successors(Some(0), next).collect())
}

const USUAL_LETTERS: Letters = Letters::of(USUAL);

/// Whether this is one of the names that directives and clauses have.
pub(crate) fn is_usual(name: &Name) -> bool {
    matches!(name, Cow::Borrowed(_))
}

fn usual(text: &[u8]) -> Option<&'static str> {
    let mut slot = if text.is_empty() { return None } else { slot(text) };
    while let Some(at) = usize::from(SLOTS[slot]).checked_sub(1) {
        if USUAL[at].as_bytes() == text {
            return Some(USUAL[at]);
        }
        slot = (slot + 1) % SLOT_COUNT;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_usual_name_is_found() {
        assert!(USUAL.is_sorted());
        for expected in USUAL {
            let found = name(expected.to_ascii_uppercase().as_bytes(), true);
            assert!(matches!(found, Cow::Borrowed(name) if name == *expected), "{expected}");
        }
    }

    #[test]
    fn names_without_blanks_between() {
        let cut = |text: &str| {
            let places = cut(text.as_bytes()).unwrap_or_default();
            let ends = places.iter().skip(1).copied().chain([text.len()]);
            let names: Vec<&str> =
                places.iter().zip(ends).map(|(&at, end)| &text[at..end]).collect();
            names.join(" ")
        };
        assert_eq!(cut("orderedthreadssimd"), "ordered threads simd");
        assert_eq!(cut("taskwaitnowait"), "taskwait nowait");
        assert_eq!(cut("ordereddoacross"), "ordered doacross");
        assert_eq!(cut("endparallelsectionsx"), "");
        assert_eq!(cut(""), "");
    }

    #[test]
    fn other_names_are_kept() {
        for other in ["parallell", "MACRO", "_x", "", "a_name_that_is_longer_than_any_usual_one"] {
            assert_eq!(name(other.as_bytes(), false), other);
            assert_eq!(name(other.as_bytes(), true), other.to_ascii_lowercase());
        }
    }
}
