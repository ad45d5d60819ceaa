//! The protocols against what real clients send, what they were recorded to do, and anything else that may come.
#![cfg(test)]

mod denials;
mod payloads;
mod properties;
mod references;
mod support;
