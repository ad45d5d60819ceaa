//! Events in a row, for rules that count or remember: each history begins without a past.

use std::collections::BTreeSet;

use hooks::event::EventKind;
use hooks::facts::globs::{PatternDialect, examples};
use serde_json::{Value, json};

use super::samples::{lines_of, names_of};
use super::step::Step;
use super::words::Words;

/// Largest count that is tried, by section.
const MOST: [(&str, &str, u64); 7] = [
    ("ask_user", "", 10_000),
    ("limits", "calls", 10_000),
    ("limits", "loops", 22),
    ("limits", "iterations", 10_000),
    ("spawn", "", 60),
    ("routes", "most", 20),
    ("sequences", "", 300),
];
/// Most calls in a row of which many kinds are tried.
const FEW: u64 = 40;
/// Most calls from which histories of a rule about sequences are made.
const MOST_CALLS: usize = 12;
/// Most names of a kind in histories.
const MOST_NAMES: usize = 8;

/// The result of each call, which some calls pass on.
const TOLD: &str = "hunter2hunter2hunter2";

/// Makes the histories for a section of two files.
type Makes = fn(&Words, [&Value; 2]) -> Vec<Vec<Step>>;
/// Sections whose change is only seen in a history.
const KINDS: [(&str, Makes); 6] = [
    ("ask_user", questions),
    ("limits", limits),
    ("spawn", children),
    ("sequences", sequences),
    ("routes", routes),
    ("budget", budget),
];
/// Sections that change what the histories of others mean.
const SHARED: [&str; 7] = ["tools", "mode", "until", "rules", "models", "profile", "tenant"];

/// The histories for the sections of two files, as they are written, each section by itself.
pub(super) fn all(words: &Words, files: [&Value; 2]) -> Vec<Vec<Vec<Step>>> {
    let [old, new] = files;
    let differs = |section: &str| old.get(section) != new.get(section);
    let is_shared = SHARED.into_iter().any(differs);
    let kinds = KINDS.into_iter().filter(|(section, _)| {
        differs(section) || is_shared && (old.get(section).is_some() || new.get(section).is_some())
    });
    kinds.map(|(section, make)| make(words, parts_of(files, section))).collect()
}

fn parts_of<'v>(files: [&'v Value; 2], key: &str) -> [&'v Value; 2] {
    files.map(|file| file.get(key).unwrap_or(&Value::Null))
}

