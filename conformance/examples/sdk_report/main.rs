//! What the official Rust SDK gets wrong, as Markdown: the committed report, made again.
//!
//! `codec.rs` shows how another codec is put behind the trait, and `report.rs` what is made of it.

mod codec;
mod report;

fn main() {
    // What panics is in the report.
    std::panic::set_hook(Box::new(|_| {}));
    print!("{}", report::markdown());
}
