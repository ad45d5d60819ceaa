//! Allocations of model calls. A binary of its own, because it replaces the allocator.
// Marks the helpers as tests, which the lints exempt.
#![cfg(test)]

mod call;
mod chain;
mod overflow;
mod stack;
