//! docker-agent's way of one tool call: rules, auto-approval, hooks, a person, the tool, and what the model is told.
//!
//! For a host that wants the same answers as docker-agent, call for call. It asks fewer hooks than a set of hooks does:
//! an allow rule skips `pre_tool_use`, and in the profile of the summer a preempting hook that fails lets the call
//! through. Whoever does not need that uses [`service`](crate::service), where laws 1 to 3 hold.

mod pipeline;
mod rules;

use serde::Serialize;
use serde_json::{Map, Value};

pub use self::pipeline::Pipeline;
pub use self::rules::{Rule, Ruled};

/// What a session allows by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Its name in payloads.
    pub id: String,
    /// Whether everything is approved that no rule denies.
    pub yolo: bool,
    /// Whether there is nobody to ask.
    pub non_interactive: bool,
    /// Its own rules, grants of the person included.
    pub rules: Rule,
}

/// A tool, as the host describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Whether it says that it changes nothing.
    pub read_only: bool,
    /// Whether it says that it destroys.
    pub destructive: bool,
    /// What is shown with a question about it.
    pub metadata: Map<String, Value>,
    /// What it gives back.
    pub output: String,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// The id of the call.
    pub id: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// What a person says to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// This once.
    Approve,
    /// Everything in this session.
    ApproveSession,
    /// This tool, or what this pattern covers, in this session.
    ApproveTool(Option<String>),
    /// No, and perhaps why.
    Reject(Option<String>),
}

/// What came of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// Whether the tool ran.
    pub tool_ran: bool,
    /// With which arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_ran_with: Option<Map<String, Value>>,
    /// Whether a person was asked.
    pub prompted: bool,
    /// About which arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_arguments: Option<Map<String, Value>>,
    /// What was shown with the question.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub prompt_metadata: Map<String, Value>,
    /// What the model gets.
    pub tool_result: String,
    /// Whether that is an error.
    pub tool_result_is_error: bool,
    /// What the client is told of a hook that blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook_blocked: Option<String>,
    /// The verdict, and who gave it.
    pub approval: Option<Approval>,
    /// Whether the run ends.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stop_run: bool,
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stop_message: String,
    /// What the session allows from now on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub session_allow_after: Vec<String>,
    /// The events that have hooks, in the order in which they happened.
    pub events: Vec<String>,
}

/// A verdict, and who gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Approval {
    /// `allow` or `deny`.
    pub decision: String,
    /// In docker-agent's words.
    pub source: String,
}
