//! The scripts themselves.

use serde_json::{Value, json};

use super::jq::{NoField, Values, field, raw, substituted};
use super::search::{Project, Workspace};
use super::text;
use super::{CommitResult, ForgeCommit, ScriptAnswer};

const READ_ONLY: &str =
    "Phase 1-2 is read-only. File modifications to source code are blocked during analysis/investigation.";
const COMMIT: &str = "git commit is blocked during parallel task execution. The orchestrator will batch-commit after all parallel tasks complete.";
const MAIN: &str = "BLOCKED: git checkout/switch to main or master is not allowed during an active pipeline. Stay on the feature branch.";
const EFFORT: &str =
    "WARNING: effort is not set. Call set_effort before starting phase-1 to enable flow template selection.";

/// `pre-tool-hook.sh`.
pub(super) fn pre_tool(project: &Project<'_>, input: &str) -> ScriptAnswer {
    let input = Values::read(input.as_bytes());
    let tool = input.text_or_empty(&["tool_name"]);
    let Some(governing) = active(project).filter(|_| !tool.is_empty()) else {
        return ScriptAnswer::default();
    };
    let state = &governing.state;
    let (phase, status) = (state.text(&["currentPhase"]), state.text(&["currentPhaseStatus"]));
    let is_running = status == "in_progress";
    if matches!(&*phase, "phase-1" | "phase-2") && is_running && matches!(&*tool, "Edit" | "Write") {
        let file = input.text_or_empty(&["tool_input", "file_path"]);
        if !file.is_empty() && !file.starts_with(&governing.path) {
            return blocked(READ_ONLY);
        }
    }
    if tool == "mcp__forge-state__phase_start" && input.text_or_empty(&["tool_input", "phase"]) == "phase-1" {
        let effort = state.text_or_empty(&["effort"]);
        if effort.is_empty() || effort == "null" {
            return ScriptAnswer { stderr: format!("{EFFORT}\n"), ..ScriptAnswer::default() };
        }
    }
    if tool != "Bash" {
        return ScriptAnswer::default();
    }
    let command = input.text_or_empty(&["tool_input", "command"]);
    if phase == "phase-5" && is_running && commits(&command) && has_running_parallel_task(state) {
        return blocked(COMMIT);
    }
    if text::echoed_line_matches(&text::without_quoted(&command), text::has_git_to_main) {
        return blocked(MAIN);
    }
    ScriptAnswer::default()
}

/// `stop-hook.sh`.
pub(super) fn stop(project: &Project<'_>) -> ScriptAnswer {
    let Some(Workspace { path, state }) = active(project) else { return ScriptAnswer::default() };
    let (phase, status) = (state.text(&["currentPhase"]), state.text(&["currentPhaseStatus"]));
    if matches!(&*status, "completed" | "abandoned" | "awaiting_human") {
        return ScriptAnswer::default();
    }
    blocked(&format!(
        "Claude-forge is still active at {phase} ({status}). Workspace: {path}. Use Claude Code to call \
         mcp__forge-state__abandon with workspace: {path}, or delete {path}/state.json manually to reset."
    ))
}

/// `post-agent-hook.sh`.
pub(super) fn post_agent(project: &Project<'_>, input: &str) -> ScriptAnswer {
    let input = Values::read(input.as_bytes());
    if input.text_or_empty(&["tool_name"]) != "Agent" {
        return ScriptAnswer::default();
    }
    let running = project.workspace(|state| {
        let is_running = state.text_or_empty(&["currentPhaseStatus"]) == "in_progress";
        is_running.then(|| state.printed(|value| Ok(vec![time(value)?])))
    });
    let Some(running) = running else { return ScriptAnswer::default() };
    let phase = running.state.text(&["currentPhase"]);
    let output = input.text_or_empty(&["tool_response"]);
    if output.chars().count() < 50 {
        return noting(&format!(
            "WARNING: Agent output for {phase} appears empty or too short (< 50 chars). Consider retrying this phase per \
             Error Handling rules."
        ));
    }
    let holds = |words: &[&str]| text::echoed_line_matches(&output, |line| text::holds_any(line, words));
    match &*phase {
        "phase-3b" | "phase-4b" if !holds(&["APPROVE", "REVISE"]) => noting(&format!(
            "WARNING: Review agent output for {phase} does not contain APPROVE, APPROVE_WITH_NOTES, or REVISE verdict. The \
             output may be malformed."
        )),
        "phase-6" if !holds(&["PASS", "FAIL"]) => noting(
            "WARNING: Implementation review output does not contain PASS or FAIL verdict. The output may be malformed.",
        ),
        _ => ScriptAnswer::default(),
    }
}

