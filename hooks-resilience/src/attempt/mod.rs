//! One attempt: its time limits, and what its error means. The innermost layer, around a client.

pub mod future;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub use self::layer::{AttemptLayer, AttemptSettings};
pub use self::service::AttemptService;
