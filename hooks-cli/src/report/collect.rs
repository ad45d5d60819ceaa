//! The pass over the log.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;

use hooks::audit::keep::Selection;
use hooks::audit::{Committed, Kept, Record};
use hooks::config::Config;
use hooks::{EventKind, Strength};
use serde_json::{Value, json};

use super::counts::{Counts, NAME, Times};
use super::page;
use super::sections::{all, is_in_shadow, rule_name, section};
use super::seen::{Seen, is_question, is_single};
use super::story::{NEXT_TEXT, Stories, TEXT, short};
use crate::audit::metrics::project_of;
use crate::audit::sums::{Sums, Table, decides, is_unpriced};
use crate::audit::would::{AllWouldHaves, WouldHaves};

/// Most sessions and agents on the page.
const MOST_SESSIONS: usize = 300;
const MOST_AGENTS: usize = 200;
/// Most sessions that are counted for agents.
const MOST_PAIRS: usize = 100_000;
/// Most rules in the shadow, calls that took long, and messages about damage.
const MOST_SHADOWS: usize = 100;
const MOST_SLOW: usize = 10;
const MOST_PROBLEMS: usize = 20;
/// Most bytes of the data of a page, without the list of what it leaves out.
const MOST_BYTES: usize = 4_900_000;

/// A call that took long.
struct SlowCall {
    ms: u64,
    value: Value,
}

/// Sums over the log, and its last denials and questions.
#[derive(Default)]
pub(super) struct Collected {
    records: u64,
    all: Sums,
    /// Calls that were denied, asked about, and failed.
    calls: [u64; 3],
    /// Other events that failed.
    errors: u64,
    tokens: (u64, u64),
    sessions: Table,
    agents: Table,
    /// Hashes of the agents and their sessions.
    pairs: HashSet<u64>,
    hasher: RandomState,
    times: Times,
    tools: Counts,
    rules: Counts,
    sections: Counts,
    would: AllWouldHaves,
    files: Counts,
    /// The folder that holds the folders of all calls.
    root: Option<String>,
    models: Counts,
    slow: Vec<SlowCall>,
    stories: Stories,
}

impl Collected {
    pub(super) fn take(&mut self, committed: &Committed<Seen>) {
        let record = &committed.record;
        self.records += 1;
        if record.is_note() {
            return;
        }
        let erased = Seen { asked: "(erased)".to_owned(), ..Seen::default() };
        let seen = match committed.payload {
            Kept::Erased(_) => Some(&erased),
            _ => committed.payload(),
        };
        self.all.add(record);
        self.sessions.add(&record.session, record);
        self.agents.add(&record.agent, record);
        if !record.session.is_empty() && self.pairs.len() < MOST_PAIRS {
            let pair = self.hasher.hash_one((&record.agent, &record.session));
            if self.pairs.insert(pair) {
                self.agents.add_session(&record.agent);
            }
        }
        self.count(record);
        self.count_model(record);
        self.count_rules(record, seen);
        if !record.would.is_empty() {
            let call = seen.map(|seen| &*seen.asked);
            self.would
                .add(record, &committed.position(), call, |policy, rule| seen?.would_message(policy, rule));
        }
        self.stories.go_on(record, seen);
        if is_single(record) || is_question(record) {
            self.stories.begin(&committed.position(), record, seen);
        }
        let Some(seen) = seen else { return };
        self.add_slow(record, seen);
        if record.outcome != Some(Strength::Deny) {
            self.add_files(seen);
        }
    }

    /// Counts by time and tool.
    fn count(&mut self, record: &Record) {
        let is_call = record.event == EventKind::PreToolUse.name();
        let is_result = record.event == EventKind::PostToolUse.name();
        let [denied, asked] = answers(record);
        let failed = u64::from(is_result && record.failed);
        self.errors += u64::from(record.failed && !is_result);
        let counts = [u64::from(is_call), denied, asked, record.cost_micro_usd.unwrap_or(0)];
        self.times.add(record.at.0, counts);
        if !is_call && !is_result {
            return;
        }
        let [denied, asked] = if is_call { [denied, asked] } else { [0, 0] };
        for (sum, count) in self.calls.iter_mut().zip([denied, asked, failed]) {
            *sum += count;
        }
        if let Some(sum) = record.tool.as_deref().and_then(|tool| self.tools.sum(tool)) {
            sum.count += u64::from(is_call);
            sum.denied += denied;
            sum.asked += asked;
            sum.failed += failed;
            if let Some(ms) = record.duration_ms.filter(|_| is_result) {
                sum.timed += 1;
                sum.total_ms = sum.total_ms.saturating_add(ms);
                sum.longest_ms = sum.longest_ms.max(ms);
            }
        }
    }

