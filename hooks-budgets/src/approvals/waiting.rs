//! Calls that wait for an approval, and their form in the store.

use hooks_core::drivers::ApprovalRequest;
use hooks_core::time::Timestamp;
use hooks_redaction::Scrubber;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::code::ApprovalCode;

/// Maximum length of the arguments of a call, in bytes.
const LONGEST_ARGUMENTS: usize = 8 << 10;
/// Maximum length of any other text, in bytes.
const LONGEST_TEXT: usize = 1 << 10;
/// Most reasons of a call.
const MOST_REASONS: usize = 8;

/// A call that waits for an approval, or has one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitingCall {
    /// Code of the call.
    pub code: ApprovalCode,
    /// Tenant of the call.
    pub tenant: Option<String>,
    /// Name of the tool.
    pub tool: String,
    /// Arguments of the call as JSON, without secrets if redaction is set.
    pub arguments: String,
    /// Whether the arguments were longer than what is stored of them.
    pub is_cut: bool,
    /// Reasons for the question.
    pub reasons: Vec<String>,
    /// Session that made the call last.
    pub session: String,
    /// Agent that made the call.
    pub agent: String,
    /// Folder in which the call is made.
    pub folder: String,
    /// Client of the agent, if there is one.
    pub client: Option<String>,
    /// Time of the call, by the store's clock.
    pub since: Timestamp,
    /// Person who approved the call, and the time at which the approval ends.
    pub approved: Option<(String, Timestamp)>,
    pub(super) revision: u64,
    pub(super) entry: Entry,
}

/// A call in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Digest of the call, in hex.
    pub(super) digest: String,
    pub(super) state: EntryState,
    pub(super) tool: String,
    pub(super) arguments: String,
    #[serde(default)]
    pub(super) is_cut: bool,
    #[serde(default)]
    pub(super) reasons: Vec<String>,
    #[serde(default)]
    pub(super) session: String,
    #[serde(default)]
    pub(super) agent: String,
    #[serde(default)]
    pub(super) folder: String,
    #[serde(default)]
    pub(super) client: Option<String>,
    pub(super) since: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum EntryState {
    /// A person has to approve the call.
    Waiting,
    /// The next such call passes.
    Approved { by: String, until: Timestamp },
    /// The approved call passed.
    Used,
}

impl Entry {
    /// The entry of a call that waits.
    pub(super) fn new(
        question: &ApprovalRequest,
        digest: String,
        client: Option<&str>,
        scrubber: Option<&Scrubber>,
        since: Timestamp,
    ) -> Self {
        let (call, context) = (question.request.event(), question.request.context());
        let scrubbed =
            |text: &str| scrubber.map_or_else(|| text.to_owned(), |it| it.scrub(text).into_owned());
        let arguments = match scrubber {
            Some(scrubber) => {
                let mut arguments: Value = call.tool_args.clone();
                scrubber.scrub_value(&mut arguments);
                arguments.to_string()
            }
            None => call.tool_args.to_string(),
        };
        let short = |text: &str| cut(scrubbed(text), LONGEST_TEXT);
        let reasons = question.reasons.iter().take(MOST_REASONS).map(|reason| short(&reason.message));
        Self {
            digest,
            state: EntryState::Waiting,
            tool: short(&call.tool_name),
            is_cut: arguments.len() > LONGEST_ARGUMENTS,
            arguments: cut(arguments, LONGEST_ARGUMENTS),
            reasons: reasons.collect(),
            session: short(&context.session_id),
            agent: short(&context.agent_name),
            folder: short(&context.cwd.to_string_lossy()),
            client: client.map(str::to_owned),
            since,
        }
    }

    /// The call, as a person sees it.
    pub(super) fn shown(self, code: ApprovalCode, tenant: Option<&str>, revision: u64) -> WaitingCall {
        let entry = self.clone();
        let approved = match self.state {
            EntryState::Approved { by, until } => Some((by, until)),
            EntryState::Waiting | EntryState::Used => None,
        };
        WaitingCall {
            code,
            tenant: tenant.map(str::to_owned),
            tool: self.tool,
            arguments: self.arguments,
            is_cut: self.is_cut,
            reasons: self.reasons,
            session: self.session,
            agent: self.agent,
            folder: self.folder,
            client: self.client,
            since: self.since,
            approved,
            revision,
            entry,
        }
    }
}

/// The beginning of a text that is too long.
fn cut(mut text: String, longest: usize) -> String {
    if text.len() > longest {
        let end = (0..=longest).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        text.truncate(end);
        text.push('…');
    }
    text
}
