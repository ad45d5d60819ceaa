//! Budget of children: takes a place for each, records which are alive, and gives their places back.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hooks_core::event::{ChildStatus, PreToolUse, SubagentStart};
use hooks_core::state::{Op, OpId, StateStore, StepResult};
use hooks_core::time::{Tick, Timestamp};
use hooks_core::{
    HookContext, HookError, HookFuture, HookRequest, PolicyErrors, Reason, Reservation, Reserve, ReserveLayer,
};
use hooks_facts::calls::CallReader;
use hooks_redaction::Scrubber;

use super::NAME;
use super::child::{ChildState, Entry, Known};
use super::child_request::{ChildRequest, RequestedBy};
use super::children::Children;
use super::config::SpawnConfig;
use super::keys::{Keys, hex};
use super::limits::{Charges, Limits, Parent};
use super::matching::{EntryMatch, Sought, asked_before, find};
use super::names::folded;
use super::place::SpawnPlace;
use super::registry::{Registry, unexpected};
use super::rules::SpawnRules;
use crate::counting_store::CountingStore;
use crate::place::fresh_id;

/// Most times that one child may take a place and give it back: each time costs one more request to the
/// store.
const MOST_GIVEN_BACK: usize = 32;
/// Time for which an ended child is still listed.
pub(super) const ENDED_FOR: Duration = Duration::from_secs(10 * 60);
/// Bytes of a task that are read, and characters that are kept.
const TASK: (usize, usize) = (4_096, 120);
/// Most agents whose latest sign of life is remembered.
const MOST_BEATS: usize = 4_096;

/// Counts children against their limits and keeps the registry of those that are alive; see the
/// [module](super) for an example. Clones share all state.
#[derive(Clone)]
pub struct SpawnBudget(pub(super) Arc<Engine>);

/// Spawn budget around an inner hook on `subagent_start`.
pub type SpawnBudgetLayer = ReserveLayer<SpawnBudget>;

pub(super) struct Engine {
    pub(super) limits: Limits,
    pub(super) rules: SpawnRules,
    pub(super) reader: CallReader,
    pub(super) notices: bool,
    budget: Option<String>,
    store: CountingStore,
    scrubber: Scrubber,
    /// Time of each agent's latest stored sign of life.
    beats: Mutex<HashMap<OpId, Tick>>,
}

