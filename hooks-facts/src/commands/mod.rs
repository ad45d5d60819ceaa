//! Determines the programs that a command would start, with their words.
//!
//! [`Analysis`] is a flat list of [`Invocation`]s from all parts of a command: lists, loops, functions that
//! are called, substitutions, here-documents and texts for a shell. It also covers programs behind wrappers
//! (`env`, `timeout`, `xargs`, `find -exec`, `ssh` …), in strings of one-line interpreter programs, and in
//! git aliases. Parts that cannot be known before running (a program from an unknown variable, a text from
//! the network) are in a separate list, [`Analysis::unresolved`]; so is a text that cannot be parsed.
//!
//! ```
//! use hooks_facts::commands::{Analysis, BlockedPattern, Options};
//!
//! let analysis = Analysis::of_text("cd x && timeout 5 sh -c 'git -C y push origin +main'", &Options::default());
//! let blocked = [BlockedPattern::parse("git push --force").unwrap()];
//! assert_eq!(analysis.find(&blocked).unwrap().pattern, 0);
//! ```
//!
//! Modules: `walk` visits the tree of a text, `expand` expands its words, `folders` follows `cd`. `run`
//! handles single programs and calls back for the programs that they start (`launchers` has the forms that a table knows, `parallel` its own file,
//! `placeholder` fills `{}`). `pattern` compares an invocation with a blocked pattern, `possible` does the
//! same for partly known invocations; `word_pattern` and `call_words` are the words of both. `queries` reads the statements that
//! clients of databases receive. `reads` notes the files that a program reads, `network` the hosts that it names;
//! `access` is the table of both, with the writes; `effects` are the consequences of all. `told` decides whether the effect of a program is fully known. It is
//! not if `helpers` finds programs in its options, or if `lookup` has found that names stand for other
//! programs. `windows` reads PowerShell and cmd. `late` are texts that bash evaluates again. `typed` has the programs that run
//! what the agent types into them. `written` follows files that the command or the session wrote to
//! what runs them. `completed` decides whether a program that ended well has done its work. Knowledge of a program is a row of a table in the folder `data`, or an arm in `run`.
//!
//! ```
//! use hooks_facts::commands::{Analysis, BlockedPattern, Options};
//!
//! // Names of programs have no case on Windows and macOS.
//! let blocked = [BlockedPattern::parse("rm -rf").unwrap()];
//! let options = Options { ignores_case: true, ..Options::default() };
//! assert!(Analysis::of_text("RM -rf x", &options).find(&blocked).is_some());
//! assert!(Analysis::of_text("RM -rf x", &Options::default()).find(&blocked).is_none());
//! ```

mod access;
mod analysis;
mod argument;
mod awk;
mod call_words;
mod code;
mod code_calls;
mod completed;
mod covered;
mod effects;
mod expand;
mod file_programs;
mod folders;
mod git;
mod helpers;
mod late;
mod launchers;
mod lists;
mod lookup;
mod network;
mod output;
mod parallel;
mod pattern;
mod placeholder;
mod possible;
mod queries;
mod reads;
mod run;
mod settings;
mod told;
mod typed;
mod walk;
mod windows;
mod word_pattern;
mod wrappers;
mod written;

pub use access::{Access, AccessKind, AccessRole, NetworkTarget, Source, UnknownReads, UnknownReadsReason};
pub use analysis::{Analysis, Invocation, Options, Program, Unresolved, UnresolvedReason};
pub use argument::Argument;
pub use effects::{Effect, FoundEffect};
pub use pattern::{BlockedPattern, Match, PatternError};
pub(crate) use reads::{found_anywhere, is_address, paths_of_address};
pub use written::{SessionFiles, WrittenContent, WrittenFile};

#[cfg(test)]
mod tests;
