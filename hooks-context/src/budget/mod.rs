//! Tokens: how they are counted, and how a budget is shared.
