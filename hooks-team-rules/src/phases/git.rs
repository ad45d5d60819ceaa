//! Effects of git commands on commits, branches and the working tree, as far as their words show them.

use std::collections::HashMap;
use std::sync::LazyLock;

use hooks_facts::commands::Argument;
use hooks_facts::globs;

/// Whether a command has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// The command does not have the effect.
    No,
    /// The words do not show it: an alias, a variable, the previous branch.
    Unknown,
    /// The command has the effect.
    Yes,
}

mod refs;

use Certainty::{No, Unknown, Yes};

/// Words of a git command, from the subcommand on.
#[derive(Clone, Copy, Debug)]
pub(super) struct GitCommand<'a> {
    name: Option<&'a str>,
    words: &'a [Argument],
}

struct Effects {
    commits: bool,
    tree: bool,
}

static COMMANDS: LazyLock<HashMap<&'static str, Effects>> = LazyLock::new(|| {
    let lines = include_str!("../../data/git_commands.txt").lines().filter(|line| !line.starts_with('#'));
    let rows = lines.filter_map(|line| line.split_once('\t'));
    let has = |effects: &str, wanted| effects.split(' ').any(|effect| effect == wanted);
    rows.map(|(name, effects)| {
        (name, Effects { commits: has(effects, "commits"), tree: has(effects, "tree") })
    })
    .collect()
});

/// Names of remotes that precede a branch: `origin/main`.
const REMOTES: &[&str] = &["origin", "upstream"];

impl<'a> GitCommand<'a> {
    /// Reads the words from the subcommand on; `None` without a subcommand.
    pub(super) fn new(words: &'a [Argument]) -> Option<Self> {
        let (name, words) = words.split_first()?;
        Some(Self { name: name.literal(), words })
    }

    /// Returns whether the command makes a commit on the current branch.
    pub(super) fn commits(self) -> Certainty {
        let Some(name) = self.name else { return Unknown };
        let Some(effects) = COMMANDS.get(name) else { return Unknown };
        if !effects.commits {
            return No;
        }
        let makes_none = match name {
            "commit" => self.has(&["--dry-run", "--help", "-h"]),
            "merge" | "pull" => self.has(&["--abort", "--quit", "--no-commit", "--squash", "--ff-only"]),
            "cherry-pick" | "revert" => self.has(&["--abort", "--quit", "--no-commit", "-n"]),
            _ => self.has(&["--abort", "--quit", "--show-current-patch", "--edit-todo"]),
        };
        if makes_none { No } else { Yes }
    }

    /// Returns whether the command changes files that it does not name.
    pub(super) fn changes_tree(self) -> Certainty {
        let Some(effects) = self.name.and_then(|name| COMMANDS.get(name)) else { return No };
        if !effects.tree {
            return No;
        }
        let first = self.words.first().map_or("", Argument::prefix);
        let changes_none = match self.name.unwrap_or_default() {
            "apply" => self.has(&["--check", "--stat", "--numstat", "--summary", "--cached"]),
            "reset" => !self.has(&["--hard", "--merge", "--keep"]),
            "stash" => matches!(first, "list" | "show" | "drop" | "clear" | "create" | "store"),
            _ => self.has(&["--quit", "--show-current-patch"]),
        };
        if changes_none { No } else { Yes }
    }

    /// Returns whether the command checks out one of `branches`, moves or deletes it.
    pub(super) fn leads_to(self, branches: &[String]) -> Certainty {
        let Some(name) = self.name else { return Unknown };
        let target = |word: Option<&Argument>| word.map_or(No, |word| stands_for(word, branches));
        match name {
            "checkout" | "switch" => self.checks_out(name == "checkout", branches),
            "symbolic-ref" => self.changes_symbolic_ref(branches),
            "worktree" => self.adds_worktree(branches),
            "branch" => self.changes_branch(branches),
            "update-ref" => self.updates_ref(branches),
            "fetch" | "pull" => self.fetches(branches),
            "push" => self.pushes_here(branches),
            "bisect" | "stash" => match &self.operands("")[..] {
                [verb, branch, ..] if matches!(verb.literal(), Some("reset" | "branch")) => {
                    stands_for(branch, branches)
                }
                _ => No,
            },
            // They read the names of branches from their input.
            "fast-import" | "receive-pack" => Unknown,
            // With two operands, git checks out the second one before it starts.
            "rebase" => target(self.operands("xsXC").get(1).copied()),
            _ if COMMANDS.contains_key(name) => No,
            // An alias may stand for any command.
            _ => self.words.iter().map(|word| stands_for(word, branches)).max().unwrap_or(No).min(Unknown),
        }
    }

