//! Files that a script of `sed` writes: with the command `w`, and with the flag `w` of `s`.

use super::Changes;
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::commands::code::{self, Language};

impl Changes<'_> {
    /// Notes every file that the scripts among these words write.
    pub(super) fn sed_files(&mut self, words: &[Argument]) {
        for file in sed_files(words, &['w', 'W']) {
            self.one(&file, AccessKind::Changed);
        }
    }
}

/// Returns the files that stand behind these commands in the scripts among the words of `sed`. With `w`, also those behind the
/// flag `w` of `s`.
pub(in crate::commands) fn sed_files(words: &[Argument], commands: &[char]) -> Vec<Argument> {
    let texts = code::arguments(Language::Sed, words).texts;
    let outlines: Vec<String> = texts.iter().map(Argument::outline).collect();
    let files = outlines.iter().flat_map(|text| text.lines()).flat_map(|line| files(line, commands));
    files.filter(|file| !file.is_empty()).map(Argument::of_outline).collect()
}

/// Returns the files of one line. The name of a file ends with the line.
fn files<'l>(line: &'l str, commands: &[char]) -> Vec<&'l str> {
    let mut found = Vec::new();
    let mut rest = line;
    loop {
        let command = rest.trim_start_matches(|c: char| c.is_ascii_digit() || " \t,$!;{}~+".contains(c));
        let (behind, named) = match command.chars().next() {
            Some(c) if commands.contains(&c) => (command.get(1..).unwrap_or_default(), true),
            // The name of a file ends with the line.
            Some('w' | 'W' | 'r' | 'R') => ("", false),
            Some('s') => {
                let (behind, is_file) = substituted(command.get(1..).unwrap_or_default());
                if is_file && !commands.contains(&'w') { ("", false) } else { (behind, is_file) }
            }
            // An address: a command may follow.
            Some('/') => (past(command.get(1..).unwrap_or_default(), '/'), false),
            Some(_) => (command.split_once(';').map_or("", |(_, behind)| behind), false),
            None => return found,
        };
        if named {
            found.push(behind.trim());
            return found;
        }
        rest = behind;
    }
}

/// Returns the text after `s/a/b/flags`, and whether it is the name of a file.
fn substituted(text: &str) -> (&str, bool) {
    let Some(mark) = text.chars().next() else { return ("", false) };
    let text = past(past(text.get(mark.len_utf8()..).unwrap_or_default(), mark), mark);
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit() || "gpiIemM".contains(c));
    behind.strip_prefix('w').map_or((behind, false), |name| (name, true))
}

/// Returns the text after the next `mark` that is not escaped by a back slash.
fn past(text: &str, mark: char) -> &str {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == mark && !escaped {
            return text.get(at + c.len_utf8()..).unwrap_or_default();
        }
        escaped = c == '\\' && !escaped;
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stand_behind_w() {
        for (line, wanted) in [
            ("w a b", &["a b"][..]),
            ("1,3w a", &["a"]),
            ("/x/w a", &["a"]),
            ("p;w a", &["a"]),
            ("s/a/b/gw c/d", &["c/d"]),
            ("s|a/w b|c|;s/x/y/w z", &["z"]),
            ("s/new w x/y/", &[]),
            ("/w a/p", &[]),
            ("$!N;P;D", &[]),
            ("a w x", &[]),
        ] {
            assert_eq!(files(line, &['w', 'W']), wanted, "{line}");
        }
        assert_eq!(files("/x/r a", &['r']), ["a"]);
        assert_eq!(files("s/a/b/w r a", &['r']), [""; 0]);
    }
}
