//! Prints each step of the demo as it happens, and a summary at the end.

use std::io::{self, Write};

use anstyle::Style;
use hooks::Judged;
use hooks::drivers::{Governed, ToolOutcome, ToolResult};
use hooks::event::VerdictSource;
use serde_json::Value;

use super::script::Call;
use crate::explain::in_words;
use crate::paint::{BAD, GOOD, LOUD, OPEN, QUIET, one_line};
use crate::table::Table;

/// Maximum characters of a text on a line.
const WIDTH: usize = 96;
/// Maximum lines of a result.
const MOST_LINES: usize = 6;

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Allowed,
    Approved,
    Changed,
    Scrubbed,
    Denied,
}

impl Fate {
    const ALL: [Self; 5] = [Self::Allowed, Self::Approved, Self::Changed, Self::Scrubbed, Self::Denied];

    const fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Approved => "approved",
            Self::Changed => "changed",
            Self::Scrubbed => "scrubbed",
            Self::Denied => "denied",
        }
    }

    const fn style(self) -> Style {
        match self {
            Self::Allowed | Self::Approved => GOOD,
            Self::Changed | Self::Scrubbed => OPEN,
            Self::Denied => BAD,
        }
    }
}

/// The facts about a step that the summary needs.
#[derive(Debug)]
struct Entry {
    agent: String,
    fate: Fate,
    /// The policy and the rule that denied the call.
    by: Option<(String, String)>,
}

/// Collects the outcomes of all calls.
#[derive(Debug, Default)]
pub(super) struct Report(Vec<Entry>);

impl Report {
    /// Prints a call.
    pub(super) fn call(
        &mut self,
        out: &mut impl Write,
        call: &Call,
        governed: &Governed,
        raw: Option<&Value>,
        question_text: Option<&str>,
    ) -> io::Result<()> {
        let note = one_line(&call.note, WIDTH);
        writeln!(out, "{LOUD}{}{LOUD:#} {} {QUIET}{note}{QUIET:#}", call.agent, call.tool)?;
        writeln!(out, "    {}", one_line(&arguments(&call.args), WIDTH))?;
        let changed = governed.call.args != call.args;
        if changed {
            let now = one_line(&arguments(&governed.call.args), WIDTH);
            writeln!(out, "  {OPEN}changed{OPEN:#}   to `{now}` before it was judged")?;
        }
        if let Some(question) = question_text {
            writeln!(out, "  {OPEN}asked{OPEN:#}     {}", one_line(question, WIDTH))?;
        }
        let (fate, by) = match &governed.outcome {
            ToolOutcome::Denied(reason) => {
                let by = self.denied(out, governed, reason)?;
                (Fate::Denied, by)
            }
            ToolOutcome::Withheld(reason, _) => {
                writeln!(out, "  {BAD}withheld{BAD:#}  {}", one_line(reason, WIDTH))?;
                (Fate::Denied, None)
            }
            ToolOutcome::Ran(result, _) | ToolOutcome::Failed(result, ..) => {
                let scrubbed = raw.is_some_and(|raw| *raw != result.content);
                let fate = match (scrubbed, changed, governed.source) {
                    (true, ..) => Fate::Scrubbed,
                    (_, true, _) => Fate::Changed,
                    (.., VerdictSource::Approver) => Fate::Approved,
                    _ => Fate::Allowed,
                };
                ran(out, fate, result, raw)?;
                (fate, None)
            }
            _ => (Fate::Denied, None),
        };
        self.0.push(Entry { agent: call.agent.clone(), fate, by });
        writeln!(out)
    }