    fn checks_out(self, is_checkout: bool, branches: &[String]) -> Certainty {
        let created = if is_checkout {
            ('b', &["--orphan"][..])
        } else {
            ('c', &["--create", "--force-create", "--orphan"][..])
        };
        if let Some(name) = self.value_of(created.0, created.1) {
            return stands_for(&name, branches);
        }
        if is_checkout && self.has(&["-p", "--patch", "--ours", "--theirs", "--pathspec-from-file"]) {
            return No;
        }
        let dashes = self.words.iter().position(|word| word.literal() == Some("--"));
        let names_files = dashes.is_some_and(|at| at + 1 < self.words.len());
        match &self.operands("")[..] {
            _ if is_checkout && names_files => No,
            [target] => stands_for(target, branches),
            // Files of a revision.
            [_, _, ..] if is_checkout => No,
            [target, ..] => stands_for(target, branches),
            [] => No,
        }
    }

    fn adds_worktree(self, branches: &[String]) -> Certainty {
        if self.words.first().and_then(Argument::literal) != Some("add") {
            return No;
        }
        if let Some(name) = self.value_of('b', &["--orphan"]) {
            return stands_for(&name, branches);
        }
        match &self.operands("bB")[..] {
            // Without a branch, the name of the folder is one.
            [_, folder] => match folder.literal() {
                Some(path) => stands_for(&path.rsplit('/').next().unwrap_or_default().into(), branches),
                None => Unknown,
            },
            [_, _, branch, ..] => stands_for(branch, branches),
            _ => No,
        }
    }

    /// Returns the words that are no options, up to `--`. The letters are options that take the next word.
    fn operands(self, with_value: &str) -> Vec<&'a Argument> {
        let mut words = self.words.iter();
        let mut operands = Vec::new();
        while let Some(word) = words.next() {
            let text = word.prefix();
            if text == "--" && word.literal().is_some() {
                break;
            }
            if !text.starts_with('-') || text == "-" {
                operands.push(word);
            } else if text.chars().count() == 2 && text.ends_with(|letter| with_value.contains(letter)) {
                words.next();
            }
        }
        operands
    }

    /// Returns the value of a short option, in lower or upper case, or of a long one.
    fn value_of(self, short: char, long: &[&str]) -> Option<Argument> {
        let upper = short.to_ascii_uppercase();
        for (at, word) in self.words.iter().enumerate() {
            let text = word.prefix();
            if text == "--" && word.literal().is_some() {
                return None;
            }
            if long.contains(&text) {
                return self.words.get(at + 1).cloned();
            }
            if let Some((name, _)) = text.split_once('=')
                && long.contains(&name)
            {
                return after(word, name.len() + 1);
            }
            if text.starts_with('-') && !text.starts_with("--") {
                // `-fb main` and `-bmain`.
                if let Some(position) = text.find([short, upper]) {
                    let rest = after(word, position + 1)?;
                    let is_attached = rest.literal() != Some("");
                    return if is_attached { Some(rest) } else { self.words.get(at + 1).cloned() };
                }
            }
        }
        None
    }

    /// Returns whether one of these options is given before `--`. Single letters may be joined.
    fn has(self, options: &[&str]) -> bool {
        let before = self.words.iter().take_while(|word| word.literal() != Some("--"));
        before.filter_map(Argument::literal).any(|word| {
            let name = word.split('=').next().unwrap_or(word);
            let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
            options.iter().any(|option| {
                let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
                *option == name
                    || letters.zip(letter).is_some_and(|(letters, letter)| letters.contains(letter))
            })
        })
    }
}

/// Returns the rest of a word.
fn after(word: &Argument, start: usize) -> Option<Argument> {
    let outline = word.outline();
    Some(Argument::of_outline(outline.get(start..)?))
}

