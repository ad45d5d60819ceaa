//! The act of decisions: calls that would break them.

use std::io::Write;

use hooks::team_rules::decisions::{Decision, DecisionFiles, DecisionRule, Decisions, Enforcement};

use super::example::{Example, path_in};
use super::folder::CopiedTeam;
use super::stage::{Runs, Stage};
use super::{missing, title, under};
use crate::demo::report::Report;
use crate::failure::Failure;

/// Most decisions that are shown, and most of one kind.
const MOST: usize = 6;
const MOST_OF_KIND: usize = 2;

/// A call that would break a decision, and the list of the rule that forbids it.
type Breaking = (&'static str, Example);

pub(super) async fn play(
    out: &mut impl Write,
    found: &CopiedTeam,
    report: &mut Report,
) -> Result<(), Failure> {
    title(out, "Decisions", "`decisions`: decisions.md, its inbox and its archive")?;
    let section = found.sections.decisions.clone().unwrap_or_default();
    let files =
        DecisionFiles::read(&found.team, true).map_err(|error| Failure::message(error.to_string()))?;
    let decisions = Decisions::from_files(&files);
    let count = |is: fn(&Decision) -> bool| decisions.all().iter().filter(|one| is(one)).count();
    writeln!(
        out,
        "  {} decisions: {} enforced, {} not in force, {} about nothing that a call can break, {} not understood; {} mistakes\n",
        decisions.all().len(),
        count(|one| !one.rules.is_empty()),
        count(|one| matches!(one.enforcement, Enforcement::Void(_))),
        count(|one| one.enforcement == Enforcement::Nothing),
        count(|one| one.enforcement == Enforcement::Unclear),
        decisions.mistakes().len(),
    )?;
    let mut stage = under(found, "decisions", &section).await?;
    let mut shown: Vec<&'static str> = Vec::new();
    for decision in decisions.all().iter().filter(|decision| !decision.rules.is_empty()) {
        if shown.len() >= MOST {
            break;
        }
        if let Some((kind, example)) = breaking(&stage, decision, &shown).await {
            let note = format!("against \"{}\", {}", decision.title, decision.file);
            let by = CopiedTeam::coordinator();
            stage.call(out, report, (by, &example), Runs::Only, &note).await?;
            shown.push(kind);
        }
    }
    if shown.is_empty() {
        missing(out, "a decision that forbids something a call shows")?;
    }
    let harmless = Example::write("notes/demo.md", "Nothing that a decision is about.\n");
    stage
        .call(out, report, (CopiedTeam::coordinator(), &harmless), Runs::Really, "no decision is about this")
        .await
}

/// Returns a call that a decision denies.
async fn breaking(stage: &Stage, decision: &Decision, shown: &[&'static str]) -> Option<Breaking> {
    for (kind, example) in decision.rules.iter().flat_map(examples) {
        if shown.iter().filter(|one| **one == kind).count() >= MOST_OF_KIND {
            continue;
        }
        let objection = stage.objection(CopiedTeam::coordinator(), &example).await;
        if objection.is_some_and(|reason| reason.contains(&decision.title)) {
            return Some((kind, example));
        }
    }
    None
}

/// Returns calls that may break a rule.
fn examples(rule: &DecisionRule) -> Vec<Breaking> {
    let file = |name: &str| match rule.within.first() {
        Some(within) => path_in(within, name),
        None => format!("src/{name}"),
    };
    let mut all: Vec<Breaking> = Vec::new();
    for example in &rule.matches {
        all.extend(match (example.strip_prefix("$ "), example.split_once(": ")) {
            (Some(command), _) => Some(("match", Example::shell(command))),
            (None, Some((path, text))) => Some(("match", Example::write(path, text))),
            (None, None) => None,
        });
    }
    for name in rule.packages.iter().chain(&rule.imports).take(1) {
        let imports =
            [("demo.ts", format!("import demo from \"{name}\";\n")), ("demo.py", format!("import {name}\n"))];
        all.extend(imports.map(|(path, text)| ("imports", Example::write(&file(path), &text))));
        let installs = ["npm install", "pip install", "cargo add", "go get"];
        all.extend(installs.map(|install| ("installs", Example::shell(&format!("{install} {name}")))));
    }
    for name in rule.calls.iter().take(1) {
        for path in ["demo.ts", "demo.py", "demo.rs"] {
            all.push(("calls", Example::write(&file(path), &format!("{name}(\"demo\");\n"))));
        }
    }
    all.extend(rule.commands.iter().take(1).map(|command| ("commands", Example::shell(command))));
    all.extend(
        rule.images
            .iter()
            .take(1)
            .map(|image| ("images", Example::write("Dockerfile", &format!("FROM {image}\n")))),
    );
    let files = rule.paths.iter().chain(&rule.files).chain(&rule.new_files).take(1);
    all.extend(files.map(|glob| ("files", Example::write(&path_in(glob, "demo.txt"), "demo\n"))));
    all
}
