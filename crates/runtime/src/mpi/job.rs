//! The process's place in its job, and its clock beside that of rank 0.

use std::ffi::c_char;

use pompeii_live::{Definition, MpiDefinition};

use super::waits;
use crate::entry::on_thread;
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

/// `MPI_Finalize` is done, or nothing is measured after what is left of it.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_finalized() {
    define(MpiDefinition::Finalized { ticks: clock::now() });
}

/// The clock that offsets are measured with.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_clock_ns() -> u64 {
    clock::monotonic_ns()
}

/// Which clock that is: processes with the same number read the same one. It follows from what the
/// kernel has drawn at random when it was booted (random(4)), and from the process's time namespace
/// (time_namespaces(7)). 0 where that is not known.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_clock_identity() -> u64 {
    let Ok(boot) = std::fs::read("/proc/sys/kernel/random/boot_id") else { return 0 };
    // A kernel without such namespaces has one clock.
    let namespace = std::fs::read_link("/proc/self/ns/time").unwrap_or_default();
    let bytes = boot.iter().chain(namespace.as_os_str().as_encoded_bytes());
    // FNV-1a.
    let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325, hash).max(1)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_keeps_its_clock() {
        assert_ne!(pomp_mpi_clock_identity(), 0);
        assert_eq!(pomp_mpi_clock_identity(), pomp_mpi_clock_identity());
    }
}
