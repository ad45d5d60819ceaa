//! Files that git changes by name.

use super::found::wildcards;
use super::{Changes, has, operands, value};
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::commands::git;
use crate::commands::walk::Stream;
use crate::globs::Gap;

impl Changes<'_> {
    /// `git rm`, `git mv`, `git restore` and similar commands, in the folder of `-C`.
    pub(super) fn tracked(&mut self, words: &[Argument], input: &Stream) {
        let rest = git::subcommand(words);
        let Some((command, arguments)) = rest.split_first() else { return };
        let globals = words.get(..words.len() - rest.len()).unwrap_or_default();
        let span = self.span;
        let folder = value(globals, 'C', "--work-tree");
        self.walk.in_folder(folder.as_ref(), |walk| {
            Changes { walk, span }.by_git(command.prefix(), arguments, input);
        });
    }

    fn by_git(&mut self, command: &str, arguments: &[Argument], input: &Stream) {
        match command {
            "rm" if !has(arguments, '\0', "--cached") => {
                self.pathspecs(&operands(arguments, "", &["pathspec-from-file"]), AccessKind::Removed);
            }
            "mv" => self.copies("mv", arguments),
            "checkout" => self.checkout(arguments),
            "restore" if !has(arguments, 'S', "--staged") || has(arguments, 'W', "--worktree") => {
                self.pathspecs(&operands(arguments, "s", &["source"]), AccessKind::Filled);
            }
            "clean" => self.cleaned(arguments),
            // Untracked files are moved to the stash.
            "stash" if has(arguments, 'u', "--include-untracked") || has(arguments, 'a', "--all") => {
                let mut rest = operands(arguments, "m", &["message", "pathspec-from-file"]);
                // The words behind `save` are a message.
                if rest.first().is_some_and(|word| word.prefix() == "save") {
                    rest.truncate(1);
                }
                let files = rest.iter().skip(usize::from(rest.first().is_some_and(|word| is_stashing(word))));
                self.untracked(&files.copied().collect::<Vec<_>>(), AccessKind::Untracked);
            }
            "apply" | "am" => self.applied(arguments, input),
            "worktree" if arguments.first().is_some_and(|word| word.prefix() == "add") => {
                if let Some(folder) = operands(arguments.get(1..).unwrap_or_default(), "bB", &[]).first() {
                    self.fills(folder);
                }
            }
            "clone" | "init" => self.begun(command, arguments),
            "checkout-index" => {
                if let Some(folder) = value(arguments, '\0', "--prefix") {
                    self.fills(&folder);
                }
            }
            "archive" => self.output(arguments, 'o', "--output"),
            "bundle" => {
                if let [verb, file, ..] = operands(arguments, "", &["version"]).as_slice()
                    && verb.prefix() == "create"
                {
                    self.one(file, AccessKind::Changed);
                }
            }
            "format-patch" if !has(arguments, '\0', "--stdout") => {
                match value(arguments, 'o', "--output-directory") {
                    Some(folder) => self.fills(&folder),
                    None => self.one(
                        &Argument::of_outline(&format!("{}.patch", Gap::Name.stand_in())),
                        AccessKind::Changed,
                    ),
                }
            }
            "config" => self.configured(arguments),
            "submodule" => {
                if let [verb, _, folder] =
                    operands(arguments, "b", &["branch", "name", "reference"]).as_slice()
                    && verb.prefix() == "add"
                {
                    self.fills(folder);
                }
            }
            "diff" | "log" | "show" => {
                if let Some(file) = value(arguments, '\0', "--output") {
                    self.one(&file, AccessKind::Changed);
                }
            }
            _ => {}
        }
    }

    /// `git clone ADDRESS FOLDER`, `git init FOLDER`. Without a folder, its name is the last one of the address.
    fn begun(&mut self, command: &str, arguments: &[Argument]) {
        let values = [
            "branch",
            "depth",
            "origin",
            "config",
            "reference",
            "template",
            "jobs",
            "filter",
            "initial-branch",
            "object-format",
        ];
        match (command, operands(arguments, "bocuj", &values).as_slice()) {
            ("clone", [_, folder]) | ("init", [folder]) => self.fills(folder),
            ("clone", [address]) => {
                let address = address.outline();
                let name = address.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
                self.fills(&Argument::of_outline(name.strip_suffix(".git").unwrap_or(name)));
            }
            _ => {}
        }
    }

    /// `git config -f FILE NAME VALUE`.
    fn configured(&mut self, arguments: &[Argument]) {
        let looks = ["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"];
        let is_look = arguments.iter().any(|word| looks.contains(&word.prefix()));
        let names = operands(arguments, "f", &["file", "type", "default"]);
        let changes = names.len() > 1
            || arguments.iter().any(|word| word.prefix().starts_with("--unset") || word.prefix() == "unset");
        if let Some(file) = value(arguments, 'f', "--file").filter(|_| changes && !is_look) {
            self.one(&file, AccessKind::Changed);
        }
        for (option, file) in [("--global", "~/.gitconfig"), ("--system", "/etc/gitconfig")] {
            if changes && !is_look && has(arguments, '\0', option) {
                self.one(&Argument::from(file), AccessKind::Changed);
            }
        }
    }

    /// `git checkout REVISION -- FILES`. Without the two dashes, a word may also be a branch.
    fn checkout(&mut self, arguments: &[Argument]) {
        match arguments.iter().position(|word| word.literal() == Some("--")) {
            Some(at) => {
                let files: Vec<_> = arguments.iter().skip(at + 1).collect();
                self.pathspecs(&files, AccessKind::Filled);
            }
            None => {
                for word in operands(arguments, "bB", &["orphan", "conflict"]) {
                    self.maybe(&pathspec(word), AccessKind::Filled);
                }
            }
        }
    }

    /// `git apply PATCH`.
    fn applied(&mut self, arguments: &[Argument], input: &Stream) {
        let looks =
            ["--check", "--stat", "--numstat", "--summary", "--cached", "--abort", "--skip", "--quit"];
        if looks.into_iter().any(|option| has(arguments, '\0', option)) {
            return;
        }
        let folder = value(arguments, '\0', "--directory");
        match operands(arguments, "pC", &["directory", "exclude", "include", "whitespace"]).first() {
            Some(patch) if patch.literal() != Some("-") => {
                self.patched_by(&Stream::File("".into()), folder, Some((*patch).clone()));
            }
            _ => self.patched_by(input, folder, self.walk.input_file.clone()),
        }
    }

    /// `git clean -fdx FILES` removes untracked files. With the usual settings it removes nothing without
    /// `-f`.
    fn cleaned(&mut self, arguments: &[Argument]) {
        if has(arguments, 'f', "--force") && !has(arguments, 'n', "--dry-run") {
            self.untracked(&operands(arguments, "e", &["exclude"]), AccessKind::Removed);
        }
    }

    /// Notes that untracked files among these are removed, or in the way of `all` those below the folder.
    fn untracked(&mut self, files: &[&Argument], all: AccessKind) {
        if files.is_empty() {
            self.one(&Argument::from("."), all);
        }
        self.pathspecs(files, AccessKind::Removed);
    }

    fn pathspecs(&mut self, files: &[&Argument], kind: AccessKind) {
        for file in files {
            self.one(&pathspec(file), kind);
        }
    }
}

/// Returns whether a word is a command of `git stash` that stores changes.
fn is_stashing(word: &Argument) -> bool {
    matches!(word.prefix(), "push" | "save")
}

/// Returns the outline of a pathspec: git expands wildcards itself, and resolves `:/` or `:(top)` from the
/// top of the repository.
fn pathspec(word: &Argument) -> Argument {
    let outline = word.outline();
    let from_top = outline.strip_prefix(":/").or_else(|| outline.strip_prefix(":(").map(behind_bracket));
    let spec = wildcards(from_top.unwrap_or(&outline));
    // In a pathspec, `*` also matches slashes.
    let star = Gap::Name.stand_in();
    let spec = spec.replace(star, &format!("{}{star}", Gap::Folders.stand_in()));
    match from_top {
        Some(_) => Argument::of_outline(&format!("{}/{spec}", Gap::Any.stand_in())),
        None => Argument::of_outline(&spec),
    }
}

fn behind_bracket(text: &str) -> &str {
    text.split_once(')').map_or("", |(_, path)| path)
}
