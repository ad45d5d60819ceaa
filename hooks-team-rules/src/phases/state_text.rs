//! The text of a state file: the shape of claude-forge, or the small shape of this crate.
//!
//! ```json
//! {"phase": "build", "status": "running", "updated": "2026-05-04T10:00:00Z", "session": "session-1",
//!  "parallel": {"running": ["api"], "waiting": [], "ended": ["docs"], "files": ["src/api.rs"]},
//!  "batch_commit": false}
//! ```
//!
//! Only `phase` and `status` are required. The statuses are those of claude-forge; `running` and `awaiting_person` are
//! other words for `in_progress` and `awaiting_human`.

use std::path::Path;

use serde_json::Value;

use super::moment::Moment;
use super::pipeline::{ParallelTasks, Pipeline, PipelineStatus};

/// Reads the state of the pipeline in `workspace`. A text without a state is a pipeline with a problem.
pub(super) fn read(workspace: &Path, content: &[u8]) -> Pipeline {
    let text = String::from_utf8_lossy(content);
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    let state = match values.next() {
        Some(Ok(Value::Object(state))) => Value::Object(state),
        Some(Ok(_)) => return Pipeline::unreadable(workspace, "it is not an object"),
        Some(Err(error)) => return Pipeline::unreadable(workspace, format!("it is not JSON: {error}")),
        None => return Pipeline::unreadable(workspace, "it is empty"),
    };
    let is_forge = state.get("currentPhaseStatus").is_some() || state.get("currentPhase").is_some();
    let pipeline = if is_forge { of_forge(workspace, &state) } else { of_own(workspace, &state) };
    pipeline.unwrap_or_else(|missing| Pipeline::unreadable(workspace, format!("it has no `{missing}`")))
}

fn of_forge(workspace: &Path, state: &Value) -> Result<Pipeline, &'static str> {
    let pipeline = base(workspace, state, "currentPhase", "currentPhaseStatus")?;
    let time = state.pointer("/timestamps/lastUpdated").and_then(Value::as_str);
    Ok(Pipeline {
        updated: time.and_then(Moment::parse),
        batch_commit_due: state.get("needsBatchCommit") == Some(&Value::Bool(true)),
        has_no_branch: state.get("taskType").and_then(Value::as_str) == Some("investigation"),
        parallel: tasks(state.get("tasks").unwrap_or(&Value::Null)),
        ..pipeline
    })
}

fn of_own(workspace: &Path, state: &Value) -> Result<Pipeline, &'static str> {
    let pipeline = base(workspace, state, "phase", "status")?;
    let names = |field| state.pointer(&format!("/parallel/{field}")).and_then(Value::as_array);
    let count = |field| names(field).map_or(0, Vec::len);
    Ok(Pipeline {
        updated: state.get("updated").and_then(Value::as_str).and_then(Moment::parse),
        session: state.get("session").and_then(Value::as_str).map(str::to_owned),
        batch_commit_due: state.get("batch_commit") == Some(&Value::Bool(true)),
        parallel: ParallelTasks {
            running: count("running"),
            waiting: count("waiting"),
            ended: count("ended"),
            files: names("files").map(|files| texts(files)).unwrap_or_default(),
        },
        ..pipeline
    })
}

fn base(
    workspace: &Path,
    state: &Value,
    phase: &'static str,
    status: &'static str,
) -> Result<Pipeline, &'static str> {
    let word =
        state.get(status).and_then(Value::as_str).filter(|word| !word.trim().is_empty()).ok_or(status)?;
    let name = state.get(phase).and_then(Value::as_str).ok_or(phase);
    let status = PipelineStatus::of_word(word);
    // A pipeline that ended needs no phase.
    let is_over = matches!(status, PipelineStatus::Completed | PipelineStatus::Abandoned);
    let name = if is_over { name.unwrap_or_default() } else { name? };
    Ok(Pipeline::new(workspace, name.trim(), status))
}

/// Counts the parallel tasks of claude-forge. A task that cannot be read counts as one that runs.
fn tasks(tasks: &Value) -> ParallelTasks {
    let tasks: Vec<&Value> = match tasks {
        Value::Object(tasks) => tasks.values().collect(),
        Value::Array(tasks) => tasks.iter().collect(),
        _ => Vec::new(),
    };
    let mut parallel = ParallelTasks::default();
    for task in tasks.into_iter().filter(|task| !task.is_null()) {
        let text = |field| task.get(field).and_then(Value::as_str);
        if task.is_object() && text("executionMode") != Some("parallel") {
            continue;
        }
        match text("implStatus") {
            Some("completed" | "failed" | "abandoned" | "skipped") => parallel.ended += 1,
            Some("in_progress") => parallel.running += 1,
            _ => parallel.waiting += 1,
        }
        parallel.files.extend(
            task.get("files").and_then(Value::as_array).map(|files| texts(files)).unwrap_or_default(),
        );
    }
    parallel
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(text: &str) -> Pipeline {
        read(Path::new("/repo/.specs/demo"), text.as_bytes())
    }

    #[test]
    fn both_shapes_are_read() {
        let forge = state(
            r#"{"currentPhase":"phase-5","currentPhaseStatus":" in_progress ","timestamps":{"lastUpdated":"2026-05-04T10:00:00.1Z"},
                "tasks":{"1":{"executionMode":"parallel","implStatus":"pending","files":["a"]},"2":{"executionMode":"sequential"},"3":"oops","4":null}}, x"#,
        );
        assert_eq!((forge.phase.as_str(), forge.status), ("phase-5", PipelineStatus::Running));
        assert_eq!((forge.parallel.waiting, forge.parallel.files.len()), (2, 1));
        assert!(forge.updated.is_some() && forge.runs_parallel_tasks());
        let own = state(r#"{"phase":"build","status":"running","session":"s","parallel":{"running":["a"]}}"#);
        assert_eq!((own.parallel.running, own.session.as_deref()), (1, Some("s")));
    }

    #[test]
    fn a_state_without_its_fields_has_a_problem() {
        for text in
            ["", "not json", "[]", r#"{"phase":"x"}"#, r#"{"currentPhase":"x","currentPhaseStatus":""}"#]
        {
            let pipeline = state(text);
            assert!(pipeline.problem.is_some() && pipeline.is_active(), "{text}");
        }
        assert!(!state(r#"{"currentPhaseStatus":"abandoned"}"#).is_active());
    }
}
