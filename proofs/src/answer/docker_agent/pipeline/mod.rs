//! One tool call as docker-agent processes it: rules, auto-approval, hooks, the user, the tool, and the
//! result for the model.
//!
//! It gives the same answers as docker-agent for every call. This pipeline calls fewer hooks
//! than a set of hooks does: an allow rule skips `pre_tool_use`, and in the July profile a preempting hook
//! that fails lets the call run. So it serves the comparison with docker-agent only; hosts use
//! [`hooks_command::service`], where laws 1 to 3 hold.

mod rules;
mod steps;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::{Map, Value};

pub(super) use self::rules::{Rule, Ruled};
pub(super) use self::steps::Pipeline;

/// A session, with the permissions that it grants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Session {
    /// ID of the session in payloads.
    pub(crate) id: String,
    /// Whether every call is approved that no rule denies.
    pub(crate) yolo: bool,
    /// Whether there is no user who could answer a question.
    pub(crate) non_interactive: bool,
    /// The session's own rules, including grants of the user.
    pub(crate) rules: Rule,
}

/// A tool, as the host describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tool {
    /// Name of the tool.
    pub(crate) name: String,
    /// Whether the tool declares that it changes nothing.
    pub(crate) read_only: bool,
    /// Whether the tool declares that it is destructive.
    pub(crate) destructive: bool,
    /// Metadata for the user in a question about the tool.
    pub(crate) metadata: Map<String, Value>,
    /// Output of the tool.
    pub(crate) output: String,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Call {
    /// ID of the call.
    pub(crate) id: String,
    /// Arguments of the call.
    pub(crate) arguments: Map<String, Value>,
}

/// The user's answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Approves this call.
    Approve,
    /// Approves every call of this session.
    ApproveSession,
    /// Approves this tool, or the calls that the pattern covers, for this session.
    ApproveTool(Option<String>),
    /// Rejects the call, with an optional reason.
    Reject(Option<String>),
}

/// The result of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Outcome {
    /// Whether the tool ran.
    pub(crate) tool_ran: bool,
    /// The arguments with which the tool ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_ran_with: Option<Map<String, Value>>,
    /// Whether the user was asked.
    pub(crate) prompted: bool,
    /// The arguments in the question to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prompt_arguments: Option<Map<String, Value>>,
    /// Metadata of the question to the user.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) prompt_metadata: Map<String, Value>,
    /// The text that the model receives.
    pub(crate) tool_result: String,
    /// Whether that text is an error.
    pub(crate) tool_result_is_error: bool,
    /// Message for the client about a hook that blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hook_blocked: Option<String>,
    /// The verdict and its source.
    pub(crate) approval: Option<Approval>,
    /// Whether the run ends.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stop_run: bool,
    /// Reason for which the run ends.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) stop_message: String,
    /// Permissions of the session after the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) session_allow_after: Vec<String>,
    /// The events that have hooks, in the order in which they happened.
    pub(crate) events: Vec<String>,
}

/// A verdict and its source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Approval {
    /// `allow` or `deny`.
    pub(crate) decision: String,
    /// Source of the verdict, as docker-agent names it.
    pub(crate) source: String,
}