impl SpawnBudget {
    /// Creates a budget that counts in memory and uses the clock of its first child.
    ///
    /// # Errors
    /// Returns all errors of the configuration.
    pub fn new(config: &SpawnConfig, reader: &CallReader) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let budget = Self::compile(config, CountingStore::default(), reader, &mut errors);
        errors.or(budget)
    }

    pub(crate) fn compile(
        config: &SpawnConfig,
        store: CountingStore,
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Self {
        Self(Arc::new(Engine {
            limits: Limits::compile(config, errors),
            rules: SpawnRules::compile(config, reader, errors),
            reader: reader.clone(),
            notices: config.notices,
            budget: None,
            store,
            scrubber: Scrubber::all(),
            beats: Mutex::default(),
        }))
    }

    /// Counts in `store`, which may be shared between processes and may be durable.
    ///
    /// Two hosts on one store share the limit:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_budgets::{SpawnBudget, SpawnConfig};
    /// use hooks_core::event::SubagentStart;
    /// use hooks_core::{HookContext, Hooks, Judged, state::Memory, time::StoppedClock};
    /// use hooks_facts::calls::CallReader;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_core::PolicyErrors> {
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let config = SpawnConfig { concurrent: Some(1), ..SpawnConfig::default() };
    /// for goes_ahead in [true, false] {
    ///     let budget = SpawnBudget::new(&config, &CallReader::default())?.with_store(store.clone());
    ///     let host = Hooks::builder().reserve::<SubagentStart>(budget).build();
    ///     let child = SubagentStart::new("tester", "the API");
    ///     let mut decided = host.on(HookContext::new("session-1", "lead")).subagent_start(child).await;
    ///     decided.commit();
    ///     assert_eq!(decided.outcome.goes_ahead(), goes_ahead);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_store(self, store: Arc<dyn StateStore>) -> Self {
        self.changed(|engine| engine.store = CountingStore::Given(store))
    }

    /// Counts under a name of its own. Two budgets that count the same children on one store (for example, if
    /// a child's hooks are narrowed) need two names: under one name, the first to take a place takes it for
    /// both.
    ///
    /// The hooks of a child are narrower than those of its parent, on the same store:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_budgets::{SpawnBudget, SpawnConfig};
    /// use hooks_core::event::SubagentStart;
    /// use hooks_core::{HookContext, Hooks, Judged, state::Memory, time::StoppedClock};
    /// use hooks_facts::calls::CallReader;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_core::PolicyErrors> {
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let at_most = |limit| {
    ///     let config = SpawnConfig { concurrent: Some(limit), ..SpawnConfig::default() };
    ///     SpawnBudget::new(&config, &CallReader::default())
    /// };
    /// let outer = at_most(5)?.with_store(store.clone());
    /// let inner = at_most(1)?.with_store(store).named("of-the-child");
    /// let hooks = Hooks::builder().reserve::<SubagentStart>(outer).reserve::<SubagentStart>(inner).build();
    /// for goes_ahead in [true, false] {
    ///     let child = SubagentStart::new("tester", "the API");
    ///     let mut decided = hooks.on(HookContext::new("session-1", "lead")).subagent_start(child).await;
    ///     decided.commit();
    ///     assert_eq!(decided.outcome.goes_ahead(), goes_ahead);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        self.changed(|engine| engine.budget = Some(name.into()))
    }

    /// Wraps the budget in a layer. Put it outermost, so that it is asked last.
    pub const fn layer(self) -> SpawnBudgetLayer {
        ReserveLayer::new(self)
    }

    /// Returns queries on the known children.
    pub fn children(&self) -> Children {
        Children::new(self)
    }

    /// Returns the rules that need no counting.
    pub fn rules(&self) -> &SpawnRules {
        &self.0.rules
    }

    fn changed(self, change: impl FnOnce(&mut Engine)) -> Self {
        let shared = &self.0;
        let mut engine = Engine {
            limits: shared.limits.clone(),
            rules: shared.rules.clone(),
            reader: shared.reader.clone(),
            notices: shared.notices,
            budget: shared.budget.clone(),
            store: shared.store.clone(),
            scrubber: shared.scrubber.clone(),
            beats: Mutex::default(),
        };
        change(&mut engine);
        Self(Arc::new(engine))
    }
}

impl Engine {
    /// Opens the registry of the tree of `context`.
    pub(super) async fn registry(&self, context: &HookContext) -> Result<Registry, HookError> {
        let keys = Keys::new(context.tenant.as_deref(), self.budget.as_deref());
        Registry::open(self.store.for_context(context), keys, context).await
    }

    /// Takes a place for a child, unless it has one.
    pub(super) async fn take(
        &self,
        child_request: &ChildRequest,
        context: &HookContext,
    ) -> Result<Reservation, HookError> {
        let registry = self.registry(context).await?;
        let (mut known, now) = registry.known().await?;
        registry.sweep(&mut known).await?;
        self.retake(&registry, &known, now).await?;
        let depth = depth(child_request, &registry, &known, context);
        if let Some(reason) = self.limits.too_deep(depth) {
            return Ok(Reservation::Refused(reason));
        }
        let claimant = child_request.child.clone().or_else(|| child_request.call.clone());
        let claimant = claimant.unwrap_or_else(|| hex(fresh_id(NAME, context)));
        match asked_before(&known, child_request, &context.session_id) {
            EntryMatch::Certain(_) => return Ok(Reservation::NotNeeded),
            EntryMatch::OneOf(some) => {
                for candidate in some {
                    if registry.is_first("claim", candidate.id, &claimant).await? {
                        return self.take_over(candidate, child_request, depth, registry, context).await;
                    }
                }
            }
        }
        // A lost child with the same id starts anew.
        for lost in known
            .iter()
            .filter(|known| child_request.child.is_some() && known.entry.child == child_request.child)
        {
            registry.remove(lost.id).await?;
        }
        self.take_new(child_request, &claimant, depth, registry, context).await
    }