/// `post-bash-hook.sh` up to its commit.
pub(super) fn post_bash(project: &Project<'_>, input: &str) -> ScriptAnswer {
    ScriptAnswer { commit: final_commit(project, input), ..ScriptAnswer::default() }
}

/// The end of `post-bash-hook.sh`.
pub(super) fn committed(result: &CommitResult) -> ScriptAnswer {
    match result {
        CommitResult::Nothing => ScriptAnswer::default(),
        CommitResult::NotAmended => noting(
            "WARNING: post-bash-hook could not amend commit for state.json/summary.md. Amend and push manually.",
        ),
        CommitResult::Amended(report) => {
            let report = substituted(report);
            let lower = report.to_lowercase();
            if ["error", "rejected", "failed"].iter().any(|word| lower.contains(word)) {
                return noting(&format!(
                    "Auto-committed state.json and summary.md, but push failed: {report}. Run git push \
                     --force-with-lease manually."
                ));
            }
            noting("Auto-committed state.json and summary.md to branch (pipeline finalized).")
        }
    }
}

/// `find_active_workspace` of `common.sh`.
fn active(project: &Project<'_>) -> Option<Workspace> {
    let found = project.workspace(|state| {
        let (status, time) = state.two_lines(&["currentPhaseStatus"], &["timestamps", "lastUpdated"]);
        (!matches!(&*status, "" | "completed" | "abandoned")).then_some(time)
    })?;
    Some(found)
}

fn commits(command: &str) -> bool {
    let has = |word: &str| text::echoed_line_matches(command, |line| text::has_git_and(line, word));
    has("commit") && !has("commit-tree")
}

/// Counts with the filter of the script. A task that has no fields makes it fail.
fn has_running_parallel_task(state: &Values) -> bool {
    let counted = state.printed(|value| {
        let tasks: Vec<&Value> = match field(value, &["tasks"])? {
            Value::Object(tasks) => tasks.values().collect(),
            Value::Array(tasks) => tasks.iter().collect(),
            _ => return Err(NoField),
        };
        let mut count = 0_usize;
        for task in tasks {
            let is_parallel = field(task, &["executionMode"])? == "parallel";
            count += usize::from(is_parallel && field(task, &["implStatus"])? == "in_progress");
        }
        Ok(vec![count.to_string()])
    });
    counted.chars().any(|c| c.is_ascii_digit() && c != '0')
}

/// Prints `.timestamps.lastUpdated // ""`.
fn time(state: &Value) -> Result<String, NoField> {
    let time = field(state, &["timestamps", "lastUpdated"])?;
    Ok(if matches!(time, Value::Null | Value::Bool(false)) { String::new() } else { raw(time) })
}

fn final_commit(project: &Project<'_>, input: &str) -> Option<ForgeCommit> {
    let input = Values::read(input.as_bytes());
    let (tool, command) = input.two_lines(&["tool_name"], &["tool_input", "command"]);
    let is_whole = input.all().iter().all(|value| field(value, &["tool_input", "command"]).is_ok());
    if tool != "Bash" || !is_whole {
        return None;
    }
    let named = text::completed_workspace(&command)?;
    let workspace = if named.starts_with('/') { named } else { format!("{}/{named}", project.folder) };
    let state = project.state(&workspace)?;
    if state.text_or_empty(&["taskType"]) == "investigation" {
        return None;
    }
    let files = [format!("{workspace}/summary.md"), format!("{workspace}/state.json")];
    let [summary, _] = &files;
    project
        .is_file(summary)
        .then(|| ForgeCommit { folder: project.cwd.join(project.folder), files: files.clone() })
}

fn blocked(message: &str) -> ScriptAnswer {
    ScriptAnswer { exit: 2, stderr: format!("{message}\n"), ..ScriptAnswer::default() }
}

fn noting(context: &str) -> ScriptAnswer {
    let note = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": context}});
    ScriptAnswer { stdout: format!("{}\n", raw(&note)), ..ScriptAnswer::default() }
}
