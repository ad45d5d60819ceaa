//! `hooks packs`: the packs of rules, and what is in one.

use std::io::Write;

use hooks::config::{nearest, packs};
use hooks::policies::packs::{PackAction, PackConfig, PackExample, PackRuleConfig, Severity};
use serde_json::{Value, json};

use crate::cli::{Packs, PacksCommand};
use crate::failure::{Failure, Status};
use crate::paint::{BAD, GOOD, LOUD, OPEN, QUIET};
use crate::table::Table;

/// Lists the packs, or shows one.
pub(crate) fn run(options: &Packs) -> Result<Status, Failure> {
    let mut out = anstream::stdout().lock();
    match &options.command {
        None => list(&mut out, options.json)?,
        Some(PacksCommand::Show { name, json }) => {
            let pack = find(name)?;
            if *json || options.json {
                writeln!(out, "{}", described(&pack, true))?;
            } else {
                show(&mut out, &pack)?;
            }
        }
    }
    Ok(Status::Well)
}

/// The pack of Hooks with a name, or the pack in a file.
fn find(name: &str) -> Result<PackConfig, Failure> {
    if let Some(pack) = packs::standard(name) {
        return Ok(pack);
    }
    if name.contains(['/', '.']) {
        let text = std::fs::read_to_string(name)
            .map_err(|error| Failure::message(format!("`{name}` cannot be read: {error}")))?;
        return packs::parse(&text)
            .map_err(|error| Failure::message(format!("`{name}` is invalid: {error}")));
    }
    let near =
        nearest(name, packs::names()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(Failure::message(format!("unknown pack `{name}`{near}; `hooks packs` lists all")))
}

fn list(out: &mut impl Write, as_json: bool) -> Result<(), Failure> {
    let all: Vec<_> = packs::names().filter_map(packs::standard).collect();
    if as_json {
        let all: Vec<_> = all.iter().map(|pack| described(pack, false)).collect();
        writeln!(out, "{}", json!({ "packs": all }))?;
        return Ok(());
    }
    let mut table = Table::new(["pack", "rules", "examples", "guards"]).numbers([1, 2]);
    for pack in &all {
        table.row([
            (pack.name.clone(), LOUD),
            (pack.rules.len().to_string(), QUIET),
            (pack.rules.iter().map(examples).sum::<usize>().to_string(), QUIET),
            (pack.about.clone(), QUIET),
        ]);
    }
    table.write(out)?;
    let used =
        "`packs: [git, docker]` in `hooks.yaml` uses them; `hooks packs show git` shows the rules of one";
    writeln!(out, "\n{} packs. {used}", all.len())?;
    Ok(())
}

fn examples(rule: &PackRuleConfig) -> usize {
    rule.matches.len() + rule.no_match.len()
}

fn show(out: &mut impl Write, pack: &PackConfig) -> Result<(), Failure> {
    writeln!(out, "{LOUD}{}{LOUD:#}: {}", pack.name, pack.about)?;
    if !pack.idle.is_empty() {
        writeln!(out, "{QUIET}commands with {} match no rule{QUIET:#}", pack.idle.join(", "))?;
    }
    for rule in &pack.rules {
        let (action, style) = match rule.action() {
            PackAction::Deny => ("denies", BAD),
            PackAction::Ask => ("asks", OPEN),
        };
        let severity = rule.severity.name();
        writeln!(
            out,
            "\n{LOUD}{}{LOUD:#} ({severity}, {style}{action}{style:#}): {}",
            rule.name, rule.reason
        )?;
        let conditions = [
            ("tool", &rule.tools),
            ("command", &rule.commands),
            ("reads", &rule.reads),
            ("writes", &rule.writes),
        ];
        for (kind, texts) in conditions {
            for text in texts {
                writeln!(out, "  {kind:8} {text}")?;
            }
        }
        for example in &rule.matches {
            writeln!(out, "  {style}matches {style:#} {}", shown(example))?;
        }
        for example in &rule.no_match {
            writeln!(out, "  {GOOD}passes  {GOOD:#} {}", shown(example))?;
        }
    }
    Ok(())
}

fn shown(example: &PackExample) -> String {
    match example {
        PackExample::Command(command) => command.clone(),
        PackExample::Call(call) => format!("{} {}", call.tool, call.args),
    }
}

fn described(pack: &PackConfig, is_whole: bool) -> Value {
    if is_whole {
        return json!(pack);
    }
    let count = |severity: Severity| pack.rules.iter().filter(|rule| rule.severity == severity).count();
    json!({
        "name": pack.name,
        "about": pack.about,
        "rules": pack.rules.iter().map(|rule| &rule.name).collect::<Vec<_>>(),
        "examples": pack.rules.iter().map(examples).sum::<usize>(),
        "critical": count(Severity::Critical),
        "high": count(Severity::High),
        "medium": count(Severity::Medium),
    })
}
