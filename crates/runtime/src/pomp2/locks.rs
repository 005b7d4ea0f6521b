//! The lock routines.

use std::ffi::{c_int, c_void};

use crate::locks;

/// The lock routines: the OpenMP operation, measured as the program's own calls of it are.
macro_rules! lock_routines {
    ($($name:ident = $omp:ident;)*) => { $(
        #[doc = concat!("`", stringify!($omp), "`, measured.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(lock: *mut c_void) -> c_int {
            locks::$omp(lock)
        }
    )* };
}

lock_routines! {
    POMP2_Init_lock = omp_init_lock;
    POMP2_Destroy_lock = omp_destroy_lock;
    POMP2_Set_lock = omp_set_lock;
    POMP2_Unset_lock = omp_unset_lock;
    POMP2_Test_lock = omp_test_lock;
    POMP2_Init_nest_lock = omp_init_nest_lock;
    POMP2_Destroy_nest_lock = omp_destroy_nest_lock;
    POMP2_Set_nest_lock = omp_set_nest_lock;
    POMP2_Unset_nest_lock = omp_unset_nest_lock;
    POMP2_Test_nest_lock = omp_test_nest_lock;
}
