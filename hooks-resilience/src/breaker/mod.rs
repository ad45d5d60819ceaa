//! Leaves a model alone that keeps failing.

mod core;
pub mod future;
mod layer;
mod outstanding;
mod service;
mod settings;
#[cfg(test)]
mod tests;
mod window;
mod wire;

pub use self::core::BreakerState;
pub(crate) use self::core::{Core, Pass, Showed};
pub use self::layer::BreakerLayer;
pub(crate) use self::outstanding::Outstanding;
pub use self::service::BreakerService;
pub use self::settings::BreakerSettings;
pub(crate) use self::wire::Wire;
