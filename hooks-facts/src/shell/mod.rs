//! Reads bash text into a tree, without running or expanding anything.
//!
//! The reader goes through the text once, with bounds on length, nesting and steps, and gives up with a
//! reason ([`Unanalysable`]) where it does not understand: a guard then refuses, it never guesses. The
//! tree keeps what matters to "which programs run with which words": simple commands, the lists they
//! stand in, words with their literal and dynamic parts, redirections, here-documents and all nested
//! substitutions.
//!
//! ```
//! let script = hooks_facts::shell::read("ls | wc -l", hooks_facts::shell::Syntax::Bash).unwrap();
//! assert_eq!(script.pipelines[0].stages.len(), 2);
//! ```

mod ansi_c;
mod compound;
mod cursor;
mod document;
mod error;
mod expansion;
mod reader;
mod tree;
mod word;

pub(crate) use ansi_c::escape;
pub use error::{Reason, Span, Unanalysable};
pub use reader::{Syntax, read};
pub use tree::{
    AssignedValue, Assignment, Command, Compound, Direction, Document, Function, Join, Part, Pipeline,
    Redirection, RedirectionKind, Script, Simple, Value, Word,
};

#[cfg(test)]
mod tests;
