//! Stays below the provider's own limits.

mod rate;

pub(crate) use self::rate::Rate;
