//! Parts that the tests of the governed programs share.

mod broken;
mod difference;

pub use self::broken::broken_hooks;
pub use self::difference::lines_more;
