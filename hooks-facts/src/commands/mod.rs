//! Says which programs a command would start, with which words.
//!
//! [`Analysis`] is a flat list of [`Invocation`]s, wherever they hide: in lists, loops, functions that are
//! called, substitutions, here-documents and texts handed to a shell, behind wrappers (`env`, `timeout`,
//! `xargs`, `find -exec`, `ssh` …), in strings of one-line interpreter programs, in git aliases. What
//! cannot be known before running (a program from an unknown variable, a text from the network) is on a
//! list of its own, [`Analysis::unresolved`]; so is a text that cannot be read at all.
//!
//! ```
//! use hooks_facts::commands::{Analysis, BlockedPattern, Options};
//!
//! let analysis = Analysis::of_text("cd x && timeout 5 sh -c 'git -C y push origin +main'", &Options::default());
//! let blocked = [BlockedPattern::parse("git push --force").unwrap()];
//! assert_eq!(analysis.find(&blocked).unwrap().pattern, 0);
//! ```
//!
//! The seams: `walk` goes through the tree of a text, `expand` makes words of it, `folders` follows `cd`, `run` knows what
//! single programs do with their words and calls back for what they start (`parallel` is a file of its own, `placeholder`
//! fills `{}`), `pattern` compares an invocation with a blocked pattern, `possible` does where it is known in part, `told`
//! says of which programs all is known: not of those that start what `helpers` finds in their options, nor of any once
//! `lookup` has seen that names stand for others. Knowledge of a program belongs into `run` or one of its tables.

mod analysis;
mod argument;
mod awk;
mod code;
mod expand;
mod file_programs;
mod folders;
mod git;
mod helpers;
mod lookup;
mod output;
mod parallel;
mod pattern;
mod placeholder;
mod possible;
mod run;
mod told;
mod walk;
mod wrappers;

pub use analysis::{
    Analysis, Invocation, Options, Program, Unresolved, UnresolvedReason, WriteKind, WriteTarget,
};
pub use argument::Argument;
pub use pattern::{BlockedPattern, Match, PatternError};

#[cfg(test)]
mod tests;
