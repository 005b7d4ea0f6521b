//! Names that nobody types: control characters and bytes that are not UTF-8, in reports, traces,
//! manifests, sources and arguments. No command lets one of them through to standard output or standard
//! error; `dump --raw` and machine formats have them all.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Output;

use crate::common::Sandbox;

/// What is measured; in the experiment it becomes [`EVIL`].
const NAME: &str = "EVILEVILEVILEVILEVILEV";
/// Of the same length: sets the title of the window, rings, ends the line, changes the colour by a C1
/// character and the direction of the text by others, and is not UTF-8.
const EVIL: &[u8] = b"\x1b]0;P\x07\n\r\t\x7f\xc2\x9b31m\xe2\x80\xae\xe2\x81\xa6\xff";

/// An experiment with a trace, in which function, file and program have the name.
fn experiment() -> Sandbox {
    let sandbox = Sandbox::new();
    let text = format!(
        "int {NAME}(int i) {{ return i + 1; }}\nint main(void) {{ int s = 0;\n\
         #pragma omp parallel for reduction(+:s)\n  for (int i = 0; i < 9; i++) s += {NAME}(i);\n\
         #pragma omp critical({NAME})\n  s++;\n  return s == 0; }}\n"
    );
    sandbox.file(&format!("{NAME}.c"), &text);
    let compile = "compile --strict -q --functions -- gcc -fopenmp";
    sandbox.succeeds(&format!("{compile} {NAME}.c -o {NAME}"));
    sandbox.succeeds(&format!("run -q --trace --no-guard -o exp -- ./{NAME}"));
    // Values of JSON have escapes, and bytes that are not UTF-8 cannot stand there.
    let json = r"\u001b]0;P\u0007\n\r\t\u007f\u009b31m\u202e\u2066";
    replace(&sandbox.path("exp/manifest.json"), json.as_bytes());
    for file in ["profile.cubex", "traces.def"] {
        replace(&sandbox.path("exp").join(file), EVIL);
    }
    sandbox
}

fn replace(path: &Path, by: &[u8]) {
    let bytes = fs::read(path).unwrap();
    let mut parts = Vec::new();
    let mut rest = &bytes[..];
    while let Some(at) = rest.windows(NAME.len()).position(|part| part == NAME.as_bytes()) {
        parts.extend_from_slice(&rest[..at]);
        parts.extend_from_slice(by);
        rest = &rest[at + NAME.len()..];
    }
    assert!(!parts.is_empty(), "{}", path.display());
    parts.extend_from_slice(rest);
    fs::write(path, parts).unwrap();
}

