//! Threads of POSIX and C++ (`run --pthreads`): visits are those of the source, the thread that had
//! a mutex is the one that was waited for, and the program does not notice.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::common::{Sandbox, silent};
use pompeii_testing::oracles;

/// Compiles a source that needs no OpenMP.
fn build(sandbox: &Sandbox, compiler: &str, (name, source): (&str, &str), options: &[&str]) {
    let file = format!("{name}.{}", if compiler == "g++" { "cc" } else { "c" });
    sandbox.file(&file, source);
    let mut command = Command::new(compiler);
    command.args(["-g", "-O1", "-pthread", &file, "-o", name]).args(options);
    silent(command.current_dir(sandbox.path("")));
}

fn report(sandbox: &Sandbox, experiment: &str) -> Value {
    let text = sandbox.succeeds(&format!("report {experiment} --json")).output;
    serde_json::from_str(&text).unwrap()
}

/// Visits of functions of POSIX threads and of those that threads begin with, by name.
fn visits(report: &Value) -> BTreeMap<String, u64> {
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for path in report["call_paths"].as_array().unwrap().iter().skip(1) {
        let region = &report["regions"][path["region"].as_u64().unwrap() as usize];
        let name = region["name"].as_str().unwrap().to_owned();
        // A call that signals is known before it is made, and counts when it has returned.
        let visits = path["metrics"]["visits"].as_f64().unwrap_or(0.0) as u64;
        *found.entry(name).or_default() += visits;
    }
    found
}

fn locations(report: &Value) -> Vec<&str> {
    let all = report["locations"].as_array().unwrap();
    all.iter().map(|location| location["name"].as_str().unwrap()).collect()
}

