//! The pipeline of a tool call.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{Approval, Call, Outcome, Reply, Rule, Ruled, Session, Tool};
use hooks_command::merge::{HandlerVerdict, Merged};
use hooks_command::{Ask, Engine, HookEvent, Lane, Profile};

/// The inputs of the pipeline.
#[derive(Debug)]
pub(crate) struct Pipeline<'a> {
    /// The hooks of the agent.
    pub(crate) engine: &'a Engine,
    /// Working directory of the hooks.
    pub(crate) folder: &'a Path,
    /// The rules of the team.
    pub(crate) team: &'a Rule,
    /// The tool that is called.
    pub(crate) tool: &'a Tool,
    /// The user's answer to a question; `None` if there is no user.
    pub(crate) reply: Option<&'a Reply>,
}

/// The source of a verdict.
type Source = &'static str;

const SESSION_RULES: Source = "session permissions";
const TEAM_RULES: Source = "permissions configuration";

impl Pipeline<'_> {
    /// Runs a call through the pipeline.
    pub(crate) async fn run(&self, session: &mut Session, call: Call) -> Outcome {
        let mut run = Run {
            pipeline: self,
            session,
            call,
            outcome: Outcome::default(),
            guard: None,
            preempt: None,
            must_ask: false,
        };
        match self.engine.rules().profile {
            Profile::July => run.july().await,
            Profile::September => run.september().await,
        }
        run.outcome.session_allow_after.clone_from(&run.session.rules.allow);
        run.outcome
    }
}

struct Run<'a, 's> {
    pipeline: &'a Pipeline<'a>,
    session: &'s mut Session,
    call: Call,
    outcome: Outcome,
    guard: Option<Merged>,
    preempt: Option<Merged>,
    /// Whether the user has to be asked, even if rules and hooks allow the call.
    must_ask: bool,
}

/// The decision of the rules and the mode.
enum RuleDecision {
    Allow(Source),
    Deny(Source, Source),
    /// A rule requires a question to the user.
    Ask,
    Open,
}

impl Run<'_, '_> {
    async fn july(&mut self) {
        let preempt = self.hooks("pre_tool_use", Lane::Preempt, Map::new()).await;
        let verdict = preempt.decision;
        let reason = preempt.decision_reason.clone();
        self.preempt = Some(preempt);
        // Only the verdict is used here: a hook that failed lets the call run.
        match verdict {
            Some(HandlerVerdict::Deny) => {
                return self.reject("pre_tool_use", "pre_tool_use_hook_deny", &reason, false).await;
            }
            Some(HandlerVerdict::Ask) => return self.ask_unless_granted().await,
            _ => {}
        }
        match self.rule_decision() {
            RuleDecision::Allow(source) => return self.run_tool(source).await,
            RuleDecision::Deny(source, rules) => return self.deny_by_rule(source, rules).await,
            RuleDecision::Ask => return self.ask().await,
            RuleDecision::Open => {}
        }
        let merged = self.hooks("pre_tool_use", Lane::Ordinary, Map::new()).await;
        if let Some(arguments) = merged.updated_input.clone() {
            self.call.arguments = arguments;
        }
        if !merged.allowed {
            let message = merged.message.join("\n");
            self.verdict("deny", "pre_tool_use_hook_deny").await;
            self.outcome.hook_blocked = Some(message.clone());
            return self.answer_error(format!("Tool call blocked by hook: {message}")).await;
        }
        match merged.decision {
            Some(HandlerVerdict::Allow) => return self.run_tool("pre_tool_use_hook_allow").await,
            Some(HandlerVerdict::Ask) => return self.ask().await,
            _ => {}
        }
        if self.pipeline.tool.read_only {
            return self.run_tool("readonly_hint").await;
        }
        self.ask().await;
    }

