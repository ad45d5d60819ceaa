//! Which files plain programs change: `rm`, `cp`, `tee`, `sed -i` and their like, as far as their words are known.
//!
//! What is not known (`rm "$X"`) is left out: nearly every command has such words, and a guard that refused them all
//! would be switched off.

use super::analysis::{UnresolvedReason, WriteKind};
use super::argument::Argument;
use super::walk::{Stream, Walk};
use crate::shell::Span;
use crate::tools::{PathRole, patched_files};

/// Notes the files that a program changes.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], input: &Stream, span: Span) {
    let mut changes = Changes { walk, span };
    match name {
        "rm" | "rmdir" | "unlink" | "shred" => changes.all(&operands(words, "ns", &[]), WriteKind::Removed),
        "touch" => changes.all(&operands(words, "drt", &["date", "reference"]), WriteKind::Changed),
        "mkdir" => changes.all(&operands(words, "m", &["mode"]), WriteKind::Changed),
        "truncate" => changes.all(&operands(words, "sr", &["size", "reference"]), WriteKind::Changed),
        "tee" => changes.all(&operands(words, "", &[]), WriteKind::Changed),
        "cp" | "mv" | "install" | "ln" => changes.copies(name, words),
        "sed" => changes.edited(words, "efl"),
        "perl" | "ruby" => changes.edited(words, "eE"),
        "yq" => changes.edited(words, ""),
        "sort" | "curl" => changes.output(words, 'o', "--output"),
        // Codex patches files with what a shell takes for a program.
        "apply_patch" | "applypatch" => changes.patched(words, input),
        "wget" => changes.output(words, 'O', "--output-document"),
        "dd" => {
            let outputs: Vec<_> = words.iter().filter_map(|word| word.strip_prefix("of=")).collect();
            changes.all(&outputs.iter().collect::<Vec<_>>(), WriteKind::Changed);
        }
        _ => {}
    }
}

struct Changes<'w> {
    walk: &'w mut Walk,
    span: Span,
}

