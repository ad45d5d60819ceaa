//! What a child gets of its parent's context.
