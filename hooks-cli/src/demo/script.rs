//! The script of a session: the steps of two agents and a reviewer, one on each line.

use serde::Deserialize;
use serde_json::Value;

use crate::failure::Failure;

/// The demo's own script.
pub(super) const OWN: &str = include_str!("../../demo/session.jsonl");

/// One step.
#[derive(Debug)]
pub(super) enum Step {
    /// An agent calls a tool.
    Call(Call),
    /// A reviewer locks an agent out of files.
    Lock(Lock),
    /// The configuration changes during the session.
    Reload(Reload),
}

/// An agent calls a tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) agent: String,
    pub(super) tool: String,
    #[serde(default)]
    pub(super) args: Value,
    /// Answer of the reviewer, if the call needs approval.
    pub(super) answer: Option<Review>,
    /// Purpose of the step.
    #[serde(default)]
    pub(super) note: String,
}

/// A reviewer locks an agent out of files.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lock {
    pub(super) reviewer: String,
    pub(super) locks: String,
    pub(super) out_of: String,
    #[serde(default)]
    pub(super) note: String,
}

/// The configuration changes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reload {
    /// Lines to append to the file.
    pub(super) adds: String,
    #[serde(default)]
    pub(super) note: String,
}

/// A reviewer's answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Review {
    Approve,
    Reject(String),
}

/// Parses a script. An error names the line.
pub(super) fn read(text: &str) -> Result<Vec<Step>, Failure> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            step(line).map_err(|error| {
                Failure::message(format!("line {} of the script: {error}", index.saturating_add(1)))
            })
        })
        .collect()
}

fn step(line: &str) -> Result<Step, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let read = if value.get("tool").is_some() {
        serde_json::from_value(value).map(Step::Call)
    } else if value.get("locks").is_some() {
        serde_json::from_value(value).map(Step::Lock)
    } else if value.get("adds").is_some() {
        serde_json::from_value(value).map(Step::Reload)
    } else {
        return Err("a step has `tool`, `locks` or `adds`".to_owned());
    };
    read.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_script_is_read() {
        assert!(read(OWN).is_ok_and(|steps| steps.len() > 15));
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        for (text, wanted) in [
            ("{}", "line 1 of the script: a step has"),
            ("\n{\"tool\": \"bash\"}", "line 2 of the script: missing field `agent`"),
            ("{\"agent\": \"a\", \"tool\": \"bash\", \"arg\": 1}", "unknown field `arg`"),
            ("nonsense", "line 1 of the script: expected"),
        ] {
            let failure = read(text).unwrap_err().to_string();
            assert!(failure.contains(wanted), "{failure}");
        }
    }
}
