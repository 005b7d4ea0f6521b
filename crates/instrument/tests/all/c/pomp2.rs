//! POMP2's calls in C and C++.

use expect_test::{Expect, expect};
use pompeii_instrument::{Abi, Functions, Language, Options, instrument};

fn options(language: Language) -> Options {
    let path = if language == Language::Cxx { "t.cpp" } else { "t.c" };
    Options { abi: Abi::Pomp2, ..Options::new(path, language) }
}

fn check(input: &str, expected: &Expect) {
    super::check_with(input, &options(Language::C), expected);
}

/// What is appended to the declarations.
fn check_prelude(input: &str, options: &Options, expected: &Expect) {
    let text = String::from_utf8(instrument(input.as_bytes(), options).unwrap().text).unwrap();
    let prelude = text.split_once("#line").unwrap().0;
    let own = prelude.lines().filter(|line| !line.starts_with("extern void (POMP2_"));
    expected.assert_eq(&own.map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn handles_strings_and_their_initialisation() {
    let input = "void f(void) {\n#pragma omp barrier\n#pragma pomp inst begin(all)\n\
                 #pragma pomp inst end(all)\n}\n";
    check_prelude(
        input,
        &options(Language::C),
        &expect![[r##"
            #ifndef _POMP
            #define _POMP 200110
            #endif
            extern int pomp_max(void) __asm__("omp_get_max_threads");extern void (POMP2_Init)(void);extern void (POMP2_Finalize)(void);extern void (POMP2_On)(void);extern void (POMP2_Off)(void);
            static void*pomp_d1;static __inline__ __attribute__((always_inline,unused))void**pomp_1(void){return &pomp_d1;}
            static __inline__ __attribute__((always_inline,unused))const char*pomp_s1(void){return "47*regionType=barrier*sscl=t.c:2:2*escl=t.c:2:2**";}
            static void*pomp_d2;static __inline__ __attribute__((always_inline,unused))void**pomp_2(void){return &pomp_d2;}
            static __inline__ __attribute__((always_inline,unused))const char*pomp_s2(void){return "69*regionType=userRegion*sscl=t.c:3:3*escl=t.c:4:4*userRegionName=all**";}
            void POMP2_Init_reg_2994a58ab9ba984e_1(void);void POMP2_Init_reg_2994a58ab9ba984e_1(void){
            POMP2_Assign_handle(pomp_1(),pomp_s1());
            }
            void POMP2_USER_Init_reg_2994a58ab9ba984e_1(void);void POMP2_USER_Init_reg_2994a58ab9ba984e_1(void){
            POMP2_USER_Assign_handle(pomp_2(),pomp_s2());
            }
        "##]],
    );
    check_prelude(
        input,
        &options(Language::Cxx),
        &expect![[r##"
            #ifndef _POMP
            #define _POMP 200110
            #endif
            extern "C" {
            extern int pomp_max(void) __asm__("omp_get_max_threads");extern void (POMP2_Init)(void);extern void (POMP2_Finalize)(void);extern void (POMP2_On)(void);extern void (POMP2_Off)(void);
            }
            static void*pomp_d1;static __inline__ __attribute__((always_inline,unused))void**pomp_1(void){return &pomp_d1;}
            static __inline__ __attribute__((always_inline,unused))const char*pomp_s1(void){return "51*regionType=barrier*sscl=t.cpp:2:2*escl=t.cpp:2:2**";}
            static void*pomp_d2;static __inline__ __attribute__((always_inline,unused))void**pomp_2(void){return &pomp_d2;}
            static __inline__ __attribute__((always_inline,unused))const char*pomp_s2(void){return "73*regionType=userRegion*sscl=t.cpp:3:3*escl=t.cpp:4:4*userRegionName=all**";}
            extern "C" void POMP2_Init_reg_2995b325d9ba984e_1(void);extern "C" void POMP2_Init_reg_2995b325d9ba984e_1(void){
            POMP2_Assign_handle(pomp_1(),pomp_s1());
            }
            extern "C" void POMP2_USER_Init_reg_2995b325d9ba984e_1(void);extern "C" void POMP2_USER_Init_reg_2995b325d9ba984e_1(void){
            POMP2_USER_Assign_handle(pomp_2(),pomp_s2());
            }
        "##]],
    );
}

#[test]
fn a_cancelled_region_ends_by_cleanup() {
    let input = "void f(int x) {\n#pragma omp parallel\n{\n#pragma omp for\n\
                 for (int i = 0; i < 9; i++) x++;\n#pragma omp cancel parallel if(x)\n}\n}\n";
    check(
        input,
        &expect![[r#"
        void f(int x) {
        { long pomp_p1; POMP2_Parallel_fork(pomp_1(), 1, pomp_max(), &pomp_p1, pomp_s1());
        #line 2
        #pragma omp parallel
        { struct pomp_guard pomp_g1 __attribute__((cleanup(pomp_Parallel_end))); pomp_g1.region = pomp_1(); pomp_g1.id = 0; POMP2_Parallel_begin(pomp_1());
        #line 3
        {
        { struct pomp_guard pomp_e2 __attribute__((cleanup(pomp_For_exit))); pomp_e2.region = pomp_2(); pomp_e2.id = 0; POMP2_For_enter(pomp_2(), pomp_s2());
        #line 4
        #pragma omp for nowait
        for (int i = 0; i < 9; i++) x++;; { struct pomp_guard pomp_h2 __attribute__((cleanup(pomp_Implicit_barrier_exit))); pomp_h2.region = pomp_2(); pomp_h2.id = 0; POMP2_Implicit_barrier_enter(pomp_2(), &pomp_h2.id); _Pragma("omp barrier") } }
        #pragma omp cancel parallel if(x)
        } } POMP2_Parallel_join(pomp_1(), pomp_p1); }
        }
        == 1: parallel (2, 2) (7, 7)
        == 2: for (4, 4) (5, 5)
        == 2 of 3
        == Note 6: `cancel parallel`: POMP2 has no routines for it
    "#]],
    );
}

/// The guards of both have the number of the construct.
#[test]
fn cancelled_sections_end_by_cleanup() {
    let input = "void f(int x) {\n#pragma omp parallel sections\n{\n x++;\n\
                 #pragma omp cancel sections if(x)\n}\n}\n";
    check(
        input,
        &expect![[r#"
        void f(int x) {
        { long pomp_p1; POMP2_Parallel_fork(pomp_1(), 1, pomp_max(), &pomp_p1, pomp_s1());
        #line 2
        #pragma omp parallel
        { struct pomp_guard pomp_g1 __attribute__((cleanup(pomp_Parallel_end))); pomp_g1.region = pomp_1(); pomp_g1.id = 0; POMP2_Parallel_begin(pomp_1()); POMP2_Sections_enter(pomp_1(), pomp_s1());
        #line 2
        #pragma omp sections
        {
         { struct pomp_guard pomp_q1 __attribute__((cleanup(pomp_Section_end))); pomp_q1.region = pomp_1(); pomp_q1.id = 0; POMP2_Section_begin(pomp_1(), pomp_s1()); x++;
        #pragma omp cancel sections if(x); }
        } POMP2_Sections_exit(pomp_1()); } POMP2_Parallel_join(pomp_1(), pomp_p1); }
        }
        == 1: parallel sections x1 (2, 2) (6, 6)
        == 1 of 2
        == Note 5: `cancel sections`: POMP2 has no routines for it
    "#]],
    );
}

#[test]
fn worksharing_and_its_barrier() {
    check(
        "void f(int x, int n) {
#pragma omp parallel num_threads(n)
{
#pragma omp for schedule(static)
  for (int i = 0; i < 9; i++) x++;
#pragma omp sections nowait
  {
#pragma omp section
    x++;
  }
#pragma omp single
  x++;
}
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 9; i++) x++;
}
",
        &expect![[r#"
            void f(int x, int n) {
            { long pomp_p1; POMP2_Parallel_fork(pomp_1(), 1, pomp_max(), &pomp_p1, pomp_s1());
            #line 2
            #pragma omp parallel num_threads(n)
            { POMP2_Parallel_begin(pomp_1());
            #line 3
            {
            { POMP2_For_enter(pomp_2(), pomp_s2());
            #line 4
            #pragma omp for schedule(static) nowait
              for (int i = 0; i < 9; i++) x++;; { long pomp_o2; POMP2_Implicit_barrier_enter(pomp_2(), &pomp_o2); _Pragma("omp barrier") POMP2_Implicit_barrier_exit(pomp_2(), pomp_o2); } POMP2_For_exit(pomp_2()); }
            { POMP2_Sections_enter(pomp_3(), pomp_s3());
            #line 6
            #pragma omp sections nowait
              {
            #pragma omp section
                { POMP2_Section_begin(pomp_3(), pomp_s3()); x++;; POMP2_Section_end(pomp_3()); }
              } POMP2_Sections_exit(pomp_3()); }
            { POMP2_Single_enter(pomp_4(), pomp_s4());
            #line 11
            #pragma omp single nowait
              { POMP2_Single_begin(pomp_4()); x++;; POMP2_Single_end(pomp_4()); } { long pomp_o4; POMP2_Implicit_barrier_enter(pomp_4(), &pomp_o4); _Pragma("omp barrier") POMP2_Implicit_barrier_exit(pomp_4(), pomp_o4); } POMP2_Single_exit(pomp_4()); }
            } POMP2_Parallel_end(pomp_1()); } POMP2_Parallel_join(pomp_1(), pomp_p1); }
            { long pomp_p5; POMP2_Parallel_fork(pomp_5(), 1, 4, &pomp_p5, pomp_s5());
            #line 14
            #pragma omp parallel num_threads(4)
            { POMP2_Parallel_begin(pomp_5()); POMP2_For_enter(pomp_5(), pomp_s5());
            #line 14
            #pragma omp for   nowait
              for (int i = 0; i < 9; i++) x++;; { long pomp_o5; POMP2_Implicit_barrier_enter(pomp_5(), &pomp_o5); _Pragma("omp barrier") POMP2_Implicit_barrier_exit(pomp_5(), pomp_o5); } POMP2_For_exit(pomp_5()); POMP2_Parallel_end(pomp_5()); } POMP2_Parallel_join(pomp_5(), pomp_p5); }
            }
            == 1: parallel (2, 2) (13, 13)
            == 2: for (4, 4) (5, 5)
            == 3: sections x1 (6, 6) (10, 10)
            == 4: single (11, 11) (12, 12)
            == 5: parallel for (14, 14) (15, 15)
        "#]],
    );
}

#[test]
fn tasks_carry_a_new_and_an_old_word() {
    check(
        "void f(int x) {
#pragma omp task if(x > 1)
  x++;
#pragma omp task untied shared(x)
  {
#pragma omp taskwait
    x++;
  }
}
",
        &expect![[r#"
            void f(int x) {
            { long pomp_t1, pomp_o1; POMP2_Task_create_begin(pomp_1(), &pomp_t1, &pomp_o1, 1, pomp_s1());
            #line 2
            #pragma omp task if(x > 1) firstprivate(pomp_t1)
              { POMP2_Task_begin(pomp_1(), pomp_t1); x++;; POMP2_Task_end(pomp_1()); } POMP2_Task_create_end(pomp_1(), pomp_o1); }
            { long pomp_t2, pomp_o2; POMP2_Untied_task_create_begin(pomp_2(), &pomp_t2, &pomp_o2, 1, pomp_s2());
            #line 4
            #pragma omp task untied shared(x) firstprivate(pomp_t2)
              { POMP2_Untied_task_begin(pomp_2(), pomp_t2); {
            { long pomp_o3; POMP2_Taskwait_begin(pomp_3(), &pomp_o3, pomp_s3());
            #line 6
            #pragma omp taskwait
            POMP2_Taskwait_end(pomp_3(), pomp_o3); }
            #line 7
                x++;
              } POMP2_Untied_task_end(pomp_2()); } POMP2_Untied_task_create_end(pomp_2(), pomp_o2); }
            }
            == 1: task (2, 2) (3, 3)
            == 2: task (4, 4) (8, 8)
            == 3: taskwait (6, 6) (6, 6)
        "#]],
    );
}

#[test]
fn synchronisation() {
    check(
        "void f(int x) {
#pragma omp critical (lock)
  x++;
#pragma omp atomic
  x++;
#pragma omp flush
#pragma omp master
  x++;
#pragma omp barrier
}
",
        &expect![[r#"
            void f(int x) {
            { POMP2_Critical_enter(pomp_1(), pomp_s1());
            #line 2
            #pragma omp critical (lock)
              { POMP2_Critical_begin(pomp_1()); x++;; POMP2_Critical_end(pomp_1()); } POMP2_Critical_exit(pomp_1()); }
            { POMP2_Atomic_enter(pomp_2(), pomp_s2());
            #line 4
            #pragma omp atomic
              x++;; POMP2_Atomic_exit(pomp_2()); }
            { POMP2_Flush_enter(pomp_3(), pomp_s3());
            #line 6
            #pragma omp flush
            POMP2_Flush_exit(pomp_3()); }
            #line 7
            #pragma omp master
              { POMP2_Master_begin(pomp_4(), pomp_s4()); x++;; POMP2_Master_end(pomp_4()); }
            { long pomp_o5; POMP2_Barrier_enter(pomp_5(), &pomp_o5, pomp_s5());
            #line 9
            #pragma omp barrier
            POMP2_Barrier_exit(pomp_5(), pomp_o5); }
            #line 10
            }
            == 1: critical lock (2, 2) (3, 3)
            == 2: atomic (4, 4) (5, 5)
            == 3: flush (6, 6) (6, 6)
            == 4: master (7, 7) (8, 8)
            == 5: barrier (9, 9) (9, 9)
        "#]],
    );
}

#[test]
fn what_pomp2_does_not_know_passes_through() {
    check(
        "void f(int x) {
#pragma omp taskgroup
  {
#pragma omp taskyield
    x++;
  }
#pragma omp parallel masked
  x++;
#pragma omp parallel master
  x++;
}
",
        &expect![[r#"
            void f(int x) {
            #pragma omp taskgroup
              {
            #pragma omp taskyield
                x++;
              }
            { long pomp_p1; POMP2_Parallel_fork(pomp_1(), 1, pomp_max(), &pomp_p1, pomp_s1());
            #line 7
            #pragma omp parallel
            { POMP2_Parallel_begin(pomp_1());
            #line 7
            #pragma omp masked
              x++;; POMP2_Parallel_end(pomp_1()); } POMP2_Parallel_join(pomp_1(), pomp_p1); }
            { long pomp_p2; POMP2_Parallel_fork(pomp_2(), 1, pomp_max(), &pomp_p2, pomp_s2());
            #line 9
            #pragma omp parallel
            { POMP2_Parallel_begin(pomp_2());
            #line 9
            #pragma omp master
              { POMP2_Master_begin(pomp_3(), pomp_s3()); x++;; POMP2_Master_end(pomp_3()); } POMP2_Parallel_end(pomp_2()); } POMP2_Parallel_join(pomp_2(), pomp_p2); }
            }
            == 1: parallel masked (7, 7) (8, 8)
            == 2: parallel master (9, 9) (10, 10)
            == 3: master (9, 9) (10, 10)
            == 2 of 4
            == Note 2: `taskgroup`: POMP2 has no routines for it
            == Note 4: `taskyield`: POMP2 has no routines for it
        "#]],
    );
}

#[test]
fn the_end_barrier_of_the_paper() {
    let input = "void f(int x) {\n#pragma omp parallel\n  x++;\n#pragma omp parallel for\n\
                 for (int i = 0; i < 9; i++) x++;\n}\n";
    let options = Options { end_barrier: true, ..options(Language::C) };
    super::check_with(
        input,
        &options,
        &expect![[r#"
        void f(int x) {
        { long pomp_p1; POMP2_Parallel_fork(pomp_1(), 1, pomp_max(), &pomp_p1, pomp_s1());
        #line 2
        #pragma omp parallel
          { POMP2_Parallel_begin(pomp_1()); x++;; { long pomp_o1; POMP2_Implicit_barrier_enter(pomp_1(), &pomp_o1); _Pragma("omp barrier") POMP2_Implicit_barrier_exit(pomp_1(), pomp_o1); } POMP2_Parallel_end(pomp_1()); } POMP2_Parallel_join(pomp_1(), pomp_p1); }
        { long pomp_p2; POMP2_Parallel_fork(pomp_2(), 1, pomp_max(), &pomp_p2, pomp_s2());
        #line 4
        #pragma omp parallel
        { POMP2_Parallel_begin(pomp_2()); POMP2_For_enter(pomp_2(), pomp_s2());
        #line 4
        #pragma omp for nowait
        for (int i = 0; i < 9; i++) x++;; { long pomp_o2; POMP2_Implicit_barrier_enter(pomp_2(), &pomp_o2); _Pragma("omp barrier") POMP2_Implicit_barrier_exit(pomp_2(), pomp_o2); } POMP2_For_exit(pomp_2()); POMP2_Parallel_end(pomp_2()); } POMP2_Parallel_join(pomp_2(), pomp_p2); }
        }
        == 1: parallel (2, 2) (3, 3)
        == 2: parallel for (4, 4) (5, 5)
    "#]],
    );
    let options = Options { end_barrier: true, ..Options::new("t.c", Language::C) };
    super::check_with(
        input,
        &options,
        &expect![[r#"
            void f(int x) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel firstprivate(pomp_p1)
              { POMP_Parallel_begin(pomp_1(), pomp_p1); x++;; POMP_Barrier_enter(pomp_1()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_1()); POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            { long pomp_p2; POMP_Parallel_fork(pomp_2(), &pomp_p2);
            #line 4
            #pragma omp parallel firstprivate(pomp_p2)
            { POMP_Parallel_begin(pomp_2(), pomp_p2); POMP_For_enter(pomp_2(), pomp_until(0, 9, 1));
            #line 4
            #pragma omp for nowait
            for (int i = 0; i < 9; i++) x++;; POMP_Barrier_enter(pomp_2()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_2()); POMP_For_exit(pomp_2()); POMP_Parallel_end(pomp_2(), pomp_p2); } POMP_Parallel_join(pomp_2(), pomp_p2); }
            }
            == 1: parallel (2, 2) (3, 3)
            == 2: parallel for (4, 4) (5, 5)
        "#]],
    );
}

#[test]
fn user_regions_and_functions() {
    let input = "int f(int x) {\n#pragma pomp inst init\n#pragma pomp inst begin(all)\n  x++;\n\
                 #pragma pomp inst end(all)\n  return x;\n}\n";
    let functions = Some(Functions::default());
    super::check_with(
        input,
        &Options { functions, ..options(Language::C) },
        &expect![[r#"
        int f(int x) { __extension__ void**pomp_f2 __attribute__((cleanup(pomp_leave),unused))=pomp_enter(pomp_2(),pomp_s2());
        POMP2_Init();
        POMP2_Begin(pomp_1(), pomp_s1());
          x++;
        POMP2_End(pomp_1());
          return x;
        }
        == 1: region all (3, 3) (5, 5)
        == 2: region f (1, 1) (7, 7)
    "#]],
    );
}
