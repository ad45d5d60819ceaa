//! Snapshots around the commands of `hooks exec`, and what becomes of a command that destroyed something.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hooks::SystemClock;
use hooks::config::Config;
use hooks::config::places::Places;
use hooks::redaction::Scrubber;
use hooks::snapshots::{Effects, LeftOut, Loss, LossKind, OnLoss, Running, Scope, Store};
use hooks::time::Clock;

use crate::exec::Governed;
use crate::failure::Failure;

/// Most characters of a command that are kept for the list.
const LONGEST_LABEL: usize = 200;

/// Most lines about single files.
const MOST_LINES: usize = 20;

/// Opens the snapshots of a workspace.
pub(crate) fn open(governed: &Governed) -> Result<Store, Failure> {
    let left_out = hooks::sandbox::regenerable_folders().map(|(name, why)| LeftOut::new(name, why));
    let failed = |error: hooks::snapshots::SnapshotError| Failure::message(error.to_string());
    let folder = Config::snapshots_folder()
        .ok_or_else(|| Failure::message("the folder of the user's state is unknown; set `HOME`"))?;
    let mut scope = Scope::new(&governed.profile.workspace, left_out.collect()).map_err(failed)?;
    if let Some(home) = Places::here().home() {
        scope = scope.outside_of_home(&home).map_err(failed)?;
    }
    Store::open(&folder, scope.bounded(governed.config.effects())).map_err(failed)
}

/// A command that a snapshot was taken before.
pub(crate) struct Watched<'g> {
    governed: &'g Governed,
    words: &'g [OsString],
    store: Store,
    running: Running,
}

/// Opens the snapshots, if the rules want some. This makes their folder, so it has to come before the folder is closed to the command.
pub(crate) fn wanted(governed: &Governed) -> Result<Option<Store>, String> {
    if governed.config.effects().loss == OnLoss::Unchecked {
        return Ok(None);
    }
    open(governed).map(Some).map_err(|failure| plain(&failure))
}

/// Takes a snapshot before a command.
pub(crate) fn watch<'g>(
    store: Store,
    governed: &'g Governed,
    words: &'g [OsString],
) -> Result<Watched<'g>, String> {
    let running = store.begin(&label(governed, words), SystemClock.now().0);
    let running = running.map_err(|error| error.to_string())?;
    Ok(Watched { governed, words, store, running })
}

/// The text of a failure without its mark.
fn plain(failure: &Failure) -> String {
    match failure {
        Failure::Message(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The command for the list, redacted as its output is.
fn label(governed: &Governed, words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let text = words.join(" ");
    let scrubber = governed.config.as_hooks().extension::<Scrubber>();
    let text = scrubber.map_or_else(|| text.clone(), |scrubber| scrubber.scrub(&text).into_owned());
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST_LABEL).collect()
}

impl Watched<'_> {
    /// Judges what the command did. Returns whether it stays; `say` gets what the model and the person read.
    pub(crate) fn end(self, say: &dyn Fn(&str)) -> bool {
        let Self { governed, words, store, running } = self;
        let effects = match store.finish(running, SystemClock.now().0) {
            Ok(effects) => effects,
            Err(error) => {
                say(&format!("the command ran, and what it destroyed is unknown: {error}"));
                return false;
            }
        };
        let losses = store.losses(&effects, &hooks::SystemPrograms);
        let (lost, rewritten): (Vec<_>, Vec<_>) = losses.into_iter().partition(|loss| loss.kind.is_final());
        for loss in rewritten {
            say(&format!(
                "`{}` {}; `hooks undo {}` restores it",
                loss.path.display(),
                loss.kind.describe(),
                effects.id
            ));
        }
        if lost.is_empty() {
            return true;
        }
        say(&told(&lost));
        let is_named = || lost.iter().all(|loss| is_named(governed, words, loss));
        let is_kept = match governed.config.effects().loss {
            OnLoss::Report | OnLoss::Unchecked => true,
            OnLoss::Ask if crate::person::require("hooks exec").is_ok() => {
                // Without an answer it is undone.
                crate::person::agrees("Keep what the command did?").unwrap_or(false)
            }
            OnLoss::Undo if is_named() => true,
            OnLoss::Undo | OnLoss::Ask => false,
        };
        if is_kept {
            say(&format!("`hooks undo {}` restores it", effects.id));
            return true;
        }
        undo(&store, &effects, &lost, say)
    }
}

fn undo(store: &Store, effects: &Effects, lost: &[Loss], say: &dyn Fn(&str)) -> bool {
    if !effects.is_alone {
        let only: Vec<_> = lost.iter().map(|loss| loss.path.clone()).collect();
        match store.undo_only(&effects.id, &only, SystemClock.now().0) {
            Ok(undone) => say(&format!(
                "denied: {} destroyed paths were restored; other changes stay, because another command ran at the same time",
                undone.restored.len()
            )),
            Err(error) => say(&format!("the destroyed paths could not be restored: {error}")),
        }
        return false;
    }
    match store.undo(&effects.id, true, SystemClock.now().0) {
        Ok(undone) if undone.left.is_empty() => {
            say(&format!(
                "denied: all changes of the command were undone, as it destroyed content that exists nowhere else. \
                 To remove a file on purpose, name it literally. A person can bring the changes back: `hooks undo {}`",
                undone.record.id
            ));
        }
        Ok(undone) => {
            let left: Vec<_> =
                undone.left.iter().map(|(path, why)| format!("\n  `{}`: {why}", path.display())).collect();
            say(&format!("denied: the changes of the command were undone, but for these:{}", left.concat()));
        }
        Err(error) => say(&format!("the changes of the command could not be undone: {error}")),
    }
    false
}

fn told(lost: &[Loss]) -> String {
    let mut text = "the command destroyed content:".to_owned();
    for loss in lost.iter().take(MOST_LINES) {
        text.push_str(&format!("\n  `{}`: {}", loss.path.display(), loss.kind.describe()));
    }
    if let Some(more) = lost.len().checked_sub(MOST_LINES).filter(|more| *more > 0) {
        text.push_str(&format!("\n  and {more} more"));
    }
    text
}

/// Whether the text of the command names the file literally, so that the guards have judged it.
fn is_named(governed: &Governed, words: &[OsString], loss: &Loss) -> bool {
    if matches!(loss.kind, LossKind::Commits | LossKind::Repository | LossKind::Closed) {
        return false;
    }
    let wanted = governed.profile.workspace.join(&loss.path);
    let is_separator = |c: char| c.is_whitespace() || "\"'`;|&<>(){}=".contains(c);
    let names = |word: &str| is_path(&governed.folder, word, &wanted);
    words.iter().filter_map(|word| word.to_str()).any(|text| text.split(is_separator).any(names))
}

/// Whether a word, seen from a folder, is the path.
fn is_path(folder: &Path, word: &str, wanted: &Path) -> bool {
    let mut path = PathBuf::new();
    for part in folder.join(word).components() {
        match part {
            std::path::Component::ParentDir => drop(path.pop()),
            std::path::Component::CurDir => {}
            other => path.push(other),
        }
    }
    !word.is_empty() && path == wanted
}