    fn count_model(&mut self, record: &Record) {
        if record.event != EventKind::AfterModelCall.name() {
            return;
        }
        if let Some(usage) = record.tokens {
            self.tokens.0 = self.tokens.0.saturating_add(usage.input_tokens);
            self.tokens.1 = self.tokens.1.saturating_add(usage.output_tokens);
        }
        if let Some(sum) = record.model.as_deref().and_then(|model| self.models.sum(model)) {
            sum.count += 1;
            sum.cost = sum.cost.saturating_add(record.cost_micro_usd.unwrap_or(0));
            sum.unpriced += u64::from(is_unpriced(record));
        }
    }

    /// Counts each rule that denied or asked, and else the one that decided.
    fn count_rules(&mut self, record: &Record, seen: Option<&Seen>) {
        let mut counted: Vec<(String, Strength)> = Vec::new();
        if is_single(record) {
            for said in seen.iter().flat_map(|seen| &seen.reasons).filter(|said| said.stops()) {
                self.sections.sum(section(&said.policy));
                let rule = (rule_name(&said.policy, &said.rule), said.strength);
                if !counted.contains(&rule) {
                    counted.push(rule);
                }
            }
        }
        if let (Some(policy), Some(outcome), true) = (&record.policy, record.outcome, counted.is_empty()) {
            self.sections.sum(section(policy));
            let outcome = if decides(record) { outcome } else { Strength::NoOpinion };
            counted.push((rule_name(policy, record.rule.as_deref().unwrap_or_default()), outcome));
        }
        for (name, outcome) in counted {
            if let Some(sum) = self.rules.sum(&name) {
                sum.count += 1;
                sum.denied += u64::from(outcome == Strength::Deny);
                sum.asked += u64::from(outcome == Strength::Ask);
            }
        }
        for would in &record.would {
            // A rule in the shadow has decided, and stopped nothing.
            self.rules.sum(&rule_name(&would.policy, &would.rule));
            self.sections.sum(section(&would.policy));
        }
    }

    fn add_files(&mut self, seen: &Seen) {
        if !seen.files.is_empty() && !seen.folder.is_empty() {
            match &mut self.root {
                None => self.root = Some(seen.folder.clone()),
                Some(root) if *root == seen.folder => {}
                Some(root) => *root = common(root, &seen.folder),
            }
        }
        for file in &seen.files {
            if let Some(sum) = self.files.sum(&file.name) {
                sum.count += 1;
                sum.written += u64::from(file.is_written);
            }
        }
    }

    /// The duration from which on a call is among those that took longest.
    pub(super) fn slow_ms(&self) -> u64 {
        match self.slow.last() {
            Some(last) if self.slow.len() >= MOST_SLOW => last.ms.saturating_add(1),
            _ => 1,
        }
    }

    fn add_slow(&mut self, record: &Record, seen: &Seen) {
        let is_result = record.event == EventKind::PostToolUse.name();
        let Some(ms) = record.duration_ms.filter(|ms| is_result && *ms >= self.slow_ms()) else { return };
        let value = json!({
            "at": record.at.0, "ms": ms, "session": short(&record.session, NAME), "agent": short(&record.agent, NAME),
            "tool": short(record.tool.as_deref().unwrap_or_default(), NAME), "asked": short(&seen.asked, TEXT),
            "failed": record.failed,
        });
        let place = self.slow.partition_point(|other| other.ms >= ms);
        self.slow.insert(place, SlowCall { ms, value });
        self.slow.truncate(MOST_SLOW);
    }

