//! What survives, and who says so.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::{
    BeforeModelCall, PostCompact, PostToolUse, PreCompact, PreToolUse, SessionEnd, SessionStart, TurnStart,
    UserPromptSubmitted,
};
use hooks_core::time::Timer;
use hooks_core::{BoxError, FailureLayer, HookContext, HookRequest, HooksBuilder, Observer, Settle};
use serde_json::{Map, Value};
use tower_layer::Layer;
use tower_service::Service;

use super::hand_over::Reminder;
use super::summary::{ByService, Summarise};
use super::survivors::{Collector, Ledger};
use super::{CompactionLayer, SummaryRequest, Survivors, Veto};
use crate::SessionMemory;
use crate::auto::AutoContext;
use crate::budget::Tokenizers;

/// The name under which state goes along with a compaction.
pub(super) const STATE: &str = "hooks-context";

/// What survives, in numbers and rules. Budgets are in tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactionSettings {
    /// Of what is given verbatim beside the team's context; 1,500 unless told.
    pub keep: u64,
    /// Of a summary; 1,000 unless told, and none is given where it is 0.
    pub summary: u64,
    /// Commands with one of these words have their output kept.
    pub outputs: Vec<String>,
    /// How long a service may take to summarise; 30 s unless told. Then there is a summary without it.
    pub summary_within: Duration,
}

impl Default for CompactionSettings {
    fn default() -> Self {
        Self { keep: 1_500, summary: 1_000, outputs: Vec::new(), summary_within: Duration::from_secs(30) }
    }
}

/// What keeps things over compactions. Cheap to clone.
#[derive(Clone)]
pub struct Compacting {
    pub(super) ledger: Arc<Ledger>,
    pub(super) settings: Arc<CompactionSettings>,
    pub(super) context: Option<AutoContext>,
    pub(super) vetoes: Vec<Arc<dyn Veto>>,
    pub(super) summariser: Option<Arc<dyn Summarise>>,
    pub(super) tokenizers: Tokenizers,
    pub(super) timer: Arc<dyn Timer>,
}

impl Compacting {
    /// Keeps what `settings` say; `timer` tells when a summary is late.
    pub fn new(settings: CompactionSettings, timer: Arc<dyn Timer>) -> Self {
        Self {
            ledger: Arc::default(),
            settings: Arc::new(settings),
            context: None,
            vetoes: Vec::new(),
            summariser: None,
            tokenizers: Tokenizers::default(),
            timer,
        }
    }

    /// Gives again what `context` gives at a session's start: decisions, directives, whatever it has.
    #[must_use]
    pub fn with_context(mut self, context: AutoContext) -> Self {
        self.context = Some(context);
        self
    }

    /// Asks `veto` whether a compaction may be. A closure is one.
    #[must_use]
    pub fn unless(mut self, veto: impl Veto + 'static) -> Self {
        self.vetoes.push(Arc::new(veto));
        self
    }

    /// Has `service` summarise: a call of a small model, say.
    #[must_use]
    pub fn summarising<S>(mut self, service: S) -> Self
    where
        S: Service<SummaryRequest, Response = String, Error: Into<BoxError>, Future: Send>
            + Clone
            + Send
            + Sync
            + 'static,
    {
        self.summariser = Some(Arc::new(ByService(service)));
        self
    }

    /// Sets who counts tokens.
    #[must_use]
    pub fn counting_with(mut self, tokenizers: Tokenizers) -> Self {
        self.tokenizers = tokenizers;
        self
    }

    /// Goes on with what `memory` knows of sessions.
    #[must_use]
    pub fn remembering_in(mut self, memory: &SessionMemory) -> Self {
        self.ledger = Arc::clone(&memory.ledger);
        self
    }

    /// What the session of `context` would miss.
    pub fn survivors(&self, context: &HookContext) -> Survivors {
        self.ledger.look(context, |known| known.survivors.clone())
    }

    /// Takes over the state that another process exported for the session of `context`
    /// ([`CompactNotes::exported_state`](hooks_core::CompactNotes)). What does not fit is left alone.
    pub fn import(&self, context: &HookContext, state: &Map<String, Value>) {
        let survivors =
            state.get(STATE).and_then(|value| serde_json::from_value::<Survivors>(value.clone()).ok());
        if let Some(survivors) = survivors {
            self.ledger.change(context, |known| known.survivors.merge(survivors));
        }
    }

    /// Adds it to the hooks of all events it is for.
    #[must_use]
    pub fn add_to(&self, builder: HooksBuilder) -> HooksBuilder {
        let layer = CompactionLayer::new(self.clone());
        let guard = FailureLayer::new("compaction");
        let collector = Collector { ledger: Arc::clone(&self.ledger), settings: Arc::clone(&self.settings) };
        builder
            .stack::<PreCompact, _>(&guard, layer.layer(Settle))
            .hook::<PostCompact, _>(&guard, layer.layer(Settle))
            .hook::<SessionStart, _>(&guard, layer.layer(Settle))
            .hook::<TurnStart, _>(&guard, layer.layer(Settle))
            .transform::<BeforeModelCall>(Reminder(Arc::clone(&self.ledger)))
            .observer::<BeforeModelCall>(collector.clone())
            .observer::<UserPromptSubmitted>(collector.clone())
            .observer::<PreToolUse>(collector.clone())
            .observer::<PostToolUse>(collector)
            .listener::<SessionEnd>(Forget(Arc::clone(&self.ledger)))
    }
}

/// Forgets a session that is over.
struct Forget(Arc<Ledger>);

impl Observer<SessionEnd> for Forget {
    fn name(&self) -> &'static str {
        "compaction"
    }

    fn observe(&self, request: &HookRequest<SessionEnd>, _outcome: &()) {
        self.0.forget(request.context());
    }
}

impl fmt::Debug for Compacting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compacting")
            .field("settings", &self.settings)
            .field("context", &self.context)
            .field("vetoes", &self.vetoes.len())
            .finish_non_exhaustive()
    }
}