    /// Transfers the place that a tool call took to the child that it started.
    async fn take_over(
        &self,
        candidate: &Known,
        child_request: &ChildRequest,
        depth: u32,
        registry: Registry,
        context: &HookContext,
    ) -> Result<Reservation, HookError> {
        let by_call = candidate.entry.clone();
        // A child cannot lower the depth that is known from its call.
        let depth = depth.max(by_call.depth);
        let entry = Entry {
            call: by_call.call.clone().or_else(|| child_request.call.clone()),
            task: if child_request.task.is_empty() {
                by_call.task.clone()
            } else {
                self.summary(&child_request.task)
            },
            model: child_request.model.clone().or_else(|| by_call.model.clone()),
            hold: by_call.hold,
            ..self.entry(child_request, depth, by_call.hold, &registry, context)
        };
        // From here on, dropping `place` gives the place back: the child will not exist.
        let place = self.place(candidate.id, entry, child_request.by, registry.clone(), context);
        if let Some(child) = &child_request.child {
            registry.place(child, depth).await?;
        }
        registry.update(candidate.id, Some(&place.entry), self.limits.lease).await?;
        Ok(Reservation::Held(Box::new(place)))
    }

    /// Takes a new place; if the child's earlier place was given back or lost, takes the next one.
    async fn take_new(
        &self,
        child_request: &ChildRequest,
        name: &str,
        depth: u32,
        registry: Registry,
        context: &HookContext,
    ) -> Result<Reservation, HookError> {
        let parent = Parent { session: &context.session_id, agent: &context.agent_name };
        let charges = self.limits.charges(child_request, &registry.lineage, &parent, &registry.keys);
        let Charges { scopes, .. } = &charges;
        let scopes: Arc<[_]> = scopes.as_slice().into();
        // Without a background, no later event may confirm that the child exists.
        let ttl = match context.environment.background {
            Some(_) => self.limits.waiting,
            None => self.limits.lease.max(self.limits.waiting),
        };
        for time in 0..=MOST_GIVEN_BACK {
            let time = time.to_string();
            let root = registry.lineage.root.clone();
            let id = |kind| registry.keys.id(&[kind, &root, &context.session_id, name, &time]);
            let (id, hold) = (id("entry"), id("hold"));
            let entry = self.entry(child_request, depth, hold, &registry, context);
            // From here on, dropping `place` gives back everything that was taken so far.
            let mut place = self.place(id, entry, child_request.by, registry.clone(), context);
            // The child may end at another instance.
            let reserve = Op::reserve_for_all(hold, Arc::clone(&scopes), 1, ttl);
            match registry.apply(reserve).await? {
                StepResult::Granted(_) => {}
                StepResult::Refused { scope, used, limit } => {
                    place.is_open = false;
                    return Ok(Reservation::Refused(charges.refusal(scope, used, limit)));
                }
                StepResult::Ended { .. } => {
                    place.is_open = false;
                    continue;
                }
                other => return Err(unexpected(&other)),
            }
            if !registry.insert(id, &place.entry, ttl).await? {
                // An earlier request for this child was dropped, and its clean-up removed the entry before it
                // was inserted here.
                registry.apply(Op::Release { id: hold }).await?;
                place.is_open = false;
                continue;
            }
            if let Some(child) = &child_request.child {
                registry.place(child, depth).await?;
            }
            return Ok(Reservation::Held(Box::new(place)));
        }
        let message = format!("this child was asked for and given up {MOST_GIVEN_BACK} times");
        Ok(Reservation::Refused(Reason::new(NAME, "child", message).unless("ask for it under another id")))
    }

    fn place(
        &self,
        id: OpId,
        entry: Entry,
        by: RequestedBy,
        registry: Registry,
        context: &HookContext,
    ) -> SpawnPlace {
        SpawnPlace {
            registry,
            background: context.environment.background.clone(),
            id,
            entry,
            lease: self.limits.lease,
            then: match by {
                RequestedBy::Event => ChildState::Running,
                RequestedBy::Tool => ChildState::Waiting,
            },
            is_open: true,
        }
    }

