//! One side of the comparison: rules, with state that is rebuilt from the record.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use hooks::audit::describe::Described;
use hooks::config::{Config, Kept};
use hooks::event::{PreToolUse, WireEvent};
use hooks::state::StateStore;
use hooks::time::{Clock, Timestamp};
use hooks::{DecidingEvent, Ending, EventKind, HookContext, HookRequest, Hooks, Judged, Reason, Strength};
use serde::Serialize;
use serde_json::{Value, json};

use super::question::{AskedEvent, Question, Rules};
use super::store::Emptied;
use super::world::{Asked, World};
use crate::event::{by_type, decide_and_commit, decide_and_record, tell_and_record};
use crate::failure::Failure;

/// Most calls that are remembered as denied here and not in the record.
const MOST_DENIED: usize = 100_000;

/// Rules, with the state that they count on.
pub(crate) struct Side {
    rules: Arc<Rules>,
    store: Arc<Emptied>,
    world: Arc<World>,
    /// Calls that were denied here, whose results the record may have all the same.
    denied: HashSet<(String, String)>,
}

impl Decided {
    /// Whether the decision depends on files as they were then.
    pub(crate) const fn needs_files(&self) -> bool {
        self.asked.content
    }
}

/// A decision of one side.
pub(crate) struct Decided {
    pub(crate) strength: Strength,
    pub(crate) reasons: Vec<Reason>,
    /// The event as it goes on, if it was rewritten.
    pub(crate) rewritten: Option<Value>,
    /// Questions about the files of then that it asked.
    pub(super) asked: Asked,
}

impl Side {
    /// Reads the rules at `path`. `files` are the rules of both sides.
    pub(crate) fn new(path: &Path, files: &[&Path], files_now: bool) -> Result<Self, Failure> {
        let world = Arc::new(World::new(files_now));
        let store = Arc::new(Emptied::new(Arc::clone(&world.clock) as Arc<dyn Clock>));
        let kept = Kept::new(Arc::default(), Arc::clone(&store) as Arc<dyn StateStore>);
        let rules = Arc::new(Rules::new(path, files, kept, Arc::clone(&world))?);
        Ok(Self { rules, store, world, denied: HashSet::new() })
    }

    /// Name and version of the rules.
    pub(crate) fn name(&self) -> (String, String) {
        (self.rules.path().display().to_string(), self.config().rules_version().to_owned())
    }

    /// Sections of the file that are left out, or read files as they are now.
    pub(crate) fn has_section(&self, name: &str) -> bool {
        self.config().section_names().iter().any(|section| section == name)
    }

    /// The rules, which make questions.
    pub(super) const fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// The rules for tool names of any client.
    pub(crate) fn config(&self) -> &Config {
        self.rules.config()
    }

    /// Answers a question about an event of the record. Returns `None` if it is an event that only informs, or its call would not
    /// have run here. The question keeps the facts of a call, so that they are freed outside of the turn.
    pub(super) async fn judge(&mut self, question: &mut Question) -> Option<Decided> {
        let Question { hooks, event, files } = question;
        let (strength, reasons) = match event {
            AskedEvent::Call(request) => self.judge_call(hooks, request.clone()).await,
            AskedEvent::Other(context, event) => {
                self.judge_other(hooks, Arc::clone(context), *event.take()?).await?
            }
        };
        let asked = files.as_ref().map(|files| files.asked()).unwrap_or_default();
        Some(Decided { strength, reasons, rewritten: None, asked })
    }

    async fn judge_call(
        &mut self,
        hooks: &Hooks,
        request: HookRequest<PreToolUse>,
    ) -> (Strength, Vec<Reason>) {
        let context = Arc::clone(request.context());
        let id = request.event().tool_use_id.as_ref().or(context.call_id.as_ref()).cloned();
        self.world.clock.set(context.timestamp);
        let (strength, reasons) = decide(hooks, request).await;
        self.world.unfinished.finish().await;
        if let Some(id) = id
            && strength == Strength::Deny
            && self.denied.len() < MOST_DENIED
        {
            self.denied.insert((context.session_id.clone(), id));
        }
        (strength, reasons)
    }

    async fn judge_other(
        &mut self,
        hooks: &Hooks,
        context: Arc<HookContext>,
        event: WireEvent,
    ) -> Option<(Strength, Vec<Reason>)> {
        if let WireEvent::PostToolUse(result) = &event
            && let Some(id) = result.tool_use_id.as_ref().or(context.call_id.as_ref())
            && !self.denied.is_empty()
            && self.denied.remove(&(context.session_id.clone(), id.clone()))
        {
            return None;
        }
        self.world.clock.set(context.timestamp);
        let decided = by_type!(event,
            decided(event) => Some(decide(hooks, HookRequest::new(context, event)).await),
            informed(event) => {
                tell_and_record(hooks, HookRequest::new(context, event), None).await;
                None
            },
            other => None
        );
        self.world.unfinished.finish().await;
        decided
    }

    /// Judges an event that no record has, at the time of its context. Unless it `counts`, limits stay as they are. Returns
    /// `None` if it is an event that only informs.
    pub(crate) async fn judge_alone(
        &mut self,
        mut context: HookContext,
        event: WireEvent,
        counts: bool,
    ) -> Option<Decided> {
        let hooks = self.config().as_hooks().clone();
        let (environment, files) = self.world.environment(&context.cwd, false);
        context.environment = environment;
        context.tenant = context.tenant.take().or_else(|| self.rules.tenant());
        self.world.clock.set(context.timestamp);
        let decided = by_type!(event,
            decided(event) => Some(answer(&hooks, HookRequest::new(context, event), counts).await),
            informed(event) => {
                tell_and_record(&hooks, HookRequest::new(context, event), None).await;
                None
            },
            other => None
        );
        self.world.unfinished.finish().await;
        let (strength, reasons, rewritten) = decided?;
        let asked = files.map(|files| files.asked()).unwrap_or_default();
        Some(Decided { strength, reasons, rewritten, asked })
    }

    /// Forgets all that was counted. It is `now` then.
    pub(crate) fn forget(&self, now: Timestamp) {
        self.world.clock.set(now);
        self.store.forget();
    }
}

/// Decides as a host does that goes on with the event, or only asks. Returns the event, too, if it was rewritten.
async fn answer<E: DecidingEvent + Described + Serialize>(
    hooks: &Hooks,
    request: HookRequest<E>,
    counts: bool,
) -> (Strength, Vec<Reason>, Option<Value>) {
    let decision = match counts {
        true => decide_and_commit(hooks, request, Ending::Open, None).await,
        false => decide_and_record(hooks, request, Ending::Trial, None).await,
    };
    let rewritten = decision.outcome.effective().map(|request| json!(request.event()));
    (decision.outcome.strength(), decision.outcome.reasons().to_vec(), rewritten)
}

/// Decides as a host does that goes on with the event.
async fn decide<E: DecidingEvent + Described>(
    hooks: &Hooks,
    request: HookRequest<E>,
) -> (Strength, Vec<Reason>) {
    // The call itself is counted at the event before it.
    let ending = if E::KIND == EventKind::PermissionRequest { Ending::Uncounted } else { Ending::Open };
    let decision = decide_and_commit(hooks, request, ending, None).await;
    (decision.outcome.strength(), decision.outcome.reasons().to_vec())
}
