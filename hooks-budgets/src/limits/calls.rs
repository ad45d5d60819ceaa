//! Limits on tool calls: by tool, by agent and by time window.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::state::{Key, Lineage, MAX_AMOUNT, Scope, StateStore};
use hooks_core::{
    Evidence, HookContext, HookError, HookFuture, HookRequest, PolicyErrors, Reason, Reservation, Reserve,
    ReserveLayer,
};
use hooks_facts::names::{all_folded, folded};

use super::config::{CallLevel, CallLimitConfig};
use crate::counting_store::CountingStore;
use crate::place::{LimitPlace, NoPlace, place_id};
use crate::window::LimitWindow;

const NAME: &str = "call-limit";

/// Limits how often tools are called; see the [module](super) for an example.
///
/// Takes a place for each call that is not denied, from all limits that apply to it or from none. A call that
/// does not go ahead gives its place back. If a call is reported twice under one id, it takes one place. If
/// the store fails, the call is denied.
pub struct CallLimits {
    limits: Arc<[CallLimit]>,
    store: CountingStore,
}

/// Call limits around an inner hook.
pub type CallLimitsLayer = ReserveLayer<Arc<CallLimits>>;

#[derive(Clone, Debug)]
struct CallLimit {
    /// Index in the configuration.
    index: usize,
    tools: Vec<ToolName>,
    agents: Vec<String>,
    most: u64,
    level: CallLevel,
    window: LimitWindow,
    /// Filters of the limit, as part of the name of its counters.
    id: [String; 2],
}

/// Name in lower case, or a prefix of names.
#[derive(Clone, Debug)]
enum ToolName {
    Whole(String),
    Beginning(String),
}

impl CallLimits {
    /// Creates limits that are counted in `store`.
    ///
    /// # Errors
    /// Returns all errors of `limits`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_budgets::CallLimits;
    /// use hooks_core::{state::Memory, time::StoppedClock};
    /// use serde_json::json;
    ///
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let limits: Vec<_> = serde_json::from_value(json!([
    ///     {"tools": ["*deploy"], "most": 1, "of": "team", "per": "day"},
    ///     {"tools": ["push"], "most": 1, "of": "session", "per": "session"},
    ///     {"tools": ["Push"], "most": 2, "of": "session", "per": "session"},
    /// ]))?;
    /// let errors = CallLimits::new(&limits, store).expect_err("two of the limits are invalid");
    /// assert_eq!(
    ///     errors.to_string(),
    ///     "`limits.calls[0].tools[0]`: `*deploy` is not a name; write a name; that of a tool may end in one `*`\n\
    ///      `limits.calls[2]`: this limit stands in the list already; leave one of them out",
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new(limits: &[CallLimitConfig], store: Arc<dyn StateStore>) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let limits = Self::compile(limits, CountingStore::Given(store), &mut errors);
        errors.or(limits)
    }

    pub(crate) fn compile(
        limits: &[CallLimitConfig],
        store: CountingStore,
        errors: &mut PolicyErrors,
    ) -> Self {
        let mut seen = BTreeSet::new();
        let mut compiled = Vec::new();
        for (index, config) in limits.iter().enumerate() {
            let limit = CallLimit::compile(index, config, errors);
            if !seen.insert((limit.level, limit.window, limit.id.clone())) {
                let problem = "this limit stands in the list already";
                errors.push(format!("limits.calls[{index}]"), problem, "leave one of them out");
            }
            compiled.push(limit);
        }
        Self { limits: compiled.into(), store }
    }

    /// Wraps the limits in a layer. Put it outermost, so that it is asked last.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_budgets::CallLimits;
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, HookRequest, Judge, Judged, Verdict, policy_fn, state::Memory, time::StoppedClock};
    /// use serde_json::json;
    /// use tower::{Layer, ServiceExt};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let limits: Vec<_> = serde_json::from_value(json!([{"tools": ["deploy"], "most": 0, "of": "team", "per": "day"}]))?;
    /// let limits = CallLimits::new(&limits, Arc::new(Memory::new(Arc::new(StoppedClock::default()))))?;
    /// let allow = policy_fn("allow", |_: &HookRequest<PreToolUse>| Verdict::ALLOW);
    /// let stack = limits.layer().layer(Judge::new(allow));
    /// let call = |tool| HookRequest::new(HookContext::new("session-1", "lead"), PreToolUse::new(tool, json!({})));
    /// assert!(stack.clone().oneshot(call("test")).await?.goes_ahead());
    /// assert!(!stack.oneshot(call("deploy")).await?.goes_ahead());
    /// # Ok(())
    /// # }
    /// ```
    pub fn layer(self) -> CallLimitsLayer {
        ReserveLayer::new(Arc::new(self))
    }
}

impl Reserve<PreToolUse> for CallLimits {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reserve(
        &self,
        request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        let (context, event) = (request.context(), request.event());
        let tool = folded(&event.tool_name);
        let agent = folded(&context.agent_name);
        let mine: Vec<_> = (0..self.limits.len())
            .filter(|index| self.limits.get(*index).is_some_and(|limit| limit.is_for(&tool, &agent)))
            .collect();
        if mine.is_empty() {
            return HookFuture::now(Ok(Reservation::NotNeeded));
        }
        let (limits, store) = (Arc::clone(&self.limits), self.store.for_context(context));
        let is_of_tree =
            |index: &usize| limits.get(*index).is_some_and(|limit| limit.level == CallLevel::Tree);
        if !mine.iter().any(is_of_tree) {
            return place(limits, mine, store, request, &context.session_id).take();
        }
        let request = request.clone();
        HookFuture::later(async move {
            let root = Lineage::resolve(&*store, request.context()).await.map_err(HookError::other)?.root;
            place(limits, mine, store, &request, &root).take().await
        })
    }
}

/// Creates the place of a call in the limits with the indices `mine`, in the tree of `root`.
fn place(
    limits: Arc<[CallLimit]>,
    mine: Vec<usize>,
    store: Arc<dyn StateStore>,
    request: &HookRequest<PreToolUse>,
    root: &str,
) -> LimitPlace {
    let (context, event) = (request.context(), request.event());
    let (agent, tool) = (folded(&context.agent_name), folded(&event.tool_name));
    let scope = |index: &usize| Some(limits.get(*index)?.scope(context, &agent, root));
    let scopes: Arc<[Scope]> = mine.iter().filter_map(scope).collect();
    let call = event.tool_use_id.as_ref().or(context.call_id.as_ref());
    let session = Key::new(context.tenant.as_deref(), &[NAME, &context.session_id, &agent, &tool]);
    let id = place_id(session.as_str(), call.map(String::as_str), &event.tool_args.to_string(), context);
    let tool = event.tool_name.clone();
    LimitPlace::new(id, scopes, store, context, move |no_place| match no_place {
        NoPlace::Refused { scope, used, .. } => match mine.get(scope).and_then(|index| limits.get(*index)) {
            Some(limit) => limit.refusal(&tool, used),
            None => too_often(&tool),
        },
        NoPlace::TooOften => too_often(&tool),
    })
}

impl fmt::Debug for CallLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallLimits").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl CallLimit {
    fn compile(index: usize, config: &CallLimitConfig, errors: &mut PolicyErrors) -> Self {
        let field = format!("limits.calls[{index}]");
        for (list, names) in [("tools", &config.tools), ("agents", &config.agents)] {
            for (at, name) in names.iter().enumerate() {
                let star = name.find('*').is_some_and(|star| list == "agents" || star + 1 < name.len());
                if name.trim().is_empty() || star {
                    let hint = "write a name; that of a tool may end in one `*`";
                    errors.push(format!("{field}.{list}[{at}]"), format!("`{name}` is not a name"), hint);
                }
            }
        }
        if config.most > MAX_AMOUNT {
            let hint = format!("write at most {MAX_AMOUNT}");
            errors.push(format!("{field}.most"), "more calls than can be counted", hint);
        }
        let (tools, agents) = (all_folded(&config.tools), all_folded(&config.agents));
        // Encoded as JSON, so that two names cannot be mistaken for one name with a comma.
        let id = [&tools, &agents].map(|names| serde_json::Value::from(names.as_slice()).to_string());
        let tools =
            tools.into_iter().chain(all_folded(&config.spellings)).map(|name| match name.strip_suffix('*') {
                Some(beginning) => ToolName::Beginning(beginning.to_owned()),
                None => ToolName::Whole(name),
            });
        Self {
            index,
            tools: tools.collect(),
            agents,
            most: config.most,
            level: config.of,
            window: config.per,
            id,
        }
    }

