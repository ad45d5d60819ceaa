//! Leaves a model alone that keeps failing.

mod core;
mod settings;
mod window;

pub use self::core::BreakerState;
pub(crate) use self::core::{Core, Pass, Showed};
pub use self::settings::BreakerSettings;
