//! The names by which Fortran calls a function without an interface, as gfortran has them: lower
//! case and an underscore, or two with `-fsecond-underscore`.

/// One function under both names.
macro_rules! entry {
    (
        $lower:literal =
        $($call:ident)::+ ($($argument:ident: $type:ty = $value:expr),*) $(-> $out:ty)?
    ) => {
        const _: () = {
            #[unsafe(export_name = concat!($lower, "_"))]
            unsafe extern "C" fn one($($argument: $type),*) $(-> $out)? {
                // SAFETY: the contract of the function for C.
                #[allow(unused_unsafe, reason = "some of the functions are safe")]
                unsafe { $($call)::+($($value),*) }
            }
            #[unsafe(export_name = concat!($lower, "__"))]
            unsafe extern "C" fn two($($argument: $type),*) $(-> $out)? {
                // SAFETY: as above.
                unsafe { one($($argument),*) }
            }
        };
    };
}

pub(crate) use entry;
