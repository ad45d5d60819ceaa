//! Branches that git commands move or delete by name: deletions, refspecs and references.

use hooks_facts::commands::Argument;
use hooks_facts::globs::Gap;

use super::Certainty::{self, No, Unknown, Yes};
use super::{GitCommand, after, stands_for};

/// Start of the full name of a branch.
const HEADS: &str = "refs/heads/";

impl GitCommand<'_> {
    /// Returns whether `git branch` moves or deletes one of `branches`.
    pub(super) fn changes_branch(self, branches: &[String]) -> Certainty {
        const MOVES: &[&str] = &["-f", "--force", "-m", "-M", "--move", "-c", "-C", "--copy"];
        const DELETES: &[&str] = &["-d", "-D", "--delete"];
        let deletes = self.has(DELETES) && !self.has(&["-r", "--remotes"]);
        if deletes || self.has(MOVES) {
            any(self.operands("u"), |word| stands_for(word, branches))
        } else {
            No
        }
    }

    /// Returns whether `git symbolic-ref` makes `HEAD` one of `branches`, or makes a branch another one.
    pub(super) fn changes_symbolic_ref(self, branches: &[String]) -> Certainty {
        match &self.operands("m")[..] {
            [head, branch] if head.literal() == Some("HEAD") => stands_for(branch, branches),
            [name, _] => of_full_name(name, branches),
            [name] if self.has(&["-d", "--delete"]) => of_full_name(name, branches),
            _ => No,
        }
    }

    /// Returns whether `git update-ref` moves or deletes one of `branches`.
    pub(super) fn updates_ref(self, branches: &[String]) -> Certainty {
        if self.has(&["--stdin"]) {
            return Unknown;
        }
        self.operands("m").first().map_or(No, |name| of_full_name(name, branches))
    }

    /// Returns whether a fetch moves one of `branches`: `git fetch origin main:main`.
    pub(super) fn fetches(self, branches: &[String]) -> Certainty {
        if self.has(&["--multiple"]) {
            return No;
        }
        let maps = self.words.iter().filter(|word| word.prefix().starts_with("--refmap="));
        let refspecs = self.operands("ojsX").into_iter().skip(1).chain(maps);
        any(refspecs, |refspec| target(refspec).map_or(No, |target| fits(&target, branches)))
    }

    /// Returns whether a push moves one of `branches` of this repository: `git push . HEAD:main`.
    pub(super) fn pushes_here(self, branches: &[String]) -> Certainty {
        let operands = self.operands("o");
        // The remote is the first of them, unless a long option takes its value from the next word.
        if !operands.iter().any(|operand| is_local(operand)) {
            return No;
        }
        let deletes = self.has(&["-d", "--delete"]);
        any(operands, |refspec| match target(refspec) {
            Some(target) => fits(&target, branches),
            None if deletes => stands_for(refspec, branches),
            None => No,
        })
    }
}

fn any<'w>(
    words: impl IntoIterator<Item = &'w Argument>,
    judge: impl Fn(&Argument) -> Certainty,
) -> Certainty {
    words.into_iter().map(judge).max().unwrap_or(No)
}

/// Returns whether a reference with its full name is one of the branches.
fn of_full_name(name: &Argument, branches: &[String]) -> Certainty {
    if name.prefix().starts_with(HEADS) || name.literal().is_none() { stands_for(name, branches) } else { No }
}

/// Returns the reference that a refspec changes; `None` if it names only its source. An unknown word may have any target.
fn target(refspec: &Argument) -> Option<Argument> {
    match refspec.outline().find(':') {
        Some(colon) => after(refspec, colon + 1),
        None => refspec.literal().is_none().then(|| Argument::of_outline(&Gap::Any.stand_in().to_string())),
    }
}

/// Returns whether the target of a refspec is one of the branches; `*` stands for a part of a name.
fn fits(target: &Argument, branches: &[String]) -> Certainty {
    let Some((before, behind)) = target.literal().and_then(|text| text.split_once('*')) else {
        return stands_for(target, branches);
    };
    let is_one = |branch: &String| {
        let name = format!("{HEADS}{branch}");
        name.len() >= before.len() + behind.len() && name.starts_with(before) && name.ends_with(behind)
    };
    if branches.iter().any(is_one) { Yes } else { No }
}

/// Returns whether a push goes to a folder of this machine, which may be this repository.
fn is_local(remote: &Argument) -> bool {
    let text = remote.prefix();
    remote.literal().is_none() && text.is_empty()
        || text.starts_with(['.', '/', '~'])
        || text.starts_with("file:")
}

#[cfg(test)]
mod tests {
    use hooks_facts::commands::{Analysis, Options};

    use super::*;

    #[test]
    fn commands_that_move_or_delete_a_branch_by_its_name_lead_to_it() {
        let branches = ["main".to_owned(), "release/1".to_owned()];
        for (text, wanted) in [
            ("git branch -D main", Yes),
            ("git branch --delete --force release/1", Yes),
            ("git branch -d topic", No),
            ("git branch -dr origin/main", No),
            ("git fetch origin main:main", Yes),
            ("git fetch . +topic:refs/heads/main", Yes),
            ("git fetch origin '+refs/heads/*:refs/heads/*'", Yes),
            ("git fetch origin '+refs/heads/*:refs/remotes/origin/*'", No),
            ("git fetch --refmap=x:main origin x", Yes),
            ("git pull origin topic:main", Yes),
            ("git fetch origin $SPEC", Unknown),
            ("git fetch origin topic:$NAME", Unknown),
            ("git fetch origin main", No),
            ("git fetch", No),
            ("git push . HEAD:main", Yes),
            ("git push -f ../repo topic:refs/heads/main", Yes),
            ("git push file:///repo :main", Yes),
            ("git push . --delete main", Yes),
            ("git push $HERE HEAD:main", Yes),
            ("git push --repo x . HEAD:main", Yes),
            ("git push . HEAD:topic", No),
            ("git push origin HEAD:main", No),
            ("git symbolic-ref refs/heads/main refs/heads/topic", Yes),
            ("git symbolic-ref -d refs/heads/main", Yes),
            ("git symbolic-ref refs/heads/topic", No),
            ("git update-ref -d refs/heads/main", Yes),
            ("git update-ref --stdin", Unknown),
            ("git stash branch main", Yes),
            ("git stash branch topic", No),
            ("git bisect reset main", Yes),
            ("git bisect start main topic", No),
            ("git fast-import", Unknown),
        ] {
            let analysis = Analysis::of_text(text, &Options::default());
            let gits = analysis.invocations.iter().filter_map(|it| analysis.git_words(it));
            let found = gits.filter_map(GitCommand::new).map(|command| command.leads_to(&branches)).max();
            assert_eq!(found, Some(wanted), "{text}");
        }
    }
}
