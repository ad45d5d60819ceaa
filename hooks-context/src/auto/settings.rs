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
