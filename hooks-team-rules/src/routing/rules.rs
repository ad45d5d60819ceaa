//! Rules about routes: a policy that judges the final target, and a transform that changes it before.

use std::sync::Arc;

use hooks_core::event::{PreToolUse, Priority, Route};
use hooks_core::{
    HookContext, HookError, HookRequest, Policy, PolicyErrors, PolicyLayer, Reason, Transform, Verdict,
};
use hooks_facts::names;
use hooks_team::TeamPlace;
use serde_json::Value;

use super::NAME;
use super::config::{RouteAction, RouteAgentConfig, RoutesConfig};
use super::rule::Rule;
use super::tool_call::{ToolRoute, is_route_tool};
use crate::agents::{ByAgent, is_same};
use crate::boundaries::Others;

/// Rules about the tasks that an agent may route to another one; see the [module](super) for examples.
///
/// As a transform, gives a task to another agent, as the rules require. As a policy, judges the final target. Both for the event
/// `route`, and for calls of the tool `squad_route`.
#[derive(Clone, Debug)]
pub struct RouteRules(Arc<Rules>);

/// Rules in front of an inner hook.
pub type RouteRulesLayer = PolicyLayer<RouteRules>;

#[derive(Debug)]
struct Rules {
    rules: Vec<Rule>,
    agents: ByAgent<AgentLimits>,
    team: Option<TeamPlace>,
    most: Option<usize>,
    urgent: Option<Priority>,
    others: Others,
}

#[derive(Clone, Debug)]
struct AgentLimits {
    capabilities: Vec<String>,
    most: Option<usize>,
    instead: Vec<String>,
}

/// Reason to deny a task for its target, and the agents that may get it.
pub(super) struct Objection<'a> {
    pub(super) reason: Reason,
    pub(super) instead: &'a [String],
}

/// A task on its way from an agent.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) context: &'a HookContext,
    pub(super) route: &'a Route,
}

