//! The act of sequences: calls before and after those that a rule is about.

use std::fs;
use std::io::Write;

use hooks::team_rules::sequences::{SequenceRuleConfig, TaintConfig};
use serde_json::Value;

use super::example::Example;
use super::folder::CopiedTeam;
use super::stage::{Runs, Stage};
use super::{missing, title, under};
use crate::demo::report::Report;
use crate::failure::Failure;

/// Most calls that are made to reach a limit.
const MOST_CALLS: u64 = 5;
/// Content of a protected file in the demo.
const CONTENT: &str = "key = demo-7f3a91c2d4e85b60\n";

pub(super) async fn play(
    out: &mut impl Write,
    found: &CopiedTeam,
    report: &mut Report,
) -> Result<(), Failure> {
    title(out, "Sequences", "`sequences`: the rules of hooks.yaml")?;
    let rules = &found.sections.sequences;
    if rules.is_empty() {
        return Ok(missing(out, "a section `sequences` in the `hooks.yaml` beside the team folder")?);
    }
    let agent = found.agents().next().unwrap_or(CopiedTeam::coordinator());
    for rule in rules {
        // A session of its own, so that no rule sees the calls of another.
        let mut act = Act { stage: under(found, "sequences", &[rule]).await?, agent };
        writeln!(out, "  the rule `{}`\n", rule.name)?;
        let is_shown = act.rule(out, found, report, rule).await?;
        if !is_shown {
            missing(out, "a call that the patterns of this rule give an example of")?;
        }
    }
    Ok(())
}

/// A rule at work.
struct Act<'a> {
    stage: Stage,
    agent: &'a str,
}

impl Act<'_> {
    /// Shows a rule; `false` if its patterns give no example.
    async fn rule(
        &mut self,
        out: &mut impl Write,
        found: &CopiedTeam,
        report: &mut Report,
        rule: &SequenceRuleConfig,
    ) -> Result<bool, Failure> {
        let example = |patterns: &Option<_>| patterns.as_ref().and_then(Example::of_patterns);
        if let Some(taint) = &rule.taint {
            return self.taint(out, found, report, taint).await;
        }
        if let (Some(calls), Some(most)) = (example(&rule.calls), rule.at_most) {
            for number in 0..=most.min(MOST_CALLS) {
                let note = if number < most { "within the limit" } else { "one more than the limit" };
                self.call(out, report, &calls, note).await?;
            }
            return Ok(true);
        }
        let (Some(never), Some(after)) = (example(&rule.never), example(&rule.after)) else {
            return Ok(false);
        };
        self.call(out, report, &never, "before the call that the rule is about").await?;
        self.call(out, report, &after, "from here on, the rule holds").await?;
        self.call(out, report, &never, "after it").await?;
        if let Some(unless) = example(&rule.unless) {
            self.call(out, report, &unless, "this lifts the rule").await?;
            self.call(out, report, &never, "and now it is open again").await?;
        }
        Ok(true)
    }

    async fn taint(
        &mut self,
        out: &mut impl Write,
        found: &CopiedTeam,
        report: &mut Report,
        taint: &TaintConfig,
    ) -> Result<bool, Failure> {
        let (Some(from), Some(to)) = (Example::of_patterns(&taint.from), Example::of_patterns(&taint.to))
        else {
            return Ok(false);
        };
        self.call(out, report, &to, "before the protected result is read").await?;
        let path = from.args.get("path").and_then(Value::as_str).map(|path| found.root().join(path));
        let is_read = from.tool == "read";
        if let Some(path) = path.filter(|path| is_read && !path.exists()) {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(path, CONTENT)?;
        }
        let runs = if is_read { Runs::Really } else { Runs::Only };
        self.stage.call(out, report, (self.agent, &from), runs, "the protected result").await?;
        let mut with = to.clone();
        if let Some(fields) = with.args.as_object_mut() {
            fields.insert("text".to_owned(), Value::from(CONTENT.trim()));
        }
        self.call(out, report, &with, "after it, with a piece of the result").await?;
        Ok(true)
    }

    async fn call(
        &mut self,
        out: &mut impl Write,
        report: &mut Report,
        example: &Example,
        note: &str,
    ) -> Result<(), Failure> {
        self.stage.call(out, report, (self.agent, example), Runs::Only, note).await
    }
}
