//! The routines that a Fortran program may call without an interface, as gfortran names them. What
//! `pompeii instrument` writes has interfaces that lead to the routines for C.

use std::ffi::c_char;

use super::parameters;
use crate::fortran::entry;

entry!("pomp_init" = super::POMP_Init());
entry!("pomp_finalize" = super::POMP_Finalize());
entry!("pomp_on" = super::POMP_On());
entry!("pomp_off" = super::POMP_Off());
entry!("pomp_parameter_int" = parameters::int_from_fortran(
    name: *const c_char = name, value: *const i64 = value, length: usize = length
));
entry!("pomp_parameter_string" = parameters::string_from_fortran(
    name: *const c_char = name,
    value: *const c_char = value,
    name_length: usize = name_length,
    value_length: usize = value_length
));
