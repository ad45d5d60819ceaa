//! Files that git commands show or store.

use super::{Reads, forms, is_given};
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::commands::file_programs::{inside, operands, value, wildcards};
use crate::commands::git;

/// Options with which `git log` shows changes.
const PATCHES: &[&str] = &[
    "-p",
    "-u",
    "-L",
    "-G.",
    "--patch",
    "--patch-with-stat",
    "--patch-with-raw",
    "-U",
    "--unified",
    "--word-diff",
    "-W",
];

/// Options with which only names and counts are shown.
const NAMES: &[&str] = &[
    "--name-only",
    "--name-status",
    "--stat",
    "--shortstat",
    "--numstat",
    "--summary",
    "--quiet",
    "--exit-code.",
    "--raw",
    "--dirstat",
    "--compact-summary",
];

impl Reads<'_> {
    /// `git show REVISION:FILE`, `git diff FILE`, in the folder of `-C`.
    pub(super) fn tracked(&mut self, words: &[Argument]) {
        let rest = git::subcommand(words);
        let Some((command, arguments)) = rest.split_first() else { return };
        let globals = words.get(..words.len() - rest.len()).unwrap_or_default();
        let folder = value(globals, 'C', "--work-tree");
        let shows = match command.prefix() {
            "log" | "reflog" | "whatchanged" | "shortlog" => {
                PATCHES.iter().any(|option| is_given(arguments, option))
            }
            "show" | "diff" | "stash" | "diff-tree" | "diff-index" | "diff-files" | "range-diff" => {
                !NAMES.iter().any(|option| is_given(arguments, option))
            }
            "grep" => !["-l", "-L", "-c", "-q", "--files-with-matches", "--count", "--quiet", "--name-only"]
                .iter()
                .any(|option| is_given(arguments, option)),
            "cat-file" => {
                !is_given(arguments, "-e") && !is_given(arguments, "-t") && !is_given(arguments, "-s")
            }
            "blame" | "annotate" | "archive" | "hash-object" | "difftool" | "format-patch"
            | "checkout-index" | "add" | "stage" | "apply" | "am" | "bundle" | "fast-export"
            | "merge-file" | "show-index" | "commit" | "config" | "tag" | "notes" | "mv"
            | "interpret-trailers" | "mailinfo" | "mailsplit" | "send-email" | "credential-store" => true,
            _ => false,
        };
        if !shows {
            return;
        }
        let texts = match command.prefix() {
            "commit" | "notes" | "stash" | "tag" => "mFcCtu",
            _ => "",
        };
        let mut files: Vec<Argument> =
            operands(arguments, texts, &["message", "author", "date", "format", "prefix", "grep"])
                .into_iter()
                .cloned()
                .collect();
        if command.prefix() == "grep"
            && !is_given(arguments, "-e")
            && !is_given(arguments, "-f")
            && !files.is_empty()
        {
            files.remove(0);
        }
        if command.prefix() == "tag" {
            files.clear();
        }
        if matches!(command.prefix(), "commit" | "notes" | "tag") {
            // Operands are files; `-F` names one whose text is stored.
            files.extend(super::values(arguments, "-F").chain(super::values(arguments, "--file")));
        }
        if command.prefix() == "config" {
            files = super::values(arguments, "-f").chain(super::values(arguments, "--file")).collect();
        }
        if command.prefix() == "add" && is_given(arguments, "-n") {
            return;
        }
        if command.prefix() == "mv" {
            files.pop();
        }
        let kind = kind_of(command.prefix(), arguments);
        if files.is_empty() && kind.reads_here {
            files.push(Argument::from("."));
        }
        let marked = arguments.iter().position(|word| word.literal() == Some("--"));
        for file in files {
            // Without a path, such a command shows as much.
            let is_all = matches!(file.literal(), Some("." | "./" | ":/" | "*"));
            let is_path = marked.is_some_and(|at| arguments.iter().skip(at).any(|word| *word == file));
            let kind = match (is_all && !kind.reads_here, is_path || kind.reads_folders) {
                (false, true) => kind.access,
                _ => AccessKind::Read,
            };
            for name in names(&file) {
                match &folder {
                    Some(folder) => self.one(&inside(folder, &name), kind),
                    None => self.one(&name, kind),
                }
            }
        }
        for word in arguments
            .iter()
            .filter(|word| word.prefix().starts_with("-L") || word.prefix().starts_with("--no-index"))
        {
            for part in forms::parts(word) {
                self.maybe(&part);
            }
        }
    }
}

/// Files that a command of git reads of a folder.
struct TreeKind {
    access: AccessKind,
    /// Whether its operands may be folders, without a mark before them.
    reads_folders: bool,
    /// Whether it reads the working folder if it names none.
    reads_here: bool,
}

fn kind_of(command: &str, arguments: &[Argument]) -> TreeKind {
    let has = |option: &str| arguments.iter().any(|word| word.literal() == Some(option));
    let ignores_nothing = match command {
        "grep" => (has("--no-index") && !has("--exclude-standard")) || has("--no-exclude-standard"),
        "diff" => has("--no-index"),
        _ => false,
    };
    let access = if ignores_nothing { AccessKind::ReadBelow } else { AccessKind::Stored };
    TreeKind {
        access,
        reads_folders: ignores_nothing || matches!(command, "grep" | "archive"),
        reads_here: ignores_nothing && command == "grep" || command == "archive",
    }
}

/// Returns the files that a word of git may name: itself, and the file after a revision (`HEAD:FILE`, `:FILE`).
fn names(word: &Argument) -> Vec<Argument> {
    let outline = word.outline();
    if outline.starts_with(":(") || outline.starts_with(":!") || outline.starts_with(":^") {
        let is_out = outline.starts_with(":!") || outline.starts_with(":^") || outline.contains("exclude");
        let path = outline.split_once(')').map(|(_, path)| path);
        return path
            .filter(|_| !is_out)
            .map(|path| Argument::of_outline(&wildcards(path)))
            .into_iter()
            .collect();
    }
    let behind = outline.rsplit_once(':').map(|(_, file)| file.trim_start_matches('/'));
    let whole = behind.is_none().then_some(outline.as_str());
    whole
        .into_iter()
        .chain(behind)
        .filter(|name| !name.is_empty())
        .map(|name| Argument::of_outline(&wildcards(name)))
        .collect()
}
