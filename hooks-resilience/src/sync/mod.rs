//! The locks and atomics that callers of one model share: those of the standard library, or in tests that
//! request it those of loom, which runs all possible orders.

#[cfg(test)]
mod modelled;

#[cfg(not(test))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
#[cfg(not(test))]
pub(crate) use std::sync::{Mutex, MutexGuard};

#[cfg(test)]
pub(crate) use self::modelled::{
    AtomicBool, AtomicU64, AtomicUsize, Mutex, MutexGuard, Work, in_every_order,
};
