//! Sources of the automatic context, and its limits.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_conversation::Tokenizers;
use hooks_core::event::{SessionStart, SubagentStart, TurnStart};
use hooks_core::state::StateStore;
use hooks_core::time::Timer;
use hooks_core::{FailureLayer, HookFuture, HooksBuilder, Settle};
use tower_layer::Layer;

use super::AutoContextLayer;
use super::gather::{Gathered, gather};
use super::sent::Sent;
use crate::TeamPlace;
use crate::source::{Ask, ContextSource, Moment, Workers, team};

/// Limits of the automatic context. Budgets are in tokens.
///
/// ```
/// use hooks_context::auto::AutoSettings;
/// use hooks_context::source::Moment;
/// use hooks_core::event::StartSource;
///
/// let settings = AutoSettings::default();
/// assert_eq!(settings.budget(Moment::Session(StartSource::Startup)), 4_000);
/// assert_eq!(settings.budget(Moment::Child), 2_000);
/// assert_eq!(settings.budget(Moment::Turn), 800);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AutoSettings {
    /// Budget at a session's start; 4,000 by default. If it is 0, nothing is given.
    pub session: u64,
    /// Budget for a child; 2,000 by default. If it is 0, nothing is given.
    pub child: u64,
    /// Budget for a turn; 800 by default. If it is 0, nothing is given.
    pub turn: u64,
    /// Time after which sources that are not ready are left out; 250 ms by default.
    pub deadline: Duration,
}

/// Sources of context, with the limits within which they are given. Cheap to clone.
#[derive(Clone)]
pub struct AutoContext(Arc<Shared>);

#[derive(Clone)]
pub(super) struct Shared {
    /// Sources in the order in which they are given, each with its weight.
    pub(super) sources: Vec<(u32, Arc<dyn ContextSource>)>,
    pub(super) settings: AutoSettings,
    pub(super) tokenizers: Tokenizers,
    pub(super) timer: Arc<dyn Timer>,
    pub(super) sent: Sent,
}

impl Default for AutoSettings {
    fn default() -> Self {
        Self { session: 4_000, child: 2_000, turn: 800, deadline: Duration::from_millis(250) }
    }
}

impl AutoSettings {
    /// Returns the budget for `moment`.
    pub const fn budget(&self, moment: Moment) -> u64 {
        match moment {
            Moment::Session(_) => self.session,
            Moment::Child => self.child,
            Moment::Turn => self.turn,
        }
    }
}

impl AutoContext {
    /// Starts without sources; `timer` measures the deadline.
    pub fn new(timer: Arc<dyn Timer>) -> Self {
        Self(Arc::new(Shared {
            sources: Vec::new(),
            settings: AutoSettings::default(),
            tokenizers: Tokenizers::default(),
            timer,
            sent: Sent::default(),
        }))
    }

    /// Adds the sources of a team folder.
    #[must_use]
    pub fn with_team(
        self,
        team: impl Into<TeamPlace>,
        workers: impl Workers + 'static,
        limits: team::Limits,
    ) -> Self {
        let workers: Arc<dyn Workers> = Arc::new(workers);
        let sources = team::sources(team.into(), &workers, limits);
        sources.into_iter().fold(self, |context, (part, source)| context.with_source(part.weight(), source))
    }

    /// Adds a source after the others. If the budget is too small for all sources, it is shared by `weight`.
    #[must_use]
    pub fn with_source(self, weight: u32, source: impl ContextSource + 'static) -> Self {
        self.changed(|shared| shared.sources.push((weight, Arc::new(source))))
    }

    /// Sets the limits.
    #[must_use]
    pub fn within(self, settings: AutoSettings) -> Self {
        self.changed(|shared| shared.settings = settings)
    }

    /// Sets the tokenizers that count tokens.
    #[must_use]
    pub fn counting_with(self, tokenizers: Tokenizers) -> Self {
        self.changed(|shared| shared.tokenizers = tokenizers)
    }

    /// Remembers in `store` what each session was given, so that later events give only what is new. If the
    /// store is shared, this works across processes as well. Without a store, a resumed session is given
    /// everything again, and a turn is given nothing.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_context::auto::AutoContext;
    /// use hooks_context::source::{FileSource, Here};
    /// use hooks_core::event::{SessionStart, StartSource};
    /// use hooks_core::state::Memory;
    /// use hooks_core::testing::{FakeDisk, VirtualTime};
    /// use hooks_core::{HookContext, Hooks};
    ///
    /// let disk = FakeDisk::default().with_file("/repo/NOTES.md", "Mind the gap.");
    /// let time = VirtualTime::default();
    /// let context = AutoContext::new(Arc::new(time.clone()))
    ///     .with_source(1, FileSource::new(Arc::new(disk.clone()), Here, "NOTES.md"))
    ///     .remembering_in(Arc::new(Memory::new(Arc::new(time.clone()))));
    /// let hooks = context.add_to(Hooks::builder()).build();
    /// # time.block_on(async {
    /// let start = async |source| {
    ///     let mut event = SessionStart::default();
    ///     event.source = source;
    ///     hooks.on(HookContext::new("session-1", "backend").in_dir("/repo")).session_start(event).await
    /// };
    /// assert_eq!(start(StartSource::Startup).await.additional_context.len(), 1);
    /// assert!(start(StartSource::Resume).await.additional_context.is_empty()); // the session has it
    /// disk.put("/repo/NOTES.md", "Mind the step.");
    /// assert_eq!(start(StartSource::Resume).await.additional_context[0].text, "## NOTES.md\n\nMind the step.");
    /// # }).expect("the disk answers at once");
    /// ```
    #[must_use]
    pub fn remembering_in(self, store: Arc<dyn StateStore>) -> Self {
        self.changed(|shared| shared.sent = Sent::in_store(store))
    }

    /// Gathers the context for `ask`: what the layer does, for hosts that call it directly.
    pub fn gather(&self, ask: Ask) -> HookFuture<'static, Gathered> {
        let shared = Arc::clone(&self.0);
        HookFuture::later(async move { gather(&shared, Arc::new(ask)).await })
    }

    /// Adds the layer to the hooks of all events that get context.
    #[must_use]
    pub fn add_to(&self, builder: HooksBuilder) -> HooksBuilder {
        let layer = AutoContextLayer::new(self.clone());
        // The guard is open: a child may start even if a source cannot be read.
        let guard = FailureLayer::new("auto_context").opened();
        builder
            .hook::<SessionStart, _>(&guard, layer.layer(Settle))
            .hook::<TurnStart, _>(&guard, layer.layer(Settle))
            .stack::<SubagentStart, _>(&guard, layer.layer(Settle))
    }

    pub(super) fn settings(&self) -> &AutoSettings {
        &self.0.settings
    }

    fn changed(self, change: impl FnOnce(&mut Shared)) -> Self {
        let mut shared = Arc::unwrap_or_clone(self.0);
        change(&mut shared);
        Self(Arc::new(shared))
    }
}

impl fmt::Debug for AutoContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.sources.iter().map(|(_, source)| source.name()).collect();
        f.debug_struct("AutoContext")
            .field("sources", &names)
            .field("settings", &self.0.settings)
            .finish_non_exhaustive()
    }
}
