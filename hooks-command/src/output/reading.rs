//! Converts the end of a handler into its answer.

use crate::config::Handler;
use crate::event::{HookEvent, Powers, Rewrites};
use crate::output::json::{HandlerReply, parse};
use crate::output::near_miss;
use crate::rules::{NearMiss, Profile, Rules};

/// The end of a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Exited with this status.
    Exited(i32),
    /// Killed by a signal.
    Killed,
    /// Could not be started, did not end in time, or wrote too much. An exit status does not count.
    Failed(String),
    /// Replied directly: the handler is a builtin or a model.
    Replied(Box<HandlerReply>),
}

/// A handler that ended, with its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The end of the handler.
    pub end: End,
    /// Standard output of the handler.
    pub stdout: String,
    /// Standard error of the handler.
    pub stderr: String,
}

impl Finished {
    /// A handler that failed for this reason.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self { end: End::Failed(reason.into()), stdout: String::new(), stderr: String::new() }
    }
}

/// The parsed answer of a handler.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// An answer.
    Answer(Box<HandlerReply>),
    /// Text, or no output.
    Text(String),
    /// A block by exit status 2; the reason is on standard error.
    Block {
        /// Unmodified standard error.
        stderr: String,
    },
    /// A failure; the output does not count.
    Failure {
        /// Reason of the failure.
        error: String,
        /// Unmodified standard error.
        stderr: String,
    },
    /// A failure that the profile ignores.
    PassedOver,
}

impl Eq for HandlerReply {}

/// Parses the answer of an event's handler. Also returns a description of output that was almost an answer.
///
/// ```
/// use hooks_command::output::{End, Finished, Reading, read};
/// use hooks_command::{Handler, HookEvent, Lane, Rules};
///
/// let event = HookEvent::named("pre_tool_use").ok_or("no such event")?;
/// let rules = Rules::default();
/// let reading = |status, stdout: &str, stderr: &str| {
///     let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
///     let finished = Finished { end: End::Exited(status), stdout, stderr };
///     read(event, rules.powers(event, Lane::Ordinary), &Handler::default(), rules, finished).0
/// };
/// assert_eq!(reading(0, "all is well", ""), Reading::Text("all is well".to_owned()));
/// assert_eq!(reading(2, "", "not on Fridays"), Reading::Block { stderr: "not on Fridays".to_owned() });
/// let Reading::Failure { error, .. } = reading(0, r#"{"decision": "forbid"}"#, "") else {
///     return Err("an unknown word is a failure");
/// };
/// assert_eq!(error, "`forbid` is not a decision; the one word is `block`");
/// # Ok::<(), &str>(())
/// ```
pub fn read(
    event: &HookEvent,
    powers: Powers,
    handler: &Handler,
    rules: Rules,
    finished: Finished,
) -> (Reading, Option<String>) {
    let Finished { end, stdout, stderr } = finished;
    let failure = |error: String, stderr: String| (Reading::Failure { error, stderr }, None);
    match end {
        End::Failed(error) => failure(error, stderr),
        End::Replied(reply) => match invalid(event, powers, handler, rules.profile, &reply) {
            Some(error) => failure(error, stderr),
            None => (Reading::Answer(reply), None),
        },
        End::Exited(2) => (Reading::Block { stderr }, None),
        End::Exited(0) => match parse(&stdout, handler.strict_output) {
            Err(_) if rules.profile == Profile::July => text_or_near_miss(powers, rules, stdout, stderr),
            Err(error) => failure(error.to_string(), stderr),
            Ok(None) => text_or_near_miss(powers, rules, stdout, stderr),
            Ok(Some(reply)) => match invalid(event, powers, handler, rules.profile, &reply) {
                Some(error) => failure(error, stderr),
                None => match told_near_miss(rules, &stdout) {
                    Some(problem) if powers.blocks || powers.guards => failure(problem, stderr),
                    problem => (Reading::Answer(Box::new(reply)), problem),
                },
            },
        },
        End::Exited(_) | End::Killed if rules.profile == Profile::July => (Reading::PassedOver, None),
        End::Exited(status) => failure(format!("exited with status {status}"), stderr),
        End::Killed => {
            failure("was ended by a signal, so that it has no exit status (-1)".to_owned(), stderr)
        }
    }
}

fn text_or_near_miss(
    powers: Powers,
    rules: Rules,
    stdout: String,
    stderr: String,
) -> (Reading, Option<String>) {
    match told_near_miss(rules, &stdout) {
        Some(error) if powers.blocks || powers.guards => (Reading::Failure { error, stderr }, None),
        problem => (Reading::Text(stdout), problem),
    }
}

fn told_near_miss(rules: Rules, stdout: &str) -> Option<String> {
    (rules.near_miss == NearMiss::Tell).then(|| near_miss(stdout)).flatten()
}

/// The reason why an answer is invalid: an unknown word, or a field that a strict handler must not use.
fn invalid(
    event: &HookEvent,
    powers: Powers,
    handler: &Handler,
    profile: Profile,
    reply: &HandlerReply,
) -> Option<String> {
    if profile == Profile::July {
        return None;
    }
    let strict = handler.strict_output;
    if strict && reply.suppress_output {
        return Some("suppress_output is not supported; write diagnostics to standard error".to_owned());
    }
    if !matches!(reply.decision.as_str(), "" | "block") {
        return Some(format!("`{}` is not a decision; the one word is `block`", reply.decision));
    }
    if strict && !powers.blocks && reply.blocks() {
        return Some(format!("{event} cannot be blocked"));
    }
    let specific = reply.specific.as_ref()?;
    if strict && !specific.event.is_empty() && specific.event != event.name {
        return Some(format!("its hook_event_name is `{}`, and this is {event}", specific.event));
    }
    if !matches!(specific.permission_decision.as_str(), "" | "allow" | "ask" | "deny") {
        let word = &specific.permission_decision;
        return Some(format!("`{word}` is not a permission_decision; write `allow`, `ask` or `deny`"));
    }
    if !strict {
        return None;
    }
    let permission =
        !specific.permission_decision.is_empty() || !specific.permission_decision_reason.is_empty();
    let useless = [
        ("permission_decision", permission, powers.decides || powers.approves),
        ("updated_input", specific.updated_input.is_some(), powers.rewrites == Rewrites::Arguments),
        ("updated_messages", specific.updated_messages.is_some(), powers.rewrites == Rewrites::Messages),
        (
            "updated_tool_response",
            specific.updated_tool_response.is_some(),
            powers.rewrites == Rewrites::Response,
        ),
        ("metadata", specific.metadata.is_some(), powers.metadata),
        ("additional_context", !specific.additional_context.is_empty(), powers.context),
        ("instruction_context", specific.instruction_context.is_some(), powers.instructions),
        ("summary", !specific.summary.is_empty(), powers.summary),
    ];
    let useless = useless.iter().find(|(_, is_said, is_used)| *is_said && !*is_used);
    useless.map(|(name, ..)| format!("{event} has no use for {name}"))
}

impl HandlerReply {
    /// Whether the answer blocks the event, whatever its verdict is.
    pub fn blocks(&self) -> bool {
        self.goes_on == Some(false) || self.decision == "block"
    }
}
