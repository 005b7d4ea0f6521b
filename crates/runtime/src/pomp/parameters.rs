//! The functions that give a parameter its value.

use std::ffi::{CStr, c_char};
use std::slice;

use crate::clock;
use crate::entry::on_thread;
use crate::parameters::{self, Value};

/// A signed integer is the parameter's value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parameter_int(name: *const c_char, value: i64) {
    // SAFETY: the contract of `pomp`.
    set(unsafe { string(name) }, Value::Int(value));
}

/// An unsigned integer is the parameter's value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parameter_uint(name: *const c_char, value: u64) {
    // SAFETY: the contract of `pomp`.
    set(unsafe { string(name) }, Value::Unsigned(value));
}

/// A string is the parameter's value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parameter_string(name: *const c_char, value: *const c_char) {
    // SAFETY: the contract of `pomp`.
    unsafe { set(string(name), Value::Text(string(value))) };
}

/// What [`POMP_Parameter_int`] is for Fortran, which passes addresses, and the lengths of strings
/// behind all arguments.
pub(super) unsafe fn int_from_fortran(name: *const c_char, value: *const i64, length: usize) {
    // SAFETY: the contract of `pomp`.
    unsafe { set(characters(name, length), Value::Int(*value)) };
}

/// What [`POMP_Parameter_string`] is for Fortran.
pub(super) unsafe fn string_from_fortran(
    name: *const c_char,
    value: *const c_char,
    name_length: usize,
    value_length: usize,
) {
    // SAFETY: the contract of `pomp`.
    unsafe { set(characters(name, name_length), Value::Text(characters(value, value_length))) };
}

fn set(name: &[u8], value: Value) {
    on_thread!(|thread| parameters::set(thread, name, value, clock::now()));
}

/// # Safety
/// `text` is null or NUL-terminated.
unsafe fn string<'a>(text: *const c_char) -> &'a [u8] {
    if text.is_null() {
        return b"";
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_bytes()
}

/// A Fortran string without the blanks behind it.
///
/// # Safety
/// `text` is null or leads to `length` bytes.
unsafe fn characters<'a>(text: *const c_char, length: usize) -> &'a [u8] {
    if text.is_null() {
        return b"";
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(text.cast::<u8>(), length) }.trim_ascii_end()
}
