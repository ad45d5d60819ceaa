//! The classic policies.

pub mod config;
pub mod squad;
