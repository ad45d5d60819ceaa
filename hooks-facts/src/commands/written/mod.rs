//! Follows files that the command itself or the session wrote to the programs that run them.
//!
//! What such a file contains is walked like the text of the command. A file that was there before is not read:
//! what runs it is known to its owner.
//!
//! | module | what it does |
//! | --- | --- |
//! | `runners`, `make`, `package` | programs that run a file of their own: tasks, builds, tests, packages |
//! | `tasks`, `outline` | commands in files of tasks, and their formats |
//! | `lines` | files with a command in some of their lines |
//! | `programs` | files that run by themselves or in an interpreter, and the modules that they load |
//! | `startup` | files that a program reads when it starts |
//! | `git_files` | git's own files: hooks and settings |

mod calls;
mod git_files;
mod lines;
mod make;
mod outline;
mod package;
mod programs;
mod runners;
mod startup;
mod tasks;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::analysis::UnresolvedReason;
use super::argument::Argument;
use super::code::Language;
use super::file_programs;
use super::walk::{Stream, Walk};
use crate::shell::Span;

/// Files that the session wrote before.
pub trait SessionFiles {
    /// Returns the content of the file at a path; `None` if the session did not write it.
    fn content(&self, path: &str) -> Option<WrittenContent>;
}

/// File that a command gives a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// Name of the file, as seen from the folder in which the command starts.
    pub path: String,
    /// Content of the file.
    pub content: WrittenContent,
}

/// Content of a written file, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WrittenContent {
    /// A text.
    Text(String),
    /// The content of another file, by its name, which was there before.
    SameAs(String),
    /// A content that cannot be known.
    Unknown,
}

/// Longest texts of written files together that are handed on. Of further files, the content is not known.
const MAX_EXPORTED: usize = 1024 * 1024;

/// Longest key of a file that costs nothing.
const FREE_KEY: usize = 256;

/// Most files of a session that one analysis asks for.
const MAX_ASKED: usize = 4_096;

/// Files that the session wrote, each asked for once.
pub(super) struct Session {
    files: Rc<dyn SessionFiles>,
    known: RefCell<HashMap<String, Option<Stream>>>,
}

impl Session {
    pub(super) fn new(files: Rc<dyn SessionFiles>) -> Self {
        Self { files, known: RefCell::default() }
    }

    /// Returns whether the session wrote a file that was asked for.
    pub(super) fn has_answered(&self) -> bool {
        self.known.borrow().values().any(Option::is_some)
    }

    fn find(&self, path: &str) -> Option<Stream> {
        let mut known = self.known.borrow_mut();
        if let Some(stream) = known.get(path) {
            return stream.clone();
        }
        if known.len() >= MAX_ASKED {
            return Some(Stream::Unknown);
        }
        let stream = self.files.content(path).map(|content| match content {
            WrittenContent::Text(text) => Stream::Known(text.into()),
            WrittenContent::SameAs(name) => Stream::Copy(name.into()),
            WrittenContent::Unknown => Stream::Unknown,
        });
        known.insert(path.to_owned(), stream.clone());
        stream
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session")
    }
}

impl Walk {
    /// Returns whether files may be followed: the command wrote one, or those of the session are known.
    pub(super) fn follows_files(&self) -> bool {
        self.session.is_some() || !self.files.is_empty()
    }

    /// Returns the content of a file.
    pub(super) fn file(&mut self, file: &Argument) -> Stream {
        let Some(name) = file.literal() else { return Stream::Unknown };
        let mut found = None::<Stream>;
        let keys = self.keys(file);
        for key in &keys {
            let Some(stream) = self.tracked(key) else { continue };
            found = Some(found.map_or_else(|| stream.clone(), |found| found.then(stream.clone())));
        }
        let live = if self.options.has_open_input { self.live(name) } else { None };
        // The name is known if the file is in one folder.
        found.or(live).unwrap_or_else(|| {
            Stream::File(
                keys.first().filter(|_| keys.len() == 1).map(String::as_str).unwrap_or_default().into(),
            )
        })
    }

    /// Returns the content of a file with this name, if the command or the session wrote it.
    pub(super) fn written(&mut self, name: &str) -> Option<Stream> {
        if !self.follows_files() {
            return None;
        }
        match self.file(&Argument::from(name)) {
            Stream::File(_) => None,
            stream => Some(stream),
        }
    }

    /// Returns the text of a written file. A content that is not known is reported, because something runs it.
    pub(super) fn written_text(&mut self, name: &str, span: Span) -> Option<Arc<str>> {
        match self.written(name)? {
            Stream::Known(text) => self.pay(text.len(), span).then_some(text),
            Stream::Unknown | Stream::Names(_) | Stream::Lines(_) => {
                // What a program of the same command printed is a file of its own kind; a download was reported.
                let keys = self.keys(&Argument::from(name));
                if !keys.iter().any(|key| self.files.contains_key(key)) {
                    self.unresolved(UnresolvedReason::Text, span);
                }
                None
            }
            Stream::Empty | Stream::File(_) | Stream::Copy(_) => None,
        }
    }

