//! Taskloops: one call creates all tasks, so each is numbered when it begins.

use std::ffi::c_void;

use super::call::Call;
use super::clauses;
use super::header::Header;
use super::thread;
use crate::unmodified::Directive;
use crate::ways::iterations;

/// The number is a grain size; otherwise that of tasks.
const GRAIN_SIZE: usize = 0x200;
/// The construct does not wait for its tasks.
const NO_GROUP: usize = 0x800;
/// The third word of the data leads to a table of reductions.
const REDUCTION: usize = 0x1000;

/// The clauses that flags and number say.
fn written(flags: usize, number: usize) -> String {
    let number = match (number, flags & GRAIN_SIZE != 0) {
        (0, _) => String::new(),
        (number, true) => format!("grainsize({number})"),
        (number, false) => format!("num_tasks({number})"),
    };
    let words = [number.as_str(), if flags & NO_GROUP != 0 { "nogroup" } else { "" }];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The function of libgomp.
type Original = unsafe extern "C" fn(
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
) -> usize;

/// Meets a taskloop: (function, data, copy, size, align, flags, number, priority, start, end,
/// step). Unless there is no group, it waits for the tasks.
pub unsafe extern "C" fn create<const ENTRY: usize>(
    function: usize,
    data: usize,
    copy: usize,
    size: usize,
    align: usize,
    flags: usize,
    number: usize,
    priority: usize,
    start: usize,
    end: usize,
    step: usize,
) -> usize {
    let call = Call::<ENTRY>::executing(function);
    // SAFETY: the contract of this adapter; the descriptor is one of ours.
    unsafe {
        let words = || clauses::of(written(flags, number));
        let Some(site) = call.site(Directive::Taskloop, words) else {
            return call.original::<Original>()(
                function, data, copy, size, align, flags, number, priority, start, end, step,
            );
        };
        let (construct, original) = (site.construct, site.original::<Original>());
        let mut header = Header::new([function, data, copy, size, align], flags, construct);
        if flags & REDUCTION != 0 {
            header.words[2] = (data as *const usize).add(2).read();
        }
        iterations::taskloop_enter(construct, &raw mut header.id);
        let nothing = Header::hand_over(&raw mut header, site.library.is_cancellable, |block| {
            let run = run as *const () as usize;
            let [data, copy, size, align] = [block.data, block.copy, block.size, block.align];
            original(run, data, copy, size, align, flags, number, priority, start, end, step)
        });
        iterations::taskloop_exit(construct);
        nothing
    }
}

/// Executes a task with its iterations, which libgomp has written into the first two words.
unsafe extern "C" fn run(header: *mut Header) {
    // SAFETY: as for a task.
    unsafe {
        let Header { function, construct, id, .. } = header.read();
        let data = Header::user_data(header, 2);
        let outer = thread::execute(function);
        let mut task = 0;
        iterations::taskloop_begin(construct, id, &raw mut task);
        std::mem::transmute::<usize, extern "C" fn(*mut c_void)>(function)(data as *mut c_void);
        iterations::taskloop_end(construct, task);
        thread::go_back(outer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_those_of_the_flags() {
        assert_eq!(written(0, 0), "");
        assert_eq!(written(GRAIN_SIZE, 64), "grainsize(64)");
        assert_eq!(written(NO_GROUP, 8), "num_tasks(8) nogroup");
        assert_eq!(written(NO_GROUP | REDUCTION, 0), "nogroup");
    }
}
