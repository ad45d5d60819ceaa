//! Denials and questions that rules in the shadow would have given, by rule, with the last examples of each.

use std::collections::BTreeMap;

use hooks::audit::{Position, Record};
use hooks::{EventKind, Strength};
use serde::Serialize;

/// Examples of each rule.
const MOST_EXAMPLES: usize = 3;
/// Most answers of rules that are counted.
const MOST_RULES: usize = 1_000;

/// Answers of one rule in the shadow.
#[derive(Debug, Serialize)]
pub(crate) struct WouldHaves {
    pub(crate) policy: String,
    pub(crate) rule: String,
    pub(crate) outcome: Strength,
    pub(crate) count: u64,
    /// The last ones.
    pub(crate) examples: Vec<Example>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Example {
    pub(crate) position: String,
    pub(crate) at: String,
    pub(crate) agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    /// Arguments, or the event, unless they were erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// Answers of all rules in the shadow.
#[derive(Default)]
pub(crate) struct AllWouldHaves(BTreeMap<(String, String, Strength), WouldHaves>);

impl AllWouldHaves {
    /// Counts the answers in a record. `call` is the text of an example; `reason` finds the message of a policy and rule.
    pub(crate) fn add(
        &mut self,
        record: &Record,
        position: &Position,
        call: Option<&str>,
        reason: impl Fn(&str, &str) -> Option<String>,
    ) {
        let is_decided = EventKind::from_name(&record.event).is_some_and(EventKind::decides);
        if !is_decided || record.outcome.is_none() {
            return;
        }
        for would in &record.would {
            let key = (would.policy.clone(), would.rule.clone(), would.outcome);
            if self.0.len() >= MOST_RULES && !self.0.contains_key(&key) {
                continue;
            }
            let rule = self.0.entry(key).or_insert_with(|| WouldHaves {
                policy: would.policy.clone(),
                rule: would.rule.clone(),
                outcome: would.outcome,
                count: 0,
                examples: Vec::new(),
            });
            rule.count += 1;
            if rule.examples.len() == MOST_EXAMPLES {
                rule.examples.remove(0);
            }
            rule.examples.push(Example {
                position: position.to_string(),
                at: record.at.to_string(),
                agent: record.agent.clone(),
                tool: record.tool.clone(),
                call: call.map(str::to_owned),
                reason: reason(&would.policy, &would.rule),
            });
        }
    }

    /// All, the most frequent first.
    pub(crate) fn into_rows(self) -> Vec<WouldHaves> {
        let mut rows: Vec<_> = self.0.into_values().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.count));
        rows
    }
}