/// Returns whether a word names one of the branches, also as a revision: `origin/main`, `main~1`.
fn stands_for(word: &Argument, branches: &[String]) -> Certainty {
    let Some(text) = word.literal() else {
        let outline = word.outline();
        let may_be = |branch: &String| {
            let remotes = REMOTES.iter().map(|remote| format!("{remote}/{branch}"));
            remotes
                .chain([branch.clone(), format!("refs/heads/{branch}")])
                .any(|name| globs::may_be(&outline, &name))
        };
        return if branches.iter().any(may_be) { Unknown } else { No };
    };
    if text == "-" || text.starts_with("@{-") {
        return Unknown;
    }
    let name = ["refs/heads/", "heads/", "refs/remotes/", "remotes/"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix))
        .unwrap_or(text);
    let name = REMOTES.iter().find_map(|remote| name.strip_prefix(remote)?.strip_prefix('/')).unwrap_or(name);
    let end = name.find(['~', '^', ':']).or_else(|| name.find("@{")).unwrap_or(name.len());
    let name = name.get(..end).unwrap_or(name);
    if branches.iter().any(|branch| branch == name) { Yes } else { No }
}

#[cfg(test)]
mod tests {
    use hooks_facts::commands::{Analysis, Options};

    use super::*;

    fn each(text: &str, judge: impl Fn(GitCommand<'_>) -> Certainty) -> Certainty {
        let analysis = Analysis::of_text(text, &Options::default());
        let gits = analysis.invocations.iter().filter_map(|it| analysis.git_words(it));
        gits.filter_map(GitCommand::new).map(judge).max().unwrap_or(No)
    }

    fn commits(command: GitCommand<'_>) -> Certainty {
        command.commits()
    }

    #[test]
    fn the_table_has_each_command_once_in_order() {
        let lines: Vec<_> =
            include_str!("../../data/git_commands.txt").lines().filter(|l| !l.starts_with('#')).collect();
        let names: Vec<_> =
            lines.iter().filter_map(|line| line.split_once('\t')).map(|(name, _)| name).collect();
        assert_eq!(names.len(), lines.len(), "each line has a tab");
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "sorted");
        for line in lines {
            let effects = line.split_once('\t').unwrap().1;
            assert!(
                effects.is_empty() || effects.split(' ').all(|it| matches!(it, "commits" | "tree")),
                "{line}"
            );
        }
    }

    #[test]
    fn commits_are_told_from_other_commands() {
        for (text, certainty) in [
            ("git commit -m x", Yes),
            ("git -C x -c a.b=c commit --amend", Yes),
            ("git comm''it", Yes),
            ("git \\\n commit", Yes),
            ("git merge --no-ff topic", Yes),
            ("git revert HEAD", Yes),
            ("git pull", Yes),
            ("git commit-graph write", No),
            ("git commit-tree x", No),
            ("git commit --dry-run", No),
            ("git merge --abort", No),
            ("git cherry-pick -nx a", No),
            ("git commit -- --dry-run", Yes),
            ("git log --grep commit", No),
            ("git ci -m x", Unknown),
            ("git $COMMAND", Unknown),
        ] {
            assert_eq!(each(text, commits), certainty, "{text}");
        }
    }

    #[test]
    fn checkouts_of_a_branch_are_told_from_other_commands() {
        let branches = ["main".to_owned(), "master".to_owned()];
        for (text, certainty) in [
            ("git checkout main", Yes),
            ("git switch ma\"ster\"", Yes),
            ("git checkout -f main", Yes),
            ("git checkout main --", Yes),
            ("git switch --detach origin/main~2", Yes),
            ("git checkout -fB main topic", Yes),
            ("git switch -cmain", Yes),
            ("git switch --create=main", Yes),
            ("git checkout --track upstream/main", Yes),
            ("git symbolic-ref HEAD refs/heads/main", Yes),
            ("git worktree add ../x main", Yes),
            ("git worktree add ../main", Yes),
            ("git branch -f main HEAD", Yes),
            ("git branch -m main", Yes),
            ("git update-ref refs/heads/main HEAD", Yes),
            ("git rebase topic main", Yes),
            ("git checkout -", Unknown),
            ("git checkout $BRANCH", Unknown),
            ("git co main", Unknown),
            ("git checkout feature/$NAME", No),
            ("git checkout -b fix/main-nav", No),
            ("git checkout -b topic main", No),
            ("git worktree add -b topic ../x main", No),
            ("git checkout main -- src", No),
            ("git checkout -- src/main.rs", No),
            ("git checkout feature/main-menu", No),
            ("git checkout mainé", No),
            ("git branch --list main", No),
            ("git push origin main", No),
            ("git rebase main", No),
            ("git show main:src/checkout.rs", No),
            ("git symbolic-ref HEAD", No),
        ] {
            assert_eq!(each(text, |command| command.leads_to(&branches)), certainty, "{text}");
        }
    }
}
