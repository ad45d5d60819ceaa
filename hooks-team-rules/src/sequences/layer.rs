//! The hooks of sequence rules: a decider and a reservation before a call, and a hook after it.

use std::collections::{BTreeSet, VecDeque};
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::state::{OpId, StateStore, StoreError};
use hooks_core::{
    Background, DecideLayer, DeciderOutcome, FailureLayer, Hold, HookContext, HookError, HookFuture,
    HookRequest, HooksBuilder, HooksConfig, PolicyErrors, Reason, Reservation, Reserve, ResultPatch, Settle,
    Stage, Verdict, later,
};
use hooks_facts::calls::CallReader;
use tower_layer::Layer as _;
use tower_service::Service;

use super::config::{SequenceAction, SequenceRuleConfig};
use super::content::{all_pieces, pieces_of};
use super::progress::{CallKey, SessionState, Started};
use super::rule::{Hit, NAME, Rule, Why, folded};
use super::tracker::{self, Tracker};

/// Most calls that are remembered between the question about them and their start.
const MOST_ASKED: usize = 1_024;

/// Sequence rules; see the [module](super) for examples.
///
/// As a configuration of [`Hooks`](hooks_core::Hooks) they are a decider, a reservation and a hook on results. Cheap to
/// clone. Clones share the store.
#[derive(Clone)]
pub struct Sequences(Arc<Inner>);

struct Inner {
    rules: Vec<Rule>,
    reader: CallReader,
    store: Arc<dyn StateStore>,
    /// Latest calls about which rules ask, each with these rules.
    asked: Mutex<VecDeque<(CallKey, BTreeSet<usize>)>>,
}

/// Rule that is about a call.
struct Firing {
    rule: usize,
    why: Why,
}

/// Start of a call that may still not run.
struct Start {
    tracker: Tracker,
    background: Option<Arc<dyn Background>>,
    started: Option<Started>,
}