    async fn september(&mut self) {
        let transformed = self.hooks("tool_input_transform", Lane::Ordinary, Map::new()).await;
        if !transformed.allowed {
            let message = transformed.message.join("\n");
            return self.reject("tool_input_transform", "tool_input_transform_deny", &message, true).await;
        }
        if let Some(arguments) = transformed.updated_input {
            self.call.arguments = arguments;
        }
        if self.is_stopped_by_guards().await {
            return;
        }
        if asks(self.guard.as_ref()) {
            self.must_ask = true;
            // A question cannot turn a rule's denial into an approval.
            if let RuleDecision::Deny(source, rules) = self.rule_decision() {
                return self.deny_by_rule(source, rules).await;
            }
            return self.ask().await;
        }
        if asks(self.preempt.as_ref()) {
            return self.ask_unless_granted().await;
        }
        match self.rule_decision() {
            RuleDecision::Allow(source) => return self.run_tool(source).await,
            RuleDecision::Deny(source, rules) => return self.deny_by_rule(source, rules).await,
            RuleDecision::Ask => return self.ask().await,
            RuleDecision::Open => {}
        }
        let merged = self.hooks("pre_tool_use", Lane::Ordinary, Map::new()).await;
        let is_changed =
            merged.updated_input.as_ref().is_some_and(|arguments| *arguments != self.call.arguments);
        if let Some(arguments) = merged.updated_input.clone() {
            self.call.arguments = arguments;
        }
        if !merged.allowed {
            let message = first_said(&merged);
            return self.reject("pre_tool_use", "pre_tool_use_hook_deny", &message, true).await;
        }
        if is_changed && self.is_settled_again(merged.decision == Some(HandlerVerdict::Ask)).await {
            return;
        }
        match merged.decision {
            Some(HandlerVerdict::Allow) => return self.run_tool("pre_tool_use_hook_allow").await,
            Some(HandlerVerdict::Ask) => return self.ask().await,
            _ => {}
        }
        if self.pipeline.tool.read_only {
            return self.run_tool("readonly_hint").await;
        }
        self.ask().await;
    }

    /// Calls the hooks of both lanes that no approval skips. Returns whether one of them denies.
    async fn is_stopped_by_guards(&mut self) -> bool {
        let guard = self.hooks("tool_guard", Lane::Ordinary, Map::new()).await;
        if denies(&guard) {
            let message = first_said(&guard);
            self.reject("tool_guard", "tool_guard_deny", &message, true).await;
            return true;
        }
        self.guard = Some(guard);
        let preempt = self.hooks("pre_tool_use", Lane::Preempt, Map::new()).await;
        if denies(&preempt) {
            let message = first_said(&preempt);
            self.reject("pre_tool_use", "pre_tool_use_hook_deny", &message, true).await;
            return true;
        }
        self.preempt = Some(preempt);
        false
    }

    /// Judges rewritten arguments, which can deny or ask, but never approve. Returns whether that settled the
    /// call.
    async fn is_settled_again(&mut self, hook_asks: bool) -> bool {
        if self.is_stopped_by_guards().await {
            return true;
        }
        let by_rules = self.rule_decision();
        if let RuleDecision::Deny(source, rules) = by_rules {
            self.deny_by_rule(source, rules).await;
            return true;
        }
        let rule_asks = matches!(by_rules, RuleDecision::Ask);
        if hook_asks || rule_asks || asks(self.guard.as_ref()) || asks(self.preempt.as_ref()) {
            self.must_ask = true;
            self.ask().await;
            return true;
        }
        false
    }

    fn rule_decision(&self) -> RuleDecision {
        let layers = [
            (&self.session.rules, SESSION_RULES, "session_permissions_allow", "session_permissions_deny"),
            (self.pipeline.team, TEAM_RULES, "team_permissions_allow", "team_permissions_deny"),
        ];
        for (rules, name, allow, deny) in layers {
            match rules.about(&self.pipeline.tool.name, &self.call.arguments) {
                Some(Ruled::Deny) => return RuleDecision::Deny(deny, name),
                Some(Ruled::Allow) => return RuleDecision::Allow(allow),
                Some(Ruled::Ask) if self.session.yolo => break,
                Some(Ruled::Ask) => return RuleDecision::Ask,
                None => {}
            }
        }
        if self.session.yolo { RuleDecision::Allow("yolo") } else { RuleDecision::Open }
    }

