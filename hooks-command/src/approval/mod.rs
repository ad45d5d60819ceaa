//! One tool call as docker-agent processes it: rules, auto-approval, hooks, the user, the tool, and the
//! result for the model.
//!
//! For a host that needs the same answers as docker-agent for every call. This pipeline calls fewer hooks
//! than a set of hooks does: an allow rule skips `pre_tool_use`, and in the July profile a preempting hook
//! that fails lets the call run. Other hosts use [`service`](crate::service), where laws 1 to 3 hold.

mod pipeline;
mod rules;

use serde::Serialize;
use serde_json::{Map, Value};

pub use self::pipeline::Pipeline;
pub use self::rules::{Rule, Ruled};

/// A session, with the permissions that it grants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// ID of the session in payloads.
    pub id: String,
    /// Whether every call is approved that no rule denies.
    pub yolo: bool,
    /// Whether there is no user who could answer a question.
    pub non_interactive: bool,
    /// The session's own rules, including grants of the user.
    pub rules: Rule,
}

/// A tool, as the host describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tool {
    /// Name of the tool.
    pub name: String,
    /// Whether the tool declares that it changes nothing.
    pub read_only: bool,
    /// Whether the tool declares that it is destructive.
    pub destructive: bool,
    /// Metadata for the user in a question about the tool.
    pub metadata: Map<String, Value>,
    /// Output of the tool.
    pub output: String,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// ID of the call.
    pub id: String,
    /// Arguments of the call.
    pub arguments: Map<String, Value>,
}

/// The user's answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
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
pub struct Outcome {
    /// Whether the tool ran.
    pub tool_ran: bool,
    /// The arguments with which the tool ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_ran_with: Option<Map<String, Value>>,
    /// Whether the user was asked.
    pub prompted: bool,
    /// The arguments in the question to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_arguments: Option<Map<String, Value>>,
    /// Metadata of the question to the user.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub prompt_metadata: Map<String, Value>,
    /// The text that the model receives.
    pub tool_result: String,
    /// Whether that text is an error.
    pub tool_result_is_error: bool,
    /// Message for the client about a hook that blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook_blocked: Option<String>,
    /// The verdict and its source.
    pub approval: Option<Approval>,
    /// Whether the run ends.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stop_run: bool,
    /// Reason for which the run ends.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stop_message: String,
    /// Permissions of the session after the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub session_allow_after: Vec<String>,
    /// The events that have hooks, in the order in which they happened.
    pub events: Vec<String>,
}

/// A verdict and its source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Approval {
    /// `allow` or `deny`.
    pub decision: String,
    /// Source of the verdict, as docker-agent names it.
    pub source: String,
}
