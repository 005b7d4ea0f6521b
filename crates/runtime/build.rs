//! The shared library stays in memory once it is loaded: threads that end and the exit handler
//! still call it after a `dlclose`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Linked by its whole path, it is still found by its name.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libpomp.so");
}