    /// Everything that the page shows. `problems` are messages about parts of the log that were left out.
    pub(super) fn report(
        self,
        folder: &Path,
        selection: &Selection,
        config: Option<&Config>,
        problems: &[String],
    ) -> Value {
        let mut left_out = Vec::new();
        let never_fired = config.map(|config| self.never_fired(config));
        left_out.push(
            match config {
                None => "Rules that never decided are not known; `--config` names the rules.",
                Some(_) => {
                    "Of the rules, those of the list `rules` and whole sections are compared with the log, not the single \
                     patterns of a section or the rules of packs."
                }
            }
            .to_owned(),
        );
        left_out.push("Files that are named only in shell commands are not counted.".to_owned());
        left_out.push("The log has durations of tools; it has none of hooks.".to_owned());
        let sessions = table(&self.sessions, "sessions", MOST_SESSIONS, &mut left_out);
        let agents = table(&self.agents, "agents", MOST_AGENTS, &mut left_out);
        if self.pairs.len() >= MOST_PAIRS {
            left_out.push(format!("The number of sessions of each agent is that of the first {MOST_PAIRS}."));
        }
        let tools = self.tools.rows("tools", |sum| sum.count.max(sum.timed), &mut left_out);
        let rules = self.rules.rows("rules", |sum| sum.count, &mut left_out);
        let root = self.root.as_deref().filter(|root| *root != "/");
        let name = |name: &str| middle(root.and_then(|root| below(root, name)).unwrap_or(name));
        let files = self.files.rows_as("files", |sum| sum.count, name, &mut left_out);
        let models = self.models.rows("models", |sum| sum.count, &mut left_out);
        let Sums { calls, asked, denied, cost, unpriced, first, last, .. } = self.all;
        if unpriced > 0 {
            let text = "calls of models used tokens and have no cost: neither the client nor `budget.prices` names one.";
            left_out.push(format!("{unpriced} {text}"));
        }
        let [denied_calls, asked_calls, failed_calls] = self.calls;
        let mut report = json!({
            "log": short(&folder.display().to_string(), 300),
            "project": project_of(folder).file_name().map(|name| short(&name.to_string_lossy(), NAME)),
            "since": selection.since, "until": selection.before, "damage": damage(problems),
            "records": self.records, "first": first.unwrap_or_default(), "last": last,
            "sums": {
                "calls": calls, "denied_calls": denied_calls, "asked_calls": asked_calls, "failed_calls": failed_calls,
                "denied": denied, "asked": asked, "errors": self.errors, "cost": cost, "unpriced": unpriced,
                "tokens_in": self.tokens.0, "tokens_out": self.tokens.1,
            },
            "times": self.times.json(),
            "sessions": sessions, "agents": agents, "tools": tools, "rules": rules, "files": files,
            "root": root.map(|root| short(root, 300)), "models": models, "never_fired": never_fired,
            "would_have": would_have(self.would, &mut left_out),
            "slow": self.slow.into_iter().map(|call| call.value).collect::<Vec<_>>(),
        });
        let room = MOST_BYTES.saturating_sub(page::escaped(&report).len());
        let stories = self.stories.json(room, &mut left_out);
        if let Some(fields) = report.as_object_mut() {
            fields.insert("stories".to_owned(), stories.into());
            fields.insert("left_out".to_owned(), left_out.into());
        }
        report
    }

    /// Rules and sections of the configuration that decided nothing.
    fn never_fired(&self, config: &Config) -> Value {
        let silent = all(config).into_iter().filter(|name| !self.rules.has(name) && !self.sections.has(name));
        let rows =
            silent.map(|name| json!({"name": short(&name, NAME), "in_shadow": is_in_shadow(config, &name)}));
        rows.collect()
    }
}

/// Whether the event was denied, and whether it was asked about.
fn answers(record: &Record) -> [u64; 2] {
    [Strength::Deny, Strength::Ask]
        .map(|strength| u64::from(decides(record) && record.outcome == Some(strength)))
}

fn damage(problems: &[String]) -> Vec<String> {
    let mut shown: Vec<_> = problems.iter().take(MOST_PROBLEMS).map(|text| short(text, TEXT)).collect();
    if problems.len() > MOST_PROBLEMS {
        shown.push(format!(
            "There are {} more problems; `hooks audit verify` shows all.",
            problems.len() - MOST_PROBLEMS
        ));
    }
    shown
}

