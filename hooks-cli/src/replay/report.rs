//! The report of a replay: each decision that changed or is not known, and sums.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal as _, Write};

use hooks::time::Timestamp;
use hooks::{Reason, Strength};
use serde_json::{Value, json};

use super::cli::ReplayFormat;
use super::html;
use super::moment::{Moment, Recorded};
use super::side::{Decided, Side};
use crate::failure::Failure;
use crate::output;
use crate::paint::{LOUD, OPEN, QUIET, one_line, strength_style};

/// Maximum characters of a text on a line.
const WIDTH: usize = 100;
/// Sections that are not carried out, or read files as they are now.
const NOT_REBUILT: [(&str, &str); 8] = [
    ("hooks", "its handlers are not started"),
    ("prompts", "prompts are not rewritten"),
    ("boundaries", "it reads the files of the team as they are now"),
    ("ceremonies", "it reads the files of the team as they are now"),
    ("decisions", "it reads the files of the team as they are now"),
    ("phases", "it reads the files of the team as they are now"),
    ("routes", "it reads the files of the team as they are now"),
    ("models", "the health of models then is not known"),
];

/// A decision, of the record or of a side.
pub(super) struct Verdict {
    pub(super) strength: Strength,
    /// The deciding rules, as `policy/rule`.
    rules: Vec<String>,
    message: Option<String>,
    /// Whether only the end of the call is known.
    is_of_call: bool,
}

impl Verdict {
    /// The decision in the record.
    pub(super) fn recorded(recorded: &Recorded) -> Self {
        match recorded {
            Recorded::Decision(strength, reasons) => {
                let reasons = reasons.iter().filter_map(|reason| serde_json::from_value(reason.clone()).ok());
                Self::new(*strength, &reasons.collect::<Vec<Reason>>())
            }
            Recorded::WasDenied(is_denied) => Self {
                strength: if *is_denied { Strength::Deny } else { Strength::NoOpinion },
                rules: Vec::new(),
                message: None,
                is_of_call: true,
            },
        }
    }

    fn new(strength: Strength, reasons: &[Reason]) -> Self {
        let deciding = || reasons.iter().filter(|reason| reason.strength == strength);
        let mut rules: Vec<String> =
            deciding().map(|reason| format!("{}/{}", reason.policy, reason.rule)).collect();
        rules.dedup();
        let message = deciding().next().map(|reason| reason.message.clone());
        Self { strength, rules, message, is_of_call: false }
    }

    fn name(&self) -> String {
        match (self.is_of_call, self.strength) {
            (true, Strength::Deny) => "denied".to_owned(),
            (true, _) => "ran".to_owned(),
            (false, strength) => strength.to_string().replace('_', " "),
        }
    }

    fn to_json(&self) -> Value {
        let mut value = json!({ "decision": self.name().replace(' ', "_") });
        if let Some(fields) = value.as_object_mut() {
            if !self.rules.is_empty() {
                fields.insert("rules".to_owned(), json!(self.rules));
            }
            if let Some(message) = &self.message {
                fields.insert("message".to_owned(), json!(message));
            }
        }
        value
    }
}

impl From<Decided> for Verdict {
    fn from(decided: Decided) -> Self {
        Self::new(decided.strength, &decided.reasons)
    }
}

/// A decision that changed, or that is not known.
pub(super) struct Change<'m> {
    pub(super) moment: &'m Moment,
    pub(super) before: Option<Verdict>,
    pub(super) after: Option<Verdict>,
    pub(super) not_known: Vec<&'static str>,
    /// Whether it holds only if its paths had no links.
    pub(super) assumes_no_links: bool,
}

/// Numbers of decisions.
#[derive(Default)]
struct Sums {
    decisions: u64,
    same: u64,
    to: BTreeMap<Strength, u64>,
    not_known: u64,
    assumed: u64,
    reasons_not_known: BTreeMap<&'static str, u64>,
    by_rule: BTreeMap<String, u64>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
}

/// Writes the report while the record is read.
pub(super) struct Report {
    format: ReplayFormat,
    sums: Sums,
    new: (String, String),
    old: Option<(String, String)>,
    left_out: Vec<(&'static str, &'static str)>,
    /// Files whose last record or line is not complete.
    unfinished: BTreeSet<String>,
    out: Box<dyn Write + Send>,
    /// Whether progress is shown on a terminal, and a line of it is there.
    shows_progress: bool,
    has_line: bool,
    has_results: bool,
    /// Rows of the page.
    rows: u64,
}

