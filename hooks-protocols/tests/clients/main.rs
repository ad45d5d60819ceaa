//! Tests of the protocols with payloads of real clients, recordings of their behaviour, and random input.
#![cfg(test)]

mod denials;
mod payloads;
mod properties;
mod references;
mod support;
