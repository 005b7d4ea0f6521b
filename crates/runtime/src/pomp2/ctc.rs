//! OPARI2's context strings: `LEN*key=value*key=value**`, where LEN is the number of bytes behind
//! its digits (Fortran strings have no NUL).
//!
//! The keys are those that OPARI2 2.0 writes; unknown ones are passed over. A new construct needs
//! its words in [`construct`].

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;

use crate::descriptor::{Descriptor, Extension};

/// What a context string says, in the words of our descriptors.
#[derive(Debug, Default, PartialEq)]
struct Context {
    name: String,
    sub_name: String,
    clauses: Vec<String>,
    sections: c_int,
    file: String,
    begin: (c_int, c_int),
    end: (c_int, c_int),
}

/// The bytes of a context string; none where it does not begin with their number.
///
/// # Safety
/// `ctc` must point to a context string, or to one NUL-terminated.
pub unsafe fn text<'a>(ctc: *const c_char) -> &'a [u8] {
    let ctc = ctc.cast::<u8>();
    let (mut digits, mut length) = (0, 0_usize);
    // SAFETY: reads up to the first byte that is no digit, then as many as the digits say.
    unsafe {
        while digits < 9 && (*ctc.add(digits)).is_ascii_digit() {
            length = 10 * length + usize::from(*ctc.add(digits) - b'0');
            digits += 1;
        }
        std::slice::from_raw_parts(ctc.add(digits), length)
    }
}

/// A descriptor with the content of a context string (without its length), which lives as long as
/// the process.
pub fn descriptor(text: &str) -> *mut Descriptor {
    let context = parse(text);
    Box::into_raw(Box::new(Descriptor {
        name: c_string(&context.name),
        sub_name: c_string(&context.sub_name),
        num_sections: context.sections,
        file_name: c_string(&context.file),
        begin_line1: context.begin.0,
        begin_line_n: context.begin.1,
        end_line1: context.end.0,
        end_line_n: context.end.1,
        data: AtomicPtr::new(null_mut()),
        next: Extension::new(c_string(&context.clauses.join(" "))),
    }))
}

fn c_string(text: &str) -> *const c_char {
    let bytes = text.bytes().filter(|&byte| byte != 0).chain([0]).collect::<Vec<u8>>();
    Box::leak(bytes.into_boxed_slice()).as_ptr().cast()
}

fn parse(text: &str) -> Context {
    let mut context = Context::default();
    for (key, value) in text.split('*').filter_map(|pair| pair.split_once('=')) {
        match key {
            "regionType" => construct(value).clone_into(&mut context.name),
            "sscl" => (context.file, context.begin) = place(value),
            "escl" => context.end = place(value).1,
            "criticalName" | "userRegionName" => value.clone_into(&mut context.sub_name),
            "numSections" => context.sections = value.parse().unwrap_or(0),
            // A `*` of the source would end the value: OPARI2 writes `@`.
            "hasSchedule" => context.clauses.push(format!("schedule({})", value.replace('@', "*"))),
            "hasDefault" => context.clauses.push(format!("default({value})")),
            _ => context.clauses.extend(flag(key, value)),
        }
    }
    context
}

/// A clause of which is known only that it is there. Without its argument, `if` says nothing about
/// the task: OPARI2 writes no events where the condition is false.
fn flag(key: &str, value: &str) -> Option<String> {
    let clause = key.strip_prefix("has").filter(|_| value != "0")?;
    Some(clause.to_ascii_lowercase())
}

/// The directive's words.
fn construct(region_type: &str) -> &str {
    match region_type {
        "parallelfor" => "parallel for",
        "paralleldo" => "parallel do",
        "parallelsections" => "parallel sections",
        "parallelworkshare" => "parallel workshare",
        "taskuntied" => "task",
        "userRegion" => "region",
        same => same,
    }
}

/// `FILE:FIRST:LAST`; a file's name may have colons too.
fn place(value: &str) -> (String, (c_int, c_int)) {
    let mut parts = value.rsplitn(3, ':');
    let mut line = || parts.next().and_then(|line| line.parse().ok()).unwrap_or(0);
    let (last, first) = (line(), line());
    (parts.next().unwrap_or("").to_owned(), (first, last))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(string: &str, expected: Expect) {
        let string = format!("{string}\0");
        // SAFETY: NUL-terminated.
        let text = unsafe { text(string.as_ptr().cast()) };
        let Context { name, sub_name, clauses, sections, file, begin, end } =
            parse(std::str::from_utf8(text).unwrap_or("?"));
        let clauses = clauses.join(" ");
        expected
            .assert_eq(&format!("{name}|{sub_name}|{sections}|{file}|{begin:?}|{end:?}|{clauses}"));
    }

    #[test]
    fn context_strings_say_what_descriptors_do() {
        check(
            "84*regionType=parallel*sscl=/tmp/p2/s_sections.c:5:5*escl=/tmp/p2/s_sections.c:14:14**",
            expect!["parallel||0|/tmp/p2/s_sections.c|(5, 5)|(14, 14)|"],
        );
        check(
            "80*regionType=sections*sscl=a:b.c:7:8*escl=a:b.c:13:13*numSections=2*hasNowait=1**    ",
            expect!["sections||2|a:b.c|(7, 8)|(13, 13)|nowait"],
        );
        check(
            "109*regionType=paralleldo*sscl=b.f90:1:2*escl=b.f90:9:9*hasSchedule=dynamic,2@n*hasReduction=1*hasDefault=none**",
            expect![[
                "parallel do||0|b.f90|(1, 2)|(9, 9)|schedule(dynamic,2*n) reduction default(none)"
            ]],
        );
        check(
            "74*regionType=critical*sscl=c.c:1:1*escl=c.c:2:2*criticalName=lock*hasIf=0**",
            expect!["critical|lock|0|c.c|(1, 1)|(2, 2)|"],
        );
    }

    #[test]
    fn damaged_strings_make_an_empty_descriptor() {
        check("", expect!["||0||(0, 0)|(0, 0)|"]);
        check("regionType=for", expect!["||0||(0, 0)|(0, 0)|"]);
        check("16*regionType=for*", expect!["for||0||(0, 0)|(0, 0)|"]);
        check("10*sscl=:x:y", expect!["||0||(0, 0)|(0, 0)|"]);
    }
}