/// The text, which has nothing in it that a terminal obeys.
fn checked(words: &str, bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{words}: {error}"));
    let obeyed = |&character: &char| {
        (character.is_control() && character != '\n')
            || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert_eq!(text.chars().find(obeyed), None, "{words}\n{text:?}");
    text.to_owned()
}

/// Standard output of a command, after a look at both channels.
fn output_of(sandbox: &Sandbox, words: &str) -> String {
    let Output { stdout, stderr, .. } = sandbox.command(words).output().unwrap();
    let messages = checked(words, &stderr);
    for line in messages.lines() {
        assert!(line.starts_with("pompeii: ") || line.starts_with(' '), "{words}: {line}");
    }
    checked(words, &stdout)
}

#[test]
fn no_name_of_an_experiment_reaches_the_terminal() {
    let sandbox = experiment();
    for words in [
        "report exp",
        "score exp -r",
        "filter init exp --visits 0 --time 1e9 --share 0",
        "recover exp",
        "html exp -o page.html",
        "dump exp",
        "dump exp -A",
        "dump exp -G -I -M -C -T",
        "cube info exp",
        "cube dump exp",
        "cube dump exp -s csv",
        "cube dump exp -s csv2",
        "cube dump exp -s gnuplot",
        "cube dump exp -s r",
        "cube stat exp",
        "cube stat exp --csv",
        "cube stat exp --call-paths",
        "cube stat exp -t 9",
        "cube stat exp -t 9 --csv",
        "cube calltree exp",
        "cube calltree exp -m time -i --lines",
        "cube sanity exp",
        "cube dump exp -m nosuch",
        "cube stat exp -r nosuch",
    ] {
        let text = output_of(&sandbox, words);
        let names = ["report", "score", "dump exp", "recover", "cube calltree", "cube stat exp -t"];
        if names.iter().any(|name| words.starts_with(name)) && !words.contains("-I") {
            assert!(text.contains(r"\x1b]0;P\x07\n\r\t\x7f\u{9b}31m"), "{words}\n{text}");
        }
    }
}

#[test]
fn a_name_is_chosen_as_it_is_shown() {
    let sandbox = experiment();
    let shown = r"\x1b]0;P\x07\n\r\t\x7f\u{9b}31m\u{202e}\u{2066}*";
    let mut command = sandbox.command("cube stat exp -m time -r");
    let output = command.arg(shown).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(checked("cube stat", &output.stdout).lines().count() > 1);
}

#[test]
fn machine_formats_are_exact() {
    let sandbox = experiment();
    let exact = "\u{1b}]0;P\u{7}\n\r\t\u{7f}\u{9b}31m\u{202e}\u{2066}";
    for words in [
        "report exp --json",
        "score exp --json",
        "recover exp --json",
        "dump exp --json -G",
        "cube dump exp --json",
        "cube stat exp --json",
        "cube calltree exp --json",
    ] {
        let text = output_of(&sandbox, words);
        let mut found = false;
        for value in serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>() {
            found |= has_text(&value.unwrap(), exact);
        }
        assert!(found, "{words}\n{text}");
    }
    let raw = sandbox.command("dump exp -G --raw").output().unwrap().stdout;
    let text = String::from_utf8(raw).unwrap();
    assert!(text.contains(&format!("\"{exact}")), "{text:?}");
}

fn has_text(value: &serde_json::Value, text: &str) -> bool {
    match value {
        serde_json::Value::String(own) => own.contains(text),
        serde_json::Value::Array(values) => values.iter().any(|value| has_text(value, text)),
        serde_json::Value::Object(map) => {
            map.iter().any(|(key, value)| key.contains(text) || has_text(value, text))
        }
        _ => false,
    }
}

#[test]
fn no_argument_reaches_the_terminal_as_it_is() {
    let sandbox = Sandbox::new();
    let name = OsStr::from_bytes(EVIL);
    let text = OsStr::new("\x1b]0;P\x07\npompeii: forged\r\t\u{9b}31m\u{202e}");
    sandbox.file("a.c", "int main(void) { return 0; }\n");
    fs::create_dir(sandbox.path("empty").with_file_name(name)).unwrap();
    for words in [
        "report",
        "score",
        "filter init",
        "html -o page.html",
        "dump",
        "recover",
        "explain",
        "cube info",
        "cube dump",
        "cube diff",
        "instrument",
        "instrument --undo",
        "instrument a.c -o /nosuch",
        "instrument a.c --language",
        "wrappers --dir /proc/nosuch",
        "wrappers --dir",
        "run --filter nosuch -o",
        "run --memory",
        "run --metrics",
        "run --window",
        "run --",
        "config --install /proc/nosuch --cc",
        "dump a.c -L",
        "nosuch",
    ] {
        for argument in [name, text] {
            let output = sandbox.command(words).arg(argument).output().unwrap();
            let messages = checked(words, &output.stderr);
            checked(words, &output.stdout);
            for line in messages.lines() {
                let whole = line.starts_with("pompeii: ") || line.starts_with(' ');
                assert!(whole && !line.starts_with("pompeii: forged"), "{words}: {messages}");
            }
        }
    }
}

#[test]
fn a_source_is_quoted_without_its_control_characters() {
    let sandbox = Sandbox::new();
    let bad = "int main(void) {\n\t#pragma omp parallel \x1b[31m for schedule(\u{202e}static\n}\n";
    sandbox.file("a.c", bad);
    for words in ["instrument a.c", "compile --strict -- gcc -fopenmp -c a.c"] {
        let text = output_of(&sandbox, words);
        assert_eq!(text, "", "{words}");
    }
}
