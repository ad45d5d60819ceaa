//! By when there has to be an answer.

pub mod future;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub use self::layer::DeadlineLayer;
pub use self::service::DeadlineService;
