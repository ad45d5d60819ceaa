//! Properties of the reader of shells for any text.

use hooks_facts::shell::{self, Syntax};

/// Panics if a property does not hold for `input`.
pub(crate) fn properties(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    for syntax in [Syntax::Bash, Syntax::Windows] {
        if let Err(error) = shell::read(text, syntax) {
            assert!(error.span.start <= error.span.end, "the span of an error runs backwards");
            assert!(error.span.end <= text.len() + 1, "the span of an error leaves the text");
            assert!(!error.to_string().is_empty(), "an error has no text");
        }
    }
}
