//! Searches for paths that break a property of the resolver.

#![no_main]

#[path = "../checks/resolver.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check::properties(input));
