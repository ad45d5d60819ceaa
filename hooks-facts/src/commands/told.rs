//! Whether all that a program does to files is told: what it changes is among the writes, what it starts among the
//! invocations, and everything else that it is given it only reads.
//!
//! Who may not take a risk asks this of every program that is given a file: of those that are not here nobody knows.

use super::analysis::{Analysis, Invocation};
use super::argument::Argument;
use super::code::{self, Language};
use super::git;

/// Programs that only read what they are given, apart from outputs that their options name.
const READERS: &[&str] = &[
    "[",
    "[[",
    "ack",
    "ag",
    "b2sum",
    "base32",
    "base64",
    "basename",
    "bat",
    "batcat",
    "bzcat",
    "bzgrep",
    "cat",
    "cksum",
    "cmp",
    "colordiff",
    "column",
    "comm",
    "cut",
    "df",
    "diff",
    "dirname",
    "du",
    "egrep",
    "exa",
    "expand",
    "eza",
    "fgrep",
    "file",
    "fmt",
    "fold",
    "gojq",
    "grep",
    "head",
    "hexdump",
    "join",
    "jq",
    "less",
    "look",
    "ls",
    "lsattr",
    "md5sum",
    "more",
    "namei",
    "nl",
    "od",
    "paste",
    "pr",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "sdiff",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shasum",
    "shellcheck",
    "sort",
    "stat",
    "strings",
    "sum",
    "tac",
    "tail",
    "test",
    "tree",
    "tsort",
    "unexpand",
    "vdir",
    "wc",
    "xzcat",
    "xzgrep",
    "yamllint",
    "zcat",
    "zgrep",
    "zless",
    "zstdcat",
];

/// Programs and builtins to which words are texts, names and numbers.
const TALKERS: &[&str] = &[
    ":",
    "alias",
    "apropos",
    "bind",
    "break",
    "cd",
    "complete",
    "continue",
    "date",
    "declare",
    "dirs",
    "echo",
    "exit",
    "export",
    "expr",
    "false",
    "getopts",
    "hash",
    "help",
    "info",
    "jobs",
    "kill",
    "let",
    "local",
    "logger",
    "man",
    "notify-send",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readonly",
    "return",
    "say",
    "seq",
    "set",
    "shift",
    "shopt",
    "sleep",
    "tr",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
    "whatis",
    "whereis",
    "which",
];

/// Programs whose changes the file programs tell.
const CHANGERS: &[&str] = &[
    "apply_patch",
    "applypatch",
    "bsdtar",
    "bunzip2",
    "bzip2",
    "cp",
    "curl",
    "dd",
    "fallocate",
    "gtar",
    "gunzip",
    "gzip",
    "install",
    "link",
    "ln",
    "mkdir",
    "mkfifo",
    "mv",
    "patch",
    "rename",
    "rm",
    "rmdir",
    "rsync",
    "scp",
    "shred",
    "split",
    "sponge",
    "tar",
    "tee",
    "touch",
    "trash",
    "trash-put",
    "truncate",
    "uniq",
    "unlink",
    "unxz",
    "unzip",
    "unzstd",
    "wget",
    "xxd",
    "xz",
    "yq",
    "zip",
    "zstd",
];

/// Programs that start the words or the text they are given, which stand among the invocations.
const STARTERS: &[&str] = &[
    ".",
    "bash",
    "batch",
    "builtin",
    "busybox",
    "caffeinate",
    "chrt",
    "command",
    "dash",
    "doas",
    "eatmydata",
    "env",
    "eval",
    "exec",
    "fakeroot",
    "fd",
    "fdfind",
    "find",
    "flock",
    "hyperfine",
    "ionice",
    "ksh",
    "ltrace",
    "nice",
    "noglob",
    "nohup",
    "not",
    "parallel",
    "setsid",
    "sh",
    "source",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "taskset",
    "then",
    "time",
    "timeout",
    "toybox",
    "unbuffer",
    "watch",
    "xargs",
    "zsh",
];

