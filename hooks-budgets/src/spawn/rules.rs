//! Rules for children that need no counting: agents, models and required fields.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hooks_core::event::{PreToolUse, SpawnRewrite, SubagentStart};
use hooks_core::{HookContext, HookError, HookRequest, Policy, PolicyErrors, Reason, Transform, Verdict};
use hooks_facts::calls::CallReader;
use serde_json::Value;

use super::child_request::{ChildRequest, RequestedBy};
use super::config::{ModelRuleConfig, SpawnConfig, SpawnRequirement};
use super::names::Names;
use super::variants::Variants;

const NAME: &str = "spawn-rules";

/// Judges children before they are counted: unknown agents and models, missing fields, models that a rule
/// does not allow. As a transform, replaces models as the rules require, and assigns variants to children.
///
/// ```
/// use hooks_budgets::{SpawnConfig, SpawnRequirement, SpawnRules};
/// use hooks_core::event::{PreToolUse, SubagentStart};
/// use hooks_core::{HookContext, HookRequest, Policy, Strength};
/// use hooks_facts::calls::CallReader;
/// use serde_json::json;
///
/// let config = SpawnConfig {
///     agents: Some(vec!["backend".into(), "test*".into()]),
///     require: vec![SpawnRequirement::Task],
///     ..SpawnConfig::default()
/// };
/// let rules = SpawnRules::new(&config, &CallReader::default())?;
/// let context = HookContext::new("session-1", "lead");
/// let start = HookRequest::new(context.clone(), SubagentStart::new("Tester", "the API"));
/// assert_eq!(rules.judge(&start).strength(), Strength::NoOpinion);
/// // The same rules for a call of a tool that starts agents: both objections are reported.
/// let call = PreToolUse::new("Task", json!({"subagent_type": "poet", "prompt": " "}));
/// let denied = rules.judge(&HookRequest::new(context, call));
/// let messages: Vec<_> = denied.reasons().iter().map(|reason| &*reason.message).collect();
/// assert_eq!(
///     messages,
///     ["`poet` is not in the list of agents that may be started", "the task of `poet` is missing"],
/// );
/// # Ok::<(), hooks_core::PolicyErrors>(())
/// ```
///
/// Customised: each child names its model, one of those that are known:
///
/// ```
/// use hooks_budgets::{SpawnConfig, SpawnRequirement, SpawnRules};
/// use hooks_core::event::SubagentStart;
/// use hooks_core::{HookContext, HookRequest, Policy};
/// use hooks_facts::calls::CallReader;
///
/// let config = SpawnConfig {
///     known_models: Some(vec!["small".into(), "large".into()]),
///     require: vec![SpawnRequirement::Model],
///     ..SpawnConfig::default()
/// };
/// let rules = SpawnRules::new(&config, &CallReader::default())?;
/// let objection = |model: Option<&str>| {
///     let mut child = SubagentStart::new("tester", "the API");
///     child.model = model.map(Into::into);
///     let verdict = rules.judge(&HookRequest::new(HookContext::new("session-1", "lead"), child));
///     verdict.reasons().first().map(|reason| reason.message.to_string())
/// };
/// assert_eq!(objection(Some("small")), None);
/// assert_eq!(objection(Some("huge")).as_deref(), Some("there is no model `huge`"));
/// assert_eq!(objection(None).as_deref(), Some("the model of `tester` is missing"));
/// # Ok::<(), hooks_core::PolicyErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct SpawnRules(Arc<Rules>);

#[derive(Debug)]
struct Rules {
    agents: Option<Names>,
    require: Vec<SpawnRequirement>,
    known_models: Option<Names>,
    models: Vec<ModelRule>,
    variants: Variants,
    reader: CallReader,
}

#[derive(Debug)]
struct ModelRule {
    name: String,
    agents: Names,
    task_types: Names,
    allowed: Names,
    replace_by: Option<String>,
    in_words: String,
}

