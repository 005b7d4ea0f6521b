//! Time without a CPU: how long a thread was ready to run while the system ran others.
//!
//! Linux counts this for each thread, in `/proc/thread-self/schedstat`. The file is opened at the
//! thread's first event, and read where the thread forks, joins, or reaches or leaves a barrier, if
//! at least a millisecond has passed since the last reading. Invariant 2 names these system calls.
//! Opening takes 10 us or more, and inner teams may have new threads for each region. Therefore the
//! file of a new thread that takes over a location is opened at its first border after a
//! millisecond, which most of these threads do not reach.
//!
//! What precedes a fork, the end of a part and the arrival at a barrier is computing; what precedes
//! a join and the exit of a barrier is waiting. Before its begin in a team a thread waits until the
//! fork; from there on it is late. A pause of a millisecond or
//! more is always found at the next border, so it is counted in the right class. Only pauses that
//! are shorter than the time between two readings can be counted in the class next to theirs.
//!
//! The program must not notice the open file: it lies at the top of the descriptors, where programs
//! have none, is closed by `exec`, and is not used any more once the descriptor is another file.

pub mod reading;

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use libc::pid_t;
use pompeii_live::{CPUS_MAX, THREAD_RECORD_OFFSET, ThreadRecord, ready_state};

use crate::clock;
use crate::location::Location;
use crate::names;
use crate::process::Process;
use crate::sampling;

use reading::{close, open, times};

/// Time between two readings of a thread.
const INTERVAL_NS: u64 = 1_000_000;
/// What the time before a border was.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The thread had work.
    Computing,
    /// It waited for others.
    Waiting,
    /// It waited for a team that was forked at this time, and begins in it only now.
    Starting(u64),
}

/// The thread is at a border of these threads' work.
#[inline(always)]
pub fn at_border(thread: &mut Location, class: Class, now: u64) {
    if now >= thread.ready.due {
        read(thread, class, now);
    }
}

/// The thread arrived last, at `now`; the others have waited for it for `waited` ticks in all.
#[inline(always)]
pub fn came_last(thread: &mut Location, (waited, size): (u64, u32), now: u64) {
    if thread.ready.read_ticks == now {
        let late = thread.ready.delayed_ticks.saturating_mul(u64::from(size.saturating_sub(1)));
        add(&record(thread).late_ticks, late.min(waited));
    }
}

/// Which share of the time in which it could run the thread has had a CPU; 1 where that is not
/// known. A system call, for what is done a few times in a run.
pub fn share_on_cpu(thread: &Location) -> f64 {
    let known = keep_errno(|| thread.ready.file.and_then(times));
    known.map_or(1.0, |(cpu_ns, ready_ns)| {
        cpu_ns.max(1) as f64 / cpu_ns.max(1).saturating_add(ready_ns) as f64
    })
}

/// The thread's first event. Another thread may have played the location less than an interval
/// before, so it is looked at in any case: what a thread without a reading has computed would be
/// taken for that of a library.
pub fn begin(thread: &mut Location) {
    if thread.ready.due != u64::MAX {
        thread.ready.next_read = 0;
        read(thread, Class::Computing, clock::now());
    } else if record(thread).state.load(Relaxed) == ready_state::NOT_KNOWN {
        // Its CPU time is known, all the same.
        keep_errno(|| play(thread, thread_id()));
    }
}

/// The thread ends.
pub fn end(thread: &mut Location) {
    if thread.ready.thread != 0 {
        look_again(record(thread), true);
        keep_errno(|| {
            close(thread.ready.file.take());
            sampling::disarm(thread.ready.thread);
        });
        thread.ready.thread = 0;
    }
}

/// What is kept of the location's thread.
pub fn record(thread: &Location) -> &'static ThreadRecord {
    // SAFETY: the location lies in the first page of its file, the record at that page's end, and
    // locations are never freed; all fields are atomic.
    unsafe { &*std::ptr::from_ref(thread).cast::<u8>().add(THREAD_RECORD_OFFSET).cast() }
}

fn add(to: &AtomicU64, value: u64) {
    to.store(to.load(Relaxed).saturating_add(value), Relaxed);
}

/// The program's `errno` stays what it was.
pub fn keep_errno<T>(call: impl FnOnce() -> T) -> T {
    // SAFETY: errno is a thread-local integer.
    unsafe {
        let before = *libc::__errno_location();
        let result = call();
        *libc::__errno_location() = before;
        result
    }
}

