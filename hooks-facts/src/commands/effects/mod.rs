//! Consequences of a command, whatever the program or the language: a tree is removed, published branches are overwritten.
//!
//! A consequence has one of three sources: the words of a program (`table`, with the questions about git in `git`), a call in
//! the text of an interpreter (`calls`; `code` reads the text), or a written file (`devices`). Programs, words and calls
//! are rows of the tables `effects`, `effect_calls` and `effect_words`. Texts for shells, wrappers and other hosts are read by
//! the analysis before.
//!
//! ```
//! use hooks_facts::commands::{Analysis, Effect, Options};
//!
//! let effects = |text| -> Vec<Effect> {
//!     Analysis::of_text(text, &Options::default()).effects().iter().map(|found| found.effect).collect()
//! };
//! assert_eq!(effects("find src -name '*.o' -delete"), [Effect::RecursiveDelete]);
//! assert_eq!(effects("python3 -c \"import shutil; shutil.rmtree('src')\""), [Effect::RecursiveDelete]);
//! assert_eq!(effects("git push origin :main"), [Effect::HistoryOverwrite]);
//! assert!(effects("echo 'git push origin :main'").is_empty());
//! ```
//!
//! The cost is linear in the words and texts, and paid at the first call of [`Analysis::effects`]. A limit that is reached counts as
//! an effect.

mod calls;
pub(super) mod code;
mod devices;
mod git;
mod names;
mod reading;
mod table;
mod words;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::access::AccessKind;
use super::analysis::{Analysis, Invocation, Program};
use super::argument::Argument;
use crate::globs;
use crate::shell::Span;
use git::Situation;
pub(super) use reading::only_reads;

/// Most settings of git that are kept. More of them count as any setting.
const MAX_SETTINGS: usize = 4_096;

/// Programs that print the names of files below a folder.
const SEARCHES: &[&str] = &["find", "gfind", "bfs", "fd", "fdfind", "locate"];

/// Longest list of words that an effect shows.
const MAX_SHOWN: usize = 200;

/// Consequence of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Effect {
    /// A tree of folders, or a whole set of files, is removed.
    RecursiveDelete,
    /// Something runs with the rights of another user.
    Privilege,
    /// A block device is written to.
    DeviceWrite,
    /// Published branches or tags are overwritten or deleted.
    HistoryOverwrite,
    /// Uncommitted or stashed work is thrown away.
    DiscardWork,
    /// Local commits that a branch or a tag names are replaced.
    HistoryRewrite,
    /// Settings or hooks of a repository are changed so that programs run.
    GitDirWrite,
}

impl Effect {
    /// All effects.
    pub const ALL: [Self; 7] = [
        Self::RecursiveDelete,
        Self::Privilege,
        Self::DeviceWrite,
        Self::HistoryOverwrite,
        Self::DiscardWork,
        Self::HistoryRewrite,
        Self::GitDirWrite,
    ];

    /// Returns the name of the effect, as a configuration writes it.
    ///
    /// ```
    /// use hooks_facts::commands::Effect;
    ///
    /// assert_eq!(Effect::DiscardWork.name(), "discard-work");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::RecursiveDelete => "recursive-delete",
            Self::Privilege => "privilege",
            Self::DeviceWrite => "device-write",
            Self::HistoryOverwrite => "history-overwrite",
            Self::DiscardWork => "discard-work",
            Self::HistoryRewrite => "history-rewrite",
            Self::GitDirWrite => "git-dir-write",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Effect of a command, with the words that cause it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundEffect {
    /// The effect.
    pub effect: Effect,
    /// The program with its words, the file, or the call of an interpreter that has the effect.
    pub words: String,
    /// Position in the text that leads to it.
    pub span: Span,
    /// Whether a call of an interpreter's code has it. The files of such calls are not among those that the command names:
    /// [`Analysis::texts_in_code`] are the candidates.
    pub in_code: bool,
}

impl Analysis {
    /// Returns the strings in the code that interpreters run, as the code sees them: without escapes, and put together.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("python3 -c 'shutil.rmtree(\"src\")'", &Options::default());
    /// assert_eq!(analysis.texts_in_code().collect::<Vec<_>>(), ["src"]);
    /// ```
    pub fn texts_in_code(&self) -> impl Iterator<Item = String> {
        self.programs.iter().flat_map(|program| names::texts(program.language, &program.text))
    }

    /// Returns the effects of the command, each once by its words and once by code, with the first words that cause it. They are found at the first call.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Effect, Options};
    ///
    /// let analysis = Analysis::of_text("cd app; timeout 5 git stash drop", &Options::default());
    /// let found = analysis.effects();
    /// assert_eq!((found[0].effect, found[0].words.as_str()), (Effect::DiscardWork, "git stash drop"));
    /// ```
    pub fn effects(&self) -> &[FoundEffect] {
        self.effects.get_or_init(|| self.find_effects())
    }

