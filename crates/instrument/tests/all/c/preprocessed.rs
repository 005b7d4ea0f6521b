//! Preprocessed text: markers, pragma lines and no directive of the preprocessor.

use super::check_with;
use expect_test::{Expect, expect};
use pompeii_instrument::{Language, Options, instrument};

fn check(input: &str, expected: &Expect) {
    check_with(input, &Options::new("t.i", Language::C), expected);
}

#[test]
fn files_and_headers_of_the_system() {
    check(
        "# 0 \"t.c\"\n# 1 \"/folder//\"\n# 0 \"<built-in>\"\n# 1 \"t.c\"\n\
         # 1 \"/usr/include/fast.h\" 1 3 4\nstatic void fast(void) {\n#pragma omp parallel\n  ;\n}\n\
         # 2 \"t.c\" 2\n# 1 \"own.h\" 1\nstatic void own(void) {\n#pragma omp parallel\n  ;\n}\n\
         # 3 \"t.c\" 2\nvoid f(char *x) {\n\n# 4 \"t.c\"\n#pragma omp for\n\
         # 4 \"t.c\"\n  for (int i = 0; i < 4; i++) x =\n# 5 \"t.c\" 3 4\n     ((void *)0)\n\
         # 5 \"t.c\"\n     ;\n#pragma omp barrier\n}\n",
        &expect![[r##"
            # 1 "/usr/include/fast.h" 1 3 4
            static void fast(void) {
            #pragma omp parallel
              ;
            }
            # 2 "t.c" 2
            # 1 "own.h" 1
            static void own(void) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            # 2
            #pragma omp parallel firstprivate(pomp_p1)
              { POMP_Parallel_begin(pomp_1(), pomp_p1); ;; POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            # 3 "t.c" 2
            void f(char *x) {

            # 4 "t.c"
            { POMP_For_enter(pomp_2(), pomp_until(0, 4, 1));
            # 4
            #pragma omp for nowait
            # 4 "t.c"
              for (int i = 0; i < 4; i++) x =
            # 5 "t.c" 3 4
                 ((void *)0)
            # 5 "t.c"
                 ;; POMP_Barrier_enter(pomp_2());
            # 5
            #pragma omp barrier
            # 5
            POMP_Barrier_exit(pomp_2()); POMP_For_exit(pomp_2()); }
            # 5

            { POMP_Barrier_enter(pomp_3());
            # 6
            #pragma omp barrier
            POMP_Barrier_exit(pomp_3()); }
            # 7
            }
            == 1: parallel (2, 2) (3, 3)
            == 2: for (4, 4) (5, 5)
            == 3: barrier (6, 6) (6, 6)
        "##]],
    );
}

#[test]
fn barriers_within_a_line() {
    check(
        "void f(int n, char *p, char *s) {\n# 7 \"t.c\"\n#pragma omp parallel for if(*s == '\\\\' || p == \"\\\"?\")\n  \
         for (int i = 0; i < n; i++) p[i] = 0; n = 3;\n}\n",
        &expect![[r#"
            void f(int n, char *p, char *s) {
            # 7 "t.c"
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            # 7
            #pragma omp parallel if(*s == '\\' || p == "\"?") firstprivate(pomp_p1)
            { POMP_Parallel_begin(pomp_1(), pomp_p1); POMP_For_enter(pomp_1(), __builtin_classify_type(n) == 1 ? pomp_until(0, (long)(n), 1) : -1);
            # 7
            #pragma omp for   nowait
              for (int i = 0; i < n; i++) p[i] = 0;; POMP_Barrier_enter(pomp_1());
            # 8
            #pragma omp barrier
            # 8
            POMP_Barrier_exit(pomp_1()); POMP_For_exit(pomp_1()); POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            # 8
             n = 3;
            }
            == 1: parallel for (7, 7) (8, 8)
        "#]],
    );
}

#[test]
fn the_prelude_has_only_declarations() {
    let input = "# 1 \"t.c\"\nvoid f(void) {\n#pragma omp barrier\n}\n";
    let outcome = instrument(input.as_bytes(), &Options::new("t.ii", Language::C)).unwrap();
    let text = String::from_utf8(outcome.text).unwrap();
    for line in text.lines().filter(|line| line.starts_with('#')) {
        assert!(line.starts_with("# ") || line.starts_with("#pragma omp"), "{line}");
    }
    assert!(text.starts_with("# 1 \"t.c\"\n# 1 \"<pompeii>\"\nstruct ompregdescr;"), "{text}");
}

/// Folders of `-isystem` that are the user's, of which another one's name may begin alike.
#[test]
fn headers_in_own_folders_are_not_the_systems() {
    let header = |path: &str| {
        let text = "static void f(void) {\n#pragma omp barrier\n}\n# 2 \"t.c\" 2\n";
        let options =
            Options { own_folders: vec!["lib/own".to_owned()], ..Options::new("t.i", Language::C) };
        let text = format!("# 1 \"t.c\"\n# 1 \"{path}\" 1 3 4\n{text}");
        instrument(text.as_bytes(), &options).unwrap().directives_instrumented
    };
    assert_eq!(header("lib/own/a/fast.h"), 1);
    assert_eq!(header("lib/owner/fast.h"), 0);
    assert_eq!(header("/usr/include/fast.h"), 0);
}