/// Of Windows shells.
const WINDOWS: &[&str] = &[
    "compare-object",
    "dir",
    "findstr",
    "gc",
    "gci",
    "get-childitem",
    "get-content",
    "get-filehash",
    "get-item",
    "measure-object",
    "out-string",
    "select-string",
    "sls",
    "test-path",
    "where-object",
    "write-host",
    "write-output",
];

/// What git does to files that are named is told of these of its commands; the others name none, or only read.
const GIT: &[&str] = &[
    "add",
    "am",
    "apply",
    "archive",
    "blame",
    "branch",
    "cat-file",
    "check-ignore",
    "checkout",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "describe",
    "diff",
    "diff-tree",
    "fetch",
    "for-each-ref",
    "for-each-repo",
    "grep",
    "hash-object",
    "help",
    "log",
    "ls-files",
    "ls-tree",
    "merge",
    "merge-base",
    "mv",
    "notes",
    "pull",
    "push",
    "rebase",
    "reflog",
    "remote",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "shortlog",
    "show",
    "show-ref",
    "stash",
    "status",
    "switch",
    "tag",
    "version",
    "whatchanged",
    "worktree",
];

impl Analysis {
    /// Whether all that an invocation does to files is told: its program only reads what it is given, apart from what
    /// is among the [`writes`](Self::writes) and the invocations.
    pub fn is_told(&self, invocation: &Invocation) -> bool {
        let Some(name) = self.program_name(invocation) else { return false };
        // A program of one's own may have any name.
        if !invocation.argv.first().is_some_and(is_of_the_system) {
            return false;
        }
        let words = invocation.argv.get(1..).unwrap_or_default();
        // `rg` may start a program for each file.
        let starts = name == "rg" && words.iter().any(|word| word.prefix().starts_with("--pre"));
        let lists = [READERS, TALKERS, CHANGERS, STARTERS];
        if !starts && lists.iter().any(|list| has(list, &name)) {
            return true;
        }
        if name == "git" {
            let command = git::subcommand(words).first().map(Argument::literal);
            return command.is_none_or(|command| command.is_some_and(|command| has(GIT, command)));
        }
        match code::language(&name) {
            Some(Language::Sed) => true,
            Some(Language::Awk) => !words.iter().any(|word| code::prints_into_a_file(&word.outline())),
            _ => self.options.windows && has(WINDOWS, &name),
        }
    }
}

/// Whether a program is found where the system keeps its own, as far as its name says.
fn is_of_the_system(program: &Argument) -> bool {
    const FOLDERS: &[&str] = &["/bin/", "/sbin/", "/usr/", "/opt/", "/nix/store/"];
    let Some(name) = program.literal() else { return false };
    let is_one = |folder: &str| name.starts_with(folder) && !name.contains("..");
    !name.contains(['/', '\\']) || FOLDERS.iter().any(|folder| is_one(folder))
}

fn has(list: &[&str], name: &str) -> bool {
    list.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Options;

    #[test]
    fn lists_are_in_order() {
        for list in [READERS, TALKERS, CHANGERS, STARTERS, WINDOWS, GIT] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }

    #[test]
    fn readers_are_told_and_others_are_not() {
        let told = |text: &str| {
            let analysis = Analysis::of_text(text, &Options::default());
            analysis.invocations.iter().all(|invocation| analysis.is_told(invocation))
        };
        for text in [
            "cat a | grep b",
            "sudo head a",
            "git -C a log",
            "git",
            "awk '$3 > 5' a",
            "awk '{ if ($1 >= 2) print }' a",
            "sed -i s/a/b/ a",
            "/usr/bin/jq . a",
            "find . -exec cat {} +",
        ] {
            assert!(told(text), "{text}");
        }
        for text in [
            "./cat a",
            "/usr/../x/cat a",
            "chmod u+w a",
            "x a",
            "sudo x a",
            "git config -f a x 1",
            "awk '{ print > \"a\" }'",
            "$X a",
            "git $X",
        ] {
            assert!(!told(text), "{text}");
        }
    }
}
