//! Runs the policies and the custom hooks in Squad's order.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::ask_limit::AskLimit;
use super::call::{SquadCall, ToolKind};
use super::custom::{CustomPostHook, CustomPreHook, PreResult};
use super::decision::{Blocker, SquadDecision, Warning};
use super::javascript::{JsError, is_truthy};
use super::lockout::SquadLockouts;
use super::policy::SquadPolicy;
use super::scrub;
use super::shell::ShellRestriction;
use super::write_guard::WriteGuard;

/// Squad's `HookPipeline`: see the [module](super) for an example.
///
/// Shared by reference: the registry and the counters have locks of their own.
pub struct SquadPipeline {
    write_guard: Option<WriteGuard>,
    shell: Option<ShellRestriction>,
    ask_limit: Option<AskLimit>,
    enforces_lockouts: bool,
    scrubs: bool,
    lockouts: Arc<SquadLockouts>,
    pre_hooks: Vec<Box<dyn CustomPreHook>>,
    post_hooks: Vec<Box<dyn CustomPostHook>>,
    warn: Option<WarningSink>,
}

type WarningSink = Box<dyn Fn(Warning) + Send + Sync>;

impl SquadPipeline {
    /// Creates a pipeline of a policy; without one, only the default commands are blocked.
    ///
    /// # Errors
    /// Returns an error for a field that JavaScript cannot compare with a number. Patterns are compiled here,
    /// but their errors are returned when a write is judged, as in Squad.
    pub fn new(policy: Option<&SquadPolicy>) -> Result<Self, JsError> {
        let defaults = SquadPolicy::default();
        let policy = policy.unwrap_or(&defaults);
        let is_on = |field: &Option<Value>| field.as_ref().is_some_and(is_truthy);
        Ok(Self {
            write_guard: WriteGuard::from_policy(policy.allowed_write_paths.as_ref())?,
            shell: ShellRestriction::from_policy(policy.blocked_commands.as_ref())?,
            ask_limit: AskLimit::from_policy(policy.max_ask_user_per_session.as_ref())?,
            enforces_lockouts: is_on(&policy.reviewer_lockout),
            scrubs: is_on(&policy.scrub_pii),
            lockouts: Arc::default(),
            pre_hooks: Vec::new(),
            post_hooks: Vec::new(),
            warn: None,
        })
    }

    /// Adds a hook before tool calls, after all other such hooks.
    pub fn add_pre_hook(&mut self, hook: impl CustomPreHook + 'static) {
        self.pre_hooks.push(Box::new(hook));
    }

    /// Adds a hook after tool calls, after all other such hooks.
    pub fn add_post_hook(&mut self, hook: impl CustomPostHook + 'static) {
        self.post_hooks.push(Box::new(hook));
    }

    /// Receives the warnings that Squad writes to its console; without it, no warnings are created.
    #[must_use]
    pub fn with_warnings(mut self, sink: impl Fn(Warning) + Send + Sync + 'static) -> Self {
        self.warn = Some(Box::new(sink));
        self
    }

    /// Returns the lockout registry, which exists also if it is not enforced.
    #[must_use]
    pub fn lockouts(&self) -> &Arc<SquadLockouts> {
        &self.lockouts
    }

    /// Judges a call before its tool runs: the built-in hooks first, then the custom ones.
    ///
    /// Arguments that a custom hook replaces are seen only by the hooks after it.
    ///
    /// # Errors
    /// Returns an error if a hook fails. The caller has to decide what that means; it is not an allow.
    pub fn pre(&self, call: &mut SquadCall<'_>) -> Result<SquadDecision, JsError> {
        match self.built_in(call)? {
            SquadDecision::Allow => self.custom(call),
            block @ SquadDecision::Block(_) => Ok(block),
        }
    }

    /// Ends a session: its count of questions may be removed if other sessions need the room. Squad has no
    /// such call and counts forever.
    pub fn end_session(&self, session: &str) {
        if let Some(limit) = &self.ask_limit {
            limit.end_session(session);
        }
    }

    /// Passes a tool's result through the scrubber and the custom hooks. `None` is JavaScript's `undefined`:
    /// a hook left the result out.
    ///
    /// # Errors
    /// Returns an error if a hook fails, or if the result is nested too deep for the scrubber.
    pub fn post(
        &self,
        call: &mut SquadCall<'_>,
        mut result: Option<Value>,
    ) -> Result<Option<Value>, JsError> {
        if self.scrubs
            && let Some(result) = &mut result
        {
            self.scrub(call, result)?;
        }
        for hook in &self.post_hooks {
            // Squad passes each hook a copy of the context that shares the arguments.
            let mut context = SquadCall {
                tool_name: call.tool_name.clone(),
                arguments: std::mem::take(&mut call.arguments),
                agent_name: call.agent_name.clone(),
                session_id: call.session_id.clone(),
            };
            let outcome = hook.call(&mut context, result);
            call.arguments = context.arguments;
            result = outcome?;
        }
        Ok(result)
    }

    /// No tool has two kinds, so Squad's order of the hooks matters only among those for writes.
    fn built_in(&self, call: &SquadCall<'_>) -> Result<SquadDecision, JsError> {
        match call.kind() {
            ToolKind::Write => self.write(call),
            ToolKind::Shell => self.command(call),
            ToolKind::Ask => Ok(self.question(call)),
            ToolKind::Other => Ok(SquadDecision::Allow),
        }
    }

