//! `hooks status`: the decisions of a time, and what rules in the shadow would have done.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use hooks::audit::keep::{Age, Selection};
use hooks::audit::{Committed, Positions};
use hooks::config::{Config, InShadow};
use hooks::time::{Clock as _, Timestamp};
use hooks::{EventKind, Strength, SystemClock};
use serde::Serialize;

use super::plain::plain;
use super::reading::Reading;
use super::words::moment;
use crate::failure::{Failure, Status};
use crate::paint::{GOOD, LOUD, OPEN, QUIET, one_line, strength_style};
use crate::{load, output};

/// Examples of each rule in the shadow.
const MOST_EXAMPLES: usize = 3;
/// Characters of a call in an example.
const WIDTH: usize = 100;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks status                       # all that the record has
  hooks status --since '7 days'
  hooks status --since 2026-01-31T09 --json

The record is that of the configuration: its section `audit`, or the folder of a team. `hooks doctor` shows which clients
are governed.

Exit status: 0 printed, 2 there is no record, 3 some of it is damaged, and the rest was counted.")]
pub(crate) struct StatusOptions {
    /// The configuration [default: the one that governs this folder]
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Not before this time, such as `7 days` or 2026-01-31T09:30 (UTC)
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Parses a time, or an age, as the beginning of the times in records.
pub(crate) fn since(text: &str) -> Result<String, String> {
    match text.parse::<Age>() {
        Ok(age) => {
            let age = u64::try_from(age.duration().as_millis()).unwrap_or(u64::MAX);
            Ok(Timestamp(SystemClock.now().0.saturating_sub(age)).to_string())
        }
        Err(_) => moment(text),
    }
}

/// Decisions of a time.
#[derive(Debug, Default, Serialize)]
struct Report {
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// Decided events, by the answer.
    decisions: Sums,
    /// Parts of the configuration that are in the shadow now.
    in_shadow: Vec<NowInShadow>,
    /// Denials and questions of rules in the shadow.
    would_have: Vec<Noted>,
}

#[derive(Debug, Default, Serialize)]
struct Sums {
    allow: u64,
    ask: u64,
    deny: u64,
    no_opinion: u64,
}

#[derive(Debug, Serialize)]
struct NowInShadow {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
}

/// Answers of one rule in the shadow.
#[derive(Debug, Serialize)]
struct Noted {
    policy: String,
    rule: String,
    outcome: Strength,
    count: u64,
    /// The last ones.
    examples: Vec<Example>,
}

#[derive(Debug, Serialize)]
struct Example {
    position: String,
    at: String,
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// Arguments, or the event, unless they were erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Prints the status of the project.
pub(crate) fn run(options: &StatusOptions) -> Result<Status, Failure> {
    let path = load::named_or_found(options.config.as_deref())?;
    let config = load::config(&path, None)?;
    let folder = config.audit_folder().filter(|folder| folder.is_dir()).ok_or_else(|| {
        let name = config.name();
        Failure::message(format!(
            "there is no record yet; `{name}` needs the section `audit: {{}}`, and a call"
        ))
    })?;
    let mut selection = Selection::default();
    selection.since.clone_from(&options.since);
    let mut reading = Reading::new(&folder, Positions::default());
    let (mut sums, mut noted) = (Sums::default(), BTreeMap::new());
    loop {
        let records = reading.next()?;
        if records.is_empty() {
            break;
        }
        for one in records.iter().filter(|one| selection.fits(&one.record)) {
            count(one, &mut sums, &mut noted);
        }
    }
    let mut would_have: Vec<Noted> = noted.into_values().collect();
    would_have.sort_by_key(|one| std::cmp::Reverse(one.count));
    let in_shadow = now_in_shadow(&config);
    let report = Report { since: options.since.clone(), decisions: sums, in_shadow, would_have };
    let mut out = output::out();
    if options.json {
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    } else {
        tell(&mut out, &report)?;
    }
    Ok(reading.status(Status::Well))
}

fn now_in_shadow(config: &Config) -> Vec<NowInShadow> {
    let all = config.in_shadow().iter();
    all.map(|InShadow { path, name, until, .. }| NowInShadow {
        path: path.clone(),
        name: name.clone(),
        until: until.map(|until| until.to_string()),
    })
    .collect()
}

/// Policy, rule and answer.
type NotedKey = (String, String, Strength);

fn count(one: &Committed, sums: &mut Sums, noted: &mut BTreeMap<NotedKey, Noted>) {
    let record = &one.record;
    let is_decided = EventKind::ALL.iter().any(|kind| kind.decides() && kind.name() == record.event);
    let Some(outcome) = record.outcome.filter(|_| is_decided) else { return };
    let sum = match outcome {
        Strength::NoOpinion => &mut sums.no_opinion,
        Strength::Allow => &mut sums.allow,
        Strength::Ask => &mut sums.ask,
        Strength::Deny => &mut sums.deny,
    };
    *sum += 1;
    for would in &record.would {
        let key = (would.policy.clone(), would.rule.clone(), would.outcome);
        let rule = noted.entry(key).or_insert_with(|| Noted {
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
        rule.examples.push(example(one, &would.policy, &would.rule));
    }
}

fn example(one: &Committed, policy: &str, rule: &str) -> Example {
    let payload = one.payload();
    let reason = payload.and_then(|payload| {
        let mut reasons = payload.reasons.iter();
        let reason = reasons.find(|reason| {
            reason.get("would").is_some() && reason["policy"] == *policy && reason["rule"] == *rule
        })?;
        Some(reason["message"].as_str()?.to_owned())
    });
    let call = payload.map(|payload| payload.event.get("tool_args").unwrap_or(&payload.event).to_string());
    Example {
        position: one.position().to_string(),
        at: one.record.at.to_string(),
        agent: one.record.agent.clone(),
        tool: one.record.tool.clone(),
        call,
        reason,
    }
}

fn tell(out: &mut impl Write, report: &Report) -> Result<(), Failure> {
    let Sums { allow, ask, deny, no_opinion } = report.decisions;
    let since = report.since.as_ref().map(|since| format!(" since {since}")).unwrap_or_default();
    writeln!(
        out,
        "{LOUD}decisions{LOUD:#}{since}: {deny} denied, {ask} asked, {allow} allowed, {no_opinion} without an opinion"
    )?;
    if report.in_shadow.is_empty() && report.would_have.is_empty() {
        writeln!(
            out,
            "{GOOD}nothing{GOOD:#} is in the shadow; `mode: observe` tries a rule before it is enforced"
        )?;
    }
    if !report.in_shadow.is_empty() {
        writeln!(out, "\n{LOUD}in the shadow now{LOUD:#}")?;
    }
    for NowInShadow { path, name, until } in &report.in_shadow {
        let path = if path.is_empty() { "the whole file" } else { path };
        let name = name.as_ref().map(|name| format!(" `{}`", plain(name))).unwrap_or_default();
        let until = until.as_ref().map(|until| format!(", enforced from {until}")).unwrap_or_default();
        writeln!(out, "  {}{name}{until}", plain(path))?;
    }
    if !report.in_shadow.is_empty() && report.would_have.is_empty() {
        writeln!(out, "\nno rule in the shadow would have denied or asked")?;
    }
    for noted in &report.would_have {
        let (style, what) = match noted.outcome {
            Strength::Deny => (strength_style(Strength::Deny), "denied"),
            other => (strength_style(other), "asked about"),
        };
        let (policy, rule) = (plain(&noted.policy), plain(&noted.rule));
        let times = if noted.count == 1 { "event" } else { "events" };
        writeln!(
            out,
            "\n{OPEN}{policy}/{rule}{OPEN:#} would have {style}{what}{style:#} {} {times}",
            noted.count
        )?;
        for example in &noted.examples {
            let tool = example.tool.as_deref().unwrap_or_default();
            let call = one_line(&plain(example.call.as_deref().unwrap_or("(erased)")), WIDTH);
            let (at, position) = (&example.at, &example.position);
            let agent = plain(&example.agent);
            writeln!(out, "  {QUIET}{at} {position}{QUIET:#} {agent} {} {call}", plain(tool))?;
            if let Some(reason) = &example.reason {
                writeln!(out, "    {}", one_line(&plain(reason), WIDTH * 2))?;
            }
        }
    }
    Ok(())
}
