//! Models that sessions and children begin with, by agent.
//!
//! | named by | for a session | for a child |
//! | --- | --- | --- |
//! | `agents` | replaces its model | replaces its model |
//! | the agent's charter (`Preferred`), if `charters` is on | replaces its model | is used if the child names no model |
//! | `default` | replaces its model | is used if the child names no model |
//!
//! The first row that names a model counts. The layer never denies: a charter that cannot be read chooses no model, and
//! the failure sink has the reason.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::TeamPlace;
//! use hooks_context::model_choice::{ModelChoiceConfig, ModelChoices};
//! use hooks_context::source::Here;
//! use hooks_core::event::{SessionStart, SubagentStart};
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::{HookContext, Hooks};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config: ModelChoiceConfig = serde_json::from_value(serde_json::json!({
//!     "default": "small", "agents": {"lead": "large"}, "charters": true,
//! }))?;
//! let charter = "# Tester\n\n## Model\n\n- **Preferred:** medium\n";
//! let disk = Arc::new(FakeDisk::default().with_file("/repo/.squad/agents/tester/charter.md", charter));
//! let choices = ModelChoices::new(config, TeamPlace::below(disk, ".squad"), Here);
//! let hooks = choices.add_to(Hooks::builder()).build();
//!
//! let context = |agent: &str| HookContext::new("session-1", agent).in_dir("/repo");
//! let begun = hooks.on(context("lead")).session_start(SessionStart::default()).await;
//! assert_eq!(begun.model.as_deref(), Some("large"));
//!
//! for (child, model) in [("tester", "medium"), ("scribe", "small")] {
//!     let start = hooks.on(context("lead")).subagent_start(SubagentStart::new(child, "test it")).await;
//!     assert_eq!(start.request.event().model.as_deref(), Some(model));
//! }
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::beside::{Beside, BesideLayer, offload};
use hooks_core::event::{SessionStart, SpawnRewrite, SubagentStart};
use hooks_core::{
    ContextPatch, DecideLayer, DeciderOutcome, Event, FailureLayer, HookContext, HookError, HookFuture,
    HookRequest, HooksBuilder, Reason, Settle, Stage, Verdict,
};
use hooks_team::TeamError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tower_layer::Layer;
use tower_service::Service;

use crate::TeamPlace;
use crate::source::Workers;

/// Name of the hooks.
const NAME: &str = "model_choice";

/// Models that sessions and children begin with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModelChoiceConfig {
    /// Model of agents that no other option names.
    pub default: Option<String>,
    /// Models of agents, by name.
    pub agents: BTreeMap<String, String>,
    /// Whether an agent gets the model that its charter prefers; `auto` prefers none.
    pub charters: bool,
}

/// Chooses the models of sessions and children. Cheap to clone.
#[derive(Clone)]
pub struct ModelChoices {
    config: Arc<ModelChoiceConfig>,
    team: TeamPlace,
    workers: Arc<dyn Workers>,
}

/// A model, and whether it replaces another one that a child names.
struct Choice {
    model: String,
    replaces: bool,
}

impl ModelChoices {
    /// Chooses by `config`; `workers` read the charters of `team`.
    pub fn new(
        config: ModelChoiceConfig,
        team: impl Into<TeamPlace>,
        workers: impl Workers + 'static,
    ) -> Self {
        Self { config: Arc::new(config), team: team.into(), workers: Arc::new(workers) }
    }

    /// Adds the hooks. A budget with cheaper models has to come after them.
    #[must_use]
    pub fn add_to(&self, builder: HooksBuilder) -> HooksBuilder {
        let guard = FailureLayer::new(NAME).opened();
        builder
            .hook::<SessionStart, _>(&guard, BesideLayer::new(self.clone()).layer(Settle))
            .stack::<SubagentStart, _>(&guard, DecideLayer::new(self.clone()).layer(Settle))
    }

    /// Chooses a model for `agent`.
    fn choose<E: Event>(&self, request: &HookRequest<E>, agent: &str) -> HookFuture<'static, Option<Choice>> {
        let named = self.config.agents.iter().find(|(name, _)| name.eq_ignore_ascii_case(agent));
        if let Some((_, model)) = named {
            return HookFuture::now(Some(Choice { model: model.clone(), replaces: true }));
        }
        let default = self.config.default.clone().map(|model| Choice { model, replaces: false });
        if !self.config.charters || agent.is_empty() {
            return HookFuture::now(default);
        }
        let context = Arc::clone(request.context());
        let preferred = offload(&*self.workers, {
            let (team, context, agent) = (self.team.clone(), Arc::clone(&context), agent.to_owned());
            move || Ok(preferred(&team, &context, &agent)?)
        });
        HookFuture::later(async move {
            match preferred.await {
                Ok(Some(model)) => Some(Choice { model, replaces: false }),
                Ok(None) => default,
                Err(error) => {
                    let reason = Reason::failure(NAME, &*error);
                    context.environment.failures.record(&context, E::KIND, &reason);
                    default
                }
            }
        })
    }
}

impl Beside<SessionStart> for ModelChoices {
    type Done = Option<String>;

    fn start(&self, request: &HookRequest<SessionStart>) -> Option<HookFuture<'static, Self::Done>> {
        let choice = self.choose(request, &request.context().agent_name);
        Some(HookFuture::later(async move { Some(choice.await?.model) }))
    }

    fn add(request: &HookRequest<SessionStart>, outcome: &mut ContextPatch, model: Self::Done) {
        let Some(model) = model else { return };
        if outcome.model.is_none() && request.event().model.as_deref() != Some(&*model) {
            outcome.model = Some(model);
        }
    }
}

