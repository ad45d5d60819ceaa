//! Suite `squad`, profile `strict`: the same policies, interpreted strictly, through the public API.

use std::sync::{Arc, Mutex, PoisonError};

use hooks_classic::PolicyHooks;
use hooks_classic::squad_policy_to_strict;
use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::testing::FakeFileSystem;
use hooks_core::{Environment, HookContext, Hooks, HooksBuilder, Judged, Strength};
use hooks_policies::Lockout;
use hooks_policies::profile::{SquadHook, SquadResultHook};
use hooks_policies::squad::{BuilderValidationError, JsError, SquadCall, SquadPolicy, define_hooks};
use serde_json::{Value, json};

use super::custom::{CustomHook, Phase};
use super::{compat, finish, question};

/// Answers a vector.
pub(super) fn answer(vector: &Value) -> Option<Value> {
    let answer = match vector.get("kind")?.as_str()? {
        "pipeline" | "lockout" => steps(vector),
        "define_hooks" => match define_hooks(vector.get("input")?) {
            Ok(()) => json!({"ok": vector.get("input")?, "same_object": true}),
            Err(refused) => error(BuilderValidationError::NAME, &refused),
        },
        "redact_args" => match Pipeline::from_vector(&json!({"policy": {"scrubPii": true}})) {
            Ok(pipeline) => json!({"text": pipeline.hooks.argument_recorder()?.text(vector.get("input")?)}),
            Err(refused) => error("Error", &refused),
        },
        _ => return None,
    };
    Some(json!({"id": vector.get("id")?, "answer": answer}))
}

/// Name under which the host lifts lockouts; no vector uses it.
const HOST: &str = "host of the vectors";

/// The hooks of a vector.
struct Pipeline {
    hooks: Hooks,
    /// Whether the last hook after a tool left the result out, which an event cannot express.
    left_out: LeftOut,
}

type LeftOut = Arc<Mutex<bool>>;

fn steps(vector: &Value) -> Value {
    let steps = question::list(vector, "steps");
    let answers: Vec<_> = match Pipeline::from_vector(vector) {
        Ok(pipeline) => steps.iter().map(|step| pipeline.run(step)).collect(),
        // Mistakes are found before a call is judged, so all calls fail.
        Err(refused) => steps.iter().map(|_| error("Error", &refused)).collect(),
    };
    json!({"steps": answers})
}

impl Pipeline {
    fn from_vector(vector: &Value) -> Result<Self, Box<dyn std::error::Error>> {
        let policy = vector.get("policy").map(|policy| SquadPolicy::try_from(policy.clone())).transpose()?;
        let config = squad_policy_to_strict(&policy.unwrap_or_default())?;
        let left_out = LeftOut::default();
        let mut builder = Hooks::builder();
        for hook in question::list(vector, "custom_hooks") {
            builder = register(builder, serde_json::from_value(hook.clone())?, &left_out);
        }
        Ok(Self { hooks: builder.config(config)?.build(), left_out })
    }

    fn run(&self, step: &Value) -> Value {
        let (artifact, agent) = (question::text(step, "artifact"), question::text(step, "agent"));
        let Some(lockouts) = self.hooks.lockouts() else { return Value::Null };
        let cleared = match question::text(step, "op") {
            "pre" => return self.before(question::field(step, "call")),
            "post" => return self.after(question::field(step, "call")),
            "is_locked" => return lockouts.is_locked_out(artifact, agent).into(),
            "list" => return lockouts.locked_agents(artifact).into(),
            "lock" => {
                lockouts.lock(Lockout::new(artifact, agent));
                Ok(())
            }
            "clear" => lockouts.clear(artifact, HOST),
            "clear_all" => lockouts.clear_all(HOST),
            _ => Ok(()),
        };
        cleared.map_or_else(|refused| error("Error", &refused), |()| Value::Null)
    }

    fn before(&self, call: &Value) -> Value {
        let decision = finish(self.hooks.on(context(call)).pre_tool_use(event(call)));
        let mut outcome = decision.outcome;
        if outcome.goes_ahead() {
            outcome.take_holds().commit();
            return json!({"action": "allow"});
        }
        // Squad cannot ask. Without a user who could answer, ask means deny.
        let reason = outcome.shown_reason().map(|reason| reason.message.as_str());
        json!({"action": "block", "reason": reason.unwrap_or("a person has to decide")})
    }

    fn after(&self, call: &Value) -> Value {
        let Some(result) = call.get("result") else { return json!({"result_absent": true}) };
        let ran = PostToolUse::after(&event(call), result.clone(), None, 0);
        let decision = finish(self.hooks.on(context(call)).post_tool_use(ran));
        if decision.outcome.strength() == Strength::Deny {
            let reason = decision.outcome.shown_reason().map_or("withheld", |reason| &reason.message);
            return json!({"error": {"name": "Error", "message": reason}});
        }
        if std::mem::take(&mut *self.left_out.lock().unwrap_or_else(PoisonError::into_inner)) {
            return json!({"result_absent": true});
        }
        json!({"result": decision.request.event().tool_result})
    }
}

fn register(builder: HooksBuilder, hook: CustomHook, left_out: &LeftOut) -> HooksBuilder {
    let name = hook.name.clone();
    match hook.phase {
        Phase::Pre => {
            SquadHook::new(name, move |call: &mut SquadCall<'_>| compat::before(&hook, call)).add_to(builder)
        }
        Phase::Post => {
            let left_out = Arc::clone(left_out);
            let after = move |_: &mut SquadCall<'_>,
                              result: Option<Value>|
                  -> Result<Option<Value>, JsError> {
                let mut left_out = left_out.lock().unwrap_or_else(PoisonError::into_inner);
                let result = result.filter(|_| !*left_out);
                let result = hook.does.on_result(result).map_err(|message| JsError::new("Error", message))?;
                *left_out = result.is_none();
                Ok(result)
            };
            builder.transform(SquadResultHook::new(name, after))
        }
    }
}

/// A context with a folder without special files: the vectors contain no links.
fn context(call: &Value) -> HookContext {
    let files = Arc::new(FakeFileSystem::default());
    HookContext::new(question::text(call, "sessionId"), question::text(call, "agentName"))
        .in_dir("/vectors")
        .with_environment(Environment { files, ..Environment::detached() })
}

fn event(call: &Value) -> PreToolUse {
    PreToolUse::new(question::text(call, "toolName"), question::field(call, "arguments").clone())
}

fn error(name: &str, refused: &(impl std::fmt::Display + ?Sized)) -> Value {
    json!({"error": {"name": name, "message": refused.to_string()}})
}
