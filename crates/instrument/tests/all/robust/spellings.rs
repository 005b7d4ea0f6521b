//! Every program of the corpus in every way that an editor may have written it. What it consists of
//! stays the same, and `undo` gives back this very spelling.

use super::corpus;
use super::property;

/// Another way to write a text: from the text and whether it is fixed form.
type Spelling = fn(&[u8], bool) -> Vec<u8>;

const SPELLINGS: [(&str, Spelling); 5] = [
    ("CRLF", |text, _| each_line(text, |line| [line, b"\r"].concat())),
    ("tabs", |text, fixed| each_line(text, |line| with_tab(line, fixed))),
    ("no final newline", |text, _| text.trim_ascii_end().to_vec()),
    ("Latin-1 in comments", |text, _| each_line(text, with_comment)),
    ("all of them", |text, fixed| {
        let line = |line: &[u8]| [&with_comment(&with_tab(line, fixed)), &b"\r"[..]].concat();
        each_line(text, line).trim_ascii_end().to_vec()
    }),
];

#[test]
fn every_spelling_comes_back_and_means_the_same() {
    for (index, program) in corpus::programs().iter().enumerate() {
        let fixed = program.name.ends_with(".f");
        let options = property::options(program.name);
        let regions = |text: &[u8]| property::check(text, &options).map(|outcome| outcome.regions);
        let expected = regions(&program.text);
        // All at once, and one alone: to try each of them on each program takes too long.
        let (all, single) = SPELLINGS.split_last().unwrap();
        for (name, spelling) in [all, &single[index % single.len()]] {
            let text = spelling(&program.text, fixed);
            let place = format!("{} as {}, {name}", program.path.display(), program.name);
            assert_eq!(regions(&text), expected, "{place}");
        }
    }
}

fn each_line(text: &[u8], change: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let lines: Vec<_> = text.split(|&byte| byte == b'\n').collect();
    let (last, lines) = lines.split_last().unwrap();
    let mut output: Vec<u8> =
        lines.iter().flat_map(|line| [change(line), b"\n".to_vec()].concat()).collect();
    output.extend_from_slice(last);
    output
}

/// The line with tabs for the blanks it begins with; in fixed form, one tab for the first six.
fn with_tab(line: &[u8], fixed: bool) -> Vec<u8> {
    let width = if fixed { 6 } else { 2 };
    let blanks = line.iter().take_while(|&&byte| byte == b' ').count();
    let tabs = if fixed { (blanks / width).min(1) } else { blanks / width };
    // Behind a tab, a digit would continue the line before.
    let digit = fixed && line.get(tabs * width).is_some_and(u8::is_ascii_digit);
    let tabs = if digit { 0 } else { tabs };
    [b"\t".repeat(tabs).as_slice(), &line[tabs * width..]].concat()
}

/// The line, with bytes behind its last comment that are no UTF-8.
fn with_comment(line: &[u8]) -> Vec<u8> {
    let comments: [&[u8]; 2] = [b"// ", b" ! "];
    let has = comments.iter().any(|mark| line.windows(mark.len()).any(|window| window == *mark));
    let line = line.to_vec();
    if has && !line.ends_with(b"\\") && !line.contains(&b'"') && !line.contains(&b'\'') {
        [&line, &b" caf\xe9 \xff\xfe"[..]].concat()
    } else {
        line
    }
}
