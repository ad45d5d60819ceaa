//! The classic policies.

pub mod redaction;
