//! Where context comes from.
