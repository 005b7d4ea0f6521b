//! Tasks, and what goes on behind the scheduling points of untied ones.

use super::{check, check_cxx};
use expect_test::expect;

#[test]
fn a_task() {
    check(
        r#"int f(int n) {
  int x;
#pragma omp task default(none) shared(x) firstprivate(n) if(n > 6)
  x = f(n - 1);
#pragma omp taskwait
  return x;
}
"#,
        &expect![[r#"
            int f(int n) {
              int x;
            { long pomp_t1; POMP_Task_create_begin(pomp_1(), &pomp_t1);
            #line 3
            #pragma omp task default(none) shared(x) firstprivate(n) if(n > 6) firstprivate(pomp_t1)
              { POMP_Task_begin(pomp_1(), pomp_t1); x = f(n - 1);; POMP_Task_end(pomp_1(), pomp_t1); } POMP_Task_create_end(pomp_1(), pomp_t1); }
            { POMP_Taskwait_enter(pomp_2());
            #line 5
            #pragma omp taskwait
            POMP_Taskwait_exit(pomp_2()); }
            #line 6
              return x;
            }
            == 1: task (3, 3) (4, 4)
            == 2: taskwait (5, 5) (5, 5)
        "#]],
    );
}

/// Items whose evaluation may have an effect, iterators and the like are not known.
#[test]
fn a_task_names_its_dependences() {
    let text = "#define NEXT() next++
void f(int *p, double a[9][9], struct s *q, volatile int *v) {
#pragma omp task depend(in : p[0:4], *p) depend(out : q->x, a[1][:n]) depend(inout : p)
  g();
#pragma omp task depend(in : p[NEXT()], p[i++], *v) depend(iterator(i = 0 : 9), in : p[i])
  g();
#pragma omp task depend(mutexinoutset : q) depend(inoutset : p) depend(depobj : o)
  g();
}
";
    check(
        text,
        &expect![[r##"
        #define NEXT() next++
        void f(int *p, double a[9][9], struct s *q, volatile int *v) {
        { long pomp_t1; POMP_Task_create_begin(pomp_1(), &pomp_t1); { const volatile void*pomp_a1[5]; pomp_a1[0] = &(p[0]); pomp_a1[1] = &(*p); pomp_a1[2] = &(q->x); pomp_a1[3] = &(a[1][0]); pomp_a1[4] = &(p); POMP_Task_depend(pomp_1(), pomp_t1, "iiooo", pomp_a1); }
        #line 3
        #pragma omp task depend(in : p[0:4], *p) depend(out : q->x, a[1][:n]) depend(inout : p) firstprivate(pomp_t1)
          { POMP_Task_begin(pomp_1(), pomp_t1); g();; POMP_Task_end(pomp_1(), pomp_t1); } POMP_Task_create_end(pomp_1(), pomp_t1); }
        { long pomp_t2; POMP_Task_create_begin(pomp_2(), &pomp_t2); POMP_Task_depend(pomp_2(), pomp_t2, "????", 0);
        #line 5
        #pragma omp task depend(in : p[NEXT()], p[i++], *v) depend(iterator(i = 0 : 9), in : p[i]) firstprivate(pomp_t2)
          { POMP_Task_begin(pomp_2(), pomp_t2); g();; POMP_Task_end(pomp_2(), pomp_t2); } POMP_Task_create_end(pomp_2(), pomp_t2); }
        { long pomp_t3; POMP_Task_create_begin(pomp_3(), &pomp_t3); { const volatile void*pomp_a3[2]; pomp_a3[0] = &(q); pomp_a3[1] = &(p); POMP_Task_depend(pomp_3(), pomp_t3, "ms?", pomp_a3); }
        #line 7
        #pragma omp task depend(mutexinoutset : q) depend(inoutset : p) depend(depobj : o) firstprivate(pomp_t3)
          { POMP_Task_begin(pomp_3(), pomp_t3); g();; POMP_Task_end(pomp_3(), pomp_t3); } POMP_Task_create_end(pomp_3(), pomp_t3); }
        }
        == 1: task (3, 3) (4, 4)
        == 2: task (5, 5) (6, 6)
        == 3: task (7, 7) (8, 8)
    "##]],
    );
    check_cxx(
        text,
        &expect![[r##"
        #define NEXT() next++
        void f(int *p, double a[9][9], struct s *q, volatile int *v) {
        { long pomp_t1; POMP_Task_create_begin(pomp_1(), &pomp_t1); { const volatile void*pomp_a1[4]; pomp_a1[0] = sizeof(pomp_raw(p)) == 1 ? __builtin_addressof(p[0]) : __null; pomp_a1[1] = sizeof(pomp_raw(q)) == 1 ? __builtin_addressof(q->x) : __null; pomp_a1[2] = sizeof(pomp_raw(a[1])) == 1 ? sizeof(pomp_raw(a)) == 1 ? __builtin_addressof(a[1][0]) : __null : __null; pomp_a1[3] = __builtin_addressof(p); POMP_Task_depend(pomp_1(), pomp_t1, "i?ooo", pomp_a1); }
        #line 3
        #pragma omp task depend(in : p[0:4], *p) depend(out : q->x, a[1][:n]) depend(inout : p) firstprivate(pomp_t1)
          { POMP_Task_begin(pomp_1(), pomp_t1); g();; POMP_Task_end(pomp_1(), pomp_t1); } POMP_Task_create_end(pomp_1(), pomp_t1); }
        { long pomp_t2; POMP_Task_create_begin(pomp_2(), &pomp_t2); POMP_Task_depend(pomp_2(), pomp_t2, "????", __null);
        #line 5
        #pragma omp task depend(in : p[NEXT()], p[i++], *v) depend(iterator(i = 0 : 9), in : p[i]) firstprivate(pomp_t2)
          { POMP_Task_begin(pomp_2(), pomp_t2); g();; POMP_Task_end(pomp_2(), pomp_t2); } POMP_Task_create_end(pomp_2(), pomp_t2); }
        { long pomp_t3; POMP_Task_create_begin(pomp_3(), &pomp_t3); { const volatile void*pomp_a3[2]; pomp_a3[0] = __builtin_addressof(q); pomp_a3[1] = __builtin_addressof(p); POMP_Task_depend(pomp_3(), pomp_t3, "ms?", pomp_a3); }
        #line 7
        #pragma omp task depend(mutexinoutset : q) depend(inoutset : p) depend(depobj : o) firstprivate(pomp_t3)
          { POMP_Task_begin(pomp_3(), pomp_t3); g();; POMP_Task_end(pomp_3(), pomp_t3); } POMP_Task_create_end(pomp_3(), pomp_t3); }
        }
        == 1: task (3, 3) (4, 4)
        == 2: task (5, 5) (6, 6)
        == 3: task (7, 7) (8, 8)
    "##]],
    );
}

/// The items of a target construct come with its entry.
#[test]
fn items_of_target_constructs_are_named() {
    check(
        "void f(int *p, int n) {
#pragma omp target depend(in : p[0:n]) nowait
n = 1;
#pragma omp target update to(n) depend(out : n)
#pragma omp target enter data map(to : n)
}
",
        &expect![[r#"
            void f(int *p, int n) {
            { { const volatile void*pomp_a1[1]; pomp_a1[0] = &(p[0]); POMP_Target_depend_enter(pomp_1(), "i", pomp_a1); }
            #line 2
            #pragma omp target depend(in : p[0:n]) nowait
            n = 1;; POMP_Target_exit(pomp_1()); }
            { { const volatile void*pomp_a2[1]; pomp_a2[0] = &(n); POMP_Target_depend_enter(pomp_2(), "o", pomp_a2); }
            #line 4
            #pragma omp target update to(n) depend(out : n)
            POMP_Target_exit(pomp_2()); } { POMP_Target_enter(pomp_3());
            #line 5
            #pragma omp target enter data map(to : n)
            POMP_Target_exit(pomp_3()); }
            #line 6
            }
            == 1: target (2, 2) (3, 3)
            == 2: target update (4, 4) (4, 4)
            == 3: target enter data (5, 5) (5, 5)
        "#]],
    );
}

/// The items of a taskwait are those of a task. With `nowait` it waits for nothing.
#[test]
fn items_of_a_taskwait_are_named() {
    let text = "void f(int *p, int n) {
#pragma omp taskwait depend(in : p[0:n], n) depend(out : *p)
#pragma omp taskwait depend(depobj : o)
#pragma omp taskwait nowait depend(in : n)
}
";
    check(
        text,
        &expect![[r#"
        void f(int *p, int n) {
        { { const volatile void*pomp_a1[3]; pomp_a1[0] = &(p[0]); pomp_a1[1] = &(n); pomp_a1[2] = &(*p); POMP_Taskwait_depend_enter(pomp_1(), "iio", pomp_a1); }
        #line 2
        #pragma omp taskwait depend(in : p[0:n], n) depend(out : *p)
        POMP_Taskwait_depend_exit(pomp_1()); } { POMP_Taskwait_depend_enter(pomp_2(), "?", 0);
        #line 3
        #pragma omp taskwait depend(depobj : o)
        POMP_Taskwait_depend_exit(pomp_2()); } { POMP_Taskwait_enter(pomp_3());
        #line 4
        #pragma omp taskwait nowait depend(in : n)
        POMP_Taskwait_exit(pomp_3()); }
        #line 5
        }
        == 1: taskwait (2, 2) (2, 2)
        == 2: taskwait (3, 3) (3, 3)
        == 3: taskwait (4, 4) (4, 4)
    "#]],
    );
    check_cxx(
        text,
        &expect![[r#"
        void f(int *p, int n) {
        { { const volatile void*pomp_a1[2]; pomp_a1[0] = sizeof(pomp_raw(p)) == 1 ? __builtin_addressof(p[0]) : __null; pomp_a1[1] = __builtin_addressof(n); POMP_Taskwait_depend_enter(pomp_1(), "ii?", pomp_a1); }
        #line 2
        #pragma omp taskwait depend(in : p[0:n], n) depend(out : *p)
        POMP_Taskwait_depend_exit(pomp_1()); } { POMP_Taskwait_depend_enter(pomp_2(), "?", __null);
        #line 3
        #pragma omp taskwait depend(depobj : o)
        POMP_Taskwait_depend_exit(pomp_2()); } { POMP_Taskwait_enter(pomp_3());
        #line 4
        #pragma omp taskwait nowait depend(in : n)
        POMP_Taskwait_exit(pomp_3()); }
        #line 5
        }
        == 1: taskwait (2, 2) (2, 2)
        == 2: taskwait (3, 3) (3, 3)
        == 3: taskwait (4, 4) (4, 4)
    "#]],
    );
}

#[test]
fn a_detached_task_says_its_event() {
    let text = "void f(omp_event_handle_t e) {\n#pragma omp task detach(e)\n  g();\n}\n";
    check(
        text,
        &expect![[r#"
        void f(omp_event_handle_t e) {
        { long pomp_t1; POMP_Task_create_begin(pomp_1(), &pomp_t1);
        #line 2
        #pragma omp task detach(e) firstprivate(pomp_t1)
          { POMP_Task_begin(pomp_1(), pomp_t1); g();; POMP_Task_detach(pomp_1(), pomp_t1, (unsigned long)e); } POMP_Task_create_end(pomp_1(), pomp_t1); }
        }
        == 1: task (2, 2) (3, 3)
    "#]],
    );
    check_cxx(
        text,
        &expect![[r#"
        void f(omp_event_handle_t e) {
        { long pomp_t1; POMP_Task_create_begin(pomp_1(), &pomp_t1);
        #line 2
        #pragma omp task detach(e) firstprivate(pomp_t1)
          { POMP_Task_begin(pomp_1(), pomp_t1); g();; POMP_Task_detach(pomp_1(), pomp_t1, static_cast<unsigned long>(e)); } POMP_Task_create_end(pomp_1(), pomp_t1); }
        }
        == 1: task (2, 2) (3, 3)
    "#]],
    );
}

#[test]
fn an_untied_task_resumes() {
    check(
        r#"void f(int n) {
#pragma omp task untied
  {
    #pragma omp task
    f(n - 1);
    #pragma omp taskyield
    if (n)
      #pragma omp taskgroup
      f(n - 2);
    #pragma omp parallel
    {
      #pragma omp taskwait
    }
    #pragma omp taskwait depend(in: n)
  }
}
"#,
        &expect![[r#"
            void f(int n) {
            { long pomp_t1; POMP_Task_create_begin(pomp_1(), &pomp_t1);
            #line 2
            #pragma omp task untied firstprivate(pomp_t1)
              { POMP_Task_begin(pomp_1(), pomp_t1); {
            { long pomp_t2; POMP_Task_create_begin(pomp_2(), &pomp_t2);
            #line 4
                #pragma omp task firstprivate(pomp_t2)
                { POMP_Task_begin(pomp_2(), pomp_t2); f(n - 1);; POMP_Task_end(pomp_2(), pomp_t2); } POMP_Task_resume(pomp_1(), pomp_t1); POMP_Task_create_end(pomp_2(), pomp_t2); }
            { POMP_Taskyield_enter(pomp_3());
            #line 6
                #pragma omp taskyield
            POMP_Task_resume(pomp_1(), pomp_t1); POMP_Taskyield_exit(pomp_3()); }
            #line 7
                if (n)
            { POMP_Taskgroup_enter(pomp_4());
            #line 8
                  #pragma omp taskgroup
                  { POMP_Taskgroup_begin(pomp_4()); f(n - 2);; POMP_Taskgroup_end(pomp_4()); } POMP_Task_resume(pomp_1(), pomp_t1); POMP_Taskgroup_exit(pomp_4()); }
            { long pomp_p5; POMP_Parallel_fork(pomp_5(), &pomp_p5);
            #line 10
                #pragma omp parallel firstprivate(pomp_p5)
                { POMP_Parallel_begin(pomp_5(), pomp_p5); {
            { POMP_Taskwait_enter(pomp_6());
            #line 12
                  #pragma omp taskwait
            POMP_Taskwait_exit(pomp_6()); }
            #line 13
                } POMP_Parallel_end(pomp_5(), pomp_p5); } POMP_Parallel_join(pomp_5(), pomp_p5); }
            { { const volatile void*pomp_a7[1]; pomp_a7[0] = &(n); POMP_Taskwait_depend_enter(pomp_7(), "i", pomp_a7); }
            #line 14
                #pragma omp taskwait depend(in: n)
            POMP_Task_resume(pomp_1(), pomp_t1); POMP_Taskwait_depend_exit(pomp_7()); }
            #line 15
              } POMP_Task_end(pomp_1(), pomp_t1); } POMP_Task_create_end(pomp_1(), pomp_t1); }
            }
            == 1: task (2, 2) (15, 15)
            == 2: task (4, 4) (5, 5)
            == 3: taskyield (6, 6) (6, 6)
            == 4: taskgroup (8, 8) (9, 9)
            == 5: parallel (10, 10) (13, 13)
            == 6: taskwait (12, 12) (12, 12)
            == 7: taskwait (14, 14) (14, 14)
        "#]],
    );
}

#[test]
fn cancelled_with_its_group() {
    check(
        r#"void f(int n) {
#pragma omp taskgroup
  {
    #pragma omp task
    {
      #pragma omp cancel taskgroup if(n)
      f(n);
    }
  }
}
"#,
        &expect![[r#"
            void f(int n) {
            { POMP_Taskgroup_enter(pomp_1());
            #line 2
            #pragma omp taskgroup
              { POMP_Taskgroup_begin(pomp_1()); {
            { long pomp_t2; POMP_Task_create_begin(pomp_2(), &pomp_t2);
            #line 4
                #pragma omp task firstprivate(pomp_t2)
                { struct pomp_guard pomp_g2 __attribute__((cleanup(pomp_Task_end))); pomp_g2.region = pomp_2(); pomp_g2.id = pomp_t2; POMP_Task_begin(pomp_2(), pomp_t2); {
            { POMP_Cancel(pomp_3());
            #line 6
                  #pragma omp cancel taskgroup if(n)
             }
            #line 7
                  f(n);
                } } POMP_Task_create_end(pomp_2(), pomp_t2); }
              } POMP_Taskgroup_end(pomp_1()); } POMP_Taskgroup_exit(pomp_1()); }
            }
            == 1: taskgroup (2, 2) (9, 9)
            == 2: task (4, 4) (8, 8)
            == 3: cancel taskgroup (6, 6) (6, 6)
        "#]],
    );
}

#[test]
fn a_task_is_one_statement() {
    check(
        r#"void f(int n) {
  for (;;)
    #pragma omp task
    while (n) n--;
}
"#,
        &expect![[r#"
            void f(int n) {
              for (;;)
            { long pomp_t1; POMP_Task_create_begin(pomp_1(), &pomp_t1);
            #line 3
                #pragma omp task firstprivate(pomp_t1)
                { POMP_Task_begin(pomp_1(), pomp_t1); while (n) n--;; POMP_Task_end(pomp_1(), pomp_t1); } POMP_Task_create_end(pomp_1(), pomp_t1); }
            }
            == 1: task (3, 3) (4, 4)
        "#]],
    );
}

#[test]
fn a_taskloop() {
    check(
        r#"void f(int *x, int n) {
#pragma omp taskloop collapse(2) nogroup untied
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (j) continue;
      #pragma omp taskyield
    }
#ifdef WIDE
#pragma omp taskloop
#endif
  for (int i = 0; i < n; i++) x[i] = 1;
#pragma omp taskloop collapse(N)
  for (int i = 0; i < n; i++) x[i] = 1;
}
"#,
        &expect![[r#"
            void f(int *x, int n) {
            { long pomp_l1, pomp_t1 = 0; POMP_Taskloop_enter(pomp_1(), &pomp_l1);
            #line 2
            #pragma omp taskloop collapse(2) nogroup untied firstprivate(pomp_l1, pomp_t1)
              for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) { struct pomp_guard pomp_i1 __attribute__((cleanup(pomp_Taskloop_end))); pomp_i1.region = pomp_1(); pomp_i1.id = 0; POMP_Taskloop_begin(pomp_1(), pomp_l1, &pomp_t1); pomp_i1.id = pomp_t1; {
                  if (j) continue;
            { POMP_Taskyield_enter(pomp_2());
            #line 6
                  #pragma omp taskyield
            POMP_Task_resume(pomp_1(), pomp_t1); POMP_Taskyield_exit(pomp_2()); }
            #line 7
                } } ; POMP_Taskloop_exit(pomp_1(), pomp_l1); }
            #ifdef WIDE

            #define pomp_b3 1
            { long pomp_l3, pomp_t3 = 0; POMP_Taskloop_enter(pomp_3(), &pomp_l3);
            #line 9
            #pragma omp taskloop firstprivate(pomp_l3, pomp_t3)
            #endif
              for (int i = 0; i < n; i++) 
            #ifdef pomp_b3
            { struct pomp_guard pomp_i3 __attribute__((cleanup(pomp_Taskloop_end))); pomp_i3.region = pomp_3(); pomp_i3.id = 0; POMP_Taskloop_begin(pomp_3(), pomp_l3, &pomp_t3); pomp_i3.id = pomp_t3;
            #endif
            #line 11
            x[i] = 1;
            #ifdef pomp_b3
            ; }
            #endif
            #line 11

            #ifdef pomp_b3
            #undef pomp_b3
            ; POMP_Taskloop_exit(pomp_3(), pomp_l3); }
            #endif
            #line 11

            { long pomp_l4; POMP_Taskloop_enter(pomp_4(), &pomp_l4);
            #line 12
            #pragma omp taskloop collapse(N)
              for (int i = 0; i < n; i++) x[i] = 1;; POMP_Taskloop_exit(pomp_4(), pomp_l4); }
            }
            == 1: taskloop (2, 2) (7, 7)
            == 2: taskyield (6, 6) (6, 6)
            == 3: taskloop (9, 9) (11, 11)
            == 4: taskloop (12, 12) (13, 13)
            == Hidden 12: the loops of this taskloop cannot be told from its text: its tasks are not seen
        "#]],
    );
}

#[test]
fn clauses_of_masked_taskloops() {
    check(
        r#"void f(int *x, int n) {
#pragma omp masked taskloop filter(1) if(n) shared(x) default(none) nogroup
  for (int i = 0; i < 9; i++) x[i] = 1;
#pragma omp parallel masked taskloop simd filter(1) if(parallel: n) if(taskloop: n > 1) \
    default(none) shared(x) allocate(x) num_threads(2) num_tasks(4) firstprivate(n)
  for (int i = 0; i < 9; i++) x[i] = 1;
}
"#,
        &expect![[r#"
            void f(int *x, int n) {
            { 
            #line 2
            #pragma omp masked filter(1)
            { POMP_Masked_begin(pomp_1()); { long pomp_l1, pomp_t1 = 0; POMP_Taskloop_enter(pomp_1(), &pomp_l1);
            #line 2
            #pragma omp taskloop if(n) shared(x) default(none) nogroup firstprivate(pomp_l1, pomp_t1)
              for (int i = 0; i < 9; i++) { struct pomp_guard pomp_i1 __attribute__((cleanup(pomp_Taskloop_end))); pomp_i1.region = pomp_1(); pomp_i1.id = 0; POMP_Taskloop_begin(pomp_1(), pomp_l1, &pomp_t1); pomp_i1.id = pomp_t1; x[i] = 1;; } ; POMP_Taskloop_exit(pomp_1(), pomp_l1); } POMP_Masked_end(pomp_1()); } }
            { long pomp_p2; POMP_Parallel_fork(pomp_2(), &pomp_p2);
            #line 4
            #pragma omp parallel if(parallel: n) shared(x) num_threads(2) shared(n) firstprivate(pomp_p2)
            { POMP_Parallel_begin(pomp_2(), pomp_p2); 
            #line 4
            #pragma omp masked filter(1)
            { POMP_Masked_begin(pomp_2()); { long pomp_l2; POMP_Taskloop_enter(pomp_2(), &pomp_l2);
            #line 4
            #pragma omp taskloop simd if(taskloop: n > 1) \
                default(none) shared(x) allocate(x) num_tasks(4) firstprivate(n)
              for (int i = 0; i < 9; i++) x[i] = 1;; POMP_Taskloop_exit(pomp_2(), pomp_l2); } POMP_Masked_end(pomp_2()); } POMP_Parallel_end(pomp_2(), pomp_p2); } POMP_Parallel_join(pomp_2(), pomp_p2); }
            }
            == 1: masked taskloop (2, 2) (3, 3)
            == 2: parallel masked taskloop simd (4, 5) (6, 6)
        "#]],
    );
}

#[test]
fn barriers_where_a_cancelled_region_is_left() {
    check(
        r#"void f(int *x, int n) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; i++) x[i] = 1;
    if (n) {
#pragma omp cancel parallel
    }
#pragma omp barrier
#pragma omp critical
    *x = 1;
  }
}
"#,
        &expect![[r#"
            void f(int *x, int n) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel firstprivate(pomp_p1)
              { struct pomp_guard pomp_g1 __attribute__((cleanup(pomp_Parallel_end))); pomp_g1.region = pomp_1(); pomp_g1.id = pomp_p1; POMP_Parallel_begin(pomp_1(), pomp_p1); {
            { struct pomp_guard pomp_e2 __attribute__((cleanup(pomp_For_exit))); pomp_e2.region = pomp_2(); pomp_e2.id = 0; POMP_For_enter(pomp_2(), __builtin_classify_type(n) == 1 ? pomp_until(0, (long)(n), 1) : -1);
            #line 4
            #pragma omp for nowait
                for (int i = 0; i < n; i++) x[i] = 1;; { struct pomp_guard pomp_h2 __attribute__((cleanup(pomp_Barrier_exit))); pomp_h2.region = pomp_2(); pomp_h2.id = 0; POMP_Barrier_enter(pomp_2()); _Pragma("omp barrier") } }
                if (n) {
            { POMP_Cancel(pomp_3());
            #line 7
            #pragma omp cancel parallel
             }
            #line 8
                }
            { struct pomp_guard pomp_e4 __attribute__((cleanup(pomp_Barrier_exit))); pomp_e4.region = pomp_4(); pomp_e4.id = 0; POMP_Barrier_enter(pomp_4());
            #line 9
            #pragma omp barrier
             } { POMP_Critical_enter(pomp_5());
            #line 10
            #pragma omp critical
                { POMP_Critical_begin(pomp_5()); *x = 1;; POMP_Critical_end(pomp_5()); } POMP_Critical_exit(pomp_5()); }
              } } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel (2, 2) (12, 12)
            == 2: for (4, 4) (5, 5)
            == 3: cancel parallel (7, 7) (7, 7)
            == 4: barrier (9, 9) (9, 9)
            == 5: critical (10, 10) (11, 11)
        "#]],
    );
}
