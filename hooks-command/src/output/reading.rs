//! From how a handler ended to what it said.

use crate::config::Handler;
use crate::event::{HookEvent, Powers, Rewrites};
use crate::output::json::{Said, parse};
use crate::output::near_miss;
use crate::rules::{NearMiss, Profile, Rules};

/// How a handler ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With this exit status.
    Exited(i32),
    /// By a signal.
    Killed,
    /// It could not be started, or did not end in time, or wrote too much: no status of its own counts.
    Failed(String),
    /// It is a function of the host or a model, and gave its answer directly.
    Answered(Box<Said>),
}

/// A handler that ended, and what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Finished {
    /// One that failed, for this reason.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self { end: End::Failed(reason.into()), stdout: String::new(), stderr: String::new() }
    }
}

/// What a handler said.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// An answer.
    Answer(Box<Said>),
    /// Text, or nothing.
    Text(String),
    /// Exit 2: a block, for the reason on standard error.
    Block {
        /// Standard error, as it was written.
        stderr: String,
    },
    /// Nothing that counts, and why that is so.
    Failure {
        /// Why.
        error: String,
        /// Standard error, as it was written.
        stderr: String,
    },
    /// Nothing that counts, in a generation that does not mind.
    PassedOver,
}

impl Eq for Said {}

/// Reads what a handler of an event said, and what of it was nearly an answer.
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
        End::Answered(said) => match invalid(event, powers, handler, rules.profile, &said) {
            Some(error) => failure(error, stderr),
            None => (Reading::Answer(said), None),
        },
        End::Exited(2) => (Reading::Block { stderr }, None),
        End::Exited(0) => match parse(&stdout, handler.strict_output) {
            Err(_) if rules.profile == Profile::July => text_or_near_miss(powers, rules, stdout, stderr),
            Err(error) => failure(error.to_string(), stderr),
            Ok(None) => text_or_near_miss(powers, rules, stdout, stderr),
            Ok(Some(said)) => match invalid(event, powers, handler, rules.profile, &said) {
                Some(error) => failure(error, stderr),
                None => match told_near_miss(rules, &stdout) {
                    Some(problem) if powers.blocks || powers.guards => failure(problem, stderr),
                    problem => (Reading::Answer(Box::new(said)), problem),
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

/// Why an answer cannot be used: words that nobody knows, and what a strict handler must not say.
fn invalid(
    event: &HookEvent,
    powers: Powers,
    handler: &Handler,
    profile: Profile,
    said: &Said,
) -> Option<String> {
    if profile == Profile::July {
        return None;
    }
    let strict = handler.strict_output;
    if strict && said.suppress_output {
        return Some("suppress_output is not supported; write diagnostics to standard error".to_owned());
    }
    if !matches!(said.decision.as_str(), "" | "block") {
        return Some(format!("`{}` is no decision; the one word is `block`", said.decision));
    }
    if strict && !powers.blocks && said.blocks() {
        return Some(format!("{event} cannot be blocked"));
    }
    let specific = said.specific.as_ref()?;
    if strict && !specific.event.is_empty() && specific.event != event.name {
        return Some(format!("its hook_event_name is `{}`, and this is {event}", specific.event));
    }
    if !matches!(specific.permission_decision.as_str(), "" | "allow" | "ask" | "deny") {
        let word = &specific.permission_decision;
        return Some(format!("`{word}` is no permission_decision; write `allow`, `ask` or `deny`"));
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

impl Said {
    /// Whether it stops what is about to happen, whatever its verdict is.
    pub fn blocks(&self) -> bool {
        self.goes_on == Some(false) || self.decision == "block"
    }
}
