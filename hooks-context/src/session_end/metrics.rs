//! Metrics and recap of a session.

use std::time::Duration;

use hooks_core::event::EndReason;
use hooks_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::Counts;
use super::record::Ended;

/// Metrics of one end of one session, a file below `metrics/`.
///
/// ```
/// use hooks_context::session_end::SessionMetrics;
/// use hooks_core::event::EndReason;
///
/// let file = r#"{
///     "version": 1, "session": "session-1", "agent": "backend",
///     "started": 1795338000000, "ended": 1795338060000, "duration_ms": 60000,
///     "reason": "complete", "error": null, "tokens": 1200, "tool_calls": 3,
///     "files_modified": ["src/a.rs"], "denials": 1
/// }"#;
/// let metrics: SessionMetrics = serde_json::from_str(file)?;
/// assert_eq!((metrics.reason, metrics.counts.denials), (EndReason::Complete, 1));
/// assert_eq!(metrics.ended.to_string(), "2026-11-22T09:01:00.000Z");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionMetrics {
    /// Version of the format.
    pub version: u32,
    /// Id of the session.
    pub session: String,
    /// Name of the agent.
    pub agent: String,
    /// Start of the session, if known.
    pub started: Option<Timestamp>,
    /// End of the session.
    pub ended: Timestamp,
    /// Duration in milliseconds.
    pub duration_ms: u64,
    /// Reason of the end.
    pub reason: EndReason,
    /// Error that ended the session, if there was one.
    pub error: Option<String>,
    /// Tokens used.
    pub tokens: u64,
    /// Tool calls that ran.
    pub tool_calls: u64,
    /// Files that were written.
    pub files_modified: Vec<String>,
    /// Counts of other events.
    #[serde(flatten)]
    pub counts: Counts,
}

impl SessionMetrics {
    pub(super) fn from_ended(ended: &Ended) -> Self {
        let end = ended.end.clone();
        // Some clients do not report the duration.
        let lasted = ended.since.map_or(Duration::ZERO, |since| ended.at.since(since));
        let lasted = u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX);
        let Counts { seen_calls, seen_tokens, .. } = ended.counts;
        Self {
            version: 1,
            session: ended.session.clone(),
            agent: ended.agent.clone(),
            started: ended.since,
            ended: ended.at,
            duration_ms: if end.duration_ms == 0 { lasted } else { end.duration_ms },
            reason: end.reason,
            error: end.error,
            tokens: end.tokens_used.max(seen_tokens),
            tool_calls: end.tool_call_count.max(seen_calls),
            files_modified: end.files_modified,
            counts: Counts { seen_calls: 0, seen_tokens: 0, ..ended.counts },
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // The value has only text and numbers, so it can always be encoded as JSON.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Formats the recap for readers.
    pub(super) fn recap(&self, work: Option<(&str, &[String])>) -> String {
        let reason = serde_json::to_value(self.reason).ok();
        let reason = reason.as_ref().and_then(|reason| reason.as_str()).unwrap_or("over").replace('_', " ");
        let Counts { decisions, directives, rewrites, denials, cost_micro_usd, .. } = self.counts;
        // The main agent of a client may have no name, and a count that a client does not report is not zero.
        let agent = Some(line(&self.agent)).filter(|agent| !agent.is_empty());
        let after = match self.duration_ms {
            0 => String::new(),
            duration_ms => format!(", after {} s", duration_ms / 1_000),
        };
        let used = match (self.tokens, self.tool_calls, cost_micro_usd) {
            (0, 0, 0) => String::new(),
            (tokens, calls, cost) => format!(
                "- **Used:** {tokens} tokens, {calls} tool calls, ${}.{:06}\n",
                cost / 1_000_000,
                cost % 1_000_000
            ),
        };
        let mut text = format!(
            "# Session {}\n\n- **Agent:** {}\n- **Ended:** {} ({reason}){after}\n{used}- **Rules:** {denials} denials, {rewrites} rewrites\n- **Decided:** {decisions} decisions, {directives} directives\n",
            line(&self.session),
            agent.as_deref().unwrap_or("main agent"),
            self.ended,
        );
        if let Some(error) = &self.error {
            text.push_str(&format!("- **Error:** {}\n", line(error)));
        }
        let list = |title: &str, items: &[String]| {
            let items: String = items.iter().map(|item| format!("- {}\n", line(item))).collect();
            if items.is_empty() { items } else { format!("\n## {title}\n\n{items}") }
        };
        text.push_str(&list("Files", &self.files_modified));
        if let Some((source, items)) = work {
            text.push_str(&list(&format!("Open in {}", line(source)), items));
        }
        text
    }
}

/// Puts `text` on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
