//! What an event means, worked out from its text: no policy, no decision, no clock.
//!
//! Five engines, each usable by itself:
//!
//! * [`tools`] knows the names of tools and of their arguments, and finds the paths and the commands in a call;
//! * [`paths`] says which file a path may stand for, in every plausible reading;
//! * [`globs`] matches such a reading against many patterns at once;
//! * [`shell`] reads bash text into a tree, without running or expanding anything;
//! * [`commands`] says which programs such a text would start, with which words.
//!
//! All of them are made for hostile input: they are linear in it, bounded in depth, and what they do not
//! understand is an answer of its own, never a silent "nothing there".

pub mod commands;
pub mod globs;
pub mod paths;
pub mod shell;
pub mod tools;
