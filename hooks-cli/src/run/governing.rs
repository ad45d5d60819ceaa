//! The configuration that governs an event, read for this event alone.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks::audit::Audit;
use hooks::audit::keep::Keeper;
use hooks::budgets::{Approvals, SpendBudgetConfig, SpendEnforcement};
use hooks::config::{Config, ConfigErrors, ConfigReader, Kept};
use hooks::event::WireEvent;
use hooks::facts::tools::{ToolKind, ToolTable};
use hooks::redaction::Scrubber;
use hooks::state::Memory;
use hooks::{EventKind, Holds, HookContext, Hooks, Strength, SystemClock};
use hooks_protocols::{Ability, Answer, Client, Decoded, Wish, capabilities};
use tokio::runtime::{Builder, Runtime};

use super::calls::{CallTurn, ReportedCall};
use super::deadline::Deadline;
use super::project::{self, GoverningFile};
use super::{Failure, Notes, keeping, settled, transcripts};
use crate::approve;
use crate::cli::Run;
use crate::event::here;
use crate::load;
use crate::pin::{self, Pins};
use crate::unfinished::Unfinished;
use crate::wrap::refusal::{self, Refusal};
use crate::wrap::{self, carrier};

/// The configuration and runtime that govern one event.
pub(super) struct Governing {
    config: Config,
    /// The file of the configuration.
    file: GoverningFile,
    /// Whether another process counts and records this event.
    is_repeated: bool,
    runtime: Runtime,
    unfinished: Unfinished,
    deadline: Deadline,
}

/// Finds and loads the configuration for `decoded`.
pub(super) fn load(options: &Run, decoded: &Decoded, deadline: Deadline) -> Result<Governing, Failure> {
    let cwd = folder_of(decoded)?;
    let Some(mut file) = project::find(options.config.as_deref(), decoded, &cwd) else {
        return Err(format!(
            "there is no `hooks.yaml` for `{}`; write one with `hooks init {}`, or name one with `--config`",
            cwd.display(),
            decoded.client.name()
        ));
    };
    file.protect_settings(options.settings.as_deref());
    let config = read(&file, decoded, |reader| reader)?;
    if let Some(pins) = Pins::of_user()
        && !decoded.context.session_id.is_empty()
    {
        let session = pin::name(&decoded.context.session_id, options.config.as_deref());
        pins.check(decoded.client.name(), &session, &file.config, &file.root, &config)?;
    }
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("nothing can be waited for: {error}"))?;
    Ok(Governing { config, file, is_repeated: false, runtime, unfinished: Unfinished::default(), deadline })
}

/// Reads the configuration for `decoded`.
fn read(
    file: &GoverningFile,
    decoded: &Decoded,
    change: impl Fn(ConfigReader) -> ConfigReader,
) -> Result<Config, Failure> {
    let GoverningFile { config, root, protected } = file;
    let reader = load::reader(None)
        .spoken_in(decoded.client.dialect(&decoded.event_name))
        .recording_in_team_of(root)
        .of_project(root)
        .protecting(protected.iter().cloned());
    let reader = change(reader);
    settled::read(config, || reader.read(config))?.map_err(|errors| told(&errors))
}

impl Governing {
    /// The hooks.
    pub(super) fn hooks(&self) -> Hooks {
        self.config.clone().hooks()
    }

    /// The redactor of results, if the rules redact any.
    pub(super) fn scrubber(&self) -> Option<&Scrubber> {
        self.config.as_hooks().extension()
    }

    /// The audit log, if events are recorded.
    pub(super) const fn recording(&self) -> Option<&Audit> {
        self.config.recording()
    }

    /// The denial or the message, if the client does not run its commands in the sandbox.
    pub(super) fn refusal(&self, decoded: &Decoded) -> Option<Refusal> {
        refusal::of_event(decoded, &self.config, &self.file.config)
    }

    /// Has the client run the command of a call in the sandbox, if the rules want that and the client takes such a change.
    /// `carried` are the rules in whose sandbox it runs already.
    ///
    /// Returns the reason to deny the call.
    pub(super) fn wrap(
        &self,
        decoded: &Decoded,
        answer: &mut Answer,
        carried: Option<&Path>,
    ) -> Result<(), String> {
        let is_call = matches!(&decoded.event, Some(WireEvent::PreToolUse(call))
            if wrap::is_of_client(&call.tool_name) && matches!(ToolTable::default().kind(&call.tool_name), ToolKind::Shell | ToolKind::WindowsShell));
        // Other rules may hold less.
        let is_open = answer.strength != Strength::Deny && carried != Some(self.file.config.as_path());
        if !(is_call && is_open && decoded.client.carries_commands() && wrap::is_wanted(&self.config)) {
            return Ok(());
        }
        let done = carrier::carry(decoded, answer, &self.file.config, &self.file.root);
        done.map_err(|why| {
            format!("the rules want shell calls in the sandbox (`sandbox.calls`), and this one cannot run there: {why}")
        })
    }

    /// Whether `config` is the configuration that a search in the project finds, so that a person need not name it.
    pub(super) fn is_found(&self, config: &Path) -> bool {
        let found = project::find_from(None, &self.file.root).map(|found| found.config.canonicalize());
        matches!((found, config.canonicalize()), (Some(Ok(found)), Ok(config)) if found == config)
    }

    /// Approvals of single calls, where the client of `decoded` may have no user to ask. Clients with a window
    /// of their own ask their user there.
    pub(super) fn approvals(&self, decoded: &Decoded) -> Option<Approvals> {
        let client = decoded.client;
        let asks = capabilities(client, &decoded.event_name).map(|can| can.can(Wish::Ask));
        let has_window = matches!(client, Client::VsCode | Client::Cursor);
        if has_window && asks == Some(Ability::Yes) {
            return None;
        }
        Some(approve::approvals(&self.config)?.from_client(client.name()))
    }

