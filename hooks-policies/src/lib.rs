//! The classic policies.
