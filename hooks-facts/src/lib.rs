//! What an event means: paths, commands, tool names. No policy.
