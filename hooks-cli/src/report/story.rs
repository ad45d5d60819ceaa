//! Denials and questions with what was asked, why, and what the session did next.

use std::collections::{HashMap, VecDeque};

use hooks::audit::{Position, Record};
use hooks::{EventKind, Strength};
use serde_json::{Value, json};

use super::counts::NAME;
use super::sections::rule_name;
use super::seen::{Said, Seen, is_single};
use crate::audit::plain::plain;
use crate::paint::one_line;

/// Most denials and questions; the last ones are kept.
const MOST: usize = 10_000;
/// Characters of a text.
pub(super) const TEXT: usize = 500;
/// Rules of a denial that are shown.
const MOST_RULES: usize = 8;
/// Calls of the agent after a denial that are shown, and the characters of each.
const NEXT: usize = 3;
pub(super) const NEXT_TEXT: usize = 120;

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
    agent: String,
    value: Value,
    next: Vec<Value>,
    /// Ids of the call and of the calls after it, whose results are waited for.
    calls: Vec<String>,
}

/// Part of a story to which a result belongs.
#[derive(Clone, Copy)]
struct StoryPart {
    /// Number of the story from the beginning.
    story: usize,
    /// Index of the call after it; `None` for its own.
    next: Option<usize>,
}

/// The last denials and questions.
#[derive(Default)]
pub(super) struct Stories {
    stories: VecDeque<Story>,
    /// Stories that were forgotten.
    forgotten: usize,
    /// Stories of each session that wait for its next calls, by their number from the beginning.
    open: HashMap<String, Vec<usize>>,
    /// Calls whose results are waited for, by session and id.
    waiting: HashMap<(String, String), Vec<StoryPart>>,
    /// Whether the log has results of calls.
    has_results: bool,
}

impl Stories {
    /// Adds a denial or a question.
    pub(super) fn begin(&mut self, position: &Position, record: &Record, seen: Option<&Seen>) {
        if self.stories.len() >= MOST {
            self.forget();
        }
        let text = |text: Option<&str>| text.map(|text| short(text, NAME));
        let outcome = if is_single(record) { json!(record.outcome) } else { json!("question") };
        let story = with_values(json!({
            "at": record.at.0,
            "position": short(&position.to_string(), NAME),
            "session": short(&record.session, NAME),
            "agent": short(&record.agent, NAME),
            "event": text(record.tool.is_none().then_some(&*record.event)),
            "tool": text(record.tool.as_deref()),
            "outcome": outcome,
            "answered": text(record.answered.as_deref()),
            "rules": is_single(record).then(|| rules(record, seen)),
            "asked": seen.map(|seen| short(&seen.asked, TEXT)),
        }));
        let number = self.forgotten + self.stories.len();
        if !record.session.is_empty() {
            self.open.entry(record.session.clone()).or_default().push(number);
        }
        let (session, agent) = (record.session.clone(), record.agent.clone());
        self.stories.push_back(Story { session, agent, value: story, next: Vec::new(), calls: Vec::new() });
        if record.event == EventKind::PreToolUse.name() {
            self.wait_for(record, StoryPart { story: number, next: None });
        }
    }

    fn story(&mut self, number: usize) -> Option<&mut Story> {
        self.stories.get_mut(number.checked_sub(self.forgotten)?)
    }

    /// Waits for the result of a call.
    fn wait_for(&mut self, record: &Record, place: StoryPart) {
        let Some(call) = &record.call else { return };
        if let Some(story) = self.story(place.story) {
            story.calls.push(call.clone());
            self.waiting.entry((record.session.clone(), call.clone())).or_default().push(place);
        }
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
        for call in story.calls {
            let key = (story.session.clone(), call);
            if let Some(places) = self.waiting.get_mut(&key) {
                places.retain(|place| place.story != number);
                if places.is_empty() {
                    self.waiting.remove(&key);
                }
            }
        }
    }

    /// Adds a call to the stories of its agent that wait for one, and a result to its call.
    pub(super) fn go_on(&mut self, record: &Record, seen: Option<&Seen>) {
        if record.event == EventKind::PreToolUse.name() {
            self.add_call(record, seen);
        } else if record.event == EventKind::PostToolUse.name() {
            self.add_result(record, seen);
        }
    }

