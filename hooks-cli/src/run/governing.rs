//! The configuration that governs an event, read for this event alone.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks::audit::Audit;
use hooks::audit::keep::Keeper;
use hooks::budgets::{SpendBudgetConfig, SpendEnforcement};
use hooks::config::{Config, ConfigErrors};
use hooks::{Holds, HookContext, Hooks};
use hooks_protocols::Decoded;
use tokio::runtime::{Builder, Runtime};

use super::deadline::Deadline;
use super::project::{self, GoverningFile};
use super::{Failure, Notes, keeping, settled, transcripts};
use crate::cli::Run;
use crate::event::here;
use crate::load;
use crate::pin::Pins;
use crate::unfinished::Unfinished;

/// The configuration and runtime that govern one event.
pub(super) struct Governing {
    config: Config,
    root: PathBuf,
    runtime: Runtime,
    unfinished: Unfinished,
    deadline: Deadline,
}

/// Finds and loads the configuration for `decoded`.
pub(super) fn load(options: &Run, decoded: &Decoded, deadline: Deadline) -> Result<Governing, Failure> {
    let cwd = folder_of(decoded)?;
    let Some(GoverningFile { config, root, would_govern }) =
        project::find(options.config.as_deref(), decoded, &cwd)
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
        .protecting(would_govern);
    let file = config;
    let config = settled::read(&file, || reader.read(&file))?.map_err(|errors| told(&errors))?;
    if let Some(pins) = Pins::of_user()
        && !decoded.context.session_id.is_empty()
    {
        // Two settings of one client can name different rules.
        let named = project::named_file(options.config.as_deref()).unwrap_or_default();
        let session = format!("{}\0{}", decoded.context.session_id, named.display());
        pins.check(decoded.client.name(), &session, &file, &root, &config)?;
    }
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("nothing can be waited for: {error}"))?;
    Ok(Governing { config, root, runtime, unfinished: Unfinished::default(), deadline })
}

impl Governing {
    /// The hooks.
    pub(super) fn hooks(&self) -> Hooks {
        self.config.clone().hooks()
    }

    /// The audit log, if events are recorded.
    pub(super) const fn recording(&self) -> Option<&Audit> {
        self.config.recording()
    }

    /// Whether the rules limit what the model's answers cost, or their number.
    pub(super) fn counts_answers(&self) -> bool {
        let policy = self.config.policy();
        let is_ours = |budget: &SpendBudgetConfig| budget.enforce == SpendEnforcement::Events;
        policy.budget.as_ref().is_some_and(is_ours)
            || policy.limits.as_ref().is_some_and(|limits| limits.iterations.is_some())
    }

    /// The keeper of the log's files, if there is a log.
    pub(super) fn keeper(&self) -> Option<Keeper> {
        keeping::keeper(&self.config)
    }

    /// Runs `work` until the deadline's patience ends. Then `work` is dropped, and the processes that it
    /// started end with it.
    pub(super) fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        self.within(self.deadline.patience(), work).ok_or_else(|| self.deadline.passed())
    }

    fn within<T>(&self, time: Duration, work: impl Future<Output = T>) -> Option<T> {
        // A timer has to be created within the runtime.
        self.runtime.block_on(async { tokio::time::timeout(time, work).await }).ok()
    }

    /// The context of the event in this process.
    pub(super) fn context(&self, decoded: &Decoded, notes: &Notes) -> HookContext {
        let mut context = here(decoded.context.clone(), &self.config, &self.unfinished);
        context.environment.failures = Arc::new(notes.clone());
        context.agent_id = context.agent_id.or_else(|| transcripts::agent_id(decoded));
        context.team_root.get_or_insert_with(|| self.root.clone());
        context
    }

    /// Commits the reservations if the event `goes_on`, and returns them if not. Both run within the runtime,
    /// since a store can wait.
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

    /// Does the work that remains after an answer. A count that cannot be stored in time is an error, so that
    /// the event is denied.
    pub(super) fn finish(self, notes: &Notes) -> Result<(), Failure> {
        let done = self.wait(async {
            self.unfinished.finish().await;
            // The answer already reports records that could not be written. Closing the log here keeps its
            // drop from printing them on standard error as well.
            if let Err(error) = self.config.close().await {
                notes.failed(&error.to_string());
            }
        });
        // Does not wait for a thread that hangs.
        self.runtime.shutdown_background();
        done
    }

    /// Returns the reservations, as far as there is time.
    pub(super) fn give_up(self) {
        // Reservations that are not returned expire.
        let _ = self.within(self.deadline.last_moment(), async {
            self.unfinished.finish().await;
            drop(self.config.close().await);
        });
        self.runtime.shutdown_background();
    }
}

/// The folder in which the event happens.
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

/// The first mistake of a configuration, with the command that shows the others.
fn told(errors: &ConfigErrors) -> String {
    let name = Path::new(errors.name()).display();
    let first = errors.errors().first().map(ToString::to_string).unwrap_or_default();
    let more = match errors.errors().len() {
        0 | 1 => String::new(),
        count => format!(" ({} more)", count.saturating_sub(1)),
    };
    format!("`{name}` cannot be used: {first}{more}; see `hooks check {name}`")
}