    /// Whether the rules limit what the model's answers cost, or their number.
    pub(super) fn counts_answers(&self) -> bool {
        let policy = self.config.policy();
        let is_ours = |budget: &SpendBudgetConfig| budget.enforce == SpendEnforcement::Events;
        policy.budget.as_ref().is_some_and(is_ours)
            || policy.limits.as_ref().is_some_and(|limits| limits.iterations.is_some())
    }

    /// The call of an event before it, if it may be counted, recorded or approved. That of an event after it has
    /// its turn before the hooks.
    pub(super) fn reported_call(
        &self,
        decoded: &Decoded,
        context: &HookContext,
        has_approvals: bool,
    ) -> Option<ReportedCall> {
        let (tool, arguments) = decoded.call()?;
        let policy = self.config.policy();
        let kind = || ToolTable::default().kind_of_call(tool, arguments);
        let may_ask_or_spawn = || {
            let is_special = matches!(
                kind(),
                ToolKind::AskUser | ToolKind::SpawnAgent | ToolKind::Other | ToolKind::Unknown
            );
            is_special || !policy.tools.is_empty()
        };
        let limits_calls = policy.limits.as_ref().is_some_and(|limits| !limits.calls.is_empty());
        let limits_questions = policy.ask_user.is_some();
        let is_always = self.recording().is_some()
            || self.counts_sessions()
            || limits_calls
            || ((limits_questions || policy.spawn.is_some()) && may_ask_or_spawn());
        let is_after = decoded.event.as_ref().map(WireEvent::kind) == Some(EventKind::PostToolUse);
        if is_after || !(is_always || limits_questions || has_approvals) {
            return None;
        }
        let call = ReportedCall::reported(decoded, context, &self.file.config)?;
        Some(if is_always { call } else { call.if_asked() })
    }

    /// Waits for the turn to count the call of an event after it, if it may be counted or recorded.
    pub(super) fn turn(&self, decoded: &Decoded, notes: &Notes) -> Result<Option<CallTurn>, Failure> {
        let policy = self.config.policy();
        let has_loops = policy.limits.as_ref().is_some_and(|limits| limits.loops.is_some());
        if !has_loops && policy.spawn.is_none() && self.recording().is_none() && !self.counts_sessions() {
            return Ok(None);
        }
        let context = self.context(decoded, notes);
        match ReportedCall::reported(decoded, &context, &self.file.config) {
            Some(call) => self.wait(call.turn()),
            None => Ok(None),
        }
    }

    /// The same configuration for an event that another process counts and records: what its hooks count ends with
    /// this process.
    pub(super) fn repeated(self, decoded: &Decoded) -> Result<Self, Failure> {
        let config = read(&self.file, decoded, |reader| {
            let store = Arc::new(Memory::new(Arc::new(SystemClock)));
            reader.recording_nothing().keeping(Kept::new(Arc::default(), store))
        })?;
        Ok(Self { config, is_repeated: true, ..self })
    }

    /// Whether another process counts and records this event.
    pub(super) const fn is_repeated(&self) -> bool {
        self.is_repeated
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
        // In the sandbox it is closed.
        context.environment.has_open_input =
            decoded.client.keeps_input_open() && !wrap::is_wanted(&self.config);
        context.agent_id = context.agent_id.or_else(|| transcripts::agent_id(decoded));
        context.team_root.get_or_insert_with(|| self.file.root.clone());
        context
    }

    /// Commits the reservations if the event `goes_on`, and returns them if not. Both run within the runtime,
    /// since a store can wait.
    pub(super) fn end(&self, holds: Holds, goes_on: bool) {
        self.runtime.block_on(async {
            #[cfg(any(debug_assertions, feature = "faults"))]
            super::faults::strike_behind_the_answer(&self.unfinished).await;
            if goes_on {
                holds.commit();
            } else {
                drop(holds);
            }
        });
    }

    /// Whether sessions are counted until their end.
    fn counts_sessions(&self) -> bool {
        self.config.context().session_end.is_some()
    }

    /// Puts what this process counted of the session into the store, where its end finds it. `is_denied_by_client`
    /// states whether the event is denied because the client cannot do what the hooks decided.
    pub(super) fn keep_counts(&self, decoded: &Decoded, is_denied_by_client: bool, notes: &Notes) {
        if !self.counts_sessions() || self.is_repeated {
            return;
        }
        let (context, kept) = (self.context(decoded, notes), self.config.kept());
        let tally = kept.sessions().tally();
        if is_denied_by_client {
            tally.denied_by_client(&context);
        }
        match self.wait(tally.keep(&context, Arc::clone(kept.store()))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => notes.failed(&format!("the session is not counted: {error}")),
            Err(error) => notes.failed(&error),
        }
    }

    /// Keeps the files that a call is about to write, or has written.
    pub(super) fn keep_files(&self, decoded: &Decoded, goes_on: bool, notes: &Notes) {
        let is_wanted = match decoded.event.as_ref().map(WireEvent::kind) {
            Some(EventKind::PreToolUse) => goes_on,
            kind => kind == Some(EventKind::PostToolUse),
        };
        #[cfg(target_os = "linux")]
        if is_wanted {
            super::writes::keep(decoded, &self.config, &self.file.root, notes);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (is_wanted, notes);
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
        false => Err(format!("`{}` is relative, so the folder of the event is unknown", cwd.display())),
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