impl SpawnRules {
    /// Creates the rules of `config`, for the tools that `reader` knows.
    ///
    /// # Errors
    /// Returns all errors of the configuration.
    ///
    /// ```
    /// use hooks_budgets::{ModelRuleConfig, SpawnConfig, SpawnRules};
    /// use hooks_facts::calls::CallReader;
    ///
    /// let rule = ModelRuleConfig { name: "cheap".into(), tiers: vec!["cheap".into()], ..ModelRuleConfig::default() };
    /// let config = SpawnConfig { models: vec![rule], ..SpawnConfig::default() };
    /// let errors = SpawnRules::new(&config, &CallReader::default()).expect_err("no tier is defined");
    /// assert_eq!(
    ///     errors.to_string(),
    ///     "`spawn.models[0].tiers[0]`: there is no tier `cheap`; \
    ///      list its models in `spawn.tiers`, or give them their tier in `models.catalog`",
    /// );
    /// ```
    pub fn new(config: &SpawnConfig, reader: &CallReader) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let rules = Self::compile(config, reader, &mut errors);
        errors.or(rules)
    }

    pub(crate) fn compile(config: &SpawnConfig, reader: &CallReader, errors: &mut PolicyErrors) -> Self {
        let mut names = |names: &Option<Vec<String>>, field| {
            names.as_ref().map(|names| Names::compile(names, field, errors))
        };
        let agents = names(&config.agents, "spawn.agents");
        let known_models = names(&config.known_models, "spawn.known_models");
        for (tier, models) in &config.tiers {
            Names::compile(models, &format!("spawn.tiers.{tier}"), errors);
        }
        let models = config.models.iter().enumerate();
        let models = models.map(|(index, rule)| ModelRule::compile(rule, index, &config.tiers, errors));
        let models = models.collect();
        if let Some(known) = &known_models {
            report_unknown(config, known, errors);
        }
        Self(Arc::new(Rules {
            agents,
            require: config.require.clone(),
            known_models,
            models,
            variants: Variants::compile(&config.variants, errors),
            reader: reader.clone(),
        }))
    }

    pub(super) fn variants(&self) -> &Variants {
        &self.0.variants
    }

    /// Returns the model by which the rules replace the requested one.
    fn replacement(&self, child: &ChildRequest) -> Option<String> {
        let mut model = child.model.clone();
        for rule in self.0.models.iter().filter(|rule| rule.covers(child)) {
            if let (false, Some(by)) = (rule.allows(model.as_deref()), &rule.replace_by) {
                model = Some(by.clone());
            }
        }
        model.filter(|model| Some(model) != child.model.as_ref())
    }

    fn verdict(&self, child: &ChildRequest, context: &HookContext) -> Verdict {
        let mut verdict = Verdict::NO_OPINION;
        self.0.object(child, context, &mut |reason| verdict.merge(Verdict::deny(reason)));
        verdict
    }
}

impl Rules {
    fn object(&self, child: &ChildRequest, context: &HookContext, deny: &mut dyn FnMut(Reason)) {
        if child.is_unusable {
            let message = "the call starts several agents at once, or does not name them";
            deny(Reason::new(NAME, "unusable", message).instead("start one agent with one call"));
        }
        if let Some(agents) = &self.agents
            && !agents.has(&child.agent)
        {
            let message = format!("`{}` is not in the list of agents that may be started", child.named());
            let reason =
                Reason::new(NAME, "agent", message).instead("start one of the agents that may be started");
            deny(reason.unless("add it to `spawn.agents`"));
        }
        if let (Some(known), Some(model)) = (&self.known_models, &child.model)
            && !known.has(model)
        {
            let message = format!("there is no model `{model}`");
            deny(Reason::new(NAME, "model", message).on("/model").instead("name one that is known"));
        }
        for requirement in &self.require {
            if let Some((field, message)) = missing(*requirement, child, context) {
                let reason = Reason::new(NAME, "require", message).on(format!("/{field}"));
                deny(reason.instead("say it").unless("take it out of `spawn.require`"));
            }
        }
        for rule in self.models.iter().filter(|rule| rule.covers(child)) {
            if !rule.allows(child.model.as_deref()) {
                deny(rule.refusal(child));
            }
        }
    }
}

impl ModelRule {
    fn compile(
        rule: &ModelRuleConfig,
        index: usize,
        tiers: &BTreeMap<String, Vec<String>>,
        errors: &mut PolicyErrors,
    ) -> Self {
        let field = |name: &str| format!("spawn.models[{index}].{name}");
        if rule.name.trim().is_empty() {
            errors.push(field("name"), "the rule has no name", "give it one: reasons call it by it");
        }
        let mut all = rule.allow.clone();
        for (at, tier) in rule.tiers.iter().enumerate() {
            match tiers.get(tier) {
                Some(models) => all.extend(models.iter().cloned()),
                None => errors.push(
                    format!("{}[{at}]", field("tiers")),
                    format!("there is no tier `{tier}`"),
                    "list its models in `spawn.tiers`, or give them their tier in `models.catalog`",
                ),
            }
        }
        if rule.allow.is_empty() && rule.tiers.is_empty() {
            errors.push(field("allow"), "no model is allowed", "name models in `allow`, or `tiers`");
        }
        let allowed = Names::compile(&all, &field("allow"), errors);
        if let Some(by) = &rule.replace_by
            && !allowed.has(by)
        {
            let problem = format!("`{by}` is not allowed itself");
            errors.push(field("replace_by"), problem, "name a model that the rule allows");
        }
        Self {
            name: rule.name.clone(),
            agents: Names::compile(&rule.agents, &field("agents"), errors),
            task_types: Names::compile(&rule.task_types, &field("task_types"), errors),
            allowed,
            replace_by: rule.replace_by.clone(),
            in_words: all.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        }
    }

    /// Returns whether a child falls under the rule. A child of unknown kind may be of any kind (law 4).
    fn covers(&self, child: &ChildRequest) -> bool {
        let is_of_kind = child.task_type.is_none() || self.task_types.covers(child.task_type.as_deref());
        // A rule with only kinds applies to children that report theirs: otherwise every child would have to
        // report it.
        let is_said = child.task_type.is_some() || self.task_types.is_empty() || !self.agents.is_empty();
        is_of_kind && is_said && (child.agent.is_empty() || self.agents.covers(Some(&child.agent)))
    }

