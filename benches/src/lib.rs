//! Benchmarks: this project's codec and bridge beside their rivals, in one run.
//!
//! ```text
//! corpus ─▶ engine (ours and rivals) ─▶ check: the answers are right ─▶ criterion, floors
//! ```
//!
//! Nothing here decides whether a change is good: a benchmark checks answers, and reports times.

#![forbid(unsafe_code)]

pub mod check;
pub mod clock;
pub mod comparison;
pub mod corpus;
pub mod engine;
pub mod machine;
pub mod mode;