/// The largest number of a section.
fn largest(section: &Value) -> u64 {
    match section {
        Value::Number(number) => number.as_u64().unwrap_or_default(),
        Value::Array(items) => items.iter().map(largest).max().unwrap_or_default(),
        Value::Object(fields) => fields.values().map(largest).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Sections that differ and have a count that is too large to be tried.
pub(super) fn left_out(files: [&Value; 2]) -> Vec<String> {
    let found = MOST.into_iter().filter_map(|(section, part, most)| {
        let mut sections = parts_of(files, section);
        if !part.is_empty() {
            sections = parts_of(sections, part);
        }
        let [old, new] = sections;
        let is_large = old != new && largest(old).max(largest(new)) > most;
        is_large.then(|| format!("counts of `{section}` above {most}"))
    });
    found.collect()
}

/// Events that are enough to exceed the largest count.
fn most([old, new]: [&Value; 2], most: u64) -> u64 {
    largest(old).max(largest(new)).min(most).saturating_add(2)
}

/// Some of the agents, and the one of the session.
fn agents(words: &Words) -> Vec<String> {
    let named = names_of(&words.agents).into_iter().take(MOST_NAMES);
    std::iter::once(String::new()).chain(named).collect()
}

/// Times between two events: none, and what is around each of the times that the files name and a calendar has.
fn pauses(words: &Words) -> Vec<u64> {
    let named: Vec<u64> = words.durations.iter().copied().take(MOST_NAMES).collect();
    let calendar = [0, 3_600_000, 86_400_000, 31 * 86_400_000];
    // Just before the end of the longer of two durations, the shorter one is over.
    let around = named.iter().flat_map(|time| [time.saturating_sub(1_000), time.saturating_add(1_000)]);
    let mut all: Vec<u64> = calendar.into_iter().chain(around).collect();
    let halves: Vec<u64> = named.iter().map(|time| time / 2).collect();
    all.extend(halves);
    all
}

fn repeated(step: &Step, times: u64, pause: u64) -> Vec<Step> {
    (0..times).map(|number| step.clone().after(number.saturating_mul(pause))).collect()
}

fn questions(words: &Words, sections: [&Value; 2]) -> Vec<Vec<Step>> {
    let ask = |tool: &str| Step::call(tool, &json!({"question": "which?"}));
    let mut all = vec![repeated(&ask("AskUserQuestion"), most(sections, 10_000), 0)];
    for tool in names_of(&words.tools).iter().map(String::as_str).chain(["AskUserQuestion"]) {
        for agent in agents(words) {
            all.extend(in_turn(&ask(tool).by(&agent), words, most(sections, FEW), 0));
        }
    }
    all
}

/// A step again and again: in one session, by several agents, in several sessions, and in a child session.
fn in_turn(step: &Step, words: &Words, times: u64, pause: u64) -> Vec<Vec<Step>> {
    let alone = repeated(step, times, pause);
    let turns = |change: &dyn Fn(Step, usize) -> Step| -> Vec<Step> {
        alone.iter().cloned().enumerate().map(|(number, step)| change(step, number)).collect()
    };
    let names = agents(words);
    let agent = |number: usize| {
        names.get(number.checked_rem(names.len()).unwrap_or_default()).map_or("", String::as_str)
    };
    let is_odd = |number: usize| number % 2 == 1;
    vec![
        turns(&|step, number| step.by(agent(number))),
        turns(&|step, number| if is_odd(number) { step.in_session("2", None) } else { step }),
        turns(&|step, number| if is_odd(number) { step.in_session("2", Some("")) } else { step }),
        alone,
    ]
}

fn limits(words: &Words, sections: [&Value; 2]) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    let [old, new] = parts_of(sections, "calls");
    all.extend(of_changed_limits([old, new]));
    if !old.is_null() || !new.is_null() {
        let tools = names_of(&words.tools);
        let tools: BTreeSet<&str> = tools.iter().map(String::as_str).chain(["WebFetch", "Bash"]).collect();
        for pause in pauses(words) {
            for tool in &tools {
                for agent in agents(words) {
                    let step = a_call(tool).by(&agent);
                    all.extend(in_turn(&step, words, most([old, new], FEW), pause));
                }
            }
        }
    }
    let [old, new] = parts_of(sections, "loops");
    if !old.is_null() || !new.is_null() {
        all.extend(loops(most([old, new], 22)));
    }
    let [old, new] = parts_of(sections, "iterations");
    if !old.is_null() || !new.is_null() {
        all.extend(iterations(most([old, new], 10_000)));
    }
    all
}

fn a_call(tool: &str) -> Step {
    Step::call(tool, &json!({"url": "https://example.com/", "command": "ls", "file_path": "a.txt"}))
}

/// The calls of limits that only one of the files has, as often as they allow.
fn of_changed_limits(sections: [&Value; 2]) -> Vec<Vec<Step>> {
    let [old, new] = sections.map(|section| section.as_array().map(Vec::as_slice).unwrap_or_default());
    let changed = old
        .iter()
        .filter(|limit| !new.contains(limit))
        .chain(new.iter().filter(|limit| !old.contains(limit)));
    let names = |limit: &Value, key: &str| -> Vec<String> {
        let texts = limit.get(key).and_then(Value::as_array).into_iter().flatten();
        let names = texts.filter_map(Value::as_str).map(|name| name.replace('*', "x"));
        names.take(MOST_NAMES).collect()
    };
    let mut all = Vec::new();
    for limit in changed {
        let mut agents = names(limit, "agents");
        if agents.is_empty() {
            agents.push(String::new());
        }
        for tool in names(limit, "tools") {
            all.extend(
                agents
                    .iter()
                    .map(|agent| repeated(&a_call(&tool).by(agent), most([limit, limit], 10_000), 0)),
            );
        }
    }
    all
}

/// Rounds of calls with the same results.
fn loops(most: u64) -> Vec<Vec<Step>> {
    let rounds = |longest: u64| {
        let round = (0..longest).flat_map(|number| {
            let call = Step::call("Bash", &json!({"command": format!("echo {number}")}));
            [call.clone(), call.result("x", false)]
        });
        let round: Vec<Step> = round.collect();
        let all = (0..=most).flat_map(|_| round.clone());
        all.enumerate().map(|(number, step)| step.with_id(number / 2)).collect()
    };
    (1..=most).map(rounds).collect()
}

/// Calls of a model, with a message of the user or a resumption after some of them.
fn iterations(most: u64) -> Vec<Vec<Step>> {
    let call = Step::new(EventKind::BeforeModelCall, json!({"model": "m", "iteration": 1, "messages": []}));
    let prompt = Step::new(EventKind::UserPromptSubmitted, json!({"prompt": "go on"}));
    let resumed = Step::new(EventKind::MaxIterations, json!({"limit": 1, "resumed": true}));
    let calls = repeated(&call, most, 0);
    let cut = most.saturating_sub(2);
    let enough = usize::try_from(cut).unwrap_or_default();
    let with = |between: &Step| {
        let some = calls.iter().take(enough.max(1)).cloned().chain([between.clone()]);
        let some: Vec<Step> = some.collect();
        std::iter::repeat_n(some, 4).flatten().collect::<Vec<Step>>()
    };
    vec![calls.clone(), with(&prompt), with(&resumed)]
}

/// Children that start: by one parent or several, alive or ended, of all names, models and tasks.
fn children(words: &Words, sections: [&Value; 2]) -> Vec<Vec<Step>> {
    let names: Vec<String> = names_of(&words.agents).into_iter().chain(["x".to_owned()]).collect();
    let models = names_of(&words.models);
    let models: Vec<Option<&String>> = std::iter::once(None).chain(models.iter().map(Some)).collect();
    let tasks = names_of(&words.tasks);
    let tasks: Vec<Option<&String>> = std::iter::once(None).chain(tasks.iter().map(Some)).collect();
    let start = |name: &str, model: Option<&String>, kind: Option<&String>, task: &str| {
        let fields = json!({"agent_name": name, "model": model, "task_type": kind, "task": task, "depth": 1});
        Step::new(EventKind::SubagentStart, fields)
    };
    let mut all = Vec::new();
    for name in &names {
        for model in &models {
            all.extend(tasks.iter().map(|kind| vec![start(name, *model, *kind, "do it")]));
        }
        all.push(vec![start(name, None, None, "")]);
    }
    let most = most(sections, 60);
    for name in &names {
        for kind in &tasks {
            let model = models.last().copied().flatten();
            all.extend(of_children(&start(name, model, *kind, "do it"), most, words));
        }
    }
    all
}

/// Children in a row that are alike, alive or ended, and each below the one before.
fn of_children(start: &Step, most: u64, words: &Words) -> Vec<Vec<Step>> {
    const DEPTHS: [&str; 8] = ["", "1", "2", "3", "4", "5", "6", "7"];
    let numbered = |number: usize| {
        let mut step = start.clone().with_id(number);
        if let Value::Object(fields) = &mut step.fields {
            fields.insert("child_id".to_owned(), json!(format!("child-{number}")));
        }
        step
    };
    let count = usize::try_from(most).unwrap_or_default();
    let ended = |number: usize| {
        let name = start.fields.get("agent_name").cloned().unwrap_or_default();
        let fields =
            json!({"agent_name": name, "child_id": format!("child-{number}"), "status": "completed"});
        Step::new(EventKind::SubagentStop, fields)
    };
    let name = start.fields.get("agent_name");
    let call = Step::call("Task", &json!({"subagent_type": name, "prompt": "do it"}));
    let mut all = vec![(0..count).flat_map(|number| [numbered(number), ended(number)]).collect::<Vec<_>>()];
    for pause in pauses(words) {
        let at = |number: usize| u64::try_from(number).unwrap_or_default().saturating_mul(pause);
        all.push((0..count).map(|number| numbered(number).after(at(number))).collect());
        // The same by a tool, whose child has not begun.
        all.push((0..count).map(|number| call.clone().with_id(number).after(at(number))).collect());
    }
    let parents = [None].into_iter().chain(DEPTHS.into_iter().map(Some));
    let deep = DEPTHS.into_iter().zip(parents).enumerate().map(|(number, (session, parent))| {
        let mut step = numbered(number).in_session(session, parent);
        if let Value::Object(fields) = &mut step.fields {
            fields.insert("depth".to_owned(), json!(number.saturating_add(1)));
            // The session of a child is its id.
            fields.insert("child_id".to_owned(), json!(DEPTHS.get(number.saturating_add(1))));
        }
        step
    });
    all.push(deep.collect());
    all
}

/// Calls that the patterns of rules match, in twos, threes and rows.
fn sequences(words: &Words, sections: [&Value; 2]) -> Vec<Vec<Step>> {
    let [old, new] = sections;
    let mut all = Vec::new();
    let mut rules: Vec<&Value> = [old, new].into_iter().filter_map(Value::as_array).flatten().collect();
    rules.dedup();
    // Rules that both files have come last, as they matter only if another section changed.
    rules.sort_by_key(|rule| {
        let is_in = |section: &Value| section.as_array().is_some_and(|rules| rules.contains(rule));
        is_in(old) && is_in(new)
    });
    // Both forms of a rule that changed have the calls of either.
    let (mut calls, mut exact) = (Vec::new(), Vec::new());
    for rule in rules.iter().take(MOST_NAMES) {
        calls_of(rule, words, &mut calls, &mut exact);
    }
    for calls in [&mut exact, &mut calls] {
        let mut seen = BTreeSet::new();
        calls.retain(|step| seen.insert(format!("{}{}", step.fields, step.agent)));
        calls.truncate(2 * MOST_CALLS);
    }
    exact.truncate(MOST_CALLS);
    let times = most(sections, 300);
    for pause in pauses(words) {
        for call in &exact {
            let steps = repeated(call, times, pause);
            all.extend([false, true].map(|is_failed| row(steps.iter().map(|step| (step, is_failed)))));
        }
    }
    for (one, other) in calls.iter().flat_map(|one| calls.iter().map(move |other| (one, other))) {
        all.push(row([(one, false), (other, false)]));
    }
    for (first, second) in exact.iter().flat_map(|one| exact.iter().map(move |other| (one, other))) {
        for third in exact.iter().filter(|third| *third != first && *third != second) {
            all.extend(
                [false, true].map(|is_failed| row([(first, false), (second, is_failed), (third, false)])),
            );
        }
    }
    all
}

/// Calls with their results, of which some failed.
fn row<'s>(calls: impl IntoIterator<Item = (&'s Step, bool)>) -> Vec<Step> {
    let both = calls.into_iter().enumerate().flat_map(|(number, (call, is_failed))| {
        let call = call.clone().with_id(number);
        let result = call.result(TOLD, is_failed);
        [call, result]
    });
    both.collect()
}

