//! Breaks the watermark rule, in this package alone.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cfg=cenl_broken_watermark");
}
