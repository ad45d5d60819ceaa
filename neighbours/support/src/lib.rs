//! Parts that the tests of the governed programs share.

mod broken;
mod difference;
mod provider;

pub use self::broken::broken_hooks;
pub use self::difference::lines_more;
pub use self::provider::{Answer, Provider, calls, fails, says};