/// Adds the calls that patterns of a rule match or nearly match, and to `exact` one or two for each condition.
fn calls_of(rule: &Value, words: &Words, calls: &mut Vec<Step>, exact: &mut Vec<Step>) {
    match rule {
        Value::Array(items) => items.iter().for_each(|item| calls_of(item, words, calls, exact)),
        Value::Object(fields) => {
            if ["tools", "paths", "reads", "commands"].iter().any(|key| fields.contains_key(*key)) {
                calls_like(rule, words, calls, exact);
            }
            fields.values().for_each(|field| calls_of(field, words, calls, exact));
        }
        _ => {}
    }
}

fn calls_like(pattern: &Value, words: &Words, calls: &mut Vec<Step>, exact: &mut Vec<Step>) {
    let texts = |key: &str| -> Vec<&str> {
        match pattern.get(key) {
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).take(MOST_NAMES).collect(),
            Some(Value::String(text)) => vec![text],
            _ => Vec::new(),
        }
    };
    let mut agents: Vec<&str> = texts("agents");
    if agents.is_empty() {
        agents.push("");
    }
    let others: Vec<String> = self::agents(words);
    let mut add = |step: Step, is_exact: bool| {
        if is_exact {
            exact.extend(agents.iter().map(|agent| step.clone().by(agent)));
            exact
                .extend(others.iter().filter(|_| agents != [""]).take(1).map(|agent| step.clone().by(agent)));
        }
        calls.extend(agents.iter().map(|agent| step.clone().by(agent)));
    };
    for tool in texts("tools") {
        let args = |text: &str| json!({"url": "https://example.com/", "file_path": "a.txt", "prompt": text});
        add(Step::call(&tool.replace('*', "x"), &args("x")), true);
        add(Step::call(&tool.replace('*', "x"), &args(TOLD)), false);
    }
    for line in texts("commands") {
        let plain =
            line.split_whitespace().filter(|word| !word.starts_with('!')).collect::<Vec<_>>().join(" ");
        add(Step::call("Bash", &json!({"command": plain.replace('*', "x")})), true);
        for near in lines_of(line) {
            add(Step::call("Bash", &json!({"command": near})), false);
        }
    }
    for (key, tool) in [("reads", "Read"), ("paths", "Write")] {
        let patterns = texts(key);
        let paths = if patterns.is_empty() {
            Vec::new()
        } else {
            examples(&patterns, PatternDialect::Standard, 20_000)
        };
        // The first one matches nothing.
        for (number, path) in paths.into_iter().take(MOST_NAMES).enumerate() {
            add(Step::call(tool, &json!({"file_path": path, "content": "x"})), number == 1);
        }
    }
}

