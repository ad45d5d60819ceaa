//! Allocations of model calls, counted. A binary of its own, because it replaces the allocator.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

mod call;
mod chain;
mod overflow;
mod stack;