    fn find_effects(&self) -> Vec<FoundEffect> {
        let mut effects = EffectSet::default();
        let situation = self.situation();
        for invocation in &self.invocations {
            let Some(name) = self.program_name(invocation) else { continue };
            let words = invocation.argv.get(1..).unwrap_or_default();
            table::compare(&name, words, &situation, &mut |effect| {
                effects.add(effect, || shown(&invocation.argv), invocation.span);
            });
        }
        self.of_written_files(&mut effects);
        for program in &self.programs {
            calls::compare(program.language, &program.text, &situation, &mut |effect, words: &str| {
                effects.add_by(effect, || abbreviated(words), Span::default(), true);
            });
        }
        effects.found.sort_by_key(|found| found.effect);
        effects.found
    }

    /// Returns whether the command has an effect.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Effect, Options};
    ///
    /// let analysis = Analysis::of_text("git push --force origin main", &Options::default());
    /// assert!(analysis.has_effect(Effect::HistoryOverwrite));
    /// assert!(!analysis.has_effect(Effect::RecursiveDelete));
    /// ```
    pub fn has_effect(&self, effect: Effect) -> bool {
        self.effects().iter().any(|found| found.effect == effect)
    }

    fn of_written_files(&self, effects: &mut EffectSet) {
        let is_changed = |kind| matches!(kind, AccessKind::Redirected | AccessKind::Changed);
        let writes = self.writes();
        let changed = || writes.iter().filter(|access| is_changed(access.kind));
        // A link to a device is written through by another command of the text.
        let several = changed().any(|access| {
            access.kind == AccessKind::Redirected
                || changed().next().is_some_and(|first| first.span != access.span)
        });
        for access in writes {
            let target = access.target.outline();
            let is_used = access.kind == AccessKind::Linked && several;
            if (is_changed(access.kind) || is_used) && devices::is_device(&target) {
                effects.add(Effect::DeviceWrite, || globs::shown(&target), access.span);
            }
            let is_shared = matches!(access.kind, AccessKind::Linked);
            if !is_shared && is_in_git_folder(&target) {
                effects.add(Effect::GitDirWrite, || globs::shown(&target), access.span);
            }
            if is_privileged(&target) {
                effects.add(Effect::Privilege, || globs::shown(&target), access.span);
            }
        }
    }

    fn situation(&self) -> Situation<'_> {
        let of_git = |invocation: &Invocation| self.git_words(invocation).map(<[Argument]>::to_vec);
        let mut settings = Vec::new();
        let (mut shows_changes, mut has_more) = (false, false);
        for words in self.invocations.iter().filter_map(of_git) {
            let Some((command, rest)) = words.split_first() else { continue };
            let mut operands =
                rest.iter().map(Argument::outline).filter(|word| !word.starts_with('-') && word != "set");
            match (command.prefix(), operands.next(), operands.next()) {
                ("config", Some(key), Some(value)) if settings.len() < MAX_SETTINGS => {
                    settings.push((key.to_lowercase(), value.to_lowercase()));
                }
                ("config", Some(_), Some(_)) => has_more = true,
                ("diff" | "show" | "stash", ..) => shows_changes = true,
                _ => {}
            }
        }
        let is_search =
            |it: &Invocation| self.program_name(it).is_some_and(|name| SEARCHES.contains(&name.as_str()));
        let searches = self.invocations.iter().any(is_search);
        Situation { settings, has_more, accesses: &self.writes, shows_changes, searches }
    }
}

#[derive(Default)]
struct EffectSet {
    found: Vec<FoundEffect>,
}

impl Program {
    /// Returns the names of files that strings of the text may be: without escapes, put together, and behind the user's home.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let text = "node -e \"fs.writeFileSync(os.homedir() + '/.netrc', '')\"";
    /// let analysis = Analysis::of_text(text, &Options::default());
    /// assert!(analysis.programs()[0].names().contains(&"~/.netrc".to_owned()));
    /// ```
    pub fn names(&self) -> Vec<String> {
        names::names(self.language, &self.text)
    }
}

impl EffectSet {
    fn add(&mut self, effect: Effect, words: impl FnOnce() -> String, span: Span) {
        self.add_by(effect, words, span, false);
    }

    fn add_by(&mut self, effect: Effect, words: impl FnOnce() -> String, span: Span, in_code: bool) {
        if self.found.iter().all(|found| found.effect != effect || found.in_code != in_code) {
            self.found.push(FoundEffect { effect, words: words(), span, in_code });
        }
    }
}

/// Files that list the users who may act as another user.
const PRIVILEGED: &[&str] = table!("effect_words_privileged");

fn is_privileged(target: &str) -> bool {
    target.starts_with('/') && PRIVILEGED.iter().any(|known| words::glob(known, target))
}

/// Returns whether a name is that of a repository's own folder, or of a file in it.
fn is_in_git_folder(target: &str) -> bool {
    target.split('/').any(|part| part.eq_ignore_ascii_case(".git"))
}

fn shown(argv: &[Argument]) -> String {
    let words: Vec<String> = argv.iter().map(|word| globs::shown(&word.outline())).collect();
    abbreviated(&words.join(" "))
}

fn abbreviated(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
