//! What tells the built-in integers of C++ from everything else: overloaded functions in the
//! prelude. A template takes what they do not, an iterator for example.

use super::emit::Needs;
use std::fmt::Write;

/// The integers of all versions of C++.
const INTEGERS: &[&str] = &[
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
];

/// Those that C++98 has only as an extension, which some build with -pedantic-errors.
const WIDE: &[&str] = &["long long", "unsigned long long"];

/// Writes the functions: the value of an integer and, for loops whose iterations have events, the
/// step of a loop that counts with one; for loops whose iterations are counted, the size of what
/// `kind` and `raw` return says whether something is an integer or a pointer.
pub(super) fn declarations(text: &mut String, prefix: &str, needs: Needs) {
    let _ = writeln!(text, "template<class T>inline long {prefix}index(const T&){{return 0;}}");
    if needs.counters {
        let parameters = "(const T&,const S&)";
        let _ = writeln!(
            text,
            "template<class T,class S>inline long {prefix}step{parameters}{{return 0;}}"
        );
    }
    if needs.counts {
        let _ = writeln!(
            text,
            "char(&{prefix}raw(...))[2];\
             template<class T>char(&{prefix}raw(const T&))[2];\
             template<class T>char {prefix}raw(T*const&);\
             template<class T,unsigned long N>char {prefix}raw(T(&)[N]);\n\
             char(&{prefix}kind(...))[2];template<class T>char(&{prefix}kind(const T&))[2];"
        );
    }
    INTEGERS.iter().for_each(|integer| overloads(text, prefix, needs, integer));
    let (open, close) = match needs.wide {
        Some(false) => return,
        Some(true) => ("", ""),
        None => ("#if __cplusplus>=201103L\n", "#endif\n"),
    };
    text.push_str(open);
    WIDE.iter().for_each(|integer| overloads(text, prefix, needs, integer));
    text.push_str(close);
}

/// The functions for one type.
fn overloads(text: &mut String, prefix: &str, needs: Needs, integer: &str) {
    let value = if integer == "long" { "i" } else { "static_cast<long>(i)" };
    let _ = writeln!(text, "inline long {prefix}index({integer} i){{return {value};}}");
    if needs.counters {
        let step = format!("{prefix}step({integer},const S&s)");
        let _ = writeln!(text, "template<class S>inline long {step}{{return {prefix}index(s);}}");
    }
    if needs.counts {
        let _ = writeln!(text, "char {prefix}kind({integer});");
    }
}
