//! Suite `squad`, profile `compat`: answers with Squad's behaviour, through the public engine.

use std::sync::{Arc, Mutex, PoisonError};

use hooks_policies::squad::{
    BuilderValidationError, JsError, PreResult, SquadCall, SquadDecision, SquadPipeline, SquadPolicy,
    define_hooks, redact_args,
};
use serde_json::{Map, Value, json};

use super::custom::{CustomHook, Effect, Phase};
use super::question;

/// Answers a vector.
pub(super) fn answer(vector: &Value) -> Option<Value> {
    let answer = match vector.get("kind")?.as_str()? {
        "pipeline" | "lockout" => steps(vector),
        "define_hooks" => match define_hooks(vector.get("input")?) {
            Ok(()) => json!({"ok": vector.get("input")?, "same_object": true}),
            Err(refused) => error(BuilderValidationError::NAME, &refused.to_string()),
        },
        "redact_args" => json!({"text": redact_args(vector.get("input")?)}),
        _ => return None,
    };
    Some(json!({"id": vector.get("id")?, "answer": answer}))
}

/// Inputs of the custom hooks of a step, in order.
type Trace = Arc<Mutex<Vec<Value>>>;

fn steps(vector: &Value) -> Value {
    let steps = question::list(vector, "steps");
    let trace = Trace::default();
    let pipeline = match pipeline(vector, &trace) {
        Ok(pipeline) => pipeline,
        Err(failed) => return json!({"steps": vec![js_error(&failed); steps.len()]}),
    };
    let (mut answers, mut traces) = (Vec::new(), Vec::new());
    for step in steps {
        answers.push(run(&pipeline, step));
        let seen = std::mem::take(&mut *trace.lock().unwrap_or_else(PoisonError::into_inner));
        traces.push(if seen.is_empty() { Value::Null } else { seen.into() });
    }
    json!({"steps": answers, "trace": traces})
}

fn pipeline(vector: &Value, trace: &Trace) -> Result<SquadPipeline, JsError> {
    let policy = vector.get("policy").map(|policy| SquadPolicy::try_from(policy.clone())).transpose()?;
    let mut pipeline = SquadPipeline::new(policy.as_ref())?;
    for hook in question::list(vector, "custom_hooks") {
        let hook: CustomHook = serde_json::from_value(hook.clone())
            .map_err(|cause| JsError::new("Error", format!("a custom hook cannot be read: {cause}")))?;
        register(&mut pipeline, hook, Arc::clone(trace));
    }
    Ok(pipeline)
}

fn register(pipeline: &mut SquadPipeline, hook: CustomHook, trace: Trace) {
    match hook.phase {
        Phase::Pre => pipeline.add_pre_hook(move |call: &mut SquadCall<'_>| {
            record(&trace, json!({"hook": hook.name, "arguments": &*call.arguments}));
            before(&hook, call)
        }),
        Phase::Post => pipeline.add_post_hook(move |_: &mut SquadCall<'_>, result: Option<Value>| {
            record(
                &trace,
                match &result {
                    Some(result) => json!({"hook": hook.name, "result": result}),
                    None => json!({"hook": hook.name, "result_absent": true}),
                },
            );
            hook.does.on_result(result).map_err(|message| JsError::new("Error", message))
        }),
    }
}

/// The answer of a custom hook before a tool call.
pub(super) fn before(hook: &CustomHook, call: &mut SquadCall<'_>) -> Result<PreResult, JsError> {
    if !hook.when.holds(&call.tool_name, &call.agent_name, &call.arguments) {
        return Ok(PreResult::allow());
    }
    match &hook.does {
        Effect::Return { value } => Ok(PreResult(value.clone())),
        Effect::Throw { message } => Err(JsError::new("Error", message.clone())),
        Effect::MutateInPlace { set } => {
            if let Value::Object(arguments) = call.arguments.to_mut() {
                arguments.extend(set.clone());
            }
            Ok(PreResult::allow())
        }
        _ => Ok(PreResult::allow()),
    }
}

fn record(trace: &Trace, seen: Value) {
    trace.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
}

fn run(pipeline: &SquadPipeline, step: &Value) -> Value {
    let (artifact, agent) = (question::text(step, "artifact"), question::text(step, "agent"));
    let lockouts = pipeline.lockouts();
    match question::text(step, "op") {
        "lock" => lockouts.lockout(artifact, agent),
        "clear" => lockouts.clear(artifact),
        "clear_all" => lockouts.clear_all(),
        "is_locked" => return lockouts.is_locked_out(artifact, agent).into(),
        "list" => {
            return lockouts.locked_agents(artifact).iter().map(|agent| Value::from(&**agent)).collect();
        }
        "pre" => {
            let decided = pipeline.pre(&mut call(step));
            return decided.map_or_else(|failed| js_error(&failed), decision);
        }
        "post" => {
            let given = question::field(step, "call").get("result").cloned();
            let changed = pipeline.post(&mut call(step), given);
            return changed.map_or_else(|failed| js_error(&failed), result);
        }
        _ => {}
    }
    Value::Null
}

fn call(step: &Value) -> SquadCall<'_> {
    let call = question::field(step, "call");
    let [tool, agent, session] =
        ["toolName", "agentName", "sessionId"].map(|name| question::text(call, name));
    SquadCall::new(tool, question::field(call, "arguments"), agent, session)
}

/// The vectors hold two fields of a custom hook's answer.
fn decision(decision: SquadDecision) -> Value {
    let Value::Object(fields) = decision.into_json() else { return Value::Null };
    let held = |name: &str| name == "action" || name == "reason";
    fields.into_iter().filter(|(name, _)| held(name)).collect::<Map<_, _>>().into()
}

fn result(result: Option<Value>) -> Value {
    result.map_or_else(|| json!({"result_absent": true}), |result| json!({"result": result}))
}

fn js_error(failed: &JsError) -> Value {
    error(failed.name(), failed.message())
}

fn error(name: &str, message: &str) -> Value {
    json!({"error": {"name": name, "message": message}})
}
