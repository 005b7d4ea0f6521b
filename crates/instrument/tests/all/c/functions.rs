//! User functions: which bodies are found, what they are called, and what is left alone.

use super::{check_with, show};
use expect_test::{Expect, expect};
use pompeii_filter::Filter;
use pompeii_instrument::{Functions, Language, Options, instrument, undo};
use std::fmt::Write;

fn options(path: &str, filter: &str) -> Options {
    let mut options = Options::new(path, Language::from_path(path).unwrap());
    let filter = Filter::parse(filter).unwrap();
    options.functions = Some(Functions { filter, folder: None });
    options
}

fn check(path: &str, input: &str, expected: Expect) {
    check_with(input, &options(path, ""), &expected);
}

/// Only the functions that get events, with their first and last lines.
fn check_names(path: &str, input: &str, expected: Expect) {
    let outcome = instrument(input.as_bytes(), &options(path, "")).unwrap();
    assert_eq!(undo(&outcome.text).unwrap(), input.as_bytes());
    assert_eq!(outcome.functions_instrumented, outcome.regions.len());
    let mut output = String::new();
    for region in &outcome.regions {
        let _ = writeln!(output, "{} {}-{}", region.sub_name, region.begin.0, region.end.1);
    }
    for remark in &outcome.diagnostics {
        let _ = writeln!(output, "== {:?} {}: {}", remark.severity, remark.line, remark.message);
    }
    expected.assert_eq(&output);
}

