//! Searches for configurations that break a property of their reader.

#![no_main]

#[path = "../checks/hooks_yaml.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check::properties(input));
