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
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;

/// Programs and their words.
struct WrittenOperands {
    /// Names; `cargo new` is a program with its first word.
    programs: &'static [&'static str],
    values: &'static [&'static str],
    needs: &'static [&'static str],
    unless: &'static [&'static str],
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

const TABLE: &[(WrittenOperand, &[WrittenOperands])] = &[
    (WrittenOperand::Last, table!("written_operands_last")),
    (WrittenOperand::Second, table!("written_operands_second")),
    (WrittenOperand::Tree, table!("written_operands_tree")),
    (WrittenOperand::New, table!("written_operands_new")),
    (WrittenOperand::InPlace, table!("written_operands_in_place")),
];

impl Changes<'_> {
    /// Notes the operands that a program of the table writes to.
    pub(super) fn written_operands(&mut self, name: &str, words: &[Argument]) {
        for (place, rows) in TABLE {
            for row in *rows {
                if let Some(words) = row.words_of(name, words) {
                    self.by_place(*place, &row.operands(words));
                }
            }
        }
    }

    fn by_place(&mut self, place: WrittenOperand, operands: &[&Argument]) {
        match (place, operands) {
            (WrittenOperand::Last, [_, .., last]) | (WrittenOperand::Second, [_, last, ..])
                if last.literal() == Some("-") => {}
            (WrittenOperand::Last, [_, .., last]) | (WrittenOperand::Second, [_, last, ..]) => {
                self.one(&without_format(last), AccessKind::Changed);
            }
            (WrittenOperand::Tree, [_, folder, ..]) | (WrittenOperand::New, [folder, ..]) => {
                self.fills(folder);
            }
            (WrittenOperand::InPlace, files) => {
                // What is below a folder is not named.
                let is_file = |file: &&&Argument| {
                    file.outline()
                        .rsplit('/')
                        .next()
                        .is_some_and(|name| name.trim_start_matches('.').contains('.'))
                };
                self.all(&files.iter().filter(is_file).copied().collect::<Vec<_>>(), AccessKind::Changed);
            }
            _ => {}
        }
    }
}

impl WrittenOperands {
    /// Returns the words behind the name, if the program is one of the row and its options let it write.
    fn words_of<'w>(&self, name: &str, words: &'w [Argument]) -> Option<&'w [Argument]> {
        let behind = self.programs.iter().find_map(|known| match known.split_once(' ') {
            None => (*known == name).then_some(words),
            Some((program, word)) if program == name => {
                let (first, rest) = words.split_first()?;
                (first.literal() == Some(word)).then_some(rest)
            }
            Some(_) => None,
        })?;
        let has = |options: &[&str]| {
            behind
                .iter()
                .any(|word| word.prefix().split('=').next().is_some_and(|option| options.contains(&option)))
        };
        (!has(self.unless) && (self.needs.is_empty() || has(self.needs))).then_some(behind)
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
