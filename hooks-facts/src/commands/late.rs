//! Texts that bash evaluates a second time: subscripts of arrays and numbers, prompts, files of settings.
//!
//! `[[ 'a[$(rm b)]' -eq 1 ]]` runs `rm b`: bash expands the operands of a comparison of numbers, the subscripts in the words
//! of some builtins, and the prompts, although they were quoted. Substitutions in such a text are walked as commands.

use super::argument::Argument;
use super::lookup;
use super::walk::{Stream, Walk};
use super::written;
use crate::shell::Span;

/// Operators of tests whose operands are numbers, or the name of a variable.
const NUMBERS: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R", "-t"];

/// Builtins whose words name variables, with subscripts.
const NAMERS: &[&str] = table!("late_words_namers");

/// Variables whose value is expanded when it is used.
const PROMPTS: &[&str] = table!("late_words_prompts");

/// Variables that name a file which a shell or an interpreter runs when it starts.
const FILES: &[&str] = table!("late_words_files");

/// Walks what bash evaluates again in the words of a builtin.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], span: Span) {
    if NAMERS.contains(&name) {
        let are_numbers = name == "let" || have_number_option(words);
        // A text that is only printed has no subscript before it.
        words
            .iter()
            .filter(|word| are_numbers || word.prefix().contains('['))
            .for_each(|word| walk.late(word, span));
    } else if matches!(name, "test" | "[" | "[[") {
        test(walk, words, span);
    }
}

/// Walks what bash evaluates again in the words of a test.
pub(super) fn test(walk: &mut Walk, words: &[Argument], span: Span) {
    if words.iter().any(|word| NUMBERS.contains(&word.prefix())) {
        words.iter().for_each(|word| walk.late(word, span));
    }
}

impl Walk {
    /// Walks the substitutions in a text that is expanded again.
    pub(super) fn late(&mut self, word: &Argument, span: Span) {
        let text = word.as_shell_text();
        if text.contains("$(") || text.contains('`') {
            let input = self.inherited_input();
            self.deeper(span, |walk| walk.text(&format!(": <<_LATE_\n{text}\n_LATE_\n"), &input, span));
        }
    }

    /// Walks the value of a variable that is expanded when it is used, or that names a file to run.
    pub(super) fn late_value(&mut self, name: &str, value: &Argument, span: Span) {
        let text = value.prefix();
        self.lookup_changed |=
            text.contains('=') && lookup::changes_in_number(text.split('=').next().unwrap_or(text));
        // `a='b[$(rm c)]'`: the value is evaluated wherever the variable is a number.
        if PROMPTS.contains(&name) || may_be_number(value.prefix()) {
            self.late(value, span);
        }
        if FILES.contains(&name) {
            self.late(value, span);
            // The programs that run the file of a startup variable are known.
            if let file @ (Stream::Known(_) | Stream::Unknown) = self.file(value)
                && value.literal().is_some()
                && !written::is_startup_variable(name)
            {
                self.stream(&file, span);
            }
        }
    }
}

/// Returns whether an option makes numbers of variables: `declare -i`.
fn have_number_option(words: &[Argument]) -> bool {
    words.iter().any(|word| {
        let letters = word.prefix().strip_prefix('-');
        letters.is_some_and(|letters| !letters.starts_with('-') && letters.contains('i'))
    })
}

/// Returns whether a text may be an expression of numbers with a subscript that runs something: `1+a[0$(x)]`. Up to the
/// substitution it has only names, numbers and operators, and no two words beside each other.
fn may_be_number(text: &str) -> bool {
    let Some(start) = text.find("$(").into_iter().chain(text.find('`')).min() else { return false };
    let before = text.get(..start).unwrap_or_default();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_part = |c: char| is_word(c) || c.is_whitespace() || "[]()+-*/%<>=!&|^~?:,$#{}@".contains(c);
    let has_name = before.split('[').any(|name| name.trim_end().ends_with(is_word));
    let mut words = before.split(|c: char| !is_word(c) && !c.is_whitespace());
    before.contains('[')
        && has_name
        && before.chars().all(is_part)
        && words.all(|words| words.split_whitespace().count() <= 1)
}