impl Changes<'_> {
    fn all(&mut self, files: &[&Argument], kind: WriteKind) {
        for file in files {
            self.one(file, kind);
        }
    }

    fn one(&mut self, file: &Argument, kind: WriteKind) {
        if file.literal().is_some_and(|file| !file.is_empty()) {
            self.walk.writes(file, kind, self.span);
        }
    }

    /// `apply_patch PATCH`, and `apply_patch` that reads the patch. One that nobody can read may change any file.
    fn patched(&mut self, words: &[Argument], input: &Stream) {
        let text = match (words.first().map(Argument::literal), input) {
            (Some(Some(text)), _) => text.to_owned(),
            (None, Stream::Known(text)) => text.to_string(),
            (None, Stream::Empty) => return,
            _ => return self.walk.unresolved(UnresolvedReason::Text, self.span),
        };
        for (path, role) in patched_files(&text) {
            match (path, role) {
                (None, _) => self.walk.unresolved(UnresolvedReason::Text, self.span),
                (Some(path), PathRole::Written) => self.one(&Argument::from(&*path), WriteKind::Changed),
                (Some(path), PathRole::Removed) => self.one(&Argument::from(&*path), WriteKind::Removed),
                (Some(_), PathRole::Read | PathRole::LinkTarget) => {}
            }
        }
    }

    /// `cp A… TO`, `mv A… TO`, `ln A… TO`, and each with `-t TO`.
    fn copies(&mut self, name: &str, words: &[Argument]) {
        let long = ["target-directory", "suffix", "mode", "owner", "group"];
        let short = if name == "install" { "tSmog" } else { "tS" };
        let mut sources = operands(words, short, &long);
        let folder = target_folder(words);
        let target = match &folder {
            Some(folder) => folder.clone(),
            // A link with one operand gets its name, here.
            None if name == "ln" && sources.len() == 1 => Argument::from("."),
            None => match sources.pop() {
                Some(target) => target.clone(),
                None => return,
            },
        };
        let is_folder = folder.is_some()
            || sources.len() > 1
            || matches!(target.prefix(), "." | "..")
            || target.literal().is_some_and(|target| target.ends_with('/'));
        if !is_folder {
            self.one(&target, WriteKind::Changed);
        }
        for source in sources {
            if name == "mv" {
                self.one(source, WriteKind::Removed);
            }
            let (Some(target), Some(text)) = (target.literal(), source.literal()) else { continue };
            let folder =
                if is_folder { target } else { target.rsplit_once('/').map_or("", |(folder, _)| folder) };
            let in_folder = |name: &str| match folder {
                "" => Argument::from(name),
                folder => Argument::Literal(format!("{}/{name}", folder.trim_end_matches('/'))),
            };
            if is_folder {
                let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                self.one(&in_folder(name), WriteKind::Changed);
            }
            if name == "ln" {
                let is_absolute = text.starts_with('/') || (folder.is_empty() && !target.starts_with('/'));
                let to = if is_absolute { Argument::from(text) } else { in_folder(text) };
                self.one(&to, WriteKind::Linked);
            }
        }
    }

    /// `sort -o FILE`.
    fn output(&mut self, words: &[Argument], short: char, long: &str) {
        for (at, word) in words.iter().enumerate() {
            let text = word.prefix();
            let bundle = text.starts_with('-') && !text.starts_with("--");
            let file = match word
                .strip_prefix(&format!("{long}="))
                .or_else(|| word.strip_prefix(&format!("-{short}")))
            {
                Some(file) if file.len() > 0 => Some(file),
                _ if text == long || (bundle && text.ends_with(short)) => words.get(at + 1).cloned(),
                _ => None,
            };
            if let Some(file) = file.filter(|file| file.literal() != Some("-")) {
                self.one(&file, WriteKind::Changed);
            }
        }
    }

    /// `sed -i SCRIPT FILES`; `short` options take a value.
    fn edited(&mut self, words: &[Argument], short: &str) {
        let letters = |word: &Argument| {
            let text = word.prefix();
            let bundle =
                text.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
            let end = bundle.find(['e', 'f']).unwrap_or(bundle.len());
            (bundle.get(..end).unwrap_or_default().contains('i'), end < bundle.len())
        };
        let in_place = words.iter().any(|word| letters(word).0 || word.prefix().starts_with("--in-place"));
        if !in_place {
            return;
        }
        let has_script = words.iter().any(|word| {
            letters(word).1
                || word.prefix().starts_with("--expression")
                || word.prefix().starts_with("--file")
        });
        let files = operands(words, short, &["expression", "file", "line-length"]);
        self.all(files.get(usize::from(!has_script)..).unwrap_or_default(), WriteKind::Changed);
    }
}

/// The words that are neither options nor values of these options.
fn operands<'w>(words: &'w [Argument], short: &str, long: &[&str]) -> Vec<&'w Argument> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.prefix();
        if text == "--" {
            found.extend(words);
            break;
        }
        let takes_next = match text.strip_prefix("--") {
            Some(name) => long.contains(&name),
            None if text.len() > 1 && text.starts_with('-') => {
                text.find(|c| short.contains(c)).is_some_and(|at| at + 1 == text.len())
            }
            None => {
                found.push(word);
                false
            }
        };
        if takes_next {
            words.next();
        }
    }
    found
}

/// The folder of `-t` and `--target-directory`.
fn target_folder(words: &[Argument]) -> Option<Argument> {
    words.iter().enumerate().find_map(|(at, word)| {
        let text = word.prefix();
        let bundle = text.starts_with('-') && !text.starts_with("--");
        match word.strip_prefix("--target-directory=") {
            Some(folder) => Some(folder),
            None if text == "--target-directory" || (bundle && text.ends_with('t')) => {
                words.get(at + 1).cloned()
            }
            None => word.strip_prefix("-t"),
        }
    })
}