    fn is_for(&self, tool: &str, agent: &str) -> bool {
        let is_it = |name: &ToolName| match name {
            ToolName::Whole(name) => tool == name,
            ToolName::Beginning(beginning) => tool.starts_with(&**beginning),
        };
        (self.tools.is_empty() || self.tools.iter().any(is_it))
            && (self.agents.is_empty() || self.agents.iter().any(|name| name == agent))
    }

    fn scope(&self, context: &HookContext, agent: &str, root: &str) -> Scope {
        let [tools, agents] = &self.id;
        let mut parts = match self.level {
            CallLevel::Team => vec![NAME, "team", tools, agents],
            CallLevel::Agent => vec![NAME, "agent", tools, agents, agent],
            CallLevel::Session => vec![NAME, "session", tools, agents, &context.session_id],
            CallLevel::Tree => vec![NAME, "tree", tools, agents, root],
        };
        if self.window == LimitWindow::Session && matches!(self.level, CallLevel::Team | CallLevel::Agent) {
            parts.push(&context.session_id);
        }
        Scope::spent(Key::new(context.tenant.as_deref(), &parts), self.most).per(self.window.window())
    }

    fn refusal(&self, tool: &str, used: u64) -> Reason {
        let whose = match self.level {
            CallLevel::Team => "by the team",
            CallLevel::Agent => "by this agent",
            CallLevel::Session => "by all agents",
            CallLevel::Tree => "by all agents and those below them",
        };
        let when = self.window.in_words();
        let message = match self.most {
            0 => format!("`{tool}` may not be called {whose}{when}"),
            most => format!("`{tool}` and its like were called {used} of {most} times {whose}{when}"),
        };
        let reason = Reason::new(NAME, "calls", message)
            .because(Evidence::Count { used, limit: self.most })
            .unless(format!("raise `limits.calls[{}].most`", self.index));
        self.window.advise(reason)
    }
}

fn too_often(tool: &str) -> Reason {
    let message = format!("this call of `{tool}` was requested and cancelled too often");
    Reason::new(NAME, "call", message).unless("give each call an id of its own")
}
