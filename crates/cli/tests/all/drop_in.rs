//! `pompeii-gcc` in the place of `gcc`: whatever a build asks of a compiler, it gets, and the
//! measurement beside it.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Ended, LOOP, Sandbox};

/// Runs a drop-in compiler with the words of a line.
fn drop_in(sandbox: &Sandbox, line: &str) -> Ended {
    Ended::of(drop_in_command(sandbox, line).output().unwrap())
}

fn drop_in_command(sandbox: &Sandbox, line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = Command::new(env!("CARGO_BIN_EXE_pompeii"));
    command.arg0(words.next().unwrap()).args(words).current_dir(sandbox.path("."));
    command.env("HOME", sandbox.path(".")).env("OMP_NUM_THREADS", "2");
    command
}

/// The same, which must succeed and say nothing.
fn silently(sandbox: &Sandbox, line: &str) -> String {
    let ended = drop_in(sandbox, line);
    assert_eq!((ended.code, ended.messages.as_str()), (Some(0), ""), "{line}");
    ended.output
}

fn has_calls(sandbox: &Sandbox, file: &str) -> bool {
    contains(&fs::read(sandbox.path(file)).unwrap(), "POMP_Parallel_fork")
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// A source in a folder, with a header beside it and a macro that only instrumented code has.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    for folder in ["src", "other", "obj"] {
        fs::create_dir(sandbox.path(folder)).unwrap();
    }
    sandbox.file("src/limit.h", "#define LIMIT 10\n");
    sandbox.file("other/limit.h", "#define LIMIT 20\n");
    sandbox.file(
        "src/main.c",
        "#include <assert.h>\n#include <stdio.h>\n#include \"limit.h\"\n#ifdef OTHER\n\
         int other(void);\n#else\nstatic int other(void) { return 0; }\n#endif\n\
         int main(void) {\n  int sum = 0;\n\
         #pragma omp parallel for reduction(+:sum)\n  for (int i = 0; i < LIMIT; i++) sum += i;\n  \
         assert(sum == 45);\n  printf(\"%s %d\\n\", __FILE__, sum + other());\n  return 0;\n}\n",
    );
    sandbox.file(
        "other/other.c",
        "#include \"limit.h\"\nint other(void) {\n  int sum = 0;\n\
         #pragma omp parallel for reduction(+:sum)\n  for (int i = 0; i < LIMIT; i++) sum += i;\n  \
         return sum;\n}\n",
    );
    sandbox
}

#[test]
fn questions_are_answered_by_the_compiler() {
    let sandbox = Sandbox::new();
    for question in ["--version", "-dumpversion", "-print-prog-name=ld", "-dM -E -x c /dev/null"] {
        let plain = Command::new("gcc").args(question.split(' ')).output().unwrap();
        let output = silently(&sandbox, &format!("pompeii-gcc {question}"));
        assert_eq!(output, String::from_utf8_lossy(&plain.stdout), "{question}");
    }
    let plain = Command::new("gcc").arg("-v").output().unwrap();
    let messages = drop_in(&sandbox, "pompeii-gcc -v").messages;
    let last = |text: &str| text.lines().last().unwrap_or_default().to_owned();
    assert_eq!(last(&messages), last(&String::from_utf8_lossy(&plain.stderr)));
}

#[test]
fn tests_at_configure_time_see_the_compiler_alone() {
    let sandbox = Sandbox::new();
    let folders = ["build/CMakeFiles/CMakeScratch/TryCompile-a", "build/meson-private/tmp1"];
    for folder in folders {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
        sandbox.file(&format!("{folder}/test.c"), LOOP);
    }
    sandbox.file("conftest.c", LOOP);
    silently(&sandbox, "pompeii-gcc -fopenmp conftest.c -o conftest");
    assert!(!has_calls(&sandbox, "conftest"));
    for folder in folders {
        silently(&sandbox, &format!("pompeii-gcc -fopenmp {folder}/test.c -o test"));
        assert!(!has_calls(&sandbox, "test"));
    }
    sandbox.file("loop.c", LOOP);
    let mut switched_off = drop_in_command(&sandbox, "pompeii-gcc -fopenmp loop.c -o loop");
    assert!(switched_off.env("POMPEII_WRAPPER", "off").status().unwrap().success());
    assert!(!has_calls(&sandbox, "loop"));
    silently(&sandbox, "pompeii-gcc -fopenmp loop.c -o loop");
    assert!(has_calls(&sandbox, "loop"));
}

