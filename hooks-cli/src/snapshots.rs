//! Snapshots around the commands of `hooks exec`, and what becomes of a command that destroyed something.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hooks::config::Config;
use hooks::config::places::Places;
use hooks::event::{Level, Notification};
use hooks::redaction::Scrubber;
use hooks::snapshots::{
    Effects, LeftOut, Loss, LossKind, OnLoss, Origin, Running, Scope, SnapshotError, Store, ToolFile,
};
use hooks::time::Clock;
use hooks::{HookContext, HookRequest, SystemClock};

use crate::exec::{Governed, Wanted};
use crate::failure::Failure;
use crate::unfinished::Unfinished;

/// Most characters of a command that are kept for the list.
const LONGEST_LABEL: usize = 200;

/// Most lines about single files.
const MOST_LINES: usize = 20;

/// Opens the snapshots of a workspace.
pub(crate) fn open(governed: &Governed) -> Result<Store, Failure> {
    let scope = scope(&governed.config, &governed.profile.workspace)?;
    Store::open(&folder()?, scope).map_err(failed)
}

/// The folder of all snapshots.
pub(crate) fn folder() -> Result<PathBuf, Failure> {
    let folder = Config::snapshots_folder();
    folder.ok_or_else(|| Failure::message("the folder of the user's state is unknown; set `HOME`"))
}

/// The files of a workspace that snapshots keep.
pub(crate) fn scope(config: &Config, workspace: &Path) -> Result<Scope, Failure> {
    let left_out = hooks::sandbox::regenerable_folders().map(|(name, why)| LeftOut::new(name, why));
    // Other processes write it while a command runs.
    let log = config.audit_folder().and_then(|folder| folder.to_str().map(str::to_owned));
    let left_out = left_out.chain(log.map(|folder| LeftOut::new(folder, "the audit log")));
    let mut scope = Scope::new(workspace, left_out.collect()).map_err(failed)?;
    if let Some(home) = Places::here().home() {
        scope = scope.outside_of_home(&home).map_err(failed)?;
    }
    Ok(scope.bounded(config.effects()))
}

#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` takes")]
pub(crate) fn failed(error: SnapshotError) -> Failure {
    Failure::message(error.to_string())
}

/// A command that a snapshot was taken before.
pub(crate) struct Watched<'g> {
    governed: &'g Governed,
    wanted: &'g Wanted<'g>,
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
    wanted: &'g Wanted<'g>,
) -> Result<Watched<'g>, String> {
    let words: Vec<_> = wanted.command.iter().map(|word| word.to_string_lossy()).collect();
    let origin = Origin::from(&*label(&governed.config, &words.join(" ")));
    let origin = origin.in_session(&wanted.session).of_call(&wanted.call);
    let running = store.begin(origin, SystemClock.now().0).map_err(|error| error.to_string())?;
    Ok(Watched { governed, wanted, store, running })
}

