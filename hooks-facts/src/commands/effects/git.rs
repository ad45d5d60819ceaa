//! Questions about the operands of git that no list of words answers.

use super::table::Question;
use super::words::{Words, glob, is_gap_in};
use crate::commands::access::{Access, AccessKind};
use crate::globs::Gap;

/// Settings of a repository whose value git or another program runs, or that lead git to other files.
const PROGRAMS: &[&str] = table!("effect_words_programs");

/// Other contents of the text of a command.
pub(super) struct Situation<'a> {
    /// Settings of git that the text makes: the name in lower case, and the value.
    pub(super) settings: Vec<(String, String)>,
    /// Whether the text makes further settings, which may be any.
    pub(super) has_more: bool,
    /// Files that the text writes.
    pub(super) accesses: &'a [Access],
    /// Whether the text shows changes of the work, for a program that takes them back.
    pub(super) shows_changes: bool,
    /// Whether the text searches for files, whose names it may pass on.
    pub(super) searches: bool,
}

impl Situation<'_> {
    /// Returns whether a setting is made: for this run, or before in the same text.
    pub(super) fn has_setting(&self, words: &Words, wanted: &str) -> bool {
        let (wanted, value) = wanted.split_once('=').unwrap_or((wanted, "*"));
        let is_one = |name: &str, given: &str| {
            glob(wanted, name)
                && (glob(value, given) || value == "true" && matches!(given, "" | "yes" | "on" | "1"))
        };
        let own = words.options.iter().filter_map(|(option, next)| {
            let setting = option.strip_prefix("-c")?;
            let setting = if setting.is_empty() { next } else { setting };
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            Some((name.to_lowercase(), value.to_lowercase()))
        });
        self.has_more || own.chain(self.settings.iter().cloned()).any(|(name, given)| is_one(&name, &given))
    }

    fn is_written(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./");
        self.accesses.iter().any(|access| {
            matches!(access.kind, AccessKind::Redirected | AccessKind::Changed)
                && access.target.outline().trim_start_matches("./").ends_with(path)
        })
    }

    fn fills_here(&self) -> bool {
        self.accesses.iter().any(|access| {
            access.kind == AccessKind::Filled && matches!(access.target.literal(), Some("." | "./" | "~"))
        })
    }
}

impl Question<'_> {
    /// Answers a question of the table about git.
    pub(super) fn of_git(&self, question: &str) -> bool {
        match question {
            "checkout" => self.checks_out_files(),
            "unstaged" => !self.words.has("-S") && !self.words.has("--staged"),
            "rev" => self.moves_the_branch(),
            "ref" => self.names_a_branch(),
            "refspec" => self.overwrites_a_branch(),
            "over" => self.writes_over(),
            "reversed" => {
                self.situation.shows_changes && (self.words.has("-R") || self.words.has("--reverse"))
            }
            "programs" => self.sets_a_program(),
            // A question without an answer is met; the tests want an example of each row that is, and one that is not.
            _ => true,
        }
    }

    /// `git checkout` with names of files takes back their changes; with a new branch it does not.
    fn checks_out_files(&self) -> bool {
        let makes_branch = ["-b", "-B", "--orphan", "-t", "--track", "--detach", "-d"]
            .iter()
            .any(|option| self.words.has(option));
        if makes_branch {
            return false;
        }
        let operands: Vec<&str> = self.operands().collect();
        operands.len() > 1 || operands.first().is_some_and(|only| is_path(only))
    }

    /// `git reset` with a commit moves the branch; with names of files it does not.
    fn moves_the_branch(&self) -> bool {
        if self.words.has_end {
            return false;
        }
        let operands: Vec<&str> = self.operands().collect();
        let [only] = operands.as_slice() else { return false };
        let has_mode =
            ["--soft", "--mixed", "--hard", "--keep", "--merge"].iter().any(|mode| self.words.has(mode));
        !matches!(*only, "HEAD" | "@") && (has_mode || is_commit(only))
    }

    /// `git update-ref` with a branch, a tag, or all of them.
    fn names_a_branch(&self) -> bool {
        let first = self.operands().next().unwrap_or_default();
        ["refs/heads/", "refs/tags/", "refs/remotes/"].iter().any(|start| first.starts_with(start))
            || matches!(first, "HEAD" | "ORIG_HEAD")
            || is_gap_in(first)
    }

    /// `git fetch . +a:b`: the branch `b` becomes `a`, whatever it was.
    fn overwrites_a_branch(&self) -> bool {
        let forces = self.words.has("-f") || self.words.has("--force");
        self.operands().any(|refspec| {
            let is_forced = refspec.starts_with('+') || forces;
            let target = refspec.split_once(':').map_or("", |(_, target)| target);
            is_forced
                && !target.is_empty()
                && !target.starts_with("refs/remotes/")
                && !refspec.contains("://")
        })
    }

    /// `git show HEAD:a > a`, `git archive HEAD | tar x`.
    fn writes_over(&self) -> bool {
        let file = self.operands().filter_map(|word| word.split_once(':')).map(|(_, file)| file);
        let is_archive = self.words.operands.first().is_some_and(|(name, _)| name == "archive");
        file.into_iter().any(|file| !file.is_empty() && !is_archive && self.situation.is_written(file))
            || is_archive && self.situation.fills_here()
    }

    /// `git config KEY VALUE` for a key whose value runs.
    fn sets_a_program(&self) -> bool {
        let reads = self.words.has("--unset") || self.words.has("--unset-all");
        let mut operands = self.operands().filter(|word| !matches!(*word, "set" | "unset" | "edit"));
        let Some(key) = operands.next().map(str::to_lowercase) else {
            return self.words.has("-e") || self.words.has("--edit");
        };
        let value = operands.next();
        let is_one = PROGRAMS.iter().any(|known| glob(known, &key));
        (value.is_some() || reads && is_one) && (is_one || is_gap_in(&key))
            || key.starts_with("alias.") && value.is_some_and(|value| value.starts_with('!'))
            || self.words.has("--remove-section")
    }
}

/// Returns whether a word of `git checkout` names files, and not a branch.
fn is_path(word: &str) -> bool {
    if matches!(word, "-" | "@" | "HEAD") {
        return false;
    }
    let is_wild = word.contains(|c| matches!(Gap::from_char(c), Some(Gap::Name | Gap::One | Gap::Folders)));
    let last = word.rsplit('/').next().unwrap_or_default();
    let has_ending = last.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=5).contains(&ending.len())
            && ending != "x"
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
            && !stem.ends_with(|c: char| c.is_ascii_digit())
    });
    word.starts_with(['.', ':', '/']) || word.ends_with('/') || is_wild || has_ending
}

/// Returns whether a word names a commit, and not a file.
fn is_commit(word: &str) -> bool {
    let is_number = (7..=40).contains(&word.len()) && word.chars().all(|c| c.is_ascii_hexdigit());
    word.contains(['~', '^'])
        || word.contains("@{")
        || ["origin/", "upstream/", "refs/"].iter().any(|start| word.starts_with(start))
        || matches!(word, "ORIG_HEAD" | "FETCH_HEAD" | "MERGE_HEAD")
        || is_number
}
