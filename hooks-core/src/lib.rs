//! The contract.
#![warn(missing_docs)]
pub mod fs;