#[test]
fn response_files_are_read() {
    let sandbox = project();
    sandbox.file("outer", "-fopenmp '-DUNUSED=a b' @inner\n");
    sandbox.file("inner", "\"src/main.c\"\t-o main\n");
    silently(&sandbox, "pompeii-gcc @outer -g");
    let ended = sandbox.pompeii("run -q -o exp -- ./main");
    assert_eq!(ended.output, "src/main.c 45\n");
    assert!(sandbox.succeeds("report exp --json").output.contains("@main.c:11"));
}

#[test]
fn standard_input_is_a_source() {
    let sandbox = Sandbox::new();
    for extra in ["", "-save-temps -DLIMIT=1"] {
        let line = format!("pompeii-gcc -fopenmp {extra} -x c - -o loop");
        let mut command = drop_in_command(&sandbox, &line);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(LOOP.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        assert!(has_calls(&sandbox, "loop"));
    }
    assert_eq!(sandbox.pompeii("run -q -o exp -- ./loop").output, "4950\n");
    assert!(sandbox.succeeds("report exp --json").output.contains("@<stdin>:4"));
}

#[test]
fn sources_of_several_folders_include_what_is_beside_them() {
    let sandbox = project();
    let ended = sandbox
        .succeeds("compile --strict -- gcc -fopenmp -DOTHER src/main.c other/other.c -o both");
    ended.says("other/other.c: instrumented 1 of 1 directives");
    assert_eq!(sandbox.pompeii("run -q -o exp -- ./both").output, "src/main.c 235\n");
}

#[test]
fn objects_are_linked_to_an_object() {
    let sandbox = project();
    silently(&sandbox, "pompeii-gcc -fopenmp -r -DOTHER src/main.c other/other.c -o obj/both.o");
    assert!(!contains(&fs::read(sandbox.path("obj/both.o")).unwrap(), ".pompeii-"));
    silently(&sandbox, "pompeii-gcc -fopenmp obj/both.o -o both");
    assert_eq!(sandbox.pompeii("run -q -o exp -- ./both").output, "src/main.c 235\n");
}

/// The static OpenMP library in such an object has the routines that libpomp stands in for.
#[test]
fn an_object_with_the_openmp_library_of_fortran_is_linked() {
    let sandbox = project();
    sandbox.file(
        "locks.f90",
        "program locks\n  use omp_lib\n  integer(omp_lock_kind) :: lock\n  integer :: n\n  \
         n = 0\n  call omp_init_lock(lock)\n  !$omp parallel num_threads(2)\n  \
         call omp_set_lock(lock)\n  n = n + 1\n  call omp_unset_lock(lock)\n  \
         !$omp end parallel\n  call omp_destroy_lock(lock)\n  print '(i0)', n\nend program\n",
    );
    silently(&sandbox, "pompeii-gfortran -fopenmp -r locks.f90 -o locks.o");
    silently(&sandbox, "pompeii-gfortran -fopenmp locks.o -o locks");
    assert_eq!(sandbox.pompeii("run -q -o exp -- ./locks").output, "2\n");
}

#[test]
fn a_source_may_include_itself() {
    let sandbox = project();
    for include in ["\"self.c\"", "__FILE__"] {
        sandbox.file(
            "self.c",
            &format!(
                "#ifndef NAME\n#define NAME one\n#include {include}\n#undef NAME\n\
                 #define NAME two\n#include {include}\n\
                 int main(void) {{ return one() + two(); }}\n#else\n\
                 static int NAME(void) {{\n  int sum = 0;\n\
                 #pragma omp parallel for reduction(+:sum)\n  \
                 for (int i = 0; i < 5; i++) sum += i;\n  return sum;\n}}\n#endif\n"
            ),
        );
        let ended = sandbox.succeeds("compile --strict -- gcc -fopenmp self.c -o self");
        ended.says("instrumented 2 of 2 directives after preprocessing");
        assert_eq!(sandbox.pompeii("run -q -o exp --replace -- ./self").code, Some(20));
    }
}

#[test]
fn headers_are_precompiled_and_used() {
    let sandbox = project();
    sandbox.file("all.h", "#include <stdio.h>\n#define LIMIT 10\n");
    silently(&sandbox, "pompeii-gcc -fopenmp -x c-header all.h -o all.h.gch");
    sandbox.file("loop.c", LOOP);
    let line = "pompeii-gcc -fopenmp -Winvalid-pch -Werror -include all.h loop.c -o loop";
    silently(&sandbox, line);
    assert!(has_calls(&sandbox, "loop"));
    silently(&sandbox, "pompeii-gcc -fopenmp all.h");
}

fn dependencies(sandbox: &Sandbox, options: &str, file: &str) -> String {
    let compiler = "pompeii-gcc -fopenmp -c src/main.c -o obj/main.o";
    silently(sandbox, &format!("{compiler} {options}"));
    let text = fs::read_to_string(sandbox.path(file)).unwrap();
    let words = text.split_whitespace().filter(|word| !word.starts_with("/usr") && *word != "\\");
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn dependency_files_are_those_of_the_compiler() {
    let sandbox = project();
    for (options, file, expected) in [
        ("-MD", "obj/main.d", "obj/main.o: src/main.c src/limit.h"),
        ("-MMD -MP", "obj/main.d", "obj/main.o: src/main.c src/limit.h src/limit.h:"),
        ("-MD -MF x.d -MT target", "x.d", "target: src/main.c src/limit.h"),
        ("-MD -MF x.d -MQ $(t)", "x.d", "$$(t): src/main.c src/limit.h"),
        ("-Wp,-MMD,obj/wp.d", "obj/wp.d", "main.o: src/main.c src/limit.h"),
    ] {
        assert_eq!(dependencies(&sandbox, options, file), expected, "{options}");
        let mut command = drop_in_command(&sandbox, "pompeii-gcc -fopenmp -c src/main.c");
        command.args(["-o", "obj/main.o"]).args(options.split(' '));
        let status = command.env("POMPEII_INSTRUMENT", "--preprocess").status().unwrap();
        assert!(status.success());
        let text = fs::read_to_string(sandbox.path(file)).unwrap();
        assert!(text.contains("src/main.c") && text.contains("src/limit.h"), "{text}");
        assert!(text.starts_with(expected.split(' ').next().unwrap()), "{options}: {text}");
    }
    fs::create_dir(sandbox.path("a b")).unwrap();
    fs::copy(sandbox.path("src/main.c"), sandbox.path("a b/$c.c")).unwrap();
    let mut command = drop_in_command(&sandbox, "pompeii-gcc -fopenmp -Isrc -MMD -c");
    assert!(command.args(["a b/$c.c", "-o", "obj/c.o"]).status().unwrap().success());
    let text = fs::read_to_string(sandbox.path("obj/c.d")).unwrap();
    assert!(text.starts_with("obj/c.o: a\\ b/$$c.c src/limit.h"), "{text}");
    assert_eq!(silently(&sandbox, "pompeii-gcc -fopenmp -MM src/main.c").lines().count(), 1);
}

#[test]
fn names_are_the_users_in_everything_that_is_written() {
    let sandbox = project();
    let here = sandbox.path(".").canonicalize().unwrap();
    for compiler in ["pompeii-gcc", "pompeii-clang-19"] {
        if Command::new(&compiler[8..]).arg("--version").output().is_err() {
            continue; // `cargo xtask programs` insists on it
        }
        for options in ["-g", "-g --coverage", "-g -S", "-g -save-temps=obj", "-pipe -O2"] {
            if options.contains("save-temps") && compiler.contains("clang") {
                continue; // clang 19 then warns of checksums in any text with a `#line`
            }
            silently(&sandbox, &format!("{compiler} -fopenmp {options} -c src/main.c -o obj/m.o"));
            for file in fs::read_dir(sandbox.path("obj")).unwrap() {
                let path = file.unwrap().path();
                let (bytes, name) = (fs::read(&path).unwrap(), path.display());
                let is_copy = options.contains("save-temps") && !name.to_string().ends_with(".o");
                assert!(is_copy || !contains(&bytes, ".pompeii-"), "{compiler} {options}: {name}");
                fs::remove_file(&path).unwrap();
            }
        }
        // Where the build maps folders away, ours do not bring them back.
        let line = format!(
            "{compiler} -fopenmp -g -ffile-prefix-map={0}=. -c {0}/src/main.c -o {0}/obj/m.o",
            here.display()
        );
        silently(&sandbox, &line);
        let object = fs::read(sandbox.path("obj/m.o")).unwrap();
        assert!(!contains(&object, &here.display().to_string()), "{compiler}");
        assert!(contains(&object, "./src/main.c"), "{compiler}");
    }
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    let sandbox = project();
    sandbox.file(
        "src/m.f90",
        "subroutine s(a)\n integer :: a(:)\n!$omp parallel\n\
                               !$omp end parallel\n a(size(a)) = 1\nend subroutine\n",
    );
    let commands = [
        "pompeii-gcc -fopenmp -g -DOTHER src/main.c other/other.c -o made",
        "pompeii-gcc -fopenmp -g -c src/main.c -o made",
        "pompeii-gfortran -fopenmp -g -fcheck=all -c src/m.f90 -o made",
    ];
    for line in commands {
        let made: Vec<Vec<u8>> = (0..2)
            .map(|_| {
                silently(&sandbox, line);
                fs::read(sandbox.path("made")).unwrap()
            })
            .collect();
        assert!(made[0] == made[1], "{line}");
        assert!(!contains(&made[0], ".pompeii-"), "{line}");
    }
}

#[test]
fn messages_of_fortran_at_run_time_name_the_users_file() {
    let sandbox = Sandbox::new();
    for name in ["late.f90", "late.F90"] {
        sandbox.file(
            name,
            "program late\n  integer :: a(3), n\n  n = command_argument_count() + 4\n  a(n) = 1\n\
             !$omp parallel\n!$omp end parallel\nend program\n",
        );
        silently(&sandbox, &format!("pompeii-gfortran -fopenmp -fcheck=all {name} -o late"));
        let ended = sandbox.pompeii("run -q -o exp --replace -- ./late");
        ended.says(&format!("At line 4 of file {name}"));
    }
}

#[test]
fn code_for_the_api_is_compiled_with_openmp_only() {
    let sandbox = Sandbox::new();
    let text = "#ifdef _POMP\nint version = _POMP;\n#endif\n";
    sandbox.file("a.c", text);
    let preprocessed = silently(&sandbox, "pompeii-gcc -fopenmp -E a.c");
    assert!(preprocessed.contains("int version = 200110;"), "{preprocessed}");
    assert!(!silently(&sandbox, "pompeii-gcc -E a.c").contains("version"));
    let own = silently(&sandbox, "pompeii-gcc -fopenmp -D_POMP=1 -E a.c");
    assert!(own.contains("int version = 1;"), "{own}");
    silently(&sandbox, "pompeii-gcc -fopenmp -c a.c");
    assert!(contains(&fs::read(sandbox.path("a.o")).unwrap(), "version"));
    sandbox.file("a.F90", "#ifdef _POMP\nsubroutine version\nend subroutine\n#endif\n");
    silently(&sandbox, "pompeii-gfortran -fopenmp -c a.F90");
    assert!(contains(&fs::read(sandbox.path("a.o")).unwrap(), "version"));
}

#[test]
fn settings_are_found_and_overridden() {
    let sandbox = project();
    let command = |variable: &str, line: &str| {
        let mut command = match line.starts_with("pompeii-") {
            true => drop_in_command(&sandbox, line),
            false => sandbox.command(line),
        };
        Ended::of(command.env("POMPEII_INSTRUMENT", variable).output().unwrap())
    };
    let compile = "-fopenmp -MMD -c src/main.c -o obj/main.o";
    sandbox.file("pompeii.toml", "[instrument]\nverbose = true\npomp-disable = [\"region\"]\n");
    command("", &format!("pompeii-gcc {compile}")).says("src/main.c: instrumented");
    let text = fs::read_to_string(sandbox.path("obj/main.d")).unwrap();
    assert!(text.ends_with("/pompeii.toml\n"), "{text}");
    let preprocessed = silently(&sandbox, "pompeii-gcc -fopenmp -E src/main.c");
    assert!(preprocessed.contains("/pompeii.toml\"\n# 1 \"<"), "{preprocessed}");
    // The variable overrides the file, and the command line overrides both.
    assert_eq!(command("--quiet", &format!("pompeii-gcc {compile}")).messages, "");
    command("--quiet", &format!("compile -v -- gcc {compile}")).says("instrumented");
    assert_eq!(command("", &format!("compile --no-config -q -- gcc {compile}")).messages, "");
    for (variable, file, said) in [
        ("--strickt", "", "POMPEII_INSTRUMENT: unexpected argument '--strickt' found"),
        ("--pomp-disable=gras", "", "`gras` cannot be disabled"),
        ("", "[instrument]\nstrickt = true\n", "pompeii.toml: `strickt` in [instrument]"),
        ("", "strict = true\n", "pompeii.toml: `strict` is not known"),
    ] {
        sandbox.file("pompeii.toml", file);
        let ended = command(variable, &format!("pompeii-gcc {compile}"));
        assert_eq!(ended.code, Some(2), "{}", ended.messages);
        ended.says(said);
    }
}

#[test]
fn names_that_are_no_text_are_instrumented() {
    let sandbox = Sandbox::new();
    let name = OsStr::from_bytes(b"loop\xff.c");
    fs::write(sandbox.path(".").join(name), LOOP).unwrap();
    let mut command = drop_in_command(&sandbox, "pompeii-gcc -fopenmp -o loop");
    assert!(command.arg(name).status().unwrap().success());
    assert!(has_calls(&sandbox, "loop"));
}

/// A make that is interrupted leaves nothing, and sees what ended its compiler.
#[test]
fn a_signal_ends_the_compiler_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    sandbox.file("loop.c", LOOP);
    // Says that it runs, and waits for the signal.
    sandbox.file("cc", "#!/bin/sh\necho started\nread line <fifo\n");
    let shell = "chmod +x cc; mkfifo fifo";
    let made = Command::new("sh").args(["-c", shell]).current_dir(sandbox.path(".")).status();
    assert!(made.unwrap().success());
    let mut command = sandbox.command("compile -- ./cc -fopenmp -c loop.c");
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut said = [0; 8];
    child.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
    assert!(sandbox.exists(".pompeii-loop.c"));
    let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert!(!sandbox.exists(".pompeii-loop.c"));
}

#[test]
fn commands_at_the_same_time_do_not_meet() {
    let sandbox = Sandbox::new();
    sandbox.file("loop.c", LOOP);
    let commands = (0..6).map(|number| {
        drop_in_command(&sandbox, &format!("pompeii-gcc -fopenmp loop.c -o loop{number}"))
    });
    let children: Vec<_> = commands.map(|mut command| command.spawn().unwrap()).collect();
    for (number, mut child) in children.into_iter().enumerate() {
        assert!(child.wait().unwrap().success());
        assert!(has_calls(&sandbox, &format!("loop{number}")));
    }
    // All have unpacked the library, and there is one of it.
    let library = sandbox.path(".cache/pompeii/lib");
    assert_eq!(fs::read_dir(&library).unwrap().count(), 1);
    let folder = fs::read_dir(library).unwrap().next().unwrap().unwrap().path();
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let unfinished = names.filter(|name| name.as_encoded_bytes().starts_with(b"."));
    assert_eq!(unfinished.count(), 0);
}

#[test]
fn config_answers_in_words_of_a_command_line() {
    let sandbox = Sandbox::new();
    let ask = |words: &str| sandbox.succeeds(&format!("config {words}")).output;
    let folder = ask("--libdir").trim_end().to_owned();
    let short = |words: &str| ask(words).replace(&folder, "LIBDIR");
    assert_eq!(short("--version"), format!("{}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(short("--cflags"), "-D_POMP=200110 -ILIBDIR\n");
    assert_eq!(
        short("--libs"),
        "-Wl,--dynamic-list=LIBDIR/pomp.list LIBDIR/libpomp.a \
         -Wl,--push-state,--as-needed,-lpthread,-ldl,-lm,--pop-state\n"
    );
    assert_eq!(
        short("--libs --shared"),
        "-Wl,-rpath,LIBDIR -Wl,--push-state,--as-needed,LIBDIR/libpomp.so,--pop-state\n"
    );
    assert!(ask("--fc=gfortran-12").ends_with("pompeii compile -- gfortran-12\n"));
    assert!(Path::new(ask("--cmakedir").trim_end()).join("PompeiiConfig.cmake").is_file());
    assert!(Path::new(ask("--pkgconfigdir").trim_end()).join("pompeii.pc").is_file());
    assert_eq!(sandbox.pompeii("config").code, Some(2));
}

/// A Makefile that says `gcc`, and a compiler that calls it again.
#[test]
fn plain_names_are_drop_in_compilers_for_builds_that_know_no_others() {
    let sandbox = Sandbox::new();
    sandbox.file("loop.c", LOOP);
    sandbox.file("Makefile", "loop: loop.c\n\tcc -fopenmp loop.c -o loop\n");
    fs::create_dir(sandbox.path("tools")).unwrap();
    sandbox.file("tools/cc", "#!/bin/sh\nexec gcc \"$@\"\n");
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(sandbox.path("tools/cc"), executable).unwrap();
    let path = |folders: &[&str]| {
        let folders = folders.iter().map(|folder| sandbox.path(folder));
        let path = std::env::var_os("PATH").unwrap();
        std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap()
    };
    for _ in 0..2 {
        // The second time DIR itself is in PATH: its scripts are not taken for compilers.
        let mut wrappers = sandbox.command("wrappers --plain --dir it's");
        let ended = Ended::of(wrappers.env("PATH", path(&["it's", "tools"])).output().unwrap());
        assert_eq!(ended.code, Some(0), "{}", ended.messages);
        assert!(ended.messages.contains("have the compilers' own names"), "{}", ended.messages);
    }
    let script = fs::read_to_string(sandbox.path("it's/cc")).unwrap();
    assert!(script.contains(&sandbox.path("tools/cc").display().to_string()), "{script}");
    let mut make = Command::new("make");
    make.current_dir(sandbox.path(".")).env("PATH", path(&["it's"])).env("HOME", sandbox.path("."));
    let ended = Ended::of(make.output().unwrap());
    assert_eq!((ended.code, ended.messages.as_str()), (Some(0), ""));
    assert!(has_calls(&sandbox, "loop"));
    assert_eq!(sandbox.pompeii("run -q -o exp -- ./loop").output, "4950\n");
    let report = sandbox.succeeds("report exp").output;
    assert!(report.contains("for main loop.c:4"), "{report}");
}

/// The packages are for systems with version 2.17 of the C library (`cargo xtask dist`). What Rust
/// needs depends on how it was linked; the libraries that are written in C need no later version.
#[test]
fn libraries_in_c_run_on_old_systems() {
    let sandbox = Sandbox::new();
    let folder = sandbox.succeeds("config --libdir").output;
    for library in ["libpompeii-io.so", "libpompeii-threads.so"] {
        let mut readelf = Command::new("readelf");
        readelf.args(["--wide", "--version-info"]).arg(Path::new(folder.trim()).join(library));
        let output = readelf.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let versions = text.split("GLIBC_2.").skip(1).map(|rest| {
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap();
            digits.parse::<u32>().unwrap()
        });
        assert!(versions.max().unwrap() <= 17, "{library}:\n{text}");
    }
}
