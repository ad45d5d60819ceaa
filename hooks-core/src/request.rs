//! A hook request: one event, its context, and the facts derived from it.

use std::sync::Arc;

use crate::context::HookContext;
use crate::event::Event;
use crate::fact::{Fact, Facts};

/// The part of a decision that a stack is asked for.
///
/// A stack that is called directly does all parts at once ([`Stage::Whole`]). Some drivers call several
/// stacks for one decision: a [`Composite`], or a tool governor that waits for the user's approval. They ask
/// each stack to prepare the event once. If the event is rewritten later, they ask the stacks that answered
/// before the rewrite to judge it again. Layers that transform or reserve obey the stage, so that no event is
/// rewritten or counted twice (law 2).
///
/// [`Composite`]: crate::Composite
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Rewrite, judge and reserve.
    #[default]
    Whole,
    /// Rewrite and judge. Reservations are recorded as owed; the driver takes them at the end of the
    /// decision.
    Prepare,
    /// Judge the final event. Rewrites are ignored, nothing is reserved.
    Judge,
}

/// Whether judging stops at the first denial. The caller chooses this; merging works the same for both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Evaluation {
    /// Stop as soon as the strength cannot change any more.
    #[default]
    UntilDenied,
    /// Ask every hook, so that all reasons are known (`explain`).
    Everyone,
}

/// One event on its way through a stack. It is three words wide; a clone increments one reference count.
#[derive(Debug)]
pub struct HookRequest<E: Event> {
    shared: Arc<Shared<E>>,
    revision: u32,
    generation: u32,
    stage: Stage,
    evaluation: Evaluation,
}

#[derive(Debug)]
struct Shared<E: Event> {
    context: Arc<HookContext>,
    event: Held<E>,
    facts: Facts,
}

/// Place of the event. A request with fresh facts points to the event of the earlier one, because an event may be long.
#[derive(Debug)]
enum Held<E: Event> {
    Here(E),
    /// In a request that holds its event itself.
    Earlier(Arc<Shared<E>>),
}

impl<E: Event> Shared<E> {
    #[inline]
    fn event(&self) -> &E {
        match &self.event {
            Held::Here(event) => event,
            Held::Earlier(earlier) => earlier.event_of_earlier(),
        }
    }

    /// Not inlined, so that the usual case is.
    #[cold]
    fn event_of_earlier(&self) -> &E {
        self.event()
    }
}

impl<E: Event> HookRequest<E> {
    /// A request about `event`.
    pub fn new(context: impl Into<Arc<HookContext>>, event: E) -> Self {
        Self {
            shared: Arc::new(Shared {
                context: context.into(),
                event: Held::Here(event),
                facts: Facts::default(),
            }),
            revision: 0,
            generation: 0,
            stage: Stage::Whole,
            evaluation: Evaluation::UntilDenied,
        }
    }

    /// Context of the event.
    pub fn context(&self) -> &Arc<HookContext> {
        &self.shared.context
    }

    /// The event, after the last rewrite.
    pub fn event(&self) -> &E {
        self.shared.event()
    }

    /// Returns the event. It is copied only if another request shares it.
    pub fn into_event(self) -> E {
        let mut shared = self.shared;
        loop {
            match Arc::try_unwrap(shared) {
                Ok(Shared { event: Held::Here(event), .. }) => return event,
                Ok(Shared { event: Held::Earlier(earlier), .. }) => shared = earlier,
                Err(shared) => return shared.event().clone(),
            }
        }
    }

    /// Number of times the event was rewritten. An allow that was given at an earlier revision no longer
    /// holds.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// Number of times the facts were dropped, by a rewrite or after a wait. Values derived from an earlier
    /// generation may no longer hold.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// The part of the decision that is asked for.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Whether judging stops at the first denial.
    pub fn evaluation(&self) -> Evaluation {
        self.evaluation
    }

    /// Sets the part of the decision that is asked for.
    #[must_use]
    pub fn at(mut self, stage: Stage) -> Self {
        self.stage = stage;
        self
    }

    /// Sets whether hooks are asked after a denial as well.
    #[must_use]
    pub fn evaluated(mut self, evaluation: Evaluation) -> Self {
        self.evaluation = evaluation;
        self
    }

