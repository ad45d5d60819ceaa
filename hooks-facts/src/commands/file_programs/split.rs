//! Files written by splitting a file: their names start with a given prefix.

use super::{Changes, has, operands, value};
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::globs::Gap;

impl Changes<'_> {
    /// `split FILE PREFIX`.
    pub(super) fn split(&mut self, words: &[Argument]) {
        // The pieces go to a program, which is among the invocations.
        if has(words, '\0', "--filter") {
            return;
        }
        let long = [
            "additional-suffix",
            "bytes",
            "filter",
            "line-bytes",
            "lines",
            "number",
            "separator",
            "suffix-length",
        ];
        let files = operands(words, "abClnt", &long);
        self.pieces(files.get(1).copied().unwrap_or(&Argument::from("x")));
    }

    /// `csplit -f PREFIX FILE PATTERN`.
    pub(super) fn csplit(&mut self, words: &[Argument]) {
        let prefix = value(words, 'f', "--prefix").unwrap_or_else(|| Argument::from("xx"));
        self.pieces(&prefix);
    }

    fn pieces(&mut self, prefix: &Argument) {
        let names = format!("{}{}", prefix.outline(), Gap::Name.stand_in());
        self.one(&Argument::of_outline(&names), AccessKind::Changed);
    }
}
