//! One side of the comparison: rules, with state that is rebuilt from the record.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks::audit::describe::Described;
use hooks::config::{Config, ConfigReader, Kept, as_patterns};
use hooks::event::WireEvent;
use hooks::state::StateStore;
use hooks::time::{Clock, Timestamp};
use hooks::{DecidingEvent, Ending, EventKind, HookContext, HookRequest, Hooks, Judged, Reason, Strength};
use hooks_protocols::Client;
use serde::Serialize;
use serde_json::{Value, json};

use super::moment::Moment;
use super::store::Emptied;
use super::world::{Asked, World};
use crate::event::{by_type, decide_and_commit, decide_and_record, tell_and_record};
use crate::failure::Failure;
use crate::load;

/// Most calls that are remembered as denied here and not in the record.
const MOST_DENIED: usize = 100_000;

/// Rules, with the state that they count on.
pub(crate) struct Side {
    path: PathBuf,
    /// Files that both sides protect, so that each is judged as if it governed.
    protected: Vec<String>,
    /// The rules for the tool names of each client, as far as they were needed.
    rules: Vec<(Option<Client>, Config)>,
    kept: Kept,
    store: Arc<Emptied>,
    world: World,
    root: PathBuf,
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
        let world = World::new(files_now);
        let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
        let store = Arc::new(Emptied::new(clock));
        let kept = Kept::new(Arc::default(), Arc::clone(&store) as Arc<dyn StateStore>);
        let absolute = std::path::absolute(path)?;
        let root = absolute.parent().unwrap_or(&absolute).to_path_buf();
        let path = path.to_path_buf();
        let protected = files.iter().map(std::path::absolute).collect::<Result<Vec<_>, _>>()?;
        let protected = protected.iter().flat_map(|path| as_patterns(path)).collect();
        let mut side =
            Self { path, protected, rules: Vec::new(), kept, store, world, root, denied: HashSet::new() };
        side.rules_for(None)?;
        Ok(side)
    }

    /// Name and version of the rules.
    pub(crate) fn name(&self) -> (String, String) {
        let version = self.rules.first().map(|(_, config)| config.rules_version()).unwrap_or_default();
        (self.path.display().to_string(), version.to_owned())
    }

    /// Sections of the file that are left out, or read files as they are now.
    pub(crate) fn has_section(&self, name: &str) -> bool {
        self.rules
            .first()
            .is_some_and(|(_, config)| config.section_names().iter().any(|section| section == name))
    }

    fn rules_for(&mut self, client: Option<Client>) -> Result<Hooks, Failure> {
        if let Some((_, config)) = self.rules.iter().find(|(known, _)| *known == client) {
            return Ok(config.as_hooks().clone());
        }
        let event = match client {
            Some(Client::Copilot) => "preToolUse",
            _ => "PreToolUse",
        };
        let read = |reader: ConfigReader| match client {
            Some(client) => reader.spoken_in(client.dialect(event)),
            None => reader,
        };
        let config = load::for_replay(&self.path, self.kept.clone(), self.protected.iter().cloned(), read)?;
        let hooks = config.as_hooks().clone();
        self.rules.push((client, config));
        Ok(hooks)
    }

    /// Judges an event. Returns `None` if it is an event that only informs, or its call would not have run here. The context of
    /// the event is then that of this side.
    pub(super) async fn judge(
        &mut self,
        moment: &mut Moment,
        event: WireEvent,
    ) -> Result<Option<Decided>, Failure> {
        let hooks = self.rules_for(moment.client)?;
        // Nothing else has it, unless there are two sides.
        let context = Arc::make_mut(&mut moment.context);
        self.world.clock.set(context.timestamp);
        context.environment = self.world.environment(moment.client.is_some_and(Client::keeps_input_open));
        if moment.client.is_some() && context.team_root.is_none() && context.cwd.starts_with(&self.root) {
            context.team_root = Some(self.root.clone());
        }
        context.tenant = context.tenant.take().or_else(|| self.tenant());
        let call = call_of(context, &event);
        if moment.kind == EventKind::PostToolUse && call.as_ref().is_some_and(|call| self.denied.remove(call))
        {
            return Ok(None);
        }
        self.world.files.begin(&context.cwd);
        let context = Arc::clone(&moment.context);
        let decided = by_type!(event,
            decided(event) => Some(decide(&hooks, HookRequest::new(context, event)).await),
            informed(event) => {
                tell_and_record(&hooks, HookRequest::new(context, event), None).await;
                None
            },
            other => None
        );
        self.world.unfinished.finish().await;
        let Some((strength, reasons)) = decided else { return Ok(None) };
        if moment.kind == EventKind::PreToolUse
            && strength == Strength::Deny
            && self.denied.len() < MOST_DENIED
        {
            self.denied.extend(call);
        }
        Ok(Some(Decided { strength, reasons, rewritten: None, asked: self.world.files.asked() }))
    }

    /// The rules for tool names of any client.
    pub(crate) fn config(&self) -> Result<&Config, Failure> {
        let first = self.rules.first().map(|(_, config)| config);
        first.ok_or_else(|| Failure::message(format!("`{}` was not read", self.path.display())))
    }

    /// Judges an event that no record has, at the time of its context. Unless it `counts`, limits stay as they are. Returns
    /// `None` if it is an event that only informs.
    pub(crate) async fn judge_alone(
        &mut self,
        mut context: HookContext,
        event: WireEvent,
        counts: bool,
    ) -> Result<Option<Decided>, Failure> {
        let hooks = self.rules_for(None)?;
        context.environment = self.world.environment(false);
        context.tenant = context.tenant.take().or_else(|| self.tenant());
        self.world.clock.set(context.timestamp);
        self.world.files.begin(&context.cwd);
        let decided = by_type!(event,
            decided(event) => Some(answer(&hooks, HookRequest::new(context, event), counts).await),
            informed(event) => {
                tell_and_record(&hooks, HookRequest::new(context, event), None).await;
                None
            },
            other => None
        );
        self.world.unfinished.finish().await;
        Ok(decided.map(|(strength, reasons, rewritten)| Decided {
            strength,
            reasons,
            rewritten,
            asked: self.world.files.asked(),
        }))
    }

    /// Forgets all that was counted. It is `now` then.
    pub(crate) fn forget(&self, now: Timestamp) {
        self.world.clock.set(now);
        self.store.forget();
    }

    fn tenant(&self) -> Option<String> {
        self.rules.first().and_then(|(_, config)| config.tenant()).map(str::to_owned)
    }
}

/// Session and id of the call of an event.
fn call_of(context: &HookContext, event: &WireEvent) -> Option<(String, String)> {
    let id = match event {
        WireEvent::PreToolUse(call) => call.tool_use_id.as_ref(),
        WireEvent::PostToolUse(call) => call.tool_use_id.as_ref(),
        _ => return None,
    };
    let id = id.or(context.call_id.as_ref())?;
    Some((context.session_id.clone(), id.clone()))
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