impl Report {
    pub(super) fn new(format: ReplayFormat, new: &Side, old: Option<&Side>) -> Result<Self, Failure> {
        let has = |name: &str| new.has_section(name) || old.is_some_and(|old| old.has_section(name));
        let left_out = NOT_REBUILT.into_iter().filter(|(name, _)| has(name)).collect();
        let mut out: Box<dyn Write + Send> = Box::new(io::BufWriter::new(output::out()));
        if format == ReplayFormat::Html {
            out.write_all(html::HEAD.as_bytes())?;
        }
        if format == ReplayFormat::Sarif {
            write!(
                out,
                "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{},\"results\":[",
                json!({"driver": {"name": "hooks replay", "version": env!("CARGO_PKG_VERSION")}})
            )?;
        }
        Ok(Self {
            format,
            sums: Sums::default(),
            new: new.name(),
            old: old.map(Side::name),
            left_out,
            unfinished: BTreeSet::new(),
            out,
            shows_progress: io::stderr().is_terminal(),
            has_line: false,
            has_results: false,
            rows: 0,
        })
    }

    /// Counts a decision that is the same.
    pub(super) fn same(&mut self, moment: &Moment) -> Result<(), Failure> {
        self.count(moment);
        self.sums.same += 1;
        Ok(())
    }

