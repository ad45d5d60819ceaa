//! Merges the answers of several handlers of one event. Pure; always in the order of the block, not in the
//! order of the answers.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::config::{Handler, OnError};
use crate::event::{HookEvent, Powers, Rewrites};
use crate::output::{HandlerReply, Message, Reading, SpecificReply};
use crate::rules::{Names, Profile, Rules};

/// The merged answers of the handlers of one event. `Default` does not allow the event, unlike
/// [`Merged::nothing`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Merged {
    /// Whether the event is allowed. Check this first: next to a block, `decision` can be allow.
    pub allowed: bool,
    /// Reasons against the event.
    #[serde(serialize_with = "lines", skip_serializing_if = "Vec::is_empty")]
    pub message: Vec<String>,
    /// The strongest verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<HandlerVerdict>,
    /// Reason of the verdict; for a permission request, the reason to allow it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub decision_reason: String,
    /// Whether a permission request was allowed in place of the user.
    #[serde(skip_serializing_if = "is_false")]
    pub permission_allowed: bool,
    /// The changed arguments: all arguments since the September profile, only the patches before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Map<String, Value>>,
    /// The changed messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_messages: Option<Vec<Message>>,
    /// The changed result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_tool_response: Option<String>,
    /// A summary in place of the host's.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Metadata for the user who is asked.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, Value>,
    /// Texts for the model.
    #[serde(serialize_with = "lines", skip_serializing_if = "Vec::is_empty")]
    pub additional_context: Vec<String>,
    /// Texts for the model, each with a key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instruction_context: Vec<Value>,
    /// Texts for the user.
    #[serde(serialize_with = "lines", skip_serializing_if = "Vec::is_empty")]
    pub system_message: Vec<String>,
    /// 2 after a block by exit status, -1 after a failure; of the last handler that set it.
    #[serde(skip_serializing_if = "is_zero")]
    pub exit_code: i32,
    /// Standard error of the last handler that set it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// Whether a handler hides its output from the user. docker-agent has no use for it, but clients have.
    #[serde(skip)]
    pub suppress_output: bool,
    /// The contribution of each handler, in order.
    #[serde(skip)]
    pub reports: Vec<Report>,
}

/// A verdict about a tool call. The order of the variants is the order of strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HandlerVerdict {
    /// Allows the call.
    Allow,
    /// Leaves the decision to the user.
    Ask,
    /// Denies the call.
    Deny,
}

/// The contribution of one handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Name of the handler in messages.
    pub handler: String,
    /// Effect of the handler.
    pub came_to: CameTo,
    /// Description and correction of output that was almost an answer.
    pub near_miss: Option<String>,
}

/// The effect of a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CameTo {
    /// No decision.
    Nothing,
    /// A verdict with its reason.
    Verdict(HandlerVerdict, String),
    /// A block with its reason.
    Block(String),
    /// The handler failed.
    Failed {
        /// Reason of the failure.
        error: String,
        /// Whether the failure is a block.
        blocks: bool,
    },
}

impl HandlerVerdict {
    fn from_word(word: &str) -> Option<Self> {
        match word {
            "allow" => Some(Self::Allow),
            "ask" => Some(Self::Ask),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }
}

impl Merged {
    /// The result of no answers.
    pub fn nothing() -> Self {
        Self { allowed: true, ..Self::default() }
    }
}

/// Merges the answers of an event's handlers.
///
/// ```
/// use hooks_command::merge::{Merger, HandlerVerdict};
/// use hooks_command::output::{Reading, parse};
/// use hooks_command::{Handler, HookEvent, Lane, Rules};
/// use serde_json::json;
///
/// let event = HookEvent::named("tool_guard").ok_or("no such event")?;
/// let rules = Rules::default();
/// let mut merger = Merger::new(event, rules.powers(event, Lane::Ordinary), rules);
/// for (name, decision) in [("first", "allow"), ("second", "deny")] {
///     let specific = json!({"permission_decision": decision, "permission_decision_reason": name});
///     let output = json!({"hook_specific_output": specific}).to_string();
///     let said = parse(&output, false)?.ok_or("an answer")?;
///     merger.add(&Handler::command(name), Reading::Answer(Box::new(said)), None);
/// }
/// let merged = merger.finish();
/// assert!(!merged.allowed, "the strongest verdict counts");
/// assert_eq!((merged.decision, &*merged.decision_reason), (Some(HandlerVerdict::Deny), "second"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Merger {
    event: &'static HookEvent,
    powers: Powers,
    profile: Profile,
    names: Names,
    merged: Merged,
}

