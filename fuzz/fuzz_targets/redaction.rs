//! Searches for bytes that break a property of the scrubber.

#![no_main]

#[path = "../checks/redaction.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check::properties(input));
