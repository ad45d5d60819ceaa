//! Settings of compactions: what survives, and which rules and services take part.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_conversation::{Summariser, Tokenizers};
use hooks_core::event::{
    BeforeModelCall, PostCompact, PostToolUse, PreCompact, PreToolUse, SessionEnd, SessionStart, TurnStart,
    UserPromptSubmitted,
};
use hooks_core::time::Timer;
use hooks_core::{FailureLayer, HookContext, HookRequest, HooksBuilder, Observer, Settle};
use serde_json::{Map, Value};
use tower_layer::Layer;

use super::hand_over::Reminder;
use super::survivors::{Collector, Ledger};
use super::{CompactionLayer, Survivors, Veto};
use crate::SessionMemory;
use crate::auto::AutoContext;

/// Key of our state among the exported states of a compaction.
pub(super) const STATE: &str = "hooks-context";

/// Limits and rules for the texts that survive. Budgets are in tokens.
///
/// ```
/// use std::time::Duration;
/// use hooks_context::compaction::CompactionSettings;
///
/// let mut settings = CompactionSettings::default();
/// assert_eq!((settings.keep, settings.summary), (1_500, 1_000));
/// assert_eq!(settings.summary_within, Duration::from_secs(30));
/// settings.summary = 0; // no summary, only the kept texts
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactionSettings {
    /// Budget of the texts that are kept verbatim, in addition to the team's context; 1,500 by default.
    pub keep: u64,
    /// Budget of a summary; 1,000 by default. If it is 0, no summary is given.
    pub summary: u64,
    /// Texts that select commands: the output of a command that contains one of them is kept.
    pub outputs: Vec<String>,
    /// Time limit of the service that summarises; 30 s by default. After it, the summary is built without the
    /// service.
    pub summary_within: Duration,
}

impl Default for CompactionSettings {
    fn default() -> Self {
        Self { keep: 1_500, summary: 1_000, outputs: Vec::new(), summary_within: Duration::from_secs(30) }
    }
}

/// Keeps texts over compactions. Cheap to clone.
#[derive(Clone)]
pub struct Compacting {
    pub(super) ledger: Arc<Ledger>,
    pub(super) settings: Arc<CompactionSettings>,
    pub(super) context: Option<AutoContext>,
    pub(super) vetoes: Vec<Arc<dyn Veto>>,
    pub(super) summariser: Option<Summariser>,
    pub(super) tokenizers: Tokenizers,
    pub(super) timer: Arc<dyn Timer>,
}

impl Compacting {
    /// Keeps texts as `settings` describe; `timer` measures the time limit of a summary.
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

    /// Gives the context of a session's start again after a compaction: decisions, directives, and its other
    /// sources.
    #[must_use]
    pub fn with_context(mut self, context: AutoContext) -> Self {
        self.context = Some(context);
        self
    }

    /// Asks `veto` before each compaction. A closure can be a veto.
    #[must_use]
    pub fn unless(mut self, veto: impl Veto + 'static) -> Self {
        self.vetoes.push(Arc::new(veto));
        self
    }

    /// Lets `summariser` write summaries, for example with a small model.
    ///
    /// Without a service, the summary is cut from the conversation; here, a small model writes it:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_context::compaction::{Compacting, CompactionSettings};
    /// use hooks_conversation::{Summariser, SummaryRequest};
    /// use hooks_core::event::{BeforeModelCall, Message, PreCompact, Role};
    /// use hooks_core::testing::VirtualTime;
    /// use hooks_core::{BoxError, HookContext, Hooks};
    /// use tower::service_fn;
    ///
    /// let time = VirtualTime::default();
    /// let small = Summariser::new(service_fn(async |request: SummaryRequest| {
    ///     Ok::<_, BoxError>(format!("{} message about a parser", request.messages.len()))
    /// }));
    /// let compacting = Compacting::new(CompactionSettings::default(), Arc::new(time.clone()));
    /// # time.block_on(async {
    /// let summary = async |compacting: Compacting| {
    ///     let hooks = compacting.add_to(Hooks::builder()).build();
    ///     let at = hooks.on(HookContext::new("session-1", "backend"));
    ///     let messages = vec![Message::text(Role::User, "Fix the parser")];
    ///     at.before_model_call(BeforeModelCall::new("large", 1, messages)).await;
    ///     let compaction = at.pre_compact(PreCompact::default()).await;
    ///     compaction.outcome.notes().and_then(|notes| notes.summary.clone())
    /// };
    /// assert_eq!(summary(compacting.clone()).await.as_deref(), Some("user: Fix the parser"));
    /// assert_eq!(
    ///     summary(compacting.with_summariser(small)).await.as_deref(),
    ///     Some("1 message about a parser"),
    /// );
    /// # }).expect("the service answers at once");
    /// ```
    #[must_use]
    pub fn with_summariser(mut self, summariser: Summariser) -> Self {
        self.summariser = Some(summariser);
        self
    }

