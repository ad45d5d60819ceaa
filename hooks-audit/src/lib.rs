//! Everything on the record: an append-only log that anybody can check, and what is fed from it.

pub mod cache;
pub mod metrics;
