//! Standing wishes of a user, found in what they say.
