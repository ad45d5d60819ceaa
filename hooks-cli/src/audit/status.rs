//! `hooks status`: the decisions of a time, and what rules in the shadow would have done.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use hooks::audit::keep::{Age, Selection};
use hooks::audit::{Committed, Positions};
use hooks::config::{Config, InShadow};
use hooks::time::{Clock as _, Timestamp};
use hooks::{Strength, SystemClock};
use serde::Serialize;

use super::plain::plain;
use super::reading::Reading;
use super::sums::decides;
use super::words::moment;
use super::would::{AllWouldHaves, WouldHaves};
use crate::failure::{Failure, Status};
use crate::paint::{GOOD, LOUD, OPEN, QUIET, one_line, strength_style};
use crate::{load, output};

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
    would_have: Vec<WouldHaves>,
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
    let (mut sums, mut would) = (Sums::default(), AllWouldHaves::default());
    loop {
        let records = reading.next()?;
        if records.is_empty() {
            break;
        }
        for one in records.iter().filter(|one| selection.fits(&one.record)) {
            count(one, &mut sums, &mut would);
        }
    }
    let in_shadow = now_in_shadow(&config);
    let since = options.since.clone();
    let report = Report { since, decisions: sums, in_shadow, would_have: would.into_rows() };
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

fn count(one: &Committed, sums: &mut Sums, would: &mut AllWouldHaves) {
    let record = &one.record;
    let Some(outcome) = record.outcome.filter(|_| decides(record)) else { return };
    let sum = match outcome {
        Strength::NoOpinion => &mut sums.no_opinion,
        Strength::Allow => &mut sums.allow,
        Strength::Ask => &mut sums.ask,
        Strength::Deny => &mut sums.deny,
    };
    *sum += 1;
    let payload = one.payload().filter(|_| !record.would.is_empty());
    let call = payload.map(|payload| payload.event.get("tool_args").unwrap_or(&payload.event).to_string());
    would.add(record, &one.position(), call.as_deref(), |policy, rule| {
        let reason = payload?.reasons.iter().find(|reason| {
            reason.get("would").is_some() && reason["policy"] == *policy && reason["rule"] == *rule
        })?;
        Some(reason["message"].as_str()?.to_owned())
    });
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
