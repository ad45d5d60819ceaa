//! What is put away when a session is over.
