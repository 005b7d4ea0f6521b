//! The entry points of libgomp, each with the function of this adapter that gets its calls. To add
//! one: its line here. All that gcc 4.9 to 15 call are here, but for those that have no events
//! (`_next` of loops, `atomic_start`, data of devices, tables of reductions), which the program
//! finds in libgomp.
//!
//! In parentheses: how many arguments the call has, after which the function of this adapter gets
//! the address that it returns to; `function` if the function that the call passes tells what it
//! is. An entry point that has no register left for the address passes it in the register of the
//! first floating-point argument, because libgomp's functions have none: `six` for one with six
//! arguments. One with more saves its arguments on the stack, and the function of this adapter gets
//! these and the address ([`super::call::Frame`]): `before` if it says where to go on to, `around`
//! if it passes the call on by itself.

use std::ffi::CStr;

/// Hands the table to a macro.
macro_rules! entry_points {
    ($then:ident) => {
        $then! {
            GOMP_parallel = parallel::region(function);
            GOMP_parallel_reductions = parallel::region(function);
            GOMP_parallel_loop_static = parallel::with_loop(function);
            GOMP_parallel_loop_dynamic = parallel::with_loop(function);
            GOMP_parallel_loop_guided = parallel::with_loop(function);
            GOMP_parallel_loop_runtime = parallel::with_loop(function);
            GOMP_parallel_loop_nonmonotonic_dynamic = parallel::with_loop(function);
            GOMP_parallel_loop_nonmonotonic_guided = parallel::with_loop(function);
            GOMP_parallel_loop_nonmonotonic_runtime = parallel::with_loop(function);
            GOMP_parallel_loop_maybe_nonmonotonic_runtime = parallel::with_loop(function);
            GOMP_parallel_sections = parallel::with_sections(function);

            GOMP_parallel_start = split::region(function);
            GOMP_parallel_loop_static_start = split::with_loop(function);
            GOMP_parallel_loop_dynamic_start = split::with_loop(function);
            GOMP_parallel_loop_guided_start = split::with_loop(function);
            GOMP_parallel_loop_runtime_start = split::with_loop(function);
            GOMP_parallel_sections_start = split::with_sections(function);
            GOMP_parallel_end = split::end(0);

            GOMP_loop_static_start = loops::start_of_six(six);
            GOMP_loop_dynamic_start = loops::start_of_six(six);
            GOMP_loop_guided_start = loops::start_of_six(six);
            GOMP_loop_runtime_start = loops::start_of_six(six);
            GOMP_loop_nonmonotonic_dynamic_start = loops::start_of_six(six);
            GOMP_loop_nonmonotonic_guided_start = loops::start_of_six(six);
            GOMP_loop_nonmonotonic_runtime_start = loops::start_of_six(six);
            GOMP_loop_maybe_nonmonotonic_runtime_start = loops::start_of_six(six);
            GOMP_loop_ordered_static_start = loops::start_of_six(six);
            GOMP_loop_ordered_dynamic_start = loops::start_of_six(six);
            GOMP_loop_ordered_guided_start = loops::start_of_six(six);
            GOMP_loop_ordered_runtime_start = loops::start_of_six(six);
            GOMP_loop_start = loops::start(before);
            GOMP_loop_ordered_start = loops::start(before);
            GOMP_loop_ull_static_start = loops::start(before);
            GOMP_loop_ull_dynamic_start = loops::start(before);
            GOMP_loop_ull_guided_start = loops::start(before);
            GOMP_loop_ull_runtime_start = loops::start(before);
            GOMP_loop_ull_nonmonotonic_dynamic_start = loops::start(before);
            GOMP_loop_ull_nonmonotonic_guided_start = loops::start(before);
            GOMP_loop_ull_nonmonotonic_runtime_start = loops::start(before);
            GOMP_loop_ull_maybe_nonmonotonic_runtime_start = loops::start(before);
            GOMP_loop_ull_ordered_static_start = loops::start(before);
            GOMP_loop_ull_ordered_dynamic_start = loops::start(before);
            GOMP_loop_ull_ordered_guided_start = loops::start(before);
            GOMP_loop_ull_ordered_runtime_start = loops::start(before);
            GOMP_loop_ull_start = loops::start(before);
            GOMP_loop_ull_ordered_start = loops::start(before);
            GOMP_loop_doacross_static_start = loops::doacross_start(before);
            GOMP_loop_doacross_dynamic_start = loops::doacross_start(before);
            GOMP_loop_doacross_guided_start = loops::doacross_start(before);
            GOMP_loop_doacross_runtime_start = loops::doacross_start(before);
            GOMP_loop_doacross_start = loops::doacross_start(before);
            GOMP_loop_ull_doacross_static_start = loops::doacross_start(before);
            GOMP_loop_ull_doacross_dynamic_start = loops::doacross_start(before);
            GOMP_loop_ull_doacross_guided_start = loops::doacross_start(before);
            GOMP_loop_ull_doacross_runtime_start = loops::doacross_start(before);
            GOMP_loop_ull_doacross_start = loops::doacross_start(before);
            GOMP_loop_end = loops::end(0);
            GOMP_loop_end_cancel = loops::end(0);
            GOMP_loop_end_nowait = loops::end_nowait(0);
            GOMP_doacross_post = loops::post(1);
            GOMP_doacross_ull_post = loops::post(1);
            GOMP_doacross_wait = loops::wait(around);
            GOMP_doacross_ull_wait = loops::wait(around);
            GOMP_ordered_start = loops::ordered_start(0);
            GOMP_ordered_end = loops::ordered_end(0);

            GOMP_sections_start = sections::start(3);
            GOMP_sections2_start = sections::start(3);
            GOMP_sections_next = sections::next(0);
            GOMP_sections_end = sections::end(0);
            GOMP_sections_end_cancel = sections::end(0);
            GOMP_sections_end_nowait = sections::end_nowait(0);

            GOMP_single_start = single::start(0);
            GOMP_single_copy_start = single::copy_start(0);
            GOMP_single_copy_end = single::copy_end(1);

            GOMP_critical_start = critical::start(0);
            GOMP_critical_end = critical::end(0);
            GOMP_critical_name_start = critical::start_named(1);
            GOMP_critical_name_end = critical::end_named(1);

            GOMP_barrier = synchronisation::barrier(1);
            GOMP_barrier_cancel = synchronisation::barrier(1);
            GOMP_barrier_ext = synchronisation::barrier(1);
            GOMP_barrier_cancel_ext = synchronisation::barrier(1);
            GOMP_workshare_task_reduction_unregister = synchronisation::barrier(1);
            GOMP_taskwait = synchronisation::taskwait(1);
            GOMP_taskwait_depend = synchronisation::taskwait_depend(1);
            GOMP_taskgroup_start = synchronisation::taskgroup_start(0);
            GOMP_taskgroup_end = synchronisation::taskgroup_end(0);
            GOMP_taskyield = synchronisation::taskyield(0);
            GOMP_cancel = synchronisation::cancel(2);
            GOMP_cancellation_point = synchronisation::cancellation_point(1);

            GOMP_task = task::create(function);
            GOMP_taskloop = taskloop::create(function);
            GOMP_taskloop_ull = taskloop::create(function);

            GOMP_teams_reg = target::teams(function);
            GOMP_target = target::region(function);
            GOMP_target_ext = target::region(function);
        }
    };
}
pub(super) use entry_points;

macro_rules! table {
    ($($entry:ident = $module:ident::$body:ident($arguments:tt);)*) => {
        /// An entry point of libgomp.
        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types, reason = "the names are libgomp's")]
        pub enum Entry { $($entry),* }

        /// How many there are.
        pub const COUNT: usize = [$(stringify!($entry)),*].len();

        /// Their names.
        pub const NAMES: [&CStr; COUNT] = [$(name(concat!(stringify!($entry), "\0"))),*];
    };
}

/// Whether this entry point answers whether the region was cancelled. Those that end a construct
/// answer nothing else.
pub const fn asks_for_cancellation(entry: usize) -> bool {
    entry == Entry::GOMP_loop_end_cancel as usize
        || entry == Entry::GOMP_sections_end_cancel as usize
        || entry == Entry::GOMP_barrier_cancel as usize
        || entry == Entry::GOMP_barrier_cancel_ext as usize
}

const fn name(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => c"",
    }
}

entry_points!(table);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_entry_points() {
        assert_eq!(NAMES[Entry::GOMP_barrier as usize], c"GOMP_barrier");
        assert!(NAMES.iter().all(|name| name.to_bytes().starts_with(b"GOMP_")));
    }
}