    fn entry(
        &self,
        child_request: &ChildRequest,
        depth: u32,
        hold: OpId,
        registry: &Registry,
        context: &HookContext,
    ) -> Entry {
        let variant = self.rules.variants().variant_for(child_request, &context.session_id);
        Entry {
            agent: child_request.agent.clone(),
            parent: context.agent_name.clone(),
            session: context.session_id.clone(),
            root: registry.lineage.root.clone(),
            depth,
            child: child_request.child.clone(),
            call: child_request.call.clone(),
            model: child_request.model.clone(),
            task_type: child_request.task_type.clone(),
            task: self.summary(&child_request.task),
            variant: variant.map(|variant| variant.name.clone()),
            state: ChildState::Waiting,
            status: None,
            hold,
            is_placeless: false,
        }
    }

    /// Returns the start of a task, scrubbed before it is cut: half a secret is no longer recognised.
    fn summary(&self, task: &str) -> String {
        let end =
            (0..=TASK.0.min(task.len())).rev().find(|end| task.is_char_boundary(*end)).unwrap_or_default();
        self.scrubber.scrub(task.get(..end).unwrap_or_default()).chars().take(TASK.1).collect()
    }

    /// Ends the child that the event refers to: its place is given back, and its share of the totals stays
    /// charged.
    pub(super) async fn end(
        &self,
        child: Option<&str>,
        call: Option<&str>,
        agent: &str,
        status: ChildStatus,
        context: &HookContext,
    ) -> Result<(), HookError> {
        let registry = self.registry(context).await?;
        let (known, _) = registry.known().await?;
        let sought = Sought { session: &context.session_id, child, call, agent };
        if let Some(known) = self.meant(&known, &sought, &registry, context).await? {
            self.end_one(known, status, &registry).await?;
        }
        Ok(())
    }

    pub(super) async fn end_one(
        &self,
        known: &Known,
        status: ChildStatus,
        registry: &Registry,
    ) -> Result<(), HookError> {
        registry.apply(Op::Settle { id: known.entry.hold, actual: 1 }).await?;
        let entry = Entry { state: ChildState::Ended, status: Some(status), ..known.entry.clone() };
        registry.update(known.id, Some(&entry), ENDED_FOR).await
    }

    /// Gives back everything that was taken for a child that could not be created.
    pub(super) async fn give_back(
        &self,
        child: Option<&str>,
        agent: &str,
        context: &HookContext,
    ) -> Result<(), HookError> {
        let registry = self.registry(context).await?;
        let (known, _) = registry.known().await?;
        // A child with an id gave its place back with the decision, unless it is listed under that id. In
        // both cases, no other child is meant.
        let known: Vec<Known> = match child {
            Some(_) => known.into_iter().filter(|known| known.entry.child.as_deref() == child).collect(),
            None => known,
        };
        let call = context.call_id.as_deref();
        let sought = Sought { session: &context.session_id, child, call, agent };
        if let Some(known) = self.meant(&known, &sought, &registry, context).await?
            && known.entry.state == ChildState::Waiting
        {
            registry.apply(Op::Release { id: known.entry.hold }).await?;
            registry.remove(known.id).await?;
        }
        Ok(())
    }