impl RouteRules {
    /// Creates the rules of `config`.
    ///
    /// # Errors
    /// Returns all errors of the configuration.
    ///
    /// ```
    /// use hooks_team_rules::RouteRules;
    /// use hooks_team_rules::routing::RoutesConfig;
    ///
    /// let config = RoutesConfig { most: Some(0), ..RoutesConfig::default() };
    /// let errors = RouteRules::new(&config).expect_err("no agent could get a task");
    /// assert_eq!(errors.as_slice()[0].field, "routes.most");
    /// ```
    pub fn new(config: &RoutesConfig) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let rules = Self::compile(config, None, &mut errors);
        errors.or(rules)
    }

    /// Creates the rules of `config`. With a `team`, the capabilities in its charters count too. Mistakes are reported; the
    /// rules must not be used then.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::event::Route;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::{HookContext, HookRequest, Policy, PolicyErrors, Strength};
    /// use hooks_team::TeamPlace;
    /// use hooks_team_rules::RouteRules;
    /// use hooks_team_rules::routing::RoutesConfig;
    /// use serde_json::json;
    ///
    /// let charter = "---\ncapabilities: [sql]\n---\n# Ada\n";
    /// let disk = FakeDisk::default().with_file("/repo/.squad/agents/ada/charter.md", charter);
    /// let config: RoutesConfig =
    ///     serde_json::from_value(json!({"rules": [{"name": "databases", "requires": ["SQL"]}]}))?;
    /// let mut errors = PolicyErrors::default();
    /// let place = TeamPlace::below(Arc::new(disk), ".squad");
    /// let rules = RouteRules::compile(&config, Some(place), &mut errors);
    /// assert!(errors.is_empty());
    ///
    /// let strength = |agent: &str| {
    ///     let context = HookContext::new("session-1", "lead").in_dir("/repo");
    ///     rules.judge(&HookRequest::new(context, Route::new(agent, "write the migration"))).strength()
    /// };
    /// assert_eq!(strength("Ada"), Strength::NoOpinion);
    /// assert_eq!(strength("bob"), Strength::Deny);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn compile(config: &RoutesConfig, team: Option<TeamPlace>, errors: &mut PolicyErrors) -> Self {
        let mut seen = Vec::new();
        for (index, rule) in config.rules.iter().enumerate() {
            if seen.contains(&&rule.name) {
                let problem = format!("`{}` is the name of an earlier rule", rule.name);
                errors.push(
                    format!("routes.rules[{index}].name"),
                    problem,
                    "give each rule a name of its own",
                );
            }
            seen.push(&rule.name);
        }
        let rules = config.rules.iter().enumerate();
        let rules = rules
            .map(|(index, rule)| Rule::compile(&format!("routes.rules[{index}]"), rule, errors))
            .collect();
        let agents = ByAgent::compile(&config.agents, "routes.agents", errors, AgentLimits::compile);
        if config.most == Some(0) {
            errors.push("routes.most", "no agent could get a task", "write a number from 1, or leave it out");
        }
        Self(Arc::new(Rules {
            rules,
            agents,
            team,
            most: config.most,
            urgent: config.urgent,
            others: config.others,
        }))
    }

    /// Wraps the rules in a layer.
    pub fn layer(self) -> RouteRulesLayer {
        PolicyLayer::new(self)
    }

    /// Returns whether open tasks are limited.
    pub(super) fn limits_load(&self, target: &str) -> bool {
        self.0.most_of(target).is_some()
    }

    /// Returns the first reason to deny the task for `target`, if there is one.
    pub(super) fn objection(&self, task: Task<'_>, target: &str) -> Option<Objection<'_>> {
        let (rules, from) = (&*self.0, task.context.agent_name.as_str());
        let mut is_allowed = rules.others == Others::Allow;
        // Read once, and only if a rule asks for them.
        let mut known: Option<Vec<String>> = None;
        for rule in rules.rules.iter().filter(|rule| rule.is_about(from, target, task.route)) {
            let lacks = match rule.requires_something() {
                true => {
                    let has = known.get_or_insert_with(|| rules.capabilities(task.context, target));
                    rule.lacks(|needed| has.iter().any(|one| one == needed))
                }
                false => None,
            };
            match rule.action {
                RouteAction::Allow => is_allowed |= lacks.is_none(),
                RouteAction::Deny if lacks.is_some() || !rule.requires_something() => {
                    return Some(Objection {
                        reason: rule.denial(from, target, lacks),
                        instead: &rule.instead,
                    });
                }
                RouteAction::Deny => {}
            }
        }
        (!is_allowed).then(|| {
            let message = format!("no rule allows `{from}` to route this task to `{target}`");
            let reason =
                Reason::new(NAME, "others", message).instead("choose another agent, or do it yourself");
            Objection {
                reason: reason.unless("add a rule with `action: allow` to `routes.rules`"),
                instead: &[],
            }
        })
    }

    /// Returns the reason to deny the task for `target` because it has as many open tasks as it may.
    pub(super) fn overload(&self, task: Task<'_>, target: &str, open: &[String]) -> Option<Objection<'_>> {
        let rules = &*self.0;
        let most = rules.most_of(target)?;
        let count = open.iter().filter(|agent| is_same(agent, target)).count();
        let is_urgent = rules.urgent.is_some_and(|urgent| task.route.priority >= urgent);
        if count < most || is_urgent {
            return None;
        }
        let message = format!("`{target}` has {count} of {most} open tasks");
        let reason =
            Reason::new(NAME, "load", message).instead("wait until one is done, or choose another agent");
        let reason =
            reason.unless(format!("raise `most` of `{target}` in `routes.agents`, or `routes.most`"));
        let instead = rules.agents.get(target).map_or(&[][..], |agent| &agent.instead);
        Some(Objection { reason, instead })
    }

    /// Returns the first agent that gets the task in place of its target, if the rules object to that one.
    fn replacement(&self, task: Task<'_>) -> Option<String> {
        let target = &task.route.target_agent;
        let objection = self.objection(task, target)?;
        let mut instead = objection.instead.iter();
        instead.find(|other| !is_same(other, target) && self.objection(task, other).is_none()).cloned()
    }

    fn verdict(&self, task: Task<'_>) -> Verdict {
        let objection = self.objection(task, &task.route.target_agent);
        objection.map_or(Verdict::NO_OPINION, |objection| Verdict::deny(objection.reason))
    }
}

impl Rules {
    fn most_of(&self, target: &str) -> Option<usize> {
        self.agents.get(target).and_then(|agent| agent.most).or(self.most)
    }

    /// Returns the capabilities of an agent in the compared form: those of the configuration, of its charter and of its
    /// role. What cannot be read gives none.
    fn capabilities(&self, context: &HookContext, agent: &str) -> Vec<String> {
        let mut all = self.agents.get(agent).map(|agent| agent.capabilities.clone()).unwrap_or_default();
        let team = self.team.as_ref().and_then(|team| team.team(context));
        let Some(team) = team else { return all };
        let mut add = |text: &str| all.push(names::folded(text).into_owned());
        if let Ok(charter) = team.charter(agent) {
            charter.expertise().iter().for_each(|one| add(one));
            let listed = charter.document().front_matter().map(|matter| matter.list("capabilities"));
            listed.unwrap_or_default().iter().for_each(|one| add(one));
        }
        if let Some(member) = team.roster().ok().and_then(|roster| roster.member(agent).cloned()) {
            add(&member.role);
        }
        all
    }
}

impl AgentLimits {
    fn compile(field: &str, config: &RouteAgentConfig, errors: &mut PolicyErrors) -> Self {
        for (list, names) in [("capabilities", &config.capabilities), ("instead", &config.instead)] {
            for (index, _) in names.iter().enumerate().filter(|(_, name)| name.trim().is_empty()) {
                errors.push(
                    format!("{field}.{list}[{index}]"),
                    "it is empty",
                    "write a name, or leave it out",
                );
            }
        }
        if config.most.is_none() && !config.instead.is_empty() {
            errors.push(
                format!("{field}.instead"),
                "without `most`, the agent gets every task",
                "write `most`",
            );
        }
        Self {
            capabilities: names::all_folded(&config.capabilities),
            most: config.most,
            instead: config.instead.clone(),
        }
    }
}

impl Policy<Route> for RouteRules {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<Route>) -> Verdict {
        self.verdict(Task { context: request.context(), route: request.event() })
    }
}

