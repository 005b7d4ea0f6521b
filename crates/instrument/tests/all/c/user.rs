//! Directives that are for the measurement.

use super::{check, check_cxx};
use expect_test::expect;

#[test]
fn regions() {
    check(
        r#"void f(int n) {
#pragma pomp inst init
#pragma omp inst begin(outer) // comment
  if (n) {
    #pragma pomp inst altend(outer)
    return;
  }
#pragma pomp inst begin ( inner )
#pragma pomp inst off
#pragma pomp inst on
#pragma pomp inst end(inner)
#pragma pomp inst end(outer)
#pragma pomp inst finalize
}
"#,
        &expect![[r#"
            void f(int n) {
            POMP_Init();
            POMP_Begin(pomp_1(), 0); // comment
              if (n) {
                POMP_End(pomp_1(), 0);
                return;
              }
            POMP_Begin(pomp_2(), 0);
            POMP_Off();
            POMP_On();
            POMP_End(pomp_2(), 0);
            POMP_End(pomp_1(), 0);
            POMP_Finalize();
            }
            == 1: region outer (3, 3) (12, 12)
            == 2: region inner (8, 8) (11, 11)
        "#]],
    );
}

#[test]
fn no_events_for_a_while() {
    check(
        r#"void f(int n) {
#pragma pomp noinstrument
#pragma omp parallel
  n = 1;
#pragma pomp instrument
#pragma omp barrier
}
"#,
        &expect![[r#"
            void f(int n) {

            #pragma omp parallel
              n = 1;

            { POMP_Barrier_enter(pomp_1());
            #line 6
            #pragma omp barrier
            POMP_Barrier_exit(pomp_1()); }
            #line 7
            }
            == 1: barrier (6, 6) (6, 6)
            == 1 of 2
        "#]],
    );
}

#[test]
fn with_a_variable() {
    check(
        "void f(struct s *p) {\n#pragma omp inst begin(a, p->x[1])\n#pragma pomp inst end(a, p->x[1])\n}\n",
        &expect![[r#"
            void f(struct s *p) {
            POMP_Begin(pomp_1(), (void*)(__UINTPTR_TYPE__)&(p->x[1]));
            POMP_End(pomp_1(), (void*)(__UINTPTR_TYPE__)&(p->x[1]));
            }
            == 1: region a (2, 2) (3, 3)
        "#]],
    );
    check_cxx(
        "void f(const int &x) {\n#pragma omp inst begin(a , x)\n#pragma pomp inst end(a)\n}\n",
        &expect![[r#"
            void f(const int &x) {
            POMP_Begin(pomp_1(), reinterpret_cast<void*>(reinterpret_cast<__UINTPTR_TYPE__>(__builtin_addressof(x))));
            POMP_End(pomp_1(), __null);
            }
            == 1: region a (2, 2) (3, 3)
        "#]],
    );
}
