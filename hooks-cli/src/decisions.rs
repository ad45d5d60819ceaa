//! `hooks decisions`: the decisions of a team, and the rules that enforce them.

use std::io::Write;
use std::sync::Arc;

use hooks::team::Team;
use hooks::team_rules::decisions::{Decision, DecisionFiles, Enforcement};
use serde_json::json;

use crate::cli::Decisions;
use crate::failure::{Failure, Status};
use crate::paint::{GOOD, OPEN};

/// Rule block for a decision that is not enforced.
const TEMPLATE: &str = "```rule\n# or calls, content, commands, images, files, paths\npackages: [NAME]\nexcept: [FOLDER/**]\ninstead: OTHER\nmatch:\n- \"$ npm install NAME\"\n```";

/// Shows the decisions of a team.
pub(crate) fn run(options: &Decisions) -> Result<Status, Failure> {
    if !options.team.is_dir() {
        let problem = format!("`{}` is not a team folder; name one with `--team`", options.team.display());
        return Err(Failure::message(problem));
    }
    let team = Team::new(Arc::new(hooks::StdFileSystem), &options.team, &hooks::system());
    let files = DecisionFiles::read(&team, !options.no_archive)
        .map_err(|error| Failure::message(error.to_string()))?;
    let decisions = hooks::team_rules::decisions::Decisions::from_files(&files);
    let mut out = anstream::stdout().lock();
    if options.json {
        let mistakes: Vec<String> = decisions.mistakes().iter().map(ToString::to_string).collect();
        writeln!(out, "{}", json!({"decisions": decisions.all(), "mistakes": mistakes}))?;
    } else {
        for decision in decisions.all() {
            write(&mut out, decision)?;
        }
        for mistake in decisions.mistakes() {
            writeln!(out, "{OPEN}mistake{OPEN:#} {mistake}")?;
        }
        let enforced = decisions.all().iter().filter(|decision| !decision.rules.is_empty()).count();
        writeln!(
            out,
            "{enforced} of {} decisions are enforced where `hooks.yaml` has the section `decisions`",
            decisions.all().len()
        )?;
    }
    Ok(if decisions.mistakes().is_empty() { Status::Well } else { Status::Found })
}

fn write(out: &mut impl Write, decision: &Decision) -> Result<(), Failure> {
    let of = [decision.date.as_deref(), decision.author.as_deref()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ");
    let of = if of.is_empty() { of } else { format!(" ({of})") };
    let Decision { title, file, .. } = decision;
    match &decision.enforcement {
        Enforcement::Block | Enforcement::Prose => {
            let by =
                if decision.enforcement == Enforcement::Block { "by its rule block" } else { "by its prose" };
            writeln!(out, "{GOOD}enforced{GOOD:#} {title}{of}, {file}: {by}")?;
            for rule in &decision.rules {
                writeln!(out, "  ```rule")?;
                for line in rule.to_string().lines() {
                    writeln!(out, "  {line}")?;
                }
                writeln!(out, "  ```")?;
            }
        }
        Enforcement::Void(reason) => {
            writeln!(out, "{OPEN}not in force{OPEN:#} {title}{of}, {file}: {reason}")?;
        }
        other => {
            let reason = match other {
                Enforcement::Unclear => {
                    "it forbids something in words that are not understood; paste a rule block below it:"
                }
                _ => "it states nothing that a tool call can break; if it does, paste a rule block below it:",
            };
            writeln!(out, "{OPEN}not enforced{OPEN:#} {title}{of}, {file}: {reason}")?;
            for line in TEMPLATE.lines() {
                writeln!(out, "  {line}")?;
            }
        }
    }
    writeln!(out)?;
    Ok(())
}