    fn add_call(&mut self, record: &Record, seen: Option<&Seen>) {
        let Some(mut open) = self.open.remove(&record.session) else { return };
        // Most calls are allowed, so only other answers are written.
        let outcome = record.outcome.filter(|outcome| *outcome >= Strength::Ask);
        let call = with_values(json!({
            "tool": short(record.tool.as_deref().unwrap_or_default(), NEXT_TEXT),
            "outcome": outcome,
            "asked": seen.map(|seen| short(&seen.asked, NEXT_TEXT)),
        }));
        open.retain(|&number| {
            let Some(story) = self.story(number) else { return false };
            if story.agent != record.agent {
                return true;
            }
            story.next.push(call.clone());
            let (count, next) = (story.next.len(), story.next.len().checked_sub(1));
            self.wait_for(record, StoryPart { story: number, next });
            count < NEXT
        });
        if !open.is_empty() {
            self.open.insert(record.session.clone(), open);
        }
    }

    fn add_result(&mut self, record: &Record, seen: Option<&Seen>) {
        let Some(call) = &record.call else { return };
        self.has_results = true;
        if self.waiting.is_empty() {
            return;
        }
        let places = self.waiting.remove(&(record.session.clone(), call.clone())).unwrap_or_default();
        for place in places {
            let Some(story) = self.story(place.story) else { continue };
            let Some(next) = place.next else {
                story.set("ran", json!(if record.failed { "failed" } else { "yes" }));
                if let Some(answer) = seen.and_then(|seen| seen.answer.as_deref()) {
                    story.set("answer", json!(short(answer, TEXT)));
                }
                continue;
            };
            if let Some(call) =
                story.next.get_mut(next).and_then(Value::as_object_mut).filter(|_| record.failed)
            {
                call.insert("failed".to_owned(), json!(true));
            }
        }
    }

    /// The stories, the last first, as far as they fit into `room` bytes of the page.
    pub(super) fn json(self, room: usize, left_out: &mut Vec<String>) -> Vec<Value> {
        let all = self.forgotten + self.stories.len();
        let (mut bytes, mut shown) = (0_usize, Vec::new());
        for mut story in self.stories.into_iter().rev() {
            // If the agent went on, a result would have been recorded before.
            let went_on = self.has_results && !story.next.is_empty() && !story.calls.is_empty();
            if went_on
                && story.value.get("outcome") == Some(&json!(Strength::Ask))
                && story.value.get("ran").is_none()
            {
                story.set("ran", json!("no"));
            }
            let next = std::mem::take(&mut story.next);
            story.set("next", next.into());
            bytes = bytes.saturating_add(super::page::escaped(&story.value).len() + 1);
            if bytes > room {
                break;
            }
            shown.push(story.value);
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

impl Story {
    fn set(&mut self, field: &str, value: Value) {
        if let Some(fields) = self.value.as_object_mut() {
            fields.insert(field.to_owned(), value);
        }
    }
}

/// The rules that denied or asked, and their reasons; the one that leads the answer to the client comes first.
fn rules(record: &Record, seen: Option<&Seen>) -> Vec<Value> {
    let said = seen.iter().flat_map(|seen| &seen.reasons).filter(|said| said.stops());
    let mut rules: Vec<Value> = said.take(MOST_RULES).map(|said| rule(record, said)).collect();
    if rules.is_empty() {
        let said = |text: &Option<String>| text.clone().unwrap_or_default();
        let decided = Said { policy: said(&record.policy), rule: said(&record.rule), ..Said::default() };
        rules.push(rule(record, &Said { strength: record.outcome.unwrap_or_default(), ..decided }));
    }
    rules
}

fn rule(record: &Record, said: &Said) -> Value {
    with_values(json!({
        "name": short(&rule_name(&said.policy, &said.rule), NAME),
        "reason": (!said.message.is_empty()).then(|| short(&said.message, TEXT)),
        "outcome": (Some(said.strength) != record.outcome).then_some(said.strength),
    }))
}
