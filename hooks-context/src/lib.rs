//! Context that is always there: what an agent has to know is given to it by code, not by a prompt that asks it to
//! read files.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`auto`] | what a session, a turn or a child begins with, within a budget of tokens |
//! | [`brief`] | a text put together of what several sources gave, within a budget |
//! | [`budget`] | tokens: how they are counted, and how a budget is shared |
//! | [`builtins`] | small handlers by name: the date, the branch, a file of prompts |
//! | [`compaction`] | what survives when a conversation is shortened |
//! | [`config`] | the same as plain data, for a configuration file |
//! | [`directive`] | standing wishes of a user, found in what they say |
//! | [`prompt`] | what is done with a user's message before a model sees it |
//! | [`session_end`] | what is put away when a session is over |
//! | [`source`] | where context comes from |

pub mod auto;
pub mod brief;
pub mod budget;
pub mod builtins;
pub mod compaction;
pub mod config;
pub mod directive;
mod limit;
pub mod prompt;
pub mod session_end;
mod sessions;
pub mod source;
mod text;

pub use self::sessions::SessionMemory;
pub use hooks_team::TeamPlace;

#[cfg(test)]
mod tests;
