//! Calls in the code of an interpreter: files that it changes, as in `fs.renameSync(a, b)`, and programs that it starts, as in
//! `subprocess.run(["ls"])`.
//!
//! `expression` computes the literal parts of a code: strings, the joins of paths, and variables with such values. What is computed in
//! another way is unknown; `functions` are those that compute paths. `writes` has the calls that change files, and `plain` reads
//! languages without brackets around arguments: awk, Tcl, editors and clients of databases. `starts` has the calls that start programs, and `exact` the forms
//! that are surely read as the language reads them.
//!
//! Words behind the code and variables of the shell are followed:
//!
//! ```
//! use hooks_facts::commands::{Analysis, Options};
//!
//! let text = "OUT=a.txt node -e 'fs.copyFileSync(process.argv[1], process.env.OUT)' b.txt";
//! let analysis = Analysis::of_text(text, &Options::default());
//! assert!(analysis.writes().iter().any(|write| write.target.literal() == Some("a.txt")));
//! ```

mod exact;
mod expression;
mod functions;
mod plain;
mod starts;
mod value;
mod writes;

use std::collections::HashMap;

use super::access::AccessKind;
use super::argument::Argument;
use super::code::Language;
use super::effects::code::{tokens, tokens_with_names};
use super::walk::Walk;
use crate::globs::Gap;
use crate::shell::Span;

pub(super) use plain::only_reads;
pub(super) use starts::{Started, is_known as starts_in_other_languages, may_start, maybe_started, started};

/// Most files of one code. With more, one of unknown name is recorded in addition.
const MAX_FILES: usize = 256;

/// Input of a code besides its text.
#[derive(Clone, Debug, Default)]
pub(super) struct CodeInput {
    /// Words behind the code: `sys.argv` of Python, `process.argv` of JavaScript.
    pub(super) words: Vec<String>,
    /// Variables of the shell, or of awk, as far as they are known.
    pub(super) variables: HashMap<String, String>,
}

/// A file and what happens to it.
type Change = (AccessKind, String);

/// Records the files that a code changes.
pub(super) fn note(walk: &mut Walk, language: Language, text: &str, span: Span) {
    let mut found = match language {
        Language::Awk => plain::of_awk(&tokens(language, text), &walk.code_input),
        Language::Tcl => plain::of_tcl(text),
        Language::Vim => plain::of_vim(text),
        Language::Sql => plain::of_clients(text),
        Language::Sed => Vec::new(),
        _ if !text.contains(['"', '\'', '`', '(', ' ']) => Vec::new(),
        _ => expression::changes(language, &tokens_with_names(language, text), &walk.code_input),
    };
    if found.len() > MAX_FILES {
        found.truncate(MAX_FILES);
        found.push((AccessKind::Changed, Gap::Any.stand_in().to_string()));
    }
    found.dedup();
    for (kind, name) in found {
        if !is_stream(&name) {
            walk.writes(&Argument::of_outline(&name), kind, span);
        }
    }
}

/// Returns whether a name stands for a stream of the process.
fn is_stream(name: &str) -> bool {
    matches!(name, "" | "-" | "php://stdout" | "php://stderr" | "php://output" | "php://memory")
        || name.starts_with("php://temp")
        || name.parse::<u32>().is_ok()
}