    fn allows(&self, model: Option<&str>) -> bool {
        model.is_some_and(|model| self.allowed.has(model))
    }

    fn refusal(&self, child: &ChildRequest) -> Reason {
        let message = match &child.model {
            Some(model) => format!("`{}` may not use the model `{model}`", child.named()),
            None => format!("`{}` needs a certain model, and none is named", child.named()),
        };
        let reason = Reason::new(NAME, self.name.clone(), message).on("/model");
        reason.instead(format!("use one of {}", self.in_words))
    }
}

impl Policy<SubagentStart> for SpawnRules {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<SubagentStart>) -> Verdict {
        self.verdict(&ChildRequest::of_start(request), request.context())
    }
}

impl Policy<PreToolUse> for SpawnRules {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        match ChildRequest::of_call(request, &self.0.reader) {
            Some(child) => self.verdict(&child, request.context()),
            None => Verdict::NO_OPINION,
        }
    }
}

impl Transform<SubagentStart> for SpawnRules {
    fn name(&self) -> &'static str {
        NAME
    }

    fn transform(&self, request: &HookRequest<SubagentStart>) -> Result<Option<SpawnRewrite>, HookError> {
        let mut child = ChildRequest::of_start(request);
        let mut rewrite = SpawnRewrite::default();
        if let Some(variant) = self.0.variants.variant_for(&child, &request.context().session_id) {
            rewrite.model.clone_from(&variant.model);
            let before = |instructions: &String| format!("{instructions}\n\n{}", child.task);
            rewrite.task = variant.instructions.as_ref().map(before);
        }
        if let Some(model) = &rewrite.model {
            child.model = Some(model.clone());
        }
        // A trial does not override a rule.
        if let Some(model) = self.replacement(&child) {
            rewrite.model = Some(model);
        }
        Ok((rewrite != SpawnRewrite::default()).then_some(rewrite))
    }
}

/// Replaces a model that the call names. If the call names none, it cannot be added, because the name of the
/// argument is unknown.
impl Transform<PreToolUse> for SpawnRules {
    fn name(&self) -> &'static str {
        NAME
    }

    fn transform(&self, request: &HookRequest<PreToolUse>) -> Result<Option<Value>, HookError> {
        let Some(child) = ChildRequest::of_call(request, &self.0.reader) else { return Ok(None) };
        let Some(model) = self.replacement(&child) else { return Ok(None) };
        let mut arguments = request.event().tool_args.clone();
        match arguments.get_mut("model") {
            Some(named @ Value::String(_)) => {
                *named = model.into();
                Ok(Some(arguments))
            }
            _ => Ok(None),
        }
    }
}

/// Reports the models that the configuration assigns to children but does not list as known.
fn report_unknown(config: &SpawnConfig, known: &Names, errors: &mut PolicyErrors) {
    let replaced = config.models.iter().enumerate();
    let replaced = replaced.map(|(at, rule)| (format!("spawn.models[{at}].replace_by"), &rule.replace_by));
    let tried = config.variants.iter().enumerate().flat_map(|(at, trial)| {
        let split = trial.split.iter().enumerate();
        split.map(move |(of, one)| (format!("spawn.variants[{at}].split[{of}].model"), &one.model))
    });
    for (field, model) in replaced.chain(tried) {
        if let Some(model) = model.as_ref().filter(|model| !known.has(model)) {
            errors.push(field, format!("there is no model `{model}`"), "name one that is known");
        }
    }
}

/// Returns the missing field, and advice how to provide it.
fn missing(
    requirement: SpawnRequirement,
    child: &ChildRequest,
    context: &HookContext,
) -> Option<(&'static str, String)> {
    let agent = child.named();
    match requirement {
        SpawnRequirement::Charter if child.by == RequestedBy::Tool => None,
        SpawnRequirement::Charter => match &child.charter {
            None => Some(("charter_path", format!("`{agent}` has no charter"))),
            Some(path) if !is_there(path, context) => {
                Some(("charter_path", format!("the charter `{path}` of `{agent}` is not there")))
            }
            Some(_) => None,
        },
        SpawnRequirement::Model if child.model.is_none() => {
            Some(("model", format!("the model of `{agent}` is missing")))
        }
        SpawnRequirement::TaskType if child.task_type.is_none() => {
            Some(("task_type", format!("the task type of `{agent}` is missing")))
        }
        SpawnRequirement::Task if child.task.trim().is_empty() => {
            Some(("task", format!("the task of `{agent}` is missing")))
        }
        _ => None,
    }
}

/// Returns whether a file exists at `path`. One that cannot be read counts as missing (law 4).
fn is_there(path: &str, context: &HookContext) -> bool {
    let path = context.root().join(Path::new(path));
    matches!(context.environment.files.entry(&path), Ok(Some(_)))
}
