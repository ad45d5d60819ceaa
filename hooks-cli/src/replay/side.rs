//! One side of the comparison: rules, with state that is rebuilt from the record.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hooks::audit::describe::Described;
use hooks::config::{Config, Kept, as_patterns};
use hooks::event::{PreToolUse, WireEvent};
use hooks::state::StateStore;
use hooks::time::{Clock, Timestamp};
use hooks::{
    DecidingEvent, Ending, EventKind, HookContext, HookRequest, Hooks, HooksProvider, Judged, Reason,
    Strength,
};
use hooks_protocols::Client;
use serde::Serialize;
use serde_json::{Value, json};

use super::moment::Moment;
use super::store::Emptied;
use super::world::{Asked, FilesThen, World};
use crate::event::{by_type, decide_and_commit, decide_and_record, tell_and_record};
use crate::failure::Failure;
use crate::load;

/// Rules, with the state that they count on.
pub(crate) struct Side {
    rules: Arc<Rules>,
    store: Arc<Emptied>,
    denied: DeniedCalls,
}

/// The rules of a side, by which events are prepared in any order.
pub(super) struct Rules {
    path: PathBuf,
    /// Files that both sides protect, so that each is judged as if it governed.
    protected: Vec<String>,
    /// The rules for tool names of any client.
    of_any: Config,
    /// The rules for the tool names of each client, as far as they were needed.
    of_clients: Mutex<Vec<(Client, Config)>>,
    kept: Kept,
    world: World,
    root: PathBuf,
}

/// An event that is ready to be judged by the rules of a side.
pub(super) struct Ready {
    hooks: Hooks,
    event: ReadyEvent,
    /// Session and id of the call.
    call: Option<(String, String)>,
    files: Arc<FilesThen>,
}

enum ReadyEvent {
    Call(HookRequest<PreToolUse>),
    Other(Box<(HookContext, WireEvent)>),
}

impl Ready {
    /// Reads the facts about a call, which its request keeps. The judgement itself is taken in the order of the record.
    pub(super) fn read_facts(&self) {
        if let ReadyEvent::Call(request) = &self.event {
            drop(self.hooks.judge_pre_tool_use(request));
        }
    }
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

impl Rules {
    fn load(&self, client: Client) -> Result<Config, Failure> {
        let event = if client == Client::Copilot { "preToolUse" } else { "PreToolUse" };
        let protected = self.protected.iter().cloned();
        load::for_replay(&self.path, self.kept.clone(), protected, |reader| {
            reader.spoken_in(client.dialect(event))
        })
    }