    async fn ask_unless_granted(&mut self) {
        if self.session.rules.grants(&self.pipeline.tool.name, &self.call.arguments) {
            return self.run_tool("session_permissions_allow").await;
        }
        self.ask().await;
    }

    async fn ask(&mut self) {
        let mut metadata = self.pipeline.tool.metadata.clone();
        let preempt_asks = asks(self.preempt.as_ref());
        if !self.must_ask && !preempt_asks {
            let merged = self.hooks("permission_request", Lane::Ordinary, Map::new()).await;
            if !merged.allowed {
                let is_told = self.is_september();
                let message = merged.message.join("\n");
                return self
                    .reject("permission_request", "permission_request_hook_deny", &message, is_told)
                    .await;
            }
            if merged.permission_allowed {
                return self.run_tool("permission_request_hook_allow").await;
            }
            metadata.extend(merged.metadata);
        }
        if self.session.non_interactive {
            self.verdict("deny", "non_interactive_deny").await;
            let name = &self.pipeline.tool.name;
            let text =
                format!("Tool '{name}' requires user confirmation but the session is non-interactive.");
            return self.answer_error(text).await;
        }
        if let Some(source) = self.second_look(preempt_asks) {
            return self.run_tool(source).await;
        }
        self.prompt(metadata).await;
    }

    /// Whether the rules allow the call after all. In the July profile, a read-only tool is allowed as well.
    fn second_look(&self, preempt_asks: bool) -> Option<Source> {
        if self.must_ask {
            return None;
        }
        if preempt_asks {
            let granted = self.session.rules.grants(&self.pipeline.tool.name, &self.call.arguments);
            return granted.then_some("session_permissions_allow");
        }
        match self.rule_decision() {
            RuleDecision::Allow(source) => Some(source),
            RuleDecision::Open if !self.is_september() && self.pipeline.tool.read_only => {
                Some("readonly_hint")
            }
            _ => None,
        }
    }

    async fn prompt(&mut self, mut metadata: Map<String, Value>) {
        if self.is_september() {
            if self.pipeline.tool.destructive {
                metadata.insert("blast_radius".to_owned(), "destructive".into());
            } else if self.pipeline.tool.read_only {
                metadata.insert("blast_radius".to_owned(), "safe".into());
            }
        }
        for merged in [&self.preempt, &self.guard].into_iter().flatten() {
            metadata.extend(merged.metadata.clone());
        }
        self.outcome.prompted = true;
        self.outcome.prompt_arguments = Some(self.call.arguments.clone());
        self.outcome.prompt_metadata = metadata;
        self.event("on_user_input", Lane::Ordinary, json!({"session_id": self.session.id})).await;
        match self.pipeline.reply {
            Some(Reply::Approve) => self.run_tool("user_approved").await,
            Some(Reply::ApproveSession) => {
                self.session.yolo = true;
                let is_september = self.is_september();
                self.run_tool(if is_september {
                    "user_approved_autonomous"
                } else {
                    "user_approved_session"
                })
                .await;
            }
            Some(Reply::ApproveTool(pattern)) => {
                let granted = pattern.clone().unwrap_or_else(|| self.pipeline.tool.name.clone());
                if !self.session.rules.allow.contains(&granted) {
                    self.session.rules.allow.push(granted);
                }
                self.run_tool("user_approved_tool").await;
            }
            Some(Reply::Reject(reason)) => {
                self.verdict("deny", "user_rejected").await;
                let text =
                    with_reason("The user rejected the tool call.", reason.as_deref().unwrap_or_default());
                self.answer_error(text).await;
            }
            None => {}
        }
    }