impl Sequences {
    /// Creates rules about calls as `reader` reads them, whose state is kept in `store`.
    ///
    /// # Errors
    /// Returns an error for each rule without one clear form, and for each name, pattern and command that cannot be used.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::{state::Memory, time::StoppedClock};
    /// use hooks_facts::calls::CallReader;
    /// use hooks_team_rules::sequences::{SequenceRuleConfig, Sequences};
    /// use serde_json::json;
    ///
    /// let rules: Vec<SequenceRuleConfig> = serde_json::from_value(json!([
    ///     {"name": "pushes", "calls": {"commands": ["git push"]}},
    ///     {"name": "late", "never": {"tools": ["deploy"], "failed": true}, "after": {"tools": ["edit"]}},
    /// ]))?;
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let errors = Sequences::new(&rules, &CallReader::default(), store).expect_err("two mistakes");
    /// let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field.as_str()).collect();
    /// assert_eq!(fields, ["sequences[0]", "sequences[1].never.failed"]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new(
        rules: &[SequenceRuleConfig],
        reader: &CallReader,
        store: Arc<dyn StateStore>,
    ) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let (mut compiled, mut names, mut ids) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for (index, config) in rules.iter().enumerate() {
            if !names.insert(&config.name) {
                let problem = format!("`{}` is the name of an earlier rule", config.name);
                errors.push(format!("sequences[{index}].name"), problem, "give each rule a name of its own");
            }
            let Some(rule) = Rule::compile(config, index, reader, &mut errors) else { continue };
            if !ids.insert(rule.id) {
                let problem = "this rule stands in the list already";
                errors.push(format!("sequences[{index}]"), problem, "leave one of them out");
            }
            compiled.push(rule);
        }
        let inner = Inner { rules: compiled, reader: reader.clone(), store, asked: Mutex::default() };
        errors.or(Self(Arc::new(inner)))
    }

    fn hits(&self, request: &HookRequest<PreToolUse>) -> Vec<Hit> {
        let call = self.0.reader.read(request);
        self.0.rules.iter().enumerate().filter_map(|(index, rule)| rule.hit(index, call)).collect()
    }

    fn hits_of_result(&self, request: &HookRequest<PostToolUse>) -> Vec<Hit> {
        let failed = request.event().error.is_some();
        let request = HookRequest::new(Arc::clone(request.context()), call_of(request.event()));
        let call = self.0.reader.read(&request);
        let rules = self.0.rules.iter().enumerate();
        rules.filter_map(|(index, rule)| rule.hit_of_result(index, call, failed)).collect()
    }

    /// Returns the rules that are about a call, in order.
    async fn firings(
        &self,
        tracker: &Tracker,
        states: &[&SessionState],
        hits: &[Hit],
        request: &HookRequest<PreToolUse>,
    ) -> Result<Vec<Firing>, StoreError> {
        let now = tracker.now();
        let (mut firings, mut pieces) = (Vec::new(), None);
        for hit in hits.iter().filter(|hit| hit.is_target) {
            let Some(rule) = self.0.rules.get(hit.rule) else { continue };
            let mut why = states.iter().find_map(|state| state.judge(rule, *hit, now));
            if why.is_none() && rule.is_by_content() {
                let stored = tracker.pieces(rule).await?.value;
                let sent = pieces.get_or_insert_with(|| all_pieces(&request.event().tool_args));
                why = match sent {
                    Some(sent) => stored.contains_any(sent).then_some(Why::Content),
                    None => Some(Why::TooLong),
                };
            }
            firings.extend(why.map(|why| Firing { rule: hit.rule, why }));
        }
        Ok(firings)
    }

    async fn judge(&self, request: &HookRequest<PreToolUse>, hits: &[Hit]) -> Result<Verdict, StoreError> {
        let tracker = Tracker::new(Arc::clone(&self.0.store), request.context()).await?;
        if !hits.iter().any(|hit| hit.is_target) {
            return Ok(Verdict::NO_OPINION);
        }
        let key = key_of(request.context(), request.event());
        let (read, own) = (tracker.read().await?, tracker.read_own().await?);
        if read.value.is_repeated(key) {
            return Ok(Verdict::NO_OPINION);
        }
        let states: Vec<_> = std::iter::once(&read.value).chain(&own).collect();
        let firings = self.firings(&tracker, &states, hits, request).await?;
        let (mut verdict, mut asked) = (Verdict::NO_OPINION, BTreeSet::new());
        for Firing { rule: index, why } in firings {
            let Some(rule) = self.0.rules.get(index) else { continue };
            let reason = rule.reason(&request.event().tool_name, why);
            verdict.merge(match rule.action {
                SequenceAction::Deny => Verdict::deny(reason),
                SequenceAction::Ask => {
                    asked.insert(index);
                    Verdict::ask(reason)
                }
            });
        }
        self.ask(key, asked);
        Ok(verdict)
    }

    /// Remembers the rules that ask about a call.
    fn ask(&self, key: CallKey, rules: BTreeSet<usize>) {
        let mut asked = self.0.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.retain(|(call, _)| *call != key);
        if !rules.is_empty() {
            asked.push_back((key, rules));
        }
        let over = asked.len().saturating_sub(MOST_ASKED);
        asked.drain(..over);
    }

    fn asked(&self, key: CallKey) -> BTreeSet<usize> {
        let asked = self.0.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().find(|(call, _)| *call == key).map(|(_, rules)| rules.clone()).unwrap_or_default()
    }

    /// Records the start of a call, unless a rule is about it that did not ask.
    async fn start(
        &self,
        request: HookRequest<PreToolUse>,
        hits: Vec<Hit>,
    ) -> Result<Reservation, StoreError> {
        let context = request.context();
        let tracker = Tracker::new(Arc::clone(&self.0.store), context).await?;
        let (key, own) = (key_of(context, request.event()), tracker.read_own().await?);
        for _ in 0..tracker::MOST_TRIES {
            let mut read = tracker.read().await?;
            if read.value.is_repeated(key) {
                return Ok(Reservation::NotNeeded);
            }
            let states: Vec<_> = std::iter::once(&read.value).chain(&own).collect();
            let firings = self.firings(&tracker, &states, &hits, &request).await?;
            if let Some(reason) = self.refusal(key, &firings, &request.event().tool_name) {
                return Ok(Reservation::Refused(reason));
            }
            let advances = hits.iter().any(|hit| hit.advances || hit.lifts);
            if !advances && !tracker.is_old(&read.value) {
                return Ok(Reservation::NotNeeded);
            }
            let started = read.value.start(&self.0.rules, &hits, key, tracker.now());
            if tracker.write(&read).await? {
                let background = context.environment.background.clone();
                let start = Start { tracker, background, started: Some(started) };
                return Ok(Reservation::Held(Box::new(start)));
            }
        }
        Err(tracker::busy())
    }

    /// Returns the reason against a call that was let through before.
    fn refusal(&self, key: CallKey, firings: &[Firing], tool: &str) -> Option<Reason> {
        if firings.is_empty() {
            return None;
        }
        let asked = self.asked(key);
        let firing = firings.iter().find(|firing| {
            let is_denied = |rule: &Rule| rule.action == SequenceAction::Deny;
            self.0.rules.get(firing.rule).is_none_or(is_denied) || !asked.contains(&firing.rule)
        })?;
        let reason = self.0.rules.get(firing.rule)?.reason(tool, firing.why);
        Some(match self.0.rules.get(firing.rule)?.action {
            SequenceAction::Deny => reason,
            SequenceAction::Ask => reason.instead("make the call again, so that the user is asked about it"),
        })
    }

    /// Records the result of a call.
    async fn finish(&self, request: HookRequest<PostToolUse>, hits: Vec<Hit>) -> Result<(), StoreError> {
        let (context, event) = (request.context(), request.event());
        let tracker = Tracker::new(Arc::clone(&self.0.store), context).await?;
        let mut full = Vec::new();
        let by_content = hits.iter().filter(|hit| hit.advances).filter_map(|hit| self.0.rules.get(hit.rule));
        // In this order: while the pieces are not stored, the result counts as unknown.
        let mut pieces = None;
        for rule in by_content.filter(|rule| rule.is_by_content()) {
            let pieces =
                pieces.get_or_insert_with(|| pieces_of(&event.tool_result, event.error.as_deref())).as_ref();
            let is_kept = match pieces {
                Some(pieces) => tracker.add_pieces(rule, pieces).await?,
                None => false,
            };
            if !is_kept {
                full.push(rule);
            }
        }
        let key = key_of(context, &call_of(event));
        tracker
            .update(|state| {
                for rule in &full {
                    state.fill(rule);
                }
                state.finish(&self.0.rules, &hits, key, tracker.now());
            })
            .await
    }
}

