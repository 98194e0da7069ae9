//! Typed access to JSON data; the only file that names simd-json.
