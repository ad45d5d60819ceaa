//! The classic policies.

pub mod squad;
