//! Files that languages without brackets around arguments change: awk, Tcl, editors, clients of databases.
//!
//! Programs of awk may print into files:
//!
//! ```
//! use hooks_facts::commands::{Analysis, Options};
//!
//! let analysis = Analysis::of_text("awk '{print > \"out.txt\"}' a", &Options::default());
//! let written: Vec<_> = analysis.writes().iter().filter_map(|write| write.target.literal()).collect();
//! assert_eq!(written, ["out.txt"]);
//! ```

use super::{Change, CodeInput};
use crate::commands::access::AccessKind;
use crate::commands::effects::code::Token;
use crate::globs::Gap;

/// Commands of `ed`, `ex` and `vim` that write to the file behind them.
const EDITOR_WRITES: &[&str] = &[
    "w",
    "w!",
    "wq",
    "wq!",
    "W",
    "write",
    "write!",
    "sav",
    "saveas",
    "saveas!",
    "up",
    "update",
    "x",
    "xit",
    "mksession",
    "mksession!",
    "mkvimrc",
    "wviminfo",
];

/// Commands of clients of databases that write to the file behind them.
const CLIENT_WRITES: &[&str] = &[
    "w", "W", "wq", ".output", ".once", ".backup", ".save", ".clone", ".log", "\\o", "\\w", "\\g", "tee",
    "\\T", ".archive",
];

/// `print … > "FILE"`, `printf … >> FILE`.
pub(super) fn of_awk(tokens: &[Token], input: &CodeInput) -> Vec<Change> {
    let mut found = Vec::new();
    let (mut prints, mut depth) = (false, 0_usize);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Name(name) if matches!(&**name, "print" | "printf") => (prints, depth) = (true, 0),
            Token::Sign('\n' | ';' | '}' | '{') => prints = false,
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth = depth.saturating_sub(1),
            Token::Sign('>') if prints && depth == 0 => {
                let behind = tokens.get(at + 1..).unwrap_or_default();
                let behind =
                    behind.iter().skip_while(|token| token.is('>') || token.is('(')).collect::<Vec<_>>();
                let name = match behind.as_slice() {
                    // Nothing is put behind the name.
                    [Token::Text(text), Token::Sign('\n' | ';' | '}' | ')'), ..] => text.clone(),
                    [Token::Text(text)] => text.clone(),
                    [Token::Text(text), ..] => format!("{text}{}", Gap::Any.stand_in()),
                    [Token::Name(name), Token::Sign('\n' | ';' | '}' | ')'), ..] | [Token::Name(name)]
                        if input.variables.contains_key(name.as_str()) =>
                    {
                        input.variables.get(name.as_str()).cloned().unwrap_or_default()
                    }
                    _ => Gap::Any.stand_in().to_string(),
                };
                found.push((AccessKind::Redirected, name));
                prints = false;
            }
            _ => {}
        }
    }
    found
}

/// `file copy A B`, `open FILE w`.
pub(super) fn of_tcl(text: &str) -> Vec<Change> {
    let mut found = Vec::new();
    for command in text.split(['\n', ';', '[', ']', '{', '}']) {
        let words: Vec<&str> = command
            .split_whitespace()
            .map(|word| word.trim_matches('"'))
            .filter(|word| !matches!(*word, "-force" | "--"))
            .collect();
        let name = |word: &str| match word.find('$') {
            Some(at) => format!("{}{}", word.get(..at).unwrap_or_default(), Gap::Any.stand_in()),
            None => word.to_owned(),
        };
        match words.as_slice() {
            ["file", "delete", files @ ..] => {
                found.extend(files.iter().map(|file| (AccessKind::Removed, name(file))));
            }
            ["file", "mkdir", files @ ..] => {
                found.extend(files.iter().map(|file| (AccessKind::Changed, name(file))));
            }
            ["file", "copy", .., to] => found.push((AccessKind::Named, name(to))),
            ["file", "rename", from @ .., to] => {
                found.extend(from.iter().map(|file| (AccessKind::Removed, name(file))));
                found.push((AccessKind::Named, name(to)));
            }
            ["open", file, mode, ..] if mode.contains(['w', 'a', '+']) => {
                found.push((AccessKind::Changed, name(file)));
            }
            _ => {}
        }
    }
    found
}

