//! The configuration that governs an event, read for this event alone.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks::audit::Audit;
use hooks::audit::keep::Keeper;
use hooks::config::{Config, ConfigErrors, as_pattern};
use hooks::{Holds, HookContext, Hooks};
use hooks_protocols::Decoded;
use tokio::runtime::{Builder, Runtime};

use super::deadline::Deadline;
use super::project::{self, Found};
use super::{Failure, Notes, keeping, settled};
use crate::cli::Run;
use crate::event::here;
use crate::load;
use crate::unfinished::Unfinished;

/// What governs one event.
pub(super) struct Governing {
    config: Config,
    root: PathBuf,
    runtime: Runtime,
    unfinished: Unfinished,
    deadline: Deadline,
}

/// What governs `decoded`.
pub(super) fn of(asked: &Run, decoded: &Decoded, deadline: Deadline) -> Result<Governing, Failure> {
    let cwd = folder_of(decoded)?;
    let Some(Found { config, root, would_govern }) = project::find(asked.config.as_deref(), decoded, &cwd)
    else {
        return Err(format!(
            "there is no `hooks.yaml` for `{}`; write one with `hooks init {}`, or name one with `--config`",
            cwd.display(),
            decoded.client.name()
        ));
    };
    let reader = load::reader(None)
        .spoken_in(decoded.client.dialect(&decoded.event_name))
        .recording_in_team_of(&root)
        .protecting(would_govern.into_iter().chain(this_program()));
    let config = settled::read(&config, || reader.read(&config))?.map_err(|errors| told(&errors))?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("nothing can be waited for: {error}"))?;
    Ok(Governing { config, root, runtime, unfinished: Unfinished::default(), deadline })
}

/// The program that runs, as it was called and as it is: who can write it takes every rule away.
fn this_program() -> impl Iterator<Item = String> {
    let called = env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    let program = env::current_exe().ok();
    let is_another = called != program;
    called.filter(|_| is_another).into_iter().chain(program).map(|path| as_pattern(&path))
}

impl Governing {
    /// The hooks.
    pub(super) fn hooks(&self) -> Hooks {
        self.config.clone().hooks()
    }

    /// What puts events on the record, where something does.
    pub(super) const fn recording(&self) -> Option<&Audit> {
        self.config.recording()
    }

    /// What keeps the files of its log.
    pub(super) fn keeper(&self) -> Option<Keeper> {
        keeping::keeper(&self.config)
    }

    /// Waits for what takes time, as long as there is some; then `work` is dropped, and what it started ends with it.
    pub(super) fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        self.within(self.deadline.patience(), work).ok_or_else(|| self.deadline.passed())
    }

    fn within<T>(&self, time: Duration, work: impl Future<Output = T>) -> Option<T> {
        // A timer wants to be made within the runtime.
        self.runtime.block_on(async { tokio::time::timeout(time, work).await }).ok()
    }

    /// Where the event happens, in this process.
    pub(super) fn context(&self, decoded: &Decoded, notes: &Notes) -> HookContext {
        let mut context = here(decoded.context.clone(), &self.config, &self.unfinished);
        context.environment.failures = Arc::new(notes.clone());
        context.team_root.get_or_insert_with(|| self.root.clone());
        context
    }

    /// Commits what is held where the event `goes_on`, and gives it back where not: within the runtime, since a store may
    /// begin to wait.
    pub(super) fn end(&self, holds: Holds, goes_on: bool) {
        self.runtime.block_on(async {
            #[cfg(feature = "faults")]
            super::faults::strike_behind_the_answer(&self.unfinished).await;
            if goes_on {
                holds.commit();
            } else {
                drop(holds);
            }
        });
    }

    /// Does what an answer leaves to do. What was counted and cannot be written down in time was not allowed.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let done = self.wait(self.unfinished.finish());
        // A thread that hangs is not waited for.
        self.runtime.shutdown_background();
        done
    }

    /// Gives back what was held, as far as there is time.
    pub(super) fn give_up(self) {
        // What is not given back lapses.
        let _ = self.within(self.deadline.last_moment(), self.unfinished.finish());
        self.runtime.shutdown_background();
    }
}

/// The folder that the event happens in.
fn folder_of(decoded: &Decoded) -> Result<PathBuf, Failure> {
    let cwd = &decoded.context.cwd;
    if cwd.as_os_str().is_empty() {
        return env::current_dir().map_err(|error| format!("the working folder is not known: {error}"));
    }
    match cwd.is_absolute() {
        true => Ok(cwd.clone()),
        false => Err(format!(
            "`{}` is relative, so nobody can tell which folder the event happens in",
            cwd.display()
        )),
    }
}

/// The first mistake of a configuration, and how to see the others.
fn told(errors: &ConfigErrors) -> String {
    let name = Path::new(errors.name()).display();
    let first = errors.errors().first().map(ToString::to_string).unwrap_or_default();
    let more = match errors.errors().len() {
        0 | 1 => String::new(),
        count => format!(" ({} more)", count.saturating_sub(1)),
    };
    format!("`{name}` cannot be used: {first}{more}; see `hooks check {name}`")
}
