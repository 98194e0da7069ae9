//! Leaves out the loops over vectors, in this package alone.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cfg=cenl_portable");
}
