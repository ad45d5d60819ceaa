//! The pass over the log.

use std::path::Path;

use hooks::audit::keep::Selection;
use hooks::audit::{Committed, Kept, Payload, Record};
use hooks::config::Config;
use hooks::{EventKind, Strength};
use serde::Deserialize;
use serde_json::{Value, json};

use super::counts::{Counts, NAME, Times};
use super::page;
use super::story::{Stories, short};
use crate::audit::sums::{Sums, Table, decides};
use crate::subject::Subject;

/// Most sessions and agents on the page.
const MOST_SESSIONS: usize = 300;
const MOST_AGENTS: usize = 200;
/// Most bytes of the data of a page, without the list of what it leaves out.
const MOST_BYTES: usize = 4_900_000;
/// Most characters of a reason that are kept.
const MOST_REASON: usize = 600;

/// Sections of a configuration that judge calls, and their policies.
const JUDGES: [(&str, &str); 12] = [
    ("write_guard", "write-guard"),
    ("read_guard", "read-guard"),
    ("command_guard", "command-guard"),
    ("reviewer_lockout", "reviewer-lockout"),
    ("ask_user", "ask-limit"),
    ("budget", "spend-budget"),
    ("boundaries", "boundaries"),
    ("ceremonies", "ceremonies"),
    ("decisions", "decisions"),
    ("phases", "phases"),
    ("routes", "routes"),
    ("sequences", "sequences"),
];

