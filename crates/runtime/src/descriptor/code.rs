//! Descriptors of constructs that have none in the program, because it was not instrumented: they
//! say where the construct is in the code. In everything else they are as those of our
//! instrumenter.

use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};
use std::sync::atomic::AtomicPtr;

use super::{Descriptor, Extension};
use crate::loaded::CodePlace;

/// What makes an [`Extension`] known that goes on with an [`InCode`].
pub(super) const MARK: &CStr = c"pompeii code 1";

/// Where a construct is in the code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InCode {
    /// The file that has the code, and an address in it.
    pub place: CodePlace,
    /// The address is that of the function that the compiler has made of the construct's body;
    /// otherwise it is inside the call that the construct has become.
    pub is_function: bool,
    /// The address in this process.
    pub address: usize,
    /// It is no address of the program: an OpenMP library has it, or it is unknown.
    pub is_elsewhere: bool,
}

impl InCode {
    /// As the report shows it where nothing else is known: `libsolver.so+0x1234`.
    pub fn text(&self) -> String {
        let name = self.place.path.rsplit('/').next().unwrap_or_default();
        format!("{name}+{:#x}", self.place.address)
    }
}

/// What else is known of a construct.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The name of a critical section.
    pub name: String,
    /// Clauses, in the words that our instrumenter uses.
    pub clauses: String,
}

#[repr(C)]
struct CodeExtension {
    start: Extension,
    code: InCode,
    number: u16,
}

/// A descriptor of this construct, which lives as long as the process. The number is what
/// [`number`] gives back.
pub fn descriptor(
    construct: &'static CStr,
    words: &Words,
    (code, number): (InCode, u16),
) -> *mut Descriptor {
    let start = Extension { mark: MARK.as_ptr(), clauses: c_string(&words.clauses) };
    let extension = CodeExtension { start, code, number };
    let extension: *const CodeExtension = Box::into_raw(Box::new(extension));
    Box::into_raw(Box::new(Descriptor {
        name: construct.as_ptr(),
        sub_name: c_string(&words.name),
        num_sections: 0,
        file_name: null(),
        begin_line1: 0,
        begin_line_n: 0,
        end_line1: 0,
        end_line_n: 0,
        data: AtomicPtr::new(null_mut()),
        next: extension.cast(),
    }))
}

/// The number of a construct.
///
/// # Safety
/// [`descriptor`] must have made it.
#[inline(always)]
pub unsafe fn number(descriptor: *mut Descriptor) -> u16 {
    // SAFETY: the caller's promise: its extension is such a structure, and lives as long.
    unsafe { (*(*descriptor).next.cast::<CodeExtension>()).number }
}

/// The file and the address of a construct.
///
/// # Safety
/// As for [`number`].
#[inline(always)]
pub unsafe fn code<'a>(descriptor: *mut Descriptor) -> &'a InCode {
    // SAFETY: as above.
    unsafe { &(*(*descriptor).next.cast::<CodeExtension>()).code }
}

/// Where the construct of this extension is in the code, if its descriptor says that.
pub(super) fn of(extension: &Extension) -> Option<&InCode> {
    // SAFETY: a mark is a NUL-terminated string.
    let has_code = unsafe { CStr::from_ptr(extension.mark) } == MARK;
    // SAFETY: only `descriptor` makes extensions with this mark, and they begin such a structure.
    has_code.then(|| unsafe { &(*std::ptr::from_ref(extension).cast::<CodeExtension>()).code })
}

fn c_string(text: &str) -> *const c_char {
    let bytes = text.bytes().filter(|&byte| byte != 0).chain([0]).collect::<Vec<u8>>();
    Box::leak(bytes.into_boxed_slice()).as_ptr().cast()
}