    /// Gives a file a content.
    pub(super) fn keeps(&mut self, file: &Argument, content: &Stream) {
        for key in self.keys(file) {
            self.removed.remove(&key);
            self.files.insert(key, content.clone());
        }
    }

    /// Appends to a file. What was in it before is not looked at, unless the command or the session wrote that.
    pub(super) fn appends(&mut self, file: &Argument, content: &Stream) {
        for key in self.keys(file) {
            let before = self.tracked(&key).unwrap_or(Stream::Empty);
            let after = match before {
                Stream::Copy(_) | Stream::File(_) => content.clone(),
                before => before.then(content.clone()),
            };
            self.removed.remove(&key);
            self.files.insert(key, after);
        }
    }

    /// Gives a file the content of another one.
    pub(super) fn copies_to(&mut self, source: &Argument, target: &Argument) {
        let Some(name) = source.literal() else { return };
        let content = match self.file(source) {
            Stream::File(_) => Stream::Copy(name.into()),
            stream => stream,
        };
        self.keeps(target, &content);
    }

    /// Walks the files that a program runs besides those which its own reader knows.
    pub(super) fn files_of_program(&mut self, name: &str, words: &[Argument], input: &Stream, span: Span) {
        runners::note(self, name, words, input, span);
    }

    /// Walks the file that an interpreter is given. What the command itself wrote is a one-line program.
    pub(super) fn interpreted_file(&mut self, language: Language, file: &Argument, text: &str, span: Span) {
        let Some(name) = file.literal() else { return };
        let is_own = self.keys(file).iter().any(|key| self.files.contains_key(key));
        if is_own {
            super::code::run(self, language, text, span);
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            self.modules(language, folder, text, span);
        } else {
            self.code_file(language, name, text, span);
        }
    }

    /// Follows the content of files through programs that copy, move, link or change them.
    pub(super) fn follows_copies(&mut self, name: &str, words: &[Argument], input: &Stream) {
        match name {
            "tee" => {
                let appends = file_programs::has(words, 'a', "--append");
                for file in words.iter().filter(|word| !word.prefix().starts_with('-')) {
                    if appends { self.appends(file, input) } else { self.keeps(file, input) }
                }
            }
            "cp" | "mv" | "ln" | "install" | "gcp" | "gmv" => self.copied(words),
            "rm" | "unlink" => self.removed(words),
            "sed" | "perl" | "truncate" | "patch" => self.changed_in_place(name, words),
            "npm" | "pnpm" => self.package_set(words),
            _ => {}
        }
    }

    /// Notes files that are removed, for the calls that follow. Here they count as before, because a removal may fail.
    fn removed(&mut self, words: &[Argument]) {
        if self.follows_files() {
            for file in words.iter().filter(|word| !word.prefix().starts_with('-')) {
                let keys = self.keys(file);
                self.removed.extend(keys);
            }
        }
    }

    fn copied(&mut self, words: &[Argument]) {
        let operands: Vec<Argument> = file_programs::operands(
            words,
            "tSmog",
            &["target-directory", "suffix", "mode", "owner", "group"],
        )
        .into_iter()
        .cloned()
        .collect();
        let folder = file_programs::value(words, 't', "--target-directory");
        let (sources, target) = match (folder, operands.split_last()) {
            (Some(folder), _) => (operands.as_slice(), folder),
            (None, Some((target, sources))) => (sources, target.clone()),
            (None, None) => return,
        };
        for source in sources {
            let Some(name) = source.literal().and_then(|name| name.rsplit('/').next()) else { continue };
            let inside = target.literal().map(|folder| format!("{}/{name}", folder.trim_end_matches('/')));
            self.copies_to(source, &target);
            // The target may be a folder.
            if let Some(inside) = inside {
                self.copies_to(source, &Argument::from(&*inside));
            }
        }
    }

    /// `sed -i 's/A/B/' FILE` of a written file; other changes leave its content unknown.
    fn changed_in_place(&mut self, name: &str, words: &[Argument]) {
        let is_in_place = match name {
            "sed" => words
                .iter()
                .any(|word| word.prefix().starts_with("-i") || word.prefix().starts_with("--in-place")),
            "perl" => words.iter().any(|word| word.prefix().starts_with('-') && word.prefix().contains('i')),
            _ => true,
        };
        if !is_in_place || !self.follows_files() {
            return;
        }
        let operands: Vec<Argument> =
            words.iter().filter(|word| !word.prefix().starts_with('-')).cloned().collect();
        let script = operands.first().and_then(Argument::literal).map(str::to_owned);
        for file in &operands {
            let Some(Stream::Known(text)) = file.literal().and_then(|name| self.written(name)) else {
                continue;
            };
            let changed =
                script.as_deref().filter(|_| name == "sed").and_then(|script| replaced(script, &text));
            self.keeps(file, &changed.map_or(Stream::Unknown, Stream::from_text));
        }
    }

