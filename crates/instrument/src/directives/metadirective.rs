//! What a `metadirective` becomes on the host, where its text says so: conditions that are
//! constants, and devices that are the host or are not. Compilers know more (their vendor, their
//! target), so whatever is left open, or applies beside another one, is not decided here.

use crate::directive::{Clause, Directive, Piece};

/// The pieces of the directive that a metadirective becomes on the host; `None` if the text does
/// not say it, or it is none.
pub(crate) fn variant(source: &[u8], directive: &Directive) -> Option<Vec<Piece>> {
    let [word] = directive.words.as_slice() else { return None };
    if word.text != "metadirective" {
        return None;
    }
    chosen(source, directive, false)
}

/// What is chosen by the clauses of a metadirective, in Fortran or in C.
pub(crate) fn chosen(source: &[u8], directive: &Directive, fortran: bool) -> Option<Vec<Piece>> {
    let (mut chosen, mut otherwise) = (None, None);
    for clause in &directive.clauses {
        match (&*clause.name, holds(source, clause, fortran)) {
            ("when", Some(true)) if chosen.is_none() => chosen = Some(clause),
            ("when", Some(false)) => {}
            ("default" | "otherwise", _) if otherwise.is_none() => otherwise = Some(clause),
            _ => return None,
        }
    }
    chosen.or(otherwise).map(|clause| directive.list(clause).to_vec())
}

/// Whether this is a metadirective of which the text does not say what it becomes.
pub(crate) fn is_undecided(source: &[u8], directive: &Directive) -> bool {
    let words = directive.words.iter();
    let named = words.skip_while(|word| word.text == "begin").map(|word| &*word.text);
    named.eq(["metadirective"]) && variant(source, directive).is_none()
}

/// Whether the context selector of a clause holds on the host.
fn holds(source: &[u8], clause: &Clause, fortran: bool) -> Option<bool> {
    let selector = clause.modifier_text(source);
    let mut all = Some(true);
    for set in sets(&selector) {
        match trait_holds(set, fortran) {
            Some(false) => return Some(false),
            Some(true) => {}
            None => all = None,
        }
    }
    all.filter(|_| !selector.is_empty())
}

/// The parts of a list that stand between its outer commas.
fn sets(selector: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    selector.split(move |character| {
        match character {
            '{' | '(' => depth += 1,
            '}' | ')' => depth -= 1,
            _ => {}
        }
        character == ',' && depth == 0
    })
}

/// Whether one trait holds, such as `device={kind(host)}`.
fn trait_holds(set: &str, fortran: bool) -> Option<bool> {
    let (name, traits) = set.split_once("={")?;
    let (kind, value) = traits.strip_suffix(")}")?.split_once('(')?;
    match (name, kind, value.trim_matches('"')) {
        ("user", "condition", value) => constant(value, fortran),
        ("device", "kind", "host" | "any" | "cpu") => Some(true),
        ("device", "kind", "nohost" | "gpu" | "fpga") => Some(false),
        ("device", "arch", "nvptx" | "nvptx64" | "amdgcn" | "amdgpu" | "gcn") => Some(false),
        _ => None,
    }
}

/// The value of a condition that is a literal. (In Fortran, `true` is the name of a variable.)
fn constant(value: &str, fortran: bool) -> Option<bool> {
    match (value, fortran) {
        ("1" | "true", false) | (".true.", true) => Some(true),
        ("0" | "false", false) | (".false.", true) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::pieces_of;

    fn check(text: &str, expected: Option<&str>) {
        let directive = Directive::parse(text.as_bytes(), pieces_of(text.as_bytes()), false);
        let variant = variant(text.as_bytes(), &directive);
        let words = variant.map(|pieces| {
            let words: Vec<_> = pieces.iter().map(|piece| &text[piece.span()]).collect();
            words.join(" ")
        });
        assert_eq!(words.as_deref(), expected, "{text}");
    }

    #[test]
    fn what_the_text_decides() {
        let host = Some("parallel for");
        check("metadirective when(user = {condition(1)} : parallel for)", host);
        check("metadirective when(user={condition(0)}: single) default(parallel for)", host);
        check(
            "metadirective when(device={arch(\"nvptx\")}: teams loop), otherwise(parallel for)",
            host,
        );
        check(
            "metadirective when(device={kind(gpu)}, user={condition(n > 1)}: target) \
             when(device={kind(host)}: parallel for) default(single)",
            host,
        );
        check("metadirective when(device={kind(nohost)}: target)", None);
        check("metadirective when(user={condition(1)}:) default(single)", Some(""));
    }

    #[test]
    fn constants_of_each_language() {
        for (condition, in_c, in_fortran) in
            [("1", true, false), ("true", true, false), (".TRUE.", false, true)]
        {
            let text = format!("metadirective when(user={{condition({condition})}}: barrier)");
            let directive = Directive::parse(text.as_bytes(), pieces_of(text.as_bytes()), false);
            let is_chosen = |fortran| chosen(text.as_bytes(), &directive, fortran).is_some();
            assert_eq!([is_chosen(false), is_chosen(true)], [in_c, in_fortran], "{text}");
        }
    }

    #[test]
    fn what_only_compilers_know() {
        for text in [
            "metadirective when(user={condition(n)}: parallel) default(single)",
            "metadirective when(user={condition(score(2): 1)}: parallel) default(single)",
            "metadirective when(implementation={vendor(gnu)}: parallel) default(single)",
            "metadirective when(device={kind(host), arch(x86_64)}: parallel) default(single)",
            "metadirective when(construct={parallel}: for) default(single)",
            "metadirective when(user={condition(1)}: for) when(device={kind(any)}: single)",
            "metadirective when(parallel) default(single)",
            "begin metadirective when(user={condition(1)}: parallel)",
            "parallel for",
        ] {
            check(text, None);
        }
    }
}
