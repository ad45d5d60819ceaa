//! Suite `claude-forge`: the hooks of a pipeline, in a real folder with real state files.
//!
//! Profile `compat` runs the port of the scripts. Profile `strict` runs the policies of a `hooks.yaml` whose section
//! `phases` has only defaults. In both, this program is the host that carries out the final commit.

mod project;

use std::sync::Arc;

use hooks::StdFileSystem;
use hooks::config::Config;
use hooks_core::event::{PostToolUse, PreToolUse, Stop};
use hooks_core::{HookContext, Hooks, Judged};
use hooks_team_rules::phases::forge::{CommitResult, Forge, ForgeCommit, ForgeScript};
use hooks_team_rules::phases::{PhaseEffect, PhaseEffects};
use serde_json::{Map, Value, json};

use self::project::Project;
use super::{finish, question};

/// The configuration of profile `strict`.
const STRICT: &str = "version: 1\nself_protection: false\nphases: {}\n";

/// Answers a vector as the scripts do.
pub(super) fn answer_compat(vector: &Value) -> Option<Value> {
    answer(vector, compat)
}

/// Answers a vector with the strict policies.
pub(super) fn answer_strict(vector: &Value) -> Option<Value> {
    answer(vector, strict)
}

fn answer(vector: &Value, judge: fn(&Project, ForgeScript, &str) -> Option<Value>) -> Option<Value> {
    let id = vector.get("id")?;
    let script = match vector.get("hook")?.as_str()? {
        "pre-tool" => ForgeScript::PreTool,
        "post-agent" => ForgeScript::PostAgent,
        "post-bash" => ForgeScript::PostBash,
        "stop" => ForgeScript::Stop,
        _ => return None,
    };
    let project = Project::create(vector).ok()?;
    let answer = judge(&project, script, &project.input(vector))?;
    Some(json!({"id": id, "answer": project.leave(&answer)}))
}

fn compat(project: &Project, script: ForgeScript, input: &str) -> Option<Value> {
    let mut forge = Forge::new(Arc::new(StdFileSystem), project.path());
    if let Some(folder) = project.variable() {
        forge = forge.in_project(folder);
    }
    let mut answer = forge.run(script, input);
    let mut head_rewritten = false;
    if let Some(commit) = answer.commit.take() {
        let files = commit.files.iter().map(|file| commit.folder.join(file)).collect::<Vec<_>>();
        let result = project.commit(&files);
        head_rewritten = matches!(result, CommitResult::Amended(_));
        answer = ForgeCommit::answer(&result);
    }
    let mut fields = Map::new();
    fields.insert("exit".to_owned(), answer.exit.into());
    fields.insert("stderr".to_owned(), answer.stderr.into());
    if project.has_git() {
        let tail = serde_json::from_str(&answer.stdout).unwrap_or(Value::Null);
        fields.insert("stdout_json_tail".to_owned(), tail);
        fields.insert("head_rewritten".to_owned(), head_rewritten.into());
        fields.insert("committed_files".to_owned(), project.committed_files().into());
    } else {
        fields.insert("stdout".to_owned(), answer.stdout.into());
    }
    Some(fields.into())
}

fn strict(project: &Project, script: ForgeScript, input: &str) -> Option<Value> {
    let hooks = Config::parse(STRICT, "hooks.yaml").ok()?.hooks();
    let input: Value = serde_json::from_str(input).unwrap_or_default();
    let context = project.context(question::text(&input, "session_id"));
    match script {
        ForgeScript::PreTool => Some(before(&hooks, context, &input)),
        ForgeScript::Stop => Some(stop(&hooks, context, &input)),
        _ => Some(after(&hooks, context, &input, project)),
    }
}

fn call(input: &Value) -> Option<PreToolUse> {
    let tool = input.get("tool_name")?.as_str()?;
    Some(PreToolUse::new(tool, question::field(input, "tool_input").clone()))
}

fn before(hooks: &Hooks, context: HookContext, input: &Value) -> Value {
    let Some(call) = call(input) else { return json!({"exit": 0}) };
    let decided = finish(hooks.on(context).pre_tool_use(call)).outcome;
    decision(decided.goes_ahead(), decided.shown_reason().map(|reason| reason.for_agent().into_owned()))
}

fn stop(hooks: &Hooks, context: HookContext, input: &Value) -> Value {
    let mut stop = Stop::new("");
    stop.stop_hook_active = question::field(input, "stop_hook_active") == true;
    let decided = finish(hooks.on(context).stop(stop)).outcome;
    decision(decided.goes_ahead(), decided.shown_reason().map(|reason| reason.for_agent().into_owned()))
}

fn decision(goes_ahead: bool, reason: Option<String>) -> Value {
    let (exit, reason) = if goes_ahead { (0, None) } else { (2, reason) };
    json!({"exit": exit, "stderr": reason.unwrap_or_default()})
}

fn after(hooks: &Hooks, context: HookContext, input: &Value, project: &Project) -> Value {
    let Some(call) = call(input) else { return json!({"exit": 0}) };
    let ran = PostToolUse::after(&call, question::field(input, "tool_response").clone(), None, 0);
    let decided = finish(hooks.on(context).post_tool_use(ran)).outcome;
    let mut answer =
        decision(decided.goes_ahead(), decided.shown_reason().map(|reason| reason.message.clone()));
    let notes = decided.notes().into_iter().flat_map(|notes| &notes.additional_context);
    let notes: Vec<_> = notes.map(|note| note.text.as_str()).collect();
    if let Some(fields) = answer.as_object_mut() {
        fields.insert("stdout".to_owned(), notes.join("\n").into());
        if project.has_git() {
            fields.insert("head_rewritten".to_owned(), carried_out(hooks, project).into());
            fields.insert("committed_files".to_owned(), project.committed_files().into());
        }
    }
    answer
}

/// Carries out the final commits, and returns whether there was one.
fn carried_out(hooks: &Hooks, project: &Project) -> bool {
    let effects = hooks.extension::<PhaseEffects>().map(PhaseEffects::drain).unwrap_or_default();
    let amends = |effect: &PhaseEffect| match effect {
        PhaseEffect::FinalCommit { files, .. } => matches!(project.commit(files), CommitResult::Amended(_)),
        _ => false,
    };
    // Every commit is carried out, also after one that amends.
    effects.iter().filter(|effect| amends(effect)).count() > 0
}

#[cfg(test)]
mod tests;
