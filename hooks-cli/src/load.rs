//! Loads a configuration, or reports all of its mistakes.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use hooks::config::{Config, ConfigErrors, ConfigReader, Kept, LiveConfig, LiveReader, Profile, as_patterns};
use hooks::store::{Engine, StoreThread};

use crate::cli::ToolNames;
use crate::failure::{Failure, Status};
use crate::run::project;
use crate::snippet;

/// The configuration at `path`, for questions about events that did not happen, so nothing is recorded.
pub(crate) fn config(path: &Path, profile: Option<Profile>) -> Result<Config, Failure> {
    read(
        &in_project(reader(profile).recording_in_teams().recording_nothing().remembering_no_files(), path),
        path,
    )
}

/// The configuration at `path`, for questions about calls whose tools have `names`.
pub(crate) fn explained(path: &Path, profile: Option<Profile>, names: ToolNames) -> Result<Config, Failure> {
    let reader = names.known_to(reader(profile)).recording_in_teams().recording_nothing();
    read(&in_project(reader.remembering_no_files(), path), path)
}

/// The configuration at `path`, for a command of a session in the project at `root`.
pub(crate) fn in_session(path: &Path, root: &Path) -> Result<Config, Failure> {
    read(&reader(None).recording_in_teams().recording_nothing().of_project(root), path)
}

/// The configuration at `path`, for events that happen and are recorded.
pub(crate) fn governing(path: &Path, profile: Option<Profile>) -> Result<Config, Failure> {
    read(&in_project(reader(profile).recording_in_teams(), path), path)
}

/// The configuration at `path`, to record what happened in the project at `root`.
#[cfg(target_os = "linux")]
pub(crate) fn recording(path: &Path, root: &Path) -> Result<Config, Failure> {
    read(&reader(None).recording_in_team_of(root).remembering_no_files().of_project(root), path)
}

/// The configuration at `path`, which judges events of a record with the state `kept` and does nothing else. `change` changes
/// its reader.
pub(crate) fn for_replay(
    path: &Path,
    kept: Kept,
    protected: impl Iterator<Item = String>,
    change: impl Fn(ConfigReader) -> ConfigReader,
) -> Result<Config, Failure> {
    let reader = reader(None).recording_in_teams().judging_only().keeping(kept).protecting(protected);
    read(&in_project(change(reader), path), path)
}

/// The configuration at `path` for a trial: its counters end with this process, unless the file sets a store.
pub(crate) fn on_trial(path: &Path) -> Result<Config, Failure> {
    read(&ConfigReader::default().store_thread(StoreThread::AtOnce).recording_nothing(), path)
}

/// The configuration at `path`, which follows its files, for events that happen if `is_recording`, and for questions
/// otherwise. Tools have `names`.
pub(crate) fn live(
    path: &Path,
    profile: Option<Profile>,
    names: ToolNames,
    is_recording: bool,
) -> Result<LiveConfig, Failure> {
    let reader = names.of_host(reader(profile)).recording_in_teams();
    let reader = if is_recording { reader } else { reader.recording_nothing() };
    find(path)?;
    LiveReader::new(in_project(reader, path)).read(path).map_err(|errors| shown(&errors))
}

/// The configuration that the command line names, or the one that governs this folder. A file that was found is named
/// on standard error.
pub(crate) fn named_or_found(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(path) = named {
        return Ok(path.to_path_buf());
    }
    let here = env::current_dir()?;
    let found = project::find_from(None, &here);
    let Some(governing) = found else {
        let why =
            "no `hooks.yaml` governs this folder; name one with `--config`, or write one with `hooks init`";
        return Err(Failure::message(why));
    };
    writeln!(anstream::stderr(), "rules of `{}`", governing.config.display())?;
    Ok(governing.config)
}

fn read(reader: &ConfigReader, path: &Path) -> Result<Config, Failure> {
    find(path)?;
    reader.read(path).map_err(|errors| shown(&errors))
}

/// A missing file is an error of the command line, whereas a mistake in the file is a finding of `check`.
fn find(path: &Path) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::message(format!("`{}` cannot be read: {error}", path.display()))),
    }
}

fn shown(errors: &ConfigErrors) -> Failure {
    match snippet::write(&mut anstream::stderr(), errors) {
        Ok(()) => Failure::Shown(Status::Usage),
        Err(error) => error.into(),
    }
}

/// `reader` for the configuration at `path` in the project of the current folder.
pub(crate) fn in_project(reader: ConfigReader, path: &Path) -> ConfigReader {
    let here = env::current_dir().ok();
    match here.and_then(|here| project::find_from(Some(path), &here)) {
        Some(governing) => reader.of_project(governing.root),
        None => reader,
    }
}

/// A reader with the profile of the command line.
pub(crate) fn reader(profile: Option<Profile>) -> ConfigReader {
    // Answers are computed one after the other, and no work remains when the process ends. Counters outlive
    // the process, unless the file sets a store.
    let reader = ConfigReader::default()
        .store_thread(StoreThread::AtOnce)
        .storing_in(Engine::File)
        .feeding_nothing()
        .protecting(this_program());
    match profile {
        Some(profile) => reader.profile(profile),
        None => reader,
    }
}

/// The path of this program, as it was called and as it is: an agent that can write this file can remove
/// every rule. A program that was called by its name alone could be replaced in any folder of `PATH`.
fn this_program() -> impl Iterator<Item = String> {
    let called = env::args_os().next().map(PathBuf::from);
    let is_name = called.as_ref().is_some_and(|called| called.components().count() == 1);
    let path = env::var_os("PATH").filter(|_| is_name).unwrap_or_default();
    let name = called.clone().unwrap_or_default();
    let in_path: Vec<_> = env::split_paths(&path).map(|folder| folder.join(&name)).collect();
    let program = env::current_exe().ok();
    let called = called.filter(|path| path.is_absolute());
    let mut all: Vec<_> = called.into_iter().chain(program).chain(in_path).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().flat_map(|path| as_patterns(&path))
}
