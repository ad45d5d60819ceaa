//! Searches for payloads that break a property of the decoders.

#![no_main]

#[path = "../checks/protocols.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check::properties(input));
