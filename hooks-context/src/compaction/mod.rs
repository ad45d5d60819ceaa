//! What survives when a conversation is shortened.