impl Merger {
    /// A merger without answers.
    pub fn new(event: &'static HookEvent, powers: Powers, rules: Rules) -> Self {
        Self { event, powers, profile: rules.profile, names: rules.names, merged: Merged::nothing() }
    }

    /// The name of a handler in messages.
    fn name<'h>(&self, handler: &'h Handler) -> &'h str {
        match self.names {
            Names::Place => handler.label(),
            Names::Command => handler.title(),
        }
    }

    /// Adds the answer of the next handler, and a description of output that was almost an answer.
    pub fn add(&mut self, handler: &Handler, reading: Reading, near_miss: Option<String>) {
        if let Some(problem) = &near_miss {
            self.tell(handler, problem);
        }
        let came_to = match reading {
            Reading::PassedOver => CameTo::Nothing,
            Reading::Failure { error, stderr } => self.failed(handler, error, stderr),
            Reading::Block { stderr } => self.blocked(handler, stderr),
            Reading::Text(text) => {
                if !text.is_empty() && self.powers.context {
                    self.merged.additional_context.push(text.trim().to_owned());
                }
                CameTo::Nothing
            }
            Reading::Answer(reply) => self.answered(handler, *reply),
        };
        self.merged.reports.push(Report { handler: self.name(handler).to_owned(), came_to, near_miss });
    }

    /// The merged answers.
    pub fn finish(self) -> Merged {
        self.merged
    }

    fn failed(&mut self, handler: &Handler, error: String, stderr: String) -> CameTo {
        let Powers { closes, blocks, guards, .. } = self.powers;
        let on_error = handler.on_error.unwrap_or(if guards { OnError::Block } else { OnError::Warn });
        let blocks = closes || ((blocks || guards) && on_error == OnError::Block);
        let event = match self.profile {
            // The July profile uses this name for every event.
            Profile::July => "PreToolUse",
            Profile::September => self.event.name,
        };
        let message = format!("{event} hook failed to execute: hook \"{}\": {error}", self.name(handler));
        if blocks {
            self.merged.allowed = false;
            self.merged.exit_code = -1;
            self.merged.stderr = stderr;
            self.merged.message.push(message);
        } else if on_error != OnError::Ignore && self.profile != Profile::July {
            self.merged.system_message.push(message);
        }
        CameTo::Failed { error, blocks }
    }

    fn blocked(&mut self, handler: &Handler, stderr: String) -> CameTo {
        if !self.powers.blocks {
            self.cannot_block(handler, "exit 2");
            return CameTo::Nothing;
        }
        self.merged.allowed = false;
        self.merged.exit_code = 2;
        let why = stderr.trim().to_owned();
        if !stderr.is_empty() {
            self.merged.message.push(why.clone());
            self.merged.stderr = stderr;
        }
        CameTo::Block(why)
    }

    fn answered(&mut self, handler: &Handler, reply: HandlerReply) -> CameTo {
        let mut came_to = CameTo::Nothing;
        if reply.blocks() {
            if self.powers.blocks {
                self.merged.allowed = false;
                let stopped = (reply.goes_on == Some(false)).then_some(reply.stop_reason);
                let blocked = (reply.decision == "block").then_some(reply.reason);
                let why: Vec<_> =
                    [stopped, blocked].into_iter().flatten().filter(|why| !why.is_empty()).collect();
                came_to = CameTo::Block(why.join("\n"));
                self.merged.message.extend(why);
            } else {
                self.cannot_block(handler, "a block");
            }
        }
        self.merged.suppress_output |= reply.suppress_output;
        if !reply.system_message.is_empty() {
            self.merged.system_message.push(reply.system_message);
        }
        let Some(specific) = reply.specific else { return came_to };
        match self.specific(handler, specific) {
            CameTo::Nothing => came_to,
            // A block is stronger than an allow or a question.
            verdict if came_to == CameTo::Nothing => verdict,
            _ => came_to,
        }
    }

    fn specific(&mut self, handler: &Handler, reply: SpecificReply) -> CameTo {
        let Powers { rewrites, decides, approves, .. } = self.powers;
        let came_to = self.permission(handler, &reply, decides, approves);
        if let Some(patch) = reply.updated_input.filter(|_| rewrites == Rewrites::Arguments) {
            self.merged.updated_input.get_or_insert_default().extend(patch);
        }
        let first_stands = self.profile == Profile::July;
        if let Some(messages) = reply.updated_messages.filter(|messages| !messages.is_empty())
            && rewrites == Rewrites::Messages
            && !(first_stands && self.merged.updated_messages.is_some())
        {
            self.merged.updated_messages = Some(messages);
        }
        if let Some(response) = reply.updated_tool_response
            && rewrites == Rewrites::Response
            && !(first_stands && self.merged.updated_tool_response.is_some())
        {
            self.merged.updated_tool_response = Some(response);
        }
        if self.powers.summary && self.merged.summary.is_empty() {
            self.merged.summary = reply.summary;
        }
        if let Some(metadata) = reply.metadata.filter(|_| self.powers.metadata) {
            self.merged.metadata.extend(metadata);
        }
        // The July profile collects context at every event, and leaves its use to the caller.
        if !reply.additional_context.is_empty() && (self.powers.context || self.profile == Profile::July) {
            self.merged.additional_context.push(reply.additional_context);
        }
        if self.powers.instructions {
            self.merged.instruction_context.extend(reply.instruction_context.into_iter().flatten());
        }
        came_to
    }

    fn permission(
        &mut self,
        handler: &Handler,
        reply: &SpecificReply,
        decides: bool,
        approves: bool,
    ) -> CameTo {
        if reply.permission_decision.is_empty() {
            return CameTo::Nothing;
        }
        if !decides && !approves {
            if self.profile != Profile::July {
                self.merged.system_message.push(format!(
                    "{} hook \"{}\" returned permission_decision, but this event does not support approval decisions",
                    self.event,
                    self.name(handler)
                ));
            }
            return CameTo::Nothing;
        }
        let Some(verdict) = HandlerVerdict::from_word(&reply.permission_decision) else {
            return CameTo::Nothing;
        };
        let why = &reply.permission_decision_reason;
        if decides && Some(verdict) > self.merged.decision {
            self.merged.decision = Some(verdict);
            self.merged.decision_reason.clone_from(why);
        }
        match verdict {
            HandlerVerdict::Deny => {
                self.merged.allowed = false;
                if !why.is_empty() {
                    self.merged.message.push(why.clone());
                }
            }
            HandlerVerdict::Allow => {
                self.merged.permission_allowed |= approves;
                if self.profile == Profile::July {
                    self.merged.additional_context.extend(Some(why.clone()).filter(|why| !why.is_empty()));
                } else if approves && self.merged.decision_reason.is_empty() {
                    self.merged.decision_reason.clone_from(why);
                }
            }
            // "ask" has no effect at an event that already asks the user.
            HandlerVerdict::Ask if approves => return CameTo::Nothing,
            HandlerVerdict::Ask => {}
        }
        CameTo::Verdict(verdict, why.clone())
    }

    fn cannot_block(&mut self, handler: &Handler, what: &str) {
        let name = self.name(handler);
        self.merged
            .system_message
            .push(format!("{} hook \"{name}\" returned {what}, but this event cannot block", self.event));
    }

    fn tell(&mut self, handler: &Handler, problem: &str) {
        let name = self.name(handler);
        self.merged.system_message.push(format!("{} hook \"{name}\": {problem}", self.event));
    }
}

fn lines<S: serde::Serializer>(lines: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&lines.join("\n"))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_zero(number: &i32) -> bool {
    *number == 0
}