    /// Sets the tokenizers that count tokens.
    #[must_use]
    pub fn counting_with(mut self, tokenizers: Tokenizers) -> Self {
        self.tokenizers = tokenizers;
        self
    }

    /// Shares the state of sessions in `memory`.
    #[must_use]
    pub fn remembering_in(mut self, memory: &SessionMemory) -> Self {
        self.ledger = Arc::clone(&memory.ledger);
        self
    }

    /// Returns the texts and facts that the session of `context` would lose.
    pub fn survivors(&self, context: &HookContext) -> Survivors {
        self.ledger.look(context, |known| known.survivors.clone())
    }

    /// Imports the state that another process exported for the session of `context`
    /// ([`CompactNotes::exported_state`](hooks_core::CompactNotes)). State that cannot be parsed is ignored.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_context::compaction::{Compacting, CompactionSettings};
    /// use hooks_core::HookContext;
    /// use hooks_core::testing::VirtualTime;
    /// use serde_json::json;
    ///
    /// let compacting = Compacting::new(CompactionSettings::default(), Arc::new(VirtualTime::default()));
    /// let context = HookContext::new("session-1", "backend");
    /// let exported = json!({"hooks-context": {"request": "Fix the parser", "paths": ["src/parser.rs"]}});
    /// compacting.import(&context, exported.as_object().expect("an object"));
    /// let survivors = compacting.survivors(&context);
    /// assert_eq!((&*survivors.request, &*survivors.paths), ("Fix the parser", &["src/parser.rs".to_owned()][..]));
    /// ```
    pub fn import(&self, context: &HookContext, state: &Map<String, Value>) {
        let survivors =
            state.get(STATE).and_then(|value| serde_json::from_value::<Survivors>(value.clone()).ok());
        if let Some(survivors) = survivors {
            self.ledger.change(context, |known| known.survivors.merge(survivors));
        }
    }

    /// Adds the layer, the observers and the transform to the hooks of all events that they need.
    ///
    /// After a compaction, a model call that lacks the texts gets them, once:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_context::compaction::{Compacting, CompactionSettings};
    /// use hooks_core::event::{BeforeModelCall, Message, PostCompact, PreCompact};
    /// use hooks_core::event::{PromptKind, Role, UserPromptSubmitted};
    /// use hooks_core::testing::VirtualTime;
    /// use hooks_core::{HookContext, Hooks};
    ///
    /// let time = VirtualTime::default();
    /// let compacting = Compacting::new(CompactionSettings::default(), Arc::new(time.clone()));
    /// let hooks = compacting.add_to(Hooks::builder()).build();
    /// # time.block_on(async {
    /// let at = hooks.on(HookContext::new("session-1", "backend"));
    /// at.user_prompt_submitted(UserPromptSubmitted::new("Fix the parser", PromptKind::Initial)).await;
    /// at.pre_compact(PreCompact::default()).await;
    /// at.post_compact(PostCompact::after(&PreCompact::default(), "short", 10)).await;
    /// let sent = async || {
    ///     let messages = vec![Message::text(Role::User, "go on")];
    ///     at.before_model_call(BeforeModelCall::new("large", 2, messages)).await.request.event().messages.clone()
    /// };
    /// let messages = sent().await;
    /// assert_eq!(messages.len(), 2);
    /// assert!(messages[0].content.as_str().is_some_and(|text| text.ends_with("Fix the parser")));
    /// assert_eq!(sent().await.len(), 1);
    /// # }).expect("nothing waits");
    /// ```
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

/// Forgets a session when it ends.
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