    /// Returns the child that an event refers to. If several are possible, the first that no other event has
    /// ended.
    async fn meant<'k>(
        &self,
        known: &'k [Known],
        sought: &Sought<'_>,
        registry: &Registry,
        context: &HookContext,
    ) -> Result<Option<&'k Known>, HookError> {
        match find(known, sought) {
            EntryMatch::Certain(found) => Ok(Some(found)),
            EntryMatch::OneOf(some) => {
                let by = sought.child.or(sought.call);
                let by = by.map_or_else(|| hex(fresh_id(NAME, context)), str::to_owned);
                for candidate in some {
                    if registry.is_first("end", candidate.id, &by).await? {
                        return Ok(Some(candidate));
                    }
                }
                Ok(None)
            }
        }
    }

    /// Returns whether it is time to store a sign of life of the agent of `context`.
    pub(super) fn is_due(&self, context: &HookContext) -> bool {
        let tenant = context.tenant.as_deref().unwrap_or_default();
        let agent = OpId::from_parts(&[tenant, &context.session_id, &context.agent_name]);
        let (now, pause) = (context.environment.clock.tick(), self.limits.lease / 4);
        let mut beats = self.beats.lock().unwrap_or_else(PoisonError::into_inner);
        if beats.get(&agent).is_some_and(|last| now.since(*last) < pause) {
            return false;
        }
        if beats.len() >= MOST_BEATS {
            beats.clear();
        }
        beats.insert(agent, now);
        true
    }

    /// Stores a sign of life for the children that match `is_one`. A child that was presumed lost takes a
    /// place again, if one is free, and is listed again in either case.
    pub(super) async fn beat(
        &self,
        registry: &Registry,
        known: &[Known],
        is_one: impl Fn(&Entry) -> bool + Send,
    ) -> Result<(), HookError> {
        for known in known.iter().filter(|known| !known.has_ended() && is_one(&known.entry)) {
            let extend = Op::Extend { id: known.entry.hold, to: 1, ttl: self.limits.lease };
            let is_placeless = registry.apply(extend).await? != StepResult::Done;
            let entry = Entry { is_placeless, ..known.entry.clone() };
            let changed = (is_placeless != known.entry.is_placeless).then_some(&entry);
            registry.update(known.id, changed, self.limits.lease).await?;
        }
        Ok(())
    }

    /// Gives a place to returned children that have none: they precede new children.
    async fn retake(&self, registry: &Registry, known: &[Known], now: Timestamp) -> Result<(), HookError> {
        for known in known.iter().filter(|known| known.lives() && known.entry.is_placeless) {
            let left = known.until.unwrap_or(now).since(now);
            let extend = Op::Extend { id: known.entry.hold, to: 1, ttl: left };
            if registry.apply(extend).await? == StepResult::Done {
                let entry = Entry { is_placeless: false, ..known.entry.clone() };
                registry.update(known.id, Some(&entry), left).await?;
            }
        }
        Ok(())
    }
}

/// Returns whether an entry belongs to the agent of `context`: by its session, or else by its name.
pub(super) fn is_of(entry: &Entry, context: &HookContext) -> bool {
    entry.child.as_deref() == Some(&*context.session_id)
        || (entry.session == context.session_id && folded(&entry.agent) == folded(&context.agent_name))
}

/// Returns the number of generations between the root and a child: derived from its parent, and at least what
/// the child reports. Agents that share a session are known only by name; an agent with the name of a living
/// child is taken for that child.
fn depth(child_request: &ChildRequest, registry: &Registry, known: &[Known], context: &HookContext) -> u32 {
    let by_name = |known: &&Known| {
        known.lives()
            && known.entry.session == context.session_id
            && folded(&known.entry.agent) == folded(&context.agent_name)
    };
    let parent = match child_request.depth {
        Some(_) => None,
        None => known.iter().filter(by_name).map(|known| known.entry.depth).max(),
    };
    let parent = parent.unwrap_or_default().max(registry.lineage.depth);
    parent.saturating_add(1).max(child_request.depth.unwrap_or_default())
}

impl Reserve<SubagentStart> for SpawnBudget {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reserve(
        &self,
        request: &HookRequest<SubagentStart>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        let (child_request, engine) = (ChildRequest::of_start(request), Arc::clone(&self.0));
        let context = Arc::clone(request.context());
        HookFuture::later(async move { engine.take(&child_request, &context).await })
    }
}

impl Reserve<PreToolUse> for SpawnBudget {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reserve(
        &self,
        request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        let Some(child_request) = ChildRequest::of_call(request, &self.0.reader) else {
            return HookFuture::now(Ok(Reservation::NotNeeded));
        };
        let (engine, context) = (Arc::clone(&self.0), Arc::clone(request.context()));
        HookFuture::later(async move { engine.take(&child_request, &context).await })
    }
}

impl fmt::Debug for SpawnBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpawnBudget")
            .field("limits", &self.0.limits)
            .field("budget", &self.0.budget)
            .finish_non_exhaustive()
    }
}