impl HooksConfig for Sequences {
    type Error = Infallible;

    /// Adds the rules. Add every policy and every other limit before them, so that no call that another hook denies is
    /// recorded.
    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), Infallible> {
        let guard = FailureLayer::new(NAME);
        let decider = DecideLayer::new(self.clone()).layer(Settle);
        *builder = std::mem::take(builder)
            .stack::<PreToolUse, _>(&guard, decider)
            .reserve::<PreToolUse>(self.clone())
            // A result that is not recorded would leave no trace, so it is withheld.
            .stack::<PostToolUse, _>(&guard, self);
        Ok(())
    }
}

impl Reserve<PreToolUse> for Sequences {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reserve(
        &self,
        request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        let hits = self.hits(request);
        if hits.is_empty() {
            return HookFuture::now(Ok(Reservation::NotNeeded));
        }
        let (sequences, request) = (self.clone(), request.clone());
        later::begin(async move { sequences.start(request, hits).await.map_err(HookError::other) })
    }
}

impl Service<HookRequest<PreToolUse>> for Sequences {
    type Response = DeciderOutcome<PreToolUse>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<PreToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PreToolUse>) -> Self::Future {
        let hits = self.hits(&request);
        let is_target = hits.iter().any(|hit| hit.is_target);
        // Each subagent writes down its parent with its first call, so that its own subagents find the top of the tree.
        if !is_target && (self.0.rules.is_empty() || request.context().parent_session_id.is_none()) {
            return HookFuture::now(Ok(DeciderOutcome::new(Verdict::NO_OPINION)));
        }
        let sequences = self.clone();
        later::begin(async move {
            sequences.judge(&request, &hits).await.map(DeciderOutcome::new).map_err(HookError::other)
        })
    }
}

impl Service<HookRequest<PostToolUse>> for Sequences {
    type Response = ResultPatch;
    type Error = HookError;
    type Future = HookFuture<'static, Result<ResultPatch, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PostToolUse>) -> Self::Future {
        let done = || HookFuture::now(Ok(ResultPatch::default()));
        if request.stage() == Stage::Judge {
            return done();
        }
        let hits = self.hits_of_result(&request);
        if hits.is_empty() {
            return done();
        }
        let sequences = self.clone();
        later::begin(async move {
            sequences.finish(request, hits).await.map_err(HookError::other)?;
            Ok(ResultPatch::default())
        })
    }
}

impl Hold for Start {
    fn commit(mut self: Box<Self>) {
        self.started = None;
    }
}

impl Drop for Start {
    fn drop(&mut self) {
        let Some(started) = self.started.take() else { return };
        let tracker = self.tracker.clone();
        // Without a background, or if the store fails, the call stays recorded: the rules err on the safe side.
        later::run(self.background.as_ref(), async move {
            let _taken_back = tracker.update(|state| state.take_back(&started)).await;
        });
    }
}

impl fmt::Debug for Sequences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sequences").field("rules", &self.0.rules).finish_non_exhaustive()
    }
}

/// Returns the call of a result.
fn call_of(event: &PostToolUse) -> PreToolUse {
    let mut call = PreToolUse::new(event.tool_name.clone(), event.tool_args.clone());
    call.tool_use_id.clone_from(&event.tool_use_id);
    call.category.clone_from(&event.category);
    call.read_only = event.read_only;
    call
}

fn key_of(context: &HookContext, event: &PreToolUse) -> CallKey {
    let session = &context.session_id;
    let digest = folded(OpId::from_parts(&[session, &event.tool_name, &event.tool_args.to_string()]));
    let id = event.tool_use_id.as_ref().or(context.call_id.as_ref());
    let id = id.map_or(digest, |id| folded(OpId::from_parts(&[session, "id", id])));
    CallKey { id, digest }
}
