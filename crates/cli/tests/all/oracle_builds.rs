//! The project of `tests/builds`, built by CMake, autotools and meson as a user would: configured
//! with a drop-in compiler and nothing else, or with the package for CMake. Every source must be
//! measured, and the tests at configure time must see nothing of us.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Sandbox, oracles};

/// Where parallel regions are.
const REGIONS: [&str; 5] = [
    "!$omp parallel @program.c:7",
    "!$omp parallel @inline_sum.h:4",
    "!$omp parallel @shared.cpp:9",
    "!$omp parallel @generated.c:6",
    "!$omp parallel @fields.F90:12",
];
/// How the compilers are named in the environment.
const COMPILERS: &str = "CC=pompeii-gcc CXX=pompeii-g++ FC=pompeii-gfortran";

/// A copy of the project beside an installation of Pompeii.
struct Project {
    sandbox: Sandbox,
}

impl Project {
    fn new(build_system: &str) -> Self {
        let sandbox = Sandbox::new();
        let builds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/builds");
        for folder in ["sources", build_system] {
            for file in fs::read_dir(builds.join(folder)).unwrap() {
                let file = file.unwrap();
                fs::copy(file.path(), sandbox.path(file.file_name().to_str().unwrap())).unwrap();
            }
        }
        sandbox.succeeds("config --install prefix");
        Self { sandbox }
    }

    /// Runs a line of shell that must succeed; its output, with messages.
    fn shell(&self, line: &str) -> String {
        let path = format!(
            "{}:{}",
            self.sandbox.path("prefix/bin").display(),
            std::env::var("PATH").unwrap()
        );
        let mut command = Command::new("sh");
        command.args(["-c", &format!("exec 2>&1; {line}")]).current_dir(self.sandbox.path("."));
        command.env("PATH", path).env("HOME", self.sandbox.path("."));
        command.env("CCACHE_DIR", self.sandbox.path("cache")).env_remove("MAKEFLAGS");
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{line}\n{text}");
        text
    }

    /// Builds; what the compilers say may hold no warning.
    fn build(&self, line: &str) -> String {
        let said = self.shell(line);
        assert!(!said.contains("warning:"), "{said}");
        let left = self.shell("find . -name '.pompeii-*'");
        assert!(left.is_empty(), "{left}");
        said
    }

    fn is_measured(&self, program: &str) {
        let ended = self.sandbox.pompeii(&format!("run -q -o exp -- {program}"));
        assert_eq!(ended.code, Some(0), "{}{}", ended.output, ended.messages);
        assert!(ended.output.ends_with("program.c 225\n"), "{}", ended.output);
        let report = self.sandbox.succeeds("report exp --json").output;
        for region in REGIONS {
            assert!(report.contains(region), "{region}\n{report}");
        }
    }
}

#[test]
fn cmake_with_make() {
    if !oracles() {
        return;
    }
    let project = Project::new("cmake");
    project.shell(&format!("{COMPILERS} cmake -G 'Unix Makefiles' -S . -B build"));
    project.build("cmake --build build -j4");
    project.is_measured("build/program");
    assert!(!project.build("cmake --build build").contains("Building"));
    project.shell("sleep 1; touch inline_sum.h");
    let again = project.build("cmake --build build");
    assert!(again.contains("static.c.o") && !again.contains("program.c.o"), "{again}");
}

#[test]
fn cmake_with_ninja() {
    if !oracles() {
        return;
    }
    let project = Project::new("cmake");
    project.shell(&format!("{COMPILERS} cmake -G Ninja -S . -B build"));
    project.build("cmake --build build");
    project.is_measured("build/program");
    assert!(project.build("cmake --build build").contains("no work to do"));
    // What is set for the source tree counts like a header.
    project.sandbox.file("pompeii.toml", "[instrument]\npomp-disable = \"for\"\n");
    project.shell("touch static.c; cmake --build build");
    project.shell("sleep 1; touch pompeii.toml");
    let again = project.build("cmake --build build -v");
    assert!(again.contains("static.c.o") && !again.contains("shared.cpp.o"), "{again}");
}

/// Ordinary compilers, behind a compiler cache.
#[test]
fn cmake_with_the_package() {
    if !oracles() {
        return;
    }
    let project = Project::new("cmake");
    let configure = "CC=gcc CXX=g++ FC=gfortran cmake -G Ninja -S . -B build -DWITH_PACKAGE=ON \
                     -DCMAKE_PREFIX_PATH=$PWD/prefix -DPOMPEII_OPTIONS=--strict \
                     -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache";
    project.shell(configure);
    let said = project.build("cmake --build build -v");
    let library = project.shell("pompeii config --libs");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&said).contains(&words(&library)), "{library}\n{said}");
    project.is_measured("build/program");
    let missed = project.shell("ccache --print-stats");
    assert!(missed.contains("direct_cache_hit\t0\n"), "{missed}");
    project.build("cmake --build build --target clean && cmake --build build");
    let hit = project.shell("ccache --print-stats");
    assert!(hit.contains("direct_cache_hit\t4\n"), "{hit}");
}

