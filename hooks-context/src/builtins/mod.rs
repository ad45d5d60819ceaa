//! Small handlers by name.
