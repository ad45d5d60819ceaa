//! Denials and questions with what was asked, why, and what the session did next.

use std::collections::{HashMap, VecDeque};

use hooks::audit::{Position, Record};
use hooks::{EventKind, Strength};
use serde_json::{Value, json};

use super::collect::Seen;
use super::counts::NAME;
use crate::audit::plain::plain;
use crate::paint::one_line;

/// Most denials and questions; the last ones are kept.
const MOST: usize = 10_000;
/// Characters of a text.
const TEXT: usize = 500;
/// Calls after a denial that are shown, and the characters of each.
const NEXT: usize = 3;
const NEXT_TEXT: usize = 120;

/// A text of the log on one line, at most `most` characters, that cannot change the direction of others.
pub(super) fn short(text: &str, most: usize) -> String {
    plain(&one_line(text, most))
}

/// The object without fields that have no value, because there are thousands.
fn with_values(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    object
}

struct Story {
    session: String,
    value: Value,
    next: Vec<Value>,
}

/// The last denials and questions.
#[derive(Default)]
pub(super) struct Stories {
    stories: VecDeque<Story>,
    /// Stories that were forgotten.
    forgotten: usize,
    /// Stories of each session that wait for its next calls, by their number from the beginning.
    open: HashMap<String, Vec<usize>>,
}

impl Stories {
    /// Adds a denial or a question.
    pub(super) fn begin(&mut self, position: &Position, record: &Record, seen: Option<&Seen>) {
        if self.stories.len() >= MOST {
            self.forget();
        }
        let text = |text: Option<&str>| text.map(|text| short(text, NAME));
        let story = with_values(json!({
            "at": record.at.0,
            "position": short(&position.to_string(), NAME),
            "session": short(&record.session, NAME),
            "agent": short(&record.agent, NAME),
            "event": text(record.tool.is_none().then_some(&*record.event)),
            "tool": text(record.tool.as_deref()),
            "outcome": record.outcome,
            "answered": text(record.answered.as_deref()),
            "policy": text(record.policy.as_deref()),
            "rule": text(record.rule.as_deref()),
            "asked": seen.map(|seen| short(&seen.asked, TEXT)),
            "reason": seen.and_then(|seen| seen.reason.as_deref()).map(|reason| short(reason, TEXT)),
        }));
        let number = self.forgotten + self.stories.len();
        if !record.session.is_empty() {
            self.open.entry(record.session.clone()).or_default().push(number);
        }
        self.stories.push_back(Story { session: record.session.clone(), value: story, next: Vec::new() });
    }

    fn forget(&mut self) {
        let Some(story) = self.stories.pop_front() else { return };
        let number = self.forgotten;
        self.forgotten += 1;
        if let Some(open) = self.open.get_mut(&story.session) {
            open.retain(|other| *other != number);
            if open.is_empty() {
                self.open.remove(&story.session);
            }
        }
    }

    /// Adds a call to the stories of its session that wait for one.
    pub(super) fn go_on(&mut self, record: &Record, seen: Option<&Seen>) {
        if record.event != EventKind::PreToolUse.name() {
            return;
        }
        let Some(open) = self.open.get_mut(&record.session) else { return };
        // Most calls are allowed, so only other answers are written.
        let outcome = record.outcome.unwrap_or(Strength::NoOpinion);
        let call = with_values(json!({
            "tool": short(record.tool.as_deref().unwrap_or_default(), NEXT_TEXT),
            "outcome": (outcome != Strength::Allow).then_some(outcome),
            "asked": seen.map(|seen| short(&seen.asked, NEXT_TEXT)),
        }));
        open.retain(|number| {
            let story = number.checked_sub(self.forgotten).and_then(|at| self.stories.get_mut(at));
            story.is_some_and(|story| {
                story.next.push(call.clone());
                story.next.len() < NEXT
            })
        });
        if open.is_empty() {
            self.open.remove(&record.session);
        }
    }

    /// The stories, the last first, as far as they fit into `room` bytes of the page.
    pub(super) fn json(self, room: usize, left_out: &mut Vec<String>) -> Vec<Value> {
        let all = self.forgotten + self.stories.len();
        let (mut bytes, mut shown) = (0_usize, Vec::new());
        for Story { mut value, next, .. } in self.stories.into_iter().rev() {
            if let Some(fields) = value.as_object_mut() {
                fields.insert("next".to_owned(), next.into());
            }
            bytes = bytes.saturating_add(super::page::escaped(&value).len() + 1);
            if bytes > room {
                break;
            }
            shown.push(value);
        }
        if shown.len() < all {
            left_out.push(format!(
                "There were {all} denials and questions; the last {} are here. The sums have all.",
                shown.len()
            ));
        }
        shown
    }
}