impl Service<HookRequest<SubagentStart>> for ModelChoices {
    type Response = DeciderOutcome<SubagentStart>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<SubagentStart>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<SubagentStart>) -> Self::Future {
        // The final event must not be changed.
        if request.stage() == Stage::Judge {
            return HookFuture::now(Ok(DeciderOutcome::new(Verdict::NO_OPINION)));
        }
        let (choice, named) =
            (self.choose(&request, &request.event().agent_name), request.event().model.clone());
        HookFuture::later(async move {
            let outcome = DeciderOutcome::new(Verdict::NO_OPINION);
            Ok(match choice.await {
                Some(Choice { model, replaces })
                    if named.as_ref() != Some(&model) && (replaces || named.is_none()) =>
                {
                    outcome.rewriting(SpawnRewrite { model: Some(model), task: None })
                }
                _ => outcome,
            })
        })
    }
}

impl std::fmt::Debug for ModelChoices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelChoices").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Reads the model that the charter of `agent` prefers. This may block on the disk.
fn preferred(team: &TeamPlace, context: &HookContext, agent: &str) -> Result<Option<String>, TeamError> {
    let Some(team) = team.team(context) else { return Ok(None) };
    // A name that cannot be that of a folder has no charter.
    if hooks_team::Name::of_agent(agent).is_err() {
        return Ok(None);
    }
    let model = match team.charter(agent) {
        Ok(charter) => charter.model().preferred,
        Err(TeamError::Missing { .. }) => None,
        Err(error) => return Err(error),
    };
    let model = model.map(|model| model.trim_matches(|c: char| c == '`' || c.is_whitespace()).to_owned());
    Ok(model.filter(|model| !model.is_empty() && !model.eq_ignore_ascii_case("auto")))
}

#[cfg(test)]
mod tests {
    use hooks_core::testing::FakeDisk;
    use hooks_core::{Hooks, Judged};
    use serde_json::json;

    use super::*;
    use crate::source::Here;

    fn hooks(config: serde_json::Value) -> Hooks {
        let charter = |model: &str| format!("# A\n\n## Model\n\n- **Preferred:** {model}\n");
        let disk = FakeDisk::default()
            .with_file("/p/.squad/agents/tester/charter.md", charter("`medium`"))
            .with_file("/p/.squad/agents/lead/charter.md", charter("auto"));
        let team = TeamPlace::below(Arc::new(disk), ".squad");
        let choices = ModelChoices::new(serde_json::from_value(config).unwrap(), team, Here);
        choices.add_to(Hooks::builder()).build()
    }

    fn child(hooks: &Hooks, agent: &str, named: Option<&str>) -> Option<String> {
        let mut start = SubagentStart::new(agent, "x");
        start.model = named.map(str::to_owned);
        let context = HookContext::new("s", "lead").in_dir("/p");
        let decided = futures_util::FutureExt::now_or_never(hooks.on(context).subagent_start(start)).unwrap();
        assert!(decided.outcome.goes_ahead());
        decided.request.event().model.clone()
    }

    fn session(hooks: &Hooks, agent: &str, now: Option<&str>) -> Option<String> {
        let mut start = SessionStart::default();
        start.model = now.map(str::to_owned);
        let context = HookContext::new("s", agent).in_dir("/p");
        futures_util::FutureExt::now_or_never(hooks.on(context).session_start(start)).unwrap().model
    }

    #[test]
    fn the_first_source_that_names_a_model_counts() {
        let hooks = hooks(json!({"default": "small", "agents": {"Ops": "large"}, "charters": true}));
        for (agent, named, model) in [
            ("ops", None, "large"),
            ("ops", Some("tiny"), "large"),
            ("tester", None, "medium"),
            ("tester", Some("tiny"), "tiny"),
            ("lead", None, "small"),
            ("../lead", None, "small"),
            ("nobody", Some("tiny"), "tiny"),
        ] {
            assert_eq!(child(&hooks, agent, named).as_deref(), Some(model), "{agent} {named:?}");
        }
        for (agent, now, model) in [
            ("ops", None, Some("large")),
            ("tester", Some("tiny"), Some("medium")),
            ("tester", Some("medium"), None),
            ("", None, Some("small")),
        ] {
            assert_eq!(session(&hooks, agent, now).as_deref(), model, "{agent} {now:?}");
        }
    }

    #[test]
    fn without_options_no_model_changes() {
        for config in [json!({}), json!({"agents": {"ops": "large"}}), json!({"charters": true})] {
            let hooks = hooks(config);
            assert_eq!((child(&hooks, "lead", None), session(&hooks, "lead", Some("x"))), (None, None));
        }
        assert_eq!(child(&hooks(json!({})), "tester", None), None, "charters are off");
    }
}