    fn write(&self, call: &SquadCall<'_>) -> Result<SquadDecision, JsError> {
        if self.write_guard.is_none() && !self.enforces_lockouts {
            return Ok(SquadDecision::Allow);
        }
        let Some(path) = call.text("path", "file_path")? else { return Ok(SquadDecision::Allow) };
        if let Some(guard) = &self.write_guard
            && !guard.allows(path)?
        {
            self.warn("[HookPipeline] File write blocked", || {
                [
                    ("agent", (*call.agent_name).into()),
                    ("tool", (*call.tool_name).into()),
                    ("path", path.into()),
                    ("allowedPaths", guard.list().clone()),
                ]
            });
            return Ok(SquadDecision::blocked(Blocker::WriteGuard, guard.reason(path)));
        }
        if self.enforces_lockouts
            && let Some(artifact) = self.lockouts.blocking_artifact(&call.agent_name, path)
        {
            self.warn("[HookPipeline] Reviewer lockout triggered", || {
                [
                    ("agent", (*call.agent_name).into()),
                    ("artifactId", (*artifact).into()),
                    ("filePath", path.into()),
                ]
            });
            let agent = &call.agent_name;
            let reason = format!(
                "Reviewer lockout: Agent \"{agent}\" is locked out of artifact \"{artifact}\". \
                 Another reviewer must handle this artifact."
            );
            return Ok(SquadDecision::blocked(Blocker::Lockout, reason));
        }
        Ok(SquadDecision::Allow)
    }

    fn command(&self, call: &SquadCall<'_>) -> Result<SquadDecision, JsError> {
        let Some(shell) = &self.shell else { return Ok(SquadDecision::Allow) };
        let Some(command) = call.text("command", "cmd")? else { return Ok(SquadDecision::Allow) };
        let Some(found) = shell.find(command)? else { return Ok(SquadDecision::Allow) };
        self.warn("[HookPipeline] Shell command blocked", || {
            [
                ("agent", (*call.agent_name).into()),
                ("tool", (*call.tool_name).into()),
                ("command", command.into()),
                ("blockedPattern", found.item().clone()),
            ]
        });
        Ok(SquadDecision::blocked(Blocker::Shell, found.reason()?))
    }

    fn question(&self, call: &SquadCall<'_>) -> SquadDecision {
        let Some(limit) = &self.ask_limit else { return SquadDecision::Allow };
        let Err(blocked) = limit.count(&call.session_id) else { return SquadDecision::Allow };
        self.warn("[HookPipeline] ask_user rate limit exceeded", || {
            [
                ("agent", (*call.agent_name).into()),
                ("sessionId", (*call.session_id).into()),
                ("currentCount", blocked.count().into()),
                ("maxCalls", limit.given().clone()),
            ]
        });
        SquadDecision::blocked(Blocker::AskLimit, limit.reason(blocked))
    }

    fn custom(&self, call: &mut SquadCall<'_>) -> Result<SquadDecision, JsError> {
        // After a hook has replaced the arguments, the other hooks work on a copy of the call.
        let mut copy: Option<SquadCall<'_>> = None;
        for (place, hook) in self.pre_hooks.iter().enumerate() {
            let PreResult(result) = hook.call(copy.as_mut().unwrap_or(&mut *call))?;
            let mut fields = match result {
                Value::Object(fields) => fields,
                Value::Null => return Err(JsError::unreadable("null", "action")),
                Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => continue,
            };
            match fields.get("action").and_then(Value::as_str) {
                Some("block") => {
                    return Ok(SquadDecision::custom(place, fields));
                }
                Some("modify") => {
                    if let Some(arguments) = fields.remove("modifiedArguments").filter(is_truthy) {
                        let mut changed = copy.take().unwrap_or_else(|| call.clone());
                        changed.arguments = Cow::Owned(arguments);
                        copy = Some(changed);
                    }
                }
                _ => {}
            }
        }
        Ok(SquadDecision::Allow)
    }

    fn scrub(&self, call: &SquadCall<'_>, result: &mut Value) -> Result<(), JsError> {
        if scrub::scrub(result)? {
            self.warn("[HookPipeline] PII scrubbed from tool output", || {
                [
                    ("tool", (*call.tool_name).into()),
                    ("agent", (*call.agent_name).into()),
                    ("sessionId", (*call.session_id).into()),
                ]
            });
        }
        Ok(())
    }

    fn warn<'v, const N: usize>(
        &self,
        message: &'static str,
        fields: impl FnOnce() -> [(&'v str, Value); N],
    ) {
        if let Some(warn) = &self.warn {
            warn(Warning::new(message, fields()));
        }
    }
}

impl fmt::Debug for SquadPipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SquadPipeline")
            .field("write_guard", &self.write_guard)
            .field("shell", &self.shell)
            .field("ask_limit", &self.ask_limit)
            .field("enforces_lockouts", &self.enforces_lockouts)
            .field("scrubs", &self.scrubs)
            .field("lockouts", &self.lockouts)
            .field("pre_hooks", &self.pre_hooks.len())
            .field("post_hooks", &self.post_hooks.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
