//! What a session, a turn or a child begins with.
