//! Searches for texts that break a property of the reader of shells.

#![no_main]

#[path = "../checks/shell_reader.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check::properties(input));