/// Tasks that are routed: from all agents, to all agents, with all words and priorities.
fn routes(words: &Words, sections: [&Value; 2]) -> Vec<Vec<Step>> {
    let mut names = agents(words);
    names.push("x".to_owned());
    let texts: Vec<String> =
        std::iter::once("x".to_owned()).chain(words.texts.iter().take(MOST_CALLS).cloned()).collect();
    let mut all = Vec::new();
    for (number, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let route = Step::new(EventKind::Route, json!({"target_agent": name, "task": "x"}));
        let started = (0..most(sections, 20)).flat_map(|child| {
            let id = format!("child-{number}-{child}");
            let fields = json!({"agent_name": name, "task": "x", "depth": 1, "child_id": id});
            [Step::new(EventKind::SubagentStart, fields), route.clone()]
        });
        all.push(started.collect());
    }
    for (from, to) in
        names.iter().flat_map(|from| names.iter().map(move |to| (from, to))).filter(|(_, to)| !to.is_empty())
    {
        for text in &texts {
            for priority in ["low", "normal", "high", "critical"] {
                let fields = json!({"target_agent": to, "task": text, "priority": priority});
                all.push(vec![Step::new(EventKind::Route, fields).by(from)]);
            }
        }
    }
    all
}

/// Calls of models by all agents; what they cost is searched by [`spent`].
fn budget(words: &Words, _: [&Value; 2]) -> Vec<Vec<Step>> {
    payers(words).into_iter().map(|(agent, model)| vec![before_model(&agent, &model)]).collect()
}

