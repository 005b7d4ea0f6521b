//! How an OpenMP runtime finds this tool, and which callbacks the tool asks for.
//!
//! A runtime that has OMPT looks for the function `ompt_start_tool` when it is initialised. If
//! another tool is there as well, that one is started and this one stays out, because both would
//! need the same words of each region and task.

use std::env;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr::null_mut;

use super::interface::{
    Data, Lookup, SET_ALWAYS, SET_SOMETIMES, SetCallback, StartToolResult, callback,
};
use super::{depend, mutex, parallel, sync, tasks, work};
use crate::{folder, next, start};

/// The one that the runtime keeps.
static TOOL: StartToolResult = StartToolResult { initialize, finalize, tool: Data::new() };

type StartTool = extern "C" fn(version: c_uint, runtime: *const c_char) -> *mut StartToolResult;

/// Called by the OpenMP runtime. Null where nothing is to be measured: then the runtime looks for
/// other tools.
#[unsafe(no_mangle)]
pub extern "C" fn ompt_start_tool(version: c_uint, runtime: *const c_char) -> *mut StartToolResult {
    let other = start_other(version, runtime);
    if !other.is_null() || !is_wanted() {
        return other;
    }
    if let Some(name) = tool_of_the_user() {
        stay_out(&format!("OMP_TOOL_LIBRARIES names another tool, {name}"));
        return null_mut();
    }
    (&raw const TOOL).cast_mut()
}

/// Starts the tool that the runtime would have found without this library. A runtime's own function
/// of this name, which looks for another one, has no tool.
fn start_other(version: c_uint, runtime: *const c_char) -> *mut StartToolResult {
    let found = next::in_global_scope(c"ompt_start_tool");
    if found == 0 {
        return null_mut();
    }
    // SAFETY: the function of this name has this type (OpenMP 5.2, section 19.2.1).
    let other = unsafe { transmute::<usize, StartTool>(found)(version, runtime) };
    if !other.is_null() && is_wanted() {
        stay_out("another OMPT tool is loaded");
    }
    other
}

/// Whether this process is to be measured.
fn is_wanted() -> bool {
    next::is_preloaded()
        && start::started().is_some()
        && start::is_enabled()
        && !folder::is_privileged()
        && next::is_only_instance()
}

/// A tool of the user's, which would not be asked after this one.
fn tool_of_the_user() -> Option<String> {
    let libraries = env::var_os("OMP_TOOL_LIBRARIES")?.to_string_lossy().into_owned();
    let is_other = |name: &&str| !name.is_empty() && !name.ends_with("libpomp.so");
    libraries.split(':').find(is_other).map(str::to_owned)
}

fn stay_out(why: &str) {
    if let Some(started) = start::started() {
        started.say(&format!(
            "warning: OpenMP is not measured: {why}, and the runtime has room for one tool; run \
             the program without it"
        ));
    }
}

/// The runtime is ready. The result is 0 if it has none of the callbacks.
extern "C" fn initialize(lookup: Lookup, _device: c_int, _tool: Option<&Data>) -> c_int {
    let found = lookup(c"ompt_set_callback".as_ptr());
    if found.is_null() {
        return 0;
    }
    // SAFETY: the entry point of this name has this type (OpenMP 5.2, section 19.6.1.3).
    let set = unsafe { transmute::<*const c_void, SetCallback>(found) };
    let sent = |(event, function): (c_int, *const c_void)| set(event, function) >= SET_SOMETIMES;
    // Each one is set, whether or not the runtime sends the others.
    let sent = callbacks().map(sent);
    if set(callback::DEPENDENCES, depend::dependences as *const c_void) == SET_ALWAYS {
        depend::note_sent();
    }
    c_int::from(sent.contains(&true))
}

/// The runtime ends. Live state is complete without it.
extern "C" fn finalize(_tool: Option<&Data>) {}

/// The callbacks of events. To add one: its line here, its number in `interface.rs`. Flushes are
/// frequent and without a wait, locks are interposed. Dependences are no events of their own, so
/// [`initialize`] sets their callback.
fn callbacks() -> [(c_int, *const c_void); 12] {
    [
        (callback::PARALLEL_BEGIN, parallel::begin as *const c_void),
        (callback::PARALLEL_END, parallel::end as *const c_void),
        (callback::IMPLICIT_TASK, parallel::implicit_task as *const c_void),
        (callback::TASK_CREATE, tasks::create as *const c_void),
        (callback::TASK_SCHEDULE, tasks::schedule as *const c_void),
        (callback::WORK, work::work as *const c_void),
        (callback::MASKED, work::masked as *const c_void),
        (callback::SYNC_REGION, sync::region as *const c_void),
        (callback::SYNC_REGION_WAIT, sync::wait as *const c_void),
        (callback::MUTEX_ACQUIRE, mutex::acquire as *const c_void),
        (callback::MUTEX_ACQUIRED, mutex::acquired as *const c_void),
        (callback::MUTEX_RELEASED, mutex::released as *const c_void),
    ]
}
