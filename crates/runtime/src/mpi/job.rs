//! The process's place in its job, and its clock beside that of rank 0.

use std::ffi::c_char;

use pompeii_live::{Definition, MpiDefinition};

use super::waits;
use crate::pomp::on_thread;
use crate::{clock, folder};

/// Writes a text that no other process at any other time gets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_job(to: *mut c_char, bytes: usize) {
    let text = format!("{}-{}-{:x}", folder::host_name(), std::process::id(), clock::now());
    let length = text.len().min(bytes.saturating_sub(1));
    if bytes > 0 {
        // SAFETY: the contract of `pomp_mpi.h`: so many bytes are there.
        unsafe {
            to.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), length);
            to.add(length).write(0);
        }
    }
}

fn define(definition: MpiDefinition) {
    on_thread!(|thread| thread.process.define(&Definition::Mpi(definition)));
}

/// `MPI_Init` is done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_world(rank: u32, size: u32, job: *const c_char) {
    // SAFETY: the contract of `pomp_mpi.h`.
    let job = unsafe { super::text(job) };
    define(MpiDefinition::World { rank, size, job });
}

/// `MPI_Finalize` is done.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_finalized() {
    define(MpiDefinition::Finalized { ticks: clock::now() });
}

/// The clock that offsets are measured with.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_clock_ns() -> u64 {
    clock::monotonic_ns()
}

/// How far rank 0's clock was ahead. It is also what waiting is measured with from now on.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_clock_offset(at_ns: u64, offset_ns: i64, error_ns: u64) {
    waits::set_offset(offset_ns, error_ns);
    // Between then and now lie less than a few milliseconds, over which the rate of ticks is known
    // well enough from the start of the measurement.
    let now = clock::calibrate();
    on_thread!(|thread| {
        let start = thread.process.options.start;
        let elapsed_ns = now.monotonic_ns.saturating_sub(start.monotonic_ns).max(1);
        let rate = now.ticks.saturating_sub(start.ticks) as f64 / elapsed_ns as f64;
        let back = (now.monotonic_ns.saturating_sub(at_ns) as f64 * rate) as u64;
        let ticks = now.ticks.saturating_sub(back);
        let definition = MpiDefinition::ClockOffset { ticks, offset_ns, error_ns };
        thread.process.define(&Definition::Mpi(definition));
    });
}