/// The part of a payload that the report needs.
#[derive(Default)]
pub(super) struct Seen {
    /// The subject of the call, or the whole event.
    pub(super) asked: String,
    /// The reason of the answer.
    pub(super) reason: Option<String>,
    file: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CallEvent {
    tool_args: Subject,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CallPayload {
    event: CallEvent,
}

impl Seen {
    /// Reads the payload as far as the report needs it: whole if the event was denied or asked about.
    pub(super) fn parse(record: &Record, json: &[u8]) -> Option<Self> {
        if is_single(record) {
            return Some(Self::whole(record, &serde_json::from_slice(json).ok()?));
        }
        if record.event != EventKind::PreToolUse.name() {
            return Some(Self::default());
        }
        // Arguments of another form have no subject.
        let call: CallPayload = serde_json::from_slice(json).unwrap_or_default();
        let subject = call.event.tool_args;
        Some(Self {
            file: subject.file().map(str::to_owned),
            asked: subject.any().unwrap_or_default(),
            reason: None,
        })
    }

    fn whole(record: &Record, payload: &Payload) -> Self {
        let arguments = payload.event.get("tool_args");
        let known = arguments.and_then(|arguments| Subject::deserialize(arguments).ok()?.known());
        let asked = known.unwrap_or_else(|| cut(&arguments.unwrap_or(&payload.event).to_string()));
        let strength = serde_json::to_value(record.outcome).unwrap_or_default();
        let mut reasons = payload.reasons.iter().filter(|reason| reason.get("strength") == Some(&strength));
        let reason = reasons.find_map(|reason| reason.get("message")?.as_str());
        Self { asked, reason: reason.map(cut), file: None }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MOST_REASON).collect()
}

/// Whether the record is shown by itself.
fn is_single(record: &Record) -> bool {
    decides(record) && record.outcome.is_some_and(|outcome| outcome >= Strength::Ask)
}

/// Sums over the log, and its last denials and questions.
#[derive(Default)]
pub(super) struct Collected {
    records: u64,
    all: Sums,
    failed: u64,
    tokens: (u64, u64),
    sessions: Table,
    agents: Table,
    times: Times,
    tools: Counts,
    rules: Counts,
    policies: Counts,
    files: Counts,
    models: Counts,
    stories: Stories,
}

impl Collected {
    pub(super) fn take(&mut self, committed: &Committed<Seen>) {
        let record = &committed.record;
        self.records += 1;
        if record.is_note() {
            return;
        }
        self.all.add(record);
        self.failed += u64::from(record.failed);
        self.sessions.add(&record.session, record);
        self.agents.add(&record.agent, record);
        self.count(record);
        self.count_rules(record);
        let seen = committed.payload();
        self.stories.go_on(record, seen);
        if is_single(record) {
            let erased = Seen { asked: "(erased)".to_owned(), ..Seen::default() };
            let seen = match committed.payload {
                Kept::Erased(_) => Some(&erased),
                _ => seen,
            };
            self.stories.begin(&committed.position(), record, seen);
        }
        let is_denied = record.outcome == Some(Strength::Deny);
        let file = seen.and_then(|seen| seen.file.as_deref()).filter(|_| !is_denied);
        if let Some(sum) = file.and_then(|file| self.files.sum(file)) {
            sum.count += 1;
        }
    }

    /// Counts by time, tool and model.
    fn count(&mut self, record: &Record) {
        let is_call = record.event == EventKind::PreToolUse.name();
        let (denied, asked) = answers(record);
        let counts = [u64::from(is_call), denied, asked, record.cost_micro_usd.unwrap_or(0)];
        if counts.iter().any(|count| *count > 0) {
            self.times.add(record.at.0, counts);
        }
        if let Some(sum) = record.tool.as_deref().and_then(|tool| self.tools.sum(tool)) {
            sum.count += u64::from(is_call);
            sum.denied += denied;
            sum.asked += asked;
            sum.failed += u64::from(record.failed);
            if let Some(ms) = record.duration_ms.filter(|_| record.event == EventKind::PostToolUse.name()) {
                sum.timed += 1;
                sum.total_ms = sum.total_ms.saturating_add(ms);
                sum.longest_ms = sum.longest_ms.max(ms);
            }
        }
        let is_model_call = record.event == EventKind::AfterModelCall.name();
        if let Some(usage) = record.tokens.filter(|_| is_model_call) {
            self.tokens.0 = self.tokens.0.saturating_add(usage.input_tokens);
            self.tokens.1 = self.tokens.1.saturating_add(usage.output_tokens);
        }
        if let Some(sum) =
            record.model.as_deref().filter(|_| is_model_call).and_then(|it| self.models.sum(it))
        {
            sum.count += 1;
            sum.cost = sum.cost.saturating_add(record.cost_micro_usd.unwrap_or(0));
        }
    }

    fn count_rules(&mut self, record: &Record) {
        let (denied, asked) = answers(record);
        if let (Some(policy), Some(_)) = (&record.policy, record.outcome) {
            let rule = record.rule.as_deref().unwrap_or_default();
            if let Some(sum) = self.rules.sum(&format!("{policy}/{rule}")) {
                sum.count += 1;
                sum.denied += denied;
                sum.asked += asked;
            }
            self.policies.sum(policy);
        }
        for would in &record.would {
            // A rule in the shadow has fired, and denied nothing.
            if let Some(sum) = self.rules.sum(&format!("{}/{}", would.policy, would.rule)) {
                sum.count += 1;
            }
            self.policies.sum(&would.policy);
        }
    }

    /// Everything that the page shows.
    pub(super) fn report(
        self,
        folder: &Path,
        selection: &Selection,
        config: Option<&Config>,
        is_damaged: bool,
    ) -> Value {
        let mut left_out = Vec::new();
        if is_damaged {
            left_out
                .push("Some of the log is damaged and left out; hooks audit verify shows where.".to_owned());
        }
        let never_fired = config.map(|config| self.never_fired(config));
        match config {
            None => left_out.push("Rules that never decided are not known; --config names the rules.".to_owned()),
            Some(_) => left_out.push(
                "Of the rules, those of the list rules and whole sections are compared with the log, not limits, spawn, the \
                 single patterns of a section or the rules of packs."
                    .to_owned(),
            ),
        }
        left_out.push("The log has durations of tools; it has none of hooks.".to_owned());
        let sessions = table(&self.sessions, "sessions", MOST_SESSIONS, &mut left_out);
        let agents = table(&self.agents, "agents", MOST_AGENTS, &mut left_out);
        let tools = self.tools.rows("tools", |sum| sum.count.max(sum.timed), &mut left_out);
        let rules = self.rules.rows("rules", |sum| sum.count, &mut left_out);
        let files = self.files.rows("files", |sum| sum.count, &mut left_out);
        let models = self.models.rows("models", |sum| sum.count, &mut left_out);
        let Sums { calls, asked, denied, cost, first, last, .. } = self.all;
        let mut report = json!({
            "log": short(&folder.display().to_string(), 300),
            "since": selection.since, "until": selection.before,
            "records": self.records, "first": first.unwrap_or_default(), "last": last,
            "sums": {
                "calls": calls, "denied": denied, "asked": asked, "failed": self.failed, "cost": cost,
                "tokens_in": self.tokens.0, "tokens_out": self.tokens.1,
            },
            "times": self.times.json(),
            "sessions": sessions, "agents": agents, "tools": tools, "rules": rules, "files": files,
            "models": models, "never_fired": never_fired,
        });
        let room = MOST_BYTES.saturating_sub(page::escaped(&report).len());
        let stories = self.stories.json(room, &mut left_out);
        if let Some(fields) = report.as_object_mut() {
            fields.insert("stories".to_owned(), stories.into());
            fields.insert("left_out".to_owned(), left_out.into());
        }
        report
    }

    /// Rules of the configuration that decided nothing: those with a name, and whole sections.
    fn never_fired(&self, config: &Config) -> Vec<String> {
        let named = config.policy().rules.iter().map(|rule| format!("rules/{}", rule.name));
        let silent = named.filter(|name| !self.rules.has(name));
        let sections = JUDGES.iter().filter(|(section, policy)| {
            config.section_names().iter().any(|name| name == section)
                && !self.policies.names().any(|fired| fired == *policy)
        });
        silent
            .chain(sections.map(|(section, _)| (*section).to_owned()))
            .map(|name| short(&name, NAME))
            .collect()
    }
}

/// Whether the event was denied, and whether it was asked about.
fn answers(record: &Record) -> (u64, u64) {
    let is = |strength| u64::from(decides(record) && record.outcome == Some(strength));
    (is(Strength::Deny), is(Strength::Ask))
}

fn table(table: &Table, what: &str, most: usize, left_out: &mut Vec<String>) -> Value {
    let rows = table.latest(most);
    if table.is_cut() || rows.len() < table.len() {
        let more = if table.is_cut() { "more than " } else { "" };
        left_out.push(format!("The table of {what} has the last {} of {more}{}.", rows.len(), table.len()));
    }
    let rows = rows.into_iter().map(|(name, sums)| {
        json!({
            "name": short(name, NAME), "agent": short(&sums.agent, NAME), "calls": sums.calls, "denied": sums.denied,
            "asked": sums.asked, "cost": sums.cost, "first": sums.first.unwrap_or_default(), "last": sums.last,
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use hooks::time::Timestamp;

    use super::*;

    #[test]
    fn a_page_of_many_denials_with_texts_that_grow_has_a_fixed_size() {
        let mut collected = Collected::default();
        let hostile = "<\u{202e}&".repeat(300);
        for number in 0..12_000 {
            let mut record = Record::new("pre_tool_use", Timestamp(number * 1_000));
            record.session = format!("{number}-{hostile}");
            record.agent = record.session.clone();
            record.tool = Some(record.session.clone());
            record.outcome = Some(Strength::Deny);
            let seen = Seen {
                asked: hostile.clone(),
                reason: Some(hostile.clone()),
                file: Some(format!("{number}-{hostile}")),
            };
            let payload = Kept::Payload(Box::new(seen));
            collected.take(&Committed { chain: "w0".into(), log: "".into(), record, payload });
        }
        let data = collected.report(Path::new("log"), &Selection::default(), None, false);
        let page = page::html(&data);
        assert!(page.len() <= 5_000_000, "{}", page.len());
        assert_eq!(data["sums"]["denied"], 12_000);
        let shown = data["stories"].as_array().unwrap().len();
        let left_out =
            format!("There were 12000 denials and questions; the last {shown} are here. The sums have all.");
        assert!(data["left_out"].as_array().unwrap().contains(&left_out.into()), "{:#}", data["left_out"]);
    }
}
