//! Parses bash text to a tree, without running or expanding anything.
//!
//! The reader goes through the text once, with limits on length, nesting and steps. If it does not understand
//! the text, it returns an error with a reason ([`Unanalysable`]); a guard then denies and never guesses. The
//! tree keeps everything that determines the started programs and their words: simple commands, the lists
//! they are in, words with their literal and dynamic parts, redirections, here-documents and all nested
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
mod parser;
mod tree;
mod word;

pub(crate) use ansi_c::escape;
pub use error::{Span, Unanalysable, Unparsed};
pub use parser::{Syntax, read};
pub use tree::{
    AssignedValue, Assignment, Command, Compound, Direction, Document, Function, Join, Part, Pipeline,
    Redirection, RedirectionKind, Script, Simple, Value, Word,
};

#[cfg(test)]
mod tests;