#[cold]
#[inline(never)]
fn read(thread: &mut Location, class: Class, now: u64) {
    if now < thread.ready.next_read {
        // Only what was late at its begin is late at its arrival.
        thread.ready.due = thread.ready.next_read;
        if class == Class::Computing {
            thread.ready.delayed_ticks = std::mem::take(&mut thread.ready.started_ticks);
            thread.ready.read_ticks = now;
        }
        return;
    }
    let ticks = ticks_in(thread.process, INTERVAL_NS, now);
    thread.ready.next_read = now.saturating_add(ticks);
    thread.ready.due = thread.ready.next_read;
    keep_errno(|| read_now(thread, class, now));
}

fn read_now(thread: &mut Location, class: Class, now: u64) {
    let id = thread_id();
    let is_new = thread.ready.thread != id;
    if is_new && take_over(thread, id) {
        return;
    }
    let record = record(thread);
    let begun_ns = std::mem::take(&mut thread.ready.begun_ns);
    if begun_ns != 0 {
        thread.ready.file = open(thread.index());
    }
    let Some((cpu_ns, ready_ns)) = thread.ready.file.and_then(times) else {
        give_up(thread);
        return;
    };
    let mut delta = ready_ns.saturating_sub(thread.ready.ready_ns);
    thread.ready.ready_ns = ready_ns;
    record.cpu_ns.store(cpu_ns, Relaxed);
    if is_new {
        return;
    }
    if begun_ns != 0 {
        let passed_ns = clock::monotonic_ns().saturating_sub(begun_ns);
        delta = delta.min(passed_ns.saturating_sub(cpu_ns));
    }
    let ticks = ticks_in(thread.process, delta, now);
    match class {
        Class::Waiting => add(&record.ready_waiting_ns, delta),
        Class::Starting(forked) => {
            // A thread that is woken by the fork is ready from then on. What is more than the time
            // since the fork was before it.
            let started = ticks.min(now.saturating_sub(forked));
            let share = u128::from(delta) * u128::from(started) / u128::from(ticks.max(1));
            let starting_ns = u64::try_from(share).unwrap_or(delta).min(delta);
            add(&record.ready_starting_ns, starting_ns);
            add(&record.ready_waiting_ns, delta - starting_ns);
            thread.ready.started_ticks = started;
            if started > 0 {
                // The arrival needs to know it, however early that is.
                thread.ready.due = 0;
            }
        }
        Class::Computing => {
            add(&record.ready_computing_ns, delta);
            let started = std::mem::take(&mut thread.ready.started_ticks);
            thread.ready.delayed_ticks = ticks.saturating_add(started);
            thread.ready.read_ticks = now;
        }
    }
}

/// The location is played by another thread than before. Returns whether the thread is new, and its
/// file is still to be opened: another thread of this location has had such a file, and this thread
/// has had a CPU for less than the time between two readings.
fn take_over(thread: &mut Location, id: pid_t) -> bool {
    close(thread.ready.file.take());
    (thread.ready.ready_ns, thread.ready.begun_ns) = (0, 0);
    play(thread, id);
    let record = record(thread);
    if record.state.load(Relaxed) == ready_state::KNOWN
        && let Some(cpu_ns) = cpu_ns_of(libc::CLOCK_THREAD_CPUTIME_ID)
        && cpu_ns < INTERVAL_NS
    {
        record.cpu_ns.store(cpu_ns, Relaxed);
        thread.ready.begun_ns = clock::monotonic_ns();
        return true;
    }
    thread.ready.file = open(thread.index());
    if record.state.load(Relaxed) == ready_state::NONE {
        record.state.store(ready_state::KNOWN, Relaxed);
    }
    false
}

/// The CPU time of this thread is added to that of the threads before.
fn play(thread: &mut Location, id: pid_t) {
    thread.ready.thread = id;
    let record = record(thread);
    let before_ns = record.cpu_ns.swap(0, Relaxed);
    // A thread may have events after its end, in what its libraries do then: the same CPU time.
    if record.thread_id.swap(id as u64, Relaxed) != id as u64 {
        add(&record.earlier_cpu_ns, before_ns);
    }
    record.is_cpu_final.store(0, Relaxed);
    sampling::arm(std::ptr::from_mut(thread).cast());
}

