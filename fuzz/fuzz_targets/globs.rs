//! Searches for patterns that break a property of globs.

#![no_main]

#[path = "../checks/globs.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check::properties(input));
