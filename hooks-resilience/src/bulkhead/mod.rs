//! So many calls of one provider at a time.

pub mod future;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub use self::layer::BulkheadLayer;
pub use self::service::BulkheadService;
