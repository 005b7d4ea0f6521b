//! Tasks, and what goes on behind the scheduling points of untied ones.

use super::check;
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
                { POMP_Task_begin(pomp_2(), pomp_t2); f(n - 1);; POMP_Task_end(pomp_2(), pomp_t2); } POMP_Task_create_end(pomp_2(), pomp_t2); POMP_Task_resume(pomp_1(), pomp_t1); }
            { POMP_Taskyield_enter(pomp_3());
            #line 6
                #pragma omp taskyield
            POMP_Taskyield_exit(pomp_3()); POMP_Task_resume(pomp_1(), pomp_t1); }
            #line 7
                if (n)
            { POMP_Taskgroup_enter(pomp_4());
            #line 8
                  #pragma omp taskgroup
                  { POMP_Taskgroup_begin(pomp_4()); f(n - 2);; POMP_Taskgroup_end(pomp_4()); } POMP_Taskgroup_exit(pomp_4()); POMP_Task_resume(pomp_1(), pomp_t1); }
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
            { POMP_Taskwait_enter(pomp_7());
            #line 14
                #pragma omp taskwait depend(in: n)
            POMP_Taskwait_exit(pomp_7()); POMP_Task_resume(pomp_1(), pomp_t1); }
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