/// Every thread locks 100 times. The first argument is the number of threads.
const COUNTED: &str = "#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static int sum;
static void *add(void *none) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&mutex);
    sum++;
    pthread_mutex_unlock(&mutex);
  }
  pthread_barrier_wait(&all);
  return none;
}
int main(int count, char **words) {
  pthread_t threads[4];
  count = atoi(words[1]);
  pthread_barrier_init(&all, NULL, count);
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  printf(\"%d\\n\", sum);
  return 3;
}
";

#[test]
fn visits_are_those_of_the_source() {
    let sandbox = Sandbox::new();
    build(&sandbox, "gcc", ("counted", COUNTED), &[]);
    for (count, trace) in [(1_u64, ""), (2, "--trace "), (4, "")] {
        let run =
            format!("run --pthreads --no-sample {trace}-q -o exp{count} -- ./counted {count}");
        let ended = sandbox.pompeii(&run);
        assert_eq!((ended.code, ended.output.as_str()), (Some(3), &*format!("{}\n", 100 * count)));
        let report = report(&sandbox, &format!("exp{count}"));
        let expected = [
            ("add", count),
            ("pthread_barrier_wait", count),
            ("pthread_create", count),
            ("pthread_join", count),
            ("pthread_mutex_lock", 100 * count),
            ("pthread_mutex_unlock", 100 * count),
        ];
        let expected = expected.map(|(name, visits)| (name.to_owned(), visits));
        assert_eq!(visits(&report), BTreeMap::from(expected), "{count} threads");
        // Threads that end early hand on their locations, but all meet at the barrier.
        let names = locations(&report);
        assert_eq!(names.len() as u64, 1 + count, "{names:?}");
        assert!(names[1..].iter().all(|name| name.ends_with(" (add)")), "{names:?}");
        assert_eq!(report["sum_error"], Value::Null, "{}", report["sum_error"]);
    }
    assert!(sandbox.succeeds("dump --check exp2").output.contains("0 violations, 0 errors"));
    check_lives(&sandbox);
}

/// Both threads are created, begin, end and are waited for, also for other readers.
fn check_lives(sandbox: &Sandbox) {
    let records = |text: &str| {
        let count =
            |name| text.lines().filter(|line| line.split_whitespace().next() == Some(name)).count();
        ["THREAD_CREATE", "THREAD_BEGIN", "THREAD_END", "THREAD_WAIT"].map(count)
    };
    assert_eq!(records(&sandbox.succeeds("dump exp2").output), [2; 4]);
    if oracles() {
        let trace = sandbox.path("exp2/traces.otf2");
        assert_eq!(records(&silent(Command::new("otf2-print").arg(trace))), [2; 4]);
    }
}

/// Threads with and without names; the last one has not ended when the process does.
const NAMED: &str = "#define _GNU_SOURCE
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>
static pthread_barrier_t all;
static void *work(void *name) {
  if (name) prctl(PR_SET_NAME, name);
  pthread_barrier_wait(&all);
  return name;
}
static void *stay(void *none) {
  pthread_barrier_wait(&all);
  for (;;) pause();
  return none;
}
int main(void) {
  pthread_t threads[3];
  prctl(PR_SET_NAME, \"parent\");
  pthread_barrier_init(&all, NULL, 4);
  pthread_create(&threads[0], NULL, work, NULL);
  pthread_create(&threads[1], NULL, work, \"writer\");
  pthread_create(&threads[2], NULL, stay, NULL);
  pthread_setname_np(threads[2], \"a listener\");
  pthread_barrier_wait(&all);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
";

#[test]
fn threads_have_the_names_that_the_program_gives_them() {
    let sandbox = Sandbox::new();
    build(&sandbox, "gcc", ("named", NAMED), &[]);
    sandbox.succeeds("run --pthreads --no-sample -q -o exp -- ./named");
    let report = report(&sandbox, "exp");
    // The threads come to their locations in any order.
    let names: BTreeSet<&str> =
        locations(&report).iter().filter_map(|name| Some(name.split_once(" (")?.1)).collect();
    assert_eq!(names, BTreeSet::from(["a listener)", "work)", "writer)"]));
}

/// What must not change: kinds of mutexes, errors, ends of threads, forks, and what comes after them.
const EDGES: &str = "#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define MUST(what) if (!(what)) { fprintf(stderr, \"line %d: %s\\n\", __LINE__, #what); _exit(1); }
static pthread_mutex_t own, plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_key_t key;
static sem_t ready;
static int destroyed;
static void make(int kind, int is_robust) {
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_settype(&how, kind);
  if (is_robust) pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
  MUST(!pthread_mutex_init(&own, &how));
}
static void kinds(void) {
  make(PTHREAD_MUTEX_RECURSIVE, 0);
  MUST(!pthread_mutex_lock(&own) && !pthread_mutex_lock(&own) && !pthread_mutex_trylock(&own));
  MUST(!pthread_mutex_unlock(&own) && !pthread_mutex_unlock(&own) && !pthread_mutex_unlock(&own));
  MUST(pthread_mutex_unlock(&own) == EPERM && !pthread_mutex_destroy(&own));
  make(PTHREAD_MUTEX_ERRORCHECK, 0);
  MUST(!pthread_mutex_lock(&own) && pthread_mutex_lock(&own) == EDEADLK);
  MUST(!pthread_mutex_unlock(&own) && !pthread_mutex_destroy(&own));
}
static void *lock_own(void *none) { MUST(!pthread_mutex_lock(&own)); return none; }
static void *find_taken(void *none) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  MUST(pthread_mutex_trylock(&plain) == EBUSY);
  MUST(pthread_mutex_timedlock(&plain, &now) == ETIMEDOUT);
  return none;
}
static void unlock(void *none) { (void)none; pthread_mutex_unlock(&plain); }
static void *wait_for_ever(void *none) {
  pthread_mutex_lock(&plain);
  pthread_cleanup_push(unlock, NULL);
  sem_post(&ready);
  for (;;) pthread_cond_wait(&never, &plain);
  pthread_cleanup_pop(0);
  return none;
}
static void destroy(void *value) {
  pthread_mutex_lock(&plain);
  destroyed += value != NULL;
  pthread_mutex_unlock(&plain);
}
static void *leave(void *value) {
  pthread_setspecific(key, value);
  errno = 77;
  pthread_mutex_lock(&plain);
  pthread_mutex_unlock(&plain);
  MUST(errno == 77);
  pthread_exit(value);
}
static void *sleep_for_ever(void *none) { sem_post(&ready); for (;;) pause(); return none; }
static void in_thread(void *(*function)(void *), void *argument, void *expected) {
  pthread_t thread;
  void *value;
  MUST(!pthread_create(&thread, NULL, function, argument));
  MUST(!pthread_join(thread, &value) && value == expected);
}
int main(void) {
  pthread_t thread;
  void *value;
  int status;
  MUST(!sem_init(&ready, 0, 0) && !pthread_key_create(&key, destroy));
  kinds();
  make(PTHREAD_MUTEX_NORMAL, 1);
  in_thread(lock_own, NULL, NULL);
  MUST(pthread_mutex_lock(&own) == EOWNERDEAD && !pthread_mutex_consistent(&own));
  MUST(!pthread_mutex_unlock(&own) && !pthread_mutex_destroy(&own));
  pthread_mutex_lock(&plain);
  in_thread(find_taken, NULL, NULL);
  pthread_mutex_unlock(&plain);
  MUST(!pthread_create(&thread, NULL, wait_for_ever, NULL) && !sem_wait(&ready));
  pthread_mutex_lock(&plain);
  pthread_mutex_unlock(&plain);
  MUST(!pthread_cancel(thread) && !pthread_join(thread, &value) && value == PTHREAD_CANCELED);
  in_thread(leave, &key, &key);
  MUST(destroyed == 1);
  MUST(!pthread_rwlock_rdlock(&shared) && !pthread_rwlock_unlock(&shared));
  MUST(!pthread_rwlock_wrlock(&shared) && !pthread_rwlock_unlock(&shared));
  if (!fork()) { in_thread(leave, &key, &key); _exit(5); }
  MUST(wait(&status) > 0 && WEXITSTATUS(status) == 5);
  MUST(!pthread_create(&thread, NULL, sleep_for_ever, NULL) && !pthread_detach(thread));
  sem_wait(&ready);
  puts(\"done\");
  return 0;
}
";

#[test]
fn a_program_does_not_notice() {
    let sandbox = Sandbox::new();
    build(&sandbox, "gcc", ("edges", EDGES), &[]);
    for options in ["--no-sample", "--trace"] {
        let ended = sandbox.succeeds(&format!("run --pthreads {options} -q -o exp -- ./edges"));
        assert_eq!(ended.output, "done\n", "{}", ended.messages);
        let visits = visits(&report(&sandbox, "exp"));
        for (name, expected) in [
            ("wait_for_ever", 1),
            ("leave", 1),
            ("find_taken", 1),
            ("sleep_for_ever", 1),
            ("pthread_mutex_timedlock", 1),
            ("pthread_mutex_trylock", 2),
            ("pthread_rwlock_rdlock", 1),
            ("pthread_create", 5),
            ("pthread_join", 4),
            ("sem_wait", 2),
        ] {
            assert_eq!(visits.get(name), Some(&expected), "{name} with {options}");
        }
        std::fs::remove_dir_all(sandbox.path("exp")).unwrap();
    }
}

/// In each of ten rounds `keep` has the mutex for a while after `want` has said that it asks for it.
const HOLDER: &str = "#include <semaphore.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t taken, asked, over;
static void *keep(void *none) {
  for (int i = 0; i < 10; i++) {
    pthread_mutex_lock(&mutex);
    sem_post(&taken);
    sem_wait(&asked);
    usleep(20000);
    pthread_mutex_unlock(&mutex);
    sem_wait(&over);
  }
  return none;
}
static void *want(void *none) {
  for (int i = 0; i < 10; i++) {
    sem_wait(&taken);
    sem_post(&asked);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex), usleep(5000);
    sem_post(&over);
  }
  return none;
}
int main(void) {
  pthread_t threads[2];
  sem_init(&taken, 0, 0), sem_init(&asked, 0, 0), sem_init(&over, 0, 0);
  pthread_create(&threads[0], NULL, keep, NULL);
  pthread_create(&threads[1], NULL, want, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
";

/// The label of each call path that has waited, with those of what it has waited for.
fn waits(report: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let label = |call: &Value| {
        let path = &report["call_paths"][call.as_u64().unwrap() as usize];
        let region = &report["regions"][path["region"].as_u64().unwrap() as usize];
        region["label"].as_str().unwrap().to_owned()
    };
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for wait in report["waits"].as_array().unwrap() {
        found.entry(label(&wait["call_path"])).or_default().insert(label(&wait["by_call_path"]));
    }
    found
}

#[test]
fn who_has_a_mutex_is_who_is_waited_for() {
    let sandbox = Sandbox::new();
    build(&sandbox, "gcc", ("holder", HOLDER), &[]);
    sandbox.succeeds("run --pthreads --no-sample --trace -q -o exp -- ./holder");
    let profile = report(&sandbox, "exp");
    let waits = waits(&profile);
    let only = |by: &str| BTreeSet::from([by.to_owned()]);
    let of_mutex = waits.get("pthread_mutex_lock want holder.c:21");
    assert_eq!(of_mutex, Some(&only("pthread_mutex_lock keep holder.c:8")), "{waits:#?}");
    let of_semaphore = waits.get("sem_wait keep holder.c:13");
    assert_eq!(of_semaphore, Some(&only("sem_post want holder.c:23")), "{waits:#?}");
    let findings = profile["findings"].as_array().unwrap();
    let of_mutex = "pthread_lock_contention_mutex_lock";
    let finding = findings.iter().find(|finding| finding["property"] == of_mutex).unwrap();
    assert_eq!(finding["label"], "pthread_mutex_lock keep holder.c:8", "{finding}");
    let told = sandbox.succeeds("analyze exp").output;
    assert!(told.contains("keep"), "{told}");
}

/// In each of five rounds `late` makes `early` wait: at a barrier, for a lock that `late` has for
/// reading and then for writing, and for a condition.
const LATE: &str = "#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static pthread_barrier_t both;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t taken, waits;
static int is_ready;
static void *late(void *none) {
  for (int i = 0; i < 5; i++) {
    usleep(10000);
    pthread_barrier_wait(&both);
    pthread_rwlock_rdlock(&shared);
    sem_post(&taken);
    usleep(10000);
    pthread_rwlock_unlock(&shared);
    sem_wait(&waits);
    pthread_rwlock_wrlock(&shared);
    sem_post(&taken);
    usleep(10000);
    pthread_rwlock_unlock(&shared);
    sem_wait(&waits);
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
  }
  return none;
}
static void *early(void *none) {
  for (int i = 0; i < 5; i++) {
    pthread_barrier_wait(&both);
    sem_wait(&taken);
    pthread_rwlock_wrlock(&shared);
    pthread_rwlock_unlock(&shared);
    sem_post(&waits);
    sem_wait(&taken);
    pthread_rwlock_rdlock(&shared);
    pthread_rwlock_unlock(&shared);
    pthread_mutex_lock(&mutex);
    sem_post(&waits);
    while (!is_ready)
      pthread_cond_wait(&changed, &mutex);
    is_ready = 0;
    pthread_mutex_unlock(&mutex);
  }
  return none;
}
int main(void) {
  pthread_t threads[2];
  sem_init(&taken, 0, 0), sem_init(&waits, 0, 0), pthread_barrier_init(&both, NULL, 2);
  pthread_create(&threads[0], NULL, early, NULL);
  pthread_create(&threads[1], NULL, late, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
";

/// The waits of `early` and of `main`. The mutex is taken before `late` is let go on, so `early`
/// always waits for the condition. In a trace the calls that find something free have events, too.
#[test]
fn whoever_ends_the_waiting_is_who_is_waited_for() {
    let sandbox = Sandbox::new();
    build(&sandbox, "gcc", ("late", LATE), &[]);
    for trace in ["", "--trace "] {
        sandbox.succeeds(&format!("run --pthreads --no-sample {trace}-q -o exp -- ./late"));
        let profile = report(&sandbox, "exp");
        let waits = waits(&profile);
        for (at, by) in [
            ("pthread_barrier_wait early late.c:33", "late"),
            ("pthread_rwlock_wrlock early late.c:35", "pthread_rwlock_rdlock late late.c:14"),
            ("pthread_rwlock_rdlock early late.c:39", "pthread_rwlock_wrlock late late.c:19"),
            ("pthread_cond_wait early late.c:44", "pthread_cond_signal late late.c:26"),
        ] {
            assert_eq!(waits.get(at), Some(&BTreeSet::from([by.to_owned()])), "{waits:#?}");
        }
        let of_joins = waits.get("pthread_join main late.c:55").unwrap();
        assert!(of_joins.contains("early"), "{waits:#?}");
        if !trace.is_empty() {
            check_analysis(&sandbox);
        }
        std::fs::remove_dir_all(sandbox.path("exp")).unwrap();
    }
}

/// The analysis of the trace alone has what the profile has: who had the lock for reading or writing
/// while `early` waited for it.
fn check_analysis(sandbox: &Sandbox) {
    sandbox.succeeds("analyze --no-whatif -o results exp");
    let traced = report(sandbox, "results/trace.cubex");
    let waits = waits(&traced);
    for (at, by) in [
        ("pthread_rwlock_wrlock early late.c:35", "pthread_rwlock_rdlock late late.c:14"),
        ("pthread_rwlock_rdlock early late.c:39", "pthread_rwlock_wrlock late late.c:19"),
    ] {
        assert_eq!(waits.get(at), Some(&BTreeSet::from([by.to_owned()])), "{waits:#?}");
        let mut findings = traced["findings"].as_array().unwrap().iter();
        let is_of_lock = |of: &Value| of["property"] == "pthread_lock_contention_mutex_lock";
        assert!(findings.any(|of| is_of_lock(of) && of["label"] == by), "{}", traced["findings"]);
    }
    let checked = sandbox.succeeds("dump --check exp").output;
    assert!(checked.contains("0 violations, 0 errors"), "{checked}");
    std::fs::remove_dir_all(sandbox.path("results")).unwrap();
}

/// Threads, a mutex and a condition of C++.
const OF_CPP: &str = "#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
static std::mutex mutex;
static std::condition_variable changed;
static int turn;
__attribute__((noinline)) static void pass(int own) {
  for (int i = 0; i < 20; i++) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [own] { return turn == own; });
    turn = 1 - own;
    changed.notify_all();
  }
}
int main() {
  std::thread other([] { pass(1); });
  pass(0);
  other.join();
  std::printf(\"%d\\n\", turn);
}
";

#[test]
fn threads_of_cpp_are_threads_of_posix() {
    let sandbox = Sandbox::new();
    build(&sandbox, "g++", ("cpp", OF_CPP), &[]);
    let ended = sandbox.succeeds("run --pthreads --no-sample -q -o exp -- ./cpp");
    assert_eq!(ended.output, "0\n");
    let report = report(&sandbox, "exp");
    let (visits, names) = (visits(&report), locations(&report));
    assert_eq!(visits.get("pthread_mutex_lock"), Some(&40), "{visits:?}");
    assert_eq!(visits.get("pthread_cond_broadcast"), Some(&40), "{visits:?}");
    assert_eq!(visits.get("pthread_join"), Some(&1), "{visits:?}");
    assert_eq!(names.len(), 2);
    assert_eq!(names[1], "Thread 1 (std::thread)");
    let regions = report["regions"].as_array().unwrap();
    let mut of_mutex = regions.iter().filter(|region| region["name"] == "pthread_mutex_lock");
    assert!(of_mutex.all(|region| region["function"] == "pass"), "{regions:?}");
}

/// One thread of the program's own next to those of OpenMP.
const WITH_OPENMP: &str = "#include <pthread.h>
#include <stdio.h>
static void *work(void *none) { return none; }
int main(void) {
  pthread_t thread;
  int count = 0;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
#pragma omp parallel num_threads(2) reduction(+ : count)
  count++;
  printf(\"%d\\n\", count);
  return 0;
}
";

#[test]
fn threads_of_openmp_are_there_once() {
    let sandbox = Sandbox::new();
    build(&sandbox, "gcc", ("both", WITH_OPENMP), &["-fopenmp"]);
    let ended = sandbox.succeeds("run --pthreads --no-sample -q -o exp -- ./both");
    assert_eq!(ended.output, "2\n");
    let report = report(&sandbox, "exp");
    let names = locations(&report);
    assert_eq!(names, ["Master thread", "Thread 1 (work)", "OMP thread 1"], "{names:?}");
    let expected = [("pthread_create", 1), ("pthread_join", 1), ("work", 1)];
    let visits = visits(&report);
    assert!(expected.iter().all(|(name, of)| visits.get(*name) == Some(of)), "{visits:?}");
}
