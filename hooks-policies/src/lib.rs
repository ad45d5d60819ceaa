//! The classic policies.

pub mod config;
pub mod redaction;
pub mod squad;