    async fn run_tool(&mut self, source: Source) {
        self.verdict("allow", source).await;
        self.outcome.tool_ran = true;
        self.outcome.tool_ran_with = Some(self.call.arguments.clone());
        let output = self.transformed(self.pipeline.tool.output.clone(), false).await;
        let mut response = Map::new();
        response.insert("tool_response".to_owned(), output.as_str().into());
        let after = self.hooks("post_tool_use", Lane::Ordinary, response).await;
        if !after.allowed {
            self.outcome.stop_run = true;
            self.outcome.stop_message = after.message.join("\n");
        }
        self.outcome.tool_result = if output.trim().is_empty() { "(no output)".to_owned() } else { output };
    }

    async fn reject(&mut self, event: &str, source: Source, reason: &str, is_told: bool) {
        let text = with_reason(&format!("The tool call was rejected by a {event} hook."), reason);
        self.verdict("deny", source).await;
        if is_told {
            self.outcome.hook_blocked = Some(text.clone());
        }
        self.answer_error(text).await;
    }

    async fn deny_by_rule(&mut self, source: Source, rules: Source) {
        self.verdict("deny", source).await;
        let text = format!("Tool '{}' is denied by {rules}.", self.pipeline.tool.name);
        self.answer_error(text).await;
    }

    async fn answer_error(&mut self, text: String) {
        self.outcome.tool_result = self.transformed(text, true).await;
        self.outcome.tool_result_is_error = true;
    }

    async fn transformed(&mut self, output: String, is_error: bool) -> String {
        let mut response = Map::new();
        response.insert("tool_response".to_owned(), output.as_str().into());
        response.insert("tool_error".to_owned(), is_error.into());
        let merged = self.hooks("tool_response_transform", Lane::Ordinary, response).await;
        merged.updated_tool_response.unwrap_or(output)
    }

    async fn verdict(&mut self, decision: &str, source: Source) {
        self.outcome.approval = Some(Approval { decision: decision.to_owned(), source: source.to_owned() });
        let fields = json!({"approval_decision": decision, "approval_source": source});
        self.hooks(
            "on_tool_approval_decision",
            Lane::Ordinary,
            fields.as_object().cloned().unwrap_or_default(),
        )
        .await;
    }

    /// Calls the hooks of an event for this call.
    async fn hooks(&mut self, event: &str, lane: Lane, fields: Map<String, Value>) -> Merged {
        let mut input = json!({
            "session_id": self.session.id,
            "tool_name": self.pipeline.tool.name,
            "tool_use_id": self.call.id,
            "tool_input": self.call.arguments,
        });
        if let Some(input) = input.as_object_mut() {
            input.extend(fields);
        }
        self.event(event, lane, input).await
    }

    async fn event(&mut self, name: &str, lane: Lane, input: Value) -> Merged {
        let Some(event) = HookEvent::named(name) else { return Merged::nothing() };
        let Pipeline { engine, folder, .. } = self.pipeline;
        if !engine.block().has(event, lane) {
            return Merged::nothing();
        }
        self.outcome.events.push(match lane {
            Lane::Ordinary => name.to_owned(),
            Lane::Preempt => format!("{name}[preempt]"),
        });
        let Value::Object(input) = input else { return Merged::nothing() };
        engine.ask(Ask { event, lane, input, folder, also_called: None, cancelled: None }).await
    }

    fn is_september(&self) -> bool {
        self.pipeline.engine.rules().profile == Profile::September
    }
}

fn asks(merged: Option<&Merged>) -> bool {
    merged.is_some_and(|merged| merged.decision == Some(HandlerVerdict::Ask))
}

fn denies(merged: &Merged) -> bool {
    !merged.allowed || merged.decision == Some(HandlerVerdict::Deny)
}

/// The message of the hooks, or the reason of the verdict if there is no message.
fn first_said(merged: &Merged) -> String {
    if merged.message.is_empty() { merged.decision_reason.clone() } else { merged.message.join("\n") }
}

fn with_reason(text: &str, reason: &str) -> String {
    match reason.trim() {
        "" => text.to_owned(),
        reason => format!("{text} Reason: {reason}"),
    }
}