    /// Returns a fact of the event, which is computed at most once for each generation of the request.
    ///
    /// A fact must not ask for itself while it is computed: the call would never return.
    pub fn fact<F: Fact<E>>(&self) -> &F {
        self.shared.facts.get(self)
    }

    /// Returns the cell of a type, shared by all clones. A rewrite and a wait end it as they end facts.
    ///
    /// A cell is for facts that need more than the request, such as settings: it starts with its default, and the
    /// holder of the settings fills it.
    ///
    /// ```
    /// use std::sync::OnceLock;
    /// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
    ///
    /// #[derive(Default)]
    /// struct Longest(OnceLock<usize>);
    ///
    /// let call = PreToolUse::new("bash", serde_json::json!("ls"));
    /// let request = HookRequest::new(HookContext::new("s", "backend"), call);
    /// assert_eq!(*request.cell::<Longest>().0.get_or_init(|| 80), 80);
    /// assert_eq!(request.clone().cell::<Longest>().0.get(), Some(&80));
    /// ```
    pub fn cell<C: Default + Send + Sync + 'static>(&self) -> &C {
        self.shared.facts.cell()
    }

    /// Rewrites the event. In [`Stage::Judge`] the event is final: the rewrite is ignored and the method
    /// returns `false`.
    ///
    /// ```
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, HookRequest, Stage};
    /// use serde_json::json;
    ///
    /// let mut request = HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("bash", json!({})));
    /// assert!(request.rewrite(json!({"command": "ls"})));
    /// assert_eq!((request.revision(), &request.event().tool_args["command"]), (1, &json!("ls")));
    ///
    /// let mut last = request.at(Stage::Judge);
    /// assert!(!last.rewrite(json!({"command": "rm -r /"})));
    /// assert_eq!(last.event().tool_args["command"], "ls");
    /// ```
    pub fn rewrite(&mut self, rewrite: E::Rewrite) -> bool {
        if self.stage == Stage::Judge {
            return false;
        }
        let mut event = self.event().clone();
        event.apply(rewrite);
        let context = Arc::clone(self.context());
        self.replace(context, Held::Here(event));
        self.revision = self.revision.saturating_add(1);
        true
    }

    /// The same event with fresh facts. Needed after a wait, during which a link on disk may have changed. The event is
    /// not copied.
    ///
    /// ```
    /// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
    ///
    /// let request = HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("bash", serde_json::json!({})));
    /// let fresh = request.refreshed();
    /// assert_eq!((fresh.revision(), fresh.generation()), (0, 1)); // the same event, other facts
    /// ```
    #[must_use]
    pub fn refreshed(self) -> Self {
        let context = Arc::clone(self.context());
        self.within(context)
    }

    /// The same event in another context, with fresh facts: what would be decided if the file system or the environment were
    /// another. The event is not copied.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
    ///
    /// let request = HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("bash", serde_json::json!({})));
    /// let elsewhere = request.clone().within(Arc::new(HookContext::new("s", "backend").in_dir("/srv")));
    /// assert_eq!(elsewhere, request);
    /// assert!(std::ptr::eq(elsewhere.event(), request.event()));
    /// ```
    #[must_use]
    pub fn within(mut self, context: Arc<HookContext>) -> Self {
        let earlier = match &self.shared.event {
            Held::Here(_) => Arc::clone(&self.shared),
            Held::Earlier(earlier) => Arc::clone(earlier),
        };
        self.replace(context, Held::Earlier(earlier));
        self
    }

    fn replace(&mut self, context: Arc<HookContext>, event: Held<E>) {
        self.shared = Arc::new(Shared { context, event, facts: Facts::default() });
        self.generation = self.generation.saturating_add(1);
    }
}

impl<E: Event> Clone for HookRequest<E> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), ..*self }
    }
}

impl<E: Event + PartialEq> PartialEq for HookRequest<E> {
    /// Whether both are about the same event at the same revision.
    fn eq(&self, other: &Self) -> bool {
        self.revision == other.revision && self.event() == other.event()
    }
}