/// The CPU time that a clock of the system has.
fn cpu_ns_of(clock: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes into the local variable.
    let is_known = unsafe { libc::clock_gettime(clock, &mut time) } == 0;
    is_known.then_some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

fn thread_id() -> pid_t {
    // SAFETY: a plain system call.
    unsafe { libc::syscall(libc::SYS_gettid) as pid_t }
}

/// What is not known is not known from here on: no later reading makes up for it.
fn give_up(thread: &mut Location) {
    record(thread).state.store(ready_state::NOT_KNOWN, Relaxed);
    thread.ready.file = None;
    thread.ready.due = u64::MAX;
    thread.ready.next_read = u64::MAX;
}

/// So many nanoseconds in ticks, by the clocks' readings at the start and now.
fn ticks_in(process: &Process, ns: u64, now: u64) -> u64 {
    let start = &process.options.start;
    let ticks = now.saturating_sub(start.ticks);
    let passed_ns = clock::monotonic_ns().saturating_sub(start.monotonic_ns).max(1);
    let scaled = u128::from(ns) * u128::from(ticks) / u128::from(passed_ns);
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

/// Whether a thread that has ended was the only one of this location for most of the run. The
/// workers of the initial thread stay in its pool. Inner teams may get new threads for each region,
/// and so do the teams of each thread that the program makes: many of them may have ended within a
/// millisecond, in which no reading was due.
fn is_only_player(location: *const Location) -> bool {
    // SAFETY: locations are never freed, and these two never change.
    let (parent, level) = unsafe {
        let header = &raw const (*location).header;
        ((&raw const (*header).parent).read(), (&raw const (*header).level).read())
    };
    parent == 0 && level == 1
}

/// Notes the CPU time of a thread, and the CPUs that it may use. If the thread has ended, its last
/// reading is from less than a region before; that is its CPU time if `only` it was there.
fn look_again(record: &ThreadRecord, only: bool) {
    let id = record.thread_id.load(Relaxed) as pid_t;
    // The kernel's number of the clock of a thread's CPU time.
    if let Some(cpu_ns) = cpu_ns_of((!id << 3) | 6) {
        record.cpu_ns.store(cpu_ns, Relaxed);
        record.is_cpu_final.store(1, Relaxed);
    } else if only && record.state.load(Relaxed) == ready_state::KNOWN {
        record.is_cpu_final.store(1, Relaxed);
    }
    let mut cpus = [0_u64; CPUS_MAX / 64];
    // SAFETY: writes at most as many bytes as the local variable has.
    let known = unsafe {
        libc::syscall(libc::SYS_sched_getaffinity, id, size_of_val(&cpus), cpus.as_mut_ptr())
    };
    if known > 0 {
        record.cpus.iter().zip(cpus).for_each(|(word, bits)| word.store(bits, Relaxed));
    }
}

/// The process ends: notes the CPU time of all its threads, and its own. Called where nothing may
/// be allocated and no lock be taken.
pub fn end_process(process: &Process) {
    if !process.options.ready {
        return;
    }
    keep_errno(|| {
        for index in 0..process.header().locations.load(Relaxed) {
            let Some(location) = process.location(index) else { continue };
            // SAFETY: locations are never freed; only the record, which is atomic, is used.
            let record = record(unsafe { &*location });
            let id = record.thread_id.load(Relaxed);
            if id != 0 {
                look_again(record, is_only_player(location));
                names::end_with_process(record, id as pid_t);
            }
        }
        if let Some(cpu_ns) = cpu_ns_of(libc::CLOCK_PROCESS_CPUTIME_ID) {
            process.header().cpu_ns.store(cpu_ns, Relaxed);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Options;

    /// A thread begins to play the location, and comes to a border later. Whether its file is open
    /// after its begin, and whether it is still to be opened.
    fn has_begun(thread: &mut Location) -> (bool, bool) {
        begin(thread);
        let has = (thread.ready.file.is_some(), thread.ready.begun_ns != 0);
        thread.ready.next_read = 0;
        read(thread, Class::Computing, clock::now());
        assert!(thread.ready.file.is_some() && thread.ready.begun_ns == 0, "read at a border");
        assert_eq!(record(thread).state.load(Relaxed), ready_state::KNOWN);
        has
    }

    #[test]
    fn the_file_of_a_new_thread_is_opened_when_it_is_read() {
        if open(0).inspect(|file| close(Some(*file))).is_none() {
            return println!("not run: no schedstat here");
        }
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().to_owned();
        let options = Options { folder, ready: true, ..Options::default() };
        let process = Process::start(options, None).unwrap();
        let location = process.new_location(None).unwrap().expose_provenance();
        let play = move |is_old: bool| {
            while is_old && cpu_ns_of(libc::CLOCK_THREAD_CPUTIME_ID).unwrap() < INTERVAL_NS {}
            // SAFETY: locations are never freed, and one thread after the other uses this one.
            has_begun(unsafe { &mut *std::ptr::with_exposed_provenance_mut(location) })
        };
        let in_thread = |is_old| std::thread::spawn(move || play(is_old)).join().unwrap();
        assert_eq!(in_thread(false), (true, false), "the first thread of the location");
        assert_eq!(in_thread(false), (false, true), "a new thread");
        assert_eq!(in_thread(true), (true, false), "one that has had a CPU for a millisecond");
    }
}