    fn denied(
        &self,
        out: &mut impl Write,
        governed: &Governed,
        reason: &str,
    ) -> io::Result<Option<(String, String)>> {
        let shown = governed.decision.shown_reason();
        writeln!(out, "  {BAD}denied{BAD:#}    {}", one_line(reason, WIDTH * 2))?;
        let Some(shown) = shown else { return Ok(None) };
        writeln!(out, "    {QUIET}by{QUIET:#}      {}: {}", shown.policy, shown.rule)?;
        for evidence in shown.evidence.iter().take(2) {
            writeln!(out, "    {QUIET}because{QUIET:#} {}", one_line(&in_words(evidence), WIDTH))?;
        }
        if let Some(remedy) = &shown.remedy {
            writeln!(out, "    {QUIET}unless{QUIET:#}  {}", one_line(remedy, WIDTH * 2))?;
        }
        Ok(Some((shown.policy.to_string(), shown.rule.to_string())))
    }

    /// Prints a step that is not a call.
    pub(super) fn aside(out: &mut impl Write, who: &str, what: &str, note: &str) -> io::Result<()> {
        let note = one_line(note, WIDTH);
        writeln!(out, "{LOUD}{who}{LOUD:#} {what} {QUIET}{note}{QUIET:#}\n")
    }

    /// Prints the summary.
    pub(super) fn summary(&self, out: &mut impl Write) -> io::Result<()> {
        let mut agents: Vec<&str> = Vec::new();
        for entry in &self.0 {
            if !agents.contains(&entry.agent.as_str()) {
                agents.push(&entry.agent);
            }
        }
        let plain = Style::new();
        let mut table =
            Table::new(["agent", "calls", "allowed", "approved", "changed", "scrubbed", "denied"])
                .numbers(1..=6);
        for agent in agents {
            let of_agent: Vec<_> = self.0.iter().filter(|entry| entry.agent == agent).collect();
            let count = |fate: Fate| of_agent.iter().filter(|entry| entry.fate == fate).count().to_string();
            let [allowed, approved, changed, scrubbed, denied] =
                Fate::ALL.map(|fate| (count(fate), fate.style()));
            let calls = (of_agent.len().to_string(), plain);
            table.row([(agent.to_owned(), LOUD), calls, allowed, approved, changed, scrubbed, denied]);
        }
        table.write(out)?;
        let mut denials: Vec<(&(String, String), usize)> = Vec::new();
        for by in self.0.iter().filter_map(|entry| entry.by.as_ref()) {
            match denials.iter_mut().find(|(known, _)| *known == by) {
                Some((_, count)) => *count += 1,
                None => denials.push((by, 1)),
            }
        }
        if denials.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let mut table = Table::new(["denied by", "rule", "calls"]).numbers([2]);
        for ((policy, rule), count) in denials {
            table.row([(policy.clone(), LOUD), (one_line(rule, 40), plain), (count.to_string(), BAD)]);
        }
        table.write(out)
    }
}

/// Prints that a tool ran, and the part of its result that the agent read.
fn ran(out: &mut impl Write, fate: Fate, result: &ToolResult, raw: Option<&Value>) -> io::Result<()> {
    let read = result.content.as_str().unwrap_or_default().trim_end();
    let (name, more) = match (fate, &result.error) {
        (Fate::Changed, None) => (Fate::Allowed.name(), String::new()),
        (_, Some(error)) => (fate.name(), format!("and it failed: {error}")),
        (Fate::Scrubbed, None) => {
            let before = raw.and_then(Value::as_str).unwrap_or_default();
            let lines = before.lines().zip(read.lines()).filter(|(before, after)| before != after).count();
            (fate.name(), format!("{lines} lines of the result, before the agent read it"))
        }
        (_, None) => (fate.name(), String::new()),
    };
    let style = fate.style();
    writeln!(out, "  {style}{name}{style:#}{:pad$} {more}", "", pad = 9_usize.saturating_sub(name.len()))?;
    for line in read.lines().take(MOST_LINES) {
        writeln!(out, "    {QUIET}│{QUIET:#} {}", one_line(line, WIDTH))?;
    }
    Ok(())
}

/// Arguments on one line: the main text if there is one, else JSON.
fn arguments(args: &Value) -> String {
    let text = |name: &str| args.get(name).and_then(Value::as_str).map(str::to_owned);
    text("command").or_else(|| text("question")).or_else(|| text("path")).unwrap_or_else(|| args.to_string())
}