fn would_have(would: AllWouldHaves, left_out: &mut Vec<String>) -> Value {
    let rows = would.into_rows();
    if rows.len() > MOST_SHADOWS {
        left_out.push(format!("The table of rules in the shadow has {MOST_SHADOWS} of {} rows.", rows.len()));
    }
    let rows = rows.into_iter().take(MOST_SHADOWS).map(|row| {
        let WouldHaves { policy, rule, outcome, count, examples } = row;
        let examples = examples.into_iter().rev().map(|example| {
            let text = |text: Option<String>| text.map(|text| short(&text, NEXT_TEXT));
            json!({
                "position": short(&example.position, NAME), "agent": short(&example.agent, NAME),
                "tool": text(example.tool), "call": text(example.call), "reason": text(example.reason),
            })
        });
        let examples: Vec<_> = examples.collect();
        json!({"name": short(&rule_name(&policy, &rule), NAME), "outcome": outcome, "count": count, "examples": examples})
    });
    rows.collect()
}

/// The longest folder that holds both.
fn common(a: &str, b: &str) -> String {
    let parts = a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).map(|(part, _)| part);
    match parts.collect::<Vec<_>>().join("/") {
        root if root.is_empty() => "/".to_owned(),
        root => root,
    }
}

/// The name of a file below a folder.
fn below<'n>(folder: &str, name: &'n str) -> Option<&'n str> {
    name.strip_prefix(folder)?.strip_prefix('/').filter(|rest| !rest.is_empty())
}

