//! What the official Rust SDK gets wrong, as Markdown: the committed report, made again.
//!
//! `codec.rs` shows how another codec is put behind the trait, and `report.rs` what is made of it.

mod codec;
mod report;

fn main() {
    print!("{}", report::markdown());
}