impl Transform<Route> for RouteRules {
    fn name(&self) -> &'static str {
        NAME
    }

    fn transform(&self, request: &HookRequest<Route>) -> Result<Option<String>, HookError> {
        Ok(self.replacement(Task { context: request.context(), route: request.event() }))
    }
}

impl Policy<PreToolUse> for RouteRules {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let event = request.event();
        if !is_route_tool(&event.tool_name) {
            return Verdict::NO_OPINION;
        }
        match ToolRoute::read(&event.tool_args) {
            Ok(call) => self.verdict(Task { context: request.context(), route: &call.route }),
            Err(problem) => {
                let reason = Reason::new(NAME, "unknown-target", problem);
                Verdict::deny(reason.instead("name the agent in `targetAgent`, and write the task as a text"))
            }
        }
    }
}

impl Transform<PreToolUse> for RouteRules {
    fn name(&self) -> &'static str {
        NAME
    }

    fn transform(&self, request: &HookRequest<PreToolUse>) -> Result<Option<Value>, HookError> {
        let event = request.event();
        if !is_route_tool(&event.tool_name) {
            return Ok(None);
        }
        // Arguments that cannot be read are denied by the policy.
        let Ok(call) = ToolRoute::read(&event.tool_args) else { return Ok(None) };
        let other = self.replacement(Task { context: request.context(), route: &call.route });
        Ok(other.map(|other| call.with_target(&event.tool_args, &other)))
    }
}