#[test]
fn the_call_is_a_declaration() {
    check(
        "t.c",
        "int f(int x)\n{\n  int y;\n  y = x;\n  if (y) return 1;\n  return y;\n}\n",
        expect![[r#"
            int f(int x)
            { __extension__ struct ompregdescr*pomp_f1 __attribute__((cleanup(pomp_leave),unused))=pomp_enter(pomp_1());
              int y;
              y = x;
              if (y) return 1;
              return y;
            }
            == 1: region f (1, 1) (7, 7)
        "#]],
    );
}

#[test]
fn constructs_inside_keep_their_events() {
    check(
        "t.cpp",
        "int f() {\n#pragma omp parallel\n  { g(); }\n}\n",
        expect![[r#"
            int f() { struct ompregdescr*pomp_f2 __attribute__((cleanup(pomp_leave),unused))=pomp_enter(pomp_2());
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel firstprivate(pomp_p1)
              { POMP_Parallel_begin(pomp_1(), pomp_p1); { g(); } POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel (2, 2) (3, 3)
            == 2: region f (1, 1) (4, 4)
        "#]],
    );
}

#[test]
fn without_openmp_directives_are_comments() {
    let mut options = options("t.c", "");
    options.openmp = false;
    check_with(
        "void f(void) {\n#pragma omp parallel\n  { }\n}\n",
        &options,
        &expect![[r#"
        void f(void) { __extension__ struct ompregdescr*pomp_f1 __attribute__((cleanup(pomp_leave),unused))=pomp_enter(pomp_1());
        #pragma omp parallel
          { }
        }
        == 1: region f (1, 1) (4, 4)
    "#]],
    );
}

#[test]
fn shapes_of_c() {
    check_names(
        "t.c",
        r##"
static int old(a, s) int a; register char *s;
{ return a; }
implicit(a) { return a; }
int declared(int), also(void);
int (parenthesised)(int a) { return a; }
void (*returns_pointer(int s, void (*f)(int)))(int) { return f; }
int (*returns_array(void))[3] { return 0; }
enum e { E1, E2 } returns_enum(void) { return E1; }
struct s { int x; struct { int y; } in; } *returns_struct(struct s *t) { return t; }
static struct { int a, b; } initialised = { 1, 2 };
const char *strings[] = { "a{", "}b" };
int SHOUTED(void) { return 2; }
LIBRARY(int) behind_macro(int x) NONNULL(1) { return x; }
__attribute__((cold)) static void attribute(void) { }
int nested(int x) {
  int inner(int y) { return x + y; }
  for (;;) { if (x) { } else if (inner(1)) { } FOREACH(x, y) { } }
  do { x--; } while (x);
  { struct s local = { 1, { 2 } }; local = (struct s) { 2, { 3 } }; }
  return ({ int z = 2; z; });
}
int main(int argc, char **argv) <% return 0; %>
"##,
        expect![[r#"
            old 2-3
            implicit 4-4
            parenthesised 6-6
            returns_pointer 7-7
            returns_array 8-8
            returns_enum 9-9
            returns_struct 10-10
            SHOUTED 13-13
            behind_macro 14-14
            attribute 15-15
            nested 16-22
            nested::inner 17-17
            main 23-23
        "#]],
    );
}

#[test]
fn left_alone_in_c() {
    check_names(
        "t.c",
        r##"
#define DEFINE(name) int name
#define lower(name) int name(void)
DEFINE(a)(int x) { return x; }
DEFINE(b) { return 1; }
lower(c) { return 1; }
__attribute__((naked)) void d(void) { __asm__("ret"); }
void e(void) { __asm__ volatile (""); }
void g(void) __attribute__((no_instrument_function)) { }
void h(void) { __label__ out; out: ; }
__global__ void kernel(float *x) { *x = 0; }
void POMP_Begin(void *d) { }
#pragma omp declare target
int i(void) { return 1; }
#pragma omp end declare target
#pragma omp declare target to(j)
int j(void) { return 1; }
#pragma omp declare simd
int k(int x) { return x; }
#pragma pomp noinstrument
int l(int x) { return x; }
#pragma pomp instrument
int measured(int x) { return x; }
"##,
        expect![[r#"
            measured 23-23
        "#]],
    );
}

#[test]
fn shapes_of_cxx() {
    check_names(
        "t.cpp",
        r##"
namespace a::b { inline namespace v1 {
class Base { public: virtual ~Base() {} virtual int m(int x) const { return x; } };
template <class T, int N = (3 > 2)> class EXPORT(x) K final : public Base, Other<int(T)> {
 public:
  K() : v{1, 2}, w(3) { if (w) return; }
  explicit(true) K(int a) try : v(), w(a) { throw 1; } catch (...) { w = 0; }
  ~K() noexcept(noexcept(x())) override {}
  K& operator=(const K& o) & { w = o.w; return *this; }
  bool operator()(int x) const noexcept { return x == w; }
  operator const char *() const { return w; }
  template <typename U> auto g(U u) -> decltype(u + 1) { return u + 1; }
  int m(int x) const override { struct L { int q() { return 1; } } l; return l.q() + x; }
  friend bool operator<(const K& x, const K& y) { return x.w < y.w; }
 private:
  std::vector<std::pair<int, int (*)(int)>> v{}; int w = 0; int arr[2] = {1, 2};
};
template <class T, int N> void K<T, N>::Inner::z() { y++; }
template <class T, int N> K<T, N>::K(int a, int b) : Base(), v{a}, w(b) { }
int operator""_km(unsigned long long x) { return (int)x; }
std::map<int, std::function<void(int)>> f(int q) { return [q](int z) { (void)z; }; }
enum class E : int { A, B };
}}
extern "C" { int c_function(int x) { return x; } }
extern "C" int c_other(int x) { return x; }
template <typename T> requires (sizeof(T) > 2) int constrained(T t) { return t; }
template <typename T> int trailing(T t) requires requires (T a) { a + 1; } { return t; }
[[nodiscard]] static inline int attribute [[maybe_unused]] (int x) { return x; }
auto main() -> int { try { f(1); } catch (int) {} return R"(})"[0]; }
"##,
        expect![[r#"
            a::b::v1::Base::~Base 3-3
            a::b::v1::Base::m 3-3
            a::b::v1::K::K 6-6
            a::b::v1::K::K 7-7
            a::b::v1::K::~K 8-8
            a::b::v1::K::operator= 9-9
            a::b::v1::K::operator() 10-10
            a::b::v1::K::operator const char * 11-11
            a::b::v1::K::g 12-12
            a::b::v1::K::m 13-13
            a::b::v1::K::m::L::q 13-13
            a::b::v1::K::operator< 14-14
            a::b::v1::K::Inner::z 18-18
            a::b::v1::K::K 19-19
            a::b::v1::operator""_km 20-20
            a::b::v1::f 21-21
            a::b::v1::f::lambda@21:59 21-21
            c_function 24-24
            c_other 25-25
            constrained 26-26
            trailing 27-27
            attribute 28-28
            main 29-29
        "#]],
    );
}

#[test]
fn left_alone_in_cxx() {
    check_names(
        "t.cpp",
        r##"
struct S { S(const S&) = default; S& operator=(const S&) = delete; int x{3}; };
consteval int c(int x) { return x; }
task d() { co_await e(); }
#define YIELD(x) co_yield x
#define DONE \
  co_return
task by_macro() { YIELD(1); }
task by_another() { DONE; }
task l = [](int x) -> task { co_return x; };
auto m = [](int x) consteval { return x; };
__global__ void g(int *x) { h([=] __device__ (int i) { x[i] = [i] { return i; }(); }); }
auto n = [] __attribute__((no_instrument_function)) (int x) { return x; };
TEST(Suite, name) { }
template <typename T> concept C = requires (T t) { t + 1; };
int table[] = { 1, 2, 3 };
int tail(int x) { [[clang::musttail]] return tail(x - 1); }
"##,
        expect![[r#""#]],
    );
}

#[test]
fn what_compilers_may_evaluate_enters_nothing_meanwhile() {
    check(
        "t.cpp",
        "constexpr int f(int x) { return x; }\nFMT_CONSTEXPR20 auto g(int x) -> int { return x; }\n\
         auto h = [](int x) { return x; };\n",
        expect![[r#"
            constexpr int f(int x) { pomp_constant(pomp_f1,pomp_enter(pomp_1())) return x; }
            FMT_CONSTEXPR20 auto g(int x) -> int { pomp_constant(pomp_f2,pomp_enter(pomp_2())) return x; }
            auto h = [](int x) { struct ompregdescr*pomp_f3 __attribute__((cleanup(pomp_left),unused))=__builtin_is_constant_evaluated()?__null:pomp_enter(pomp_3()); return x; };
            == 1: region f (1, 1) (1, 1)
            == 2: region g (2, 2) (2, 2)
            == 3: region lambda@3:10 (3, 3) (3, 3)
        "#]],
    );
}

#[test]
fn lambdas() {
    check_names(
        "t.cpp",
        r##"
auto top = [](int x) { return x; };
struct S {
  F member = [this](int x) mutable noexcept(true) { return x; };
  int operator[](int i) const { return a[i]; }
  S() : f([] { return 1; }), a{1, 2}, g{[]() { return 2; }} { }
};
std::map<int, int> f(int n) {
  auto generic = []<class T, int N = (3 > 2)>(T x) -> std::map<int, T> { return {{x, N}}; };
  sort(b, e, [&](int x, int y) { return [=] { return x < y; }(); });
  auto &[k, v] = p;
  int *a = new int[2] { 1, 2 }, c[] { 3 };
  if (c[0]) [[likely]] { n += n > 3 ? [] { return 0; }() : 1; }
  for (auto &&[q, r] : m) { }
  delete [] a; { n = b[n] {1}; }
  struct L { int z(int y) { return y; } };
  return w([](auto x) [[gnu::pure]] { struct M { int o() { return 1; } }; return M().o(); });
}
"##,
        expect![[r#"
            lambda@2:12 2-2
            S::lambda@4:14 4-4
            S::operator[] 5-5
            S::lambda@6:11 6-6
            S::lambda@6:41 6-6
            S::S 6-6
            f 8-18
            f::lambda@9:18 9-9
            f::lambda@10:14 10-10
            f::lambda@10:41 10-10
            f::lambda@13:39 13-13
            f::L::z 16-16
            f::lambda@17:12 17-17
        "#]],
    );
}

#[test]
fn lambdas_in_device_code() {
    check_names(
        "t.cpp",
        "#pragma omp declare target\nauto a = [](int x) { return x; };\n#pragma omp end declare target\n\
         [[omp::decl(declare_target)]] int b(int x) { return [=] { return x; }(); }\n\
         int c(int x) { return [=] { return x; }(); }\n",
        expect![[r#"
            c 5-5
            c::lambda@5:23 5-5
        "#]],
    );
}

#[test]
fn preprocessed_text_does_not_say_its_standard() {
    check_names(
        "t.ii",
        "constexpr int f(int x) { return x; }\nint g(int x) { return [=] { return x; }(); }\n",
        expect![[r#"
            g 2-2
            g::lambda@2:23 2-2
        "#]],
    );
}

#[test]
fn preprocessor_branches() {
    check_names(
        "t.c",
        r##"
#ifdef __cplusplus
extern "C" {
#endif
#ifdef A
int head(long x) {
  if (x) {
#else
int head(int x) {
  if (!x) {
#endif
    return 1;
  }
  return 0;
}
#if defined(B) && B > 3
int one(void)
#else
int other(void)
#endif
{ return 3; }
#ifdef __cplusplus
}
#endif
"##,
        expect![[r#"
            head 6-15
            head 9-15
            one 17-21
        "#]],
    );
}

#[test]
fn braces_that_do_not_match() {
    check_names(
        "t.c",
        "int f(void) { return 1; }\n#ifdef A\nint g(void) {\n#endif\nint h(void) { return 2; }\n",
        expect![[r#"
            f 1-1
            h 5-5
            == Hidden 3: the braces of a preprocessor branch do not match: functions that only it shows are not seen
        "#]],
    );
}

#[test]
fn a_filter_leaves_functions_out() {
    let filter = "SCOREP_REGION_NAMES_BEGIN EXCLUDE *\nINCLUDE *::m* f\nEXCLUDE MANGLED _ZN1b*\n\
                  SCOREP_REGION_NAMES_END";
    let input = "namespace a { int m1() { return 1; } }\nnamespace b { int m2() { return 1; } }\n\
                 int f() { return 2; }\nint g() { return 2; }\n";
    let outcome = instrument(input.as_bytes(), &options("t.cpp", filter)).unwrap();
    let shown = show(&outcome);
    assert!(shown.contains("a::m1") && shown.contains("region f"), "{shown}");
    assert!(!shown.contains("m2 ") && !shown.contains("region g"), "{shown}");
}

#[test]
fn functions_of_system_headers_are_not_the_users() {
    check_names(
        "t.i",
        "# 1 \"t.c\"\n# 1 \"/usr/include/x.h\" 1 3 4\nint h(void) { return 1; }\n\
         # 2 \"t.c\" 2\n# 1 \"own.h\" 1\nint own(void) { return 1; }\n# 3 \"t.c\" 2\n\
         int f(void) { return 1; }\n",
        expect![[r#"
            own 1-1
            f 3-3
        "#]],
    );
}