    /// `npm pkg set scripts.NAME=COMMAND`.
    fn package_set(&mut self, words: &[Argument]) {
        let mut literals = words.iter().filter_map(Argument::literal);
        if !(literals.next() == Some("pkg") && literals.next() == Some("set")) {
            return;
        }
        let settings: Vec<(String, String)> = literals
            .filter_map(|word| word.strip_prefix("scripts.")?.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let file = Argument::from("package.json");
        let mut manifest = match self.file(&file) {
            Stream::Known(text) => serde_json::from_str(&text).unwrap_or_default(),
            _ => serde_json::Value::Null,
        };
        if !manifest.get("scripts").is_some_and(serde_json::Value::is_object) {
            manifest = serde_json::json!({"scripts": {}});
        }
        let Some(scripts) = manifest.get_mut("scripts").and_then(serde_json::Value::as_object_mut) else {
            return;
        };
        for (name, value) in settings {
            scripts.insert(name, value.into());
        }
        self.keeps(&file, &Stream::from_text(manifest.to_string()));
    }

    fn tracked(&self, key: &str) -> Option<Stream> {
        self.files.get(key).cloned().or_else(|| self.session.as_ref()?.find(key))
    }

    /// Returns the keys of a file: its possible names as seen from the folder in which the text starts.
    fn keys(&mut self, file: &Argument) -> Vec<String> {
        let cost = (self.folders.len() + file.len()).saturating_sub(FREE_KEY);
        if cost > 0 && !self.pay(cost, Span::default()) {
            return Vec::new();
        }
        let names = self.folders.names(file, self.options.windows);
        let start = self.start.as_deref();
        names.iter().filter_map(Argument::literal).map(|name| key(name, start)).collect()
    }
}

pub(super) use startup::is_variable as is_startup_variable;

/// Returns one key for all spellings of a name.
fn key(name: &str, start: Option<&str>) -> String {
    let rooted = name.starts_with('/') || start.is_none() || name.starts_with('~');
    let full = if rooted { name.to_owned() } else { format!("{}/{name}", start.unwrap_or_default()) };
    let mut parts: Vec<&str> = Vec::new();
    for part in full.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    if full.starts_with('/') { format!("/{path}") } else { path }
}

/// Returns the files that a command gave a content.
pub(super) fn exported(mut files: HashMap<String, Stream>, removed: HashSet<String>) -> Vec<WrittenFile> {
    files.extend(removed.into_iter().map(|path| (path, Stream::Empty)));
    let content = |stream| match stream {
        Stream::Known(text) => WrittenContent::Text(String::from(&*text)),
        Stream::Empty => WrittenContent::Text(String::new()),
        Stream::Copy(name) => WrittenContent::SameAs(String::from(&*name)),
        Stream::File(_) | Stream::Lines(_) | Stream::Names(_) | Stream::Unknown => WrittenContent::Unknown,
    };
    let mut files: Vec<_> = files.into_iter().filter(|(path, _)| !path.starts_with("/dev/")).collect();
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut left = MAX_EXPORTED;
    let mut content = |stream: Stream| {
        let length = if let Stream::Known(text) = &stream { text.len() } else { 0 };
        let next = left.checked_sub(length);
        left = next.unwrap_or_default();
        if next.is_some() { content(stream) } else { WrittenContent::Unknown }
    };
    files.into_iter().map(|(path, stream)| WrittenFile { path, content: content(stream) }).collect()
}

/// Applies `s/A/B/` with a plain `A`, or one behind `^` or before `$`, to each line; `None` for any other script.
fn replaced(script: &str, text: &str) -> Option<String> {
    let rest = script.strip_prefix('s')?;
    let mark = rest.chars().next().filter(char::is_ascii_punctuation)?;
    let parts: Vec<&str> = rest.get(1..)?.split(mark).collect();
    let [pattern, replacement, flags] = parts.as_slice() else { return None };
    let (pattern, at_start) = pattern.strip_prefix('^').map_or((*pattern, false), |pattern| (pattern, true));
    let (pattern, at_end) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let is_plain = |text: &str| !text.contains(['\\', '.', '*', '[', '^', '$', '&', '\n']);
    if !(is_plain(pattern) && is_plain(replacement) && matches!(*flags, "" | "g") && !pattern.is_empty()) {
        return None;
    }
    let change = |line: &str| match (at_start, at_end) {
        (true, true) if line == pattern => (*replacement).to_owned(),
        (true, false) => match line.strip_prefix(pattern) {
            Some(rest) => format!("{replacement}{rest}"),
            None => line.to_owned(),
        },
        (false, true) => match line.strip_suffix(pattern) {
            Some(rest) => format!("{rest}{replacement}"),
            None => line.to_owned(),
        },
        (false, false) if *flags == "g" => line.replace(pattern, replacement),
        (false, false) => line.replacen(pattern, replacement, 1),
        (true, true) => line.to_owned(),
    };
    let lines: Vec<String> = text.lines().map(change).collect();
    Some(lines.join("\n") + if text.ends_with('\n') { "\n" } else { "" })
}
