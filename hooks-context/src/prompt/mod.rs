//! What is done with a user's message before a model sees it.
