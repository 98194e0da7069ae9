//! Runs the codec against cases that are written down as data.
//!
//! [`vectors`] reads a folder of vector files (their format is told in `vectors/README.md`), holds
//! the codec against every case that a codec can be held against, and reports what differs. It never
//! skips a case in code: one that is not met stands in a list, with its reason.

#![forbid(unsafe_code)]

pub mod vectors;

/// The Rust snippet in the README of the repository, run as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