/// What was compiled with other settings is compiled again.
#[test]
fn a_compiler_cache_in_front() {
    if !oracles() {
        return;
    }
    let project = Project::new("cmake");
    let compile = |settings: &str, stored: usize| {
        project.sandbox.file("pompeii.toml", &format!("[instrument]\n{settings}\n"));
        project.shell("sleep 1.1; ccache pompeii-gcc -fopenmp -c static.c");
        assert_eq!(project.shell("nm static.o").contains("POMP_For_enter"), settings.is_empty());
        let stats = project.shell("ccache --print-stats");
        assert!(stats.contains(&format!("cache_miss\t{stored}\n")), "{stats}");
    };
    compile("", 1);
    compile("", 1);
    compile("pomp-disable = 'for'", 2);
}

/// Objects and libraries of libtool, which runs the compiler behind it.
#[test]
fn libtool_behind() {
    if !oracles() {
        return;
    }
    let project = Project::new("cmake");
    project
        .sandbox
        .file("main.c", "int static_sum(int);\nint main(void) { return static_sum(3); }\n");
    for line in [
        "libtool --tag=CC --mode=compile gcc -fopenmp -c static.c -o static.lo",
        "libtool --tag=CC --mode=link gcc -fopenmp -rpath /usr/lib -o libsum.la static.lo",
        "libtool --tag=CC --mode=compile gcc -c main.c -o main.lo",
        "/bin/sh $(which libtool) --tag=CC --mode=link gcc -fopenmp -o main main.lo libsum.la",
    ] {
        project.build(&format!("pompeii compile --strict -- {line}"));
    }
    assert_eq!(project.sandbox.pompeii("run -q -o exp -- ./main").code, Some(3));
    assert!(project.sandbox.succeeds("report exp --json").output.contains("@inline_sum.h:4"));
}

#[test]
fn autotools_with_libtool() {
    if !oracles() {
        return;
    }
    let project = Project::new("autotools");
    project.shell("autoreconf -i");
    project.shell(&format!("mkdir build && cd build && ../configure {COMPILERS}"));
    project.build("make -C build -j4");
    project.is_measured("build/program");
    let again = project.build("make -C build");
    assert!(!again.contains("pompeii-gcc"), "{again}");
}

#[test]
fn meson_with_ninja() {
    if !oracles() {
        return;
    }
    let project = Project::new("meson");
    project.shell(&format!("{COMPILERS} meson setup build"));
    project.build("ninja -C build");
    project.is_measured("build/program");
    assert!(project.build("ninja -C build").contains("no work to do"));
}

/// Text that is rewritten and compiled without us.
#[test]
fn pkg_config_says_what_config_says() {
    if !oracles() {
        return;
    }
    let project = Project::new("cmake");
    for question in ["--cflags", "--libs"] {
        let ours = project.shell(&format!("pompeii config {question}"));
        for folder in ["lib/pkgconfig", "lib/pompeii/pkgconfig"] {
            let line =
                format!("PKG_CONFIG_PATH=$PWD/prefix/{folder} pkg-config {question} pompeii");
            let theirs = project.shell(&line);
            // The same folder by another way.
            let ways = ["lib/pkgconfig/../pompeii", "lib/pompeii/pkgconfig/.."];
            let theirs = ways.iter().fold(theirs, |text, way| text.replace(way, "lib/pompeii"));
            assert_eq!(theirs.trim_end(), ours.trim_end());
        }
    }
    project.sandbox.file("loop.c", crate::common::LOOP);
    project.shell(
        "pompeii instrument loop.c -o loop.mod.c && export PKG_CONFIG_PATH=prefix/lib/pkgconfig && \
         gcc -fopenmp $(pkg-config --cflags pompeii) loop.mod.c $(pkg-config --libs pompeii) -o loop",
    );
    assert_eq!(project.sandbox.pompeii("run -q -o exp -- ./loop").code, Some(3));
    assert!(project.sandbox.succeeds("report exp").output.contains("for main loop.c:4"));
}

/// Ordinary compilers behind a launcher, which CMake does not start the linker with.
#[test]
fn cmake_with_a_launcher() {
    if !oracles() {
        return;
    }
    let project = Project::new("cmake");
    let launchers = ["C", "CXX", "Fortran"]
        .map(|language| format!(" -DCMAKE_{language}_COMPILER_LAUNCHER='pompeii;compile;-q;--'"))
        .concat();
    project.shell(&format!("CC=gcc CXX=g++ FC=gfortran cmake -G Ninja -S . -B build{launchers}"));
    project.build("cmake --build build");
    project.is_measured("build/program");
    assert!(project.build("cmake --build build").contains("no work to do"));
    // Where the linker has a launcher, too, the routines are those of the archive.
    let object = "build/CMakeFiles/static.dir/static.c.o";
    project.shell("echo 'int static_sum(int); int main(void) { return static_sum(3); }' >main.c");
    for (launcher, kind) in [("", 'W'), ("pompeii compile -q -- ", 'T')] {
        project.shell(&format!("{launcher}/usr/bin/gcc -fopenmp main.c {object} -o main"));
        project.shell(&format!("nm main | grep '{kind} POMP_For_enter$'"));
        assert_eq!(project.sandbox.pompeii("run -q --replace -o exp -- ./main").code, Some(3));
        assert!(project.sandbox.succeeds("report exp --json").output.contains("@inline_sum.h:4"));
    }
    // A program whose library is gone runs all the same.
    project.shell(&format!(
        "gcc -fopenmp main.c {object} -o main; mv .cache gone; mv prefix/lib gone"
    ));
    let ended = project.sandbox.pompeii("run -q --replace -o exp -- ./main");
    assert_eq!(ended.code, Some(3));
    ended.says("nothing is measured: ");
}