/// `saveas FILE`, `w! FILE`, `redir > FILE`, `call writefile([…], "FILE")`.
pub(super) fn of_vim(text: &str) -> Vec<Change> {
    let mut found = Vec::new();
    for line in text.split(['\n', '|']) {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || ":%+".contains(c));
        let line =
            line.strip_prefix("silent!").or_else(|| line.strip_prefix("silent")).unwrap_or(line).trim_start();
        let (command, file) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let file = file.trim().trim_start_matches(">>").trim();
        if EDITOR_WRITES.contains(&command) && !file.is_empty() && !file.starts_with('!') {
            found.push((AccessKind::Changed, file.to_owned()));
        } else if command.starts_with("redir") {
            let file = file.trim_start_matches(['>', '!', ' ']);
            found.extend((!file.is_empty() && file != "END").then(|| (AccessKind::Changed, file.to_owned())));
        }
        for (call, kind) in [
            ("writefile(", AccessKind::Changed),
            ("delete(", AccessKind::Removed),
            ("mkdir(", AccessKind::Changed),
        ] {
            let Some((_, behind)) = line.split_once(call) else { continue };
            let strings: Vec<&str> = behind.split(['"', '\'']).skip(1).step_by(2).collect();
            let file = if call == "writefile(" { strings.last() } else { strings.first() };
            found.extend(file.map(|file| (kind, (*file).to_owned())));
        }
        if let Some((_, behind)) = line.split_once("rename(") {
            let strings = behind.split(['"', '\'']).skip(1).step_by(2);
            found.extend(strings.map(|file| (AccessKind::Removed, file.to_owned())));
        }
    }
    found
}

/// Lines that a client of a database, or `ed`, reads: `.output FILE`, `\copy t TO FILE`, `VACUUM INTO 'FILE'`, `w FILE`.
pub(super) fn of_clients(text: &str) -> Vec<Change> {
    let mut found = Vec::new();
    for line in text.split(['\n', ';']) {
        let line = line.trim_start();
        let words: Vec<&str> = line.split_whitespace().collect();
        let unquoted = |word: &str| word.trim_matches(['"', '\'', ';', ')']).to_owned();
        // Gnuplot.
        if let ["set", "output" | "out" | "table" | "print", file, ..] = words.as_slice() {
            found.push((AccessKind::Changed, unquoted(file)));
        }
        if let [command, file, ..] = words.as_slice()
            && CLIENT_WRITES.contains(command)
            && !file.starts_with('|')
            && !matches!(*file, "stdout" | "off" | "stderr")
        {
            // `.backup main FILE`.
            let file = words.get(2).filter(|_| matches!(*command, ".backup" | ".save")).unwrap_or(file);
            found.push((AccessKind::Changed, unquoted(file)));
        }
        let lower = line.to_lowercase();
        let is_copy = lower.starts_with("copy ") || lower.starts_with("\\copy ");
        for (start, is_meant) in [
            (" to ", is_copy),
            ("into outfile ", true),
            ("into dumpfile ", true),
            ("vacuum into ", true),
            ("attach ", true),
        ] {
            let Some(at) = lower.find(start).filter(|_| is_meant) else { continue };
            let behind = line.get(at + start.len()..).unwrap_or_default().trim_start();
            let behind = if start == "attach " {
                behind.trim_start_matches(|c: char| c.is_alphabetic() || c == ' ')
            } else {
                behind
            };
            let file = match behind.chars().next() {
                Some(quote @ ('\'' | '"')) => behind.get(1..).and_then(|rest| rest.split(quote).next()),
                // `\copy t to FILE` of psql needs no quotes.
                _ if lower.starts_with('\\') => behind.split_whitespace().next(),
                _ => None,
            };
            let file = file.filter(|file| !matches!(*file, "stdout" | "STDOUT" | "pstdout" | ":memory:"));
            found.extend(file.map(|file| (AccessKind::Changed, file.to_owned())));
        }
    }
    found
}

/// Returns whether the statements of a client of a database only read.
pub(in crate::commands) fn only_reads(statements: &str) -> bool {
    let reads = |statement: &str| {
        let statement = statement.trim().to_lowercase();
        let first = statement.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
        matches!(first, "" | "select" | "explain" | "with" | "show" | "describe" | "values" | "table")
            || first == "pragma" && !statement.contains('=')
            || first.starts_with('.')
                && !matches!(first, ".import" | ".restore" | ".read" | ".load" | ".recover" | ".session")
    };
    let is_changing = ["insert", "update ", "delete ", "create", "drop "]
        .iter()
        .any(|word| statements.to_lowercase().contains(word));
    statements.split([';', '\n']).all(reads) && !is_changing
}