/// The text of a failure without its mark.
pub(crate) fn plain(failure: &Failure) -> String {
    match failure {
        Failure::Message(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A description for the list, redacted as output is.
pub(crate) fn label(config: &Config, text: &str) -> String {
    let scrubber = config.as_hooks().extension::<Scrubber>();
    let text = scrubber.map_or(Cow::Borrowed(text), |scrubber| scrubber.scrub(text));
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST_LABEL).collect()
}

impl Watched<'_> {
    /// Judges what the command did. Returns whether it stays; `say` gets what the model and the person read.
    pub(crate) fn end(self, say: &dyn Fn(&str)) -> bool {
        let Self { governed, wanted, store, running } = self;
        let effects = match store.finish(running, SystemClock.now().0) {
            Ok(effects) => effects,
            Err(error) => {
                say(&format!("the command ran, and what it destroyed is unknown: {error}"));
                return false;
            }
        };
        let losses = store.losses(&effects, &hooks::SystemPrograms);
        let tool_files = store.tool_files(&effects, &hooks::SystemPrograms);
        for (file, why) in tool_files.iter().filter_map(|file| Some((file, file.why?))).take(MOST_LINES) {
            say(&format!("`{}` is new: {why}", file.path.display()));
        }
        let (lost, other): (Vec<_>, Vec<_>) = losses.iter().cloned().partition(|loss| loss.kind.is_final());
        for Loss { path, kind, .. } in &other {
            say(&format!("`{}` {}; `hooks undo {}` restores it", shown(path), kind.describe(), effects.id));
        }
        let end = match lost.as_slice() {
            [] => End::NoLoss,
            lost => decided(&store, &effects, lost, governed, wanted, say),
        };
        let has_settings = tool_files.iter().any(|file| file.why.is_some());
        if has_settings || !losses.is_empty() {
            let text = format!("effects of {}: {}{}", effects.id, counted(&losses, &tool_files), end.text());
            let level = if lost.is_empty() { Level::Info } else { Level::Warning };
            if let Err(why) = record(governed, &wanted.session, &wanted.call, Notification::new(level, text))
            {
                say(&format!("the effects of the command could not be recorded: {}", plain(&why)));
            }
        }
        matches!(end, End::NoLoss | End::Kept)
    }
}

/// Result of a command.
enum End {
    NoLoss,
    Kept,
    /// All its changes were undone.
    Undone,
    /// Only so many destroyed paths were restored.
    Restored(usize),
    NotUndone,
}

impl End {
    fn text(&self) -> String {
        match self {
            Self::NoLoss => String::new(),
            Self::Kept => "; kept".to_owned(),
            Self::Undone => "; all changes were undone".to_owned(),
            Self::Restored(count) => format!("; {count} paths were restored"),
            Self::NotUndone => "; not all of it could be undone".to_owned(),
        }
    }
}

/// The numbers of losses of each kind, and of new files that tools start or obey, without their names.
fn counted(losses: &[Loss], tool_files: &[ToolFile]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    losses.iter().for_each(|loss| *counts.entry(loss.kind.name()).or_default() += 1);
    let (settings, programs): (Vec<_>, Vec<_>) = tool_files.iter().partition(|file| file.why.is_some());
    counts.extend([("new settings of tools", settings.len()), ("new programs", programs.len())]);
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    counts.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

/// Records what happened, as an event of the log and for hooks that observe it.
pub(crate) fn record(
    governed: &Governed,
    session: &str,
    call: &str,
    event: Notification,
) -> Result<(), Failure> {
    let config = crate::load::recording(&governed.file, &governed.root)?;
    let unfinished = Unfinished::default();
    let mut context = HookContext::new(session, "");
    context.call_id = Some(call.to_owned()).filter(|call| !call.is_empty());
    context.team_root = Some(governed.root.clone());
    let context = crate::event::here(context, &config, &unfinished);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let hooks = config.clone().hooks();
        crate::event::tell_and_record(&hooks, HookRequest::new(context, event), config.recording()).await;
        unfinished.finish().await;
        config.close().await.map_err(|error| Failure::message(error.to_string()))
    })
}

/// Keeps or undoes a command that destroyed something.
fn decided(
    store: &Store,
    effects: &Effects,
    lost: &[Loss],
    governed: &Governed,
    wanted: &Wanted<'_>,
    say: &dyn Fn(&str),
) -> End {
    say(&told(lost));
    let is_named = || lost.iter().all(|loss| is_named(governed, &wanted.command, loss));
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
        return End::Kept;
    }
    undo(store, effects, lost, say)
}

fn undo(store: &Store, effects: &Effects, lost: &[Loss], say: &dyn Fn(&str)) -> End {
    if !effects.is_alone {
        let only: Vec<_> = lost.iter().map(|loss| loss.path.clone()).collect();
        return match store.undo_only(&effects.id, &only, SystemClock.now().0) {
            Ok(undone) => {
                let count = undone.restored.len();
                say(&format!(
                    "denied: {count} destroyed paths were restored; other changes stay, because another command ran at the same time"
                ));
                End::Restored(count)
            }
            Err(error) => {
                say(&format!("the destroyed paths could not be restored: {error}"));
                End::NotUndone
            }
        };
    }
    match store.undo(&effects.id, true, SystemClock.now().0) {
        Ok(undone) if undone.left.is_empty() => {
            say(&format!(
                "denied: all changes of the command were undone, as it destroyed content that exists nowhere else. \
                 To remove a file on purpose, name it literally. A person can bring the changes back: `hooks undo {}`",
                undone.record.id
            ));
            End::Undone
        }
        Ok(undone) => {
            let left: Vec<_> =
                undone.left.iter().map(|(path, why)| format!("\n  `{}`: {why}", path.display())).collect();
            say(&format!("denied: the changes of the command were undone, but for these:{}", left.concat()));
            End::NotUndone
        }
        Err(error) => {
            say(&format!("the changes of the command could not be undone: {error}"));
            End::NotUndone
        }
    }
}

/// A path for a person; the workspace itself has none.
fn shown(path: &Path) -> std::path::Display<'_> {
    if path.as_os_str().is_empty() { Path::new(".").display() } else { path.display() }
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
    use LossKind::{Closed, Commits, Linked, Repository};
    if matches!(loss.kind, Commits | Repository | Linked | Closed) {
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