    fn hooks_for(&self, client: Option<Client>) -> Result<Hooks, Failure> {
        let Some(client) = client else { return Ok(self.of_any.as_hooks().clone()) };
        let mut known = self.of_clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, config)) = known.iter().find(|(of, _)| *of == client) {
            return Ok(config.as_hooks().clone());
        }
        let config = self.load(client)?;
        let hooks = config.as_hooks().clone();
        known.push((client, config));
        Ok(hooks)
    }

    /// Puts an event into the world of its time.
    pub(super) fn ready(&self, moment: &Moment, event: WireEvent) -> Result<Ready, Failure> {
        let keeps_input_open = moment.client.is_some_and(Client::keeps_input_open);
        let mut context = moment.context.clone();
        if moment.client.is_some() && context.team_root.is_none() && context.cwd.starts_with(&self.root) {
            context.team_root = Some(self.root.clone());
        }
        Ok(self.ready_in(context, event, self.hooks_for(moment.client)?, keeps_input_open))
    }

    fn ready_in(
        &self,
        mut context: HookContext,
        event: WireEvent,
        hooks: Hooks,
        keeps_input_open: bool,
    ) -> Ready {
        let (environment, files) = self.world.environment(context.timestamp, &context.cwd, keeps_input_open);
        context.environment = environment;
        context.tenant = context.tenant.take().or_else(|| self.of_any.tenant().map(str::to_owned));
        let call = call_of(&context, &event);
        let event = match event {
            WireEvent::PreToolUse(call) => ReadyEvent::Call(HookRequest::new(context, call)),
            other => ReadyEvent::Other(Box::new((context, other))),
        };
        Ready { hooks, event, call, files }
    }
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
        let protected: Vec<_> = protected.iter().flat_map(|path| as_patterns(path)).collect();
        let of_any = load::for_replay(&path, kept.clone(), protected.iter().cloned(), |reader| reader)?;
        let rules = Rules { path, protected, of_any, of_clients: Mutex::default(), kept, world, root };
        Ok(Self { rules: Arc::new(rules), store, denied: DeniedCalls::default() })
    }

    /// The rules, for threads that prepare events.
    pub(super) fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules)
    }

    /// Name and version of the rules.
    pub(crate) fn name(&self) -> (String, String) {
        (self.rules.path.display().to_string(), self.rules.of_any.rules_version().to_owned())
    }

    /// Sections of the file that are left out, or read files as they are now.
    pub(crate) fn has_section(&self, name: &str) -> bool {
        self.rules.of_any.section_names().iter().any(|section| section == name)
    }

    /// Judges an event. Returns `None` if it is an event that only informs, or its call would not have run here.
    pub(super) async fn judge(&mut self, moment: &Moment, ready: Ready) -> Option<Decided> {
        let Ready { hooks, event, call, files } = ready;
        let world = &self.rules.world;
        world.clock.set(moment.context.timestamp);
        if moment.kind == EventKind::PostToolUse && call.as_ref().is_some_and(|call| self.denied.remove(call))
        {
            return None;
        }
        let decided = match event {
            ReadyEvent::Call(request) => Some(decide(&hooks, request).await),
            ReadyEvent::Other(other) => {
                let (context, event) = *other;
                by_type!(event,
                    decided(event) => Some(decide(&hooks, HookRequest::new(context, event)).await),
                    informed(event) => {
                        tell_and_record(&hooks, HookRequest::new(context, event), None).await;
                        None
                    },
                    other => None
                )
            }
        };
        world.unfinished.finish().await;
        let (strength, reasons) = decided?;
        if let Some(call) = call
            && moment.kind == EventKind::PreToolUse
            && strength == Strength::Deny
        {
            self.denied.add(call);
        }
        Some(Decided { strength, reasons, rewritten: None, asked: files.asked() })
    }

    /// The rules for tool names of any client.
    pub(crate) fn config(&self) -> &Config {
        &self.rules.of_any
    }

    /// Judges an event that no record has, at the time of its context. Unless it `counts`, limits stay as they are. Returns
    /// `None` if it is an event that only informs.
    pub(crate) async fn judge_alone(
        &mut self,
        context: HookContext,
        event: WireEvent,
        counts: bool,
    ) -> Result<Option<Decided>, Failure> {
        let world = &self.rules.world;
        world.clock.set(context.timestamp);
        let hooks = self.rules.hooks_for(None)?;
        let Ready { hooks, event, files, .. } = self.rules.ready_in(context, event, hooks, false);
        let decided = match event {
            ReadyEvent::Call(request) => Some(answer(&hooks, request, counts).await),
            ReadyEvent::Other(other) => {
                let (context, event) = *other;
                by_type!(event,
                    decided(event) => Some(answer(&hooks, HookRequest::new(context, event), counts).await),
                    informed(event) => {
                        tell_and_record(&hooks, HookRequest::new(context, event), None).await;
                        None
                    },
                    other => None
                )
            }
        };
        world.unfinished.finish().await;
        Ok(decided.map(|(strength, reasons, rewritten)| Decided {
            strength,
            reasons,
            rewritten,
            asked: files.asked(),
        }))
    }

    /// Forgets all that was counted. It is `now` then.
    pub(crate) fn forget(&self, now: Timestamp) {
        self.rules.world.clock.set(now);
        self.store.forget();
    }
}

/// Calls that were denied here, whose results the record may have all the same. A result follows soon, so only the latest are
/// remembered.
#[derive(Default)]
struct DeniedCalls {
    known: HashSet<Arc<(String, String)>>,
    order: VecDeque<Arc<(String, String)>>,
}

impl DeniedCalls {
    /// Most calls that are remembered.
    const MOST: usize = 4_096;

    fn add(&mut self, call: (String, String)) {
        let call = Arc::new(call);
        if self.known.insert(Arc::clone(&call)) {
            self.order.push_back(call);
        }
        if self.order.len() > Self::MOST
            && let Some(first) = self.order.pop_front()
        {
            self.known.remove(&first);
        }
    }

    fn remove(&mut self, call: &(String, String)) -> bool {
        self.known.remove(call)
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