/// A long name without its middle, so that names that begin or end alike differ.
fn middle(name: &str) -> String {
    let chars: Vec<char> = short(name, usize::MAX).chars().collect();
    match (chars.get(..NAME / 2), chars.get(chars.len().saturating_sub(NAME / 2)..)) {
        (Some(start), Some(end)) if chars.len() > NAME => start.iter().chain(&['…']).chain(end).collect(),
        _ => chars.into_iter().collect(),
    }
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
            "asked": sums.asked, "cost": sums.cost, "unpriced": sums.unpriced, "sessions": sums.sessions, "first": sums.first.unwrap_or_default(), "last": sums.last,
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use hooks::event::Usage;
    use hooks::time::Timestamp;

    use super::super::seen::{File, Said};
    use super::*;

    /// Collects records, each with its payload.
    fn collected(records: Vec<(Record, Value)>) -> Collected {
        let mut collected = Collected::default();
        for (number, (mut record, payload)) in records.into_iter().enumerate() {
            record.seq = number as u64 + 1;
            let json = serde_json::to_vec(&payload).unwrap();
            let payload = Kept::Payload(Box::new(Seen::parse(&record, &json, collected.slow_ms()).unwrap()));
            collected.take(&Committed { chain: "w0".into(), log: "".into(), record, payload });
        }
        collected
    }

    fn reported(records: Vec<(Record, Value)>) -> Value {
        collected(records).report(Path::new("log"), &Selection::default(), None, &[])
    }

    fn call(event: &str, outcome: Option<Strength>, tool: &str, id: &str) -> Record {
        let mut record = Record::new(event, Timestamp(1_000));
        (record.session, record.agent, record.outcome) = ("s".to_owned(), "ada".to_owned(), outcome);
        (record.tool, record.call) = (Some(tool.to_owned()), Some(id.to_owned()));
        record
    }

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
                reasons: vec![Said { message: hostile.clone(), strength: Strength::Deny, ..Said::default() }],
                files: vec![File { name: format!("{number}-{hostile}"), is_written: true }],
                ..Seen::default()
            };
            let payload = Kept::Payload(Box::new(seen));
            collected.take(&Committed { chain: "w0".into(), log: "".into(), record, payload });
        }
        let data = collected.report(Path::new("log"), &Selection::default(), None, &[]);
        let page = page::html(&data);
        assert!(page.len() <= 5_000_000, "{}", page.len());
        assert_eq!(data["sums"]["denied"], 12_000);
        let shown = data["stories"].as_array().unwrap().len();
        let left_out =
            format!("There were 12000 denials and questions; the last {shown} are here. The sums have all.");
        assert!(data["left_out"].as_array().unwrap().contains(&left_out.into()), "{:#}", data["left_out"]);
    }

    #[test]
    fn each_rule_that_stopped_a_call_is_counted_and_told() {
        let mut record = call("pre_tool_use", Some(Strength::Deny), "Bash", "1");
        (record.policy, record.rule) = (Some("command-guard".to_owned()), Some("block".to_owned()));
        let payload = json!({"event": {"tool_args": {"command": "rm -rf a"}}, "cwd": "/repo", "reasons": [
            {"strength": "deny", "policy": "command-guard", "rule": "block", "message": "blocked"},
            {"strength": "deny", "policy": "write-guard", "rule": "allow", "message": "not here"},
            {"strength": "ask", "policy": "rules", "rule": "publish", "message": "sure?"},
            {"strength": "no_opinion", "would": "deny", "policy": "rules", "rule": "new", "message": "later"},
        ]});
        record.would =
            serde_json::from_value(json!([{"outcome": "deny", "policy": "rules", "rule": "new"}])).unwrap();
        let data = reported(vec![(record, payload)]);
        let names = |rows: &Value| {
            let rows = rows.as_array().unwrap().iter();
            rows.map(|row| row["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&data["rules"]), ["command_guard/block", "rules/publish", "write_guard/allow"]);
        let counts = |of: usize| {
            [&data["rules"][of]["denied"], &data["rules"][of]["asked"]].map(|it| it.as_u64().unwrap())
        };
        assert_eq!([counts(0), counts(1), counts(2)], [[1, 0], [0, 1], [1, 0]]);
        let rules = &data["stories"][0]["rules"];
        assert_eq!(names(rules), ["command_guard/block", "write_guard/allow", "rules/publish"]);
        assert_eq!(rules[1]["reason"], "not here");
        let would = &data["would_have"][0];
        assert_eq!(
            (&would["name"], &would["outcome"], &would["count"]),
            (&json!("rules/new"), &json!("deny"), &json!(1))
        );
        assert_eq!(would["examples"][0]["call"], "rm -rf a");
        assert_eq!(would["examples"][0]["reason"], "later");
    }

    #[test]
    fn money_that_is_not_known_is_not_zero_and_failures_of_calls_are_counted_apart() {
        let mut answer = call("after_model_call", Some(Strength::NoOpinion), "", "m");
        (answer.model, answer.tool) = (Some("opus".to_owned()), None);
        answer.tokens = Some(Usage { input_tokens: 9, ..Usage::default() });
        let mut failed = call("post_tool_use", None, "Bash", "1");
        failed.failed = true;
        let mut error = call("error_occurred", None, "", "");
        error.failed = true;
        let refused = call("permission_request", Some(Strength::Deny), "Bash", "1");
        let records = [answer, failed, error, refused].map(|record| (record, json!({"event": {}})));
        let data = reported(records.into());
        let sums = &data["sums"];
        assert_eq!((&sums["cost"], &sums["unpriced"]), (&json!(0), &json!(1)));
        assert_eq!(
            (&data["sessions"][0]["unpriced"], &data["models"][0]["unpriced"]),
            (&json!(1), &json!(1))
        );
        assert_eq!((&sums["failed_calls"], &sums["errors"]), (&json!(1), &json!(1)));
        assert_eq!((&sums["denied_calls"], &sums["denied"]), (&json!(0), &json!(1)));
    }

    #[test]
    fn files_have_one_row_and_the_slowest_calls_are_named() {
        let file = |tool: &str, path: &str| {
            (
                call("pre_tool_use", Some(Strength::Allow), tool, "1"),
                json!({"event": {"tool_args": {"file_path": path}}, "cwd": "/repo/app"}),
            )
        };
        let long = |end: &str| format!("src/{}{end}.rs", "long-folder/".repeat(12));
        let mut records =
            vec![file("Read", "src/x.rs"), file("Edit", "/repo/app/src/x.rs"), file("Read", "/etc/hosts")];
        records.extend([file("Read", &long("one")), file("Read", &long("two"))]);
        for ms in 1..=20 {
            let mut result = call("post_tool_use", None, "Bash", "1");
            result.duration_ms = Some(ms * 7 % 20 * 1_000);
            records.push((
                result,
                json!({"event": {"tool_args": {"command": format!("sleep {}", ms * 7 % 20)}}}),
            ));
        }
        let data = reported(records);
        let files = data["files"].as_array().unwrap();
        assert_eq!(
            (&files[0]["name"], &files[0]["count"], &files[0]["written"]),
            (&json!("src/x.rs"), &json!(2), &json!(1))
        );
        let names: Vec<_> = files.iter().map(|file| file["name"].as_str().unwrap()).collect();
        assert!(names.contains(&"/etc/hosts"), "{names:?}");
        assert!(
            names.iter().any(|name| name.ends_with("/one.rs"))
                && names.iter().any(|name| name.ends_with("/two.rs")),
            "{names:?}"
        );
        let slow = data["slow"].as_array().unwrap();
        let took: Vec<_> = slow.iter().map(|call| call["ms"].as_u64().unwrap()).collect();
        assert_eq!(took, (10..20).rev().map(|s| s * 1_000).collect::<Vec<_>>());
        assert_eq!(slow[0]["asked"], "sleep 19");
    }

    #[test]
    fn what_came_of_a_question_is_told_with_the_calls_of_the_same_agent() {
        let asked = |id: &str| {
            let reasons =
                json!([{"strength": "ask", "policy": "rules", "rule": "publish", "message": "sure?"}]);
            let payload = json!({"event": {"tool_args": {"command": "npm publish"}}, "reasons": reasons});
            (call("pre_tool_use", Some(Strength::Ask), "Bash", id), payload)
        };
        let result = |id: &str, failed: bool| {
            let mut record = call("post_tool_use", None, "Bash", id);
            record.failed = failed;
            (record, json!({"event": {}}))
        };
        let other = |agent: &str, id: &str| {
            let mut record = call("pre_tool_use", Some(Strength::NoOpinion), "Bash", id);
            record.agent = agent.to_owned();
            (record, json!({"event": {"tool_args": {"command": "make"}}}))
        };
        let question = (
            call("pre_tool_use", Some(Strength::NoOpinion), "AskUserQuestion", "q"),
            json!({"event": {"tool_args": {"questions": [{"question": "Which one?"}]}}}),
        );
        let mut answer = call("post_tool_use", None, "AskUserQuestion", "q");
        answer.duration_ms = Some(5);
        let answer = (answer, json!({"event": {"tool_result": {"answers": {"Which one?": "the first"}}}}));
        let data = reported(vec![
            asked("1"),
            result("1", true),
            asked("2"),
            other("bob", "3"),
            other("ada", "4"),
            result("4", true),
            question,
            answer,
        ]);
        let [question, second, first] = data["stories"].as_array().unwrap().as_slice() else {
            panic!("{data:#}")
        };
        assert_eq!(
            (&question["outcome"], &question["asked"], &question["answer"]),
            (&json!("question"), &json!("Which one?"), &json!("the first"))
        );
        assert_eq!((&first["ran"], &second["ran"]), (&json!("failed"), &json!("no")));
        let agents = data["agents"].as_array().unwrap();
        assert!(agents.len() == 2 && agents.iter().all(|agent| agent["sessions"] == 1), "{agents:?}");
        let next: Vec<_> = second["next"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| (call["tool"].as_str(), call["failed"].as_bool()))
            .collect();
        assert_eq!(next, [(Some("Bash"), Some(true)), (Some("AskUserQuestion"), None)]);
    }

    #[test]
    fn a_name_is_cut_in_its_middle_and_folders_have_a_common_one() {
        assert_eq!(middle("a/b"), "a/b");
        let name = middle(&format!("{}/end", "x".repeat(500)));
        assert!(
            name.starts_with("xxx")
                && name.contains('…')
                && name.ends_with("/end")
                && name.chars().count() == NAME + 1
        );
        assert_eq!((common("/repo/a", "/repo/ab"), common("/a", "/b")), ("/repo".to_owned(), "/".to_owned()));
        assert_eq!((below("/repo", "/repo/a"), below("/repo", "/repos/a")), (Some("a"), None));
    }
}