/// Agents and models whose spending is tried.
pub(super) fn payers(words: &Words) -> Vec<(String, String)> {
    let mut models = names_of(&words.models);
    models.insert("x".to_owned());
    let agents = agents(words);
    let some = models.iter().take(MOST_NAMES);
    some.flat_map(|model| agents.iter().map(move |agent| (agent.clone(), model.clone()))).collect()
}

fn before_model(agent: &str, model: &str) -> Step {
    let fields = json!({"model": model, "iteration": 1, "messages": [{"role": "user", "content": "x"}]});
    Step::new(EventKind::BeforeModelCall, fields).by(agent)
}

/// A model call after one that used `tokens`, and an agent that starts then.
pub(super) fn spent(agent: &str, model: &str, tokens: u64, pause: u64) -> Vec<Step> {
    let used = json!({
        "model": model, "iteration": 1, "response": {"role": "assistant", "content": "x"},
        "usage": {"input_tokens": tokens, "output_tokens": 1, "cached_tokens": 0, "reasoning_tokens": 0},
    });
    let child = json!({"agent_name": "x", "task": "x", "depth": 1, "child_id": "child-1"});
    vec![
        before_model(agent, model).with_id(1),
        Step::new(EventKind::AfterModelCall, used).by(agent).with_id(1),
        before_model(agent, model).with_id(2).after(pause),
        Step::new(EventKind::SubagentStart, child).by(agent).with_id(3).after(pause),
    ]
}
