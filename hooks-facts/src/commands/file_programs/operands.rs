//! Programs that write to files among their operands: the last one, the second, all that look like files.
//!
//! The last operand of a converter is created, and a formatter changes its files:
//!
//! ```
//! use hooks_facts::commands::{Analysis, Options};
//!
//! let analysis = Analysis::of_text("ffmpeg -i a.mov b.mp4; gofmt -w c.go", &Options::default());
//! let written: Vec<_> = analysis.writes().iter().filter_map(|write| write.target.literal()).collect();
//! assert_eq!(written, ["b.mp4", "c.go"]);
//! ```

use super::Changes;
use crate::by_key::ByKey;
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;

/// Options of programs. The key of `cargo new` is a program with its first word.
struct WrittenOperands {
    values: &'static [&'static str],
    needs: &'static [&'static str],
    unless: &'static [&'static str],
    /// Whether a folder gets files of the program's own kinds alone.
    own: bool,
}

/// Operand of a program that is written.
#[derive(Clone, Copy)]
enum WrittenOperand {
    Last,
    Second,
    Tree,
    New,
    InPlace,
}

static TABLE: [(WrittenOperand, ByKey<WrittenOperands>); 5] = [
    (WrittenOperand::Last, table!("written_operands_last")),
    (WrittenOperand::Second, table!("written_operands_second")),
    (WrittenOperand::Tree, table!("written_operands_tree")),
    (WrittenOperand::New, table!("written_operands_new")),
    (WrittenOperand::InPlace, table!("written_operands_in_place")),
];

impl Changes<'_> {
    /// Notes the operands that a program of the table writes to.
    pub(super) fn written_operands(&mut self, name: &str, words: &[Argument]) {
        let first = words.first().and_then(Argument::literal);
        for (place, rows) in &TABLE {
            let of_word = first.and_then(|first| rows.get_words(name, first));
            let found = [(rows.get(name), 0), (of_word, 1)];
            for (row, words) in
                found.into_iter().filter_map(|(row, skipped)| Some((row?, words.get(skipped..)?)))
            {
                // A name of its own for standard output.
                let is_shown = name == "tesseract"
                    && row.operands(words).get(1).is_some_and(|word| word.literal() == Some("stdout"));
                if row.writes(words) && !is_shown {
                    let kind = if row.own { AccessKind::Generated } else { AccessKind::Filled };
                    self.by_place(*place, &row.operands(words), kind);
                }
            }
        }
    }

    /// Notes the operands that are written; a folder gets files in the way of `kind`.
    fn by_place(&mut self, place: WrittenOperand, operands: &[&Argument], kind: AccessKind) {
        match (place, operands) {
            (WrittenOperand::Last, [_, .., last]) | (WrittenOperand::Second, [_, last, ..])
                if matches!(last.literal(), Some("-")) => {}
            (WrittenOperand::Last, [_, .., last]) | (WrittenOperand::Second, [_, last, ..]) => {
                self.one(&without_format(last), AccessKind::Changed);
            }
            (WrittenOperand::Tree, [_, folder, ..]) | (WrittenOperand::New, [folder, ..]) => {
                self.one(folder, kind);
            }
            (WrittenOperand::InPlace, files) => {
                // What is below a folder is not named.
                let is_file = |file: &&&Argument| {
                    file.outline()
                        .rsplit('/')
                        .next()
                        .is_some_and(|name| name.trim_start_matches('.').contains('.'))
                };
                // All files below a folder that is named as one.
                let is_folder = |file: &&&Argument| {
                    matches!(file.literal(), Some("." | "./" | "..")) || file.outline().ends_with('/')
                };
                for folder in files.iter().filter(is_folder) {
                    self.one(folder, kind);
                }
                self.all(&files.iter().filter(is_file).copied().collect::<Vec<_>>(), AccessKind::Changed);
            }
            _ => {}
        }
    }
}

impl WrittenOperands {
    /// Returns whether the options let the program write.
    fn writes(&self, words: &[Argument]) -> bool {
        let has = |options: &[&str]| {
            words
                .iter()
                .any(|word| word.prefix().split('=').next().is_some_and(|option| options.contains(&option)))
        };
        !has(self.unless) && (self.needs.is_empty() || has(self.needs))
    }

    fn operands<'w>(&self, words: &'w [Argument]) -> Vec<&'w Argument> {
        let mut found = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.prefix();
            if self.values.contains(&text) {
                words.next();
            } else if !text.starts_with('-') || text == "-" {
                found.push(word);
            }
        }
        found
    }
}

/// `png:out.png` of ImageMagick.
fn without_format(file: &Argument) -> Argument {
    let outline = file.outline();
    match outline.split_once(':') {
        Some((format, name)) if format.len() > 1 && format.chars().all(char::is_alphanumeric) => {
            Argument::of_outline(name)
        }
        _ => file.clone(),
    }
}