    /// Reports a decision that changed, or is not known.
    pub(super) fn differs(&mut self, change: &Change<'_>) -> Result<(), Failure> {
        self.count(change.moment);
        if let (true, Some(after)) = (change.not_known.is_empty(), &change.after) {
            *self.sums.to.entry(after.strength).or_default() += 1;
            self.sums.assumed += u64::from(change.assumes_no_links);
            // What allows or denies now, or did before.
            let rules = [&change.after, &change.before]
                .into_iter()
                .flatten()
                .find(|verdict| !verdict.rules.is_empty());
            for rule in rules.into_iter().flat_map(|verdict| &verdict.rules) {
                *self.sums.by_rule.entry(rule.clone()).or_default() += 1;
            }
        } else {
            self.sums.not_known += 1;
            for why in &change.not_known {
                *self.sums.reasons_not_known.entry(why).or_default() += 1;
            }
        }
        self.clear_line()?;
        match self.format {
            ReplayFormat::Text => self.tell(change)?,
            ReplayFormat::Json => writeln!(self.out, "{}", as_json(change))?,
            ReplayFormat::Sarif => {
                let comma = if self.has_results { "," } else { "" };
                write!(self.out, "{comma}{}", as_sarif(change))?;
                self.has_results = true;
            }
            ReplayFormat::Html => {
                self.rows += 1;
                if self.rows <= html::MOST_ROWS {
                    self.out.write_all(html::row(&as_json(change)).as_bytes())?;
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, moment: &Moment) {
        let at = moment.context.timestamp;
        self.sums.decisions += 1;
        self.sums.first = Some(self.sums.first.map_or(at, |first| first.min(at)));
        self.sums.last = Some(self.sums.last.map_or(at, |last| last.max(at)));
    }

    fn tell(&mut self, change: &Change<'_>) -> io::Result<()> {
        let Change { moment, before, after, not_known, .. } = change;
        let context = &moment.context;
        let what = moment.tool.as_deref().unwrap_or(moment.kind.name());
        write!(self.out, "{} {LOUD}{}{LOUD:#}", context.timestamp, one_line(what, WIDTH))?;
        if !context.agent_name.is_empty() {
            write!(self.out, " by {}", one_line(&context.agent_name, WIDTH))?;
        }
        let (session, place) =
            (one_line(&context.session_id, WIDTH), one_line(&moment.place.to_string(), WIDTH * 2));
        writeln!(self.out, " {QUIET}session {session}, {place}{QUIET:#}")?;
        if let Some(subject) = &moment.subject {
            writeln!(self.out, "  {QUIET}{}{QUIET:#}", one_line(subject, WIDTH))?;
        }
        if !not_known.is_empty() {
            return writeln!(self.out, "  {OPEN}not known{OPEN:#}: {}", not_known.join("; "));
        }
        let (Some(before), Some(after)) = (before, after) else { return Ok(()) };
        let style = strength_style(after.strength);
        write!(
            self.out,
            "  {}{} -> {style}{}{style:#}{}",
            before.name(),
            in_brackets(&before.rules),
            after.name(),
            in_brackets(&after.rules)
        )?;
        match after.message.as_ref().or(before.message.as_ref()) {
            Some(message) => writeln!(self.out, ": {}", one_line(message, WIDTH * 2)),
            None => writeln!(self.out),
        }
    }

    /// Shows the number of decisions on a terminal.
    pub(super) fn progress(&mut self) -> Result<(), Failure> {
        if self.shows_progress {
            let Sums { decisions, same, not_known, .. } = &self.sums;
            let changed = decisions.saturating_sub(*same).saturating_sub(*not_known);
            write!(io::stderr(), "\r\x1b[K{decisions} decisions, {changed} changed")?;
            io::stderr().flush()?;
            self.has_line = true;
        }
        Ok(())
    }

    fn clear_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.has_line) {
            write!(io::stderr(), "\r\x1b[K")?;
        }
        Ok(())
    }

    /// Writes the sums. Returns whether a decision changed.
    pub(super) fn end(
        &mut self,
        is_interrupted: bool,
        unfinished: &Result<BTreeSet<String>, Failure>,
    ) -> Result<bool, Failure> {
        self.clear_line()?;
        let is_whole = !is_interrupted && unfinished.is_ok();
        self.unfinished = unfinished.as_ref().cloned().unwrap_or_default();
        match self.format {
            ReplayFormat::Text => {
                let mut sums = Vec::new();
                self.sums_as_text(is_whole, &mut sums)?;
                if self.sums.decisions > self.sums.same {
                    writeln!(self.out)?;
                }
                self.out.write_all(&sums)?;
            }
            ReplayFormat::Html => {
                let mut sums = Vec::new();
                self.sums_as_text(is_whole, &mut sums)?;
                let sums = anstream::adapter::strip_str(&String::from_utf8_lossy(&sums)).to_string();
                let left_out = self.rows.saturating_sub(html::MOST_ROWS);
                self.out.write_all(html::end(&sums, left_out).as_bytes())?;
            }
            ReplayFormat::Json => writeln!(self.out, "{}", json!({ "summary": self.summary(is_whole) }))?,
            ReplayFormat::Sarif => writeln!(
                self.out,
                "],\"invocations\":[{}],\"properties\":{}}}]}}",
                json!({"executionSuccessful": is_whole}),
                self.summary(is_whole)
            )?,
        }
        self.out.flush()?;
        Ok(!self.sums.to.is_empty())
    }

    fn summary(&self, is_whole: bool) -> Value {
        let Sums { decisions, same, to, not_known, assumed, reasons_not_known, by_rule, first, last } =
            &self.sums;
        let side = |(file, version): &(String, String)| json!({"file": file, "rules": version});
        let to = |strength| to.get(&strength).copied().unwrap_or_default();
        json!({
            "whole": is_whole,
            "incomplete_ends": self.unfinished,
            "from": first.map(|at| at.to_string()),
            "to": last.map(|at| at.to_string()),
            "config": side(&self.new),
            "against": self.old.as_ref().map_or_else(|| json!("the record"), side),
            "decisions": decisions,
            "same": same,
            "changed_to_deny": to(Strength::Deny),
            "changed_to_ask": to(Strength::Ask),
            "changed_to_allow": to(Strength::Allow),
            "changed_to_no_opinion": to(Strength::NoOpinion),
            "assume_no_links": assumed,
            "not_known": not_known,
            "reasons_not_known": reasons_not_known,
            "changed_by_rule": by_rule,
            "not_rebuilt": self.left_out.iter().map(|(name, why)| json!({"section": name, "why": why})).collect::<Vec<_>>(),
        })
    }

    fn sums_as_text(&self, is_whole: bool, out: &mut dyn Write) -> io::Result<()> {
        let Self { sums, new, old, left_out, unfinished, .. } = self;
        let since = |at: Option<Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
        write!(out, "{LOUD}{} decisions{LOUD:#}", sums.decisions)?;
        match sums.first {
            Some(_) => writeln!(out, ", {} to {}", since(sums.first), since(sums.last))?,
            None => writeln!(out)?,
        }
        let against = old
            .as_ref()
            .map_or_else(|| "the record".to_owned(), |(file, version)| format!("{file} ({version})"));
        writeln!(out, "{} ({}) against {against}", new.0, new.1)?;
        writeln!(out, "  {:>9}  same", sums.same)?;
        for strength in [Strength::Deny, Strength::Ask, Strength::Allow, Strength::NoOpinion] {
            if let Some(count) = sums.to.get(&strength) {
                let (style, name) = (strength_style(strength), strength.to_string().replace('_', " "));
                writeln!(out, "  {count:>9}  changed to {style}{name}{style:#}")?;
            }
        }
        for (rule, count) in &sums.by_rule {
            writeln!(out, "  {count:>9}  {QUIET}by{QUIET:#} {}", one_line(rule, WIDTH))?;
        }
        if sums.not_known > 0 {
            writeln!(out, "  {:>9}  {OPEN}not known{OPEN:#}", sums.not_known)?;
            for (why, count) in &sums.reasons_not_known {
                writeln!(out, "  {count:>9}  {QUIET}because{QUIET:#} {why}")?;
            }
        }
        if sums.assumed > 0 {
            writeln!(
                out,
                "{} of the changes hold if the paths had no links then; `--files-now` looks at those of today",
                sums.assumed
            )?;
        }
        for (section, why) in left_out {
            writeln!(out, "`{section}` is not as it was then: {why}")?;
        }
        for file in unfinished {
            writeln!(
                out,
                "the end of `{}` is not a complete record, and was not judged",
                one_line(file, WIDTH * 2)
            )?;
        }
        if !is_whole {
            writeln!(out, "{OPEN}The rest of the record was not judged.{OPEN:#}")?;
        }
        Ok(())
    }
}

fn in_brackets(rules: &[String]) -> String {
    if rules.is_empty() { String::new() } else { format!(" ({})", one_line(&rules.join(", "), WIDTH)) }
}

fn as_json(change: &Change<'_>) -> Value {
    let Change { moment, before, after, not_known, .. } = change;
    let mut value = json!({
        "at": moment.context.timestamp.to_string(),
        "place": moment.place.to_string(),
        "event": moment.kind.name(),
        "session": moment.context.session_id,
        "agent": moment.context.agent_name,
        "tool": moment.tool,
        "subject": moment.subject,
        "changed": not_known.is_empty(),
        "assumes": change.assumes_no_links.then_some("no links in its paths"),
    });
    if let Some(fields) = value.as_object_mut() {
        let verdicts = [("before", before), ("after", after)];
        let verdicts = verdicts
            .into_iter()
            .filter_map(|(name, verdict)| Some((name.to_owned(), verdict.as_ref()?.to_json())));
        if not_known.is_empty() {
            fields.extend(verdicts);
        } else {
            fields.insert("not_known".to_owned(), json!(not_known));
        }
        fields.retain(|_, value| !value.is_null());
    }
    value
}

fn as_sarif(change: &Change<'_>) -> Value {
    let Change { moment, before, after, not_known, .. } = change;
    let what = moment.tool.as_deref().unwrap_or(moment.kind.name());
    let rule = after.as_ref().or(before.as_ref()).and_then(|verdict| verdict.rules.first());
    let (kind, level, message) = match (before, after) {
        (Some(before), Some(after)) if not_known.is_empty() => {
            let level = match after.strength {
                Strength::Deny => "error",
                Strength::Ask => "warning",
                Strength::Allow | Strength::NoOpinion => "note",
            };
            ("fail", level, format!("`{what}`: {} before, {} now", before.name(), after.name()))
        }
        _ => ("open", "none", format!("`{what}`: not known: {}", not_known.join("; "))),
    };
    json!({
        "ruleId": rule.map_or("replay", String::as_str),
        "kind": kind,
        "level": level,
        "message": {"text": message},
        "locations": [{"logicalLocations": [{"fullyQualifiedName": moment.place.to_string()}]}],
        "properties": as_json(change),
    })
}
