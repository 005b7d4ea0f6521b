//! Names that are not UTF-8: passed on byte for byte, and measured all the same.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use crate::common::{Ended, LOOP, Sandbox};

/// What no text has.
fn name(text: &str) -> OsString {
    let bytes: Vec<u8> = text.bytes().map(|byte| if byte == b'?' { 0xff } else { byte }).collect();
    OsStr::from_bytes(&bytes).to_owned()
}

fn succeeds(command: &mut Command) -> Ended {
    let ended = Ended::of(command.output().unwrap());
    assert_eq!(ended.code, Some(0), "{command:?}\n{}", ended.messages);
    ended
}

fn compile(sandbox: &Sandbox, words: &str) -> Ended {
    let mut command = sandbox.command("compile --strict -- gcc -fopenmp");
    succeeds(command.args(words.split(' ').map(name)))
}

/// The loop, with a header next to it.
fn with_sources(folder: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("").join(name(folder));
    fs::create_dir_all(&folder).unwrap();
    let text = LOOP.replace("int main", "#include \"own.h\"\nint main");
    let text = text.replace("\"%d\\n\"", "__FILE__ \" %d\\n\"");
    fs::write(folder.join(name("loop?.c")), text).unwrap();
    fs::write(folder.join("own.h"), "enum { OWN = 1 };\n").unwrap();
    sandbox
}

#[test]
fn sources_objects_and_folders_are_the_users() {
    for (folder, option) in [("", "-q"), ("src?/", "-q"), ("src?/", "--preprocess")] {
        let sandbox = with_sources(folder);
        let words = format!("compile --strict {option} -- gcc -fopenmp -MMD -g -c");
        let mut command = sandbox.command(&words);
        succeeds(command.args([&format!("{folder}loop?.c"), "-o", "o?.o"].map(name)));
        let object = fs::read(sandbox.path("").join(name("o?.o"))).unwrap();
        assert!(object.windows(10).any(|window| window == b"POMP_For_e"), "{option}");
        let rules = fs::read(sandbox.path("").join(name("o?.d"))).unwrap();
        let expected = name(&format!("o?.o: {folder}loop?.c {folder}own.h\n"));
        assert_eq!(OsStr::from_bytes(&rules), expected);
        compile(&sandbox, "o?.o -o p?");
        let program = sandbox.path("").join(name("p?"));
        let output = Command::new(program).env("POMPEII_ENABLE", "0").output().unwrap();
        let expected = name(&format!("{folder}loop?.c 4950\n"));
        assert_eq!(OsStr::from_bytes(&output.stdout), expected);
        assert_eq!(output.status.code(), Some(3));
    }
}

#[test]
fn macros_and_response_files_are_the_users() {
    let sandbox = with_sources("inc?");
    fs::write(
        sandbox.path("main.c"),
        "#include <own.h>\n#include <stdio.h>\n#define OMP(x) _Pragma(#x)\nint main(void) {\n  \
         int sum = 0;\nOMP(omp parallel for reduction(+:sum))\n  \
         for (int i = 0; i < 4; i++) sum += OWN;\n  puts(TEXT);\n  return sum;\n}\n",
    )
    .unwrap();
    fs::write(sandbox.path("words"), name("-DTEXT=\\\"a?b\\\" -Iinc? main.c").as_bytes()).unwrap();
    compile(&sandbox, "@words -o main").says("instrumented 1 of 1 directives after preprocessing");
    let output = Command::new(sandbox.path("main")).env("POMPEII_ENABLE", "0").output().unwrap();
    assert_eq!(OsStr::from_bytes(&output.stdout), name("a?b\n"));
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn a_fortran_source_is_the_users() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("").join(name("src?"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("body.inc"), "!$omp parallel\n!$omp end parallel\n").unwrap();
    fs::write(folder.join(name("p?.f90")), "program p\n  include 'body.inc'\nend program\n")
        .unwrap();
    let mut command = sandbox.command("compile --strict -- gfortran -fopenmp -o p");
    let ended = succeeds(command.arg(name("src?/p?.f90")));
    ended.says("instrumented 1 of 1 directives after preprocessing");
    sandbox.succeeds("run -q -o exp -- ./p");
}

#[test]
fn the_home_folder_has_any_name() {
    let sandbox = Sandbox::new();
    sandbox.file("loop.c", LOOP);
    let home = sandbox.path("").join(name("home?"));
    fs::create_dir(&home).unwrap();
    for words in ["loop.c -o loop", "-fPIC -shared loop.c -o loop.so", "-static loop.c -o static"] {
        let words = format!("compile --strict -- gcc -fopenmp {words}");
        succeeds(sandbox.command(&words).env("HOME", &home));
    }
    assert!(home.join(".cache/pompeii/lib").is_dir());
    assert_eq!(sandbox.pompeii("run -q -o exp -- ./loop").output, "4950\n");
    let mut config = sandbox.command("config --libs");
    let output = config.env("HOME", &home).output().unwrap().stdout;
    let folder = home.as_os_str().as_bytes();
    assert!(output.windows(folder.len()).any(|window| window == folder));
}
