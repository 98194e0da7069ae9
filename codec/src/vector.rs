//! The one place for vector code that the compiler does not choose by itself, and for `unsafe`.
//!
//! [`VectorLoops`] go as far as they are sure and say how far that is. The safe code that called them goes on
//! from there, and alone refuses, so that a verdict never depends on the processor. The answers of
//! [`unescape`], [`base64`] and [`verbatim`] are the same on every processor, and [`prefetch`]
//! changes nothing but the time. Nothing here knows of events.
//!
//! A build with `--cfg cenl_portable`, as the package `codec/portable` is, has what every processor of its platform
//! can run, and no loops.
#![allow(
    unsafe_code,
    reason = "intrinsics that load from memory, and calls guarded by run-time detection"
)]

pub(crate) mod base64;
#[cfg(any(not(target_arch = "x86_64"), cenl_portable))]
mod portable;
pub(crate) mod prefetch;
pub(crate) mod unescape;
pub(crate) mod verbatim;
#[cfg(all(target_arch = "x86_64", not(cenl_portable)))]
mod x86_64;

#[cfg(any(not(target_arch = "x86_64"), cenl_portable))]
pub(crate) use portable::VectorLoops;
#[cfg(all(target_arch = "x86_64", not(cenl_portable)))]
pub(crate) use x86_64::VectorLoops;

#[cfg(test)]
mod tests;
