//! Searches for texts that break a property of the analysis of commands.

#![no_main]

#[path = "../checks/evaluator.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check::properties(input));
