//! Properties of the whole engine.
