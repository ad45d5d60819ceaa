//! Tests of the limits as hooks.
